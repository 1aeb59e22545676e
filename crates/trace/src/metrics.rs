//! Numbers computed from events.
//!
//! [`Metrics`] is a sink: it takes events one by one, from a running simulation or from a file, and
//! keeps sums only, so its size does not grow with the trace (but for one entry a job that is under
//! way). O(1) an event.
//!
//! | number | meaning |
//! |---|---|
//! | response time | from the release of a job to its completion |
//! | start latency | from the release of a job to its first dispatch |
//! | jitter | the largest response time less the smallest |
//! | tardiness | how long after its deadline a job completed; zero if it did not |
//! | preemptions | how often a running job lost the CPU to another one |
//! | context switches | how often a CPU began to run another task than the one it had run last |
//! | job migrations | how often a job went on on another CPU than the one where it had run last |
//! | task migrations | how often a job began on another CPU than the one where the task's job before it had run last |
//! | end-to-end latency | from the release of a job to the completion of one that it released by a message or a signal, directly or through others |
//! | overrun, underrun | how often a source found a queue full, and a sink found it empty |
//! | stall | how often and how long a task waited for a message, or for room for one |
//! | delay | how long a message was in a queue |
//! | latency of a path | from the instant when a message is put into the first of several queues until it leaves the last one |
//! | interval | the time between two messages that were put into a queue one after the other |
//! | share, period | what tasks were entitled to whose reservations changed |
//! | utilisation | the share of time in which a CPU worked for tasks |
//!
//! What the kernel spends on its own work counts neither as work for a task nor as idle time.

use crate::{Cause, CpuId, Duration, Event, Kind, Sink, TaskId, Time};
use std::collections::VecDeque;

mod chains;
mod paths;
mod queues;
mod reservations;
mod spread;
#[cfg(test)]
mod tests;

pub use chains::Chain;
pub use paths::{PathSummary, QueuePath, Unit};
pub use queues::QueueSummary;
pub use reservations::ReservationSummary;
pub use spread::Spread;

use chains::{Chains, Link};
use paths::PathState;
use queues::Queues;
use reservations::Reservations;

/// What a reader of a trace has to know of a task.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskInfo {
    /// Its name.
    pub name: String,
    /// Its period, or the least separation of its releases, in nanoseconds.
    #[serde(rename = "period_ns", with = "as_nanos")]
    pub period: Option<Duration>,
    /// Its relative deadline in nanoseconds.
    #[serde(rename = "deadline_ns", with = "as_nanos")]
    pub deadline: Option<Duration>,
}

mod as_nanos {
    use crate::Duration;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(super) fn serialize<S: Serializer>(
        length: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        length.map(Duration::as_nanos).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_nanos))
    }
}

/// Computes numbers from events.
pub struct Metrics {
    tasks: Vec<TaskState>,
    cpus: Vec<CpuState>,
    chains: Chains,
    queues: Queues,
    paths: Vec<PathState>,
    reservations: Reservations,
}

#[derive(Default)]
struct TaskState {
    /// Whether its jobs come again: one that goes on and on begins no chain.
    recurs: bool,
    deadline: Option<Duration>,
    /// The jobs under way, by rising number.
    jobs: VecDeque<Job>,
    /// Of the jobs that messages and signals have asked for and that are not released yet, by
    /// rising number: where in a chain they are.
    coming: VecDeque<(u32, Link)>,
    /// Where it ran last, and which job of it.
    last: Option<(CpuId, u32)>,
    sums: TaskSummary,
}

struct Job {
    number: u32,
    release: Time,
    deadline: Time,
    started: bool,
    /// Where it is in a chain, if a message or a signal released it.
    link: Option<Link>,
}

#[derive(Default)]
struct CpuState {
    running: Option<TaskId>,
    /// Since when the running task has had the CPU, apart from the kernel's work.
    since: Time,
    last: Option<TaskId>,
    sums: CpuSummary,
}

