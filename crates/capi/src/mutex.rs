//! Mutexes: of the types normal, recursive and error checking, with priority inheritance or without.
//!
//! ```text
//!   word 0   who owns it: flyball_multicore::State
//!   word 1   bits 0-1 protocol, 2-3 type, 16-31 the number in a trace
//!   word 2   how often the owner of a recursive one has locked it again
//! ```

use crate::clock::{self, Timespec};
use crate::condition::Condition;
use crate::control::Control;
use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ENOTSUP, EPERM, ETIMEDOUT, number};
use crate::refer;
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::{
    _flyball_lock_until, _flyball_now, _flyball_owns, _flyball_sleep_until, _flyball_try_unlock,
};
use flyball_kernel::{At, Error, Protocol, State, Word, about};
use flyball_trace::{Duration, Time};

/// A mutex, `pthread_mutex_t`.
#[repr(C)]
pub(crate) struct Mutex {
    word: Word,
    depth: AtomicU32,
}

/// What types there are, in `about`.
const TYPE: u32 = 3 << 2;
const RECURSIVE: u32 = 1 << 2;
const ERROR_CHECKING: u32 = 2 << 2;

/// As `pthread.h` has them.
const TYPES: c_int = 3;
const PROTOCOLS: u32 = 3 << 2;
const INHERIT: u32 = 1 << 2;
const SHARED: u32 = 1 << 5;

impl Mutex {
    /// A mutex with priority inheritance, of this crate's own.
    pub(crate) const fn new() -> Mutex {
        Mutex::with(about::mutex(Protocol::Inherit))
    }

    /// The same, which its owner may lock again.
    pub(crate) const fn recursive() -> Mutex {
        Mutex::with(about::mutex(Protocol::Inherit) | RECURSIVE)
    }

    const fn with(about: u32) -> Mutex {
        Mutex {
            word: Word::new(State::FREE, about),
            depth: AtomicU32::new(0),
        }
    }

    /// Where it is.
    #[inline]
    pub(crate) fn at(&'static self) -> At {
        At::new(&self.word)
    }

    /// Waits until it is free, and locks it.
    #[inline]
    pub(crate) fn lock(&'static self) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return 0;
        }
        self.lock_slowly(Time::NEVER)
    }

    /// Locks it if it is free.
    #[inline]
    pub(crate) fn try_lock(&'static self) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return 0;
        }
        match self.lock_slowly(Time::ZERO) {
            EDEADLK | ETIMEDOUT => EBUSY,
            other => other,
        }
    }

    /// The same, but waits until `until` of a clock at the latest.
    fn lock_until(&'static self, clock: c_int, until: *const Timespec) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return 0;
        }
        // SAFETY: C passes a time.
        match clock::until(clock, unsafe { &*until }) {
            Ok(until) => self.lock_slowly(until),
            Err(error) => error,
        }
    }

    /// Gives it back.
    #[inline]
    pub(crate) fn unlock(&'static self) -> c_int {
        if self.depth.load(Ordering::Relaxed) == 0 && self.word.try_unlock(Control::quick()) {
            return 0;
        }
        self.unlock_slowly()
    }

    #[cold]
    #[inline(never)]
    fn lock_slowly(&'static self, until: Time) -> c_int {
        match self.word.about() & TYPE {
            RECURSIVE if self.is_mine() => return self.deepen(),
            ERROR_CHECKING if self.is_mine() => return EDEADLK,
            _ => {}
        }
        loop {
            let result = _flyball_lock_until(self.at(), until);
            if result != Err(Error::Deadlock) {
                return number(result);
            }
            // The thread waits for itself, or threads wait for each other. POSIX has it so, and one of
            // them may give up in time.
            let now = _flyball_now();
            if until <= now {
                return ETIMEDOUT;
            }
            let next = if self.is_mine() {
                until
            } else {
                until.min(now + Duration::from_millis(1))
            };
            _flyball_sleep_until(next);
        }
    }

    #[cold]
    #[inline(never)]
    fn unlock_slowly(&'static self) -> c_int {
        let depth = self.depth.load(Ordering::Relaxed);
        if depth == 0 {
            return number(_flyball_try_unlock(self.at()));
        }
        if !self.is_mine() {
            return EPERM;
        }
        self.depth.store(depth - 1, Ordering::Relaxed);
        0
    }

    /// Its owner locks it again.
    fn deepen(&self) -> c_int {
        match self.depth.load(Ordering::Relaxed).checked_add(1) {
            Some(depth) => {
                self.depth.store(depth, Ordering::Relaxed);
                0
            }
            None => EAGAIN,
        }
    }

    /// Whether the calling thread owns it.
    pub(crate) fn is_mine(&'static self) -> bool {
        let state = self.word.state();
        let name = Control::quick();
        match state.owner() {
            Some(owner) if name != 0 => owner == name,
            _ => state != State::FREE && _flyball_owns(self.at()),
        }
    }

    /// Its owner gives it back altogether, to wait for a condition; returns how often it has locked
    /// it again.
    ///
    /// # Errors
    /// `EPERM`.
    pub(crate) fn leave(&'static self) -> Result<u32, c_int> {
        let depth = self.depth.load(Ordering::Relaxed);
        if depth == 0 {
            return Ok(0);
        }
        if !self.is_mine() {
            return Err(EPERM);
        }
        self.depth.store(0, Ordering::Relaxed);
        Ok(depth)
    }

    /// The thread is the owner again.
    pub(crate) fn come_back(&self, depth: u32) {
        if depth != 0 {
            self.depth.store(depth, Ordering::Relaxed);
        }
    }
}

