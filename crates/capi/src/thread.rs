//! Threads: creating, joining, detaching, ending.
//!
//! All threads that can still be joined are in a list; one that no thread joins puts itself into
//! another one at its end, and the next thread that creates one frees its memory.

use crate::attributes::Attributes;
use crate::cancel::{Cleanup, OnSignal};
use crate::control::{Control, LABEL, Routine};
use crate::errno::{EDEADLK, EINVAL, EPERM, ERANGE, ESRCH};
use crate::latch::Locked;
use crate::new::New;
use crate::signal::Signals;
use crate::{cancel, clock, floating, interrupt, key, late, robust, sched, signal};
use core::ffi::{c_char, c_int, c_void};
use core::mem::{MaybeUninit, offset_of};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use flyball_app::seam::{
    _flyball_current, _flyball_exit, _flyball_join, _flyball_join_unless, _flyball_name,
    _flyball_name_of, _flyball_thread,
};
use flyball_kernel::ThreadId;
use flyball_trace::Time;

/// Threads, linked by [`Control::next`].
pub(crate) struct Lists {
    /// Those that live, and those that wait to be joined.
    threads: AtomicPtr<Control>,
    /// Those that end, and that no thread joins.
    ending: AtomicPtr<Control>,
    /// How many have not ended.
    pub(crate) living: u32,
}

// A debugger begins here: `control`.
#[unsafe(export_name = "__flyball_lists")]
pub(crate) static LISTS: Locked<Lists> = Locked::new(Lists {
    threads: AtomicPtr::new(ptr::null_mut()),
    ending: AtomicPtr::new(ptr::null_mut()),
    living: 0,
});

/// Puts `control` at the front of a list.
fn push(list: &AtomicPtr<Control>, control: &Control) {
    control
        .next
        .store(list.load(Ordering::Relaxed), Ordering::Relaxed);
    list.store(ptr::from_ref(control).cast_mut(), Ordering::Relaxed);
}

/// Takes the first out of a list that `takes` accepts.
fn take(list: &AtomicPtr<Control>, takes: impl Fn(&Control) -> bool) -> Option<&Control> {
    let mut link = list;
    // SAFETY: what is in a list is there, and the caller has locked the lists.
    while let Some(control) = unsafe { link.load(Ordering::Relaxed).as_ref() } {
        if takes(control) {
            link.store(control.next.load(Ordering::Relaxed), Ordering::Relaxed);
            return Some(control);
        }
        link = &control.next;
    }
    None
}

impl Lists {
    /// Where the list of threads that live begins, for `control`.
    pub(crate) const THREADS: usize = offset_of!(Lists, threads);

    /// A thread begins.
    pub(crate) fn add(&mut self, control: &Control) {
        push(&self.threads, control);
        self.living += 1;
    }

    fn take(&self, control: &Control) {
        take(&self.threads, |other| ptr::eq(other, control));
    }

    pub(crate) fn find(&self, name: u32) -> Option<&Control> {
        self.all().find(|control| control.name() == name)
    }

    /// All that live, or wait to be joined.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Control> {
        // SAFETY: what is in a list is there, and the caller has locked the lists.
        let follow = |link: &AtomicPtr<Control>| unsafe { link.load(Ordering::Relaxed).as_ref() };
        core::iter::successors(follow(&self.threads), move |control| follow(&control.next))
    }
}

/// Calls `f` with the thread of this name, with the lists locked. `None`: there is no such thread.
pub(crate) fn find<R>(name: u32, f: impl FnOnce(&Control) -> R) -> Option<R> {
    LISTS.with(|lists| lists.find(name).map(f))
}

/// The CPU time of a thread in nanoseconds.
pub(crate) fn cpu_time(name: u32) -> Option<u64> {
    clock::cpu_time(_flyball_thread(name)?)
}

/// Frees what is left of threads that have ended and that no thread joins.
fn free_ended() {
    // SAFETY: the lists are locked.
    let is_dead = |control: &Control| unsafe { control.id() }.is_none_or(has_ended);
    while let Some(control) = LISTS.with(|lists| take(&lists.ending, is_dead).map(ptr::from_ref)) {
        // SAFETY: the thread has ended, and it is in no list any more.
        unsafe { Control::free(control) };
    }
}

