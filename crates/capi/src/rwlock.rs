//! Read-write locks. A thread that waits to write goes before those of `SCHED_FIFO` and `SCHED_RR` that want to read from
//! then on, as POSIX has it. One of `SCHED_OTHER` reads beside others that do, as on Linux: these may wait for it.

use crate::clock::{self, Timespec};
use crate::condition::Condition;
use crate::control::Control;
use crate::errno::{EAGAIN, EBUSY, EDEADLK, EINTR, EINVAL, EPERM, ETIMEDOUT};
use crate::latch::Latch;
use crate::refer;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_trace::Time;

/// `pthread_rwlock_t`. Zeros are a free one.
#[repr(C)]
struct RwLock {
    latch: Latch,
    changed: Condition,
    /// Twice the number of readers; or the name of the writer, plus one.
    state: AtomicU32,
    /// How many threads wait to write.
    writers: AtomicU32,
}

const READER: u32 = 2;
const WRITER: u32 = 1;

/// `SCHED_OTHER`.
const OTHER: c_int = 0;

impl RwLock {
    fn state(&self) -> u32 {
        self.state.load(Ordering::Relaxed)
    }

    fn set(&self, state: u32) {
        self.state.store(state, Ordering::Relaxed);
    }

    /// Waits until `until` returns an instant at the latest, which is asked if the lock is not free.
    fn read(&'static self, until: impl Fn() -> Result<Time, c_int>) -> c_int {
        self.latch.lock();
        let result = loop {
            let state = self.state();
            let is_passed = self.writers.load(Ordering::Relaxed) == 0
                || state != 0 && Control::current().policy().0 == OTHER;
            if state & WRITER == 0 && is_passed {
                break match state.checked_add(READER) {
                    Some(more) => {
                        self.set(more);
                        0
                    }
                    None => EAGAIN,
                };
            }
            if state == (Control::current().name() | WRITER) {
                break EDEADLK;
            }
            let waited =
                until().map_or_else(|error| error, |until| self.latch.wait(&self.changed, until));
            if waited != 0 && waited != EINTR {
                break waited;
            }
        };
        self.latch.unlock();
        result
    }

    fn write(&'static self, until: impl Fn() -> Result<Time, c_int>) -> c_int {
        let writer = Control::current().name() | WRITER;
        self.latch.lock();
        let result = loop {
            let state = self.state();
            if state == 0 {
                self.set(writer);
                break 0;
            }
            if state == writer {
                break EDEADLK;
            }
            let waited = until().map_or_else(
                |error| error,
                |until| {
                    self.writers.fetch_add(1, Ordering::Relaxed);
                    let waited = self.latch.wait(&self.changed, until);
                    if self.writers.fetch_sub(1, Ordering::Relaxed) == 1 && waited != 0 {
                        // Those that want to read need not wait for this thread any more.
                        self.changed.broadcast();
                    }
                    waited
                },
            );
            if waited != 0 && waited != EINTR {
                break waited;
            }
        };
        self.latch.unlock();
        result
    }

    fn unlock(&'static self) -> c_int {
        self.latch.lock();
        let state = self.state();
        let left = if state & WRITER == 0 {
            state.checked_sub(READER)
        } else {
            (state == (Control::current().name() | WRITER)).then_some(0)
        };
        if let Some(left) = left {
            self.set(left);
            if left == 0 {
                self.changed.broadcast();
            }
        }
        self.latch.unlock();
        if left.is_some() { 0 } else { EPERM }
    }
}

/// What a function returns that does not wait.
fn busy(result: c_int) -> c_int {
    if result == ETIMEDOUT || result == EDEADLK {
        EBUSY
    } else {
        result
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_init(lock: *mut [u32; 6], _: *const u32) -> c_int {
    // SAFETY: C passes memory for a lock, which no thread uses yet.
    unsafe { lock.write([0; 6]) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_destroy(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    let lock = unsafe { refer(lock) };
    if lock.state() == 0 { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_rdlock(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    unsafe { refer(lock) }.read(|| Ok(Time::NEVER))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_tryrdlock(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    busy(unsafe { refer(lock) }.read(|| Ok(Time::ZERO)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_clockrdlock(
    lock: *mut RwLock,
    clock: c_int,
    until: *const Timespec,
) -> c_int {
    if !clock::is_known(clock) {
        return EINVAL;
    }
    // SAFETY: C passes a lock, and a time.
    unsafe { refer(lock).read(|| clock::until(clock, &*until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_timedrdlock(
    lock: *mut RwLock,
    until: *const Timespec,
) -> c_int {
    // SAFETY: as C promises.
    unsafe { pthread_rwlock_clockrdlock(lock, clock::REALTIME, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_wrlock(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    unsafe { refer(lock) }.write(|| Ok(Time::NEVER))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_trywrlock(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    busy(unsafe { refer(lock) }.write(|| Ok(Time::ZERO)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_clockwrlock(
    lock: *mut RwLock,
    clock: c_int,
    until: *const Timespec,
) -> c_int {
    if !clock::is_known(clock) {
        return EINVAL;
    }
    // SAFETY: C passes a lock, and a time.
    unsafe { refer(lock).write(|| clock::until(clock, &*until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_timedwrlock(
    lock: *mut RwLock,
    until: *const Timespec,
) -> c_int {
    // SAFETY: as C promises.
    unsafe { pthread_rwlock_clockwrlock(lock, clock::REALTIME, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut RwLock) -> c_int {
    // SAFETY: C passes a lock.
    unsafe { refer(lock) }.unlock()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlockattr_init(attributes: *mut u32) -> c_int {
    // SAFETY: C passes memory for attributes.
    unsafe { attributes.write(0) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_rwlockattr_destroy(_: *mut u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlockattr_setpshared(attributes: *mut u32, to: c_int) -> c_int {
    match u32::try_from(to) {
        Ok(to @ 0..=1) => {
            // SAFETY: C passes attributes.
            unsafe { attributes.write(to) };
            0
        }
        _ => EINVAL,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlockattr_getpshared(
    attributes: *const u32,
    to: *mut c_int,
) -> c_int {
    // SAFETY: C passes attributes, and a place.
    unsafe { to.write((*attributes).cast_signed()) };
    0
}
