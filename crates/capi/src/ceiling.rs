//! Priority ceilings: while a thread has mutexes with ceilings it is as urgent as the highest of these.

use crate::binding::_flyball_c_raise;
use crate::control::Control;
use crate::errno::EINVAL;
use core::ffi::c_int;
use core::sync::atomic::Ordering;

/// The calling thread has a mutex with this ceiling. `EINVAL` if its own priority is higher: then
/// nothing has changed.
#[cold]
pub(crate) fn enter(ceiling: u32) -> c_int {
    let me = Control::current();
    if me.priority.load(Ordering::Relaxed) > ceiling.cast_signed() {
        return EINVAL;
    }
    if let Some(count) = me.ceilings.get(ceiling as usize) {
        count.fetch_add(1, Ordering::Relaxed);
    }
    raise(me);
    0
}

/// The calling thread has a mutex with this ceiling no more.
#[cold]
pub(crate) fn leave(ceiling: u32) {
    let me = Control::current();
    if let Some(count) = me.ceilings.get(ceiling as usize) {
        count.fetch_sub(1, Ordering::Relaxed);
    }
    raise(me);
}

/// Tells the policy the highest ceiling of the calling thread, if that has changed.
fn raise(me: &Control) {
    let has =
        |&(_, count): &(u8, &core::sync::atomic::AtomicU32)| count.load(Ordering::Relaxed) > 0;
    let highest = (0..)
        .zip(&me.ceilings)
        .filter(has)
        .map(|(ceiling, _)| ceiling)
        .last();
    let number = u32::from(highest.unwrap_or(0));
    if me.ceiling.swap(number, Ordering::Relaxed) != number {
        // Such a priority there is, and a thread calls.
        let _ = _flyball_c_raise(highest);
    }
}
