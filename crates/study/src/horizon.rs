//! How long a simulation has to be.
//!
//! A periodic set that starts all at once repeats itself after a hyperperiod (the least common
//! multiple of the periods, and of the tick if there is one), if every job is done by then. One
//! with phases, with overheads or with a tick repeats itself at the latest after one more, counted
//! from the largest phase, unless it is overloaded. What arrives or computes at random, or without
//! end, never repeats itself; then a thousand periods show a good deal. Hyperperiods can be years:
//! a simulation never sets out for one without saying so.

use crate::note::Note;
use flyball_model::behaviour::{demand, each_length};
use flyball_model::{Arrival, Length, Task, TaskSet};
use flyball_trace::Duration;

/// How many jobs a study simulates at most, if it is not said how long it has to be. Some seconds
/// of work. Ticks and quanta count as jobs do.
pub const MOST_JOBS: u64 = 2_000_000;

/// The same where the verdict is known without it.
const TO_SEE: u64 = 200_000;

/// How many of the longest periods are simulated where nothing repeats itself: enough to look at,
/// and, if the verdict is not known, enough to find misses that are not too rare.
const PERIODS: (u64, u64) = (100, 1_000);

/// How long a simulation is to be, and what it is then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Horizon {
    /// When it ends.
    pub until: Duration,
    /// What the reader should know about that, if anything.
    pub note: Option<Note>,
}

/// The time after which a set has shown all that it does, or much of it; shortened to
/// `jobs` jobs. `decided`: theory knows the verdict, so that the simulation need not prove one.
/// `quantum`: how often the policy interrupts a job at most, if it does.
pub fn horizon(set: &TaskSet, decided: bool, quantum: Option<Duration>, jobs: u64) -> Horizon {
    let jobs = if decided { jobs.min(TO_SEE) } else { jobs };
    let longest = affordable(set, quantum, jobs);
    let quiet = |until: Duration| Horizon { until, note: None };
    let phases = set.endpoints.iter().map(|endpoint| endpoint.phase);
    let first = phases.fold(set.latest_first_release(), Duration::max);
    let start = first + set.platform.tick.unwrap_or_default() + once(set);
    let Some(gap) = gaps(set).max() else {
        return quiet(start * 2 + Duration::from_millis(1));
    };
    if !repeats(set) {
        let periods = if decided { PERIODS.0 } else { PERIODS.1 };
        let cycle = set.cycle().unwrap_or_default().max(changes(set));
        let until = (start + gap * periods).max(start + cycle);
        let until = until.min(longest);
        let note = (!decided).then_some(Note::DoesNotRepeat(until));
        return Horizon { until, note };
    }
    // The first hyperperiod of a set that starts clean is like all others.
    let rounds = if decided || start.is_zero() && set.platform.overheads.are_free() {
        1
    } else {
        2
    };
    let cycle = set.cycle();
    let full = cycle.and_then(|cycle| {
        let rounds = cycle.as_nanos().checked_mul(rounds)?;
        Duration::from_nanos(rounds).checked_add(start)
    });
    match full {
        Some(full) if full <= longest => quiet(full),
        _ => Horizon {
            until: longest,
            note: Some(Note::LongHyperperiod {
                length: cycle,
                simulated: longest,
            }),
        },
    }
}

/// Whether the set does the same again after a hyperperiod, as far as it is up to the tasks.
fn repeats(set: &TaskSet) -> bool {
    set.endpoints.is_empty()
        && set.tasks.iter().all(|task| {
            task.comes_with_the_clock()
                && flyball_sim::is_fixed(&task.behaviour)
                && compute(task).is_some()
        })
}

/// How long a job computes, if it ends.
fn compute(task: &Task) -> Option<Duration> {
    let demand = demand(&task.behaviour).ok()?;
    Some(demand.compute).filter(|&compute| compute < Duration::MAX)
}

/// How long jobs without successors may be in the way: each until its deadline, or for as long as
/// all of them compute. Those that compute for ever do not count.
fn once(set: &TaskSet) -> Duration {
    let tasks = || {
        set.tasks
            .iter()
            .filter(|task| task.arrival == Arrival::Once)
    };
    let work: Duration = tasks().filter_map(compute).sum();
    let deadline = tasks().filter_map(|task| task.deadline).max();
    work.max(deadline.unwrap_or_default())
}

