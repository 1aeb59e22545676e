//! The kernel's work as a part of tasks: overheads are charged to execution times, and then any
//! test applies.
//!
//! | accounting | a job is charged |
//! |---|---|
//! | [`per_job`] | twice a scheduling decision and a context switch, once a tick with a release, a cache-related delay, an interrupt of another CPU |
//! | [`interrupts`] | the same, and whatever ticks and releases of all tasks can take from it meanwhile |
//!
//! The first is that of Gracioli, Fröhlich, Pellizzoni and Fischmeister, "Implementation and
//! evaluation of global and partitioned scheduling in a real-time OS", Real-Time Systems 49, 2013,
//! section 3.1, which cites Liu, *Real-Time Systems*, 2000: a job begins and ends, so it costs two
//! decisions and two switches; it is released once; and it preempts one other job at most, whose
//! loss of cache affinity is booked on it. Whether an interrupt of another CPU is added under
//! global scheduling the paper does not say; the caller decides by [`Costs::ipi`].
//!
//! The second is that of Brandenburg, *Scheduling and locking in multiprocessor real-time operating
//! systems*, dissertation, 2011, chapter 3, for policies that order jobs (with job-level fixed
//! priorities) where each CPU serves interrupts of all tasks that it may run. Per unit of time,
//! ticks and releases take
//!
//! ```text
//! u = tick / Q + Σ release / T_i
//! ```
//!
//! of each CPU, and at any instant up to
//!
//! ```text
//! c = (tick + ev · tick / Q + n · release + ev · Σ release / T_i) / (1 − u)
//! ```
//!
//! can be pending at once, where *ev* is the latency until an event is seen and Q the tick's
//! period. So
//!
//! ```text
//! C' = (C + 2 (scheduling + switch) + cache) / (1 − u) + 2 c + ipi,   T' = T − ev,   D' = D − ev
//! ```
//!
//! Under partitioned scheduling it applies to the tasks of each CPU by itself.
//!
//! Everything is rounded to the safe side, by less than three nanoseconds in all: a test of the
//! result may reject a set that holds by a hair, and never accepts one that does not.
//!
//! Complexity: O(n).

use crate::{SporadicTask, fractions};
use core::fmt;
use flyball_trace::Duration;

/// What the kernel's work costs, with as many tasks as there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    /// A periodic timer interrupt that releases nothing.
    pub tick: Duration,
    /// From one tick to the next; `None`: there are none, and [`Costs::tick`] is a part of a
    /// release.
    pub quantum: Option<Duration>,
    /// To release one job.
    pub release: Duration,
    /// To decide which job runs.
    pub scheduling: Duration,
    /// To switch from one task to another.
    pub context_switch: Duration,
    /// From one CPU's interrupt of another one to its handler; zero where CPUs are scheduled apart.
    pub ipi: Duration,
    /// What a job that was preempted or moved computes longer, to fill the cache again.
    pub cache: Duration,
    /// From an event to the handler of its interrupt, where interrupts may be off meanwhile.
    pub event_latency: Duration,
}

/// Why tasks cannot pay for the kernel's work. Each is a proof that no test accepts them with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpayable {
    /// Ticks and releases alone take all of a CPU.
    NothingLeft,
    /// No unit of time is left of the period or of the deadline of this task, by its position.
    NoTime {
        /// The task.
        task: usize,
    },
    /// With its part of the work a job of this task computes for longer than it has, and than can
    /// be counted.
    TooLong {
        /// The task.
        task: usize,
    },
}

impl fmt::Display for Unpayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpayable::NothingLeft => f.write_str("ticks and releases take all of a CPU"),
            Unpayable::NoTime { task } => write!(f, "nothing is left of the time of task {task}"),
            Unpayable::TooLong { task } => write!(f, "task {task} computes longer than it may"),
        }
    }
}

impl core::error::Error for Unpayable {}

/// Returns the tasks with what the kernel's work for one job costs added to each execution time.
/// O(n).
///
/// # Errors
/// [`Unpayable::TooLong`].
pub fn per_job(tasks: &[SporadicTask], costs: &Costs) -> Result<Vec<SporadicTask>, Unpayable> {
    let twice =
        u128::from(costs.scheduling.as_nanos()) + u128::from(costs.context_switch.as_nanos());
    let once = [costs.tick, costs.release, costs.cache, costs.ipi];
    let once: u128 = once.iter().map(|cost| u128::from(cost.as_nanos())).sum();
    let charge = 2 * twice + once;
    let inflate = |(task, known): (usize, &SporadicTask)| {
        let wcet = u64::try_from(u128::from(known.c()) + charge).ok();
        let inflated = wcet.and_then(|wcet| known.with_wcet(Duration::from_nanos(wcet)).ok());
        inflated.ok_or(Unpayable::TooLong { task })
    };
    tasks.iter().enumerate().map(inflate).collect()
}

