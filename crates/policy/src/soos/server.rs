//! What SOOS knows of a task and its server.

use crate::servers::Reservation;
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
    /// The last reactivation.
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
        last: Time::ZERO,
        next: Time::ZERO,
        due: Time::NEVER,
        result: 0,
    };

    pub(super) fn deadline(&self) -> Time {
        self.last + self.reservation.deadline
    }

    pub(super) fn budget(&self) -> Duration {
        self.reservation.budget.saturating_sub(self.used)
    }

    /// Whether what is left of the budget is more than its share of the time up to the deadline.
    pub(super) fn is_dense(&self, now: Time) -> bool {
        let time = self.deadline().since(now);
        self.reservation.is_exceeded_by(self.budget(), time)
    }

    /// A whole budget, but for what has been used too much.
    pub(super) fn reactivate(&mut self, at: Time) {
        self.used = self.used.saturating_sub(self.reservation.budget);
        self.last = at;
    }

    pub(super) fn next_period(&self) -> Time {
        self.last + self.reservation.period
    }
}
