//! newlib's system calls for files, which are the host's.

use crate::cancel;
use crate::errno::{EBADF, EEXIST, EINVAL, EIO, EMFILE, ENOENT, fail};
use crate::latch::Locked;
use crate::semihosting::{
    CLOSE, FLEN, ISTTY, OPEN, READ, REMOVE, RENAME, SEEK, WRITE, call, error,
};
use crate::storage;
use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};

/// An open file.
#[derive(Clone, Copy)]
pub(crate) struct File {
    /// The host's number for it; `None`: not open.
    handle: Option<usize>,
    position: usize,
    flags: c_int,
    pub(crate) is_terminal: bool,
}

/// How many files may be open.
const FILES: usize = 20;

const CLOSED: File = File {
    handle: None,
    position: 0,
    flags: 0,
    is_terminal: false,
};

/// The first three descriptors are the standard ones, opened when they are used first.
struct Files {
    rows: [File; FILES],
    /// Which of the files a descriptor stands for; `FILES`: none. Several may stand for the same.
    descriptors: [u8; FILES],
    has_standard: bool,
}

const NONE: u8 = 20;
const _: () = assert!(NONE as usize == FILES);

static FILES_OPEN: Locked<Files> = Locked::new(Files {
    rows: [CLOSED; FILES],
    descriptors: [NONE; FILES],
    has_standard: false,
});

const WRITE_ONLY: c_int = 1;
const READ_WRITE: c_int = 2;
const APPEND: c_int = 0x8;
const CREATE: c_int = 0x200;
const TRUNCATE: c_int = 0x400;
const EXCLUSIVE: c_int = 0x800;

/// How the host opens a file, as `fopen` names it: "rb", "r+b" and so on.
pub(crate) const TO_READ: usize = 1;
const TO_UPDATE: usize = 3;
pub(crate) const TO_WRITE: usize = 5;
const TO_WRITE_AND_READ: usize = 7;

impl Files {
    fn find(&mut self, number: c_int) -> Option<&mut File> {
        if !self.has_standard {
            self.has_standard = true;
            // The host's console, as "r", "w" and "a".
            for (number, mode) in [(0, 0), (1, 4), (2, 8)] {
                self.descriptors[usize::from(number)] = number;
                let file = &mut self.rows[usize::from(number)];
                file.handle = open(c":tt", mode);
                file.flags = c_int::from(mode != 0);
                file.is_terminal = true;
            }
        }
        let &index = self.descriptors.get(usize::try_from(number).ok()?)?;
        let file = self.rows.get_mut(usize::from(index))?;
        file.handle.is_some().then_some(file)
    }

    /// The first descriptor from `least` on that stands for nothing.
    fn free(&mut self, least: c_int) -> Option<(c_int, &mut u8)> {
        self.find(0);
        let mut descriptors = (0..).zip(&mut self.descriptors);
        descriptors.find(|(number, index)| *number >= least && **index == NONE)
    }

    /// A new descriptor, from `least` on, of the file of another one.
    fn duplicate(&mut self, number: c_int, least: c_int) -> Result<usize, c_int> {
        self.find(number).ok_or(EBADF)?;
        // There is such a file, so there is such a descriptor.
        let index = self.descriptors[usize::try_from(number).map_err(|_| EBADF)?];
        let (new, place) = self.free(least).ok_or(EMFILE)?;
        *place = index;
        usize::try_from(new).map_err(|_| EBADF)
    }

    /// A descriptor stands for nothing any more. Returns the file's handle if no other one stands for that.
    fn close(&mut self, number: c_int) -> Result<Option<usize>, c_int> {
        self.find(number).ok_or(EBADF)?;
        let place = usize::try_from(number).map_err(|_| EBADF)?;
        let index = core::mem::replace(&mut self.descriptors[place], NONE);
        if self.descriptors.contains(&index) {
            return Ok(None);
        }
        let file = core::mem::replace(&mut self.rows[usize::from(index)], CLOSED);
        Ok(file.handle)
    }
}

pub(crate) fn open(name: &CStr, mode: usize) -> Option<usize> {
    let mut arguments = [name.as_ptr().expose_provenance(), mode, name.count_bytes()];
    // SAFETY: these are a name, how it is opened, and the name's length.
    let handle = unsafe { call(OPEN, &mut arguments) };
    usize::try_from(handle).ok()
}

pub(crate) fn close(handle: usize) -> isize {
    // SAFETY: it is the handle alone.
    unsafe { call(CLOSE, &mut [handle]) }
}

/// The length of a file.
pub(crate) fn length(handle: usize) -> Option<usize> {
    // SAFETY: it is the handle alone.
    usize::try_from(unsafe { call(FLEN, &mut [handle]) }).ok()
}

fn seek(handle: usize, position: usize) -> bool {
    // SAFETY: it is the handle, and a position.
    unsafe { call(SEEK, &mut [handle, position]) == 0 }
}

/// Calls `f` with an open file; returns what a function returns if there is none, or it fails.
pub(crate) fn with(
    number: c_int,
    f: impl FnOnce(&mut File, usize) -> Result<usize, c_int>,
) -> c_int {
    returned(FILES_OPEN.with(|files| {
        let file = files.find(number).ok_or(EBADF)?;
        let handle = file.handle.ok_or(EBADF)?;
        f(file, handle)
    }))
}

