//! The way back: the native trace out of a Perfetto file.

use flyball_trace::file::{Trace, TraceError};
use prost::{DecodeError, Message};
use std::fmt;

/// Why a file gives no trace.
#[derive(Debug)]
pub enum PerfettoError {
    /// It is not in Perfetto's format, or damaged.
    NotPerfetto(DecodeError),
    /// It is a Perfetto trace, but none that Flyball wrote.
    NotFlyball,
    /// The trace in it is damaged. (Also that of two files which were put together.)
    Trace(TraceError),
}

impl fmt::Display for PerfettoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PerfettoError::NotPerfetto(error) => {
                write!(f, "this is not a Perfetto trace, or it is damaged: {error}")
            }
            PerfettoError::NotFlyball => f.write_str(
                "this is a Perfetto trace that Flyball did not write; only traces with Flyball's \
                 own events in them can be read back",
            ),
            PerfettoError::Trace(error) => {
                write!(
                    f,
                    "the Flyball trace in this Perfetto trace is damaged: {error}"
                )
            }
        }
    }
}

impl std::error::Error for PerfettoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PerfettoError::NotPerfetto(error) => Some(error),
            PerfettoError::NotFlyball => None,
            PerfettoError::Trace(error) => Some(error),
        }
    }
}

/// A Perfetto trace, of which all but our own field is skipped.
#[derive(Clone, PartialEq, Message)]
struct Envelope {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<Content>,
}

#[derive(Clone, PartialEq, Message)]
struct Content {
    #[prost(bytes = "vec", optional, tag = "5000")]
    native: Option<Vec<u8>>,
}

/// The trace that [`to_perfetto`](super::to_perfetto) wrote. Whatever the bytes are, this takes
/// time and memory linear in their number.
///
/// # Errors
/// [`PerfettoError`].
pub fn from_perfetto(bytes: &[u8]) -> Result<Trace, PerfettoError> {
    let envelope = Envelope::decode(bytes).map_err(PerfettoError::NotPerfetto)?;
    let parts: Vec<_> = envelope
        .packet
        .into_iter()
        .filter_map(|content| content.native)
        .collect();
    if parts.is_empty() {
        return Err(PerfettoError::NotFlyball);
    }
    Trace::from_bytes(&parts.concat()).map_err(PerfettoError::Trace)
}
