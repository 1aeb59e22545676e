//! The total bandwidth server (Spuri and Buttazzo, RTSS 1994).
//!
//! Promises: a job that asks for no more than the budget is done by its deadline, which is the
//! reservation's after its arrival or after the deadline before, whichever is later.
//! Does not promise: isolation. Budgets are not enforced, so a job that computes for longer keeps
//! its deadline, and makes jobs of other servers late.
//! Source: Buttazzo, *Hard real-time computing systems*, section 6.4. A job does not say here what
//! it asks for, so each asks for the budget: d = max(r, d before) + C ÷ U is max(r, d before) + the
//! reservation's deadline. For a job that has waited behind another one of its server, the instant
//! of its turn stands for r. That makes no difference while all jobs are in time, and otherwise is
//! safe for the others.

use super::account::Account;
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::{Duration, Time};

/// The rule of total bandwidth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TotalBandwidth;

/// The deadline of a job that has arrived.
fn assign(account: &mut Account, arrival: Time) {
    let from = if account.is_new() {
        arrival
    } else {
        arrival.max(account.deadline)
    };
    account.deadline = from + account.reservation.deadline;
}

impl Rule for TotalBandwidth {
    type State = ();
    const ENFORCES: bool = false;

    /// A job that goes on after a wait keeps its deadline.
    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        if arrival.is_release || account.is_new() {
            assign(account, arrival.at);
        }
        Supply::Available
    }

    fn goes_on(&mut self, account: &mut Account, now: Time) -> bool {
        assign(account, now);
        true
    }

    fn burst(&mut self, _: &Account) -> Option<Duration> {
        None
    }

    fn charge(&self, _: &mut Account, _: Duration, _: Time) {}

    /// It never is, since nothing is charged.
    fn exhausted(&mut self, _: &mut Account, _: Time) -> Supply {
        Supply::Available
    }
}
