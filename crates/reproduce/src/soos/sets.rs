//! Task sets.

use flyball_measure::bench::BenchError;
use flyball_model::generate::{Options, generate};
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;

/// The paper's slot.
pub(super) const SLOT: Duration = Duration::from_millis(10);

pub(super) const MILLISECOND: Duration = Duration::from_millis(1);

/// A time in a unit, as a number to compare and to draw.
#[expect(clippy::cast_precision_loss, reason = "a picture has no 52 bits")]
pub(super) fn number(time: Duration, unit: Duration) -> f64 {
    time.as_nanos() as f64 / unit.as_nanos().max(1) as f64
}

/// `n` equal tasks, released together, of which one job ends in each slot until none is left; and how
/// long it takes to see that three times.
pub(super) fn all_at_once(n: u32) -> (TaskSet, Duration) {
    let period = SLOT * u64::from(n);
    let wcet = Duration::from_millis(6);
    let tasks = (1..=n).map(|number| Task::periodic(format!("T{number}"), period, wcet));
    let set = TaskSet {
        name: format!("{n} at once"),
        tasks: tasks.collect(),
        ..TaskSet::default()
    };
    (set, period * 3)
}

/// A random set of so many tasks, whose periods are whole slots of a tenth of a second to a second.
///
/// # Errors
/// [`BenchError`] if there is none.
pub(super) fn random(tasks: usize, utilisation: f64, seed: u64) -> Result<TaskSet, BenchError> {
    let options = Options {
        tasks,
        utilisation,
        shortest_period: SLOT * 10,
        longest_period: SLOT * 100,
        granularity: SLOT,
        seed,
        ..Options::default()
    };
    // The options are such that a set is found.
    generate(&options).map_err(|error| BenchError::Machine(Box::new(error)))
}
