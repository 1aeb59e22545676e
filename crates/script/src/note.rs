//! What the trace of a program in C or C++ says besides events, and how such a program learns where its trace
//! goes.

use flyball_trace::{Duration, Record, TaskId, Time};

/// One of the things that are no events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// A thread has been created in a row of the kernel.
    Thread {
        /// The row.
        row: TaskId,
        /// The address of the function that it runs.
        routine: u64,
    },
    /// What is said of the jobs of a thread.
    Jobs {
        /// The row.
        row: TaskId,
        /// The period, or the least separation of releases; `None`: it has no jobs.
        period: Option<Duration>,
        /// The relative deadline.
        deadline: Option<Duration>,
    },
    /// A thread has a name.
    Label {
        /// The row.
        row: TaskId,
        /// The name; zeros follow it.
        text: [u8; 16],
    },
    /// The trace is complete.
    End {
        /// When the program ended.
        time: Time,
        /// How many events there were.
        total: u64,
    },
}

impl Note {
    // No event has these for its kind.
    const THREAD: u8 = 0xf0;
    const JOBS: u8 = 0xf1;
    const LABEL: u8 = 0xf2;
    const END: u8 = 0xf3;
    const ROW_AT: usize = 20;
    const CODE_AT: usize = 22;

    /// A record that is no event.
    pub fn encode(self) -> Record {
        let length = |length: Option<Duration>| length.map_or(u64::MAX, Duration::as_nanos);
        let two = |first: u64, second: u64| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&first.to_le_bytes());
            bytes[8..].copy_from_slice(&second.to_le_bytes());
            bytes
        };
        let (code, row, values) = match self {
            Note::Thread { row, routine } => (Note::THREAD, row, two(routine, 0)),
            Note::Jobs {
                row,
                period,
                deadline,
            } => (Note::JOBS, row, two(length(period), length(deadline))),
            Note::Label { row, text } => (Note::LABEL, row, text),
            Note::End { time, total } => (Note::END, TaskId(0), two(time.as_nanos(), total)),
        };
        let mut bytes = [0; Record::SIZE];
        bytes[..16].copy_from_slice(&values);
        bytes[Note::ROW_AT..Note::CODE_AT].copy_from_slice(&row.0.to_le_bytes());
        bytes[Note::CODE_AT] = code;
        Record(bytes)
    }

    /// What a record says, if it is none of an event but one of these.
    pub fn decode(record: &Record) -> Option<Note> {
        let (values, _) = record.0.split_first_chunk::<16>()?;
        let (first, second) = values.split_first_chunk::<8>()?;
        let first = u64::from_le_bytes(*first);
        let second = u64::from_le_bytes(*second.first_chunk()?);
        let length = |nanos: u64| (nanos != u64::MAX).then(|| Duration::from_nanos(nanos));
        let row = TaskId(u16::from_le_bytes([
            record.0[Note::ROW_AT],
            record.0[Note::ROW_AT + 1],
        ]));
        let note = match record.0[Note::CODE_AT] {
            Note::THREAD => Note::Thread {
                row,
                routine: first,
            },
            Note::JOBS => Note::Jobs {
                row,
                period: length(first),
                deadline: length(second),
            },
            Note::LABEL => Note::Label { row, text: *values },
            Note::END => Note::End {
                time: Time::from_nanos(first),
                total: second,
            },
            _ => return None,
        };
        // Fields that are not used are zero.
        (note.encode() == *record).then_some(note)
    }
}

/// Where a trace goes: what is written into a program's memory before it starts. Memory that nothing has
/// initialised does not begin so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Destination;

impl Destination {
    /// The bytes that it takes.
    pub const SIZE: usize = 512;

    /// What it begins with; the last digits are the version of what is written.
    const MAGIC: [u8; 8] = *b"flytrc01";

    /// What is written for a file of this name; `None` if that is too long, or has a zero in it.
    pub fn encode(name: &[u8]) -> Option<[u8; Destination::SIZE]> {
        let mut bytes = [0; Destination::SIZE];
        let (magic, place) = bytes.split_at_mut(Destination::MAGIC.len());
        magic.copy_from_slice(&Destination::MAGIC);
        // With a zero at the end.
        let place = place.get_mut(..name.len()).filter(|place| {
            place.len() < Destination::SIZE - Destination::MAGIC.len() && !name.contains(&0)
        })?;
        place.copy_from_slice(name);
        Some(bytes)
    }

    /// The name of the file, with a zero at the end; `None`: nothing was written.
    pub fn decode(bytes: &[u8; Destination::SIZE]) -> Option<&core::ffi::CStr> {
        let name = bytes.strip_prefix(&Destination::MAGIC)?;
        core::ffi::CStr::from_bytes_until_nul(name).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::{CpuId, Event, Kind};

    #[test]
    fn notes_are_no_events() {
        let row = TaskId(3);
        let period = Some(Duration::from_millis(5));
        let mut text = [0; 16];
        text[..4].copy_from_slice(b"show");
        for note in [
            Note::Thread {
                row,
                routine: 0x8000_1235,
            },
            Note::Jobs {
                row,
                period,
                deadline: None,
            },
            Note::Label { row, text },
            Note::End {
                time: Time::from_nanos(7),
                total: 1 << 40,
            },
        ] {
            let record = note.encode();
            assert_eq!(record.decode(), None);
            assert_eq!(Note::decode(&record), Some(note));
            assert_eq!(crate::Alias::decode(&record), None);
            let mut wrong = record;
            wrong.0[23] = 1;
            assert_eq!(Note::decode(&wrong), None);
        }
        let event = Event {
            time: Time::ZERO,
            cpu: CpuId(0),
            kind: Kind::Idle,
        };
        assert_eq!(Note::decode(&Record::from(event)), None);
    }

    #[test]
    fn a_destination_fits_or_is_refused() {
        let bytes = Destination::encode(b"out.fbtrace").unwrap();
        assert_eq!(Destination::decode(&bytes), Some(c"out.fbtrace"));
        assert_eq!(Destination::decode(&[0; Destination::SIZE]), None);
        let longest = Destination::SIZE - Destination::MAGIC.len() - 1;
        assert!(Destination::encode(&vec![b'a'; longest]).is_some());
        assert_eq!(Destination::encode(&vec![b'a'; longest + 1]), None);
        assert_eq!(Destination::encode(b"a\0b"), None);
    }
}