fn has_ended(id: ThreadId) -> bool {
    _flyball_join(id, Time::ZERO) == Ok(())
}

unsafe extern "C" {
    safe fn exit(code: c_int) -> !;
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pthread_create(
    name: *mut u32,
    attributes: *const Attributes,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    if interrupt::refuses() {
        return EPERM;
    }
    free_ended();
    // SAFETY: C passes attributes, or none.
    let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::DEFAULT);
    let me = Control::current();
    let (policy, priority) = if attributes.explicit == 0 {
        me.policy()
    } else {
        (attributes.policy, attributes.priority)
    };
    let terms = sched::terms(policy, priority).and_then(|terms| attributes.jobs.complete(terms));
    let terms = match terms {
        Ok(terms) => terms,
        Err(error) => return error,
    };
    if attributes.jobs.cancel_late() {
        let error = late::start();
        if error != 0 {
            return error;
        }
    }
    let new = New {
        attributes,
        policy,
        priority,
        terms: &terms,
        blocked: Signals::blocked(),
        routine,
        argument,
    };
    // SAFETY: C passes a place.
    unsafe { new.create(name) }
}

// What a thread begins with: here the stack ends for the unwinder.
#[cfg(target_arch = "arm")]
core::arch::global_asm!(
    ".section .text.__flyball_begin, \"ax\", %progbits",
    ".global __flyball_begin",
    ".type __flyball_begin, %function",
    ".thumb_func",
    ".fnstart",
    "__flyball_begin:",
    "bl __flyball_run",
    "udf #0",
    ".cantunwind",
    ".fnend",
);

#[cfg(target_arch = "riscv64")]
core::arch::global_asm!(
    ".section .text.__flyball_begin, \"ax\", %progbits",
    ".global __flyball_begin",
    ".type __flyball_begin, %function",
    "__flyball_begin:",
    ".cfi_startproc",
    ".cfi_undefined ra",
    "call __flyball_run",
    "unimp",
    ".cfi_endproc",
);

unsafe extern "C" {
    #[link_name = "__flyball_begin"]
    pub(crate) safe fn begin(_: usize) -> !;
}

/// How many bytes the unwinder needs while a thread ends. `sdk/flyball.c` does not compile if they are too few.
const UNWINDING: usize = if cfg!(target_arch = "riscv64") {
    32
} else {
    88
};

#[unsafe(no_mangle)]
extern "C" fn __flyball_run(_: usize) -> ! {
    let me = Control::current();
    floating::begin(me);
    me.quick.store(_flyball_name(), Ordering::Relaxed);
    if let Some(id) = _flyball_current() {
        me.name.store(_flyball_name_of(id), Ordering::Relaxed);
    }
    // It is there until the thread has ended, and nothing that the thread does in between writes there.
    let mut unwinding = MaybeUninit::<[u64; UNWINDING / 8]>::uninit();
    exit_thread(me.run(unwinding.as_mut_ptr().cast()))
}

/// Ends the calling thread.
pub(crate) fn exit_thread(result: *mut c_void) -> ! {
    cancel::clean_up();
    key::destroy();
    robust::abandon();
    signal::leave();
    let me = Control::current();
    me.argument.store(result, Ordering::Relaxed);
    let is_last = LISTS.with(|lists| {
        lists.living -= 1;
        if lists.living == 0 {
            return true;
        }
        me.has_ended.store(true, Ordering::Relaxed);
        if me.is_detached.load(Ordering::Relaxed) {
            lists.take(me);
            push(&lists.ending, me);
        }
        false
    });
    if is_last {
        exit(0);
    }
    _flyball_exit()
}

#[unsafe(no_mangle)]
extern "C" fn pthread_self() -> u32 {
    Control::current().name()
}

#[unsafe(no_mangle)]
extern "C" fn pthread_equal(one: u32, other: u32) -> c_int {
    c_int::from(one == other)
}

