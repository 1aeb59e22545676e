//! newlib's system calls for files, which are the host's.

use crate::errno::{EBADF, EEXIST, EINVAL, EIO, EMFILE, ENOENT, fail};
use crate::latch::Locked;
use crate::semihosting::{
    CLOSE, FLEN, ISTTY, OPEN, READ, REMOVE, RENAME, SEEK, WRITE, call, error,
};
use core::ffi::{CStr, c_char, c_int, c_long, c_short, c_uint, c_ushort, c_void};

/// An open file.
#[derive(Clone, Copy)]
struct File {
    /// The host's number for it; `None`: not open.
    handle: Option<usize>,
    position: usize,
    flags: c_int,
    is_terminal: bool,
}

/// How many files may be open.
const FILES: usize = 20;

const CLOSED: File = File {
    handle: None,
    position: 0,
    flags: 0,
    is_terminal: false,
};

/// The first three are the standard ones, opened when they are used first.
struct Files {
    files: [File; FILES],
    has_standard: bool,
}

static FILES_OPEN: Locked<Files> = Locked::new(Files {
    files: [CLOSED; FILES],
    has_standard: false,
});

const WRITE_ONLY: c_int = 1;
const READ_WRITE: c_int = 2;
const APPEND: c_int = 0x8;
const CREATE: c_int = 0x200;
const TRUNCATE: c_int = 0x400;
const EXCLUSIVE: c_int = 0x800;

/// How the host opens a file, as `fopen` names it: "rb", "r+b" and so on.
const TO_READ: usize = 1;
const TO_UPDATE: usize = 3;
const TO_WRITE: usize = 5;
const TO_WRITE_AND_READ: usize = 7;

impl Files {
    fn find(&mut self, number: c_int) -> Option<&mut File> {
        if !self.has_standard {
            self.has_standard = true;
            // The host's console, as "r", "w" and "a".
            for (file, mode) in self.files.iter_mut().zip([0, 4, 8]) {
                file.handle = open(c":tt", mode);
                file.flags = c_int::from(mode != 0);
                file.is_terminal = true;
            }
        }
        let file = self.files.get_mut(usize::try_from(number).ok()?)?;
        file.handle.is_some().then_some(file)
    }

    fn free(&mut self) -> Option<(c_int, &mut File)> {
        self.find(0);
        let mut files = (0..).zip(&mut self.files);
        files.find(|(_, file)| file.handle.is_none())
    }
}

fn open(name: &CStr, mode: usize) -> Option<usize> {
    let mut arguments = [name.as_ptr().expose_provenance(), mode, name.count_bytes()];
    // SAFETY: these are a name, how it is opened, and the name's length.
    let handle = unsafe { call(OPEN, &mut arguments) };
    usize::try_from(handle).ok()
}

fn close(handle: usize) -> isize {
    // SAFETY: it is the handle alone.
    unsafe { call(CLOSE, &mut [handle]) }
}

/// The length of a file.
fn length(handle: usize) -> Option<usize> {
    // SAFETY: it is the handle alone.
    usize::try_from(unsafe { call(FLEN, &mut [handle]) }).ok()
}

fn seek(handle: usize, position: usize) -> bool {
    // SAFETY: it is the handle, and a position.
    unsafe { call(SEEK, &mut [handle, position]) == 0 }
}

/// Calls `f` with an open file; returns what a function returns if there is none, or it fails.
fn with(number: c_int, f: impl FnOnce(&mut File, usize) -> Result<usize, c_int>) -> c_int {
    let result = FILES_OPEN.with(|files| {
        let file = files.find(number).ok_or(EBADF)?;
        let handle = file.handle.ok_or(EBADF)?;
        f(file, handle)
    });
    match result {
        Ok(value) => c_int::try_from(value).unwrap_or(c_int::MAX),
        Err(error) => fail(error),
    }
}

