//! What a schedule has beside its events, as columns: jobs, and segments in which tasks ran.

use crate::column::named;
use crate::columns::{Columns, fault, integers, texts};
use arrow_array::{ArrayRef, BooleanArray, UInt8Array, UInt32Array};
use flyball::report::slices::Schedule;
use flyball::trace::file::{Header, Trace};
use flyball::trace::{Event, Kind, TaskId, Time};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// An instant as columns have it; missing: never.
pub(crate) fn instant(time: Time) -> Option<i64> {
    (time < Time::NEVER)
        .then(|| i64::try_from(time.as_nanos()).ok())
        .flatten()
}

pub(crate) fn task_names(header: &Header) -> Vec<String> {
    header.tasks.iter().map(|task| task.name.clone()).collect()
}

/// When tasks ran: `cpu`, `task`, `job`, `start_ns`, `end_ns`, in the order of their beginnings on each CPU.
pub(crate) fn segments(trace: &Trace) -> PyResult<Columns> {
    let schedule = Schedule::of(trace);
    let lanes = schedule.cpu_lanes();
    let slices: Vec<_> = lanes
        .flat_map(|(cpu, lane)| lane.slices.iter().map(move |slice| (cpu.0, slice)))
        .collect();
    let slice = || slices.iter().map(|(_, slice)| slice);
    let tasks: Vec<u16> = slice().map(|slice| slice.task.0).collect();
    Columns::new([
        (
            "cpu",
            Arc::new(UInt8Array::from_iter_values(
                slices.iter().map(|(cpu, _)| *cpu),
            )) as ArrayRef,
        ),
        (
            "task",
            named(tasks, task_names(&trace.header)).map_err(|error| fault(&error))?,
        ),
        (
            "job",
            Arc::new(UInt32Array::from_iter_values(
                slice().map(|slice| slice.job),
            )),
        ),
        (
            "start_ns",
            integers(slice().map(|slice| instant(slice.start))),
        ),
        ("end_ns", integers(slice().map(|slice| instant(slice.end)))),
    ])
}

/// What became of one job.
#[derive(Clone, Copy)]
struct Job {
    task: TaskId,
    number: u32,
    /// What its response time counts from.
    release: Time,
    deadline: Time,
    start: Option<Time>,
    end: Option<Time>,
    outcome: Outcome,
    is_late: bool,
    preemptions: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Open,
    Completed,
    Aborted,
    Skipped,
}

/// Follows jobs through a trace.
struct Jobs<'t> {
    header: &'t Header,
    all: Vec<Job>,
    /// Of each task: its jobs that are not over, by their places.
    open: Vec<VecDeque<usize>>,
}

