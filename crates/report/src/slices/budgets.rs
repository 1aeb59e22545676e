//! Follows the budgets of servers through a trace.
//!
//! A trace tells what a server has left when its task stops, and each time that it has a budget again.
//! A task that runs is stopped before anything else happens to its server. So where less is left than
//! before, the server has run up to then, for as long as that takes.

use super::{BudgetPart, ServerLane};
use flyball_trace::{Duration, Event, Kind, Time};

/// What is known of one server.
#[derive(Clone, Default)]
pub(super) struct ServerState {
    /// What was left at `since`; `None`: it is not known yet.
    left: Option<Duration>,
    since: Time,
    /// When it was last replenished.
    replenished: Option<Time>,
    /// What it has had of others since then.
    reclaimed: Duration,
    lane: ServerLane,
}

impl ServerState {
    pub(super) fn take(&mut self, event: &Event, end: Time) {
        match event.kind {
            Kind::Replenish { .. } => self.replenished = Some(event.time),
            Kind::Reclaim { length, .. } => self.reclaimed = length,
            Kind::Budget { left, .. } => self.become_now(left, event.time, end),
            Kind::Exhaust { .. } => self.become_now(Duration::ZERO, event.time, end),
            _ => {}
        }
    }

    /// From `now` on so much is left.
    fn become_now(&mut self, left: Duration, now: Time, end: Time) {
        let reclaimed = std::mem::take(&mut self.reclaimed);
        let is_new = self.replenished.take() == Some(now);
        if let Some(before) = self.left {
            // What it has used, it has used just now.
            let used = match before.saturating_sub(left) {
                charged if charged.is_zero() || is_new => Duration::ZERO,
                charged => charged + reclaimed,
            };
            let until = (now - used).max(self.since);
            self.part(before, before, until, end);
            self.part(before, left, now, end);
        }
        self.left = Some(left);
        self.since = self.since.max(now);
    }

    /// What was left up to `until`, at the beginning and at the end.
    fn part(&mut self, from: Duration, to: Duration, until: Time, end: Time) {
        let (start, until) = (self.since, until.min(end));
        if start >= until {
            return;
        }
        self.since = until;
        match self.lane.parts.last_mut() {
            Some(last) if last.end == start && [last.from, last.to, to] == [from; 3] => {
                last.end = until;
            }
            _ => self.lane.parts.push(BudgetPart {
                start,
                end: until,
                from,
                to,
            }),
        }
    }

    /// What is left stays to the end.
    pub(super) fn finish(mut self, end: Time) -> ServerLane {
        if let Some(left) = self.left {
            self.part(left, left, end, end);
        }
        self.lane
    }
}
