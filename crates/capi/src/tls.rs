//! Variables of threads (`__thread`, `thread_local`).
//!
//! On Arm they begin at the thread's pointer plus eight, rounded up to their alignment (Addenda to, and
//! Errata in, the ABI for the Arm Architecture). On RISC-V they begin at the thread's pointer (RISC-V ELF
//! psABI), which is where [`Control`] ends. What they are at first is in the image.

use crate::control::Control;
use core::ptr;
use core::sync::atomic::Ordering;

unsafe extern "C" {
    // Of the linker's script. Those of sizes are values, not addresses of anything.
    static __tls_source: u8;
    static __tls_source_size: u8;
    static __tls_size: u8;
    static __tls_align: u8;
}

/// What precedes the variables.
const HEADER: usize = if cfg!(target_arch = "riscv64") {
    0
} else {
    2 * size_of::<usize>()
};

fn alignment() -> usize {
    (&raw const __tls_align).addr().max(align_of::<Control>())
}

/// The bytes that a thread needs for its variables, behind its [`Control`].
pub(crate) fn size() -> usize {
    let size = (&raw const __tls_size).addr();
    // What the alignment takes, and the header.
    size + 2 * alignment() + HEADER
}

/// Where a [`Control`] can be, not before `from`: the thread's pointer may have to be where it ends.
pub(crate) fn place(from: usize) -> usize {
    if cfg!(target_arch = "riscv64") {
        (from + size_of::<Control>()).next_multiple_of(alignment()) - size_of::<Control>()
    } else {
        from.next_multiple_of(align_of::<Control>())
    }
}

/// Makes the variables of a new thread, in the memory behind `control`.
pub(crate) fn init(control: &Control) {
    let align = alignment();
    let least = (&raw const __tls_align).addr().max(1);
    // SAFETY: `size` bytes follow.
    let behind = unsafe { ptr::from_ref(control).add(1) }
        .cast::<u8>()
        .cast_mut();
    // The pointer is aligned as the variables are, so that they begin behind the header, aligned.
    let pointer = behind.map_addr(|behind| behind.next_multiple_of(align));
    let variables = pointer.wrapping_add(HEADER.next_multiple_of(least));
    let (source, size) = (
        (&raw const __tls_source_size).addr(),
        (&raw const __tls_size).addr(),
    );
    // SAFETY: there is as much room, and the thread has not begun.
    unsafe {
        ptr::copy_nonoverlapping(&raw const __tls_source, variables, source);
        ptr::write_bytes(variables.add(source), 0, size - source);
    }
    control
        .pointer
        .store(pointer.expose_provenance(), Ordering::Relaxed);
}

/// The thread's pointer, in r0; no other register changes.
#[cfg(target_arch = "arm")]
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn __aeabi_read_tp() -> usize {
    core::arch::naked_asm!(
        "ldr r0, =_impure_ptr",
        "ldr r0, [r0]",
        "ldr r0, [r0, #{offset}]",
        "bx  lr",
        ".ltorg",
        offset = const crate::control::REENT,
    )
}
