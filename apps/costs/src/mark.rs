//! Counting instructions with the board's counter.
//!
//! Under `-icount shift=10` an instruction takes 1,024 ns, which is 25.6 ticks of the counter. So
//! the difference of two readings, which is less than a tick off, tells the number of instructions
//! between them exactly.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

/// FPGAIO: a counter of 25 MHz that runs freely.
const COUNTER: u32 = 0x4002_8018;
/// What is left of the kernel's timer, in ticks of the same length.
const TIMER: u32 = 0x4000_0004;
/// Set-pending register of the interrupts 0 to 31.
const PEND: u32 = 0xe000_e200;
/// Instructions of a mark.
const MARK: u32 = 3;

/// An instant. The reading is the last of its three instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u32);

impl Mark {
    /// Stands for an instant that is not known yet.
    pub(crate) const NONE: Mark = Mark(0);

    /// Whether this instant is not before the other one, from which it is less than half a round of the
    /// counter away.
    pub(crate) fn is_after(self, before: Mark) -> bool {
        self.0.wrapping_sub(before.0).cast_signed() >= 0
    }

    /// The instant so many ticks later.
    pub(crate) fn later(self, ticks: u32) -> Mark {
        Mark(self.0.wrapping_add(ticks))
    }

    #[inline(always)]
    pub(crate) fn now() -> Mark {
        let ticks;
        // SAFETY: the register can be read at any time, without side effect. Memory is not said to
        // be left alone, so the compiler moves no access across.
        unsafe {
            asm!(
                "movw {ticks}, #{low}",
                "movt {ticks}, #{high}",
                "ldr  {ticks}, [{ticks}]",
                ticks = out(reg) ticks,
                low = const COUNTER & 0xffff,
                high = const COUNTER >> 16,
                options(nostack, preserves_flags),
            );
        }
        Mark(ticks)
    }

    /// An instant, after which an interrupt is pending at once: the next instruction is the first
    /// of the interrupt's.
    #[inline(always)]
    pub(crate) fn and_interrupt(line: u16) -> Mark {
        let ticks;
        // SAFETY: as above; and that an interrupt is pending does no harm, if it has a handler.
        unsafe {
            asm!(
                "ldr  {ticks}, [{counter}]",
                "str  {bit}, [{pend}]",
                ticks = out(reg) ticks,
                counter = in(reg) COUNTER,
                pend = in(reg) PEND,
                bit = in(reg) 1_u32 << line,
                options(nostack, preserves_flags),
            );
        }
        Mark(ticks)
    }

    /// The instant at which the kernel's timer is going to interrupt.
    #[inline(always)]
    pub(crate) fn of_timer() -> Mark {
        let (ticks, left): (u32, u32);
        // SAFETY: as above.
        unsafe {
            asm!(
                "ldr  {ticks}, [{counter}]",
                "ldr  {left}, [{timer}]",
                ticks = out(reg) ticks,
                left = out(reg) left,
                counter = in(reg) COUNTER,
                timer = in(reg) TIMER,
                options(nostack, preserves_flags),
            );
        }
        // The second reading is an instruction later.
        Mark(ticks.wrapping_add(left).wrapping_add(26))
    }

    /// Instructions from the end of a mark to the beginning of this one.
    pub(crate) fn since(self, before: Mark) -> u32 {
        let ticks = self.0.wrapping_sub(before.0);
        rounded(ticks).saturating_sub(MARK)
    }

    /// Instructions from the first of an interrupt's, made by [`Mark::and_interrupt`], to the
    /// beginning of this mark.
    pub(crate) fn since_interrupt(self, before: Mark) -> u32 {
        // That which made it is no part of it.
        self.since(before).saturating_sub(1)
    }

    /// Instructions from the first of the timer's interrupt at `timer` to the beginning of this
    /// mark.
    pub(crate) fn since_timer(self, timer: Mark) -> u32 {
        // The processor notices at the end of an instruction.
        let ticks = u64::from(self.0.wrapping_sub(timer.0));
        let whole = u32::try_from(ticks * 10 / 256).unwrap_or(u32::MAX);
        whole.saturating_sub(MARK - 1)
    }
}

fn rounded(ticks: u32) -> u32 {
    let instructions = (u64::from(ticks) * 10 + 128) / 256;
    u32::try_from(instructions).unwrap_or(u32::MAX)
}

/// A mark that one thread makes and another reads.
pub(crate) struct Shared(AtomicU32);

impl Shared {
    pub(crate) const fn new() -> Shared {
        Shared(AtomicU32::new(0))
    }

    #[inline(always)]
    pub(crate) fn set(&self, mark: Mark) {
        self.0.store(mark.0, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> Mark {
        Mark(self.0.load(Ordering::Relaxed))
    }

    /// Takes the mark, so that there is none.
    pub(crate) fn take(&self) -> Option<Mark> {
        let ticks = self.0.swap(0, Ordering::Relaxed);
        (ticks != 0).then_some(Mark(ticks))
    }

    /// Keeps the mark, if there is none yet.
    pub(crate) fn set_first(&self, mark: Mark) {
        if self.0.load(Ordering::Relaxed) == 0 {
            self.set(mark);
        }
    }
}
