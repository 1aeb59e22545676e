//! What is kept of a simulation: numbers always, and as many events as were asked for.

use flyball_model::TaskSet;
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::{Metrics, Summary, TaskInfo};
use flyball_trace::{Event, Kind, Sink, Time};

/// A sink that computes metrics and keeps the first events.
pub struct Recorder {
    metrics: Metrics,
    header: Header,
    events: Vec<Event>,
    most: usize,
    /// Events that were not kept, and when the first of them happened.
    left_out: u64,
    cut: Option<Time>,
    first_miss: Option<Event>,
}

impl Recorder {
    /// Records a simulation of `set` on `cpus` CPUs under `policy`, and keeps up to `most` events.
    pub fn new(set: &TaskSet, cpus: u8, policy: &str, most: usize) -> Recorder {
        let tasks: Vec<_> = set
            .tasks
            .iter()
            .map(|task| TaskInfo {
                name: task.name.clone(),
                period: task.arrival.period(),
                deadline: task.deadline,
            })
            .collect();
        Recorder {
            metrics: Metrics::new(&tasks, usize::from(cpus)),
            header: Header {
                name: set.name.clone(),
                policy: policy.to_owned(),
                cpus,
                end_ns: 0,
                dropped: 0,
                tasks,
                mutexes: set.mutexes.iter().map(|mutex| mutex.name.clone()).collect(),
                semaphores: set
                    .semaphores
                    .iter()
                    .map(|semaphore| semaphore.name.clone())
                    .collect(),
                queues: set.queues.iter().map(|queue| queue.name.clone()).collect(),
            },
            events: Vec::new(),
            most,
            left_out: 0,
            cut: None,
            first_miss: None,
        }
    }

    /// The first deadline that was missed.
    pub fn first_miss(&self) -> Option<Event> {
        self.first_miss
    }

    /// What was recorded of a simulation that ended at `end`.
    pub fn finish(mut self, end: Time) -> (Summary, Trace) {
        self.header.end_ns = self.cut.unwrap_or(end).min(end).as_nanos();
        self.header.dropped = self.left_out;
        (
            self.metrics.finish(end),
            Trace {
                header: self.header,
                events: self.events,
            },
        )
    }
}

impl Sink for Recorder {
    fn record(&mut self, event: Event) {
        if self.events.len() < self.most {
            self.events.push(event);
        } else {
            self.left_out += 1;
            self.cut.get_or_insert(event.time);
        }
        if matches!(event.kind, Kind::Miss { .. }) {
            self.first_miss.get_or_insert(event);
        }
        self.metrics.record(event);
    }
}
