//! What is kept of each thread.
//!
//! ```text
//!   low                                     end of the stack, to which _impure_ptr points
//!    | stack                                | struct _reent | the rest of Control | variables |
//!                                 <- grows
//! ```
//!
//! On Arm the context switch sets `_impure_ptr`, so the calling thread finds its own by one load. On
//! RISC-V it sets `tp`, which points to what follows it. The variables of the thread (`thread_local`) come last.

use crate::binding::_flyball_c_note;
use crate::cancel::Cleanup;
use crate::latch::Locked;
use crate::signal::Signals;
use crate::thread::Lists;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::mem::offset_of;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use flyball_kernel::{Ceilings, ThreadId};
use flyball_script::Note;
use flyball_trace::Duration;

/// The size of newlib's `struct _reent`. `sdk/flyball.c` does not compile if that is another one.
pub(crate) const REENT: usize = if cfg!(feature = "small") {
    96
} else if size_of::<usize>() == 4 {
    344
} else {
    536
};

/// What is kept of a thread besides may not grow unnoticed.
const _: () =
    assert!(size_of::<Control>() - REENT <= if size_of::<usize>() == 4 { 160 } else { 232 });

/// What a thread runs.
pub(crate) type Routine = extern "C" fn(*mut c_void) -> *mut c_void;

/// What is kept of a thread. The thread itself writes it; where other threads do, too, a field says
/// so.
#[repr(C, align(16))]
pub(crate) struct Control {
    /// What newlib keeps.
    reent: UnsafeCell<[u8; REENT]>,
    /// What `__aeabi_read_tp` returns: at [`REENT`].
    pub(crate) pointer: AtomicUsize,
    /// Its name among mutexes, zero where it has to ask the kernel.
    pub(crate) quick: AtomicU32,
    /// Its `pthread_t`.
    pub(crate) name: AtomicU32,
    /// How many locks of the C library it has.
    pub(crate) library_locks: AtomicU32,
    /// What it is to do, and its signals.
    pub(crate) signals: Signals,
    /// The cleanup handlers, the last one first.
    pub(crate) cleanup: AtomicPtr<Cleanup>,
    /// Values of keys; null: there are none. A thread that deletes a key writes there.
    pub(crate) values: AtomicPtr<AtomicPtr<c_void>>,
    /// Which ceilings it has mutexes of.
    pub(crate) ceilings: Ceilings,
    /// Under a policy with floors those of the mutexes that it has, [`Held`](crate::floor::Held); otherwise of which ceilings it
    /// has had several mutexes, [`Counts`](crate::ceiling::Counts). Null: there never were any.
    pub(crate) held: AtomicPtr<c_void>,
    routine: Routine,
    /// What it is passed; while it runs, where the unwinder may keep what it needs; at the end what it has returned.
    pub(crate) argument: AtomicPtr<c_void>,
    /// What was allocated for it, which is freed after its end; null: nothing.
    pub(crate) block: AtomicPtr<c_void>,
    /// The stack's lowest byte.
    pub(crate) low: AtomicUsize,
    /// With which floating-point environment it begins.
    #[cfg(target_arch = "riscv64")]
    pub(crate) floating: AtomicUsize,

    // These are written by the thread that has locked the list.
    pub(crate) next: AtomicPtr<Control>,
    id: UnsafeCell<Option<ThreadId>>,
    /// The relative deadline of its jobs, in nanoseconds, under a policy with floors; zero: none.
    deadline: UnsafeCell<u64>,
    pub(crate) label: UnsafeCell<[c_char; LABEL]>,
    pub(crate) is_detached: AtomicBool,
    pub(crate) is_joined: AtomicBool,
    pub(crate) has_ended: AtomicBool,
    /// Whether it is cancelled as soon as a job of it is late.
    pub(crate) is_cancelled_late: AtomicBool,
    pub(crate) policy: AtomicU8,
    pub(crate) priority: AtomicU8,

    // These the thread writes itself again.
    /// `PTHREAD_CANCEL_DISABLE` or `PTHREAD_CANCEL_ENABLE`, 0.
    pub(crate) cancel_state: AtomicU8,
    /// `PTHREAD_CANCEL_ASYNCHRONOUS`, 1, or `PTHREAD_CANCEL_DEFERRED`.
    pub(crate) cancel_type: AtomicU8,
    /// Whether it was at a point of cancellation while it had locks of the C library.
    pub(crate) has_passed: AtomicBool,
    /// Whether the kernel knows where `ceilings` are.
    pub(crate) has_registered: AtomicBool,
    /// Whether it waits for a mutex, and would go on waiting if it were roused.
    pub(crate) is_locking: AtomicBool,
}

