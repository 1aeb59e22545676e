//! The events of a schedule, as columns.

use crate::column::{Column, PART, Part, named};
use crate::columns::{Columns, fault};
use crate::schedule::{instant, task_names};
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{ArrayRef, Int64Array, UInt8Array};
use flyball::report::slices::object_name;
use flyball::trace::file::{Header, Trace};
use flyball::trace::{Event, Kind, Object, Record, TaskId};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Where a record has the number of its kind.
const CODE: usize = 22;

/// The kind of events that has this number in records, with zeros for all the rest.
fn of_code(code: u8) -> Option<Kind> {
    let mut bytes = [0; Record::SIZE];
    bytes[CODE] = code;
    Record(bytes).decode().map(|event| event.kind)
}

/// The names of the kinds of events, by the numbers that they have in records.
fn kinds() -> Vec<String> {
    let kinds = (0..=u8::MAX).map_while(of_code);
    kinds.map(|kind| kind.name().to_owned()).collect()
}

/// What events of a kind have, whatever else they say.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column")]
struct Has {
    task: bool,
    job: bool,
    /// It may have one.
    object: bool,
    value: bool,
}

impl Has {
    /// By the number of the kind in records.
    fn all() -> Vec<Has> {
        let has = |code| {
            of_code(code).map_or(Has::default(), |kind| Has {
                task: kind.task().is_some(),
                job: job(kind).is_some(),
                object: object(kind).is_some(),
                value: value(kind).is_some(),
            })
        };
        (0..=u8::MAX).map(has).collect()
    }
}

/// What events are about, in the order in which it comes up.
#[derive(Default)]
struct Seen {
    numbers: HashMap<About, u32>,
    all: Vec<About>,
}

impl Seen {
    fn number(&mut self, about: About) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(about).or_insert_with(|| {
            self.all.push(about);
            next
        })
    }
}

/// The rows of some events, column by column.
struct Rows<'a> {
    times: &'a mut [i64],
    cpus: &'a mut [u8],
    codes: &'a mut [u16],
    tasks: Part<'a, u16>,
    jobs: Part<'a, u32>,
    objects: Part<'a, u32>,
    values: Part<'a, i64>,
}

impl Rows<'_> {
    /// Fills them, and numbers objects in the order in which they come up. Returns the objects in this order.
    fn fill(mut self, events: &[Event], kinds_have: &[Has]) -> Vec<About> {
        let mut seen = Seen::default();
        for (row, event) in events.iter().enumerate() {
            // Records have everything in the same place, whatever the kind.
            let record = Record::from(*event).0;
            let [.., j0, j1, j2, j3, t0, t1, code, cpu] = record;
            let has = kinds_have[usize::from(code)];
            self.times[row] = instant(event.time).unwrap_or(i64::MAX);
            self.cpus[row] = cpu;
            self.codes[row] = code.into();
            if has.task {
                self.tasks.put(row, u16::from_le_bytes([t0, t1]));
            }
            if has.job {
                self.jobs.put(row, u32::from_le_bytes([j0, j1, j2, j3]));
            }
            if has.object
                && let Some(about) = object(event.kind)
            {
                self.objects.put(row, seen.number(about));
            }
            if has.value
                && let Some(value) = value(event.kind)
            {
                self.values.put(row, value);
            }
        }
        seen.all
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
///
/// All threads of the pool fill them.
pub(crate) fn events(trace: &Trace) -> PyResult<Columns> {
    let rows = trace.events.len();
    let (mut times, mut cpus, mut codes) = (vec![0; rows], vec![0; rows], vec![0; rows]);
    let (mut tasks, mut jobs) = (Column::<u16>::missing(rows), Column::missing(rows));
    let (mut objects, mut values) = (Column::<u32>::missing(rows), Column::missing(rows));
    let kinds_have = Has::all();
    let parts = (
        trace.events.par_chunks(PART),
        times.par_chunks_mut(PART),
        cpus.par_chunks_mut(PART),
        codes.par_chunks_mut(PART),
        tasks.parts(),
        jobs.parts(),
        objects.parts(),
        values.parts(),
    );
    let parts = parts.into_par_iter().map(
        |(events, times, cpus, codes, tasks, jobs, objects, values)| {
            let rows = Rows {
                times,
                cpus,
                codes,
                tasks,
                jobs,
                objects,
                values,
            };
            rows.fill(events, &kinds_have)
        },
    );
    let seen: Vec<Vec<About>> = parts.collect();
    let abouts = renumber(&mut objects, &seen);
    let header = &trace.header;
    let names = abouts.iter().map(|about| about.name(header)).collect();
    let ((events, tasks), objects) = rayon::join(
        || rayon::join(|| named(codes, kinds()), || tasks.named(task_names(header))),
        || objects.named(names),
    );
    let found = |column: Result<ArrayRef, _>| column.map_err(|error| fault(&error));
    Columns::new([
        ("time_ns", Arc::new(Int64Array::from(times)) as ArrayRef),
        ("cpu", Arc::new(UInt8Array::from(cpus))),
        ("event", found(events)?),
        ("task", found(tasks)?),
        ("job", jobs.finish::<UInt32Type>()),
        ("object", found(objects)?),
        ("value", values.finish::<Int64Type>()),
    ])
}

/// Numbers objects for all parts alike, which each part has numbered by itself in the order in which it saw them. Returns them all.
fn renumber(objects: &mut Column<u32>, seen: &[Vec<About>]) -> Vec<About> {
    let mut all = Seen::default();
    let mut of_part = |part: &Vec<About>| part.iter().map(|&it| all.number(it)).collect();
    let numbers: Vec<Vec<u32>> = seen.iter().map(&mut of_part).collect();
    let is_alike = |part: &Vec<u32>| (0..).zip(part).all(|(own, &number)| own == number);
    if !numbers.iter().all(is_alike) {
        objects.change(|part, number| {
            let own = usize::try_from(*number).ok();
            *number = own
                .and_then(|own| numbers[part].get(own).copied())
                .unwrap_or(0);
        });
    }
    all.all
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
