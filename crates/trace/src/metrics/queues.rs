//! What events say about message queues.

use super::Spread;
use crate::{Duration, Event, Kind, Object, TaskId, Time};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// What the events said about one queue.
#[derive(Clone, Debug, Default)]
pub struct QueueSummary {
    /// Messages put in.
    pub put: u64,
    /// The most messages that it held.
    pub highest: u16,
    /// How often a source found it without room for all its messages.
    pub overruns: u64,
    /// Messages that sources lost so.
    pub lost: u64,
    /// How often a sink found fewer messages than it takes.
    pub underruns: u64,
    /// Messages that sinks missed so.
    pub missing: u64,
    /// How often a task had to wait for a message or for room.
    pub stalls: u64,
    /// How long tasks waited so.
    pub stalled: Duration,
    /// How often a sender had to wait for room, as the queue was full. These count to [`Self::stalls`].
    pub full_stalls: u64,
    /// How long senders waited so. This time counts to [`Self::stalled`].
    pub full_stalled: Duration,
    /// How long messages were in the queue; a message that a receiver waited for is there for no time.
    pub delay: Spread,
    /// The time between two messages that were put in one after the other.
    pub intervals: Spread,
}

impl QueueSummary {
    /// Whether nothing ever happened to it.
    pub fn is_unused(&self) -> bool {
        self.put + self.overruns + self.underruns + self.stalls == 0
    }

    /// How often a receiver had to wait for a message, as the queue was empty.
    pub fn empty_stalls(&self) -> u64 {
        self.stalls.saturating_sub(self.full_stalls)
    }

    /// How long receivers waited so.
    pub fn empty_stalled(&self) -> Duration {
        self.stalled.saturating_sub(self.full_stalled)
    }
}

#[derive(Default)]
pub(super) struct QueueState {
    /// When the messages that it holds were put in, the oldest first.
    inside: VecDeque<Time>,
    /// When the last message was put in.
    last: Option<Time>,
    /// The tasks that wait, since when, and whether for room.
    waiting: Vec<(TaskId, Time, bool)>,
    sums: QueueSummary,
}

/// All queues that events have spoken of, by number.
#[derive(Default)]
pub(super) struct Queues(Vec<QueueState>);

impl Queues {
    fn queue(&mut self, number: u16) -> &mut QueueState {
        let number = usize::from(number);
        if self.0.len() <= number {
            self.0.resize_with(number + 1, QueueState::default);
        }
        &mut self.0[number]
    }

    pub(super) fn record(&mut self, event: &Event) {
        let now = event.time;
        match event.kind {
            Kind::Fill { queue, level } => self.queue(queue).fill(level, now),
            Kind::Overrun { queue, lost } => {
                let sums = &mut self.queue(queue).sums;
                sums.overruns += 1;
                sums.lost += u64::from(lost);
            }
            Kind::Underrun { queue, missing } => {
                let sums = &mut self.queue(queue).sums;
                sums.underruns += 1;
                sums.missing += u64::from(missing);
            }
            Kind::Block {
                task,
                on: Object::Queue(queue),
                ..
            } => {
                let state = self.queue(queue);
                // A receiver waits only while the queue is empty, and a sender only while it is full.
                let for_room = !state.inside.is_empty();
                state.sums.stalls += 1;
                state.sums.full_stalls += u64::from(for_room);
                state.waiting.push((task, now, for_room));
            }
            Kind::Wake { task, .. } | Kind::Abort { task, .. } | Kind::Exit { task } => {
                self.0.iter_mut().for_each(|it| it.leave(task, now));
            }
            _ => {}
        }
    }

    /// The sums of each queue, at the end.
    pub(super) fn finish(self, end: Time) -> Vec<QueueSummary> {
        let finish = |mut state: QueueState| {
            while let Some(&(task, ..)) = state.waiting.last() {
                state.leave(task, end);
            }
            state.sums
        };
        self.0.into_iter().map(finish).collect()
    }
}

impl QueueState {
    fn fill(&mut self, level: u16, now: Time) {
        self.sums.highest = self.sums.highest.max(level);
        let level = usize::from(level);
        while self.inside.len() < level {
            self.inside.push_back(now);
            self.sums.put += 1;
            if let Some(last) = self.last.replace(now) {
                self.sums.intervals.add(now.since(last));
            }
        }
        // Messages come out in the order in which they went in, but for one that a job left behind
        // which did not run.
        while self.inside.len() > level {
            if let Some(put) = self.inside.pop_front() {
                self.sums.delay.add(now.since(put));
            }
        }
    }

    /// A task does not wait any more, if it did.
    fn leave(&mut self, task: TaskId, now: Time) {
        if let Some(at) = self.waiting.iter().position(|(it, ..)| *it == task) {
            let (_, since, for_room) = self.waiting.swap_remove(at);
            let length = now.since(since);
            self.sums.stalled += length;
            if for_room {
                self.sums.full_stalled += length;
            }
        }
    }
}
