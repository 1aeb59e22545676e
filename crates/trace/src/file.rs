//! A whole trace on disk, with the names of its tasks.
//!
//! ```text
//! "FLYTRACE"  8 bytes
//! version     4 bytes, little-endian: 1, or 2 if the header names servers
//! length      4 bytes: of the header
//! header      JSON: see Header
//! records     24 bytes each, to the end of the file
//! ```
//!
//! The header says how many records follow, so a file that was cut off is noticed.

use crate::metrics::TaskInfo;
use crate::{Event, Kind, Record, ServerId, TaskId, Time};
use std::fmt;

const MAGIC: &[u8; 8] = b"FLYTRACE";
/// Of traces without servers.
const WITHOUT_SERVERS: u32 = 1;
/// Of traces with servers, whose budgets are among the events.
const VERSION: u32 = 2;

/// A schedule: what happened, and what the numbers in it stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// What the numbers stand for.
    pub header: Header,
    /// What happened.
    pub events: Vec<Event>,
}

/// What the numbers in a trace stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The task set's name.
    pub name: String,
    /// The policy that made the schedule.
    pub policy: String,
    /// Number of CPUs.
    pub cpus: u8,
    /// When the trace ends, in nanoseconds.
    pub end_ns: u64,
    /// Events that were dropped because a buffer was full.
    pub dropped: u64,
    /// The tasks, by number.
    pub tasks: Vec<TaskInfo>,
    /// The mutexes' names, by number.
    pub mutexes: Vec<String>,
    /// The semaphores' names, by number.
    pub semaphores: Vec<String>,
    /// The queues' names, by number.
    pub queues: Vec<String>,
    /// The servers' names, by number. A number that is no server's has an empty one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
}

/// Why a file is not a trace.
#[derive(Debug)]
pub enum TraceError {
    /// It does not begin like one.
    NotATrace,
    /// It has a version that is not known here.
    Version(u32),
    /// Its header is not what it should be.
    Header(serde_json::Error),
    /// It ends too early, or goes on too long.
    Length {
        /// Records that the header announced.
        announced: u64,
        /// Bytes that followed.
        bytes: u64,
    },
    /// A record is none.
    Record(usize),
    /// A record speaks of a task, a server or a CPU that the header does not name.
    NotAdmitted(usize),
}

/// The header as it is written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<H> {
    events: u64,
    header: H,
}

impl Header {
    /// The name of the task or the server that such an event is about, if it is about one that has a
    /// name here.
    pub fn name_of(&self, kind: Kind) -> Option<&str> {
        let task = kind.task().and_then(|task| self.tasks.get(task.index()));
        let server = kind
            .server()
            .and_then(|server| self.servers.get(server.index()));
        task.map(|task| &*task.name)
            .or(server.map(|server| &**server))
    }
}

impl Trace {
    /// When the trace ends.
    pub fn end(&self) -> Time {
        Time::from_nanos(self.header.end_ns)
    }

    /// Names the servers that there are events of: each has the number of a task, and the name that
    /// `name` returns for that.
    pub fn name_servers(&mut self, name: impl Fn(TaskId) -> String) {
        let mut servers = vec![String::new(); self.header.tasks.len()];
        let numbers = self.events.iter().filter_map(|event| event.kind.server());
        for server in numbers {
            if let Some(place) = servers.get_mut(server.index())
                && place.is_empty()
            {
                *place = name(server.task());
            }
        }
        let is_named = |name: &String| !name.is_empty();
        let end = servers
            .iter()
            .rposition(is_named)
            .map_or(0, |last| last + 1);
        servers.truncate(end);
        self.header.servers = servers;
    }

