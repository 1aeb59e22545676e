//! What a rule of servers decides.

use super::account::Account;
use flyball_trace::Time;

/// When budgets are replenished, and what happens until then.
///
/// A rule sees one server at a time and nothing else. The CPU time that is used is taken off by the
/// policy.
pub trait Rule {
    /// A task comes to a server that has none.
    fn arrives(&self, account: &mut Account, now: Time) -> Supply;

    /// The budget is used up, and there are tasks.
    fn exhausted(&self, account: &mut Account, now: Time) -> Supply;

    /// The instant has come until which the server had no budget. It has one afterwards.
    fn replenish(&self, account: &mut Account, now: Time) {
        account.replenish(now);
    }

    /// A task offers the CPU to others. By default that is about the tasks of its server alone.
    fn yields(&self, _account: &mut Account) {}
}

/// Whether a server has a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// It has one, up to its deadline.
    Available,
    /// It has none up to this instant: the server is *throttled*.
    Throttled(Time),
}
