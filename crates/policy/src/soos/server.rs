//! What SOOS knows of a task and its server.

use super::Switches;
use crate::servers::{Bids, Reservation};
use flyball_trace::{Duration, Time};

/// What a task of a given number is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    No,
    /// It has a server, by which name; `None`: its own.
    Server(Option<u16>),
    Background,
}

/// A server, and its task.
#[derive(Clone, Copy)]
pub(super) struct Server {
    pub(super) member: Member,
    pub(super) reservation: Reservation,
    /// How much of the budget has been used since the last reactivation.
    pub(super) used: Duration,
    /// How much of it has been wasted since then, as the task has waited within a slot.
    pub(super) wasted: Duration,
    /// The last reactivation; [`Time::NEVER`]: there has been none.
    pub(super) last: Time,
    /// There is no reactivation before this instant.
    pub(super) next: Time,
    /// When the server comes into the list; [`Time::NEVER`]: it is there, or its task has no work.
    pub(super) due: Time,
    /// Of the job that has just ended.
    pub(super) result: u8,
}

impl Server {
    pub(super) const NONE: Server = Server {
        member: Member::No,
        reservation: Reservation::every(Duration::ZERO, Duration::ZERO),
        used: Duration::ZERO,
        wasted: Duration::ZERO,
        last: Time::NEVER,
        next: Time::ZERO,
        due: Time::NEVER,
        result: 0,
    };

    pub(super) fn deadline(&self) -> Time {
        self.last + self.reservation.deadline
    }

    pub(super) fn budget(&self) -> Duration {
        let budget = self.reservation.budget.saturating_sub(self.used);
        budget.saturating_sub(self.wasted)
    }

    /// Whether the server, due at an instant and seen at this slot, has a budget from then on.
    pub(super) fn begins_anew(&self, switches: &Switches, slot: Time) -> bool {
        self.last.is_never() || self.due >= self.deadline() || self.is_dense(switches, slot)
    }

    /// Whether what the server may still take of the CPU is more than its share of the time from this
    /// slot up to the deadline. Its share is what is guaranteed.
    fn is_dense(&self, switches: &Switches, slot: Time) -> bool {
        let share = Reservation {
            budget: switches.taken(self.reservation.budget),
            deadline: self.reservation.deadline.saturating_sub(switches.slot),
            ..self.reservation
        };
        let left = share.budget.saturating_sub(self.used + self.wasted);
        share.is_exceeded_by(left, self.deadline().since(slot))
    }

    /// A whole budget, but for what has been used too much.
    pub(super) fn reactivate(&mut self, at: Time) {
        self.used = self.used.saturating_sub(self.reservation.budget);
        self.wasted = Duration::ZERO;
        self.last = at;
    }

    pub(super) fn next_period(&self) -> Time {
        self.last + self.reservation.period
    }

    /// A job has said `result` of itself. The next reactivation is as far away as `bids` has it, and
    /// at least a period: that takes divisions.
    #[cold]
    #[inline(never)]
    pub(super) fn separate(&mut self, bids: &Bids, result: u8) {
        let period = self.reservation.period;
        let separation = bids.of(&self.reservation).separation(period, result);
        self.next = self.last + separation.max(period);
    }
}
