//! The tasks that are run: random, and such that two CPUs are rarely in the kernel at once.

use super::Kind;
use flyball_model::random::Random;
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;

/// How often something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Load {
    /// A release each 400 µs, and the kernel's timer set to it: with what follows, the kernel is
    /// busy for a hundredth of the time.
    Usual,
    /// A release each 4 ms, and a tick each millisecond: three of four ticks of a CPU that has all
    /// tasks, and more of others, find nothing to do.
    Ticks,
}

impl Load {
    /// From a release of any task to the next one, in the mean.
    const fn gap(self) -> Duration {
        match self {
            Load::Usual => Duration::from_micros(400),
            Load::Ticks => Duration::from_millis(4),
        }
    }
}

/// The part of each CPU that is asked for, at most: high enough that jobs preempt each other and
/// wait.
const UTILISATION: (u64, u64) = (3, 4);

/// Tasks with periods from half to one and a half times the mean, all lengths of which are equally
/// likely, and phases anywhere in the period. All compute the same part of their period. Where CPUs
/// do not share all tasks, they are dealt out in turn.
pub(super) fn set(kind: Kind, cpus: u8, threads: usize, load: Load, seed: u64) -> TaskSet {
    let count = threads as u64;
    let mean = load.gap().as_nanos() * count;
    let ns = Duration::from_nanos;
    let cluster = kind.cluster(cpus).max(1);
    let clusters = u64::from(cpus / cluster).max(1);
    let per_cpu = count.div_ceil(u64::from(cpus).max(1));
    let task = |number: u64| {
        let mut random = Random::new(seed, number);
        let period = random.uniform(ns(mean / 2), ns(mean + mean / 2));
        let wcet = ns(period.as_nanos() * UTILISATION.0 / (UTILISATION.1 * per_cpu));
        let mut task = Task::periodic(format!("t{number}"), period, wcet);
        task.phase = random.uniform(Duration::ZERO, period);
        let first = (number % clusters) * u64::from(cluster);
        // Below the number of CPUs.
        task.cpu = u8::try_from(first).ok().filter(|_| clusters > 1);
        task
    };
    let mut set = TaskSet {
        tasks: (0..count).map(task).collect(),
        ..TaskSet::default()
    };
    set.platform.cpus = cpus;
    if load == Load::Ticks {
        set.platform.tick = Some(Duration::from_millis(1));
    }
    rate_monotonic(&mut set.tasks);
    set
}

/// Levels from 255 down, by rising period; where there are more tasks than levels, they share them
/// evenly.
fn rate_monotonic(tasks: &mut [Task]) {
    let mut by_period: Vec<_> = tasks.iter_mut().collect();
    by_period.sort_by_key(|task| task.arrival.period());
    let count = by_period.len().max(1);
    for (rank, task) in by_period.into_iter().enumerate() {
        // At most 255.
        task.priority = u8::try_from(255 - rank * 255 / count).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overheads::Policy;

    fn kind(policy: Policy, cluster: Option<u8>) -> Kind {
        Kind { policy, cluster }
    }

    #[test]
    fn no_cpu_is_asked_for_too_much() {
        for policy in [Policy::GLOBAL_EDF, Policy::PARTITIONED_EDF] {
            for threads in [1, 5, 125, 1000] {
                let set = set(kind(policy, None), 4, threads, Load::Usual, 0);
                assert_eq!(set.tasks.len(), threads);
                for cpu in 0..4 {
                    let mine = set.tasks.iter().filter(|task| task.cpu == Some(cpu));
                    let parts = mine.map(|task| {
                        let period = task.arrival.period().unwrap();
                        assert!(task.phase <= period);
                        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                        let part = task.wcet.as_nanos() as f64 / period.as_nanos() as f64;
                        part
                    });
                    assert!(parts.sum::<f64>() <= 0.7501);
                }
            }
        }
    }

    #[test]
    fn tasks_are_dealt_out_to_clusters() {
        let cpus = |kind| {
            let set = set(kind, 4, 5, Load::Ticks, 1);
            set.tasks.iter().map(|task| task.cpu).collect::<Vec<_>>()
        };
        assert_eq!(cpus(kind(Policy::GLOBAL_EDF, None)), [None; 5]);
        let two = [0, 2, 0, 2, 0].map(Some);
        assert_eq!(cpus(kind(Policy::GLOBAL_EDF, Some(2))), two);
        let own = [0, 1, 2, 3, 0].map(Some);
        assert_eq!(cpus(kind(Policy::PARTITIONED_EDF, None)), own);
    }

    #[test]
    fn shorter_periods_are_more_urgent() {
        let set = set(kind(Policy::GLOBAL_FP, None), 4, 1000, Load::Usual, 0);
        let mut tasks: Vec<_> = set.tasks.iter().collect();
        tasks.sort_by_key(|task| task.arrival.period());
        assert!(tasks.is_sorted_by_key(|task| std::cmp::Reverse(task.priority)));
        assert_eq!(tasks[0].priority, Some(255));
        assert_eq!(tasks[999].priority, Some(1));
    }
}
