//! What happened in a program in C or C++: the schedule of its threads.
//!
//! The file has records as long as those of events, one after the other: events, and [notes](Note). A kernel's row is
//! one thread after the other, as threads end and others begin. Here a thread is a task of its own, but that
//! threads of one name which have no jobs, one after the other, are one.

use super::functions::Functions;
use crate::recording::ReadError;
use flyball_script::Note;
use flyball_trace::file::{Header, Trace};
use flyball_trace::metrics::TaskInfo;
use flyball_trace::{Duration, Event, Kind, Record, TaskId, Time};
use std::collections::HashMap;

/// What a program is, for its trace.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What people call it.
    pub name: &'a str,
    /// The policy's name.
    pub policy: &'a str,
    /// On how many CPUs it has run.
    pub cpus: u8,
    /// Functions by address.
    pub functions: &'a Functions,
}

/// A thread, from its beginning to its end.
#[derive(Default)]
struct Thread {
    routine: Option<u64>,
    label: String,
    period: Option<Duration>,
    deadline: Option<Duration>,
    /// The numbers of the events with which it begins, and ends.
    begins: usize,
    ends: Option<usize>,
}

/// Which thread each row of the kernel is.
#[derive(Default)]
struct Rows {
    threads: usize,
    now: HashMap<TaskId, usize>,
}

impl Rows {
    /// What happened changes which thread a row is.
    fn see(&mut self, kind: &Kind) {
        if let Kind::Start { task } = *kind {
            self.begin(task);
        }
    }

    fn begin(&mut self, row: TaskId) -> usize {
        let number = self.threads;
        self.threads += 1;
        self.now.insert(row, number);
        number
    }

    /// The thread in a row. One of which it was not seen that it began begins here.
    fn of(&mut self, row: TaskId) -> usize {
        match self.now.get(&row) {
            Some(&number) => number,
            None => self.begin(row),
        }
    }
}

/// Reads what the image of a program has written. O(bytes · log threads).
///
/// # Errors
/// [`ReadError`].
pub fn read(bytes: &[u8], about: &About<'_>) -> Result<Trace, ReadError> {
    let (records, _) = bytes.as_chunks::<{ Record::SIZE }>();
    let mut threads = Threads::default();
    let mut events = Vec::with_capacity(records.len());
    let mut end = None;
    for (at, record) in records.iter().enumerate() {
        let record = Record(*record);
        match Note::decode(&record) {
            Some(Note::End { time, total }) => end = Some((time, total)),
            Some(note) => threads.note(note, events.len()),
            None => {
                let event = record.decode().ok_or(ReadError::Record(at))?;
                if event.cpu.0 >= about.cpus.max(1) {
                    return Err(ReadError::NotAdmitted(at));
                }
                threads.see(&event.kind, events.len());
                events.push(event);
            }
        }
    }
    let kept = events.len() as u64;
    let dropped = match end {
        Some((_, total)) => total.checked_sub(kept).ok_or(ReadError::Counts)?,
        None => 0,
    };
    let last = events.last().map_or(Time::ZERO, |event| event.time);
    let end = end.filter(|_| dropped == 0).map_or(last, |(time, _)| time);
    let (tasks, numbers) = tasks(&threads.all, about.functions)?;
    rename(&mut events, &numbers);
    Ok(Trace {
        header: Header {
            name: about.name.to_owned(),
            policy: about.policy.to_owned(),
            cpus: about.cpus.max(1),
            end_ns: end.as_nanos(),
            dropped,
            tasks,
            ..Header::default()
        },
        events,
    })
}

/// All threads, while a trace is read.
#[derive(Default)]
struct Threads {
    all: Vec<Thread>,
    rows: Rows,
}

impl Threads {
    /// The thread in a row. It has begun with the event of the number `at`, if it was not known.
    fn of(&mut self, row: TaskId, at: usize) -> &mut Thread {
        let number = self.rows.of(row);
        while self.all.len() <= number {
            self.all.push(Thread {
                begins: at,
                ..Thread::default()
            });
        }
        &mut self.all[number]
    }

    /// An event of this number.
    fn see(&mut self, kind: &Kind, at: usize) {
        self.rows.see(kind);
        if let Some(row) = kind.task() {
            let thread = self.of(row, at);
            if matches!(kind, Kind::Exit { .. }) {
                thread.ends = Some(at);
            }
        }
    }

    /// What is said of a thread, before the event of the number `at`.
    fn note(&mut self, note: Note, at: usize) {
        match note {
            Note::Thread { row, routine } => self.of(row, at).routine = Some(routine),
            Note::Jobs {
                row,
                period,
                deadline,
            } => {
                let thread = self.of(row, at);
                (thread.period, thread.deadline) = (period, deadline);
            }
            Note::Label { row, text } => {
                let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
                self.of(row, at).label = String::from_utf8_lossy(text).into_owned();
            }
            Note::End { .. } => {}
        }
    }
}

/// Events are about tasks from here on, not about rows.
fn rename(events: &mut [Event], numbers: &[TaskId]) {
    let mut rows = Rows::default();
    for event in events {
        rows.see(&event.kind);
        let of = |row| {
            let number = rows.now.get(&row);
            number
                .and_then(|&number| numbers.get(number))
                .copied()
                .unwrap_or(row)
        };
        event.kind = event.kind.renamed(of);
    }
}

/// The tasks of one name: how many there are, and those of threads without jobs, with the ends of these.
#[derive(Default)]
struct Named {
    count: usize,
    plain: Vec<(usize, Option<usize>)>,
}

/// The tasks of a trace, and which of them each thread is.
fn tasks(
    threads: &[Thread],
    functions: &Functions,
) -> Result<(Vec<TaskInfo>, Vec<TaskId>), ReadError> {
    let mut tasks: Vec<TaskInfo> = Vec::new();
    let mut numbers = Vec::with_capacity(threads.len());
    let mut named: HashMap<String, Named> = HashMap::new();
    for (number, thread) in threads.iter().enumerate() {
        let name = name(thread, number, functions);
        let Named { count, plain } = named.entry(name.clone()).or_default();
        let has_jobs = thread.period.is_some() || thread.deadline.is_some();
        let before = plain
            .iter_mut()
            .find(|(_, end)| !has_jobs && end.is_some_and(|end| end < thread.begins));
        if let Some((task, end)) = before {
            *end = thread.ends;
            numbers.push(numbers_task(*task)?);
            continue;
        }
        *count += 1;
        let name = if *count == 1 {
            name
        } else {
            format!("{name} {count}")
        };
        if !has_jobs {
            plain.push((tasks.len(), thread.ends));
        }
        numbers.push(numbers_task(tasks.len())?);
        tasks.push(TaskInfo {
            name,
            period: thread.period,
            deadline: thread.deadline,
        });
    }
    Ok((tasks, numbers))
}

fn numbers_task(number: usize) -> Result<TaskId, ReadError> {
    match u16::try_from(number) {
        Ok(number) if number < u16::MAX => Ok(TaskId(number)),
        _ => Err(ReadError::Threads),
    }
}

/// What a thread is called: by the program, or as the function that it runs.
fn name(thread: &Thread, number: usize, functions: &Functions) -> String {
    if !thread.label.is_empty() {
        return thread.label.clone();
    }
    // The kernel makes that of `main` before all others.
    if number == 0 {
        return "main".to_owned();
    }
    let function = thread.routine.and_then(|routine| functions.at(routine));
    function.unwrap_or_else(|| format!("thread {number}"))
}

#[cfg(test)]
mod tests;
