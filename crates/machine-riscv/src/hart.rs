//! A hart, as RISC-V calls a CPU: what it can do to itself.
//!
//! *The RISC-V Instruction Set Manual, volume II: Privileged Architecture*, chapter 3.

use core::arch::asm;

/// Machine software interrupts: one hart rings at another.
pub(crate) const MSIE: usize = 1 << 3;
/// Machine timer interrupts.
pub(crate) const MTIE: usize = 1 << 7;
/// `mstatus`: interrupts are enabled.
const MIE: usize = 1 << 3;

/// The number of the hart that executes this.
#[inline(always)]
pub(crate) fn number() -> u8 {
    let number: usize;
    // SAFETY: this reads a register. Not `pure`: a thread that goes on may do so on another hart.
    unsafe { asm!("csrr {0}, mhartid", out(reg) number, options(nomem, nostack)) };
    // The machine has at most 64.
    number as u8
}

/// Interrupts are masked until this is lifted. The code that set it lifts it, on whichever hart it
/// runs by then.
#[must_use]
pub(crate) struct Mask {
    before: usize,
}

impl Mask {
    /// Masks interrupts.
    #[inline(always)]
    pub(crate) fn set() -> Mask {
        let before;
        // SAFETY: masking interrupts does no harm. Memory is not said to be left alone, so the
        // compiler moves no access across.
        unsafe { asm!("csrrci {0}, mstatus, 8", out(reg) before, options(nostack)) };
        Mask { before }
    }

    /// Interrupts are masked, or not, as they were before.
    #[inline(always)]
    pub(crate) fn lift(self) {
        // SAFETY: what was there before.
        unsafe { asm!("csrs mstatus, {0}", in(reg) self.before & MIE, options(nostack)) };
    }

    /// Whether interrupts came before: not so in `trap`.
    #[inline(always)]
    pub(crate) fn has_masked(&self) -> bool {
        self.before & MIE != 0
    }

    /// As a number for [`Mask::from_bits`].
    pub(crate) fn bits(self) -> u8 {
        u8::from(self.has_masked())
    }

    /// What [`Mask::bits`] was told of.
    pub(crate) fn from_bits(bits: u8) -> Mask {
        Mask {
            before: if bits == 0 { 0 } else { MIE },
        }
    }
}

/// Lets interrupts come.
pub(crate) fn enable_interrupts() {
    // SAFETY: the caller is ready for them.
    unsafe { asm!("csrsi mstatus, 8", options(nostack)) };
}

/// Interrupts of the kinds `which` are seen, and no others.
#[inline]
pub(crate) fn listen(which: usize) {
    // SAFETY: which interrupts are seen harms no memory.
    unsafe { asm!("csrw mie, {0}", in(reg) which, options(nostack)) };
}

/// Sleeps until an interrupt is there; it is served afterwards, if they are not masked. May come
/// back without one.
#[inline]
pub(crate) fn wait_for_interrupt() {
    // SAFETY: this does nothing but wait.
    unsafe { asm!("wfi", options(nostack)) };
}

/// What was written before, to memory or to a device, is there before what comes after.
#[inline(always)]
pub(crate) fn fence() {
    // SAFETY: this only orders accesses.
    unsafe { asm!("fence iorw, iorw", options(nostack)) };
}

/// How many instructions have been executed so far, by all harts of an emulator that runs one after
/// the other.
#[inline(always)]
pub(crate) fn cycles() -> u64 {
    let cycles: u64;
    // SAFETY: this reads a register. In the order of everything else.
    unsafe { asm!("csrr {0}, mcycle", out(reg) cycles, options(nostack)) };
    cycles
}

/// Does nothing for ever.
pub(crate) fn rest() -> ! {
    let _ = Mask::set();
    listen(0);
    loop {
        wait_for_interrupt();
    }
}
