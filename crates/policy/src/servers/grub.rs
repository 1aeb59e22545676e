//! Greedy reclamation of unused bandwidth (Lipari and Baruah, ECRTS 2000), and as Linux has it.
//!
//! Promises: what a constant bandwidth server promises, as long as all budgets ÷ deadlines are at
//! most one CPU; and that the bandwidth of servers without work goes to those that have some, which
//! are charged less than the time they use.
//! Does not promise: to whom it goes. As published the server that executes has all of it, and goes
//! on with later deadlines; Linux's is throttled, and leaves a part of the CPU to others.
//! Source: that paper, and Linux, `sched-deadline.rst`, section 2.3.
//! Reconstructed: the paper's virtual time V is here the *0-lag time*, at which a server at its own
//! bandwidth would have used what it has used: V = deadline − rest of the budget ÷ bandwidth.
//!
//! ```text
//!              arrives                    the last task leaves
//!   inactive ----------> active, contending <----------> active, non-contending
//!       ^                                     arrives              |
//!       +-------------------------- 0-lag time --------------------+
//! ```
//!
//! A bandwidth is budget ÷ deadline, in parts of 2⁻²⁰ of a CPU as in Linux, rounded up, and so is
//! what is charged: a server never has too much. A rest of its budget of less than a nanosecond is
//! lost.

use super::account::{Account, Reservation};
use super::constant_bandwidth::{postpone, wake};
use super::rule::{Arrival, Rule, Supply};
use super::sched_deadline::SchedDeadline;
use flyball_trace::{Duration, Time};

/// A CPU, or a nanosecond, in parts.
const ONE: u64 = 1 << 20;

/// The rule of reclaiming.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grub {
    /// Linux's: how much of the CPU servers may use together. `None`: as published.
    limit: Option<u64>,
    /// The bandwidth of all servers that are active.
    active: u64,
    /// The bandwidth of all servers.
    admitted: u64,
    /// What is charged for each nanosecond to the server that executes.
    rate: u64,
}

/// What is kept of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reclaiming {
    /// Its bandwidth.
    bandwidth: u32,
    /// What it has used of a nanosecond.
    fraction: u32,
    is_active: bool,
}

impl Reclaiming {
    /// The nanosecond of which it has used a part.
    fn begun(&self) -> Duration {
        Duration::from_nanos(u64::from(self.fraction > 0))
    }
}

impl Grub {
    /// As published.
    pub fn published() -> Grub {
        Grub::default()
    }

    /// As in Linux, where servers use no more than so many millionths of the CPU together: more
    /// than zero, and at most a million. (Linux has 950,000 if nothing else is said.)
    pub fn linux(millionths: u32) -> Grub {
        let limit = u64::from(millionths) * ONE / 1_000_000;
        Grub {
            limit: Some(limit.clamp(1, ONE)),
            ..Grub::default()
        }
    }

    /// What is charged to a server for each nanosecond: at most one.
    fn rate(&self, own: u64) -> u64 {
        let rate = match self.limit {
            None => self.active,
            Some(limit) => {
                let inactive = self.admitted - self.active;
                let extra = limit.saturating_sub(self.admitted);
                let left = limit.saturating_sub(inactive).saturating_sub(extra);
                (own.max(left) * ONE).div_ceil(limit)
            }
        };
        rate.clamp(1, ONE)
    }

    fn activate(&mut self, state: &mut Reclaiming) {
        self.active += u64::from(state.bandwidth);
        state.is_active = true;
    }

    fn deactivate(&mut self, state: &mut Reclaiming) {
        self.active -= u64::from(state.bandwidth);
        state.is_active = false;
    }
}

impl Account<Reclaiming> {
    /// The server has used the whole of the nanosecond that it has used a part of.
    fn round_up(&mut self) {
        self.used += self.state.begun();
        self.state.fraction = 0;
    }
}

/// Budget ÷ deadline.
fn bandwidth(reservation: &Reservation) -> u32 {
    let [budget, deadline] = [reservation.budget, reservation.deadline].map(Duration::as_nanos);
    let parts = (u128::from(budget) * u128::from(ONE)).div_ceil(u128::from(deadline.max(1)));
    // A budget is at most the deadline.
    u32::try_from(parts).unwrap_or(u32::MAX)
}

impl Rule for Grub {
    type State = Reclaiming;

    const RECLAIMS: bool = true;

    fn reserve(&mut self, account: &mut Account<Reclaiming>, reservation: Reservation) {
        let state = &mut account.state;
        let (old, new) = (state.bandwidth, bandwidth(&reservation));
        let changed = |sum: u64| sum - u64::from(old) + u64::from(new);
        self.admitted = changed(self.admitted);
        if state.is_active {
            self.active = changed(self.active);
        }
        state.bandwidth = new;
        account.reservation = reservation;
    }

    fn arrives(&mut self, account: &mut Account<Reclaiming>, arrival: Arrival) -> Supply {
        let was_active = account.state.is_active;
        if !was_active {
            self.activate(&mut account.state);
        }
        if self.limit.is_some() {
            return SchedDeadline::wake(account, arrival.at);
        }
        if !was_active {
            account.renew(arrival.at);
        }
        wake(account, arrival.at);
        self.supply(account, arrival.at)
    }

    /// Up to where less than a nanosecond is left of the budget, which is at least one before.
    fn burst(&mut self, account: &Account<Reclaiming>) -> Option<Duration> {
        let state = &account.state;
        self.rate = self.rate(state.bandwidth.into());
        let left = account.budget().as_nanos().saturating_mul(ONE);
        let more = left.saturating_sub(u64::from(state.fraction) + ONE);
        Some(Duration::from_nanos(more / self.rate + 1))
    }

    fn charge(&self, account: &mut Account<Reclaiming>, used: Duration, _: Time) {
        let charged = used.as_nanos().saturating_mul(self.rate);
        let charged = charged.saturating_add(u64::from(account.state.fraction));
        account.used += Duration::from_nanos(charged / ONE);
        // The remainder is less than `ONE`.
        account.state.fraction = u32::try_from(charged % ONE).unwrap_or(0);
        if account.used + account.state.begun() >= account.reservation.budget {
            account.round_up();
        }
    }

    fn exhausted(&mut self, account: &mut Account<Reclaiming>, now: Time) -> Supply {
        match self.limit {
            None => postpone(account, now, false),
            Some(_) => SchedDeadline::throttle(account, now),
        }
    }

    /// As in Linux's alone: nothing is left of the run time of this period.
    fn yields(&mut self, account: &mut Account<Reclaiming>) {
        if self.limit.is_some() {
            account.use_up();
        }
    }

    /// The server counts up to its 0-lag time.
    fn emptied(&mut self, account: &mut Account<Reclaiming>, now: Time) -> Option<Time> {
        account.round_up();
        let zero_lag = account.zero_lag();
        if zero_lag > now {
            return Some(zero_lag);
        }
        self.deactivate(&mut account.state);
        None
    }

    fn lapses(&mut self, account: &mut Account<Reclaiming>) {
        self.deactivate(&mut account.state);
    }
}
