//! Memory that the linker leaves free.

use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

/// Gives away two stretches of memory: `loaded`, which a loader may have written before the start,
/// and `spare`, which may be empty. Only once.
///
/// # Safety
/// The machine has this memory, `loaded` is not at address zero, and nothing else uses either.
pub unsafe fn take_memory(
    loaded: Range<usize>,
    spare: Range<usize>,
) -> Option<(&'static [u8], &'static mut [u8])> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::SeqCst) {
        return None;
    }
    let first = with_exposed_provenance_mut::<u8>;
    // SAFETY: as the caller promises, and it is given away once. It was written by nothing or by
    // the loader, and any byte is a `u8`.
    let read = unsafe { slice::from_raw_parts(first(loaded.start), loaded.len()) };
    let written = match spare.len() {
        0 => &mut [],
        // SAFETY: the same.
        length => unsafe { slice::from_raw_parts_mut(first(spare.start), length) },
    };
    Some((read, written))
}
