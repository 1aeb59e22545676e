//! Follows how many messages queues hold.

use super::{Glitch, Level, QueueLane};
use flyball_trace::{Event, Kind, Time};

/// What is known of one queue.
#[derive(Clone, Default)]
pub(super) struct QueueState {
    /// How many messages it has held since when; `None`: that is not known yet.
    level: Option<(u16, Time)>,
    lane: QueueLane,
}

impl QueueState {
    pub(super) fn take(&mut self, event: &Event, end: Time) {
        let time = event.time;
        match event.kind {
            Kind::Fill { level, .. } => {
                self.pass(time, end);
                self.level = Some((level, time));
            }
            Kind::Overrun { lost, .. } => self.glitch(time, true, lost),
            Kind::Underrun { missing, .. } => self.glitch(time, false, missing),
            _ => {}
        }
    }

    fn glitch(&mut self, time: Time, is_overrun: bool, messages: u16) {
        self.lane.glitches.push(Glitch {
            time,
            is_overrun,
            messages,
        });
    }

    /// The level has been the same up to `now`.
    fn pass(&mut self, now: Time, end: Time) {
        let Some((level, since)) = self.level else {
            return;
        };
        let start = match self.lane.levels.last() {
            Some(last) => since.max(last.end),
            None => since,
        };
        let end = now.min(end);
        if start >= end {
            return;
        }
        match self.lane.levels.last_mut() {
            // It went up and down at one instant.
            Some(last) if last.end == start && last.level == level => last.end = end,
            _ => self.lane.levels.push(Level { start, end, level }),
        }
    }

    /// What the queue holds stays to the end.
    pub(super) fn finish(mut self, end: Time) -> QueueLane {
        self.pass(end, end);
        self.lane
    }
}
