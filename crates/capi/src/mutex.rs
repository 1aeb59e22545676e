//! Mutexes: of the types normal, recursive and error checking; without a protocol, with priority inheritance or with a ceiling;
//! robust or not.
//!
//! ```text
//!   word 0   its owner: flyball_multicore::State
//!   word 1   bits 0-1 protocol, 2-3 type, 4-9 ceiling, 10-11 what has become of a robust one, 16-31 the number in a trace
//!   word 2   how often the owner of a recursive one has locked it again; bit 31 if it has a ceiling, 30 if it is robust
//! ```

use crate::clock::{self, Timespec};
use crate::control::Control;
use crate::errno::{
    EAGAIN, EBUSY, EDEADLK, EINVAL, ENOMEM, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT, number,
};
use crate::{ceiling, interrupt, mutexattr, refer, robust, signal};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::{
    _flyball_lock_unless, _flyball_now, _flyball_owns, _flyball_sleep_until, _flyball_try_unlock,
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
pub(crate) const RECURSIVE: u32 = 1 << 2;
const ERROR_CHECKING: u32 = 2 << 2;

/// Where its ceiling is in `about`, if `depth` says that it has one.
const CEILING: u32 = 4;
const CEILINGS: u32 = 0x3f;

/// In `depth`: the mutex has a ceiling, or is robust. So the short ways do not fit it.
const HAS_CEILING: u32 = 1 << 31;
const ROBUST: u32 = 1 << 30;
pub(crate) const SPECIAL: u32 = HAS_CEILING | ROBUST;

/// In `about` of a robust mutex: a thread has ended that owned it, and since then no owner has made the data
/// consistent; or none ever will.
const OWNER_DIED: u32 = 1 << 10;
const LOST: u32 = 1 << 11;

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

    /// The same for a function that cannot be refused: in the handler of an interrupt the program ends.
    #[inline]
    pub(crate) fn lock_or_end(&'static self) {
        if self.lock() == EPERM {
            interrupt::end();
        }
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

    /// Waits for it no longer than this.
    pub(crate) fn lock_within(&'static self, length: Duration) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return self.locked();
        }
        self.lock_slowly(_flyball_now() + length)
    }

    /// As `lock`, but waits until `until` of a clock at the latest.
    fn lock_until(&'static self, clock: c_int, until: *const Timespec) -> c_int {
        if self.word.try_lock(Control::quick()) {
            return self.locked();
        }
        // SAFETY: C passes a time.
        match clock::until(clock, unsafe { &*until }) {
            Ok(until) => self.lock_slowly(until),
            // One that is free needs no valid time. A thread without a quick name has not yet looked.
            Err(error) => match self.try_lock() {
                EBUSY => error,
                other => other,
            },
        }
    }

    /// Gives it back.
    #[inline]
    pub(crate) fn unlock(&'static self) -> c_int {
        let depth = self.depth.load(Ordering::Relaxed);
        if depth == 0 && self.word.try_unlock(Control::quick()) {
            return 0;
        }
        self.unlock_specially(depth)
    }

    /// By itself, so that the short way saves no registers.
    #[cold]
    #[inline(never)]
    fn unlock_specially(&'static self, depth: u32) -> c_int {
        // It may be another thread's in a moment.
        let ceiling = self.ceiling();
        if depth == HAS_CEILING && self.word.try_unlock(Control::quick()) {
            ceiling::leave(ceiling);
            return 0;
        }
        self.unlock_slowly()
    }

    #[cold]
    #[inline(never)]
    fn lock_slowly(&'static self, until: Time) -> c_int {
        if interrupt::refuses() {
            return EPERM;
        }
        match self.word.about() & TYPE {
            RECURSIVE if self.is_mine() => return self.deepen(),
            ERROR_CHECKING if self.is_mine() => return EDEADLK,
            _ => {}
        }
        loop {
            let result = self.wait_for(until);
            match result {
                Ok(()) => return self.locked(),
                Err(Error::Deadlock) => {}
                Err(Error::Roused) => continue,
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

    /// Waits for it in the kernel. Handlers of signals run afterwards.
    fn wait_for(&'static self, until: Time) -> Result<(), Error> {
        let me = Control::current();
        signal::defer();
        let ends = signal::ends_lock();
        me.is_locking.store(ends != 0, Ordering::Relaxed);
        let result = _flyball_lock_unless(self.at(), until, &me.signals.due, ends);
        me.is_locking.store(false, Ordering::Relaxed);
        signal::resume();
        result
    }

    /// The calling thread has just become its owner.
    #[inline]
    fn locked(&'static self) -> c_int {
        match self.depth.load(Ordering::Relaxed) {
            0 => 0,
            depth => self.locked_specially(depth),
        }
    }

    /// By itself, so that the short way saves no registers.
    #[cold]
    #[inline(never)]
    fn locked_specially(&'static self, depth: u32) -> c_int {
        if depth & HAS_CEILING != 0 {
            let error = ceiling::enter(self.ceiling());
            if error != 0 {
                // The thread owns it.
                let _ = _flyball_try_unlock(self.at());
                return error;
            }
        }
        match self.word.about() & (OWNER_DIED | LOST) {
            0 => 0,
            OWNER_DIED => EOWNERDEAD,
            _ => {
                self.unlock_slowly();
                ENOTRECOVERABLE
            }
        }
    }

    /// Whether its owner has locked it more than once.
    pub(crate) fn is_deep(&self) -> bool {
        self.depth.load(Ordering::Relaxed) & !SPECIAL != 0
    }

    pub(crate) fn ceiling(&self) -> u32 {
        self.word.about() >> CEILING & CEILINGS
    }

    #[cold]
    #[inline(never)]
    fn unlock_slowly(&'static self) -> c_int {
        if interrupt::refuses() {
            return EPERM;
        }
        let depth = self.depth.load(Ordering::Relaxed);
        if depth != 0 && !self.is_mine() {
            return EPERM;
        }
        if depth & !SPECIAL != 0 {
            self.depth.store(depth - 1, Ordering::Relaxed);
            return 0;
        }
        let (ceiling, about) = (self.ceiling(), self.word.about());
        if about & OWNER_DIED != 0 {
            // Its owner does not know what the one before has left.
            self.word.describe(about | LOST);
        }
        let error = number(_flyball_try_unlock(self.at()));
        if error == 0 && depth & HAS_CEILING != 0 {
            ceiling::leave(ceiling);
        }
        error
    }

    /// Its owner, the calling thread, ends: the next one that locks it is told.
    pub(crate) fn abandon(&'static self) {
        let depth = self.depth.load(Ordering::Relaxed);
        if depth & ROBUST == 0 || !self.is_mine() {
            return;
        }
        self.word.describe(self.word.about() | OWNER_DIED);
        self.depth.store(depth & SPECIAL, Ordering::Relaxed);
        let _ = _flyball_try_unlock(self.at());
    }

    /// Its owner has made the data consistent that it protects. `EINVAL`: that is not to be done.
    pub(crate) fn make_consistent(&'static self) -> c_int {
        let about = self.word.about();
        if about & (OWNER_DIED | LOST) != OWNER_DIED || !self.is_mine() {
            return EINVAL;
        }
        self.word.describe(about & !OWNER_DIED);
        0
    }

    /// Its owner locks it again.
    fn deepen(&self) -> c_int {
        let depth = self.depth.load(Ordering::Relaxed) + 1;
        if depth & !SPECIAL == 0 {
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
        self.depth.store(depth & SPECIAL, Ordering::Relaxed);
        if depth & HAS_CEILING != 0 {
            ceiling::leave(self.ceiling());
        }
        Ok(depth)
    }

    /// The thread is the owner again. Returns what locking would return: a ceiling was allowed before.
    pub(crate) fn come_back(&'static self, depth: u32) -> c_int {
        if depth == 0 {
            return 0;
        }
        let error = self.locked_specially(depth);
        // After any other error it is not this thread's.
        if matches!(error, 0 | EOWNERDEAD) {
            self.depth.store(depth, Ordering::Relaxed);
        }
        error
    }

    /// Changes its ceiling, if it has one; returns the ceiling before.
    ///
    /// # Errors
    /// `EINVAL`.
    pub(crate) fn set_ceiling(&self, to: Option<u32>) -> Result<u32, c_int> {
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
    if !clock::is_known(clock) {
        return EINVAL;
    }
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
    let is_robust = mutexattr::is_robust(attributes);
    if is_robust && !robust::register(mutex) {
        return ENOMEM;
    }
    let special = ceiling.map_or(0, |_| HAS_CEILING) | if is_robust { ROBUST } else { 0 };
    let about = about::mutex(protocol) | (attributes << 2 & TYPE) | ceiling.unwrap_or(0) << CEILING;
    // SAFETY: C passes memory for a mutex, which no thread uses yet.
    unsafe {
        mutex.write(Mutex {
            depth: AtomicU32::new(special),
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
unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    let mutex = unsafe { refer(mutex) };
    if mutex.word.state() != State::FREE {
        return EBUSY;
    }
    if mutex.depth.load(Ordering::Relaxed) & ROBUST != 0 {
        robust::forget(mutex);
    }
    0
}
