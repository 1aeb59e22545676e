//! Robust mutexes: if a thread ends that owns one, the next thread that locks it is told, and repairs what it
//! protects. All of them are in a list, in which a thread that ends looks for its own.

use crate::latch::Locked;
use crate::mutex::Mutex;
use crate::refer;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A robust mutex that has been initialised and not destroyed.
struct Row {
    mutex: *const Mutex,
    next: AtomicPtr<Row>,
}

static ROWS: Locked<AtomicPtr<Row>> = Locked::new(AtomicPtr::new(ptr::null_mut()));

/// What a thread calls that ends: [`look`], as soon as there has been a robust mutex. A program that initialises no
/// mutex is linked without it.
static LOOK: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" {
    safe fn malloc(size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// The first row at or behind `link`.
fn row(link: &AtomicPtr<Row>) -> Option<&Row> {
    // SAFETY: what is in the list is there, and the caller has locked it.
    unsafe { link.load(Ordering::Relaxed).as_ref() }
}

fn all(first: &AtomicPtr<Row>) -> impl Iterator<Item = &Row> {
    core::iter::successors(row(first), |this| row(&this.next))
}

/// Puts a mutex into the list. Returns false if there is no memory.
pub(crate) fn register(mutex: *const Mutex) -> bool {
    LOOK.store(look as *mut (), Ordering::Relaxed);
    // Before: the lock of the heap is another one's.
    let new = malloc(size_of::<Row>()).cast::<Row>();
    if new.is_null() {
        return false;
    }
    let is_new = ROWS.with(|first| {
        // Where one was that has not been destroyed there may be another now.
        if all(first).any(|row| row.mutex == mutex) {
            return false;
        }
        let next = AtomicPtr::new(first.load(Ordering::Relaxed));
        // SAFETY: it has just been allocated.
        unsafe { new.write(Row { mutex, next }) };
        first.store(new, Ordering::Relaxed);
        true
    });
    if !is_new {
        // SAFETY: it has just been allocated, and is not in the list.
        unsafe { free(new.cast()) };
    }
    true
}

/// Takes a mutex out of the list.
pub(crate) fn forget(mutex: *const Mutex) {
    let row = ROWS.with(|first| {
        let mut link: &AtomicPtr<Row> = first;
        while let Some(this) = row(link) {
            if this.mutex == mutex {
                let found = link.load(Ordering::Relaxed);
                link.store(this.next.load(Ordering::Relaxed), Ordering::Relaxed);
                return found;
            }
            link = &this.next;
        }
        ptr::null_mut()
    });
    // SAFETY: it was allocated, and is not in the list any more.
    unsafe { free(row.cast()) };
}

/// The calling thread ends.
pub(crate) fn abandon() {
    let look = LOOK.load(Ordering::Relaxed);
    if !look.is_null() {
        // SAFETY: it is that function.
        unsafe { core::mem::transmute::<*mut (), fn()>(look)() };
    }
}

/// Gives back the robust mutexes of the calling thread, as those of one that has ended.
fn look() {
    ROWS.with(|first| {
        for row in all(first) {
            // SAFETY: a mutex is there until it is destroyed.
            unsafe { refer(row.mutex) }.abandon();
        }
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_consistent(mutex: *const Mutex) -> c_int {
    // SAFETY: C passes a mutex.
    unsafe { refer(mutex) }.make_consistent()
}
