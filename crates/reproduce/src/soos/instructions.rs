//! Instructions of an emulated Cortex-M3: what the policy executes in a slot, and what the whole
//! kernel does.
//!
//! Three kinds of images count them. `costs-activities` is told a task set and has the policy alone go
//! through it: each slot is a line with the instructions of each activity. `costs-soos` is the
//! kernel with threads that compute, in slots of 160,000 instructions: what a thread's turn takes
//! longer than others, the kernel has had. `costs-queues` is a queue alone. An exception's entry and exit count for none.

use super::sets::SLOT;
use super::slot::Slot;
use crate::work::Setup;
use flyball_catalogue::Soos;
use flyball_measure::bench::BenchError;
use flyball_model::{Task, TaskSet};
use flyball_policy::soos::{Reactivation, Slack};
use flyball_study::StudyError;
use flyball_trace::Duration;

/// Instructions in 10 ms of a processor that executes 16 million a second.
pub(super) const IN_SLOT: u32 = 160_000;
/// Instructions of a thread's turn, by which jobs are measured: close enough.
const TURN: u64 = 140;
/// The image of the whole kernel with room for 30 tasks.
pub(super) const SMALL: &str = "costs-soos";
/// One with room for 40, under which a slot takes longer.
pub(super) const LARGE: &str = "costs-soos-64";

/// What the policy executes in each slot up to `until`, on the machine.
///
/// # Errors
/// [`BenchError`] if it cannot be run, or prints what it should not.
pub(super) fn slots(
    setup: &mut Setup<'_>,
    set: &TaskSet,
    soos: Soos,
    until: Duration,
) -> Result<Vec<Slot>, BenchError> {
    let mut words = vec![
        soos.list.name().to_owned(),
        reactivation(soos.switches.reactivation).to_owned(),
        slack(soos.switches.slack).to_owned(),
        (until / SLOT).to_string(),
    ];
    for task in &set.tasks {
        let length = task.wcet.as_nanos().div_ceil(1_000);
        words.extend([periods(task)?.to_string(), length.to_string()]);
    }
    let printed = count(setup, "costs-activities", &words)?;
    printed.lines().map(slot).collect()
}

/// What the whole kernel has had in slots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Whole {
    /// In the first, in which all servers are reactivated. It is not among the others.
    pub(super) first: f64,
    pub(super) least: f64,
    pub(super) mean: f64,
    pub(super) most: f64,
}

/// What the whole kernel has in each of so many slots under SOOS as the paper has it, on the machine.
///
/// # Errors
/// [`BenchError`] if it cannot be run, or prints what it should not.
pub(super) fn whole(
    setup: &mut Setup<'_>,
    image: &str,
    set: &TaskSet,
    slots: u32,
) -> Result<Whole, BenchError> {
    let mut words = vec![slots.to_string()];
    for task in &set.tasks {
        let instructions = task.wcet.as_nanos() * u64::from(IN_SLOT) / SLOT.as_nanos();
        let turns = (instructions / TURN).max(1);
        words.extend([periods(task)?.to_string(), turns.to_string()]);
    }
    let printed = count(setup, image, &words)?;
    let [_, _, first] = figure(&printed, "first")?;
    let [_, _, least] = figure(&printed, "least")?;
    let [sum, count, most] = figure(&printed, "slot")?;
    Ok(Whole {
        first: first.into(),
        least: least.into(),
        mean: f64::from(sum) / f64::from(count).max(1.0),
        most: most.into(),
    })
}

/// What a queue of so many servers executes in the mean, on the machine: to take out the first, to do
/// what it has put off, and to put the server in again with a later deadline.
///
/// # Errors
/// [`BenchError`] if it cannot be run, or prints what it should not.
pub(super) fn hold(
    setup: &mut Setup<'_>,
    queue: &str,
    servers: u32,
) -> Result<[f64; 3], BenchError> {
    let words = [queue.to_owned(), servers.to_string()];
    let printed = count(setup, "costs-queues", &words)?;
    let mean = |name| {
        let [sum, count, _] = figure(&printed, name)?;
        Ok::<_, BenchError>(f64::from(sum) / f64::from(count).max(1.0))
    };
    Ok([mean("take")?, mean("settle")?, mean("put")?])
}

/// Sum, count and most of the figure of that name.
fn figure(printed: &str, name: &str) -> Result<[u32; 3], BenchError> {
    let figure = printed.lines().find_map(|line| numbers(line, name));
    figure.ok_or_else(|| not_understood(printed))
}

fn count(setup: &mut Setup<'_>, image: &str, words: &[String]) -> Result<String, BenchError> {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    setup.bench.count(image, &words)
}

const fn reactivation(reactivation: Reactivation) -> &'static str {
    match reactivation {
        Reactivation::Next => "next",
        Reactivation::EverySlot => "every-slot",
    }
}

const fn slack(slack: Slack) -> &'static str {
    match slack {
        Slack::None => "none",
        Slack::One => "one",
        Slack::All => "all",
    }
}

/// The period of a task, in slots.
fn periods(task: &Task) -> Result<u64, BenchError> {
    let period = task.arrival.period().map(|period| period / SLOT);
    period.ok_or_else(|| {
        let what = format!("task \"{}\" has no period", task.name);
        StudyError::Bench(what).into()
    })
}

/// The numbers of a line that begins with `name`.
fn numbers<const N: usize>(line: &str, name: &str) -> Option<[u32; N]> {
    let mut words = line.split_whitespace();
    if words.next() != Some(name) {
        return None;
    }
    let numbers: Vec<u32> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn slot(line: &str) -> Result<Slot, BenchError> {
    let [counts @ .., reactivated] =
        numbers::<6>(line, "slot").ok_or_else(|| not_understood(line))?;
    Ok(Slot {
        counts,
        reactivated,
    })
}

fn not_understood(printed: &str) -> BenchError {
    StudyError::Bench(format!("the image printed {printed:?}, which is no figure")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_slot() {
        let found = slot("slot 1 2 3 4 5 6").unwrap();
        assert_eq!((found.counts, found.reactivated), ([1, 2, 3, 4, 5], 6));
        for bad in [
            "",
            "slot",
            "slot 1 2 3 4 5",
            "slots 1 2 3 4 5 6",
            "slot 1 2 3 4 5 6 7",
            "slot 1 2 3 4 5 -6",
        ] {
            assert!(slot(bad).is_err(), "{bad}");
        }
    }
}
