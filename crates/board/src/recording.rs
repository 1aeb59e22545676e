//! How the schedule is read back.
//!
//! ```text
//! "FLYRUN01"  8 bytes
//! total       8 bytes, little-endian: how many events there were
//! kept        8 bytes: how many of them follow, the first ones
//! records     24 bytes each
//! ```
//!
//! The board's clock starts with the kernel, and the task set some time later. Here that instant is
//! time zero, as in a simulation.

use crate::Fault;
use flyball_script::Alias;
use flyball_script::image::Contents;
use flyball_trace::{CpuId, Duration, Event, Kind, Record, TaskId, Time};
use std::fmt;

const MAGIC: &[u8; 8] = b"FLYRUN01";

/// What happened on a board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// What happened, or the beginning of it. Time zero is when the task set starts.
    pub events: Vec<Event>,
    /// Until when that is all that happened: less than the run took if there were too many events.
    pub end: Time,
    /// How many later events the board has not kept: it keeps the first 8,388,608.
    pub dropped: u64,
    /// Why the board went no further, if it did not come to the end.
    pub fault: Option<Fault>,
    /// The tasks of each cluster, at the end, as its kernel numbers them.
    pub(crate) rows: Vec<Vec<TaskId>>,
}

/// Why bytes are not a board's trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// They do not begin like one.
    Magic,
    /// They end too early, or go on too long.
    Length {
        /// Events that were announced.
        announced: u64,
        /// Bytes that followed.
        bytes: u64,
    },
    /// It has fewer events than it says to have kept.
    Counts,
    /// A record is none.
    Record(usize),
    /// A record is about a CPU, or a task, that there is not.
    NotAdmitted(usize),
    /// There are not so many clusters of CPUs as traces.
    Traces(usize),
    /// There are more threads than a trace can number.
    Threads,
}

/// CPUs that share a kernel core, and its tasks, as the machine numbers them.
struct Cluster {
    first: usize,
    cpus: usize,
    tasks: Vec<TaskId>,
}

/// No task of the set.
const NOBODY: TaskId = TaskId(u16::MAX);

impl Cluster {
    /// A row is another task from now on.
    fn name(&mut self, Alias { row, task }: Alias) {
        if row.index() >= self.tasks.len() {
            self.tasks.resize(row.index() + 1, NOBODY);
        }
        self.tasks[row.index()] = task;
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Magic => f.write_str("it does not begin as one does"),
            ReadError::Length { announced, bytes } => write!(
                f,
                "{announced} events of {} bytes are announced, and {bytes} bytes follow",
                Record::SIZE
            ),
            ReadError::Counts => f.write_str("it has kept more events than there were"),
            ReadError::Record(at) => write!(f, "event {at} is none"),
            ReadError::NotAdmitted(at) => {
                write!(f, "event {at} is about a CPU or a task that there is not")
            }
            ReadError::Threads => f.write_str("there are too many threads"),
            ReadError::Traces(found) => write!(f, "there are traces of {found} clusters of CPUs"),
        }
    }
}

impl std::error::Error for ReadError {}

impl Recording {
    /// Reads what a board wrote that ran a task set: a trace for each cluster of CPUs. CPUs and
    /// tasks are numbered there within the cluster. Threads beyond its tasks are the board's own:
    /// while they run the CPU idles, as far as the task set is concerned. O(bytes).
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(traces: &[Vec<u8>], contents: &Contents) -> Result<Recording, ReadError> {
        let common = &contents.common;
        let size = usize::from(common.cluster.max(1));
        if traces.len() != usize::from(common.cpus).div_ceil(size) {
            return Err(ReadError::Traces(traces.len()));
        }
        let mut all = Recording {
            end: Time::ZERO + common.end.since(common.start),
            ..Recording::default()
        };
        for (number, trace) in traces.iter().enumerate() {
            let first = number * size;
            let cluster = Cluster {
                first,
                cpus: size.min(usize::from(common.cpus) - first),
                // There are at most 64 CPUs.
                tasks: cluster_of(contents, u8::try_from(first).unwrap_or(u8::MAX)),
            };
            let rows = all.add(trace, contents, cluster)?;
            all.rows.push(rows);
        }
        // What happened at one instant stays in the order of the clusters.
        all.events.sort_by_key(|event| event.time);
        let end = all.end;
        all.events.retain(|event| event.time <= end);
        Ok(all)
    }

