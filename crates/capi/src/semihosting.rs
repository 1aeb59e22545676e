//! Calls of a debugger or an emulator, for what a board has not: files, the time of day, arguments.
//!
//! Arm, Semihosting for AArch32 and AArch64, and RISC-V Semihosting.

use core::ffi::c_char;

/// The operations.
pub(crate) const OPEN: usize = 0x01;
pub(crate) const CLOSE: usize = 0x02;
pub(crate) const WRITE: usize = 0x05;
pub(crate) const READ: usize = 0x06;
pub(crate) const ISTTY: usize = 0x09;
pub(crate) const SEEK: usize = 0x0a;
pub(crate) const FLEN: usize = 0x0c;
pub(crate) const REMOVE: usize = 0x0e;
pub(crate) const RENAME: usize = 0x0f;
const TIME: usize = 0x11;
const ERRNO: usize = 0x13;
const GET_CMDLINE: usize = 0x15;

/// Calls the host.
///
/// # Safety
/// The arguments are those of the operation, and pointers among them are valid.
pub(crate) unsafe fn call(operation: usize, arguments: &mut [usize]) -> isize {
    let result: isize;
    let arguments = arguments.as_mut_ptr();
    #[cfg(target_arch = "arm")]
    // SAFETY: as the caller promises; the host changes the first register only, and memory.
    unsafe {
        core::arch::asm!(
            "bkpt #0xab",
            inout("r0") operation => result,
            in("r1") arguments,
            options(nostack),
        );
    }
    #[cfg(target_arch = "riscv64")]
    // SAFETY: as the caller promises; the host changes the first register only, and memory. The three
    // instructions are in one page.
    unsafe {
        core::arch::asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli x0, x0, 0x1f",
            "ebreak",
            "srai x0, x0, 7",
            ".option pop",
            inout("a0") operation => result,
            in("a1") arguments,
            options(nostack),
        );
    }
    #[cfg(not(any(target_arch = "arm", target_arch = "riscv64")))]
    {
        let _ = (operation, arguments);
        result = -1;
    }
    result
}

/// Seconds since 1970; zero if the host does not know.
pub(crate) fn time() -> i64 {
    // SAFETY: it has no arguments.
    i64::try_from(unsafe { call(TIME, &mut []) }.cast_unsigned()).unwrap_or(0)
}

/// The number of the last error, if it is one that all systems have in common.
pub(crate) fn error() -> Option<i32> {
    // SAFETY: it has no arguments.
    let error = unsafe { call(ERRNO, &mut []) };
    i32::try_from(error)
        .ok()
        .filter(|error| (1..35).contains(error))
}

/// Writes the arguments of the program to `text`, with spaces between them and a zero at the end.
/// Returns whether there are any.
#[unsafe(no_mangle)]
unsafe extern "C" fn __flyball_command_line(text: *mut c_char, size: usize) -> i32 {
    let mut arguments = [text.expose_provenance(), size];
    // SAFETY: C passes so many bytes.
    i32::from(unsafe { call(GET_CMDLINE, &mut arguments) } == 0)
}