/// What a function returns.
fn returned(result: Result<usize, c_int>) -> c_int {
    match result {
        Ok(value) => c_int::try_from(value).unwrap_or(c_int::MAX),
        Err(error) => fail(error),
    }
}

/// Calls `f` while no other thread calls the host, which knows its last error only.
fn alone<R>(f: impl FnOnce() -> Result<R, c_int>) -> Result<R, c_int> {
    FILES_OPEN.with(|_| f())
}

/// What a function returns that has nothing else to tell.
fn done(result: Result<(), c_int>) -> c_int {
    result.map_or_else(fail, |()| 0)
}

/// What a call of the host has failed with.
pub(crate) fn host_error() -> c_int {
    error().unwrap_or(EIO)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _open(name: *const c_char, flags: c_int, _: c_uint) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    cancel::point();
    let result = FILES_OPEN.with(|files| {
        let (number, _) = files.free(0).ok_or(EMFILE)?;
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
        // There are as many files as descriptors.
        let mut rows = (0..).zip(&mut files.rows);
        let free = rows.find(|(_, file)| file.handle.is_none());
        let (index, file) = free.ok_or(EMFILE)?;
        *file = File {
            handle: Some(handle),
            position: 0,
            flags,
            // SAFETY: it is the handle alone.
            is_terminal: unsafe { call(ISTTY, &mut [handle]) } == 1,
        };
        if let Some((_, place)) = files.free(0) {
            *place = index;
        }
        Ok(number)
    });
    result.unwrap_or_else(fail)
}

#[unsafe(no_mangle)]
extern "C" fn _close(number: c_int) -> c_int {
    cancel::point();
    returned(FILES_OPEN.with(|files| match files.close(number)? {
        Some(handle) if close(handle) != 0 => Err(host_error()),
        _ => Ok(0),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn dup(number: c_int) -> c_int {
    returned(FILES_OPEN.with(|files| files.duplicate(number, 0)))
}

#[unsafe(no_mangle)]
extern "C" fn dup2(number: c_int, to: c_int) -> c_int {
    let result = FILES_OPEN.with(|files| {
        files.find(number).ok_or(EBADF)?;
        let place = usize::try_from(to).ok().filter(|&place| place < FILES);
        let place = place.ok_or(EBADF)?;
        if number != to {
            if let Ok(Some(handle)) = files.close(to) {
                close(handle);
            }
            files.duplicate(number, to)?;
        }
        Ok(place)
    });
    returned(result)
}

/// The host has all that was written.
#[unsafe(no_mangle)]
extern "C" fn fsync(number: c_int) -> c_int {
    cancel::point();
    with(number, |_, _| Ok(0))
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(number: c_int) -> c_int {
    fsync(number)
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

/// The calling thread waits as long as `done` bytes of a file take, if that is a number of bytes.
fn waited(done: c_int, is_terminal: bool) -> c_int {
    if let (Ok(bytes), false) = (usize::try_from(done), is_terminal) {
        storage::wait(bytes);
    }
    done
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _read(number: c_int, to: *mut c_void, size: usize) -> c_int {
    cancel::point();
    let mut is_terminal = false;
    let done = with(number, |file, handle| {
        is_terminal = file.is_terminal;
        if file.flags & (WRITE_ONLY | READ_WRITE) == WRITE_ONLY {
            return Err(EBADF);
        }
        transfer(file, handle, READ, to.expose_provenance(), size)
    });
    waited(done, is_terminal)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _write(number: c_int, from: *const c_void, size: usize) -> c_int {
    cancel::point();
    let mut is_terminal = false;
    let done = with(number, |file, handle| {
        is_terminal = file.is_terminal;
        if file.flags & (WRITE_ONLY | READ_WRITE) == 0 {
            return Err(EBADF);
        }
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
    });
    waited(done, is_terminal)
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

#[unsafe(no_mangle)]
unsafe extern "C" fn _unlink(name: *const c_char) -> c_int {
    // SAFETY: C passes a text that ends with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    let mut arguments = [name.as_ptr().expose_provenance(), name.count_bytes()];
    done(alone(|| {
        // SAFETY: these are a name, and its length.
        match unsafe { call(REMOVE, &mut arguments) } {
            0 => Ok(()),
            _ => Err(host_error()),
        }
    }))
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
    done(alone(|| {
        // SAFETY: these are two names with their lengths.
        match unsafe { call(RENAME, &mut arguments) } {
            0 => Ok(()),
            _ => Err(host_error()),
        }
    }))
}

/// What a file was opened with; and another descriptor of it.
#[unsafe(no_mangle)]
extern "C" fn _fcntl(number: c_int, operation: c_int, least: c_int) -> c_int {
    const DUPLICATE: c_int = 0;
    const GET_FLAGS: c_int = 3;
    returned(FILES_OPEN.with(|files| match operation {
        DUPLICATE if least < 0 => Err(EINVAL),
        DUPLICATE => files.duplicate(number, least),
        GET_FLAGS => {
            let file = files.find(number).ok_or(EBADF)?;
            usize::try_from(file.flags).map_err(|_| EINVAL)
        }
        _ => Err(EINVAL),
    }))
}
