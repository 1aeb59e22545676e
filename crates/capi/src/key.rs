//! Data of each thread under a key. A thread has a table of values from its first one on.

use crate::control::Control;
use crate::errno::{EAGAIN, EINVAL, ENOMEM};
use crate::thread::LISTS;
use core::ffi::{c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

type Destructor = extern "C" fn(*mut c_void);

/// `PTHREAD_KEYS_MAX`.
const KEYS: usize = 128;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: usize = 4;

/// What a key's row says that is none; or that has no destructor. Otherwise it is the function's address.
const FREE: usize = 0;
const WITHOUT: usize = 2;

static DESTRUCTORS: [AtomicUsize; KEYS] = [const { AtomicUsize::new(FREE) }; KEYS];

unsafe extern "C" {
    safe fn calloc(count: usize, size: usize) -> *mut c_void;
}

/// Where the calling thread has the value of a key, if it has values.
#[inline]
fn value(key: usize) -> Option<&'static AtomicPtr<c_void>> {
    let values = Control::current().values.load(Ordering::Relaxed);
    if values.is_null() || key >= KEYS {
        return None;
    }
    // SAFETY: there are as many values, for as long as the thread lives.
    Some(unsafe { &*values.add(key) })
}

/// Calls the destructors of the values of the calling thread, which ends.
pub(crate) fn destroy() {
    if Control::current().values.load(Ordering::Relaxed).is_null() {
        return;
    }
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for (key, destructor) in DESTRUCTORS.iter().enumerate() {
            let destructor = destructor.load(Ordering::Relaxed);
            let Some(value) = value(key).filter(|_| destructor > WITHOUT) else {
                continue;
            };
            let value = value.swap(ptr::null_mut(), Ordering::Relaxed);
            if !value.is_null() {
                is_done = false;
                // SAFETY: the row of a key is FREE, WITHOUT or a destructor.
                let destructor = unsafe {
                    core::mem::transmute::<*const (), Destructor>(ptr::with_exposed_provenance(
                        destructor,
                    ))
                };
                destructor(value);
            }
        }
        if is_done {
            return;
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_key_create(key: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    let row = destructor.map_or(WITHOUT, |destructor| {
        (destructor as *const ()).expose_provenance()
    });
    let take = |place: &AtomicUsize| {
        // What `pthread_key_delete` has done on another CPU is seen.
        let taken = place.compare_exchange(FREE, row, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    };
    match (0..).zip(&DESTRUCTORS).find(|(_, place)| take(place)) {
        Some((number, _)) => {
            // SAFETY: C passes a place.
            unsafe { key.write(number) };
            0
        }
        None => EAGAIN,
    }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_key_delete(key: c_uint) -> c_int {
    let key = key as usize;
    let Some(row) = DESTRUCTORS.get(key) else {
        return EINVAL;
    };
    if row.load(Ordering::Relaxed) == FREE {
        return EINVAL;
    }
    // The next key of this number finds no values.
    LISTS.with(|lists| {
        for control in lists.all() {
            let values = control.values.load(Ordering::Acquire);
            if !values.is_null() {
                // SAFETY: there are as many values. They are freed by a thread that has taken their
                // owner out of the list.
                unsafe { &*values.add(key) }.store(ptr::null_mut(), Ordering::Relaxed);
            }
        }
    });
    row.store(FREE, Ordering::Release);
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_getspecific(key: c_uint) -> *mut c_void {
    value(key as usize).map_or(ptr::null_mut(), |value| value.load(Ordering::Relaxed))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_setspecific(key: c_uint, to: *mut c_void) -> c_int {
    let key = key as usize;
    let is_key = DESTRUCTORS.get(key);
    if is_key.is_none_or(|row| row.load(Ordering::Relaxed) == FREE) {
        return EINVAL;
    }
    let values = &Control::current().values;
    if values.load(Ordering::Relaxed).is_null() {
        if to.is_null() {
            return 0;
        }
        let new = calloc(KEYS, size_of::<AtomicPtr<c_void>>());
        if new.is_null() {
            return ENOMEM;
        }
        values.store(new.cast(), Ordering::Release);
    }
    if let Some(value) = value(key) {
        value.store(to, Ordering::Relaxed);
    }
    0
}
