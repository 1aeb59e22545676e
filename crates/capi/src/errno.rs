//! Numbers of errors, as newlib has them.

use core::ffi::c_int;
use flyball_kernel::Error;

pub(crate) const EPERM: c_int = 1;
pub(crate) const ENOENT: c_int = 2;
pub(crate) const ESRCH: c_int = 3;
/// Of a wait that was ended early. Functions of threads do not return it.
pub(crate) const EINTR: c_int = 4;
pub(crate) const EIO: c_int = 5;
pub(crate) const EBADF: c_int = 9;
pub(crate) const EAGAIN: c_int = 11;
pub(crate) const ENOMEM: c_int = 12;
pub(crate) const EBUSY: c_int = 16;
pub(crate) const EEXIST: c_int = 17;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const EMFILE: c_int = 24;
pub(crate) const ERANGE: c_int = 34;
pub(crate) const EDEADLK: c_int = 45;
pub(crate) const ETIMEDOUT: c_int = 116;
pub(crate) const ENOTSUP: c_int = 134;
pub(crate) const EOVERFLOW: c_int = 139;
pub(crate) const ENOTRECOVERABLE: c_int = 141;
pub(crate) const EOWNERDEAD: c_int = 142;

unsafe extern "C" {
    /// Returns where the `errno` of the calling thread is.
    safe fn __errno() -> *mut c_int;
}

/// Sets `errno`, and returns what a function returns that has failed.
#[cold]
pub(crate) fn fail(error: c_int) -> c_int {
    // SAFETY: it is in the state that the C library has of the calling thread.
    unsafe { *__errno() = error };
    -1
}

/// What a function returns that says in `errno` what was wrong.
#[inline]
pub(crate) fn or_fail(error: c_int) -> c_int {
    if error == 0 { 0 } else { fail(error) }
}

/// What C calls the outcome of a kernel call.
#[inline]
pub(crate) fn number(result: Result<(), Error>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(error) => number_of(error),
    }
}

#[cold]
fn number_of(error: Error) -> c_int {
    match error {
        Error::Full => EAGAIN,
        Error::Dead | Error::Unknown => ESRCH,
        Error::NoThread => {
            crate::interrupt::refuses();
            EPERM
        }
        Error::NotOwner => EPERM,
        Error::Deadlock => EDEADLK,
        Error::TimedOut => ETIMEDOUT,
        Error::Roused => EINTR,
        _ => EINVAL,
    }
}