/// A mutex of two words, inside of other objects. Zeros are a free one.
#[repr(C)]
pub(crate) struct Latch {
    word: Word,
}

impl Latch {
    fn at(&'static self) -> At {
        At::new(&self.word)
    }

    pub(crate) fn lock(&'static self) {
        while !self.word.try_lock(Control::quick()) {
            if _flyball_lock_until(self.at(), Time::NEVER).is_ok() {
                return;
            }
        }
    }

    pub(crate) fn unlock(&'static self) {
        if !self.word.try_unlock(Control::quick()) {
            // The calling thread owns it.
            let _ = _flyball_try_unlock(self.at());
        }
    }

    /// Gives it back and waits for a signal, until `until` at the latest; owns it again then.
    pub(crate) fn wait(&'static self, condition: &'static Condition, until: Time) -> c_int {
        condition.wait_at(self.at(), until)
    }
}

/// Data for one thread at a time.
pub(crate) struct Locked<T> {
    mutex: Mutex,
    data: UnsafeCell<T>,
}

// SAFETY: the mutex lets one thread at a time have the data.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    pub(crate) const fn new(data: T) -> Locked<T> {
        Locked {
            mutex: Mutex::new(),
            data: UnsafeCell::new(data),
        }
    }

    /// Calls `f`, which does not come back here, with the data.
    pub(crate) fn with<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.mutex.lock();
        // SAFETY: this thread owns the mutex.
        let result = f(unsafe { &mut *self.data.get() });
        self.mutex.unlock();
        result
    }

    /// The same before threads run.
    ///
    /// # Safety
    /// No thread runs yet.
    pub(crate) unsafe fn at_start<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: as the caller promises.
        f(unsafe { &mut *self.data.get() })
    }
}

// On Arm there is a shorter way: `quick`.
#[cfg_attr(not(target_arch = "arm"), unsafe(no_mangle))]
#[cfg_attr(target_arch = "arm", unsafe(export_name = "__flyball_lock"))]
unsafe extern "C" fn pthread_mutex_lock(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.lock()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_trylock(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.try_lock()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_timedlock(mutex: *mut Mutex, until: *const Timespec) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.lock_until(clock::REALTIME, until)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut Mutex,
    clock: c_int,
    until: *const Timespec,
) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.lock_until(clock, until)
}

#[cfg_attr(not(target_arch = "arm"), unsafe(no_mangle))]
#[cfg_attr(target_arch = "arm", unsafe(export_name = "__flyball_unlock"))]
unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.unlock()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_init(mutex: *mut Mutex, attributes: *const u32) -> c_int {
    // SAFETY: C passes attributes, or none.
    let attributes = unsafe { attributes.as_ref() }.map_or(0, |&attributes| attributes);
    let protocol = if attributes & PROTOCOLS == INHERIT {
        Protocol::Inherit
    } else {
        Protocol::None
    };
    let about = about::mutex(protocol) | (attributes << 2 & TYPE);
    // SAFETY: C passes memory for a mutex, which no thread uses yet.
    unsafe { mutex.write(Mutex::with(about)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    let state = unsafe { refer(mutex) }.word.state();
    if state == State::FREE { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_init(attributes: *mut u32) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(0) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutexattr_destroy(_: *mut u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_settype(attributes: *mut u32, of: c_int) -> c_int {
    match u32::try_from(of) {
        Ok(of @ 0..=2) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !3 | of };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_gettype(attributes: *const u32, of: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *of = (*attributes).cast_signed() & TYPES };
    0
}

/// `PTHREAD_PRIO_PROTECT` is not supported.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setprotocol(attributes: *mut u32, to: c_int) -> c_int {
    match u32::try_from(to) {
        Ok(to @ 0..=1) => {
            // SAFETY: C passes attributes.
            unsafe { *attributes = *attributes & !PROTOCOLS | to << 2 };
            0
        }
        Ok(2) => ENOTSUP,
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_getprotocol(
    attributes: *const u32,
    to: *mut c_int,
) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = ((*attributes & PROTOCOLS) >> 2).cast_signed() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_setpshared(attributes: *mut u32, to: c_int) -> c_int {
    match to {
        // SAFETY: C passes attributes.
        0 => unsafe { *attributes &= !SHARED },
        // SAFETY: C passes attributes.
        1 => unsafe { *attributes |= SHARED },
        _ => return EINVAL,
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_getpshared(attributes: *const u32, to: *mut c_int) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { *to = c_int::from(*attributes & SHARED != 0) };
    0
}
