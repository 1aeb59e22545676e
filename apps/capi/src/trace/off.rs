//! Nothing is recorded, at no cost.

use flyball_app::__private::Time;
use flyball_app::NoTrace;
use flyball_capi::Note;

/// Where events go.
pub(crate) type Trace = NoTrace;

/// There is nothing to begin.
pub(crate) fn begin() -> Trace {
    NoTrace
}

/// What would be added is lost.
pub(crate) fn note(_: Note) {}

/// There is nothing to complete.
pub(crate) fn end(_: Time) {}
