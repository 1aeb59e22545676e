//! The kernel records what happens.

use crate::KERNEL;
use flyball_app::__private::{Machine as _, Time};
use flyball_capi::Note;
use flyball_capi::recorder::Recorder;

/// Where events go.
pub(crate) type Trace = Recorder;

/// Begins to record.
pub(crate) fn begin() -> Trace {
    Recorder::begin()
}

/// Adds what is no event.
pub(crate) fn note(note: Note) {
    KERNEL.look(|core| core.trace().note(note));
}

/// Completes the trace.
pub(crate) fn end(time: Time) {
    KERNEL.look(|core| core.trace().end(time));
}
