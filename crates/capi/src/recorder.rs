//! Records what happens, in a file of the host's: the first events, and what threads are called.
//!
//! Where the file is has to be written into the program's memory before it starts, as `flyball run --trace`
//! does; otherwise nothing is recorded. Records are kept in memory until there is no room for more. Then the
//! host takes all of them in one call, in which the emulated board executes no instruction.

use crate::files;
use crate::semihosting::{WRITE, call};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use flyball_script::{Destination, Note};
use flyball_trace::{Event, Record, Sink, Time};

/// How many events are recorded: 201 MB of the host's.
const MOST: u64 = 8 << 20;

/// How many records there is room for in memory.
const ROOM: usize = 4096;

const _: () = assert!(
    size_of::<Record>() == Record::SIZE && align_of::<Record>() == 1,
    "records follow each other in the file as they do in memory"
);

/// Memory that nothing initialises, and that one recorder has.
struct Memory<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: `take` gives it away once.
unsafe impl Sync for Memory<[MaybeUninit<Record>; ROOM]> {}
// SAFETY: it is only read, after it has been written from outside and before the program starts.
unsafe impl Sync for Memory<[u8; Destination::SIZE]> {}

#[unsafe(link_section = ".uninit.flyball_records")]
static RECORDS: Memory<[MaybeUninit<Record>; ROOM]> =
    Memory(UnsafeCell::new(MaybeUninit::zeroed()));

/// Where the trace goes: a [`Destination`].
#[unsafe(export_name = "__flyball_trace")]
#[unsafe(link_section = ".uninit.flyball_trace")]
static DESTINATION: Memory<[u8; Destination::SIZE]> =
    Memory(UnsafeCell::new(MaybeUninit::zeroed()));

/// A [`Sink`] that keeps the first events, and counts all.
#[derive(Debug)]
pub struct Recorder {
    /// The host's number of the file; `None`: nothing is recorded.
    file: Option<usize>,
    /// Room for records; none where nothing is recorded.
    room: &'static mut [MaybeUninit<Record>],
    used: usize,
    total: u64,
}

impl Recorder {
    /// Makes the file, if there is to be one. The second recorder records nothing.
    pub fn begin() -> Recorder {
        static IS_TAKEN: AtomicBool = AtomicBool::new(false);
        let mut recorder = Recorder {
            file: None,
            room: &mut [],
            used: 0,
            total: 0,
        };
        // SAFETY: all bytes are valid, and nothing writes them while the program runs. They are read as
        // something that may have changed, as something else has written them.
        let destination = unsafe { DESTINATION.0.get().read_volatile().assume_init() };
        if let Some(name) = Destination::decode(&destination)
            && !IS_TAKEN.swap(true, Ordering::Relaxed)
            && let Some(file) = files::open(name, files::TO_WRITE)
        {
            recorder.file = Some(file);
            // SAFETY: this is reached once. What may not be initialised says so.
            recorder.room = unsafe { &mut *RECORDS.0.get().cast::<[MaybeUninit<Record>; ROOM]>() };
        }
        recorder
    }

    /// Adds what is no event.
    pub fn note(&mut self, note: Note) {
        // A thread that begins after the last event that is kept has no name.
        if self.total <= MOST {
            self.keep(note.encode());
        }
    }

    /// Completes the file. What happens later is not recorded.
    pub fn end(&mut self, time: Time) {
        let total = self.total;
        self.keep(Note::End { time, total }.encode());
        self.hand_over();
        if let Some(file) = self.file.take() {
            files::close(file);
        }
        self.room = &mut [];
    }

    /// The host takes what is in memory.
    #[cold]
    #[inline(never)]
    fn hand_over(&mut self) {
        let used = core::mem::take(&mut self.used);
        let Some(file) = self.file else {
            return;
        };
        let length = used * Record::SIZE;
        let mut arguments = [file, self.room.as_ptr().expose_provenance(), length];
        // SAFETY: so many bytes have been written. What the host does not take is lost, and is noticed where
        // the file is read, as it is too short.
        unsafe { call(WRITE, &mut arguments) };
    }

    fn keep(&mut self, record: Record) {
        if self.used == self.room.len() {
            self.hand_over();
        }
        if let Some(place) = self.room.get_mut(self.used) {
            place.write(record);
            self.used += 1;
        }
    }
}

impl Sink for Recorder {
    #[expect(
        clippy::inline_always,
        reason = "where the kind is known nothing is left of the choice among kinds"
    )]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        self.total += 1;
        if self.total <= MOST {
            self.keep(Record::from(event));
        }
    }
}
