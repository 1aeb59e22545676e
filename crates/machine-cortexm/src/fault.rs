//! What a thread did that it cannot go on: which thread, where, and why, in words.
//!
//! All faults of the processor come here, on the main stack, since it may be the thread's stack that
//! is broken. Nothing that the thread left behind is believed: its stack pointer and what lies there
//! are looked at only where they can be what they should be. What happens then is the application's
//! business ([`MachineConfig::fault`]): it may save what it has before it ends.
//!
//! A fault while interrupts are masked, as in a call of the kernel, arrives as a hard fault; the
//! cause is in the same registers. Armv7-M Architecture Reference Manual (DDI 0403), B1.5 and B3.2.

use crate::config::MachineConfig;
use crate::context::in_use;
use crate::guard;
use crate::kernel::Kernel;
use core::fmt;
use core::ops::Range;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m::peripheral::SCB;
use flyball_policy::{TaskId, Time};

/// Why something cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The stack is too small.
    StackOverflow,
    /// The instruction divides by zero.
    DivisionByZero,
    /// The processor does not know the instruction.
    UndefinedInstruction,
    /// An instruction of a coprocessor that there is not.
    NoCoprocessor,
    /// An access to an address that is no multiple of what it has to be.
    Unaligned,
    /// A jump to an even address, where there can be no Thumb code.
    NoThumbCode,
    /// A return from an exception that cannot be.
    BadReturn,
    /// A jump to where no code can be.
    NoCode,
    /// A read or write of an address at which nothing is.
    NoMemory,
    /// The same, but of an earlier instruction than the one that is named.
    NoMemoryEarlier,
    /// A read or write that the memory protection unit forbids.
    Forbidden,
    /// The stack pointer points to where no stack can be.
    NoStack,
    /// The vector table cannot be read.
    NoVector,
    /// A breakpoint, and no debugger.
    Breakpoint,
    /// Rust code panicked.
    Panic,
    /// The processor gives no reason.
    Unknown,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::StackOverflow => "stack overflow",
            Cause::DivisionByZero => "division by zero",
            Cause::UndefinedInstruction => "undefined instruction",
            Cause::NoCoprocessor => "instruction of a coprocessor that is not there",
            Cause::Unaligned => "unaligned access",
            Cause::NoThumbCode => "jump to what is no Thumb code",
            Cause::BadReturn => "bad return from an exception",
            Cause::NoCode => "jump to where no code can be",
            Cause::NoMemory => "access to where nothing is",
            Cause::NoMemoryEarlier => "access to where nothing is, a little earlier",
            Cause::Forbidden => "forbidden access",
            Cause::NoStack => "the stack pointer is wrong",
            Cause::NoVector => "the vector table cannot be read",
            Cause::Breakpoint => "breakpoint without a debugger",
            Cause::Panic => "panic",
            Cause::Unknown => "unknown fault",
        })
    }
}

/// A report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose stack was in use; `None`: `main`'s.
    pub thread: Option<TaskId>,
    /// What the application calls the thread.
    pub name: Option<&'static str>,
    /// When, on the kernel's clock.
    pub time: Time,
    /// Why.
    pub cause: Cause,
    /// The address that could not be accessed.
    pub address: Option<u32>,
    /// The instruction.
    pub pc: Option<u32>,
    /// Where the instruction is not known, since the processor could not save it: where the function
    /// returns to that was called last, as far as the stack shows. A guess.
    pub caller: Option<u32>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.thread {
            Some(thread) => write!(f, "thread {thread}")?,
            None => f.write_str("main")?,
        }
        if let Some(name) = self.name {
            write!(f, " ({name})")?;
        }
        write!(f, " at {}: {}", self.time, self.cause)?;
        for (what, address) in [
            ("address", self.address),
            ("pc", self.pc),
            ("called from", self.caller),
        ] {
            if let Some(address) = address {
                write!(f, ", {what} {address:#010x}")?;
            }
        }
        Ok(())
    }
}

