//! newlib's locks, and its system calls but for files.

use crate::binding::{_flyball_c_cpus, _flyball_c_end};
use crate::cancel;
use crate::control::Control;
use crate::errno::{ENOMEM, fail};
use crate::mutex::Mutex;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use flyball_app::seam::_flyball_shut_down;
use flyball_trace::Duration;

/// Defines newlib's own locks.
macro_rules! locks {
    ($($name:ident = $make:ident;)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals, reason = "newlib calls it so")]
        static $name: Mutex = Mutex::$make();
    )*};
}

locks! {
    __lock___sinit_recursive_mutex = recursive;
    __lock___sfp_recursive_mutex = recursive;
    __lock___atexit_recursive_mutex = recursive;
    __lock___malloc_recursive_mutex = recursive;
    __lock___env_recursive_mutex = recursive;
    __lock___at_quick_exit_mutex = new;
    __lock___tz_mutex = new;
    __lock___dd_hash_mutex = new;
    __lock___arc4random_mutex = new;
}

/// The lock of all streams for which there was no memory.
static SHARED: Mutex = Mutex::recursive();

unsafe extern "C" {
    safe fn malloc(size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// Makes a lock.
fn make(lock: Mutex) -> *const Mutex {
    let place = malloc(size_of::<Mutex>()).cast::<Mutex>();
    if place.is_null() {
        return &raw const SHARED;
    }
    // SAFETY: it has just been allocated.
    unsafe { place.write(lock) };
    place
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_init(lock: *mut *const Mutex) {
    // SAFETY: newlib passes a place.
    unsafe { lock.write(make(Mutex::new())) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_init_recursive(lock: *mut *const Mutex) {
    // SAFETY: newlib passes a place.
    unsafe { lock.write(make(Mutex::recursive())) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_close(lock: *const Mutex) {
    if !ptr::eq(lock, &raw const SHARED) {
        // SAFETY: it was allocated, and newlib does not use it any more.
        unsafe { free(lock.cast_mut().cast()) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_close_recursive(lock: *const Mutex) {
    // SAFETY: as newlib promises.
    unsafe { __retarget_lock_close(lock) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_acquire(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    unsafe { crate::refer(lock) }.lock_or_end();
}

/// Of streams, and of what all threads share. No thread ends while it has one.
#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_acquire_recursive(lock: *const Mutex) {
    cancel::enter_library();
    // SAFETY: newlib passes a lock.
    unsafe { __flyball_lock_stream(lock) };
}

/// The thread that ends the program writes what streams hold. It waits for each lock no longer than this: another
/// thread may have locked a stream for ever.
const LAST_WAIT: Duration = Duration::from_millis(1000);

/// Whether a thread ends the program, and that one.
static IS_ENDING: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicU32 = AtomicU32::new(0);

/// All functions of `atexit` have been called: the calling thread ends the program.
#[unsafe(no_mangle)]
extern "C" fn __flyball_ending() {
    ENDING.store(Control::current().name(), Ordering::Relaxed);
    IS_ENDING.store(true, Ordering::Relaxed);
}

/// Locks a stream for the program.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_lock_stream(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    let lock = unsafe { crate::refer(lock) };
    if IS_ENDING.load(Ordering::Relaxed)
        && ENDING.load(Ordering::Relaxed) == Control::current().name()
    {
        // Otherwise the thread goes on without it, and does not give it back.
        lock.lock_within(LAST_WAIT);
    } else {
        lock.lock_or_end();
    }
}

/// Returns 1 if it is locked now.
#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_try_acquire(lock: *const Mutex) -> c_int {
    // SAFETY: newlib passes a lock.
    c_int::from(unsafe { crate::refer(lock) }.try_lock() == 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_release(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    unsafe { crate::refer(lock) }.unlock();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_release_recursive(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    unsafe { crate::refer(lock) }.unlock();
    cancel::leave_library();
}

/// The program gives a stream back.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_unlock_stream(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    unsafe { crate::refer(lock) }.unlock();
}

unsafe extern "C" {
    // Of the linker's script.
    static mut __heap_start: u8;
    static mut __heap_end: u8;
}

/// How many bytes of the heap are in use.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Moves the end of the heap, and returns where it was; `None`: there is no room. Only the thread that
/// has newlib's lock of the heap does so, or no thread runs yet.
pub(crate) fn extend(more: isize) -> Option<*mut c_void> {
    let (start, end) = (&raw mut __heap_start, &raw mut __heap_end);
    let room = end.addr() - start.addr();
    let used = USED.load(Ordering::Relaxed);
    let now = used.checked_add_signed(more).filter(|&now| now <= room)?;
    USED.store(now, Ordering::Relaxed);
    Some(start.wrapping_add(used).cast())
}

#[unsafe(no_mangle)]
extern "C" fn _sbrk(more: isize) -> *mut c_void {
    extend(more).unwrap_or_else(|| {
        fail(ENOMEM);
        ptr::without_provenance_mut(usize::MAX)
    })
}

/// The exit code is the lowest byte.
#[unsafe(export_name = "_exit")]
extern "C" fn end(code: c_int) -> ! {
    let [code, ..] = code.to_le_bytes();
    _flyball_c_end();
    _flyball_shut_down(code)
}

#[unsafe(no_mangle)]
extern "C" fn _getpid() -> c_int {
    1
}

/// How many CPUs there are.
#[unsafe(no_mangle)]
extern "C" fn __flyball_cpus() -> c_int {
    _flyball_c_cpus().into()
}
