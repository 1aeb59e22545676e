//! What is known of a file: its size, and whether it is the console.

use crate::errno::fail;
use crate::files::{TO_READ, close, host_error, length, open, with};
use core::ffi::{CStr, c_char, c_int, c_long, c_short, c_uint, c_ushort};

/// `struct stat`.
#[repr(C)]
struct Stat {
    device: c_short,
    inode: c_ushort,
    mode: c_uint,
    links: c_ushort,
    user: c_ushort,
    group: c_ushort,
    special: c_short,
    size: c_long,
    times: [(i64, c_long); 3],
    block_size: c_long,
    blocks: c_long,
    spare: [c_long; 2],
}

/// What is known of a file.
fn describe(is_terminal: bool, size: usize) -> Stat {
    const CHARACTERS: c_uint = 0o020_666;
    const REGULAR: c_uint = 0o100_666;
    Stat {
        device: 0,
        inode: 0,
        mode: if is_terminal { CHARACTERS } else { REGULAR },
        links: 1,
        user: 0,
        group: 0,
        special: 0,
        size: c_long::try_from(size).unwrap_or(c_long::MAX),
        times: [(0, 0); 3],
        block_size: 1024,
        blocks: 0,
        spare: [0; 2],
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _fstat(number: c_int, to: *mut Stat) -> c_int {
    with(number, |file, handle| {
        let size = if file.is_terminal {
            0
        } else {
            length(handle).unwrap_or(0)
        };
        // SAFETY: C passes a place.
        unsafe { to.write(describe(file.is_terminal, size)) };
        Ok(0)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _stat(name: *const c_char, to: *mut Stat) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let Some(handle) = open(unsafe { CStr::from_ptr(name) }, TO_READ) else {
        return fail(host_error());
    };
    let size = length(handle).unwrap_or(0);
    close(handle);
    // SAFETY: C passes a place.
    unsafe { to.write(describe(false, size)) };
    0
}