/// What the processor had when it took the exception.
#[doc(hidden)]
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Taken {
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

/// Lets each kind of fault have its own exception, and a division by zero be one.
pub(crate) fn enable() {
    const MEMORY_BUS_USAGE: u32 = 0b111 << 16;
    const DIV_0_TRP: u32 = 1 << 4;
    // SAFETY: the handlers below are there, and nobody relies on a quotient of zero.
    unsafe {
        let control = &*SCB::PTR;
        control.shcsr.modify(|bits| bits | MEMORY_BUS_USAGE);
        control.ccr.modify(|bits| bits | DIV_0_TRP);
    }
}

// `PendSV` comes to the first one if there is no canary; its `lr` is as it was.
core::arch::global_asm!(
    ".global flyball_no_canary, HardFault, MemoryManagement, BusFault, UsageFault",
    ".type flyball_no_canary, %function",
    ".type HardFault, %function",
    ".type MemoryManagement, %function",
    ".type BusFault, %function",
    ".type UsageFault, %function",
    ".thumb_func",
    "flyball_no_canary:",
    "movs  r3, #1",
    "b     1f",
    ".thumb_func",
    "HardFault:",
    ".thumb_func",
    "MemoryManagement:",
    ".thumb_func",
    "BusFault:",
    ".thumb_func",
    "UsageFault:",
    "movs  r3, #0",
    "1:",
    "mrs   r0, psp",
    "mov   r1, lr",
    "mov   r2, sp",
    "b.w   flyball_fault",
);

impl<C: MachineConfig> Kernel<C> {
    /// Something cannot go on. From here on nothing runs but what the application does about it.
    #[doc(hidden)]
    pub fn fault(&'static self, taken: Taken) -> ! {
        last_things_begin();
        // What is read from here on may be what was guarded.
        guard::switch_off();
        // SAFETY: interrupts are masked.
        let stack = unsafe { in_use() };
        let found = taken.examine(stack, C::STACKS.reserved());
        C::fault(
            self,
            &Fault {
                address: found.address,
                pc: found.pc,
                caller: found.caller,
                ..self.report(found.cause)
            },
            None,
        )
    }

    /// Rust code has panicked.
    #[doc(hidden)]
    pub fn panicked(&'static self, info: &PanicInfo<'_>) -> ! {
        last_things_begin();
        C::fault(self, &self.report(Cause::Panic), Some(info))
    }

    /// A report on whoever runs, without addresses.
    fn report(&'static self, cause: Cause) -> Fault {
        // If the fault was in the kernel, somebody had the state; but he never goes on.
        let found = self.with(|state| {
            // SAFETY: interrupts are masked.
            let stack = unsafe { in_use() };
            let thread = stack.and_then(|stack| state.owner(&stack));
            (thread, state.clock.now())
        });
        let (thread, time) = found.unwrap_or((None, Time::ZERO));
        Fault {
            thread,
            name: thread.and_then(C::name),
            time,
            cause,
            address: None,
            pc: None,
            caller: None,
        }
    }
}

/// From here on nothing else runs.
fn last_things_begin() {
    static AGAIN: AtomicBool = AtomicBool::new(false);
    cortex_m::interrupt::disable();
    if AGAIN.load(Ordering::Relaxed) {
        // The report itself failed.
        semihosting::process::abort()
    }
    AGAIN.store(true, Ordering::Relaxed);
}

/// What the processor and the stack tell.
struct Found {
    cause: Cause,
    address: Option<u32>,
    pc: Option<u32>,
    caller: Option<u32>,
}

impl Taken {
    /// `stack`: the one that was in use, of which `reserved` words are out of bounds.
    fn examine(self, stack: Option<Range<*mut u32>>, reserved: usize) -> Found {
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
        let stack = stack.map_or(0..0, |stack| stack.start as u32..stack.end as u32);
        let usable = stack.start + 4 * u32::try_from(reserved).unwrap_or(0)..stack.end;
        let guard = stack.start..usable.start;
        let guarded = accessed.filter(|address| guard.contains(address));
        let is_overflow = self.no_canary != 0 || guarded.is_some() || self.psp < usable.start;
        if is_overflow {
            // Where a canary was missing the processor has just written the frame, wherever it is.
            let is_readable = is_stacked && (usable.contains(&self.psp) || self.no_canary != 0);
            let pc = self.psp_frame(is_readable, &usable);
            let caller = match pc {
                Some(_) => None,
                None => last_caller(self.psp.max(usable.start)..usable.end),
            };
            let lost = (self.no_canary != 0).then_some(stack.start);
            return Found {
                cause: Cause::StackOverflow,
                address: guarded.or(lost).or(Some(self.psp)),
                pc,
                caller,
            };
        }
        let pc = if self.to & THREADS == 0 {
            // SAFETY: the handler itself runs on this stack, and the frame is what is on top of it.
            is_stacked.then(|| unsafe { pc_of(self.msp) })
        } else {
            self.psp_frame(is_stacked && usable.contains(&self.psp), &usable)
        };
        Found {
            cause: cause(cfsr, hfsr),
            address: accessed,
            pc,
            caller: None,
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