impl Jobs<'_> {
    /// The job of that number, unless it is over or never began.
    fn find(&mut self, task: TaskId, number: u32) -> Option<&mut Job> {
        let open = self.open.get(task.index())?;
        let place = *open
            .iter()
            .find(|&&place| self.all[place].number == number)?;
        self.all.get_mut(place)
    }

    fn end(&mut self, task: TaskId, number: u32, time: Time, outcome: Outcome) {
        if let Some(job) = self.find(task, number) {
            (job.end, job.outcome) = (Some(time), outcome);
        }
        let all = &self.all;
        if let Some(open) = self.open.get_mut(task.index()) {
            open.retain(|&place| all[place].number != number);
        }
    }

    fn take(&mut self, Event { time, kind, .. }: Event) {
        match kind {
            Kind::Release {
                task,
                job,
                deadline,
            } => {
                let relative = self
                    .header
                    .tasks
                    .get(task.index())
                    .and_then(|task| task.deadline);
                let release =
                    relative
                        .filter(|_| deadline < Time::NEVER)
                        .map_or(time, |relative| {
                            Time::from_nanos(
                                deadline.as_nanos().saturating_sub(relative.as_nanos()),
                            )
                        });
                if let Some(open) = self.open.get_mut(task.index()) {
                    open.push_back(self.all.len());
                }
                self.all.push(Job {
                    task,
                    number: job,
                    release,
                    deadline,
                    start: None,
                    end: None,
                    outcome: Outcome::Open,
                    is_late: false,
                    preemptions: 0,
                });
            }
            Kind::Dispatch { task, job } => {
                if let Some(job) = self.find(task, job) {
                    job.start.get_or_insert(time);
                }
            }
            Kind::Preempt { task, job } => {
                if let Some(job) = self.find(task, job) {
                    job.preemptions += 1;
                }
            }
            Kind::Miss { task, job } => {
                if let Some(job) = self.find(task, job) {
                    job.is_late = true;
                }
            }
            Kind::Complete { task, job } => self.end(task, job, time, Outcome::Completed),
            Kind::Abort { task, job } => self.end(task, job, time, Outcome::Aborted),
            Kind::Skip { task, job } => self.skip(task, job, time),
            _ => {}
        }
    }

    /// A job that was left out may have been released before.
    fn skip(&mut self, task: TaskId, number: u32, time: Time) {
        if self.find(task, number).is_some() {
            self.end(task, number, time, Outcome::Skipped);
        } else {
            self.all.push(Job {
                task,
                number,
                release: time,
                deadline: Time::NEVER,
                start: None,
                end: None,
                outcome: Outcome::Skipped,
                is_late: false,
                preemptions: 0,
            });
        }
    }
}

/// What became of all jobs, in the order of their releases:
///
/// | column | what |
/// |---|---|
/// | `task`, `job` | which |
/// | `release_ns` | when it arrived: what the response time counts from |
/// | `deadline_ns` | its absolute deadline; missing: it has none |
/// | `start_ns`, `end_ns` | when it first ran, and when it was over; missing: not before the end |
/// | `response_ns` | of a completed job, from release to end |
/// | `outcome` | `completed`, `aborted`, `skipped`, or `open` at the end |
/// | `missed` | whether it missed its deadline |
/// | `preemptions` | how often it lost the CPU to another one |
pub(crate) fn jobs(trace: &Trace) -> PyResult<Columns> {
    let header = &trace.header;
    let mut jobs = Jobs {
        header,
        all: Vec::new(),
        open: vec![VecDeque::new(); header.tasks.len()],
    };
    trace.events.iter().for_each(|&event| jobs.take(event));
    let all = || jobs.all.iter();
    let response = |job: &Job| {
        let end = job.end.filter(|_| job.outcome == Outcome::Completed)?;
        i64::try_from(end.since(job.release).as_nanos()).ok()
    };
    let outcomes = all().map(|job| {
        Some(match job.outcome {
            Outcome::Open => "open",
            Outcome::Completed => "completed",
            Outcome::Aborted => "aborted",
            Outcome::Skipped => "skipped",
        })
    });
    let tasks: Vec<u16> = all().map(|job| job.task.0).collect();
    Columns::new([
        (
            "task",
            named(tasks, task_names(header)).map_err(|error| fault(&error))?,
        ),
        (
            "job",
            Arc::new(UInt32Array::from_iter_values(all().map(|job| job.number))) as ArrayRef,
        ),
        (
            "release_ns",
            integers(all().map(|job| instant(job.release))),
        ),
        (
            "deadline_ns",
            integers(all().map(|job| instant(job.deadline))),
        ),
        (
            "start_ns",
            integers(all().map(|job| job.start.and_then(instant))),
        ),
        (
            "end_ns",
            integers(all().map(|job| job.end.and_then(instant))),
        ),
        ("response_ns", integers(all().map(response))),
        ("outcome", texts(outcomes)),
        (
            "missed",
            Arc::new(all().map(|job| Some(job.is_late)).collect::<BooleanArray>()),
        ),
        (
            "preemptions",
            Arc::new(UInt32Array::from_iter_values(
                all().map(|job| job.preemptions),
            )),
        ),
    ])
}
