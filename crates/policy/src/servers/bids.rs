//! BIDS: servers that come again later after jobs of little importance.
//!
//! Promises: what a constant bandwidth server promises, soft or hard; and that a server waits for
//! longer, and leaves its bandwidth to others, after a job that has ended with a result above 0.
//! Does not promise: to whom that bandwidth goes, nor that jobs are in time which come before their
//! server does.
//! Source: Ordinez, Donari, Santos and Orozco, *A behavior priority driven approach for resource
//! reservation scheduling*, SAC 2008, and *Resource sharing in behavioral based scheduling*, SAC 2009;
//! BIPS, J.UCS 17(11), 2011. Of all three only summaries were at hand.
//! Reconstructed: all of it. A server that comes at t has its budget up to t + deadline. When a job
//! ends with the result v, the server comes no earlier than its budget's release + P · (1 + α · φ(v)),
//! where φ is the result, up to a most (1 in the first version). With BIPS φ may be negative, so that
//! it comes earlier, but no earlier than a part of P.

use super::account::{Account, Reservation};
use super::constant_bandwidth::{ConstantBandwidth, postpone, wake};
use super::rule::{Arrival, Rule, Supply};
use crate::encode::Encode;
use flyball_trace::{Duration, Time};

/// α of a server, in millionths: by how many periods it comes later for each step of φ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alpha(u32);

impl Alpha {
    /// That of the rule.
    pub const OF_RULE: Alpha = Alpha(u32::MAX);

    /// So many millionths, less than [`u32::MAX`].
    pub const fn of(millionths: u32) -> Alpha {
        Alpha(millionths)
    }

    /// In millionths; `None`: that of the rule.
    pub const fn millionths(self) -> Option<u32> {
        match self {
            Alpha::OF_RULE => None,
            Alpha(own) => Some(own),
        }
    }
}

impl Default for Alpha {
    fn default() -> Alpha {
        Alpha::OF_RULE
    }
}

impl Encode for Alpha {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Alpha> {
        u32::parse(bytes).map(Alpha)
    }
}

/// One, in millionths.
const ONE: u32 = 1_000_000;

impl Default for Bids {
    /// As first published, with hard servers and an α of 1.
    fn default() -> Bids {
        Bids {
            budgets: ConstantBandwidth::HARD,
            alpha: ONE,
            levels: 1,
            least: ONE,
        }
    }
}

/// The rule of BIDS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bids {
    /// What happens when a budget is used up and the job goes on.
    pub budgets: ConstantBandwidth,
    /// α in millionths, of servers that have none of their own: by how many periods a server comes later for each step of φ.
    pub alpha: u32,
    /// φ is at most that. 1: a job is important (0) or not.
    pub levels: u8,
    /// A server comes no earlier than so many millionths of the period after it came before. Less
    /// than a million: results from 128 on are negative numbers, 255 is −1.
    pub least: u32,
}

impl Bids {
    /// φ of a result.
    fn phi(&self, result: u8) -> i64 {
        let levels = i64::from(self.levels);
        if self.least < ONE {
            i64::from(result.cast_signed()).clamp(-levels, levels)
        } else {
            i64::from(result).min(levels)
        }
    }

    /// The rule for this server.
    pub(crate) fn of(self, reservation: &Reservation) -> Bids {
        Bids {
            alpha: reservation.alpha.millionths().unwrap_or(self.alpha),
            ..self
        }
    }

    /// How long after it came a server comes again, rounded up.
    pub(crate) fn separation(&self, period: Duration, result: u8) -> Duration {
        let parts = i64::from(ONE) + i64::from(self.alpha) * self.phi(result);
        let parts = u128::try_from(parts).unwrap_or(0).max(self.least.into());
        let length = (u128::from(period.as_nanos()) * parts).div_ceil(ONE.into());
        u64::try_from(length).map_or(Duration::MAX, Duration::from_nanos)
    }
}

/// When a server comes again whose job has ended; [`Time::ZERO`]: its job has not.
type Next = Time;

impl Rule for Bids {
    type State = Next;

    const RESULTS: bool = true;

    fn ended(&mut self, account: &mut Account<Next>, result: u8) {
        let reservation = &account.reservation;
        let release = account.deadline - reservation.deadline;
        let separation = self.of(reservation).separation(reservation.period, result);
        account.state = release + separation;
    }

    fn arrives(&mut self, account: &mut Account<Next>, arrival: Arrival) -> Supply {
        let next = account.state;
        if next > arrival.at {
            account.use_up();
            return Supply::Throttled(next);
        }
        account.state = Time::ZERO;
        if next != Time::ZERO {
            account.renew(arrival.at);
        }
        wake(account, arrival.at);
        self.supply(account, arrival.at)
    }

    fn exhausted(&mut self, account: &mut Account<Next>, now: Time) -> Supply {
        let is_hard = self.budgets.is_hard_for(&account.reservation);
        postpone(account, now, is_hard)
    }

    fn replenish(&mut self, account: &mut Account<Next>, due: Time, now: Time) -> Supply {
        if account.state == Time::ZERO {
            account.replenish(now);
        } else {
            account.state = Time::ZERO;
            account.renew(due);
        }
        Supply::Available
    }
}
