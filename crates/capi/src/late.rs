//! Late jobs that cancel their threads: `FLYBALL_CANCEL`.
//!
//! The kernel signals a semaphore when a job of such a thread is late. A thread waits for that, which cancels all
//! of them that have missed a deadline. It is made when the first of them is, and stays.

use crate::cancel;
use crate::control::Control;
use crate::errno::EINVAL;
use crate::latch::Locked;
use crate::service;
use crate::thread::LISTS;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use flyball_app::seam::{_flyball_missed, _flyball_wait_unless};
use flyball_kernel::{At, SemaphoreId, State, Word};
use flyball_trace::Time;

/// The kernel signals it.
static ALERT: Word = Word::new(State::count(0), 0);

/// Whether the thread has been made.
static IS_THERE: Locked<bool> = Locked::new(false);

/// What [`start`] calls: [`make`], as soon as attributes say that late jobs cancel. A program whose attributes never do is
/// linked without the unwinder.
static MAKE: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Attributes say that late jobs cancel their thread.
pub(crate) fn prepare() {
    // The compiler must not find out that this is the only value, and call the function itself.
    let make = core::hint::black_box(make as *mut ());
    MAKE.store(make, Ordering::Relaxed);
}

/// What a job signals that is late.
pub(crate) fn alert() -> SemaphoreId<At> {
    SemaphoreId::at(At::new(&ALERT))
}

/// A thread is about to be created whose late jobs cancel it. Returns 0, or what is wrong.
#[cold]
pub(crate) fn start() -> c_int {
    let make = MAKE.load(Ordering::Relaxed);
    if make.is_null() {
        // No call has made such attributes.
        return EINVAL;
    }
    // SAFETY: it is that function.
    let make = unsafe { core::mem::transmute::<*mut (), fn() -> c_int>(make) };
    make()
}

/// Makes the thread, unless it is there. Returns what `pthread_create` returns.
fn make() -> c_int {
    IS_THERE.with(|is_there| {
        if *is_there {
            return 0;
        }
        let error = service::make(serve);
        *is_there = error == 0;
        error
    })
}

extern "C" fn serve() -> ! {
    loop {
        // Nothing ends this wait.
        let due = &Control::current().signals.due;
        let _ = _flyball_wait_unless(At::new(&ALERT), Time::NEVER, due, 0);
        LISTS.with(|lists| lists.all().for_each(cancel_if_late));
    }
}

/// Cancels a thread if it is one whose late jobs do so, and has been late. The list of threads is locked.
fn cancel_if_late(thread: &Control) {
    if !thread.is_cancelled_late.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the list is locked.
    let id = unsafe { thread.id() };
    // One that has ended has missed nothing, and a new one in its row has another name.
    if id.is_some_and(|id| _flyball_missed(id) > 0) {
        thread.is_cancelled_late.store(false, Ordering::Relaxed);
        cancel::cancel(thread);
    }
}