/// How long after each other things come again: jobs, and the messages of sources and sinks.
fn gaps(set: &TaskSet) -> impl Iterator<Item = Duration> {
    let jobs = set.tasks.iter().filter_map(|task| task.arrival.period());
    jobs.chain(
        set.endpoints
            .iter()
            .map(|endpoint| endpoint.every.longest()),
    )
}

/// How long it takes until lengths that follow the clock have all been valid.
fn changes(set: &TaskSet) -> Duration {
    let mut longest = Duration::ZERO;
    for task in &set.tasks {
        each_length(&task.behaviour, &mut |length| {
            if let Length::Cycle { lengths, every } = length {
                longest = longest.max(*every * lengths.len() as u64);
            }
        });
    }
    longest
}

/// The time in which about so many jobs are released, rounded to something readable.
fn affordable(set: &TaskSet, quantum: Option<Duration>, jobs: u64) -> Duration {
    let gaps = gaps(set).chain(set.platform.tick).chain(quantum);
    // Jobs in 10^15 ns; at most 65,535 tasks with 10^15 jobs each.
    let rate: u128 = gaps
        .map(|gap| 1_000_000_000_000_000 / u128::from(gap.as_nanos().max(1)))
        .sum();
    let ns = u128::from(jobs) * 1_000_000_000_000_000 / rate.max(1);
    let ns = u64::try_from(ns).unwrap_or(u64::MAX / 2).max(1);
    let magnitude = 10_u64.pow(ns.ilog10().saturating_sub(1));
    Duration::from_nanos(ns / magnitude * magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_model::Task;

    fn set(periods: &[u64]) -> TaskSet {
        let task = |&period: &u64| {
            Task::periodic(
                format!("{period}"),
                Duration::from_nanos(period),
                Duration::from_nanos(1),
            )
        };
        TaskSet {
            tasks: periods.iter().map(task).collect(),
            ..TaskSet::default()
        }
    }

    #[test]
    fn a_short_hyperperiod_is_simulated_whole() {
        let mut set = set(&[4_000, 6_000]);
        assert_eq!(
            horizon(&set, false, None, MOST_JOBS),
            Horizon {
                until: Duration::from_micros(12),
                note: None
            }
        );
        set.tasks[0].phase = Duration::from_nanos(5);
        assert_eq!(
            horizon(&set, false, None, MOST_JOBS).until,
            Duration::from_nanos(24_005)
        );
    }

    #[test]
    fn a_long_one_is_cut_and_said() {
        let primes = [1_000_003, 1_000_033, 1_000_037, 1_000_039];
        let horizon = horizon(&set(&primes), false, None, MOST_JOBS);
        let jobs: u64 = primes
            .iter()
            .map(|period| horizon.until.as_nanos() / period)
            .sum();
        assert!((MOST_JOBS * 8 / 10..=MOST_JOBS).contains(&jobs), "{jobs}");
        let note = Note::LongHyperperiod {
            length: None,
            simulated: horizon.until,
        };
        assert_eq!(horizon.note, Some(note));
    }

    #[test]
    fn pipelines_and_changes_show_what_they_do() {
        let ms = Duration::from_millis;
        let every = Length::Fixed(ms(5));
        let endless = |behaviour| Task {
            arrival: Arrival::Once,
            deadline: None,
            wcet: Duration::MAX,
            behaviour: vec![flyball_model::Step::Repeat {
                times: None,
                body: vec![flyball_model::Step::Compute(behaviour)],
            }],
            ..Task::periodic("a", ms(1), ms(1))
        };
        let source = flyball_model::Endpoint {
            end: flyball_model::End::Source,
            queue: 0,
            every: every.clone(),
            count: 1,
            phase: ms(20),
        };
        let mut set = TaskSet {
            tasks: vec![endless(every)],
            endpoints: vec![source],
            ..TaskSet::default()
        };
        let until = |set: &TaskSet| horizon(set, false, None, MOST_JOBS).until;
        assert_eq!(until(&set), ms(20) + ms(5) * 1000);
        let lengths = vec![ms(1), ms(2)];
        let every = Duration::from_secs(30);
        set.tasks[0] = endless(Length::Cycle { lengths, every });
        assert_eq!(until(&set), ms(60_020));
    }

    #[test]
    fn everything_has_a_horizon() {
        for tasks in [
            set(&[]),
            set(&[u64::MAX - 1]),
            set(&[1]),
            set(&[u64::MAX, 3]),
        ] {
            assert!(!horizon(&tasks, false, None, MOST_JOBS).until.is_zero());
        }
    }
}
