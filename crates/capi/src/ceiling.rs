//! Priority ceilings: while a thread has mutexes with ceilings it is as urgent as the highest of these.
//! Under earliest deadlines they have floors instead: `floor`.
//!
//! A thread notes its ceilings. On a processor that is alone the kernel applies them lazily, when another thread is about to run, so most critical
//! sections end without a call.

use crate::binding::{_flyball_c_apply_ceilings, _flyball_c_register_ceilings, HIGHEST};
use crate::control::Control;
use crate::errno::{EAGAIN, EINVAL, ENOTSUP};
use crate::floor::{self, calloc};
use crate::mutex::Mutex;
use crate::{mutexattr, refer};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU8, Ordering};
use flyball_app::seam::_flyball_try_unlock;

/// Whether the kernel applies lazily what a thread has noted.
const IS_LAZY: bool = cfg!(target_arch = "arm");

/// The calling thread has a mutex with this ceiling. `EINVAL` if its own priority is higher, `EAGAIN` if it has 255 of this
/// ceiling, or there is no memory to count them: then nothing has changed.
#[inline]
pub(crate) fn enter(ceiling: u32) -> c_int {
    if floor::are_known() {
        return floor::enter(ceiling);
    }
    let me = Control::current();
    if u32::from(me.priority.load(Ordering::Relaxed)) > ceiling {
        return EINVAL;
    }
    let (bits, bit) = (me.ceilings.bits(), bit(ceiling));
    if bits & bit != 0 {
        return enter_again(me, ceiling);
    }
    if !me.has_registered.load(Ordering::Relaxed) {
        register(me);
    }
    me.ceilings.set(bits | bit);
    if !IS_LAZY && bit > bits {
        _flyball_c_apply_ceilings();
    }
    0
}

#[cold]
#[inline(never)]
fn register(me: &'static Control) {
    // A thread calls, and there are ceilings.
    let _ = _flyball_c_register_ceilings(&me.ceilings);
    me.has_registered.store(true, Ordering::Relaxed);
}

/// Ceilings are from 1 on.
fn bit(ceiling: u32) -> u32 {
    1_u32.rotate_left(ceiling.wrapping_sub(1))
}

/// How many mutexes of each ceiling a thread has, from 1 on, but for the first.
pub(crate) type Counts = [AtomicU8; HIGHEST as usize];

/// That of the calling thread, if it has ever had two mutexes of the same ceiling.
fn count(me: &Control, ceiling: u32) -> Option<&'static AtomicU8> {
    let counts: *const Counts = me.held.load(Ordering::Relaxed).cast();
    // SAFETY: no policy has floors as well. `calloc` has made them, and they stay as long as the thread.
    unsafe { counts.as_ref() }?.get(ceiling.checked_sub(1)? as usize)
}

#[cold]
#[inline(never)]
fn enter_again(me: &Control, ceiling: u32) -> c_int {
    if me.held.load(Ordering::Relaxed).is_null() {
        let counts = calloc(1, size_of::<Counts>());
        me.held.store(counts, Ordering::Relaxed);
    }
    let Some(count) = count(me, ceiling) else {
        return EAGAIN;
    };
    match count.load(Ordering::Relaxed) {
        LIMIT => EAGAIN,
        some => {
            count.store(some + 1, Ordering::Relaxed);
            0
        }
    }
}

/// How many mutexes of one ceiling a thread may have, but for the first.
const LIMIT: u8 = 254;

/// The calling thread has a mutex with this ceiling no more.
#[inline]
pub(crate) fn leave(ceiling: u32) {
    if floor::are_known() {
        return floor::leave(ceiling);
    }
    let me = Control::current();
    if let Some(count) = count(me, ceiling) {
        let more = count.load(Ordering::Relaxed);
        if more > 0 {
            return count.store(more - 1, Ordering::Relaxed);
        }
    }
    let (bit, others) = (bit(ceiling), me.ceilings.bits() & !bit(ceiling));
    me.ceilings.set(others);
    // Of several only the highest counts.
    if bit > others && (!IS_LAZY || me.ceilings.are_applied()) {
        _flyball_c_apply_ceilings();
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_getprioceiling(mutex: *mut Mutex, to: *mut c_int) -> c_int {
    if floor::are_known() {
        return ENOTSUP;
    }
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
    if floor::are_known() {
        return ENOTSUP;
    }
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
    leave(before);
    let _ = mutex.set_ceiling(Some(to));
    if mutex.is_deep() {
        // The caller had it already, and keeps it.
        let error = enter(to);
        if error != 0 {
            let _ = mutex.set_ceiling(Some(before));
            // As it had that one, too.
            let _ = enter(before);
        }
        let _ = mutex.unlock();
        if error != 0 {
            return error;
        }
    } else {
        let _ = _flyball_try_unlock(mutex.at());
    }
    // SAFETY: C passes a place, or none.
    if let Some(old) = unsafe { old.as_mut() } {
        *old = before.cast_signed();
    }
    0
}