/// What a call of the host has failed with.
fn host_error() -> c_int {
    error().unwrap_or(EIO)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _open(name: *const c_char, flags: c_int, _: c_uint) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    let result = FILES_OPEN.with(|files| {
        let (number, file) = files.free().ok_or(EMFILE)?;
        if flags & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE
            && let Some(handle) = open(name, TO_READ)
        {
            close(handle);
            return Err(EEXIST);
        }
        let writes = flags & (WRITE_ONLY | READ_WRITE) != 0;
        let mut handle = None;
        if !writes {
            handle = open(name, TO_READ);
        } else if flags & TRUNCATE == 0 {
            handle = open(name, TO_UPDATE);
        } else if flags & CREATE == 0 {
            // "w" would create it.
            close(open(name, TO_READ).ok_or(ENOENT)?);
            handle = open(name, TO_WRITE_AND_READ);
        }
        if handle.is_none() && writes && flags & CREATE != 0 {
            let mode = if flags & READ_WRITE == 0 {
                TO_WRITE
            } else {
                TO_WRITE_AND_READ
            };
            handle = open(name, mode);
        }
        let handle = handle.ok_or_else(host_error)?;
        *file = File {
            handle: Some(handle),
            position: 0,
            flags,
            // SAFETY: it is the handle alone.
            is_terminal: unsafe { call(ISTTY, &mut [handle]) } == 1,
        };
        Ok(number)
    });
    result.unwrap_or_else(fail)
}

#[unsafe(no_mangle)]
extern "C" fn _close(number: c_int) -> c_int {
    with(number, |file, handle| {
        *file = CLOSED;
        if close(handle) == 0 {
            Ok(0)
        } else {
            Err(host_error())
        }
    })
}

/// Reads or writes; returns how many bytes.
fn transfer(
    file: &mut File,
    handle: usize,
    operation: usize,
    at: usize,
    size: usize,
) -> Result<usize, c_int> {
    // SAFETY: it is the handle, and bytes that C passes.
    let left = unsafe { call(operation, &mut [handle, at, size]) };
    let done = usize::try_from(left)
        .ok()
        .and_then(|left| size.checked_sub(left));
    let done = done.ok_or_else(host_error)?;
    file.position += done;
    Ok(done)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _read(number: c_int, to: *mut c_void, size: usize) -> c_int {
    with(number, |file, handle| {
        transfer(file, handle, READ, to.expose_provenance(), size)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _write(number: c_int, from: *const c_void, size: usize) -> c_int {
    with(number, |file, handle| {
        if file.flags & APPEND != 0 {
            let end = length(handle).ok_or_else(host_error)?;
            seek(handle, end);
            file.position = end;
        }
        let done = transfer(file, handle, WRITE, from.expose_provenance(), size)?;
        if done == 0 && size > 0 {
            Err(EIO)
        } else {
            Ok(done)
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn _lseek(number: c_int, offset: c_long, from: c_int) -> c_int {
    const ESPIPE: c_int = 29;
    with(number, |file, handle| {
        if file.is_terminal {
            return Err(ESPIPE);
        }
        let base = match from {
            0 => 0,
            1 => file.position,
            2 => length(handle).ok_or_else(host_error)?,
            _ => return Err(EINVAL),
        };
        let offset = isize::try_from(offset).map_err(|_| EINVAL)?;
        let position = base.checked_add_signed(offset).ok_or(EINVAL)?;
        if !seek(handle, position) {
            return Err(host_error());
        }
        file.position = position;
        Ok(position)
    })
}

#[unsafe(no_mangle)]
extern "C" fn _isatty(number: c_int) -> c_int {
    const ENOTTY: c_int = 25;
    match with(number, |file, _| Ok(usize::from(file.is_terminal))) {
        0 => {
            fail(ENOTTY);
            0
        }
        other => c_int::from(other == 1),
    }
}

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

#[unsafe(no_mangle)]
unsafe extern "C" fn _unlink(name: *const c_char) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    let mut arguments = [name.as_ptr().expose_provenance(), name.count_bytes()];
    // SAFETY: these are a name, and its length.
    match unsafe { call(REMOVE, &mut arguments) } {
        0 => 0,
        _ => fail(host_error()),
    }
}

/// What newlib's `rename` calls; `sdk/flyball.c` has it with its first argument.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: C passes texts that end with a zero.
    let (from, to) = unsafe { (CStr::from_ptr(from), CStr::from_ptr(to)) };
    let mut arguments = [
        from.as_ptr().expose_provenance(),
        from.count_bytes(),
        to.as_ptr().expose_provenance(),
        to.count_bytes(),
    ];
    // SAFETY: these are two names with their lengths.
    match unsafe { call(RENAME, &mut arguments) } {
        0 => 0,
        _ => fail(host_error()),
    }
}

/// What a file was opened with.
#[unsafe(no_mangle)]
extern "C" fn _fcntl(number: c_int, operation: c_int, _: c_int) -> c_int {
    const GET_FLAGS: c_int = 3;
    with(number, |file, _| match operation {
        GET_FLAGS => usize::try_from(file.flags).map_err(|_| EINVAL),
        _ => Err(EINVAL),
    })
}
