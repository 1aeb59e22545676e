//! First come, first served in a server: how long a job takes at most, whatever other servers do.
//!
//! A constant bandwidth server has the budget Q by its deadline D after an arrival at which both are
//! renewed, and again by the end of each period T after that, as long as the servers of its CPU ask for
//! no more than there is: Σ Q / D ≤ 1. (It is enough to look at D ≤ T.) So work w that is there from the
//! renewal on is done after
//!
//! ```text
//! t(w) = D + ⌊(w − 1) / Q⌋ T − (Q − 1 − (w − 1) mod Q)
//! ```
//!
//! at the latest, where each budget comes as late as it may. Let jobs arrive from the renewal on. The
//! job that arrives a later is done when all that came before it is, and it: all in all
//!
//! ```text
//! w(a) = Σ (⌊(a + J) / T⌋ + 1) C
//! ```
//!
//! at most, so its response time is at most t(w(a)) − a, the worst of which is where a job can arrive. If
//! t(w(a)) is not after the next arrival, budget and deadline are renewed there, and everything begins
//! anew: what is left of the budget is then at least as much as there is time up to the deadline, or the
//! deadline is over.
//!
//! This also holds for a soft server, which takes later budgets early where the CPU would idle: its
//! deadline is later then, but what it has done already counts. It holds where every task's jobs are done
//! before the next one, as a task is in the order of service once. A CPU is a server whose budget is the
//! period.
//!
//! Source: derived here from the rule of the constant bandwidth server (Abeni and Buttazzo, RTSS 1998);
//! t is the supply of the explicit deadline periodic resource (Easwaran, Anand and Lee, RTSS 2007)
//! without its first blackout. Complexity: pseudo-polynomial, n for each arrival in the longest interval
//! in which the server falls behind.

use crate::utilisation::Load;
use crate::work::Meter;
use crate::{Answer, Response, SporadicTask, Stop, WorkLimit};
use core::cmp::Ordering;
use flyball_trace::Duration;

/// A budget of CPU time in every period, that is there by the deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    budget: u64,
    period: u64,
    deadline: u64,
}

impl Reservation {
    /// A budget of at most the deadline, and that of at most the period; `None` if one of them is
    /// zero, without end, or longer than that.
    pub fn new(budget: Duration, period: Duration, deadline: Duration) -> Option<Reservation> {
        SporadicTask::new(budget, period, deadline).ok()?;
        if budget > deadline || deadline > period {
            return None;
        }
        let [budget, period, deadline] = [budget, period, deadline].map(Duration::as_nanos);
        Some(Reservation {
            budget,
            period,
            deadline,
        })
    }

    /// When so much work is done at the latest, if it is there when budget and deadline are renewed;
    /// `None`: beyond the times that there are.
    fn time_for(&self, work: u64) -> Option<u64> {
        let before = work.saturating_sub(1);
        let (whole, rest) = (before / self.budget, before % self.budget);
        let last = self.deadline - (self.budget - 1 - rest);
        whole.checked_mul(self.period)?.checked_add(last)
    }

    /// What others may use of the CPU meanwhile, as a task.
    fn others(&self) -> Option<SporadicTask> {
        let left = Duration::from_nanos(self.period - self.budget);
        let period = Duration::from_nanos(self.period);
        SporadicTask::new(left, period, period).ok()
    }
}

/// Each task's longest response time in the server, in the order of `tasks`. If one is longer than
/// the task's period, none of them is known. Blocking is not counted.
pub fn response_times(
    tasks: &[SporadicTask],
    server: &Reservation,
    limit: WorkLimit,
) -> Vec<Response> {
    let all: Vec<_> = tasks.iter().copied().chain(server.others()).collect();
    if Load::of(&all).cmp_one(&all) == Ordering::Greater {
        return vec![Response::Unbounded; tasks.len()];
    }
    let mut worst = 0;
    let end = search(tasks, server, &mut worst, &mut limit.meter());
    let worst = Duration::from_nanos(worst);
    let response = |task: &SporadicTask| match end {
        Ok(()) => Response::Bounded(worst + task.jitter()),
        Err(why) => Response::Stopped {
            at_least: worst,
            why,
        },
    };
    tasks.iter().map(response).collect()
}

