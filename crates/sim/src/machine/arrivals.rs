//! When jobs arrive that no clock of the kernel's releases, and when the kernel hears of it.

use flyball_model::random::Random;
use flyball_model::{Arrival, Jitter, Length, Task};
use flyball_policy::{Duration, Time};

/// The arrivals of a sporadic task, or of one whose jobs are released with jitter.
#[derive(Clone)]
pub(super) struct Arrivals {
    gap: Length,
    jitter: Duration,
    /// Jobs are released as late as they may be until then, and at once from then on; `None`: at
    /// random.
    late_until: Option<Time>,
    random: Random,
    /// When the next job arrives; its deadline counts from then.
    pub(super) arrival: Time,
    /// When the kernel hears of it.
    pub(super) release: Time,
}

impl Arrivals {
    /// Those of `task`, of which the first comes at `start`; `None`: the kernel's clock releases
    /// its jobs. `together` is the first instant at which jobs of all tasks can be released as late
    /// as they may be.
    pub(super) fn of(
        task: &Task,
        jitter: Jitter,
        start: Time,
        together: Duration,
        random: Random,
    ) -> Option<Arrivals> {
        let together = Time::ZERO + together;
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
            random,
            arrival,
            release: Time::ZERO,
        };
        arrivals.delay();
        Some(arrivals)
    }

    /// Goes on to the job after this one.
    pub(super) fn advance(&mut self) {
        self.arrival += self.random.draw(&self.gap);
        self.delay();
    }

    /// Sets the release of the job that arrives next, which is not before that of the last one.
    fn delay(&mut self) {
        let latest = self.arrival + self.jitter;
        let release = match self.late_until {
            Some(until) => self.arrival.max(latest.min(until)),
            None if self.jitter.is_zero() => self.arrival,
            None => self.arrival + self.random.uniform(Duration::ZERO, self.jitter),
        };
        self.release = self.release.max(release);
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
        let random = Random::new(1, 2);
        let start = Time::ZERO + task.phase;
        let mut arrivals = Arrivals::of(task, jitter, start, together, random).unwrap();
        let mut next = || {
            let us = |time: Time| time.since(Time::ZERO).as_nanos() / 1000;
            let now = (us(arrivals.arrival), us(arrivals.release));
            arrivals.advance();
            now
        };
        (0..5).map(|_| next()).collect()
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
        assert!(
            Arrivals::of(&task, Jitter::Random, Time::ZERO, us(0), Random::new(0, 0)).is_none()
        );
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