/// The bytes of a thread's name for people, with a zero at the end.
pub(crate) const LABEL: usize = 16;

/// What a debugger has to know of it (`sdk/gdb.py`), as values of symbols. They take no memory.
macro_rules! symbols {
    ($($name:literal = $value:expr,)*) => {
        $(core::arch::global_asm!(
            concat!(".global __flyball_debug_", $name),
            concat!(".set __flyball_debug_", $name, ", {}"),
            const $value,
        );)*
    };
}

symbols! {
    "first" = Locked::<Lists>::DATA + Lists::THREADS,
    "size" = size_of::<Control>(),
    "name" = offset_of!(Control, name),
    "low" = offset_of!(Control, low),
    "next" = offset_of!(Control, next),
    "ended" = offset_of!(Control, has_ended),
    "locking" = offset_of!(Control, is_locking),
    "policy" = offset_of!(Control, policy),
    "priority" = offset_of!(Control, priority),
    "label" = offset_of!(Control, label),
    "routine" = offset_of!(Control, routine),
}

unsafe extern "C" {
    #[cfg(not(target_arch = "riscv64"))]
    static _impure_ptr: AtomicPtr<c_void>;

    /// Makes the `struct _reent` of a thread.
    fn __flyball_reent_init(reent: *mut c_void);

    /// Frees what the C library has allocated for a thread that has ended.
    fn __flyball_reent_free(reent: *mut c_void);
}

impl Control {
    /// That of the calling thread, or of the interrupt whose handler calls.
    #[cfg(target_arch = "riscv64")]
    #[inline]
    pub(crate) fn current() -> &'static Control {
        let end: *const Control;
        // SAFETY: this reads a register, which is the same wherever the thread runs.
        unsafe {
            core::arch::asm!("mv {}, tp", out(reg) end, options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: only threads call C functions, and each has one. It lasts as long as the thread.
        unsafe { &*end.sub(1) }
    }

    /// That of the calling thread, or of the interrupt whose handler calls.
    #[cfg(not(target_arch = "riscv64"))]
    #[inline]
    pub(crate) fn current() -> &'static Control {
        // SAFETY: only threads call C functions, and each has one. It lasts as long as the thread.
        unsafe { &*_impure_ptr.load(Ordering::Relaxed).cast::<Control>() }
    }

