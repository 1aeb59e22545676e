//! Admission control: how much of the CPUs servers may ask for together.

use super::account::Reservation;
use crate::policy::{Excess, Refused};
use flyball_trace::Duration;

/// A CPU, in parts.
const ONE: u64 = 1 << 20;

/// What servers ask for together, and the most that they may: budget ÷ period of each.
///
/// In parts of 2⁻²⁰ of a CPU, each rounded down, as in Linux (`to_ratio` and `__dl_overflow` of
/// `kernel/sched/deadline.c`). So a sum may be more than the limit by one part for each server. Periods
/// of more than 2⁴⁴ ns, which is 4.9 hours, are counted in whole 2, 4, 8, … ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admission {
    limit: u64,
    asked: u64,
}

impl Admission {
    /// Every server is admitted.
    pub const UNLIMITED: Admission = Admission {
        limit: u64::MAX,
        asked: 0,
    };

    /// Servers may ask for so many millionths of each of these CPUs. (Linux has 950,000 if nothing
    /// else is said.)
    pub fn limited(millionths: u32, cpus: usize) -> Admission {
        let each = u64::from(millionths) * ONE / 1_000_000;
        // There are at most 128 CPUs.
        let cpus = u64::try_from(cpus).unwrap_or(u64::MAX);
        Admission {
            limit: each.saturating_mul(cpus),
            asked: 0,
        }
    }

    /// Whether there is a limit.
    pub(crate) fn is_limited(&self) -> bool {
        self.limit != u64::MAX
    }

    /// What is left: the longest budget in every `period` that is admitted.
    pub fn left(&self, period: Duration) -> Duration {
        let left = self.limit.saturating_sub(self.asked);
        if left >= ONE {
            return period;
        }
        let shift = shift(period);
        // All budgets whose part is rounded down to what is left, or to less.
        let longer = (left + 1) * (period.as_nanos() >> shift);
        let budget = longer.div_ceil(ONE).saturating_sub(1) << shift | ((1 << shift) - 1);
        period.min(Duration::from_nanos(budget))
    }

    /// A server has another reservation: what it had before the first one, and has after the last,
    /// is that of the default.
    ///
    /// # Errors
    /// [`Refused::Overload`] with the excess over the limit; nothing has changed then. A server that
    /// asks for no more than before is not refused.
    #[inline(never)]
    pub fn change(&mut self, old: &Reservation, new: &Reservation) -> Result<(), Refused> {
        if !self.is_limited() {
            // What is asked for is not counted.
            return Ok(());
        }
        let (before, after) = (part(old), part(new));
        let asked = self.asked - before + after;
        if after > before && asked > self.limit {
            let excess = Duration::from_nanos(ONE.saturating_add(asked - self.limit));
            let excess = Excess::of(excess, Duration::from_nanos(ONE));
            return Err(Refused::Overload { excess });
        }
        self.asked = asked;
        Ok(())
    }
}

/// By how many bits times are shifted, so that a part of this period does not overflow.
const fn shift(period: Duration) -> u32 {
    (u64::BITS - period.as_nanos().leading_zeros()).saturating_sub(44)
}

/// Budget ÷ period, at most [`ONE`]; of the default, which is nothing, zero.
#[inline(never)]
fn part(reservation: &Reservation) -> u64 {
    let shift = shift(reservation.period);
    let [budget, period] =
        [reservation.budget, reservation.period].map(|time| time.as_nanos() >> shift);
    budget * ONE / period.max(1)
}