    /// The trace as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let written = Written {
            events: self.events.len() as u64,
            header: &self.header,
        };
        // A struct of numbers and strings always has a JSON form.
        let header = serde_json::to_vec(&written).unwrap_or_default();
        let mut bytes = Vec::with_capacity(16 + header.len() + self.events.len() * Record::SIZE);
        bytes.extend_from_slice(MAGIC);
        let version = if self.header.servers.is_empty() {
            WITHOUT_SERVERS
        } else {
            VERSION
        };
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(
            &u32::try_from(header.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        bytes.extend_from_slice(&header);
        for &event in &self.events {
            bytes.extend_from_slice(&Record::from(event).0);
        }
        bytes
    }

    /// Reads a trace from bytes. Whatever the bytes are, this takes time and memory linear in their
    /// number.
    ///
    /// # Errors
    /// [`TraceError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Trace, TraceError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(TraceError::NotATrace)?;
        let (version, rest) = number(rest)?;
        if ![WITHOUT_SERVERS, VERSION].contains(&version) {
            return Err(TraceError::Version(version));
        }
        let (length, rest) = number(rest)?;
        let length = usize::try_from(length).map_err(|_| TraceError::NotATrace)?;
        let (header, rest) = rest.split_at_checked(length).ok_or(TraceError::NotATrace)?;
        let written: Written<Header> =
            serde_json::from_slice(header).map_err(TraceError::Header)?;
        let header = written.header;
        let (records, left) = rest.as_chunks::<{ Record::SIZE }>();
        if records.len() as u64 != written.events || !left.is_empty() {
            let bytes = rest.len() as u64;
            return Err(TraceError::Length {
                announced: written.events,
                bytes,
            });
        }
        let mut events = Vec::with_capacity(records.len());
        for (at, record) in records.iter().enumerate() {
            let event = Record(*record).decode().ok_or(TraceError::Record(at))?;
            let task = event
                .kind
                .task()
                .is_none_or(|task| task.index() < header.tasks.len());
            let named = |server: ServerId| header.servers.get(server.index());
            let server = event
                .kind
                .server()
                .is_none_or(|server| named(server).is_some_and(|name| !name.is_empty()));
            if !task || !server || event.cpu.0 >= header.cpus {
                return Err(TraceError::NotAdmitted(at));
            }
            events.push(event);
        }
        Ok(Trace { header, events })
    }
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), TraceError> {
    let (number, rest) = bytes.split_first_chunk().ok_or(TraceError::NotATrace)?;
    Ok((u32::from_le_bytes(*number), rest))
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::NotATrace => f.write_str("this is not a Flyball trace"),
            TraceError::Version(version) => {
                write!(
                    f,
                    "the trace has version {version}, and none after {VERSION} is known here"
                )
            }
            TraceError::Header(error) => write!(f, "the trace's header is damaged: {error}"),
            TraceError::Length { announced, bytes } => write!(
                f,
                "the trace is incomplete: {announced} events of {} bytes are announced, and {bytes} \
                 bytes follow",
                Record::SIZE
            ),
            TraceError::Record(at) => write!(f, "event {at} of the trace is damaged"),
            TraceError::NotAdmitted(at) => {
                write!(
                    f,
                    "event {at} of the trace is about a task, a server or a CPU that its header lacks"
                )
            }
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuId, Duration};

    fn example() -> Trace {
        let task = |name: &str| TaskInfo {
            name: name.into(),
            period: None,
            deadline: None,
        };
        let event = |time, task| Event {
            time: Time::from_nanos(time),
            cpu: CpuId(0),
            kind: Kind::Dispatch {
                task: TaskId(task),
                job: 1,
            },
        };
        Trace {
            header: Header {
                name: "example".into(),
                cpus: 1,
                end_ns: 9,
                tasks: vec![task("a"), task("b \"quoted\"")],
                ..Header::default()
            },
            events: vec![event(1, 0), event(5, 1)],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let trace = example();
        assert_eq!(Trace::from_bytes(&trace.to_bytes()).unwrap(), trace);
    }

    #[test]
    fn servers_have_names() {
        let mut trace = example();
        let left = Duration::from_nanos(5);
        trace.events[1].kind = Kind::Budget {
            server: ServerId(1),
            left,
        };
        // It is not among the names.
        assert!(matches!(
            Trace::from_bytes(&trace.to_bytes()),
            Err(TraceError::NotAdmitted(1))
        ));
        trace.name_servers(|task| format!("of {task}"));
        assert_eq!(trace.header.servers, ["", "of 1"]);
        let bytes = trace.to_bytes();
        assert_eq!(bytes[8], 2);
        assert_eq!(Trace::from_bytes(&bytes).unwrap(), trace);
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = example().to_bytes();
        for cut in 0..bytes.len() {
            assert!(Trace::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        let mut wrong = bytes.clone();
        wrong[8] = 3;
        assert!(matches!(
            Trace::from_bytes(&wrong),
            Err(TraceError::Version(3))
        ));
        let mut wrong = bytes.clone();
        let last = wrong.len() - Record::SIZE;
        wrong[last + 20] = 2; // the task
        assert!(matches!(
            Trace::from_bytes(&wrong),
            Err(TraceError::NotAdmitted(1))
        ));
        wrong[last + 22] = 99; // the kind
        assert!(matches!(
            Trace::from_bytes(&wrong),
            Err(TraceError::Record(1))
        ));
    }
}
