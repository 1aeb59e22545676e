//! What the processor and the stack tell about a fault.
//!
//! Nothing that the thread left behind is believed: its stack pointer and what lies there are
//! looked at only where they can be what they should be. A fault while interrupts are masked, as in
//! a call of the kernel, arrives as a hard fault; the cause is in the same registers. Armv7-M
//! Architecture Reference Manual (DDI 0403), B1.5 and B3.2.

use crate::guard;
use core::ops::Range;
use core::ptr::null_mut;
use cortex_m::peripheral::SCB;
use flyball_port::Cause;

/// What the processor had when it took the exception.
#[doc(hidden)]
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExceptionState {
    /// The threads' stack pointer.
    psp: u32,
    /// Where the exception would return to.
    to: u32,
    /// The main stack pointer.
    msp: u32,
    /// Not zero: it was no fault, but a context switch found no canary.
    no_canary: u32,
}

/// Bits of CFSR.
mod bit {
    pub(super) const IACCVIOL: u32 = 1;
    pub(super) const DACCVIOL: u32 = 1 << 1;
    pub(super) const MUNSTKERR: u32 = 1 << 3;
    pub(super) const MSTKERR: u32 = 1 << 4;
    pub(super) const MMARVALID: u32 = 1 << 7;
    pub(super) const IBUSERR: u32 = 1 << 8;
    pub(super) const PRECISERR: u32 = 1 << 9;
    pub(super) const IMPRECISERR: u32 = 1 << 10;
    pub(super) const UNSTKERR: u32 = 1 << 11;
    pub(super) const STKERR: u32 = 1 << 12;
    pub(super) const BFARVALID: u32 = 1 << 15;
    pub(super) const UNDEFINSTR: u32 = 1 << 16;
    pub(super) const INVSTATE: u32 = 1 << 17;
    pub(super) const INVPC: u32 = 1 << 18;
    pub(super) const NOCP: u32 = 1 << 19;
    pub(super) const UNALIGNED: u32 = 1 << 24;
    pub(super) const DIVBYZERO: u32 = 1 << 25;
    /// The processor could not save registers on the stack.
    pub(super) const NOT_STACKED: u32 = MSTKERR | STKERR;
}

/// What each bit says. If several are set, the first one here counts.
const CAUSES: [(u32, Cause); 12] = [
    (bit::DIVBYZERO, Cause::DivisionByZero),
    (bit::UNALIGNED, Cause::Unaligned),
    (bit::NOCP, Cause::NoCoprocessor),
    (bit::INVPC, Cause::BadReturn),
    (bit::INVSTATE, Cause::NoThumbCode),
    (bit::UNDEFINSTR, Cause::UndefinedInstruction),
    (bit::IACCVIOL | bit::IBUSERR, Cause::NoCode),
    (bit::PRECISERR, Cause::NoMemory),
    (bit::DACCVIOL, Cause::Forbidden),
    (bit::NOT_STACKED, Cause::NoStack),
    (bit::MUNSTKERR | bit::UNSTKERR, Cause::NoStack),
    (bit::IMPRECISERR, Cause::NoMemoryEarlier),
];

fn cause(cfsr: u32, hfsr: u32) -> Cause {
    const VECTTBL: u32 = 1 << 1;
    const DEBUGEVT: u32 = 1 << 31;
    let known = CAUSES.iter().find(|(bits, _)| cfsr & bits != 0);
    match known {
        Some(&(_, cause)) => cause,
        None if hfsr & VECTTBL != 0 => Cause::NoVector,
        None if hfsr & DEBUGEVT != 0 => Cause::Breakpoint,
        None => Cause::Unknown,
    }
}

/// What was found.
pub(crate) struct Diagnosis {
    pub(crate) cause: Cause,
    pub(crate) address: Option<u32>,
    pub(crate) pc: Option<u32>,
    pub(crate) caller: Option<u32>,
    /// It is the main stack that was too small, and no thread's.
    pub(crate) is_main_stack: bool,
}

impl Diagnosis {
    /// No more than why.
    pub(crate) const fn only(cause: Cause) -> Diagnosis {
        Diagnosis {
            cause,
            address: None,
            pc: None,
            caller: None,
            is_main_stack: false,
        }
    }
}

