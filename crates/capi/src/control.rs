//! What is kept of each thread.
//!
//! ```text
//!   low                                     end of the stack, to which _impure_ptr points
//!    | stack                                | struct _reent | the rest of Control | variables |
//!                                 <- grows
//! ```
//!
//! The context switch sets `_impure_ptr`, so the calling thread finds its own by one load. The
//! variables of the thread (`thread_local`) come last.

use crate::binding::HIGHEST;
use crate::cancel::Cleanup;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use flyball_kernel::ThreadId;

/// The size of newlib's `struct _reent`. `sdk/flyball.c` does not compile if that is another one.
pub(crate) const REENT: usize = if size_of::<usize>() == 4 { 752 } else { 1464 };

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
    /// `PTHREAD_CANCEL_DISABLE` or `PTHREAD_CANCEL_ENABLE`, 0.
    pub(crate) cancel_state: AtomicI32,
    /// Whether the thread is to be cancelled: 1. Another thread says so.
    pub(crate) cancelled: AtomicU32,
    /// The cleanup handlers, the last one first.
    pub(crate) cleanup: AtomicPtr<Cleanup>,
    /// Values of keys; null: there are none. A thread that deletes a key writes there.
    pub(crate) values: AtomicPtr<AtomicPtr<c_void>>,
    /// How many mutexes of each ceiling it has, and the highest that it has one of; 0: none.
    pub(crate) ceilings: [AtomicU32; HIGHEST as usize + 1],
    pub(crate) ceiling: AtomicU32,
    /// What the unwinder keeps while the thread ends.
    unwinding: UnsafeCell<[u64; 16]>,
    routine: Routine,
    argument: AtomicPtr<c_void>,
    /// What it has returned.
    pub(crate) result: AtomicPtr<c_void>,
    /// What was allocated for it, which is freed after its end; null: nothing.
    pub(crate) block: AtomicPtr<c_void>,
    /// The stack's lowest byte.
    pub(crate) low: AtomicUsize,

    // These are written by the thread that has locked the list.
    pub(crate) next: AtomicPtr<Control>,
    id: UnsafeCell<Option<ThreadId>>,
    pub(crate) is_detached: AtomicBool,
    pub(crate) is_joined: AtomicBool,
    pub(crate) has_ended: AtomicBool,
    pub(crate) policy: AtomicI32,
    pub(crate) priority: AtomicI32,
    pub(crate) label: UnsafeCell<[c_char; LABEL]>,
}

/// The bytes of a thread's name for people, with a zero at the end.
pub(crate) const LABEL: usize = 16;

unsafe extern "C" {
    static _impure_ptr: AtomicPtr<c_void>;

    /// Makes the `struct _reent` of a thread.
    fn __flyball_reent_init(reent: *mut c_void);

    /// Frees what the C library has allocated for a thread that has ended.
    fn __flyball_reent_free(reent: *mut c_void);
}

impl Control {
    /// That of the calling thread. (Not in the handler of an interrupt.)
    #[inline]
    pub(crate) fn current() -> &'static Control {
        // SAFETY: only threads call C functions, and each has one. It lasts as long as the thread.
        unsafe { &*_impure_ptr.load(Ordering::Relaxed).cast::<Control>() }
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

    /// Where the unwinder may keep what it needs.
    pub(crate) fn unwinding(&self) -> *mut c_void {
        self.unwinding.get().cast()
    }

    /// Runs what the thread is there for.
    pub(crate) fn run(&self) -> *mut c_void {
        (self.routine)(self.argument.load(Ordering::Relaxed))
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

    /// Frees all that there is of a thread.
    ///
    /// # Safety
    /// The kernel has no such thread any more, and no other thread refers to it.
    pub(crate) unsafe fn free(control: *const Control) {
        // SAFETY: as the caller promises; the memory came from `malloc`.
        unsafe {
            let (values, block) = (&(*control).values, &(*control).block);
            free(values.load(Ordering::Relaxed).cast());
            let block = block.load(Ordering::Relaxed);
            __flyball_reent_free(control.cast_mut().cast());
            free(block);
        }
    }
}

unsafe extern "C" {
    fn free(block: *mut c_void);
}
