//! The constant bandwidth server (Abeni and Buttazzo, RTSS 1998), soft and hard.
//!
//! Promises: a server gets its budget in every period while its tasks have work, and all others are
//! served as if it never asked for more than budget ÷ deadline of the CPU.
//! Does not promise: that a soft server gets no more. It competes for the rest of the CPU with
//! deadlines further and further away. A hard one gets its budget and nothing else.
//! Source: Buttazzo, *Hard real-time computing systems*, section 6.9; the test of a deadline that is
//! shorter than the period is derived here, as Linux has it.

use super::account::{Account, Mode, Reservation};
use super::rule::{Arrival, Rule, Supply};
use flyball_trace::Time;

/// The rule of constant bandwidth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConstantBandwidth {
    /// Whether a server whose budget is used up waits for its deadline, if its reservation does not say.
    pub is_hard: bool,
}

impl ConstantBandwidth {
    /// A budget that is used up is replenished at once, and its deadline is a period later.
    pub const SOFT: ConstantBandwidth = ConstantBandwidth { is_hard: false };
    /// A budget that is used up is replenished at its deadline.
    pub const HARD: ConstantBandwidth = ConstantBandwidth { is_hard: true };

    /// Whether a server waits for its deadline when its budget is used up.
    pub(crate) fn is_hard_for(self, reservation: &Reservation) -> bool {
        match reservation.mode {
            Mode::OfRule => self.is_hard,
            mode => mode == Mode::Hard,
        }
    }
}

/// What arrives finds a new budget, if the present one has no deadline to come or would be too much
/// for the time up to it. Returns whether anything is left of the budget then.
#[inline]
pub(super) fn wake<S>(account: &mut Account<S>, now: Time) -> bool {
    if account.is_new() || now >= account.deadline {
        account.renew(now);
    } else if account.is_exhausted() {
        return false;
    } else if account.is_dense(now) {
        account.renew(now);
    }
    true
}

/// [`Rule::exhausted`] of a server that is hard or soft, whatever else is kept of it.
pub(super) fn postpone<S>(account: &mut Account<S>, now: Time, is_hard: bool) -> Supply {
    if is_hard && now < account.deadline {
        return Supply::Throttled(account.deadline);
    }
    account.replenish(now);
    Supply::Available
}

impl Rule for ConstantBandwidth {
    type State = ();

    fn arrives(&mut self, account: &mut Account, arrival: Arrival) -> Supply {
        if wake(account, arrival.at) {
            return Supply::Available;
        }
        self.exhausted(account, arrival.at)
    }

    fn exhausted(&mut self, account: &mut Account, now: Time) -> Supply {
        let is_hard = self.is_hard_for(&account.reservation);
        postpone(account, now, is_hard)
    }
}
