//! Servers that wait for an instant: for a budget, or for the end of what they count without work.

use super::{Rule, Servers};
use crate::policy::{ONLY_CPU, Policy, Resched};
use crate::queue::Queue;
use crate::servers::shared;
use crate::storage::Storage;
use flyball_trace::{TaskId, Time};

impl<R: Rule, B: Policy, S: Storage> Servers<R, B, S> {
    /// Puts a server, which is in no queue, among those that wait for an instant.
    #[inline(never)]
    pub(super) fn wait(&mut self, number: TaskId, until: Time) {
        let key = until + self.rule.ahead();
        shared::insert(&mut self.throttled, number, key);
    }

    /// The first instant that a server waits for.
    pub(super) fn first_due(&self) -> Option<Time> {
        Some(self.throttled.first_key()? - self.rule.ahead())
    }

    /// Serves the servers whose instants have come.
    pub(super) fn serve_due(&mut self, now: Time) -> Resched {
        let mut resched = Resched::None;
        while let Some(number) = self.throttled.first()
            && let Some(due) = self.first_due()
            && due <= now
        {
            self.throttled.take(number);
            let server = &mut self.rows[number.index()];
            if R::RECLAIMS && server.tasks.is_empty() {
                self.rule.lapses(&mut server.account);
                if server.members == 0 {
                    self.release(number);
                }
                resched = Resched::One(ONLY_CPU);
                continue;
            }
            let supply = self.rule.replenish(&mut server.account, due, now);
            resched = resched.and(self.requeue(number, supply));
        }
        resched
    }

    /// The CPU has nothing to do. Returns whether a server can use that.
    pub(super) fn reclaim_idle(&mut self, now: Time) -> bool {
        let Some(first) = self.first_due() else {
            return false;
        };
        if !self.rule.idles(first, now) {
            return false;
        }
        // The caller picks anyway.
        let _ = self.serve_due(now);
        true
    }
}