    /// What one cluster wrote. Returns its tasks at the end.
    fn add(
        &mut self,
        bytes: &[u8],
        contents: &Contents,
        mut cluster: Cluster,
    ) -> Result<Vec<TaskId>, ReadError> {
        let (common, tasks) = (&contents.common, contents.tasks.len());
        let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::Magic)?;
        let (total, rest) = number(rest)?;
        let (kept, rest) = number(rest)?;
        let (records, left) = rest.as_chunks::<{ Record::SIZE }>();
        if records.len() as u64 != kept || !left.is_empty() {
            return Err(ReadError::Length {
                announced: kept,
                bytes: rest.len() as u64,
            });
        }
        let dropped = total.checked_sub(kept).ok_or(ReadError::Counts)?;
        let mut last = Time::ZERO;
        for (at, record) in records.iter().enumerate() {
            if let Some(alias) = Alias::decode(&Record(*record)) {
                if alias.task.index() >= tasks {
                    return Err(ReadError::NotAdmitted(at));
                }
                cluster.name(alias);
                continue;
            }
            let mut event = Record(*record).decode().ok_or(ReadError::Record(at))?;
            if event.cpu.index() >= cluster.cpus {
                return Err(ReadError::NotAdmitted(at));
            }
            // A cluster's CPUs are among the machine's, which have numbers of one byte.
            event.cpu = CpuId(u8::try_from(cluster.first + event.cpu.index()).unwrap_or(u8::MAX));
            last = event.time;
            if is_over(&event, common.end) {
                continue;
            }
            let event = own(event, &cluster.tasks).map(|event| shift(event, common.start));
            self.events.extend(event);
        }
        if dropped > 0 {
            self.dropped += dropped;
            self.end = self.end.min(Time::ZERO + last.since(common.start));
        }
        Ok(cluster.tasks)
    }

    /// The same of a run that ended with a fault: what is known ends there.
    #[must_use]
    pub fn until(self, fault: Fault) -> Recording {
        Recording {
            end: self.end.min(fault.time),
            fault: Some(fault),
            ..self
        }
    }

    /// The time that it covers.
    pub fn length(&self) -> Duration {
        self.end.since(Time::ZERO)
    }
}

/// The tasks of a CPU's cluster, as its kernel numbers them.
fn cluster_of(contents: &Contents, cpu: u8) -> Vec<TaskId> {
    let size = contents.common.cluster.max(1);
    let tasks = (0..).map(TaskId).zip(&contents.tasks);
    let tasks = tasks.filter(|(_, task)| task.task.cpu / size == cpu / size);
    tasks.map(|(number, _)| number).collect()
}

fn number(bytes: &[u8]) -> Result<(u64, &[u8]), ReadError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(ReadError::Magic)?;
    Ok((u64::from_le_bytes(*number), rest))
}

/// Whether an event is past the end: what happens at that instant still counts, but for releases.
fn is_over(event: &Event, end: Time) -> bool {
    event.time > end || event.time == end && matches!(event.kind, Kind::Release { .. })
}

/// The event as the task set sees it, if it does; `tasks` are those of the cluster.
fn own(event: Event, tasks: &[TaskId]) -> Option<Event> {
    let name = |row: TaskId| {
        let task = tasks.get(row.index()).copied();
        task.filter(|&task| task != NOBODY)
    };
    match event.kind.task().map(name) {
        Some(None) => match event.kind {
            Kind::Dispatch { .. } => Some(Event {
                kind: Kind::Idle,
                ..event
            }),
            _ => None,
        },
        _ if event.kind.server().map(|it| name(it.task())) == Some(None) => None,
        _ => Some(Event {
            kind: event.kind.renamed(|row| name(row).unwrap_or(row)),
            ..event
        }),
    }
}

