//! What events say about message queues.

use super::Spread;
use crate::{Duration, Event, Kind, Object, TaskId, Time};
use std::collections::VecDeque;

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
    /// How long messages were in the queue.
    pub delay: Spread,
    /// The time between two messages that were put in one after the other.
    pub intervals: Spread,
}

impl QueueSummary {
    /// Whether nothing ever happened to it.
    pub fn is_unused(&self) -> bool {
        self.put + self.overruns + self.underruns + self.stalls == 0
    }
}

#[derive(Default)]
pub(super) struct QueueState {
    /// When the messages that it holds were put in, the oldest first.
    inside: VecDeque<Time>,
    /// When the last message was put in.
    last: Option<Time>,
    /// The tasks that wait, and since when.
    waiting: Vec<(TaskId, Time)>,
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
                state.sums.stalls += 1;
                state.waiting.push((task, now));
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
            while let Some(&(task, _)) = state.waiting.last() {
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
        if let Some(at) = self.waiting.iter().position(|(it, _)| *it == task) {
            let (_, since) = self.waiting.swap_remove(at);
            self.sums.stalled += now.since(since);
        }
    }
}
