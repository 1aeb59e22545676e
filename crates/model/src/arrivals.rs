//! When jobs arrive that no clock of the kernel's releases, and when the kernel hears of it.

use crate::random::Random;
use crate::taskset::{Arrival, Jitter, Length, Task, TaskSet};
use flyball_trace::{Duration, Time};

/// The arrivals of a sporadic task, or of one whose jobs are released with jitter: an endless
/// iterator. A simulation and a board with the same seed have the same ones.
#[derive(Clone, Debug)]
pub struct Arrivals {
    gap: Length,
    jitter: Duration,
    /// Jobs are released as late as they may be until then, and at once from then on; `None`: at
    /// random.
    late_until: Option<Time>,
    random: Random,
    next: JobArrival,
}

/// A job arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobArrival {
    /// When; its deadline counts from then.
    pub arrival: Time,
    /// When the kernel hears of it, which is no earlier, and not before it hears of the job before
    /// this one.
    pub release: Time,
}

/// How late jobs of a set are released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lateness {
    jitter: Jitter,
    /// The first instant at which jobs of all tasks can be released as late as they may be.
    together: Time,
}

impl Lateness {
    /// That of the jobs of `set`. O(tasks).
    pub fn of(set: &TaskSet) -> Lateness {
        Lateness {
            jitter: set.platform.jitter,
            together: Time::ZERO + set.latest_first_release(),
        }
    }
}

impl Arrivals {
    /// Those of `task`, the `number`-th of its set, of which the first comes at `start`; `None`: the
    /// kernel's clock releases its jobs, or another job does.
    pub fn of(
        task: &Task,
        number: usize,
        start: Time,
        lateness: Lateness,
        seed: u64,
    ) -> Option<Arrivals> {
        let Lateness { jitter, together } = lateness;
        let late_until = (jitter == Jitter::Worst).then_some(together);
        let (gap, arrival) = match &task.arrival {
            Arrival::Sporadic { gap, .. } => {
                // It may come at any time.
                let latest = together - task.jitter;
                (gap.clone(), late_until.map_or(start, |_| start.max(latest)))
            }
            Arrival::Periodic { period } if !task.jitter.is_zero() => {
                (Length::Fixed(*period), start)
            }
            Arrival::Periodic { .. } | Arrival::Event { .. } | Arrival::Once => return None,
        };
        let mut arrivals = Arrivals {
            gap,
            jitter: task.jitter,
            late_until,
            // A stream besides the one that the task's computations are drawn from.
            random: Random::new(!seed, number as u64),
            next: JobArrival {
                arrival,
                release: Time::ZERO,
            },
        };
        arrivals.delay();
        Some(arrivals)
    }

    /// The job that arrives next.
    pub fn peek(&self) -> JobArrival {
        self.next
    }

    /// Sets the release of the job that arrives next.
    fn delay(&mut self) {
        let arrival = self.next.arrival;
        let latest = arrival + self.jitter;
        let release = match self.late_until {
            Some(until) => arrival.max(latest.min(until)),
            None if self.jitter.is_zero() => arrival,
            None => arrival + self.random.uniform(Duration::ZERO, self.jitter),
        };
        self.next.release = self.next.release.max(release);
    }
}

impl Iterator for Arrivals {
    type Item = JobArrival;

    fn next(&mut self) -> Option<JobArrival> {
        let next = self.next;
        self.next.arrival += self.random.draw(&self.gap, next.arrival);
        self.delay();
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// The first releases of a task with this jitter, and the arrivals.
    fn releases(task: &Task, jitter: Jitter, together: Duration) -> Vec<(u64, u64)> {
        let together = Time::ZERO + together;
        let start = Time::ZERO + task.phase;
        let arrivals = Arrivals::of(task, 2, start, Lateness { jitter, together }, 1).unwrap();
        let us = |time: Time| time.since(Time::ZERO).as_nanos() / 1000;
        let in_us = |it: JobArrival| (us(it.arrival), us(it.release));
        arrivals.take(5).map(in_us).collect()
    }

    #[test]
    fn the_worst_is_all_together_and_then_at_once() {
        let mut task = Task::periodic("a", us(10), us(1));
        task.jitter = us(4);
        let expected = [(0, 4), (10, 10), (20, 20), (30, 30), (40, 40)];
        assert_eq!(releases(&task, Jitter::Worst, us(4)), expected);
        // One with more jitter is there at 25 only: until then this one is late, too.
        let expected = [(0, 4), (10, 14), (20, 24), (30, 30), (40, 40)];
        assert_eq!(releases(&task, Jitter::Worst, us(25)), expected);
        let expected = [(0, 4), (10, 14), (20, 22), (30, 30), (40, 40)];
        assert_eq!(releases(&task, Jitter::Worst, us(22)), expected);
        // More than a period: several jobs come at once.
        task.jitter = us(25);
        let expected = [(0, 25), (10, 25), (20, 25), (30, 30), (40, 40)];
        assert_eq!(releases(&task, Jitter::Worst, us(25)), expected);
        // A sporadic job comes just in time for its jitter.
        let (separation, gap) = (us(10), Length::Fixed(us(12)));
        task.arrival = Arrival::Sporadic { separation, gap };
        task.jitter = us(3);
        let expected = [(22, 25), (34, 34), (46, 46), (58, 58), (70, 70)];
        assert_eq!(releases(&task, Jitter::Worst, us(25)), expected);
    }

    #[test]
    fn random_jitter_is_within_bounds_and_keeps_the_order() {
        let mut task = Task::periodic("a", us(10), us(1));
        let lateness = Lateness::of(&TaskSet::default());
        assert!(Arrivals::of(&task, 0, Time::ZERO, lateness, 0).is_none());
        for jitter in [4, 35] {
            task.jitter = us(jitter);
            let found = releases(&task, Jitter::Random, us(jitter));
            assert!(found.is_sorted_by(|a, b| a.1 <= b.1 && a.0 + 10 == b.0));
            let mut delays = found.iter().map(|(arrival, release)| release - arrival);
            assert!(delays.all(|delay| delay <= jitter), "{found:?}");
            assert!(found.iter().any(|(arrival, release)| arrival < release));
        }
    }
}
