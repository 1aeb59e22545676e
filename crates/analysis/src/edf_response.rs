//! Exact response times under earliest deadline first: any deadlines and release jitter.
//!
//! Look at a job of task i that arrives a − J_i after the start of a busy interval and is released
//! as late as it may be, at a; its absolute deadline is d = a + D'_i with D' = D − J. Jobs with
//! later deadlines do not matter to it, so a busy interval is one of jobs with deadlines up to d.
//! The job completes at the least L(a) = L with
//!
//! ```text
//! L = b(d) + (⌊a / T_i⌋ + 1) C_i
//!   + Σ min(⌈(L + J_j) / T_j⌉, ⌊(d − D'_j) / T_j⌋ + 1) C_j   over j ≠ i with D'_j ≤ d
//! ```
//!
//! (released before L, and with a deadline up to d), when every other task releases a job at 0
//! with full jitter and the rest as early as it can. Its response time is L − a + J_i, and C_i +
//! J_i at least. The worst is found at an a where one of the counts grows: k T_j + D'_j − D'_i for
//! any task j, i itself included, below the length of the longest busy interval. All this is
//! Spuri's.
//!
//! *The walk through these candidates is not.* Like QPA, it goes downwards and leaps: L falls with
//! a, so after one a, an earlier a' can only be worse than the worst so far, R, if a' < L(a) − R.
//! Any t that is not below the right side at L = t will do for L(a) in that, so no fixed point is
//! sought unless the right side at a + R is above a + R. And R is close to the final one from the
//! start if a = 0, when all come at once, is looked at first. Of the 5000 candidates that each task
//! of a random set of 100 has, this leaves some 50.
//!
//! # Ties, and what *exact* means
//! Among jobs with equal deadlines, the one looked at is the last. So the result is the exact
//! worst case if ties go either way. Where equal deadlines are served first in, first out, it is
//! never too short, and too long by at most 1 ns: let the job arrive 1 ns later, and all that
//! was tied has an earlier deadline. With blocking, it is an upper bound.
//!
//! If U = 1 and there is jitter, the longest busy interval does not end, but all repeats with the
//! hyperperiod. If U > 1, every task's response times grow without bound.
//!
//! Source: Spuri, *Analysis of deadline scheduled real-time systems*, INRIA report 2772, 1996, and
//! (jitter) *Holistic analysis for deadline scheduled real-time distributed systems*, report 2873.
//! Complexity: pseudo-polynomial; at most the number of candidates, times the steps to each fixed
//! point, times n, for each task. A random set of 100 takes some 30 ms; 1000 take 10 s, which is
//! beyond the default limit.

use crate::busy::{busy_period, hyperperiod};
use crate::work::Meter;
use crate::{Response, SporadicTask, Stop, Supply, WorkLimit, edf_demand};
use core::cmp::Ordering;
use flyball_trace::Duration;

/// Every task's worst-case response time under EDF, in the order of `tasks`, even where it is
/// beyond the deadline. The limit holds for all tasks together.
pub fn response_times(tasks: &[SporadicTask], limit: WorkLimit) -> Vec<Response> {
    response_times_on(Supply::CPU, tasks, limit)
}

/// The same inside of a server that gives `supply` at least: L is the time in which it gives as much as
/// the right side above ([`supply`](crate::supply)). Not exact, but never too short;
/// [`Response::Unbounded`] if the tasks ask for more than the server gives in the long run.
pub fn response_times_on(
    supply: Supply,
    tasks: &[SporadicTask],
    limit: WorkLimit,
) -> Vec<Response> {
    let load = supply.compare(&supply.load_of(tasks), tasks);
    if load == Ordering::Greater {
        return vec![Response::Unbounded; tasks.len()];
    }
    let mut meter = limit.meter();
    let horizon = horizon(supply, tasks, load, &mut meter);
    (0..tasks.len())
        .map(|this| {
            let task = &tasks[this];
            let mut worst = task.c();
            let end = horizon.and_then(|horizon| {
                let mut scene = Scene {
                    supply,
                    tasks,
                    this,
                    ahead: Vec::with_capacity(tasks.len()),
                };
                scene.search(horizon, &mut worst, &mut meter)?;
                worst.checked_add(task.j()).ok_or(Stop::TimeRange)
            });
            match end {
                Ok(response) => Response::Bounded(Duration::from_nanos(response)),
                Err(why) => Response::Stopped {
                    at_least: Duration::from_nanos(worst) + task.jitter(),
                    why,
                },
            }
        })
        .collect()
}

