//! Servers by fixed priorities with a budget for each period: polling and deferrable.
//!
//! Promises: a server executes for no more than its budget in each of its periods, which begin with
//! the first arrival; servers with shorter deadlines go first (deadline monotonic).
//! Does not promise: budgets in time, which a test for fixed priorities has to say. A polling server
//! is a periodic task there; a deferrable one is more: it may use two budgets in a row, the end of a
//! period and the begin of the next. A task that comes to a polling server waits for a period.
//! Source: Lehoczky, Sha and Strosnider, RTSS 1987; Strosnider, Lehoczky and Sha, IEEE Transactions
//! on Computers 44(1), 1995; Buttazzo, *Hard real-time computing systems*, sections 5.3 and 5.4.

use super::account::Account;
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::{Duration, Time};

/// The rules of polling and deferrable servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Periodic {
    /// Whether a server without tasks keeps its budget up to the end of the period.
    pub keeps: bool,
}

impl Periodic {
    /// The budget is lost when there is no task.
    pub const POLLING: Periodic = Periodic { keeps: false };
    /// The budget is kept.
    pub const DEFERRABLE: Periodic = Periodic { keeps: true };
}

fn supply(account: &Account) -> Supply {
    if account.is_exhausted() {
        return Supply::Throttled(account.period_end());
    }
    Supply::Available
}

impl Rule for Periodic {
    type State = ();

    fn key(&self, account: &Account) -> Time {
        account.by_deadline()
    }

    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        let now = arrival.at;
        if account.is_new() {
            account.renew(now);
        }
        account.advance(now);
        // At the begin of a period the budget is there, and goes on while tasks follow each other.
        let had_none = now > account.period_start(now) && now > arrival.idle_since;
        if !self.keeps && had_none {
            account.use_up();
        }
        supply(account)
    }

    /// Only what has been used in the present period counts for its budget.
    fn charge(&self, account: &mut Account, used: Duration, now: Time) {
        let late = used.min(now.since(account.period_start(now)));
        account.used += used.saturating_sub(late);
        account.advance(now);
        account.used += late;
    }

    fn exhausted(&mut self, account: &mut Account, _: Time) -> Supply {
        supply(account)
    }

    fn replenish(&mut self, account: &mut Account, _: Time, now: Time) -> Supply {
        account.advance(now);
        supply(account)
    }
}
