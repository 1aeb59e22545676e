//! What kernel entries take, in instructions, by what they do. Without the feature
//! `probe` nothing is counted, and nothing is spent on it.
//!
//! `mcycle` of an emulated hart counts the instructions of all harts. A hart in the kernel executes
//! its own only, as long as no timer of another one interrupts the emulator. Where another hart has
//! begun or ended an entry meanwhile, the length is dropped, and that is counted; what is left of
//! such errors are a few instructions outside of entries, such as the way into an interrupt.

use crate::board::HARTS;
use crate::hart;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

/// Whether anything is counted.
pub const ENABLED: bool = cfg!(feature = "probe");

/// What an entry is begun by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// A thread calls.
    Call,
    /// The kernel's timer: jobs are released, waits are over, bursts end.
    Timer,
    /// Another CPU.
    Interrupt,
}

impl Path {
    /// All of them.
    pub const ALL: [Path; 3] = [Path::Call, Path::Timer, Path::Interrupt];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Path::Call => "call",
            Path::Timer => "timer",
            Path::Interrupt => "interrupt",
        }
    }
}

/// What is done on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It takes the lock, if there is one.
    Lock,
    /// It does what was asked: the call, or the releases.
    Work,
    /// It decides which thread runs.
    Decide,
    /// It sets timers and tells other CPUs.
    Tell,
    /// It changes to another stack.
    Switch,
}

impl Part {
    /// All of them, in order.
    pub const ALL: [Part; 5] = [
        Part::Lock,
        Part::Work,
        Part::Decide,
        Part::Tell,
        Part::Switch,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Lock => "lock",
            Part::Work => "work",
            Part::Decide => "decide",
            Part::Tell => "tell",
            Part::Switch => "switch",
        }
    }
}

/// So many lengths, in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lengths {
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// The longest.
    pub most: u64,
}

impl Lengths {
    const NONE: Lengths = Lengths {
        count: 0,
        sum: 0,
        most: 0,
    };

    fn add(&mut self, length: u64) {
        self.count += 1;
        self.sum += length;
        self.most = self.most.max(length);
    }
}

/// What one hart has counted.
struct Counts {
    parts: [[Lengths; Part::ALL.len()]; Path::ALL.len()],
    /// With the lock in the hand, from when it has it until it gives it back.
    held: [Lengths; Path::ALL.len()],
    /// Jobs released and waits that ended, by the timer.
    served: u64,
    /// What the timer's work took where it served one, by itself.
    one: Lengths,
    /// What the entry took where the timer had nothing to serve: a tick.
    none: Lengths,
    /// Entries of which lengths were dropped.
    disturbed: u64,
    /// How many the timer serves in this entry.
    serves: Option<u32>,
    /// Whether lengths of this entry were dropped.
    is_disturbed: bool,
    /// What [`ENTRIES`] was when the part began.
    seen: u32,
    path: Path,
    /// When the part began that it is at.
    since: u64,
    /// What it has had the lock for so far.
    holds: u64,
}

struct Place(UnsafeCell<Counts>);

// SAFETY: a hart touches its own place only, with interrupts masked; when all have come to an end
// one of them reads all.
unsafe impl Sync for Place {}

/// Changes whenever an entry begins or ends on any hart.
static ENTRIES: AtomicU32 = AtomicU32::new(0);

static COUNTS: [Place; HARTS] = [const {
    Place(UnsafeCell::new(Counts {
        parts: [[Lengths::NONE; Part::ALL.len()]; Path::ALL.len()],
        held: [Lengths::NONE; Path::ALL.len()],
        served: 0,
        one: Lengths::NONE,
        none: Lengths::NONE,
        disturbed: 0,
        serves: None,
        is_disturbed: false,
        seen: 0,
        path: Path::Call,
        since: 0,
        holds: 0,
    }))
}; HARTS];

fn mine(f: impl FnOnce(&mut Counts)) {
    let hart = usize::from(hart::number());
    // SAFETY: as above; `f` does not come back here.
    f(unsafe { &mut *COUNTS[hart].0.get() });
}

/// An entry begins.
#[inline(always)]
pub(crate) fn begin(path: Path) {
    if ENABLED {
        mine(|counts| {
            counts.path = path;
            counts.holds = 0;
            counts.serves = None;
            counts.is_disturbed = false;
            counts.seen = ENTRIES.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            counts.since = hart::cycles();
        });
    }
}

/// A part of an entry is over, and the next one begins.
#[inline(always)]
pub(crate) fn end(part: Part) {
    if ENABLED {
        let now = hart::cycles();
        mine(|counts| {
            let length = now - counts.since;
            let seen = ENTRIES.load(Ordering::Relaxed);
            if seen == counts.seen {
                counts.parts[counts.path as usize][part as usize].add(length);
                if part == Part::Work && counts.serves == Some(1) {
                    counts.one.add(length);
                }
                if part != Part::Lock {
                    counts.holds += length;
                }
            } else {
                counts.seen = seen;
                // A wait for the lock is no part of what is done with it.
                counts.is_disturbed |= part != Part::Lock;
            }
            counts.since = hart::cycles();
        });
    }
}

/// An entry is over.
#[inline(always)]
pub(crate) fn finish() {
    if ENABLED {
        ENTRIES.fetch_add(1, Ordering::Relaxed);
        mine(|counts| {
            if counts.is_disturbed {
                counts.disturbed += 1;
                return;
            }
            counts.held[counts.path as usize].add(counts.holds);
            if counts.serves == Some(0) {
                counts.none.add(counts.holds);
            }
        });
    }
}

/// The timer has served so many.
#[inline(always)]
pub(crate) fn served(number: u32) {
    if ENABLED {
        mine(|counts| {
            counts.served += u64::from(number);
            counts.serves = Some(number);
        });
    }
}

/// What hart number `hart` has counted, when all have come to an end: by path and part, with the
/// lock held by path, and of the timer how many jobs it released and waits it ended, what that took
/// where it was one by itself, and what entries took where it was none. Nothing if there is no
/// such hart.
pub fn report(hart: u8, mut line: impl FnMut(&str, &str, Lengths)) {
    let Some(place) = COUNTS.get(usize::from(hart)) else {
        return;
    };
    // SAFETY: it has come to an end.
    let counts = unsafe { &*place.0.get() };
    let number = |count| Lengths {
        count,
        ..Lengths::NONE
    };
    for path in Path::ALL {
        for part in Part::ALL {
            let lengths = counts.parts[path as usize][part as usize];
            line(path.name(), part.name(), lengths);
        }
        line(path.name(), "held", counts.held[path as usize]);
    }
    line("timer", "served", number(counts.served));
    line("timer", "one", counts.one);
    line("timer", "none", counts.none);
    line("entries", "disturbed", number(counts.disturbed));
}