/// What the events said about one task.
#[derive(Clone, Debug, Default)]
pub struct TaskSummary {
    /// Jobs released.
    pub released: u64,
    /// Jobs completed.
    pub completed: u64,
    /// Deadlines missed.
    pub misses: u64,
    /// Releases left out because an earlier job was late.
    pub skipped: u64,
    /// Jobs given up.
    pub aborted: u64,
    /// Response times of the completed jobs.
    pub response: Spread,
    /// Time from release to first dispatch.
    pub start_latency: Spread,
    /// The largest tardiness of a completed job.
    pub tardiness_max: Duration,
    /// The sum of the tardiness of all completed jobs, in nanoseconds.
    pub tardiness_sum: u128,
    /// How often a job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a job of it went on on another CPU than the one where it had run last.
    pub job_migrations: u64,
    /// How often a job of it began on another CPU than the one where the job before it had run
    /// last.
    pub task_migrations: u64,
    /// CPU time used.
    pub cpu_time: Duration,
}

/// What the events said about one CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CpuSummary {
    /// Time in which it worked for tasks.
    pub busy: Duration,
    /// Time in which it worked for the kernel.
    pub overhead: Duration,
    /// The rest.
    pub idle: Duration,
    /// How often it began to run another task than the one it had run last.
    pub context_switches: u64,
    /// How often a running job lost it to another one.
    pub preemptions: u64,
}

/// All that the events said.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The time that it covers.
    pub elapsed: Duration,
    /// By task.
    pub tasks: Vec<TaskSummary>,
    /// By CPU.
    pub cpus: Vec<CpuSummary>,
    /// Of jobs that release others.
    pub chains: Vec<Chain>,
    /// By queue, as far as events spoke of them.
    pub queues: Vec<QueueSummary>,
    /// Of the paths that [`Metrics::follow`] named, in that order.
    pub paths: Vec<PathSummary>,
    /// Of the tasks that events of reservations are about, by rising number.
    pub reservations: Vec<ReservationSummary>,
}

impl TaskSummary {
    /// Jobs that were under way when the trace ended.
    pub fn unfinished(&self) -> u64 {
        self.released.saturating_sub(self.completed + self.aborted)
    }
}

impl Summary {
    /// Jobs completed, by all tasks.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.completed).sum()
    }

    /// Deadlines missed, by all tasks, and over- and underruns of all queues.
    pub fn misses(&self) -> u64 {
        let late: u64 = self.tasks.iter().map(|task| task.misses).sum();
        late + self.overruns() + self.underruns()
    }

    /// How often a source found a queue without room for all its messages.
    pub fn overruns(&self) -> u64 {
        self.queues.iter().map(|queue| queue.overruns).sum()
    }

    /// How often a sink found fewer messages in a queue than it takes.
    pub fn underruns(&self) -> u64 {
        self.queues.iter().map(|queue| queue.underruns).sum()
    }

    /// Preemptions, on all CPUs.
    pub fn preemptions(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.preemptions).sum()
    }

    /// How often jobs went on on other CPUs, by all tasks.
    pub fn job_migrations(&self) -> u64 {
        self.tasks.iter().map(|task| task.job_migrations).sum()
    }

    /// How often jobs began on other CPUs than the jobs before them, by all tasks.
    pub fn task_migrations(&self) -> u64 {
        self.tasks.iter().map(|task| task.task_migrations).sum()
    }

    /// Context switches, on all CPUs.
    pub fn context_switches(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.context_switches).sum()
    }

    /// The share of time in which the CPUs worked for tasks, in millionths.
    pub fn utilisation_ppm(&self) -> u64 {
        let busy: u128 = self
            .cpus
            .iter()
            .map(|cpu| u128::from(cpu.busy.as_nanos()))
            .sum();
        let all = u128::from(self.elapsed.as_nanos()) * self.cpus.len() as u128;
        u64::try_from((busy * 1_000_000).checked_div(all).unwrap_or(0)).unwrap_or(u64::MAX)
    }
}

impl Metrics {
    /// Metrics of nothing yet. Events of tasks and CPUs beyond those given here are left out.
    pub fn new(tasks: &[TaskInfo], cpus: usize) -> Metrics {
        let task = |task: &TaskInfo| TaskState {
            recurs: task.period.is_some(),
            deadline: task.deadline,
            ..TaskState::default()
        };
        Metrics {
            tasks: tasks.iter().map(task).collect(),
            cpus: (0..cpus).map(|_| CpuState::default()).collect(),
            chains: Chains::default(),
            queues: Queues::default(),
            paths: Vec::new(),
            reservations: Reservations::default(),
        }
    }