/// The thread that joins is cancelled.
extern "C" fn leave(control: *mut c_void) {
    // SAFETY: `pthread_join` passes a thread that it has found, and that no other thread frees.
    let control = unsafe { &*control.cast::<Control>() };
    control.is_joined.store(false, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_join(name: u32, result: *mut *mut c_void) -> c_int {
    if name == Control::current().name() {
        return EDEADLK;
    }
    let found = find(name, |control| {
        let is_detached = control.is_detached.load(Ordering::Relaxed);
        if is_detached || control.is_joined.swap(true, Ordering::Relaxed) {
            return Err(EINVAL);
        }
        // SAFETY: `find` has locked the list.
        let id = unsafe { control.id() };
        Ok((id, ptr::from_ref(control)))
    });
    let (id, control) = match found {
        Some(Ok((Some(id), control))) => (id, control),
        Some(Err(error)) => return error,
        _ => return ESRCH,
    };
    // SAFETY: a thread that is joined is freed by the one that joins it, and that is this one.
    let control = unsafe { &*control };
    // A thread that is cancelled leaves the other one to be joined.
    let mut guard = Cleanup::new(leave, ptr::from_ref(control).cast_mut().cast());
    guard.push();
    let joined = cancel::wait(OnSignal::Wait, |due, set| {
        _flyball_join_unless(id, Time::NEVER, due, set)
    });
    guard.pop();
    if joined != 0 {
        control.is_joined.store(false, Ordering::Relaxed);
        return joined;
    }
    LISTS.with(|lists| lists.take(control));
    // SAFETY: C passes a place, or none.
    if let Some(result) = unsafe { result.as_mut() } {
        *result = control.argument.load(Ordering::Relaxed);
    }
    // SAFETY: the thread has ended, and it is in no list any more.
    unsafe { Control::free(control) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_detach(name: u32) -> c_int {
    let detached = LISTS.with(|lists| {
        let control = lists.find(name).ok_or(ESRCH)?;
        if control.is_joined.load(Ordering::Relaxed)
            || control.is_detached.swap(true, Ordering::Relaxed)
        {
            return Err(EINVAL);
        }
        if control.has_ended.load(Ordering::Relaxed) {
            lists.take(control);
            push(&lists.ending, control);
        }
        Ok(())
    });
    detached.err().unwrap_or(0)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pthread_setname_np(name: u32, label: *const c_char) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let bytes = unsafe { core::ffi::CStr::from_ptr(label) }.to_bytes_with_nul();
    if bytes.len() > LABEL {
        return ERANGE;
    }
    let set = find(name, |control| {
        // SAFETY: `find` has locked the list, and there is room.
        unsafe { ptr::copy_nonoverlapping(label, control.label.get().cast(), bytes.len()) };
        control.note_label(bytes);
    });
    if set.is_some() { 0 } else { ESRCH }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_getname_np(name: u32, to: *mut c_char, size: usize) -> c_int {
    if size < LABEL {
        return ERANGE;
    }
    let found = find(name, |control| {
        // SAFETY: `find` has locked the list, and C passes room for `size` bytes.
        unsafe { ptr::copy_nonoverlapping(control.label.get().cast(), to, LABEL) };
    });
    if found.is_some() { 0 } else { ESRCH }
}

/// The stack is that of `pthread_attr_setstack`, or the one that the system has found.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_getattr_np(name: u32, to: *mut Attributes) -> c_int {
    let found = find(name, |control| {
        let low = control.low.load(Ordering::Relaxed);
        let mut attributes = Attributes::DEFAULT;
        attributes.address = ptr::with_exposed_provenance_mut(low);
        attributes.size = ptr::from_ref(control).addr() - low;
        attributes.detached = control.is_detached.load(Ordering::Relaxed).into();
        attributes.explicit = 1;
        (attributes.policy, attributes.priority) = control.policy();
        // SAFETY: C passes a place.
        unsafe { to.write(attributes) };
    });
    if found.is_some() { 0 } else { ESRCH }
}