/// Whether all jobs are in time in the server, and done before the next ones of their tasks.
pub fn holds(tasks: &[SporadicTask], server: &Reservation, limit: WorkLimit) -> Answer {
    let responses = response_times(tasks, server, limit);
    let is_within = |(task, response): (&SporadicTask, Response)| {
        response.is_within(task.deadline().min(task.period()))
    };
    let within: Vec<_> = tasks.iter().zip(responses).map(is_within).collect();
    if within.contains(&Some(false)) {
        Answer::Rejects
    } else if within.contains(&None) {
        Answer::Stopped(Stop::WorkLimit)
    } else {
        Answer::Accepts
    }
}

/// The smallest budget in each `period`, to be had by its end, with which [`holds`] accepts; `None` if
/// it does not even with the whole CPU. A larger budget is never worse: each is there earlier. With each
/// of some 60 steps of the search the limit begins anew, and where it is reached the budget is taken for
/// too small.
pub fn smallest_budget(
    tasks: &[SporadicTask],
    period: Duration,
    limit: WorkLimit,
) -> Option<Duration> {
    let is_enough = |budget: u64| {
        let budget = Duration::from_nanos(budget);
        Reservation::new(budget, period, period)
            .is_some_and(|server| holds(tasks, &server, limit) == Answer::Accepts)
    };
    least(1, period.as_nanos(), is_enough).map(Duration::from_nanos)
}

/// The longest period in which a server with this budget may have it, by the end of the period, so that
/// [`holds`] accepts; `None` if there is none. A shorter period is never worse. As for the work, see
/// [`smallest_budget`].
pub fn longest_period(
    tasks: &[SporadicTask],
    budget: Duration,
    limit: WorkLimit,
) -> Option<Duration> {
    let budget = budget.as_nanos();
    // The first budget is there this long before its deadline, if it is not used up.
    let longest = tasks.iter().map(SporadicTask::d).max()?.checked_add(budget)?;
    let shortest = budget.max(1);
    // The first period that is too long, counted from the other end.
    let is_enough = |less: u64| {
        let [budget, period] = [budget, longest - less].map(Duration::from_nanos);
        Reservation::new(budget, period, period)
            .is_some_and(|server| holds(tasks, &server, limit) == Answer::Accepts)
    };
    let less = least(0, longest.checked_sub(shortest)?, is_enough)?;
    Some(Duration::from_nanos(longest - less))
}

/// The least number from `from` to `to` that is enough, if all that are larger are, too.
fn least(from: u64, to: u64, is_enough: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (from, to);
    if !is_enough(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

/// Raises `worst` to the longest time from a job's release to its end.
fn search(
    tasks: &[SporadicTask],
    server: &Reservation,
    worst: &mut u64,
    meter: &mut Meter,
) -> Result<(), Stop> {
    let mut at = 0_u64;
    while !tasks.is_empty() {
        meter.spend(tasks.len())?;
        let mut work = Some(0_u64);
        let mut next = u64::MAX;
        for task in tasks {
            let jobs = at.checked_add(task.j()).ok_or(Stop::TimeRange)? / task.t() + 1;
            let more = jobs.checked_mul(task.c());
            work = work
                .zip(more)
                .and_then(|(work, more)| work.checked_add(more));
            next = next.min(jobs.saturating_mul(task.t()) - task.j());
        }
        let end = work.and_then(|work| server.time_for(work));
        let end = end.ok_or(Stop::TimeRange)?;
        *worst = (*worst).max(end - at);
        if end <= next {
            break;
        }
        at = next;
    }
    Ok(())
}
