//! IRIS, which reclaims idle time (Marzario, Lipari, Balbastre and Crespo, RTAS 2004).
//!
//! Promises: what a hard constant bandwidth server promises; and that the CPU does not idle while a
//! server has work: what is left over goes to all that have used their budgets up, each in
//! proportion to its reservation.
//! Does not promise: that a server gets no more than its budget, nor when it gets more.
//! Reconstructed: the paper's text was not at hand, only its summary. A server that has used its
//! budget up *recharges* until its deadline. If the CPU would idle while servers recharge, all of
//! them recharge earlier, by as much as the first one still had to wait. A server that has
//! recharged has its budget, with a deadline a period later. Tasks in the background are work.

use super::account::Account;
use super::constant_bandwidth::{postpone, wake};
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::{Duration, Time};

/// The rule of IRIS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Iris {
    /// How much earlier servers recharge than their deadlines said, all in all.
    ahead: Duration,
}

impl Rule for Iris {
    type State = ();

    const RECLAIMS: bool = true;

    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        wake(account, arrival.at);
        self.supply(account, arrival.at)
    }

    fn exhausted(&mut self, account: &mut Account, now: Time) -> Supply {
        postpone(account, now, true)
    }

    fn replenish(&mut self, account: &mut Account, due: Time, now: Time) -> Supply {
        account.deadline = due;
        account.replenish(now);
        Supply::Available
    }

    fn idles(&mut self, first: Time, now: Time) -> bool {
        self.ahead += first.since(now);
        true
    }

    fn ahead(&self) -> Duration {
        self.ahead
    }
}