/// The event on a clock that starts at `start`.
fn shift(event: Event, start: Time) -> Event {
    let shift = |time: Time| Time::ZERO + time.since(start);
    let kind = match event.kind {
        Kind::Release {
            task,
            job,
            deadline,
        } if !deadline.is_never() => Kind::Release {
            task,
            job,
            deadline: shift(deadline),
        },
        Kind::Replenish { server, deadline } => Kind::Replenish {
            server,
            deadline: shift(deadline),
        },
        kind => kind,
    };
    Event {
        time: shift(event.time),
        kind,
        ..event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_script::image::{Common, TaskContents};

    const COMMON: Common = Common {
        start: Time::from_nanos(1_000),
        end: Time::from_nanos(3_000),
        tick: Duration::ZERO,
        shape: 0,
        instruction: Duration::from_nanos(1),
        cpus: 1,
        cluster: 1,
    };

    fn read(bytes: &[u8], tasks: usize) -> Result<Recording, ReadError> {
        let contents = Contents {
            common: COMMON,
            tasks: vec![TaskContents::default(); tasks],
            ..Contents::default()
        };
        Recording::read(&[bytes.to_vec()], &contents)
    }

    fn event(ns: u64, kind: Kind) -> Event {
        Event {
            time: Time::from_nanos(ns),
            cpu: CpuId(0),
            kind,
        }
    }

    fn release(task: u16, deadline: Time) -> Kind {
        Kind::Release {
            task: TaskId(task),
            job: 1,
            deadline,
        }
    }

    fn dispatch(task: u16) -> Kind {
        Kind::Dispatch {
            task: TaskId(task),
            job: 1,
        }
    }

    fn written(total: u64, events: &[Event]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(total.to_le_bytes());
        bytes.extend((events.len() as u64).to_le_bytes());
        bytes.extend(events.iter().flat_map(|&event| Record::from(event).0));
        bytes
    }

    #[test]
    fn time_starts_with_the_task_set() {
        let start = Kind::Start { task: TaskId(0) };
        let end = Kind::Complete {
            task: TaskId(0),
            job: 1,
        };
        let at = Time::from_nanos;
        let written = written(
            7,
            &[
                event(12, start),
                event(1_003, release(0, at(2_500))),
                event(1_004, release(1, Time::NEVER)),
                event(1_010, dispatch(0)),
                event(3_000, end),
                event(3_000, release(0, at(4_000))),
                event(3_001, dispatch(1)),
            ],
        );
        let read = read(&written, 2).unwrap();
        let expected = [
            event(0, start),
            event(3, release(0, at(1_500))),
            event(4, release(1, Time::NEVER)),
            event(10, dispatch(0)),
            event(2_000, end),
        ];
        assert_eq!(read.events, expected);
        assert_eq!((read.end, read.dropped), (at(2_000), 0));
        assert_eq!(read.length(), Duration::from_nanos(2_000));
    }

    #[test]
    fn periods_of_reservations_are_lengths() {
        let reserve = |task, ns| Kind::Reserve {
            task: TaskId(task),
            share: 9,
            period: Duration::from_nanos(ns),
        };
        let quality = Kind::Quality { task: TaskId(1) };
        let events = [
            (1_003, reserve(1, 2_000)),
            (1_004, quality),
            (1_005, reserve(2, 7)),
        ];
        let written = written(3, &events.map(|(ns, kind)| event(ns, kind)));
        // The third is the board's own thread.
        let expected = [event(3, reserve(1, 2_000)), event(4, quality)];
        assert_eq!(read(&written, 2).unwrap().events, expected);
    }

    #[test]
    fn the_boards_own_threads_are_idleness() {
        let written = written(
            3,
            &[
                event(5, Kind::Start { task: TaskId(2) }),
                event(1_100, dispatch(1)),
                event(1_200, dispatch(2)),
            ],
        );
        let read = read(&written, 2).unwrap();
        assert_eq!(
            read.events,
            [event(100, dispatch(1)), event(200, Kind::Idle)]
        );
    }

    #[test]
    fn a_trace_that_is_cut_off_is_known() {
        let written = written(100, &[event(1_100, dispatch(0)), event(1_700, Kind::Idle)]);
        let read = read(&written, 1).unwrap();
        assert_eq!((read.end, read.dropped), (Time::from_nanos(700), 98));
    }

    #[test]
    fn a_task_from_another_cluster_has_a_name() {
        let mut written = written(2, &[event(1_100, dispatch(9)), event(1_200, dispatch(9))]);
        let (row, task) = (TaskId(9), TaskId(7));
        // Between the two.
        let at = written.len() - Record::SIZE;
        written.splice(at..at, Alias { row, task }.encode().0);
        written[8] = 3;
        written[16] = 3;
        assert_eq!(read(&written, 7), Err(ReadError::NotAdmitted(1)));
        let read = read(&written, 8).unwrap();
        assert_eq!(
            read.events,
            [event(100, Kind::Idle), event(200, dispatch(7))]
        );
        assert_eq!(read.rows[0][7..], [TaskId(7), NOBODY, TaskId(7)]);
    }

    #[test]
    fn damage_is_noticed() {
        let events = [event(1_100, dispatch(0)), event(1_700, Kind::Idle)];
        let bytes = written(2, &events);
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut], 1).is_err(), "{cut}");
        }
        assert_eq!(read(&written(1, &events), 1), Err(ReadError::Counts));
        let mut wrong = bytes.clone();
        wrong[24 + 22] = 99;
        assert_eq!(read(&wrong, 1), Err(ReadError::Record(0)));
        let mut wrong = bytes;
        wrong[48 + 23] = 1;
        assert_eq!(read(&wrong, 1), Err(ReadError::NotAdmitted(1)));
    }
}
