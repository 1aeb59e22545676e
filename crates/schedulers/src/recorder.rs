//! What is kept of a simulation: numbers always, and as many events as were asked for.

use crate::group_changes::GroupChanges;
use flyball_model::TaskSet;
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::{Metrics, QueuePath, Summary, TaskInfo};
use flyball_trace::{Duration, Event, Kind, Sink, TaskId, Time};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Told how far a simulation has come; may end it.
pub type Watch<'a> = dyn FnMut(Time) -> ControlFlow<()> + 'a;

/// What happened in a part of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Phase {
    /// Jobs completed.
    pub jobs: u64,
    /// Deadlines missed, and over- and underruns.
    pub misses: u64,
    /// How often the CPU began to run another task than the one it had run last.
    pub switches: u64,
}

/// A sink that computes metrics and keeps the first events.
pub struct Recorder {
    metrics: Option<Metrics>,
    phases: Vec<Phase>,
    /// When all phases but the last end.
    ends: Vec<Time>,
    /// On one CPU: the task that ran last.
    last: Option<TaskId>,
    /// `None`: all tasks are in one group.
    group_changes: Option<GroupChanges>,
    header: Header,
    /// The name of each task's server.
    servers: Vec<String>,
    events: Vec<Event>,
    most: usize,
    /// Events that were not kept, and when the first of them happened.
    left_out: u64,
    cut: Option<Time>,
    first_miss: Option<Event>,
    /// The deadlines of the jobs of each task that have been released and are not known to be over,
    /// the oldest first, by the numbers of the jobs.
    due: Vec<VecDeque<(u32, Time)>>,
    /// The deadline of the first miss.
    first_deadline: Option<Time>,
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
            metrics: Some(Metrics::new(&tasks, usize::from(cpus))),
            phases: vec![Phase::default()],
            ends: Vec::new(),
            last: None,
            group_changes: GroupChanges::of(set, cpus),
            due: vec![VecDeque::new(); tasks.len()],
            first_deadline: None,
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
                servers: Vec::new(),
            },
            servers: set
                .tasks
                .iter()
                .map(|task| set.server_name(task).to_owned())
                .collect(),
            events: Vec::new(),
            most,
            left_out: 0,
            cut: None,
            first_miss: None,
        }
    }

    /// Counts only, on one CPU: apart for each of the phases that `ends` divides the simulation
    /// into. Each ends just before the instant that is named; deadlines at it still count, even if
    /// the kernel notices later that they were missed.
    pub fn counting(set: &TaskSet, policy: &str, ends: &[Duration]) -> Recorder {
        Recorder {
            metrics: None,
            phases: vec![Phase::default(); ends.len() + 1],
            ends: ends.iter().map(|&end| Time::ZERO + end).collect(),
            ..Recorder::new(set, 1, policy, 0)
        }
    }

    /// Measures how long messages take on these paths, too, unless it counts only. To be called before the first
    /// event.
    pub fn follow_paths(&mut self, paths: Vec<QueuePath>) {
        if let Some(metrics) = &mut self.metrics {
            metrics.follow(paths);
        }
    }

    /// What happened in each phase.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// How often a CPU began to run a task of another `group` than that of the one it had run last;
    /// `None`: all tasks are in one.
    pub fn group_changes(&self) -> Option<u64> {
        self.group_changes.as_ref().map(|changes| changes.count)
    }

    /// Keeps up with what is due when. For a miss: when it was.
    fn follow(&mut self, event: &Event) -> Option<Time> {
        match event.kind {
            Kind::Release {
                task,
                job,
                deadline,
            } => {
                if let Some(due) = self.due.get_mut(task.index()) {
                    due.push_back((job, deadline));
                }
            }
            Kind::Complete { task, job } | Kind::Abort { task, job } => {
                if let Some(due) = self.due.get_mut(task.index()) {
                    // Those before it that are still there were left out.
                    while due.pop_front_if(|(number, _)| *number <= job).is_some() {}
                }
            }
            Kind::Miss { task, job } => {
                let mut due = self.due.get(task.index())?.iter();
                let deadline = due.find(|(number, _)| *number == job)?.1;
                // It may have become earlier since the job was released.
                return Some(deadline.min(event.time));
            }
            _ => {}
        }
        None
    }

    /// Counts an event; `deadline`: that of a miss.
    fn count(&mut self, event: &Event, deadline: Option<Time>) {
        let Event { time, kind, .. } = *event;
        let is_over = |end: &&Time| match kind {
            Kind::Miss { .. } => **end < deadline.unwrap_or(time),
            _ => **end <= time,
        };
        let at = self.ends.iter().take_while(is_over).count();
        let phase = &mut self.phases[at];
        match kind {
            Kind::Complete { .. } => phase.jobs += 1,
            Kind::Miss { .. } | Kind::Overrun { .. } | Kind::Underrun { .. } => phase.misses += 1,
            Kind::Dispatch { task, .. } if self.last.replace(task) != Some(task) => {
                phase.switches += 1;
            }
            _ => {}
        }
    }

    /// The first deadline that was missed, or the first over- or underrun.
    pub fn first_miss(&self) -> Option<Event> {
        self.first_miss
    }

    /// The same at the instant of the deadline, and not at that at which the kernel noticed it.
    pub fn first_deadline(&self) -> Option<Event> {
        let time = self.first_deadline?;
        self.first_miss.map(|miss| Event { time, ..miss })
    }

    /// What was recorded of a simulation that ended at `end`.
    pub fn finish(mut self, end: Time) -> (Summary, Trace) {
        self.header.end_ns = self.cut.unwrap_or(end).min(end).as_nanos();
        self.header.dropped = self.left_out;
        let metrics = self.metrics.unwrap_or_else(|| Metrics::new(&[], 0));
        let mut trace = Trace {
            header: self.header,
            events: self.events,
        };
        trace.name_servers(|task| self.servers.get(task.index()).cloned().unwrap_or_default());
        (metrics.finish(end), trace)
    }
}

impl Phase {
    /// Context switches a second, if the phase took that long.
    pub fn a_second(&self, length: Duration) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let (switches, length) = (self.switches as f64, length.as_nanos().max(1) as f64);
        switches * 1e9 / length
    }
}

impl Sink for Recorder {
    const BUDGETS: bool = true;
    const FILLS: bool = true;

    fn record(&mut self, event: Event) {
        if self.events.len() < self.most {
            self.events.push(event);
        } else {
            self.left_out += 1;
            self.cut.get_or_insert(event.time);
        }
        let deadline = self.follow(&event);
        let is_miss = matches!(
            event.kind,
            Kind::Miss { .. } | Kind::Overrun { .. } | Kind::Underrun { .. }
        );
        if is_miss && self.first_miss.is_none() {
            self.first_miss = Some(event);
            self.first_deadline = deadline.or(Some(event.time));
        }
        self.count(&event, deadline);
        if let Some(changes) = &mut self.group_changes {
            changes.record(&event);
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.record(event);
        }
    }
}
