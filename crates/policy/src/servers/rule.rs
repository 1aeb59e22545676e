//! What a rule of servers decides.

use super::account::{Account, Reservation};
use crate::policy::Ready;
use flyball_trace::{Duration, Time};

/// When budgets are replenished, and what happens until then.
///
/// A rule sees one server at a time. Three methods decide: what a server has when a task comes to
/// it, when its budget is used up, and when the instant has come that it waited for. All others
/// have a default, which costs nothing.
///
/// ```text
///              arrives                    exhausted
///   no task ------------> has a budget <------------> throttled
///           <------------                 replenish
///              emptied
/// ```
pub trait Rule {
    /// What the rule keeps of each server beside its account; `()`: nothing.
    type State: Copy + Default;

    /// Whether what a server may use depends on the others: then the CPU is decided anew at each
    /// arrival, and a server without tasks may still count ([`Rule::emptied`]).
    const RECLAIMS: bool = false;

    /// Whether the rule wants to know what jobs say of themselves ([`Rule::ended`]).
    const RESULTS: bool = false;

    /// Whether budgets are enforced: otherwise a server runs for as long as it likes, and it has no
    /// budget that could be told ([`Policy::budget`](crate::Policy::budget)).
    const ENFORCES: bool = true;

    /// The order among servers, the least first. Only the methods that decide, [`Rule::goes_on`] and
    /// [`Rule::reserve`] may change it.
    #[inline]
    fn key(&self, account: &Account<Self::State>) -> Time {
        account.deadline
    }

    /// The server has this reservation from now on; before its first one, and after its last, it
    /// has that of the default, which is nothing.
    fn reserve(&mut self, account: &mut Account<Self::State>, reservation: Reservation) {
        account.reservation = reservation;
    }

    // ---- what decides --------------------------------------------------------------------------

    /// A task comes to a server that has none.
    fn arrives(&mut self, account: &mut Account<Self::State>, arrival: Arrival) -> Supply;

    /// The budget is used up, and there are tasks.
    fn exhausted(&mut self, account: &mut Account<Self::State>, now: Time) -> Supply;

    /// What the server has now: what is left of the budget, or what follows when it is used up.
    #[inline]
    fn supply(&mut self, account: &mut Account<Self::State>, now: Time) -> Supply {
        if account.is_exhausted() {
            return self.exhausted(account, now);
        }
        Supply::Available
    }

    /// `due`, the instant up to which the server had no budget, has come, and it still has tasks.
    /// The kernel may be late: `now`.
    fn replenish(&mut self, account: &mut Account<Self::State>, _due: Time, now: Time) -> Supply {
        account.replenish(now);
        Supply::Available
    }

    /// A task has left, and another one of the server is next. Returns whether the key has changed.
    fn goes_on(&mut self, _account: &mut Account<Self::State>, _now: Time) -> bool {
        false
    }

    // ---- the use of CPU time -------------------------------------------------------------------

    /// The server is about to execute a task. Returns after how much CPU time at the latest its
    /// budget has to be looked at; `None`: never.
    #[inline]
    fn burst(&mut self, account: &Account<Self::State>) -> Option<Duration> {
        Some(account.budget())
    }

    /// The server has used CPU time since [`Rule::burst`].
    #[inline]
    fn charge(&self, account: &mut Account<Self::State>, used: Duration, _now: Time) {
        account.used += used;
    }

    /// A task offers the CPU to others. By default that is about the tasks of its server alone.
    fn yields(&mut self, _account: &mut Account<Self::State>) {}

    /// A job of the server is done, and says this of itself
    /// ([`Policy::ended`](crate::Policy::ended)). Its task leaves next.
    fn ended(&mut self, _account: &mut Account<Self::State>, _result: u8) {}

    // ---- servers without work ------------------------------------------------------------------

    /// The last task has left. Returns an instant at which something happens to the server if no
    /// task comes before, [`Rule::lapses`]. (Only with [`Rule::RECLAIMS`].)
    fn emptied(&mut self, _account: &mut Account<Self::State>, _now: Time) -> Option<Time> {
        None
    }

    /// The instant of [`Rule::emptied`] has come.
    fn lapses(&mut self, _account: &mut Account<Self::State>) {}

    /// The CPU has nothing to do, and the first server that waits for a budget has one at `first`.
    /// Returns whether servers have them earlier: [`Rule::ahead`] has grown. (Only with
    /// [`Rule::RECLAIMS`].)
    fn idles(&mut self, _first: Time, _now: Time) -> bool {
        false
    }

    /// How much earlier than they were told servers have their next budgets. It never falls.
    #[inline]
    fn ahead(&self) -> Duration {
        Duration::ZERO
    }
}

/// The arrival of a task at a server that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The instant: that of the release, where the clock knows it, otherwise the present one.
    pub at: Time,
    /// Since when the server has had no task.
    pub idle_since: Time,
    /// Whether it is a new job, and not one that goes on after a wait.
    pub is_release: bool,
}

impl Arrival {
    /// A task comes for this reason at `now`, to a server that has had none since `idle_since`.
    #[inline]
    pub(super) fn of(why: Ready, idle_since: Time, now: Time) -> Arrival {
        let at = match why {
            // The clock said so, and the kernel has needed some time for it.
            Ready::Released { release } if release >= idle_since => release.min(now),
            Ready::Released { .. } | Ready::Unblocked => now,
        };
        Arrival {
            at,
            idle_since,
            is_release: why != Ready::Unblocked,
        }
    }
}

/// Whether a server has a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Supply {
    /// It has one, up to its deadline.
    Available,
    /// It has none up to this instant: the server is *throttled*.
    Throttled(Time),
}