/// One in the fixed point of this module: 2⁶⁴ parts.
const ONE: u128 = 1 << 64;

/// Returns the tasks that are to hold if those are to hold, and each CPU serves the interrupts of
/// all of them. O(n).
///
/// # Errors
/// [`Unpayable`].
pub fn interrupts(tasks: &[SporadicTask], costs: &Costs) -> Result<Vec<SporadicTask>, Unpayable> {
    let wide = |time: Duration| u128::from(time.as_nanos());
    let [tick, release, late] = [costs.tick, costs.release, costs.event_latency].map(wide);
    // A tick without a period comes with each release instead.
    let (ticks, release) = match costs.quantum {
        Some(quantum) => (part(tick, quantum), release),
        None => (Some(0), release + tick),
    };
    let tick = if costs.quantum.is_some() { tick } else { 0 };
    let taken = tasks.iter().try_fold(ticks, |sum, task| {
        Some(sum?.checked_add(part(release, task.period())?))
    });
    // What overflows is far above one.
    let taken = taken.flatten().filter(|&taken| taken < ONE);
    let taken = taken.ok_or(Unpayable::NothingLeft)?;
    let rest = ONE - taken;
    // A release costs less than a period, and there are fewer than 2⁶⁰ tasks; `late` and `taken`
    // are below 2⁶⁴. The work of
    // `late` is at most that and a nanosecond, as parts are rounded up.
    let pending = tick + tasks.len() as u128 * release + (late * taken).div_ceil(ONE);
    let own = 2 * (wide(costs.scheduling) + wide(costs.context_switch)) + wide(costs.cache);
    // How long work takes if only `rest` parts of the CPU are left.
    let stretched = |work| fractions::scaled(work, ONE, rest);
    let twice_pending = stretched(pending).and_then(|pending| pending.checked_mul(2));
    let longer = |task: &SporadicTask| {
        let wcet = stretched(u128::from(task.c()) + own)?.checked_add(twice_pending?)?;
        let wcet = wcet.checked_add(wide(costs.ipi))?;
        task.with_wcet(Duration::from_nanos(u64::try_from(wcet).ok()?))
            .ok()
    };
    let inflate = |(task, known): (usize, &SporadicTask)| {
        let longer = longer(known).ok_or(Unpayable::TooLong { task })?;
        // Nothing left is zero, which is no period and no deadline.
        let [period, deadline] =
            [known.period(), known.deadline()].map(|time| time.saturating_sub(costs.event_latency));
        let inflated = longer.with_times(period, deadline);
        inflated.map_err(|_| Unpayable::NoTime { task })
    };
    tasks.iter().enumerate().map(inflate).collect()
}