/// The worst case of every task is found at some a below this: the length of the longest interval
/// without idle time. If that never ends, the hyperperiod H, as L(a + H) ≤ L(a) + H for U = 1.
fn horizon(
    supply: Supply,
    tasks: &[SporadicTask],
    load: Ordering,
    meter: &mut Meter,
) -> Result<u64, Stop> {
    let backlog = !supply.is_whole() || tasks.iter().any(|task| task.j() > 0);
    if load == Ordering::Equal && backlog {
        hyperperiod(supply, tasks).ok_or(Stop::TimeRange)
    } else {
        busy_period(supply, tasks, u64::MAX, meter)
    }
}

/// One task among all.
struct Scene<'a> {
    supply: Supply,
    tasks: &'a [SporadicTask],
    this: usize,
    /// For the a at hand: the other tasks that have jobs with deadlines up to d.
    ahead: Vec<Ahead>,
}

/// The jobs of another task with deadlines up to d.
struct Ahead {
    task: SporadicTask,
    /// How many there are.
    most: u64,
    /// When the last of them is released, plus the task's jitter: (most − 1) T.
    last: u64,
}

impl Scene<'_> {
    fn task(&self) -> &SporadicTask {
        &self.tasks[self.this]
    }

    /// Raises `worst` (without the task's own jitter) to the largest L(a) − a.
    fn search(&mut self, horizon: u64, worst: &mut u64, meter: &mut Meter) -> Result<(), Stop> {
        self.walk(1, false, worst, meter)?; // a = 0
        self.walk(horizon, false, worst, meter)?;
        if self.tasks.iter().any(|task| task.b() > 0) {
            // At the longest deadline b(d) falls to 0, but L only falls with a below that.
            let longest = self.tasks.iter().map(SporadicTask::d).max();
            self.walk(self.reaching(longest.unwrap_or(0)), true, worst, meter)?;
        }
        Ok(())
    }

    /// The first a with a d that is not before `d`.
    fn reaching(&self, d: u64) -> u64 {
        let later = d.saturating_add(self.task().j());
        later.saturating_sub(self.task().d())
    }

    /// The search among all a < `below`, with or without blocking.
    fn walk(
        &mut self,
        mut below: u64,
        blocked: bool,
        worst: &mut u64,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        while let Some(last) = below.checked_sub(1) {
            meter.spend(self.tasks.len())?;
            let (a, own) = self.look_before(last)?;
            let blocking = if blocked { self.blocking(a)? } else { 0 };
            let base = own.checked_add(blocking).ok_or(Stop::TimeRange)?;
            let known = a.checked_add(*worst).ok_or(Stop::TimeRange)?;
            // All of them together may not be worse already; this needs no division.
            let mut end = self.supply.time_for(self.all(base)).unwrap_or(u64::MAX);
            if end > known {
                meter.spend(self.tasks.len())?;
                end = self.supply.time_for(self.work(base, known)?)?;
            }
            if end > known {
                // Perhaps worse than all before. From a + C on, so that an interval which ended
                // before is not taken for this one; the job completes there, if not later.
                end = self.settle(base, a + self.task().c(), meter)?;
                *worst = (*worst).max(end - a);
            }
            below = a.min(end.saturating_sub(*worst));
        }
        Ok(())
    }

    /// d − D'_j for a = `a`, if it is not negative.
    fn beyond(&self, a: u64, other: &SporadicTask) -> Result<Option<u64>, Stop> {
        let plus = a.checked_add(self.task().d());
        let plus = plus.and_then(|sum| sum.checked_add(other.j()));
        let minus = other.d().checked_add(self.task().j());
        match (plus, minus) {
            (Some(plus), Some(minus)) => Ok(plus.checked_sub(minus)),
            _ => Err(Stop::TimeRange),
        }
    }

    /// Finds the last a ≤ `last` at which a count grows. Notes the jobs with deadlines up to d for
    /// this a (and for `last`, as nothing grows between), and returns a and the task's own work.
    fn look_before(&mut self, last: u64) -> Result<(u64, u64), Stop> {
        self.ahead.clear();
        let mut a = 0;
        for (index, &other) in self.tasks.iter().enumerate() {
            let Some(beyond) = self.beyond(last, &other)? else {
                continue;
            };
            let since = beyond % other.t();
            a = a.max(last.saturating_sub(since));
            if index != self.this {
                self.ahead.push(Ahead {
                    task: other,
                    most: beyond / other.t() + 1,
                    last: beyond - since,
                });
            }
        }
        let own = (a / self.task().t() + 1).checked_mul(self.task().c());
        Ok((a, own.ok_or(Stop::TimeRange)?))
    }

    /// b(d) for a = `a`.
    fn blocking(&self, a: u64) -> Result<u64, Stop> {
        let deadline = a.checked_add(self.task().d()).ok_or(Stop::TimeRange)?;
        Ok(match deadline.checked_sub(self.task().j()) {
            Some(d) => edf_demand::blocking(self.tasks, Duration::from_nanos(d)).as_nanos(),
            // The deadline was over before the release: not worth an exact answer.
            None => self.tasks.iter().map(SporadicTask::b).max().unwrap_or(0),
        })
    }

    /// What the right side of the equation above is at most.
    fn all(&self, base: u64) -> u64 {
        let work = |ahead: &Ahead| ahead.most.saturating_mul(ahead.task.c());
        self.ahead.iter().map(work).fold(base, u64::saturating_add)
    }

    /// The right side of the equation above, for L = `t`.
    fn work(&self, base: u64, t: u64) -> Result<u64, Stop> {
        let sum = self.ahead.iter().try_fold(base, |sum, ahead| {
            let end = t.checked_add(ahead.task.j())?;
            let jobs = if end > ahead.last {
                ahead.most
            } else {
                end.div_ceil(ahead.task.t())
            };
            sum.checked_add(jobs.checked_mul(ahead.task.c())?)
        });
        sum.ok_or(Stop::TimeRange)
    }

    /// The least t ≥ `from` with t ≥ work(t).
    fn settle(&self, base: u64, from: u64, meter: &mut Meter) -> Result<u64, Stop> {
        let mut t = from;
        loop {
            meter.spend(self.ahead.len())?;
            let next = self.supply.time_for(self.work(base, t)?)?;
            if next <= t {
                return Ok(t);
            }
            t = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(d)).unwrap()
    }

    fn bounds(tasks: &[SporadicTask]) -> Vec<u64> {
        response_times(tasks, WorkLimit::default())
            .into_iter()
            .map(|response| response.bound().unwrap().as_nanos())
            .collect()
    }

    #[test]
    fn worst_case_away_from_the_common_release() {
        // By hand. The first: released with the other at 0, it is done at 2. But its job of 4 has
        // the later deadline, 8 after 7, and waits for the other until 5: done at 7.
        // The other: released with the first at 0, it is done at 5. Released at 1, its deadline is
        // 8 as well, so both jobs of the first may go before it: done at 7.
        let tasks = [task(2, 4, 4), task(3, 7, 7)];
        assert_eq!(bounds(&tasks), [3, 6]);
    }

    #[test]
    fn jitter_counts_from_the_arrival() {
        let ns = Duration::from_nanos;
        let alone = task(2, 9, 9).with_jitter(ns(3)).unwrap();
        assert_eq!(bounds(&[alone]), [5]);
        // Two jobs released together after a jitter of a whole period: 2 + 2 + 4 − 4.
        let burst = task(2, 4, 9).with_jitter(ns(4)).unwrap();
        assert_eq!(bounds(&[burst]), [6]);
    }

    #[test]
    fn overload_and_limits_are_said() {
        let over = [task(2, 3, 3), task(2, 4, 4)];
        let responses = response_times(&over, WorkLimit::default());
        assert_eq!(responses, [Response::Unbounded; 2]);
        let tasks = [task(2, 4, 4), task(3, 7, 7)];
        for response in response_times(&tasks, WorkLimit::steps(4)) {
            assert!(matches!(
                response,
                Response::Stopped {
                    why: Stop::WorkLimit,
                    ..
                }
            ));
        }
    }
}
