//! What a thread did that it cannot go on: which thread, where, and why, in words.
//!
//! All faults of the processor come here, on the main stack, since it may be the thread's stack
//! that is broken. What happens then is the application's business ([`MachineConfig::fault`]): it
//! may save what it has before it ends.

use crate::config::MachineConfig;
use crate::examine::Taken;
use crate::guard::{self, Stacks};
use crate::kernel::Kernel;
use core::fmt;
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
    /// Whose stack was in use; `None`: `main`'s, or that of all interrupts if that was too small.
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
    /// Where the instruction is not known, since the processor could not save it: where the
    /// function returns to that was called last, as far as the stack shows. A guess.
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

/// Lets each kind of fault have its own exception, a division by zero be one, and so what needs
/// more than the main stack, if `stacks` are guarded.
pub(crate) fn enable(stacks: Stacks) {
    const MEMORY_BUS_USAGE: u32 = 0b111 << 16;
    const DIV_0_TRP: u32 = 1 << 4;
    // SAFETY: the handlers below are there, and no code relies on a quotient of zero.
    unsafe {
        let control = &*SCB::PTR;
        control.shcsr.modify(|bits| bits | MEMORY_BUS_USAGE);
        control.ccr.modify(|bits| bits | DIV_0_TRP);
    }
    if stacks == Stacks::Guarded {
        // SAFETY: the program has just begun.
        unsafe { guard::guard_main() };
    }
}

/// The handlers of faults, as [`kernel!`](crate::kernel!) puts them into an application that has
/// made its choice about [`Stacks`](crate::Stacks). `PendSV` comes to the first one if there is no
/// canary; its `lr` is as it was. A main stack that is at its guard is used from its end again, so
/// that there is room for a report: nothing ever returns to what was there.
#[doc(hidden)]
#[macro_export]
macro_rules! fault_handlers {
    ($stacks:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn HardFault() {
            ::core::arch::naked_asm!(
                ".global flyball_no_canary, MemoryManagement, BusFault, UsageFault",
                ".type flyball_no_canary, %function",
                ".type MemoryManagement, %function",
                ".type BusFault, %function",
                ".type UsageFault, %function",
                ".thumb_func",
                "MemoryManagement:",
                ".thumb_func",
                "BusFault:",
                ".thumb_func",
                "UsageFault:",
                "movs  r3, #0",
                "b     1f",
                ".thumb_func",
                "flyball_no_canary:",
                "movs  r3, #1",
                "1:",
                "mrs   r0, psp",
                "mov   r1, lr",
                "mov   r2, sp",
                ".if {guard}",
                // Behind the guard, however far it is from there, and behind as much again.
                "ldr   r12, =_stack_end + 96",
                "cmp   r2, r12",
                "bhs.w flyball_fault",
                "ldr   r12, =_stack_start",
                "mov   sp, r12",
                ".endif",
                "b.w   flyball_fault",
                ".ltorg",
                guard = const matches!($stacks, $crate::Stacks::Guarded) as u32,
            )
        }
    };
}

impl<C: MachineConfig> Kernel<C> {
    /// Something cannot go on. From here on nothing runs but what the application does about it.
    #[doc(hidden)]
    pub fn fault(&'static self, taken: Taken) -> ! {
        if !C::REPORTS {
            rest();
        }
        last_things_begin();
        // What is read from here on may be what was guarded.
        guard::switch_off();
        let stack = self.try_with(|switch, _| switch.stack()).flatten();
        let found = taken.examine(stack, C::STACKS.reserved());
        let report = self.report(found.cause);
        let thread = report.thread.filter(|_| !found.is_main_stack);
        let fault = Fault {
            thread,
            name: thread.and(report.name),
            address: found.address,
            pc: found.pc,
            caller: found.caller,
            ..report
        };
        C::fault(self, &fault, None)
    }

    /// Rust code has panicked.
    #[doc(hidden)]
    pub fn panicked(&'static self, info: &PanicInfo<'_>) -> ! {
        if !C::REPORTS {
            rest();
        }
        last_things_begin();
        C::fault(self, &self.report(Cause::Panic), Some(info))
    }

    /// A report on the thread that runs, without addresses.
    fn report(&'static self, cause: Cause) -> Fault {
        // If the fault was in the kernel, the state was in use; but the code that used it never
        // goes on.
        let found = self.try_with(|switch, state| {
            let thread = switch.stack().and_then(|stack| state.owner(&stack));
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

/// Nothing ever happens again.
pub(crate) fn rest() -> ! {
    cortex_m::interrupt::disable();
    loop {
        cortex_m::asm::wfi();
    }
}

/// From here on nothing else runs.
fn last_things_begin() {
    static AGAIN: AtomicBool = AtomicBool::new(false);
    cortex_m::interrupt::disable();
    if AGAIN.load(Ordering::Relaxed) {
        // The report itself failed.
        #[cfg(feature = "semihosting")]
        semihosting::process::abort();
        #[cfg(not(feature = "semihosting"))]
        rest();
    }
    AGAIN.store(true, Ordering::Relaxed);
}
