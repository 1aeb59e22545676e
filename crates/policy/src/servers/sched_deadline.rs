//! Linux's `SCHED_DEADLINE`: a hard constant bandwidth server for each task.
//!
//! Promises: a task gets its run time in every period while it has work, by its deadline.
//! Does not promise: CPU time that others leave over (Linux reclaims it where a task asks for that,
//! which is GRUB).
//! Source: Linux, `Documentation/scheduler/sched-deadline.rst` and `kernel/sched/deadline.c`, which
//! compares with budget ÷ deadline where the text says period. Where the deadline is before the end
//! of the period, a task that wakes early has what is left up to the deadline at the density of its
//! reservation (the revised wake-up rule: Abeni, Lipari and Lelli, *Constant bandwidth server
//! revisited*, SIGBED Review 11(4), 2015), and one that wakes between deadline and end of the period
//! waits for that end.

use super::account::Account;
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::Time;

/// Linux's rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchedDeadline;

impl SchedDeadline {
    /// [`Rule::arrives`], whatever else is kept of a server.
    pub(super) fn wake<S>(account: &mut Account<S>, now: Time) -> Supply {
        let is_constrained = account.reservation.deadline < account.reservation.period;
        if account.is_new() {
            account.renew(now);
        } else if is_constrained && account.deadline < now && now < account.period_end() {
            account.use_up();
        } else if is_constrained && now <= account.deadline {
            account.thin(now);
        } else if account.deadline < now || account.is_dense(now) {
            account.renew(now);
        }
        if account.is_exhausted() {
            return SchedDeadline::throttle(account, now);
        }
        Supply::Available
    }

    /// [`Rule::exhausted`], whatever else is kept of a server.
    pub(super) fn throttle<S>(account: &mut Account<S>, now: Time) -> Supply {
        let next = account.period_end();
        if now < next {
            return Supply::Throttled(next);
        }
        account.replenish(now);
        Supply::Available
    }
}

impl Rule for SchedDeadline {
    type State = ();

    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        SchedDeadline::wake(account, arrival.at)
    }

    fn exhausted(&mut self, account: &mut Account, now: Time) -> Supply {
        SchedDeadline::throttle(account, now)
    }

    /// As `sched_yield` does: nothing is left of the run time of this period.
    fn yields(&mut self, account: &mut Account) {
        account.use_up();
    }
}
