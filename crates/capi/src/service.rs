//! Threads of this crate that serve those of the program: one for timers, one for late jobs.

use crate::attributes::{Attributes, LEAST};
use crate::binding::{HIGHEST, Terms};
use crate::new::New;
use crate::signal;
use crate::thread::LISTS;
use core::ffi::{c_int, c_void};
use flyball_app::policy::i_plus_pi::Fraction;
use flyball_trace::Duration;

/// The bytes of its stack.
const STACK: usize = if LEAST < 4096 { 4096 } else { LEAST };

/// What it does.
type Routine = extern "C" fn() -> !;

/// Makes one. It is more urgent than all threads of the program, as far as the policy knows urgency, and counts among them; the
/// program does not wait for its end. It runs no handler of signals. Returns what `pthread_create` returns.
pub(crate) fn make(routine: Routine) -> c_int {
    let mut attributes = Attributes::DEFAULT;
    attributes.size = STACK;
    attributes.detached = 1;
    let new = New {
        attributes: &attributes,
        policy: 0,
        priority: 0,
        terms: &terms(),
        blocked: u64::MAX,
        routine: serve,
        argument: routine as *mut c_void,
    };
    let mut name = 0;
    // SAFETY: that is a place.
    let error = unsafe { new.create(&raw mut name) };
    if error == 0 {
        __flyball_add_service();
    }
    error
}

/// One of the threads that there are serves others: the program does not wait for its end.
#[unsafe(no_mangle)]
extern "C" fn __flyball_add_service() {
    // The calling thread lives, so that one is not the last.
    LISTS.with(|lists| lists.living -= 1);
}

#[unsafe(no_mangle)]
extern "C" fn __flyball_make_service(routine: Routine) -> c_int {
    make(routine)
}

/// What the policy is told of it. It computes for a moment now and then.
fn terms() -> Terms {
    let least = Duration::from_nanos(1);
    let mut terms = Terms::LEAST;
    terms.slice = Duration::ZERO;
    terms.facts.priority = Some(HIGHEST + 1);
    // Its only job has been released when the thread is made, so that is due before all later ones.
    terms.facts.deadline = Some(least);
    terms.facts.period = Some(least);
    terms.facts.share = Some(Fraction::percent(5));
    terms
}

extern "C" fn serve(routine: *mut c_void) -> *mut c_void {
    signal::defer();
    // SAFETY: it is what `make` was passed.
    let routine = unsafe { core::mem::transmute::<*mut c_void, Routine>(routine) };
    routine()
}
