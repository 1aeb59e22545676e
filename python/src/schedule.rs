//! What a schedule has, as columns: events, jobs, and segments in which tasks ran.

use crate::columns::{Columns, fault, integers, named, texts};
use arrow_array::{ArrayRef, BooleanArray, UInt8Array, UInt32Array};
use flyball::report::slices::{Schedule, object_name};
use flyball::trace::file::{Header, Trace};
use flyball::trace::{Event, Kind, Object, Record, TaskId, Time};
use pyo3::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The names of the kinds of events, by the numbers that they have in records.
fn kinds() -> Vec<String> {
    let of_code = |code: u8| {
        let mut bytes = [0; Record::SIZE];
        bytes[CODE] = code;
        Record(bytes)
            .decode()
            .map(|event| event.kind.name().to_owned())
    };
    (0..=u8::MAX).map_while(of_code).collect()
}

/// Where a record has the number of its kind.
const CODE: usize = 22;

fn instant(time: Time) -> Option<i64> {
    (time < Time::NEVER)
        .then(|| i64::try_from(time.as_nanos()).ok())
        .flatten()
}

fn task_names(header: &Header) -> Vec<String> {
    header.tasks.iter().map(|task| task.name.clone()).collect()
}

/// Texts that are given numbers as they come.
struct Names<K> {
    numbers: HashMap<K, u32>,
    names: Vec<String>,
}

impl<K: Eq + std::hash::Hash> Names<K> {
    fn number(&mut self, key: K, name: impl FnOnce() -> String) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(key).or_insert_with(|| {
            self.names.push(name());
            next
        })
    }
}

/// All events, in their order:
///
/// | column | what |
/// |---|---|
/// | `time_ns`, `cpu`, `event` | when, where, and what happened |
/// | `task`, `job` | to whom |
/// | `object` | what else it is about: what a task waits for, a mutex, a queue, a server, the other task, what the kernel works on |
/// | `value` | an absolute deadline (`release`, `replenish`), a length of time (`budget`, `reclaim`, `overhead`), a number (`fill`, `overrun`, `underrun`, `speed`), a share in millionths (`reserve`) |
pub(crate) fn events(trace: &Trace) -> PyResult<Columns> {
    let header = &trace.header;
    let room = trace.events.len();
    let (mut times, mut cpus, mut codes) = (
        Vec::with_capacity(room),
        Vec::with_capacity(room),
        Vec::with_capacity(room),
    );
    let (mut tasks, mut jobs) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let (mut objects, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut names = Names {
        numbers: HashMap::new(),
        names: Vec::new(),
    };
    for event in &trace.events {
        times.push(instant(event.time).unwrap_or(i64::MAX));
        cpus.push(event.cpu.0);
        codes.push(Some(u32::from(Record::from(*event).0[CODE])));
        tasks.push(event.kind.task().map(|task| u32::from(task.0)));
        jobs.push(job(event.kind));
        let object = object(event.kind);
        objects.push(object.map(|object| names.number(object, || object.name(header))));
        values.push(value(event.kind));
    }
    let of_names = |numbers, names| named(numbers, names).map_err(|error| fault(&error));
    Columns::new([
        (
            "time_ns",
            Arc::new(arrow_array::Int64Array::from(times)) as ArrayRef,
        ),
        ("cpu", Arc::new(UInt8Array::from(cpus))),
        ("event", of_names(codes, kinds())?),
        ("task", of_names(tasks, task_names(header))?),
        ("job", Arc::new(UInt32Array::from(jobs))),
        ("object", of_names(objects, names.names)?),
        ("value", integers(values.into_iter())),
    ])
}

/// The job that an event is about.
fn job(kind: Kind) -> Option<u32> {
    match kind {
        Kind::Arrive { job, .. }
        | Kind::Release { job, .. }
        | Kind::Skip { job, .. }
        | Kind::Dispatch { job, .. }
        | Kind::Preempt { job, .. }
        | Kind::BurstEnd { job, .. }
        | Kind::Yield { job, .. }
        | Kind::Block { job, .. }
        | Kind::Wake { job, .. }
        | Kind::Complete { job, .. }
        | Kind::Miss { job, .. }
        | Kind::Abort { job, .. } => Some(job),
        _ => None,
    }
}

/// What else an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    Object(Object),
    Server(u16),
    Cause(flyball::trace::Cause),
}

impl About {
    fn name(self, header: &Header) -> String {
        match self {
            About::Object(object) => object_name(header, object),
            About::Cause(cause) => cause.to_string(),
            About::Server(number) => match header.servers.get(usize::from(number)) {
                Some(name) if !name.is_empty() => format!("server \"{name}\""),
                _ => format!("server {number}"),
            },
        }
    }
}

fn object(kind: Kind) -> Option<About> {
    let task = |task: TaskId| About::Object(Object::Task(task.0));
    Some(match kind {
        Kind::Block { on, .. } => About::Object(on),
        Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => {
            About::Object(Object::Mutex(mutex))
        }
        Kind::Inherit { from, .. } => task(from?),
        Kind::Arrive { by, .. } => task(by?),
        Kind::Overhead { cause, .. } => About::Cause(cause),
        kind => match (kind.server(), kind.queue()) {
            (Some(server), _) => About::Server(server.0),
            (_, Some(queue)) => About::Object(Object::Queue(queue)),
            _ => return None,
        },
    })
}

fn value(kind: Kind) -> Option<i64> {
    match kind {
        Kind::Release { deadline, .. } | Kind::Replenish { deadline, .. } => instant(deadline),
        Kind::Budget { left: length, .. }
        | Kind::Reclaim { length, .. }
        | Kind::Overhead { length, .. } => i64::try_from(length.as_nanos()).ok(),
        Kind::Fill { level: number, .. }
        | Kind::Overrun { lost: number, .. }
        | Kind::Underrun {
            missing: number, ..
        } => Some(number.into()),
        Kind::Speed { speed } => Some(speed.0.into()),
        Kind::Reserve { share, .. } => i64::try_from(Kind::share_ppm(share)).ok(),
        _ => None,
    }
}

/// When tasks ran: `cpu`, `task`, `job`, `start_ns`, `end_ns`, in the order of their beginnings on each CPU.
pub(crate) fn segments(trace: &Trace) -> PyResult<Columns> {
    let schedule = Schedule::of(trace);
    let lanes = schedule.cpu_lanes();
    let slices: Vec<_> = lanes
        .flat_map(|(cpu, lane)| lane.slices.iter().map(move |slice| (cpu.0, slice)))
        .collect();
    let slice = || slices.iter().map(|(_, slice)| slice);
    let tasks = slice().map(|slice| Some(u32::from(slice.task.0))).collect();
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
    let tasks = all().map(|job| Some(u32::from(job.task.0))).collect();
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
