//! newlib's locks, and its system calls but for files.

use crate::errno::{EINVAL, ENOMEM, ESRCH, fail};
use crate::mutex::Mutex;
use core::ffi::{c_int, c_long, c_void};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};
use flyball_app::seam::_flyball_shut_down;

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
    unsafe { crate::refer(lock) }.lock();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_acquire_recursive(lock: *const Mutex) {
    // SAFETY: newlib passes a lock.
    unsafe { crate::refer(lock) }.lock();
}

/// Returns 1 if it is locked now.
#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_try_acquire(lock: *const Mutex) -> c_int {
    // SAFETY: newlib passes a lock.
    c_int::from(unsafe { crate::refer(lock) }.try_lock() == 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __retarget_lock_try_acquire_recursive(lock: *const Mutex) -> c_int {
    // SAFETY: as newlib promises.
    unsafe { __retarget_lock_try_acquire(lock) }
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
    _flyball_shut_down(code)
}

#[unsafe(no_mangle)]
extern "C" fn _getpid() -> c_int {
    1
}

/// A signal that has no handler ends the program, as a shell tells it: with its number and 128.
#[unsafe(no_mangle)]
extern "C" fn _kill(process: c_int, signal: c_int) -> c_int {
    match (process, signal) {
        (1, 0) => 0,
        (1, 1..=63) => end(128 + signal),
        (1, _) => fail(EINVAL),
        _ => fail(ESRCH),
    }
}

#[unsafe(no_mangle)]
extern "C" fn sysconf(name: c_int) -> c_long {
    match name {
        // _SC_CLK_TCK
        2 => 1000,
        // _SC_OPEN_MAX
        4 => 20,
        // _SC_VERSION, and options that there are
        7 | 30 | 34 | 42..=47 | 49 | 54 | 56 | 62 | 64 | 69 | 71 | 76 => 200_809,
        // _SC_PAGESIZE
        8 => 4096,
        // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
        9 | 10 => 1,
        // _SC_SEM_VALUE_MAX
        17 => c_long::MAX,
        // _SC_THREAD_KEYS_MAX
        38 => 128,
        // _SC_THREAD_DESTRUCTOR_ITERATIONS
        53 => 4,
        _ => c_long::from(fail(EINVAL)),
    }
}
