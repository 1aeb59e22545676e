//! Whether the order of what happens hangs by a hair.
//!
//! The simulation charges one cost for all calls and one for all releases, so it is some tenths of a
//! microsecond off in each passage through the kernel, and within a busy interval that adds up. Where a job's call and the timer (a release, a deadline, the end of a quantum) come
//! nearer to each other than what these add up to, either may come first, and neither the simulation
//! nor the kernel is wrong. So the set is simulated again with each computation a little shorter, a
//! little longer, or some of each: its order is settled if it is always the same. What follows from
//! one cause stays in order all the same and is never left out, however close it is.

use flyball_lab::{Entry, Recorder, Values};
use flyball_model::random::Random;
use flyball_model::{Length, Step, TaskSet};
use flyball_report::compare::compare;
use flyball_sim::Options;
use flyball_trace::Duration;
use flyball_trace::file::Trace;
use std::ops::ControlFlow;

/// By how much the length of a turn may be off.
const TURN: Duration = Duration::from_nanos(40);

/// How many times a set is simulated with random errors.
const TRIES: u64 = 6;

/// Whether the first events of a set, until `until`, come in the same order whatever is within
/// `doubt`: by how much a computation may be off, which goes with a call or two.
pub(crate) fn is_settled(
    entry: &Entry,
    values: &Values,
    set: &TaskSet,
    options: &Options,
    doubt: Duration,
) -> bool {
    let simulate = |set: &TaskSet| simulate_with(entry, values, set, options);
    let expected = simulate(set);
    let zero = || Duration::ZERO;
    let mut errors: Vec<Box<dyn FnMut() -> Duration>> =
        vec![Box::new(zero), Box::new(move || doubt * 2)];
    for number in 0..TRIES {
        let mut random = Random::new(options.seed, number);
        errors.push(Box::new(move || random.uniform(Duration::ZERO, doubt * 2)));
    }
    // Where tasks take turns the length of one is known to some tens of nanoseconds, and there are many.
    if let Some(quantum) = values.quantum() {
        let others = [quantum + TURN, quantum.saturating_sub(TURN)];
        let is_same = |quantum| {
            let simulated =
                simulate_with(entry, &values.clone().with_quantum(quantum), set, options);
            compare(&expected, &simulated).is_same_order()
        };
        if !others.into_iter().all(is_same) {
            return false;
        }
    }
    errors.iter_mut().all(|error| {
        let mut other = set.clone();
        for task in &mut other.tasks {
            shift(&mut task.behaviour, doubt, error);
        }
        let comparison = compare(&expected, &simulate(&other));
        comparison.is_same_order()
    })
}

/// Shortens each computation by `doubt`, and makes it longer by an error.
fn shift(steps: &mut [Step], doubt: Duration, error: &mut dyn FnMut() -> Duration) {
    for step in steps {
        match step {
            Step::Compute(length) => {
                let error = error();
                let shift = |length: &mut Duration| *length = length.saturating_sub(doubt) + error;
                match length {
                    Length::Fixed(length) => shift(length),
                    Length::Uniform { min, max } => [min, max].into_iter().for_each(shift),
                    Length::OneOf(lengths) => lengths.iter_mut().for_each(shift),
                }
            }
            Step::Repeat { body, .. } => shift(body, doubt, error),
            _ => {}
        }
    }
}

/// The schedule that a set has.
fn simulate_with(entry: &Entry, values: &Values, set: &TaskSet, options: &Options) -> Trace {
    let mut recorder = Recorder::new(set, set.platform.cpus, entry.name, usize::MAX);
    let mut watch = |_| ControlFlow::Continue(());
    let outcome = entry.simulate(values, set, options, &mut recorder, &mut watch);
    let outcome = outcome.expect("a random set can be simulated");
    recorder.finish(outcome.ended).1
}
