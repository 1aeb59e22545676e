//! Atomic operations on eight bytes, for a processor that has none, and one CPU: no interrupt comes
//! between.
#![cfg(target_arch = "arm")]

use core::arch::asm;
use core::ffi::c_int;

/// Calls `f` with interrupts masked.
#[inline]
fn masked<R>(f: impl FnOnce() -> R) -> R {
    let mask: u32;
    // SAFETY: it reads and sets the mask, and memory is not accessed before it.
    unsafe { asm!("mrs {}, primask", "cpsid i", out(reg) mask, options(nostack)) };
    let result = f();
    // SAFETY: the mask is what it was.
    unsafe { asm!("msr primask, {}", in(reg) mask, options(nostack)) };
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_load_8(place: *const u64, _: c_int) -> u64 {
    // SAFETY: C passes a place.
    masked(|| unsafe { place.read() })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_store_8(place: *mut u64, value: u64, _: c_int) {
    // SAFETY: C passes a place.
    masked(|| unsafe { place.write(value) });
}

/// Replaces what is there; returns what was.
///
/// # Safety
/// There is a value.
#[inline]
unsafe fn replace(place: *mut u64, by: impl FnOnce(u64) -> u64) -> u64 {
    // SAFETY: as the caller promises.
    masked(|| unsafe {
        let old = place.read();
        place.write(by(old));
        old
    })
}

/// Defines functions that replace what is there.
macro_rules! replace {
    ($($name:ident: |$old:ident, $value:ident| $new:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(place: *mut u64, $value: u64, _: c_int) -> u64 {
            // SAFETY: C passes a place.
            unsafe { replace(place, |$old| $new) }
        }
    )*};
}

replace! {
    __atomic_exchange_8: |_old, value| value;
    __atomic_fetch_add_8: |old, value| old.wrapping_add(value);
    __atomic_fetch_sub_8: |old, value| old.wrapping_sub(value);
    __atomic_fetch_and_8: |old, value| old & value;
    __atomic_fetch_or_8: |old, value| old | value;
    __atomic_fetch_xor_8: |old, value| old ^ value;
    __atomic_fetch_nand_8: |old, value| !(old & value);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_compare_exchange_8(
    place: *mut u64,
    expected: *mut u64,
    value: u64,
    _: bool,
    _: c_int,
    _: c_int,
) -> bool {
    // SAFETY: C passes two places.
    let is_equal = masked(|| unsafe {
        let (old, wanted) = (place.read(), expected.read());
        if old == wanted {
            place.write(value);
        } else {
            expected.write(old);
        }
        old == wanted
    });
    is_equal
}
