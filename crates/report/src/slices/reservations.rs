//! Follows what tasks are entitled to.

use super::{ReservationLane, ReservationPart};
use flyball_trace::{Duration, Kind, Time};

/// What is known of the reservation of one task.
#[derive(Clone, Default)]
pub(super) struct ReservationState {
    /// The share, the period, and since when; `None`: that is not known yet.
    now: Option<(u32, Duration, Time)>,
    lane: ReservationLane,
}

impl ReservationState {
    pub(super) fn take(&mut self, time: Time, kind: Kind, end: Time) {
        match kind {
            Kind::Reserve { share, period, .. } => {
                self.pass(time, end);
                self.now = Some((share, period, time));
            }
            Kind::Quality { .. } => self.lane.reductions.push(time),
            _ => {}
        }
    }

    /// The reservation has been the same up to `now`.
    fn pass(&mut self, now: Time, end: Time) {
        let Some((share, period, since)) = self.now else {
            return;
        };
        let last = self.lane.parts.last();
        let start = last.map_or(since, |last| since.max(last.end));
        let end = now.min(end);
        if start < end {
            self.lane.parts.push(ReservationPart {
                start,
                end,
                share,
                period,
            });
        }
    }

    /// The reservation stays to the end.
    pub(super) fn finish(mut self, end: Time) -> ReservationLane {
        self.pass(end, end);
        self.lane
    }
}
