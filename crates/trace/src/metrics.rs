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
//! | utilisation | the share of time in which a CPU worked for tasks |
//!
//! What the kernel spends on its own work counts neither as work for a task nor as idle time.

use crate::{Cause, CpuId, Duration, Event, Kind, Sink, TaskId, Time};
use hdrhistogram::Histogram;
use std::collections::VecDeque;

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
}

#[derive(Default)]
struct TaskState {
    deadline: Option<Duration>,
    /// The jobs under way, by rising number.
    jobs: VecDeque<Job>,
    sums: TaskSummary,
}

struct Job {
    number: u32,
    release: Time,
    deadline: Time,
    started: bool,
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
    /// How often a job lost the CPU to another one.
    pub preemptions: u64,
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
}

/// How a length of time was spread: exact least, largest and mean, and a histogram.
#[derive(Clone, Debug)]
pub struct Spread {
    count: u64,
    min: Duration,
    max: Duration,
    sum: u128,
    /// Two significant digits, in nanoseconds. Made when the first value comes.
    histogram: Option<Histogram<u32>>,
}

impl Default for Spread {
    fn default() -> Spread {
        Spread {
            count: 0,
            min: Duration::MAX,
            max: Duration::ZERO,
            sum: 0,
            histogram: None,
        }
    }
}

impl Spread {
    /// Takes one value.
    pub fn add(&mut self, value: Duration) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += u128::from(value.as_nanos());
        if self.histogram.is_none() {
            self.histogram = Histogram::new(2).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.auto(true);
            // A histogram that grows by itself takes every value.
            let _ = histogram.record(value.as_nanos());
        }
    }

    /// How many values there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least value.
    pub fn min(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean, rounded down to a nanosecond.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        u64::try_from(mean).ok().map(Duration::from_nanos)
    }

    /// The largest value less the least.
    pub fn jitter(&self) -> Option<Duration> {
        Some(self.max()?.saturating_sub(self.min()?))
    }

    /// How many values lay in each of `bins` equal intervals from zero to `end`; values beyond
    /// count to the last one. Exact to two significant digits.
    pub fn bins(&self, bins: usize, end: Duration) -> Vec<u64> {
        let mut counts = vec![0; bins];
        let width = u128::from(end.as_nanos()).max(1);
        let Some(last) = bins.checked_sub(1) else {
            return counts;
        };
        for step in self.histogram.iter().flat_map(Histogram::iter_recorded) {
            // The middle of the histogram's own interval, but no value that cannot have occurred.
            let value = step
                .value_iterated_to()
                .clamp(self.min.as_nanos(), self.max.as_nanos());
            let bin = u128::from(value) * bins as u128 / width;
            let bin = usize::try_from(bin).map_or(last, |bin| bin.min(last));
            counts[bin] += step.count_since_last_iteration();
        }
        counts
    }
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

    /// Deadlines missed, by all tasks.
    pub fn misses(&self) -> u64 {
        self.tasks.iter().map(|task| task.misses).sum()
    }

    /// Preemptions, on all CPUs.
    pub fn preemptions(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.preemptions).sum()
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
            deadline: task.deadline,
            ..TaskState::default()
        };
        Metrics {
            tasks: tasks.iter().map(task).collect(),
            cpus: (0..cpus).map(|_| CpuState::default()).collect(),
        }
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

