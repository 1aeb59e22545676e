//! How long messages take on a path through several queues.
//!
//! An event says how many messages a queue holds, and not which. Messages leave a queue in the order in which they
//! came, so on a path whose stages do the same with each message it is enough to count: with stages that receive one
//! message and send one, the n-th message that leaves the last queue is the n-th that entered the first one.

use super::Spread;
use crate::{Event, Kind, Time};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// What a stage does again and again: it receives messages of one queue, and then sends some to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// How many messages it receives; not zero.
    pub receives: u64,
    /// How many it sends then; not zero.
    pub sends: u64,
}

/// Queues with one stage between each two, which takes all messages out of one and alone puts messages into the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueuePath {
    /// The numbers of the queues, in the order of the path.
    pub queues: Vec<u16>,
    /// What the stages do that are between them; one less than there are queues.
    pub stages: Vec<Unit>,
}

/// How long messages took on a path.
#[derive(Clone, Debug)]
pub struct PathSummary {
    /// The numbers of the queues, in the order of the path.
    pub queues: Vec<u16>,
    /// From the instant when a message entered the first queue until it left the last one. What stages made of
    /// several messages counts from the first of these.
    pub latency: Spread,
}

/// A path, while events come. It keeps one instant for each unit of the first stage that is under way, as many at most
/// as the queues of the path and the stages between them hold.
pub(super) struct PathState {
    path: QueuePath,
    /// How many messages the first and the last queue hold.
    levels: [u16; 2],
    /// How many messages have entered the first queue.
    entered: u64,
    /// How many have left the last one.
    gone: u64,
    /// When the first message of each unit of the first stage entered, from the unit `begun` on.
    inside: VecDeque<Time>,
    begun: u64,
    /// A message has left that cannot have entered, so the stages are not as the path says.
    is_wrong: bool,
    latency: Spread,
}

impl PathState {
    pub(super) fn new(path: QueuePath) -> PathState {
        PathState {
            path,
            levels: [0; 2],
            entered: 0,
            gone: 0,
            inside: VecDeque::new(),
            begun: 0,
            is_wrong: false,
            latency: Spread::default(),
        }
    }

    pub(super) fn record(&mut self, event: &Event) {
        if let Kind::Fill { queue, level } = event.kind {
            self.fill(queue, level, event.time);
        }
    }

    /// A queue holds so many messages from now on. O(stages) for each message that leaves the last queue.
    fn fill(&mut self, queue: u16, level: u16, now: Time) {
        if self.path.queues.first() == Some(&queue) {
            let before = std::mem::replace(&mut self.levels[0], level);
            for _ in before..level {
                self.enter(now);
            }
        }
        if self.path.queues.last() == Some(&queue) {
            let before = std::mem::replace(&mut self.levels[1], level);
            for _ in level..before {
                self.leave(now);
            }
        }
    }

    fn enter(&mut self, now: Time) {
        let receives = self.path.stages.first().map_or(1, |unit| unit.receives);
        if self.entered.is_multiple_of(receives.max(1)) {
            self.inside.push_back(now);
        }
        self.entered += 1;
    }

    fn leave(&mut self, now: Time) {
        let number = self.gone;
        self.gone += 1;
        // Backwards: of each stage the unit that sent the message, and the first message that it received.
        let back =
            |number: u64, unit: &Unit| (number / unit.sends.max(1)).saturating_mul(unit.receives);
        let first = match &self.path.stages[..] {
            [] => number,
            [first, others @ ..] => others.iter().rev().fold(number, back) / first.sends.max(1),
        };
        while self.begun < first && self.inside.pop_front().is_some() {
            self.begun += 1;
        }
        match self.inside.front() {
            Some(&entered) if self.begun == first => self.latency.add(now.since(entered)),
            _ => self.is_wrong = true,
        }
    }

    /// What was measured; nothing if the stages are not as the path says.
    pub(super) fn finish(self) -> PathSummary {
        PathSummary {
            queues: self.path.queues,
            latency: if self.is_wrong {
                Spread::default()
            } else {
                self.latency
            },
        }
    }
}