    /// Measures how long messages take on these paths, too. It has to be called before the first event, as
    /// messages are counted. Each event of a queue takes O(paths) more.
    pub fn follow(&mut self, paths: Vec<QueuePath>) {
        self.paths = paths.into_iter().map(PathState::new).collect();
    }

    /// The numbers of a trace that ends at `end`.
    pub fn finish(mut self, end: Time) -> Summary {
        for cpu in 0..self.cpus.len() {
            self.stop(cpu, end);
        }
        let elapsed = end.since(Time::ZERO);
        let cpus = self.cpus.into_iter().map(|CpuState { mut sums, .. }| {
            sums.idle = elapsed.saturating_sub(sums.busy + sums.overhead);
            sums
        });
        Summary {
            elapsed,
            tasks: self.tasks.into_iter().map(|task| task.sums).collect(),
            cpus: cpus.collect(),
            chains: self.chains.finish(),
            queues: self.queues.finish(end),
            paths: self.paths.into_iter().map(PathState::finish).collect(),
            reservations: self.reservations.finish(end),
        }
    }

    /// A job of `task` is asked for by the job that `by` works on.
    fn arrive(&mut self, task: TaskId, number: u32, by: Option<TaskId>) {
        let Some(by) = by else {
            return;
        };
        let sender = self.tasks.get(by.index()).filter(|sender| sender.recurs);
        let sender = sender.and_then(|sender| {
            let (_, working_on) = sender.last?;
            let mut jobs = sender.jobs.iter();
            jobs.find(|job| job.number == working_on)
        });
        let link = sender.map(|job| (by, job.link, job.release));
        if let (Some(from), Some(state)) = (link, self.tasks.get_mut(task.index())) {
            let link = self.chains.go_on(from, task);
            state.coming.push_back((number, link));
        }
    }

    /// Counts the time up to `now` to the task that runs on `cpu`; it goes on running.
    fn count(&mut self, cpu: usize, now: Time) {
        let Some(state) = self.cpus.get_mut(cpu) else {
            return;
        };
        let time = now.since(state.since);
        state.since = state.since.max(now);
        if let Some(task) = state.running {
            state.sums.busy += time;
            if let Some(task) = self.tasks.get_mut(task.index()) {
                task.sums.cpu_time += time;
            }
        }
    }

    fn stop(&mut self, cpu: usize, now: Time) {
        self.count(cpu, now);
        if let Some(state) = self.cpus.get_mut(cpu) {
            state.running = None;
        }
    }

    fn run(&mut self, cpu: usize, task: TaskId, now: Time) {
        self.stop(cpu, now);
        if let Some(state) = self.cpus.get_mut(cpu) {
            state.running = Some(task);
            if state.last.replace(task) != Some(task) {
                state.sums.context_switches += 1;
            }
        }
    }

    /// If `task` runs on `cpu`, it does not any more.
    fn leave(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self
            .cpus
            .get(cpu.index())
            .is_some_and(|state| state.running == Some(task))
        {
            self.stop(cpu.index(), now);
        }
    }
}

impl TaskState {
    /// Where in a chain the job of that number is, which is released or left out now.
    fn link(&mut self, number: u32) -> Option<Link> {
        while let Some(&(coming, link)) = self.coming.front()
            && coming <= number
        {
            self.coming.pop_front();
            if coming == number {
                return Some(link);
            }
        }
        None
    }

    /// Takes out a job that is over. Jobs before it are over as well: jobs of a task are served in
    /// order, and their ends may have been dropped from the trace.
    fn end(&mut self, number: u32) -> Option<Job> {
        while let Some(job) = self.jobs.pop_front() {
            if job.number == number {
                return Some(job);
            }
        }
        None
    }
}

