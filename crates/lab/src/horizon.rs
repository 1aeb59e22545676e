//! How long a simulation has to be.
//!
//! A periodic set that starts all at once repeats itself after a hyperperiod (the least common
//! multiple of the periods), if every job is done by then. One with phases, or with overheads,
//! repeats itself at the latest after one more, counted from the largest phase, unless it is
//! overloaded. Hyperperiods can be years: a simulation never sets out for one without saying so.

use flyball_model::{Arrival, TaskSet};
use flyball_trace::Duration;

/// How many jobs a study simulates at most, if nobody says how long it has to be. Some seconds of
/// work.
pub const MOST_JOBS: u64 = 2_000_000;

/// How long a simulation is to be, and what it is then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Horizon {
    /// When it ends.
    pub until: Duration,
    /// What the reader should know about that, if anything.
    pub note: Option<String>,
}

/// The hyperperiod and the largest phase: the time after which a set that starts all at once has
/// shown all that it does; shortened to [`MOST_JOBS`]. `rounds`: how many hyperperiods.
pub fn horizon(set: &TaskSet, rounds: u64) -> Horizon {
    let phase = set.largest_phase();
    let cycle = set.hyperperiod();
    let full = cycle.and_then(|cycle| {
        cycle
            .as_nanos()
            .checked_mul(rounds)
            .map(Duration::from_nanos)?
            .checked_add(phase)
    });
    let longest = affordable(set);
    match full {
        Some(full) if full <= longest => Horizon {
            until: full,
            note: None,
        },
        _ if set.tasks.iter().all(|task| task.arrival == Arrival::Once) => {
            let work: Duration = set
                .tasks
                .iter()
                .map(|task| task.wcet.min(Duration::from_secs(1)))
                .sum();
            let until = phase + work * 2 + Duration::from_millis(1);
            Horizon { until, note: None }
        }
        _ if cycle.is_none() && !has_periodic(set) => {
            let gap = set
                .tasks
                .iter()
                .filter_map(|task| task.arrival.period())
                .max();
            let until = (phase + gap.unwrap_or(Duration::from_secs(1)) * 1_000).min(longest);
            let note = format!("No task is periodic, so nothing repeats: simulated for {until}.");
            Horizon {
                until,
                note: Some(note),
            }
        }
        _ => {
            let long = match cycle {
                Some(cycle) => format!("is {}", years(cycle)),
                None => "is longer than 584 years".to_owned(),
            };
            let note = format!(
                "The hyperperiod {long}: only the first {longest} were simulated, with about \
                 {MOST_JOBS} jobs. Use `--until` for another length."
            );
            Horizon {
                until: longest,
                note: Some(note),
            }
        }
    }
}

fn has_periodic(set: &TaskSet) -> bool {
    set.tasks
        .iter()
        .any(|task| matches!(task.arrival, Arrival::Periodic { .. }))
}

/// A length of time that a person can imagine.
fn years(length: Duration) -> String {
    const YEAR: u64 = 365 * 24 * 3600;
    let seconds = length.as_nanos() / 1_000_000_000;
    if seconds >= YEAR {
        format!("{} years", seconds / YEAR)
    } else if seconds >= 2 * 24 * 3600 {
        format!("{} days", seconds / (24 * 3600))
    } else if seconds >= 2 * 3600 {
        format!("{} hours", seconds / 3600)
    } else {
        length.to_string()
    }
}

/// The time in which about [`MOST_JOBS`] jobs are released, rounded to something readable.
fn affordable(set: &TaskSet) -> Duration {
    let gaps = set.tasks.iter().filter_map(|task| task.arrival.period());
    // Jobs in 10^15 ns; at most 65,535 tasks with 10^15 jobs each.
    let rate: u128 = gaps
        .map(|gap| 1_000_000_000_000_000 / u128::from(gap.as_nanos().max(1)))
        .sum();
    let ns = u128::from(MOST_JOBS) * 1_000_000_000_000_000 / rate.max(1);
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
            horizon(&set, 1),
            Horizon {
                until: Duration::from_micros(12),
                note: None
            }
        );
        set.tasks[0].phase = Duration::from_nanos(5);
        assert_eq!(horizon(&set, 2).until, Duration::from_nanos(24_005));
    }

    #[test]
    fn a_long_one_is_cut_and_said() {
        let primes = [1_000_003, 1_000_033, 1_000_037, 1_000_039];
        let horizon = horizon(&set(&primes), 1);
        let jobs: u64 = primes
            .iter()
            .map(|period| horizon.until.as_nanos() / period)
            .sum();
        assert!((MOST_JOBS * 8 / 10..=MOST_JOBS).contains(&jobs), "{jobs}");
        assert!(
            horizon
                .note
                .is_some_and(|note| note.contains("longer than 584 years"))
        );
    }

    #[test]
    fn everything_has_a_horizon() {
        for tasks in [
            set(&[]),
            set(&[u64::MAX - 1]),
            set(&[1]),
            set(&[u64::MAX, 3]),
        ] {
            assert!(!horizon(&tasks, 2).until.is_zero());
        }
    }
}