    /// From now on this is what [`Control::current`] returns to the caller; returns what was before.
    ///
    /// # Safety
    /// The handler of an interrupt calls, and puts back what was before when it ends.
    pub(crate) unsafe fn replace(by: &'static Control) -> &'static Control {
        #[cfg(target_arch = "riscv64")]
        // SAFETY: Rust uses this register for nothing else, and it is what `current` says.
        unsafe {
            let before: *const Control;
            core::arch::asm!(
                "mv {before}, tp",
                "mv tp, {by}",
                before = out(reg) before,
                by = in(reg) ptr::from_ref(by).add(1),
                options(nostack),
            );
            &*before.sub(1)
        }
        #[cfg(not(target_arch = "riscv64"))]
        // SAFETY: the C library uses it in this way, and threads go on only when the handler has ended.
        unsafe {
            let before = Control::current();
            _impure_ptr.store(ptr::from_ref(by).cast_mut().cast(), Ordering::Relaxed);
            before
        }
    }

    /// Makes that of a new thread.
    ///
    /// # Safety
    /// `place` is aligned, is valid for writes, and nothing else uses it.
    pub(crate) unsafe fn init(place: *mut Control, routine: Routine, argument: *mut c_void) {
        // SAFETY: as the caller promises. Zeros are valid for all but the function.
        unsafe {
            ptr::write_bytes(place.cast::<u8>(), 0, size_of::<Control>());
            (&raw mut (*place).routine).write(routine);
            (&raw mut (*place).argument).write(AtomicPtr::new(argument));
            (&raw mut (*place).id).write(UnsafeCell::new(None));
            __flyball_reent_init(place.cast());
        }
    }

    /// The argument of the thread.
    pub(crate) fn address(&self) -> usize {
        // On RISC-V that becomes `tp`.
        let address = ptr::from_ref(self).wrapping_add(usize::from(cfg!(target_arch = "riscv64")));
        address.expose_provenance()
    }

    /// The name under which the calling thread locks.
    #[inline]
    pub(crate) fn quick() -> u32 {
        Control::current().quick.load(Ordering::Relaxed)
    }

    /// Its `pthread_t`.
    #[inline]
    pub(crate) fn name(&self) -> u32 {
        self.name.load(Ordering::Relaxed)
    }

    /// Runs what the thread is there for. The unwinder may keep what it needs at `unwinding`.
    pub(crate) fn run(&self, unwinding: *mut c_void) -> *mut c_void {
        (self.routine)(self.argument.swap(unwinding, Ordering::Relaxed))
    }

    /// Its policy and priority, as it was told.
    pub(crate) fn policy(&self) -> (c_int, c_int) {
        let (policy, priority) = (&self.policy, &self.priority);
        (
            policy.load(Ordering::Relaxed).into(),
            priority.load(Ordering::Relaxed).into(),
        )
    }

    /// It is told another one. They are valid.
    pub(crate) fn set_policy(&self, policy: c_int, priority: c_int) {
        for (place, to) in [(&self.policy, policy), (&self.priority, priority)] {
            place.store(u8::try_from(to).unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// The kernel's name of the thread, once it has been made.
    ///
    /// # Safety
    /// The caller has locked the list of threads.
    pub(crate) unsafe fn id(&self) -> Option<ThreadId> {
        // SAFETY: as the caller promises.
        unsafe { *self.id.get() }
    }

    /// The kernel knows the thread by this.
    ///
    /// # Safety
    /// The caller has locked the list of threads, or no thread runs yet.
    pub(crate) unsafe fn set_id(&self, id: ThreadId) {
        // SAFETY: as the caller promises.
        unsafe { *self.id.get() = Some(id) };
    }

    /// The relative deadline of its jobs, if they have one, under a policy with floors.
    ///
    /// # Safety
    /// The caller has locked the list of threads.
    pub(crate) unsafe fn deadline(&self) -> Option<Duration> {
        // SAFETY: as the caller promises.
        let deadline = unsafe { *self.deadline.get() };
        (deadline != 0).then(|| Duration::from_nanos(deadline))
    }

    /// From now on it is this.
    ///
    /// # Safety
    /// The caller has locked the list of threads, or no thread knows this one yet.
    pub(crate) unsafe fn set_deadline(&self, deadline: Option<Duration>) {
        let deadline = deadline.map_or(0, Duration::as_nanos);
        // SAFETY: as the caller promises.
        unsafe { *self.deadline.get() = deadline };
    }

    /// The trace learns what the thread `id` runs, which this is of.
    pub(crate) fn note(&self, id: ThreadId) {
        _flyball_c_note(Note::Thread {
            row: id.task(),
            // An address has 64 bits at most.
            routine: self.routine as usize as u64,
        });
    }

    /// The trace learns what the thread is called. The caller has locked the list of threads.
    pub(crate) fn note_label(&self, bytes: &[u8]) {
        let mut text = [0; LABEL];
        // SAFETY: as the caller says.
        let id = unsafe { self.id() };
        // Once it has ended its row may be another thread's.
        if let Some(id) = id.filter(|_| !self.has_ended.load(Ordering::Relaxed))
            && let Some(place) = text.get_mut(..bytes.len())
        {
            place.copy_from_slice(bytes);
            _flyball_c_note(Note::Label {
                row: id.task(),
                text,
            });
        }
    }

    /// Frees all that there is of a thread.
    ///
    /// # Safety
    /// The kernel has no such thread any more, and no other thread refers to it.
    pub(crate) unsafe fn free(control: *const Control) {
        // SAFETY: as the caller promises; the memory came from `malloc`.
        unsafe {
            let (values, held) = (&(*control).values, &(*control).held);
            free(values.load(Ordering::Relaxed).cast());
            free(held.load(Ordering::Relaxed));
            let block = (*control).block.load(Ordering::Relaxed);
            __flyball_reent_free(control.cast_mut().cast());
            free(block);
        }
    }
}

/// Where newlib has its state of the calling thread.
#[cfg(target_arch = "riscv64")]
#[unsafe(no_mangle)]
extern "C" fn __getreent() -> *mut c_void {
    ptr::from_ref(Control::current()).cast_mut().cast()
}

unsafe extern "C" {
    fn free(block: *mut c_void);
}
