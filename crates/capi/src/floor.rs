//! Deadline floors, which are ceilings under earliest deadlines: while a thread has a mutex with a floor it is as urgent as if
//! a job had been released when it locked it, with the floor as its relative deadline (Burns, Gutiérrez, Aldea Rivas and
//! González Harbour, "A Deadline-Floor Inheritance Protocol for EDF Scheduled Embedded Real-Time Systems with Resource
//! Sharing", IEEE Transactions on Computers 64(5), 2015).
//!
//! A mutex has room for a small number, so it has that of its floor, as it has that of its ceiling under other
//! policies. The floors that a program says are in a table.

use crate::binding::{_flyball_c_has_floors, _flyball_c_raise, HIGHEST};
use crate::control::Control;
use crate::errno::{EAGAIN, EINVAL, ENOTSUP};
use crate::latch::Locked;
use crate::mutexattr;
use crate::thread::LISTS;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::_flyball_now;
use flyball_trace::{Duration, Time};

/// How many different floors there can be: from 1, by number. The last number is [`LEAST`].
const FLOORS: usize = HIGHEST as usize - 1;

/// The floor of a mutex for which a program says none: no thread has a shorter deadline.
const LEAST: u64 = 1;

/// A floor in nanoseconds, the low half first. It does not change once an attribute has its number.
type Floor = [AtomicU32; 2];

static TABLE: [Floor; FLOORS] = [const { [AtomicU32::new(0), AtomicU32::new(0)] }; FLOORS];

/// How many of these are used.
static USED: Locked<usize> = Locked::new(0);

/// Whether the policy has floors, and so ceilings are none.
#[inline]
pub(crate) fn are_known() -> bool {
    _flyball_c_has_floors()
}

fn load([low, high]: &[AtomicU32; 2]) -> u64 {
    u64::from(low.load(Ordering::Relaxed)) | u64::from(high.load(Ordering::Relaxed)) << 32
}

/// The low half.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
const fn half(value: u64) -> u32 {
    value as u32
}

fn store([low, high]: &[AtomicU32; 2], value: u64) {
    low.store(half(value), Ordering::Relaxed);
    high.store(half(value >> 32), Ordering::Relaxed);
}

/// The floor of this number.
fn of(number: u32) -> u64 {
    let row = (number as usize).checked_sub(1);
    row.and_then(|row| TABLE.get(row)).map_or(LEAST, load)
}

/// The number of a floor. `None`: there are too many others.
fn number(floor: u64) -> Option<u32> {
    USED.with(|used| {
        let row = TABLE.iter().take(*used).position(|row| load(row) == floor);
        if row.is_none() {
            store(TABLE.get(*used)?, floor);
            *used += 1;
        }
        u32::try_from(row.map_or(*used, |row| row + 1)).ok()
    })
}

/// How many mutexes with floors a thread can have at the same time.
const MOST: usize = 16;

/// The floors of the mutexes that a thread has, in the order of locking: for each the instant at which it was locked, and the
/// number.
pub(crate) struct Held {
    entries: [[AtomicU32; 2]; MOST],
    count: AtomicU32,
}

/// Of an entry: the number; what is left is the instant, in nanoseconds.
const NUMBER: u32 = 6;

unsafe extern "C" {
    pub(crate) safe fn calloc(count: usize, size: usize) -> *mut c_void;
}

impl Held {
    /// Those of the calling thread. `None`: there is no memory.
    fn of(thread: &Control) -> Option<&'static Held> {
        let mut held = thread.held.load(Ordering::Relaxed);
        if held.is_null() {
            held = calloc(1, size_of::<Held>());
            thread.held.store(held, Ordering::Relaxed);
        }
        // SAFETY: where there are floors nothing else is kept there. Zeros are valid, and the memory stays as long as the thread.
        unsafe { held.cast::<Held>().as_ref() }
    }

    fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed) as usize
    }

    fn set_len(&self, len: usize) {
        // There are 16 at most.
        self.count.store(half(len as u64), Ordering::Relaxed);
    }

    fn all(&self) -> impl Iterator<Item = u64> {
        self.entries.iter().take(self.len()).map(load)
    }

    /// The one that makes the thread most urgent: its number, and since when.
    fn earliest(&self) -> Option<(u32, Time)> {
        let split = |entry: u64| {
            let number = half(entry) & ((1 << NUMBER) - 1);
            (number, Time::from_nanos(entry >> NUMBER))
        };
        self.all()
            .map(split)
            .min_by_key(|&(number, since)| since + Duration::from_nanos(of(number)))
    }

    /// Returns whether there is room.
    fn push(&self, number: u32, now: Time) -> bool {
        let len = self.len();
        let Some(entry) = self.entries.get(len) else {
            return false;
        };
        store(entry, now.as_nanos() << NUMBER | u64::from(number));
        self.set_len(len + 1);
        true
    }

    /// Takes out the last one of this number. Of two mutexes with the same floor the first one may be given back first: then
    /// the thread stays as urgent as that has made it.
    fn remove(&self, number: u32) {
        let is_it = |entry: u64| entry & ((1 << NUMBER) - 1) == u64::from(number);
        let last = self
            .all()
            .enumerate()
            .filter(|&(_, entry)| is_it(entry))
            .last();
        if let Some((at, _)) = last {
            for pair in self.entries.windows(2).take(self.len()).skip(at) {
                if let [to, from] = pair {
                    store(to, load(from));
                }
            }
            self.set_len(self.len() - 1);
        }
    }
}

/// Changes what the calling thread has, and tells the policy if that makes it more urgent, or less.
fn change(held: &Held, change: impl FnOnce(&Held) -> bool) -> bool {
    let before = held.earliest();
    let has_changed = change(held);
    let after = held.earliest();
    if before != after {
        let floor = after.map(|(number, since)| (Duration::from_nanos(of(number)), since));
        // The policy knows deadlines, and a thread calls.
        let _ = _flyball_c_raise(floor);
    }
    has_changed
}

/// The calling thread has a mutex with this floor. `EINVAL` if its own deadline is shorter, `EAGAIN` if it has too many
/// of these, or there is no memory: then nothing has changed.
pub(crate) fn enter(number: u32) -> c_int {
    let me = Control::current();
    // SAFETY: the list is locked.
    let own = LISTS.with(|_| unsafe { me.deadline() });
    if own.is_some_and(|own| own.as_nanos() < of(number)) {
        return EINVAL;
    }
    match Held::of(me) {
        Some(held) if change(held, |held| held.push(number, _flyball_now())) => 0,
        _ => EAGAIN,
    }
}

/// The calling thread has a mutex with this floor no more.
pub(crate) fn leave(number: u32) {
    if let Some(held) = Held::of(Control::current()) {
        change(held, |held| {
            held.remove(number);
            true
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_mutexattr_setdeadline(attributes: *mut u32, floor: u64) -> c_int {
    if !are_known() {
        return ENOTSUP;
    }
    if floor == 0 {
        return EINVAL;
    }
    let Some(number) = number(floor) else {
        return EAGAIN;
    };
    // SAFETY: C passes attributes.
    unsafe { mutexattr::set_ceiling(&mut *attributes, number) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flyball_mutexattr_getdeadline(attributes: *const u32, to: *mut u64) -> c_int {
    if !are_known() {
        return ENOTSUP;
    }
    // SAFETY: C passes attributes, and a place.
    unsafe { to.write(of(mutexattr::said(*attributes))) };
    0
}
