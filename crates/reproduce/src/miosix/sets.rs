//! Parts of task sets that several experiments use.

use flyball_model::{Cost, Length, Overheads, Step, Task};
use flyball_trace::Duration;

/// A task of one job that does this.
pub(super) fn once(name: impl Into<String>, wcet: Duration, behaviour: Vec<Step>) -> Task {
    Task::once(name, wcet, behaviour)
}

/// A task that computes without end.
pub(super) fn background(name: impl Into<String>) -> Task {
    let compute = Step::Compute(Length::Fixed(Duration::from_secs(1)));
    let for_ever = Step::Repeat {
        times: None,
        body: vec![compute],
    };
    once(name, Duration::MAX, vec![for_ever])
}

/// What a choice and a context switch cost in these experiments: some 360 cycles each at 72 MHz.
pub(super) fn overheads() -> Overheads {
    let cost = || Cost::fixed(Duration::from_micros(5));
    Overheads {
        scheduling: cost(),
        context_switch: cost(),
        ..Overheads::default()
    }
}

pub(super) fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A time in a unit, as a number to draw.
#[expect(clippy::cast_precision_loss, reason = "a picture has no 52 bits")]
pub(super) fn number(time: Duration, unit: Duration) -> f64 {
    time.as_nanos() as f64 / unit.as_nanos().max(1) as f64
}

/// A part of a whole in hundredths.
pub(super) fn percent(part: Duration, whole: Duration) -> f64 {
    100.0 * number(part, whole)
}
