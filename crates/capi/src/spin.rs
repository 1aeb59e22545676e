//! Spin locks. A thread that finds one locked for a while sleeps for a moment, as its owner may be less
//! urgent and have no other CPU. On a single CPU it does so at once.

use crate::binding::_flyball_c_cpus;
use crate::control::Control;
use crate::errno::{EBUSY, EDEADLK, EPERM};
use crate::refer;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::seam::_flyball_sleep;
use flyball_trace::Duration;

const MOMENT: Duration = Duration::from_micros(10);

/// How often a thread looks whether the lock is free before it sleeps.
const LOOKS: u32 = 100;

/// Locks it for the thread of this name; returns by which it was locked.
fn lock(lock: &AtomicU32, name: u32) -> Result<u32, u32> {
    lock.compare_exchange(0, name, Ordering::Acquire, Ordering::Relaxed)
}

/// Waits for a while as long as the lock has this owner.
#[cold]
fn spin_while(lock: &AtomicU32, owner: u32) {
    let looks = if _flyball_c_cpus() > 1 { LOOKS } else { 0 };
    for _ in 0..looks {
        if lock.load(Ordering::Relaxed) != owner {
            return;
        }
        core::hint::spin_loop();
    }
    _flyball_sleep(MOMENT);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_init(lock: *mut u32, _: c_int) -> c_int {
    // SAFETY: C passes memory for a lock, which no thread uses yet.
    unsafe { lock.write(0) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_destroy(lock: *mut AtomicU32) -> c_int {
    // SAFETY: C passes a lock.
    let owner = unsafe { refer(lock) }.load(Ordering::Relaxed);
    if owner == 0 { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_lock(spin: *mut AtomicU32) -> c_int {
    // SAFETY: C passes a lock.
    let spin = unsafe { refer(spin) };
    let name = Control::current().name();
    while let Err(owner) = lock(spin, name) {
        if owner == name {
            return EDEADLK;
        }
        spin_while(spin, owner);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_trylock(spin: *mut AtomicU32) -> c_int {
    // SAFETY: C passes a lock.
    match lock(unsafe { refer(spin) }, Control::current().name()) {
        Ok(_) => 0,
        Err(_) => EBUSY,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_unlock(spin: *mut AtomicU32) -> c_int {
    // SAFETY: C passes a lock.
    let spin = unsafe { refer(spin) };
    let name = Control::current().name();
    match spin.compare_exchange(name, 0, Ordering::Release, Ordering::Relaxed) {
        Ok(_) => 0,
        Err(_) => EPERM,
    }
}
