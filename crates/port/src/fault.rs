//! The report on a thread that cannot go on: which thread, where, and why, in words.

use core::fmt;
use flyball_policy::{TaskId, Time};

/// Why something cannot go on. Each processor can tell some of these.
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
    /// A C program called `abort`.
    Abort,
    /// A C program wrote beyond what it has allocated, or freed something that it does not have.
    CorruptHeap,
    /// The processor gives no reason, or another one.
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
            Cause::Abort => "abort",
            Cause::CorruptHeap => "the heap is corrupt",
            Cause::Unknown => "unknown fault",
        })
    }
}

/// A report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which thread ran, or whose stack was in use; `None`: `main`, or the handler of an interrupt.
    pub thread: Option<TaskId>,
    /// What the application calls the thread.
    pub name: Option<&'static str>,
    /// The CPU, where there are several.
    pub cpu: Option<u8>,
    /// When, on the kernel's clock.
    pub time: Time,
    /// Why.
    pub cause: Cause,
    /// The address that could not be accessed.
    pub address: Option<usize>,
    /// The instruction.
    pub pc: Option<usize>,
    /// Where the instruction is not known, since the processor could not save it: where the
    /// function returns to that was called last, as far as the stack shows. A guess.
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
        if let Some(cpu) = self.cpu {
            write!(f, " on CPU {cpu}")?;
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
