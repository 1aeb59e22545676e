//! Mutexes: of the types normal, recursive and error checking; without a protocol, with priority inheritance or with a ceiling.
//!
//! ```text
//!   word 0   its owner: flyball_multicore::State
//!   word 1   bits 0-1 protocol, 2-3 type, 4-9 ceiling, 16-31 the number in a trace
//!   word 2   how often the owner of a recursive one has locked it again; bit 31 if it has a ceiling
//! ```

use crate::clock::{self, Timespec};
use crate::control::Control;
use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT, number};
use crate::{ceiling, mutexattr, refer};
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

/// Where its ceiling is in `about`, if `depth` says that it has one.
const CEILING: u32 = 4;
const CEILINGS: u32 = 0x3f;

/// In `depth`: the mutex has a ceiling. So the short ways do not fit it.
const HAS_CEILING: u32 = 1 << 31;

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
            return self.locked();
        }
        self.lock_slowly(Time::NEVER)
    }

    /// Locks it if it is free.
    #[inline]
    pub(crate) fn try_lock(&'static self) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return self.locked();
        }
        match self.lock_slowly(Time::ZERO) {
            EDEADLK | ETIMEDOUT => EBUSY,
            other => other,
        }
    }

    /// The same, but waits until `until` of a clock at the latest.
    fn lock_until(&'static self, clock: c_int, until: *const Timespec) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return self.locked();
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
            match result {
                Ok(()) => return self.locked(),
                Err(Error::Deadlock) => {}
                Err(_) => return number(result),
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

    /// The calling thread has just become its owner.
    #[inline]
    fn locked(&'static self) -> c_int {
        if self.depth.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let error = ceiling::enter(self.ceiling());
        if error != 0 {
            // The thread owns it.
            let _ = _flyball_try_unlock(self.at());
        }
        error
    }

    fn ceiling(&self) -> u32 {
        self.word.about() >> CEILING & CEILINGS
    }

    #[cold]
    #[inline(never)]
    fn unlock_slowly(&'static self) -> c_int {
        let depth = self.depth.load(Ordering::Relaxed);
        if depth & !HAS_CEILING != 0 {
            if !self.is_mine() {
                return EPERM;
            }
            self.depth.store(depth - 1, Ordering::Relaxed);
            return 0;
        }
        let ceiling = self.ceiling();
        let error = number(_flyball_try_unlock(self.at()));
        if error == 0 && depth != 0 {
            ceiling::leave(ceiling);
        }
        error
    }

    /// Its owner locks it again.
    fn deepen(&self) -> c_int {
        let depth = self.depth.load(Ordering::Relaxed) + 1;
        if depth & !HAS_CEILING == 0 {
            return EAGAIN;
        }
        self.depth.store(depth, Ordering::Relaxed);
        0
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
        self.depth.store(depth & HAS_CEILING, Ordering::Relaxed);
        if depth & HAS_CEILING != 0 {
            ceiling::leave(self.ceiling());
        }
        Ok(depth)
    }

    /// The thread is the owner again.
    pub(crate) fn come_back(&self, depth: u32) {
        if depth == 0 {
            return;
        }
        self.depth.store(depth, Ordering::Relaxed);
        if depth & HAS_CEILING != 0 {
            // It was allowed before.
            ceiling::enter(self.ceiling());
        }
    }

    /// Changes its ceiling, if it has one; returns the ceiling before.
    ///
    /// # Errors
    /// `EINVAL`.
    fn set_ceiling(&self, to: Option<u32>) -> Result<u32, c_int> {
        if self.depth.load(Ordering::Relaxed) & HAS_CEILING == 0 {
            return Err(EINVAL);
        }
        let about = self.word.about();
        if let Some(to) = to {
            self.word
                .describe(about & !(CEILINGS << CEILING) | to << CEILING);
        }
        Ok(about >> CEILING & CEILINGS)
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
    // A mutex with a ceiling has inheritance, too: between locking and raising the thread may be preempted.
    let protocol = match mutexattr::protocol(attributes) {
        mutexattr::NONE => Protocol::None,
        _ => Protocol::Inherit,
    };
    let ceiling = mutexattr::ceiling(attributes);
    let about = about::mutex(protocol) | (attributes << 2 & TYPE) | ceiling.unwrap_or(0) << CEILING;
    // SAFETY: C passes memory for a mutex, which no thread uses yet.
    unsafe {
        mutex.write(Mutex {
            depth: AtomicU32::new(ceiling.map_or(0, |_| HAS_CEILING)),
            ..Mutex::with(about)
        });
    };
    0
}

/// A mutex without a waiter has been locked by the short way, and is none of those that it is for.
#[cfg(target_arch = "arm")]
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_locked(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.locked()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_getprioceiling(mutex: *mut Mutex, to: *mut c_int) -> c_int {
    // SAFETY: C passes a mutex.
    match unsafe { refer(mutex) }.set_ceiling(None) {
        Ok(ceiling) => {
            // SAFETY: C passes a place.
            unsafe { to.write(ceiling.cast_signed()) };
            0
        }
        Err(error) => error,
    }
}

/// Locks the mutex meanwhile, by the ceiling that it has.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_setprioceiling(
    mutex: *mut Mutex,
    to: c_int,
    old: *mut c_int,
) -> c_int {
    // SAFETY: C passes a mutex.
    let mutex = unsafe { refer(mutex) };
    let Some(to) = mutexattr::valid(to) else {
        return EINVAL;
    };
    if let Err(error) = mutex.set_ceiling(None) {
        return error;
    }
    let error = mutex.lock();
    if error != 0 {
        return error;
    }
    let before = mutex.ceiling();
    ceiling::leave(before);
    let _ = mutex.set_ceiling(Some(to));
    let _ = _flyball_try_unlock(mutex.at());
    // SAFETY: C passes a place, or none.
    if let Some(old) = unsafe { old.as_mut() } {
        *old = before.cast_signed();
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    let state = unsafe { refer(mutex) }.word.state();
    if state == State::FREE { 0 } else { EBUSY }
}