/// What comes with each job, by methods of its own: where an event is made its kind is known, so there is nothing to find out.
impl Sink for Metrics {
    #[expect(clippy::inline_always, reason = "there it is a call of one of them")]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        let Event { time, cpu, kind } = event;
        match kind {
            Kind::Release {
                task,
                job,
                deadline,
            } => self.released(task, job, deadline, time),
            Kind::Dispatch { task, job } => self.dispatched(cpu, task, job, time),
            Kind::Preempt { task, .. } => self.preempted(cpu, task, time),
            Kind::Complete { task, job } => self.completed(cpu, task, job, time),
            Kind::Idle => self.stop(cpu.index(), time),
            _ => self.record_other(&event),
        }
    }
}

impl Metrics {
    fn released(&mut self, task: TaskId, number: u32, deadline: Time, now: Time) {
        let Some(task) = self.tasks.get_mut(task.index()) else {
            return;
        };
        task.sums.released += 1;
        let release = match task.deadline {
            Some(relative) if !deadline.is_never() => deadline - relative,
            _ => now,
        };
        let link = task.link(number);
        task.jobs.push_back(Job {
            number,
            release,
            deadline,
            started: false,
            link,
        });
    }

    fn dispatched(&mut self, cpu: CpuId, task: TaskId, number: u32, now: Time) {
        self.run(cpu.index(), task, now);
        let Some(task) = self.tasks.get_mut(task.index()) else {
            return;
        };
        match task.last.replace((cpu, number)) {
            Some((last, job)) if last != cpu && job == number => task.sums.job_migrations += 1,
            Some((last, _)) if last != cpu => task.sums.task_migrations += 1,
            _ => {}
        }
        // The first, unless the ends of some have been dropped from the trace.
        let at = match task.jobs.front() {
            Some(job) if job.number == number => Ok(0),
            _ => task.jobs.binary_search_by_key(&number, |job| job.number),
        };
        let job = at.ok().and_then(|at| task.jobs.get_mut(at));
        if let Some(job) = job.filter(|job| !job.started) {
            job.started = true;
            task.sums.start_latency.add(now.since(job.release));
        }
    }

    fn preempted(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        self.leave(cpu, task, now);
        if let Some(task) = self.tasks.get_mut(task.index()) {
            task.sums.preemptions += 1;
            if let Some(state) = self.cpus.get_mut(cpu.index()) {
                state.sums.preemptions += 1;
            }
        }
    }

    fn completed(&mut self, cpu: CpuId, task: TaskId, number: u32, now: Time) {
        self.leave(cpu, task, now);
        let Some(task) = self.tasks.get_mut(task.index()) else {
            return;
        };
        task.sums.completed += 1;
        if let Some(job) = task.end(number) {
            task.sums.response.add(now.since(job.release));
            let tardiness = now.since(job.deadline);
            if !tardiness.is_zero() {
                task.sums.tardiness_max = task.sums.tardiness_max.max(tardiness);
                task.sums.tardiness_sum += u128::from(tardiness.as_nanos());
            }
            if let Some(link) = job.link {
                self.chains.complete(link, now);
            }
        }
    }

    /// What is rarer than a job.
    #[inline(never)]
    fn record_other(&mut self, event: &Event) {
        let &Event { time, cpu, kind } = event;
        self.queues.record(event);
        self.paths.iter_mut().for_each(|path| path.record(event));
        self.reservations.record(event);
        match kind {
            Kind::Block { task, .. } | Kind::Abort { task, .. } | Kind::Exit { task } => {
                self.leave(cpu, task, time);
            }
            Kind::Arrive { task, job, by } => self.arrive(task, job, by),
            Kind::Overhead { cause, length } if cause != Cause::Cache => {
                self.count(cpu.index(), time);
                if let Some(state) = self.cpus.get_mut(cpu.index()) {
                    state.sums.overhead += length;
                    state.since = time + length;
                }
            }
            _ => {}
        }
        if let Kind::Exit { task } = kind {
            for state in self
                .cpus
                .iter_mut()
                .filter(|state| state.last == Some(task))
            {
                state.last = None;
            }
        }
        let task = kind.task();
        let Some(task) = task.and_then(|task| self.tasks.get_mut(task.index())) else {
            return;
        };
        match kind {
            Kind::Skip { .. } => task.sums.skipped += 1,
            Kind::Abort { job: number, .. } => {
                task.sums.aborted += 1;
                task.end(number);
            }
            Kind::Miss { .. } => task.sums.misses += 1,
            _ => {}
        }
    }
}
