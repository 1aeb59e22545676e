//! What happened, in a file that `flyball inspect` reads: the format of `flyball_trace::file`.

use crate::seam;
use crate::task::Task;
use core::ffi::CStr;
use core::fmt::{self, Write};
use flyball_trace::{Duration, Event, Record, Sink, Time};
use static_cell::ConstStaticCell;

/// Room for the first `N` events of a [`Schedule`], of 24 bytes each.
pub struct ScheduleBuffer<const N: usize>(ConstStaticCell<[Record; N]>);

impl<const N: usize> ScheduleBuffer<N> {
    /// Room that no schedule has yet.
    pub const fn new() -> ScheduleBuffer<N> {
        ScheduleBuffer(ConstStaticCell::new([Record([0; Record::SIZE]); N]))
    }
}

impl<const N: usize> Default for ScheduleBuffer<N> {
    fn default() -> ScheduleBuffer<N> {
        ScheduleBuffer::new()
    }
}

/// A [`Sink`] that keeps the first events, and counts those after them.
pub struct Schedule {
    records: &'static mut [Record],
    total: u64,
}

/// What the file of a [`Schedule`] says beside the events.
pub struct Described<'a, const WORDS: usize> {
    /// The name of the application.
    pub name: &'a str,
    /// The policy's name.
    pub policy: &'a str,
    /// How many CPUs there are.
    pub cpus: u8,
    /// When the schedule ends.
    pub end: Time,
    /// The tasks whose threads have been made. Other threads are called by their numbers.
    pub tasks: &'a [Task<WORDS>],
}

impl Schedule {
    /// A schedule without events. If another one has `buffer` already it keeps none.
    pub fn new<const N: usize>(buffer: &'static ScheduleBuffer<N>) -> Schedule {
        let records = buffer.0.try_take();
        Schedule {
            records: records.map_or(&mut [], |records| records),
            total: 0,
        }
    }

    /// The records that were kept.
    fn kept(&self) -> &[Record] {
        let most = self.records.len();
        let kept = usize::try_from(self.total).map_or(most, |total| total.min(most));
        &self.records[..kept]
    }

    /// Writes the file `name` on the computer that runs the machine or debugs it. Returns whether it
    /// is complete.
    pub fn save<const WORDS: usize>(&self, name: &CStr, about: &Described<'_, WORDS>) -> bool {
        seam::_flyball_write_file(name, &mut |put| self.write(about, put))
    }

    fn write<const WORDS: usize>(&self, about: &Described<'_, WORDS>, put: &mut dyn FnMut(&[u8])) {
        let header = Header {
            about,
            kept: self.kept(),
            dropped: self.total - self.kept().len() as u64,
        };
        let mut length = Length(0);
        // Neither counting nor `put` fails, here and below.
        let _ = write!(length, "{header}");
        put(b"FLYTRACE");
        put(&1_u32.to_le_bytes());
        // A table of fewer than 65,536 threads is not as long as that.
        put(&u32::try_from(length.0).unwrap_or(u32::MAX).to_le_bytes());
        let _ = write!(Bytes(put), "{header}");
        for record in self.kept() {
            put(&record.0);
        }
    }
}

impl Sink for Schedule {
    fn record(&mut self, event: Event) {
        let place = usize::try_from(self.total).ok();
        if let Some(place) = place.and_then(|place| self.records.get_mut(place)) {
            *place = Record::from(event);
        }
        self.total += 1;
    }
}

/// The header of a file, as JSON.
struct Header<'a, const WORDS: usize> {
    about: &'a Described<'a, WORDS>,
    kept: &'a [Record],
    dropped: u64,
}

impl<const WORDS: usize> Header<'_, WORDS> {
    /// The task whose thread has this number.
    fn task(&self, number: usize) -> Option<&Task<WORDS>> {
        let mut tasks = self.about.tasks.iter();
        tasks.find(|task| {
            let thread = task.stack.thread();
            thread.is_some_and(|thread| thread.task().index() == number)
        })
    }

    /// How many threads there are that events are about, or that are tasks' threads.
    fn threads(&self) -> usize {
        let traced = self.kept.iter().filter_map(Record::decode);
        let traced = traced.filter_map(|event| event.kind.task());
        let tasks = self.about.tasks.iter();
        let known = tasks.filter_map(|task| Some(task.stack.thread()?.task()));
        let last = traced.chain(known).max();
        last.map_or(0, |last| last.index() + 1)
    }
}

impl<const WORDS: usize> fmt::Display for Header<'_, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.about;
        write!(
            f,
            "{{\"events\":{},\"header\":{{\"name\":{},\"policy\":{},\"cpus\":{},\"end_ns\":{},\
             \"dropped\":{},\"tasks\":[",
            self.kept.len(),
            Text(about.name),
            Text(about.policy),
            about.cpus,
            about.end.as_nanos(),
            self.dropped,
        )?;
        for number in 0..self.threads() {
            if number > 0 {
                f.write_char(',')?;
            }
            match self.task(number) {
                Some(task) => write!(
                    f,
                    "{{\"name\":{},\"period_ns\":{},\"deadline_ns\":{}}}",
                    Text(task.name),
                    Nanoseconds(task.facts.period),
                    Nanoseconds(task.facts.deadline),
                )?,
                None => write!(
                    f,
                    "{{\"name\":\"thread {number}\",\"period_ns\":null,\"deadline_ns\":null}}"
                )?,
            }
        }
        f.write_str("],\"mutexes\":[],\"semaphores\":[],\"queues\":[]}}")
    }
}

/// A string as JSON has it.
struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// A length of time as JSON has it, or `null`.
struct Nanoseconds(Option<Duration>);

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(length) => write!(f, "{}", length.as_nanos()),
            None => f.write_str("null"),
        }
    }
}

/// Counts bytes.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Hands text over as bytes.
struct Bytes<'a>(&'a mut dyn FnMut(&[u8]));

impl Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        (self.0)(text.as_bytes());
        Ok(())
    }
}