impl ExceptionState {
    /// `stack`: the one that was in use, of which `reserved` words are out of bounds.
    pub(crate) fn examine(self, stack: Option<Range<*mut usize>>, reserved: usize) -> Diagnosis {
        /// A bit of what an exception returns to: the frame is on the threads' stack.
        const THREADS: u32 = 1 << 2;
        // SAFETY: reading them has no side effect.
        let (cfsr, hfsr, mmfar, bfar) = unsafe {
            let control = &*SCB::PTR;
            (
                control.cfsr.read(),
                control.hfsr.read(),
                control.mmfar.read(),
                control.bfar.read(),
            )
        };
        let accessed = match cfsr {
            _ if cfsr & bit::MMARVALID != 0 => Some(mmfar),
            _ if cfsr & bit::BFARVALID != 0 => Some(bfar),
            _ => None,
        };
        let is_stacked = cfsr & bit::NOT_STACKED == 0;
        let is_on_main = self.no_canary == 0 && self.to & THREADS == 0;
        if reserved > 0 && is_on_main {
            let main = guard::main_stack();
            let usable = main.start.wrapping_add(reserved) as u32..main.end as u32;
            let guard = main.start as u32..usable.start;
            let guarded = accessed.filter(|address| guard.contains(address));
            if guarded.is_some() || self.msp < usable.start {
                return Diagnosis {
                    address: guarded.or(Some(self.msp)),
                    caller: last_caller(self.msp.max(usable.start)..usable.end),
                    is_main_stack: true,
                    ..Diagnosis::only(Cause::StackOverflow)
                };
            }
        }
        let stack = stack.unwrap_or(null_mut()..null_mut());
        let usable = stack.start.wrapping_add(reserved) as u32..stack.end as u32;
        let guard = stack.start as u32..usable.start;
        let guarded = accessed.filter(|address| guard.contains(address));
        let is_below = !is_on_main && self.psp < usable.start;
        let is_overflow = self.no_canary != 0 || guarded.is_some() || is_below;
        if is_overflow {
            // Where a canary was missing the processor has just written the frame, wherever it is.
            let is_readable = is_stacked && (usable.contains(&self.psp) || self.no_canary != 0);
            let pc = self.psp_frame(is_readable, &usable);
            let caller = match pc {
                Some(_) => None,
                None => last_caller(self.psp.max(usable.start)..usable.end),
            };
            let lost = (self.no_canary != 0).then_some(guard.start);
            return Diagnosis {
                address: guarded.or(lost).or(Some(self.psp)),
                pc,
                caller,
                ..Diagnosis::only(Cause::StackOverflow)
            };
        }
        let pc = if is_on_main {
            // SAFETY: the handler itself runs on this stack, and the frame is what is on top of it.
            is_stacked.then(|| unsafe { pc_of(self.msp) })
        } else {
            self.psp_frame(is_stacked && usable.contains(&self.psp), &usable)
        };
        Diagnosis {
            address: accessed,
            pc,
            ..Diagnosis::only(cause(cfsr, hfsr))
        }
    }

    /// The program counter in the frame on the thread's stack, if it may be read.
    fn psp_frame(self, is_readable: bool, usable: &Range<u32>) -> Option<u32> {
        const FRAME: u32 = 32;
        let fits = self.psp.checked_add(FRAME)? <= usable.end && self.psp.is_multiple_of(4);
        // SAFETY: the processor wrote a frame there without an error, and it is below the stack's
        // end.
        (is_readable && fits).then(|| unsafe { pc_of(self.psp) })
    }
}

/// The program counter in a frame.
///
/// # Safety
/// There is one.
unsafe fn pc_of(frame: u32) -> u32 {
    const PC: usize = 6;
    // SAFETY: as the caller promises.
    unsafe { (frame as *const u32).add(PC).read_volatile() }
}

/// The first word of a stretch of a stack that looks like what a call leaves there: the odd address
/// behind a `bl` or `blx`.
fn last_caller(words: Range<u32>) -> Option<u32> {
    unsafe extern "C" {
        // Of the linker's script.
        static __stext: u32;
        static __etext: u32;
    }
    let code = &raw const __stext as u32 + 4..&raw const __etext as u32;
    let is_behind_call = |address: u32| {
        // SAFETY: both are in the code.
        let (first, second) = unsafe {
            let behind = address as *const u16;
            (behind.sub(2).read(), behind.sub(1).read())
        };
        let is_bl = first >> 11 == 0b11110 && second & 0xD000 == 0xD000;
        let is_blx = second & 0xFF87 == 0x4780;
        is_bl || is_blx
    };
    words
        .start
        .checked_next_multiple_of(4)
        .map_or(0..0, |start| start..words.end)
        .step_by(4)
        // SAFETY: it is a word of a stack, whose thread does not run.
        .map(|address| unsafe { (address as *const u32).read_volatile() })
        .filter(|word| word % 2 == 1)
        .map(|word| word - 1)
        .find(|&address| code.contains(&address) && is_behind_call(address))
}