/// A cost per period in parts of one, rounded up; `None` if it is 2⁶⁴ or more, or if the period is
/// zero.
fn part(cost: u128, period: Duration) -> Option<u128> {
    let period = u128::from(period.as_nanos());
    (period > 0)
        .then(|| cost.checked_mul(ONE))?
        .map(|cost| cost.div_ceil(period))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn us(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        SporadicTask::new(us(c), us(t), us(d)).unwrap()
    }

    fn costs() -> Costs {
        Costs {
            tick: us(2),
            quantum: Some(us(1_000)),
            release: us(3),
            scheduling: us(5),
            context_switch: us(7),
            ipi: us(11),
            cache: us(13),
            event_latency: us(0),
        }
    }

    /// 2 · (5 + 7) + 2 + 3 + 13 + 11 = 53.
    #[test]
    fn a_job_is_charged_a_sum() {
        let inflated = per_job(&[task(100, 1_000, 900), task(1, 10, 10)], &costs()).unwrap();
        assert_eq!(inflated, [task(153, 1_000, 900), task(54, 10, 10)]);
        let endless = Costs {
            cache: Duration::from_nanos(u64::MAX - 1),
            ..costs()
        };
        let too_long = Err(Unpayable::TooLong { task: 0 });
        assert_eq!(per_job(&[task(1, 10, 10)], &endless), too_long);
        assert_eq!(interrupts(&[task(1, 10, 10)], &endless), too_long);
    }

    /// By hand. Ticks take 2 in 1000; two tasks of 1000 and 500 take 3/1000 + 3/500 for releases:
    /// u = 0.011, 1 − u = 0.989. Pending at once: (2 + 2 · 3) / 0.989 = 8.08897… µs. A job of 100
    /// becomes (100 + 24 + 13) / 0.989 + 2 · 8.08897… + 11 = 138.5237… + 16.1779… + 11 = 165.70172…
    #[test]
    fn interrupts_are_charged_to_all() {
        let set = [task(100, 1_000, 900), task(100, 500, 500)];
        let inflated = interrupts(&set, &costs()).unwrap();
        for (task, inflated) in set.iter().zip(&inflated) {
            let wcet = inflated.wcet().as_nanos();
            assert!((165_702..=165_705).contains(&wcet), "{wcet}");
            assert_eq!(
                (inflated.period(), inflated.deadline()),
                (task.period(), task.deadline())
            );
        }
        // Events that are seen 10 µs late: 8 + 10 · 0.011 = 8.11 are pending, that is 8.2002 µs.
        let late = Costs {
            event_latency: us(10),
            ..costs()
        };
        let inflated = interrupts(&set, &late).unwrap();
        let wcet = inflated[0].wcet().as_nanos();
        assert!((165_925..=165_928).contains(&wcet), "{wcet}");
        assert_eq!(
            (inflated[0].period(), inflated[0].deadline()),
            (us(990), us(890))
        );
    }

    /// Without ticks a release costs what a tick and a release cost: 5/1000 of the CPU, 5 µs
    /// pending, and (100 + 37) / 0.995 + 10 / 0.995 + 11 = 158.7386…
    #[test]
    fn without_a_tick_each_release_is_an_interrupt() {
        let tickless = Costs {
            quantum: None,
            ..costs()
        };
        let inflated = interrupts(&[task(100, 1_000, 1_000)], &tickless).unwrap();
        let wcet = inflated[0].wcet().as_nanos();
        assert!((158_739..=158_742).contains(&wcet), "{wcet}");
    }

    #[test]
    fn nothing_is_left() {
        let pay = |period, costs| interrupts(&[task(1, period, period)], &costs).unwrap_err();
        // Each period of 3 µs has a release of 3 µs.
        assert_eq!(pay(3, costs()), Unpayable::NothingLeft);
        let late = Costs {
            event_latency: us(10),
            ..costs()
        };
        assert_eq!(pay(10, late), Unpayable::NoTime { task: 0 });
        for quantum in [0, 2] {
            let ticking = Costs {
                quantum: Some(us(quantum)),
                ..costs()
            };
            assert_eq!(pay(10, ticking), Unpayable::NothingLeft);
        }
    }

    /// Of a period of 584 years, a release that costs 1 ns less leaves 1 ns: no job fits, and it is
    /// said that it is the job that is too long, not that nothing is left.
    #[test]
    fn what_is_out_of_range_is_said() {
        let ns = Duration::from_nanos;
        let longest = u64::MAX - 1;
        let task = SporadicTask::new(ns(1), ns(longest), ns(longest)).unwrap();
        let costs = Costs {
            release: ns(longest - 1),
            ..Costs::default()
        };
        let too_long = Err(Unpayable::TooLong { task: 0 });
        assert_eq!(interrupts(&[task], &costs), too_long);
        let dearer = Costs {
            release: ns(longest),
            ..costs
        };
        assert_eq!(per_job(&[task, task], &dearer), too_long);
        assert_eq!(interrupts(&[task], &Costs::default()), Ok(vec![task]));
    }

    proptest! {
        /// What costs nothing changes nothing; interrupts cost more than a sum without them; and
        /// more work of the kernel never makes a job shorter.
        #[test]
        fn charges_grow(
            set in prop::collection::vec((1_u64..1_000, 2_000_u64..50_000), 1..20),
            prices in prop::array::uniform7(0_u64..20),
        ) {
            let set: Vec<_> = set.into_iter().map(|(c, t)| task(c, t, t)).collect();
            prop_assert_eq!(per_job(&set, &Costs::default()).unwrap(), set.clone());
            prop_assert_eq!(interrupts(&set, &Costs::default()).unwrap(), set.clone());
            let [tick, release, scheduling, context_switch, ipi, cache, more] = prices.map(us);
            let costs = Costs {
                tick, release, scheduling, context_switch, ipi, cache, ..Costs::default()
            };
            let sum = per_job(&set, &costs).unwrap();
            let ticking = Costs { quantum: Some(us(1_000)), ..costs };
            let all = interrupts(&set, &ticking).unwrap();
            let dearer = interrupts(&set, &Costs { release: release + more, ..ticking }).unwrap();
            for ((sum, all), dearer) in sum.iter().zip(&all).zip(&dearer) {
                prop_assert!(sum.wcet() <= all.wcet());
                prop_assert!(all.wcet() <= dearer.wcet());
            }
        }
    }
}
