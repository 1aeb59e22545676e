//! Priority ceilings: while a thread has mutexes with ceilings it is as urgent as the highest of these.
//! Under earliest deadlines they have floors instead: `floor`.

use crate::binding::{_flyball_c_raise, Ceiling};
use crate::control::Control;
use crate::errno::{EAGAIN, EINVAL, ENOTSUP};
use crate::mutex::Mutex;
use crate::{floor, mutexattr, refer};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU8, Ordering};
use flyball_app::seam::_flyball_try_unlock;

/// The calling thread has a mutex with this ceiling. `EINVAL` if its own priority is higher, `EAGAIN` if it has 255 of this
/// ceiling: then nothing has changed.
#[cold]
pub(crate) fn enter(ceiling: u32) -> c_int {
    if floor::are_known() {
        return floor::enter(ceiling);
    }
    let me = Control::current();
    if u32::from(me.priority.load(Ordering::Relaxed)) > ceiling {
        return EINVAL;
    }
    if let Some(count) = count(me, ceiling) {
        match count.load(Ordering::Relaxed).checked_add(1) {
            Some(more) => count.store(more, Ordering::Relaxed),
            None => return EAGAIN,
        }
    }
    raise(me);
    0
}

/// How many mutexes with this ceiling a thread has.
fn count(thread: &Control, ceiling: u32) -> Option<&AtomicU8> {
    thread.ceilings.get(ceiling.checked_sub(1)? as usize)
}

/// The calling thread has a mutex with this ceiling no more.
#[cold]
pub(crate) fn leave(ceiling: u32) {
    if floor::are_known() {
        return floor::leave(ceiling);
    }
    let me = Control::current();
    if let Some(count) = count(me, ceiling) {
        let left = count.load(Ordering::Relaxed).saturating_sub(1);
        count.store(left, Ordering::Relaxed);
    }
    raise(me);
}

/// Tells the policy the highest ceiling of the calling thread, if that has changed.
fn raise(me: &Control) {
    let has = |&(_, count): &(u8, &AtomicU8)| count.load(Ordering::Relaxed) > 0;
    let highest = (1..)
        .zip(&me.ceilings)
        .filter(has)
        .map(|(ceiling, _)| ceiling)
        .last();
    let number = highest.unwrap_or(0);
    if me.ceiling.swap(number, Ordering::Relaxed) != number {
        // Such a priority there is, and a thread calls.
        let _ = _flyball_c_raise(highest.map(Ceiling::Priority));
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
    let _ = _flyball_try_unlock(mutex.at());
    // SAFETY: C passes a place, or none.
    if let Some(old) = unsafe { old.as_mut() } {
        *old = before.cast_signed();
    }
    0
}
