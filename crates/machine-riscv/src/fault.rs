//! What a thread did that it cannot go on: which thread, where, and why, in words.

use crate::config::MachineConfig;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use core::arch::asm;
use core::fmt;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use flyball_policy::{TaskId, Time};

/// Why something cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The stack is too small.
    StackOverflow,
    /// A jump to where no code can be.
    NoCode,
    /// The processor does not know the instruction.
    UndefinedInstruction,
    /// A breakpoint, and no debugger.
    Breakpoint,
    /// An access to an address that is no multiple of what it has to be.
    Unaligned,
    /// A read or write of an address at which nothing is.
    NoMemory,
    /// Rust code panicked.
    Panic,
    /// The processor gives another reason.
    Unknown,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::StackOverflow => "stack overflow",
            Cause::NoCode => "jump to where no code can be",
            Cause::UndefinedInstruction => "undefined instruction",
            Cause::Breakpoint => "breakpoint without a debugger",
            Cause::Unaligned => "unaligned access",
            Cause::NoMemory => "access to where nothing is",
            Cause::Panic => "panic",
            Cause::Unknown => "unknown fault",
        })
    }
}

impl Cause {
    /// *Privileged Architecture*, table 3.6.
    fn of(mcause: usize) -> Cause {
        match mcause {
            0 | 1 => Cause::NoCode,
            2 => Cause::UndefinedInstruction,
            3 => Cause::Breakpoint,
            4 | 6 => Cause::Unaligned,
            5 | 7 => Cause::NoMemory,
            _ => Cause::Unknown,
        }
    }
}

/// A report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which thread ran; `None`: none of them.
    pub thread: Option<TaskId>,
    /// What the application calls the thread.
    pub name: Option<&'static str>,
    /// The CPU.
    pub cpu: u8,
    /// When, on the kernel's clock.
    pub time: Time,
    /// Why.
    pub cause: Cause,
    /// The address that could not be accessed.
    pub address: Option<usize>,
    /// The instruction.
    pub pc: Option<usize>,
    /// Where the instruction is not known: always known here.
    pub caller: Option<usize>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.thread {
            Some(thread) => write!(f, "thread {thread}")?,
            None => f.write_str("no thread")?,
        }
        if let Some(name) = self.name {
            write!(f, " ({name})")?;
        }
        write!(f, " on CPU {} at {}: {}", self.cpu, self.time, self.cause)?;
        for (what, address) in [("address", self.address), ("pc", self.pc)] {
            if let Some(address) = address {
                write!(f, ", {what} {address:#x}")?;
            }
        }
        Ok(())
    }
}

/// Set by the first fault, the only one that is reported. What is found later is likely to be its
/// consequence.
static REPORTED: AtomicBool = AtomicBool::new(false);

impl<C: MachineConfig> Kernel<C> {
    /// An exception of the processor.
    pub(crate) fn exception(&'static self, mcause: usize) -> ! {
        let (pc, address): (usize, usize);
        // SAFETY: this reads registers.
        unsafe {
            asm!("csrr {0}, mepc", "csrr {1}, mtval", out(reg) pc, out(reg) address, options(nomem, nostack));
        }
        let cause = Cause::of(mcause);
        let has_address = matches!(cause, Cause::NoMemory | Cause::Unaligned);
        self.report(cause, Some(pc), has_address.then_some(address), None)
    }

    /// A stack was too small.
    pub(crate) fn overflowed(&'static self) -> ! {
        self.report(Cause::StackOverflow, None, None, None)
    }

    /// Rust code panicked.
    #[doc(hidden)]
    pub fn panicked(&'static self, info: &PanicInfo<'_>) -> ! {
        self.report(Cause::Panic, None, None, Some(info))
    }

    fn report(
        &'static self,
        cause: Cause,
        pc: Option<usize>,
        address: Option<usize>,
        message: Option<&PanicInfo<'_>>,
    ) -> ! {
        let _ = Mask::set();
        if REPORTED.swap(true, Ordering::SeqCst) {
            hart::rest();
        }
        // The lock may be held, by code that will not go on.
        let thread = self.current_thread();
        let fault = Fault {
            thread,
            name: thread.and_then(C::name),
            cpu: hart::number(),
            time: self.now(),
            cause,
            address,
            pc,
            caller: None,
        };
        match message {
            Some(info) => C::fault(self, &fault, Some(info)),
            None => C::fault(self, &fault, None),
        }
    }
}