impl Sink for Metrics {
    fn record(&mut self, event: Event) {
        let Event { time, cpu, kind } = event;
        match kind {
            Kind::Preempt { task, .. } | Kind::Block { task, .. } => self.leave(cpu, task, time),
            Kind::Complete { task, .. } | Kind::Abort { task, .. } | Kind::Exit { task } => {
                self.leave(cpu, task, time);
            }
            Kind::Dispatch { task, .. } => self.run(cpu.index(), task, time),
            Kind::Idle => self.stop(cpu.index(), time),
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
        let Some(task) = kind
            .task()
            .and_then(|task| self.tasks.get_mut(task.index()))
        else {
            return;
        };
        match kind {
            Kind::Release {
                job: number,
                deadline,
                ..
            } => {
                task.sums.released += 1;
                let release = match task.deadline {
                    Some(relative) if !deadline.is_never() => deadline - relative,
                    _ => time,
                };
                task.jobs.push_back(Job {
                    number,
                    release,
                    deadline,
                    started: false,
                });
            }
            Kind::Skip { .. } => task.sums.skipped += 1,
            Kind::Dispatch { job: number, .. } => {
                let at = task
                    .jobs
                    .binary_search_by_key(&number, |job| job.number)
                    .ok();
                let job = at.and_then(|at| task.jobs.get_mut(at));
                if let Some(job) = job.filter(|job| !job.started) {
                    job.started = true;
                    task.sums.start_latency.add(time.since(job.release));
                }
            }
            Kind::Preempt { .. } => {
                task.sums.preemptions += 1;
                if let Some(state) = self.cpus.get_mut(cpu.index()) {
                    state.sums.preemptions += 1;
                }
            }
            Kind::Complete { job: number, .. } => {
                task.sums.completed += 1;
                if let Some(job) = task.end(number) {
                    task.sums.response.add(time.since(job.release));
                    let tardiness = time.since(job.deadline);
                    task.sums.tardiness_max = task.sums.tardiness_max.max(tardiness);
                }
            }
            Kind::Abort { job: number, .. } => {
                task.sums.aborted += 1;
                task.end(number);
            }
            Kind::Miss { .. } => task.sums.misses += 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    fn tell(metrics: &mut Metrics, time: u64, kind: Kind) {
        metrics.record(Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind,
        });
    }

    #[test]
    fn a_small_trace_worked_by_hand() {
        let info = |name: &str, deadline| TaskInfo {
            name: name.into(),
            period: Some(ns(10)),
            deadline: Some(ns(deadline)),
        };
        let mut metrics = Metrics::new(&[info("a", 10), info("b", 8)], 1);
        let (a, b) = (TaskId(0), TaskId(1));
        let deadline = Time::from_nanos;
        // a runs 0–3, b preempts it and runs 4–6 after 1 ns of kernel, a runs on 6–9, idle to 20.
        tell(
            &mut metrics,
            0,
            Kind::Release {
                task: a,
                job: 1,
                deadline: deadline(10),
            },
        );
        tell(&mut metrics, 0, Kind::Dispatch { task: a, job: 1 });
        tell(
            &mut metrics,
            3,
            Kind::Release {
                task: b,
                job: 1,
                deadline: deadline(10),
            },
        );
        tell(&mut metrics, 3, Kind::Preempt { task: a, job: 1 });
        let length = ns(1);
        tell(
            &mut metrics,
            3,
            Kind::Overhead {
                cause: Cause::Scheduling,
                length,
            },
        );
        tell(&mut metrics, 4, Kind::Dispatch { task: b, job: 1 });
        tell(&mut metrics, 6, Kind::Complete { task: b, job: 1 });
        tell(&mut metrics, 6, Kind::Dispatch { task: a, job: 1 });
        // A tick while a runs takes 1 ns of its time.
        tell(
            &mut metrics,
            8,
            Kind::Overhead {
                cause: Cause::Tick,
                length,
            },
        );
        tell(&mut metrics, 11, Kind::Miss { task: a, job: 1 });
        tell(&mut metrics, 12, Kind::Complete { task: a, job: 1 });
        tell(&mut metrics, 12, Kind::Idle);
        let summary = metrics.finish(Time::from_nanos(20));
        let [a, b] = &summary.tasks[..] else {
            panic!("two tasks")
        };
        assert_eq!(
            (a.response.max(), b.response.max()),
            (Some(ns(12)), Some(ns(4)))
        );
        assert_eq!((a.cpu_time, b.cpu_time), (ns(3 + 2 + 3), ns(2)));
        assert_eq!(
            (a.start_latency.max(), b.start_latency.max()),
            (Some(ns(0)), Some(ns(2)))
        );
        assert_eq!((a.tardiness_max, b.tardiness_max), (ns(2), ns(0)));
        assert_eq!(
            (a.misses, a.preemptions, a.completed, a.unfinished()),
            (1, 1, 1, 0)
        );
        let cpu = summary.cpus[0];
        assert_eq!((cpu.busy, cpu.overhead, cpu.idle), (ns(10), ns(2), ns(8)));
        assert_eq!((cpu.context_switches, cpu.preemptions), (3, 1));
        assert_eq!(summary.utilisation_ppm(), 500_000);
    }

    #[test]
    fn coming_back_from_idleness_is_no_context_switch() {
        let mut metrics = Metrics::new(&[TaskInfo::default()], 1);
        let task = TaskId(0);
        for start in [0, 10, 20] {
            tell(&mut metrics, start, Kind::Dispatch { task, job: 1 });
            tell(&mut metrics, start + 1, Kind::Complete { task, job: 1 });
            tell(&mut metrics, start + 1, Kind::Idle);
        }
        let summary = metrics.finish(Time::from_nanos(30));
        assert_eq!(summary.context_switches(), 1);
        assert_eq!(summary.cpus[0].idle, ns(27));
    }

    #[test]
    fn a_spread_counts_every_value_once() {
        let mut spread = Spread::default();
        assert_eq!(
            (spread.min(), spread.mean(), spread.jitter()),
            (None, None, None)
        );
        for value in [5, 5, 10, 999, 1_000, 70_000] {
            spread.add(ns(value));
        }
        assert_eq!(
            (spread.min(), spread.max()),
            (Some(ns(5)), Some(ns(70_000)))
        );
        assert_eq!(spread.mean(), Some(ns(72_019 / 6)));
        let bins = spread.bins(10, ns(2_000));
        assert_eq!(bins.iter().sum::<u64>(), 6);
        assert_eq!((bins[0], bins[9]), (3, 1));
    }
}
