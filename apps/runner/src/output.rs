//! What the host gets to read.

use crate::TraceBuffer;
use crate::machine::Fault;
use core::fmt::Display;
use semihosting::fs::File;
use semihosting::io::{self, Write};
use semihosting::{eprintln, process};

/// Completes the trace, and ends the program after `others` have theirs.
pub(crate) fn end(tape: &mut TraceBuffer, others: impl FnOnce()) -> ! {
    match tape.finish() {
        Ok(()) => {
            others();
            process::exit(0)
        }
        Err(error) => lost(&error),
    }
}

/// Says that the host does not take the trace, and ends the program. (Not by `Debug`, which would bring 9 KB
/// of the standard library into the image.)
pub(crate) fn lost(error: &io::Error) -> ! {
    fail(format_args!("the trace cannot be written: {error}"))
}

/// Writes the trace up to now, and why it goes no further; ends the program. A line a fact, each a
/// word and a value; addresses are hexadecimal, times nanoseconds. `message`: what a panic says.
pub(crate) fn fault(tape: &mut TraceBuffer, fault: &Fault, message: Option<&dyn Display>) -> ! {
    let written = tape.finish().and_then(|()| {
        let mut file = File::create(c"flyball-fault.txt")?;
        if let Some(thread) = fault.thread {
            writeln!(file, "thread {thread}")?;
        }
        writeln!(file, "cpu {}", fault.cpu.unwrap_or(0))?;
        writeln!(file, "time {}", fault.time.as_nanos())?;
        writeln!(file, "cause {}", fault.cause)?;
        for (what, address) in [
            ("address", fault.address),
            ("pc", fault.pc),
            ("caller", fault.caller),
        ] {
            if let Some(address) = address {
                writeln!(file, "{what} {address:#010x}")?;
            }
        }
        // It goes on to the end of the file: a message may have several lines.
        message.map_or(Ok(()), |message| writeln!(file, "message {message}"))
    });
    if written.is_err() {
        eprintln!("{fault}");
        if let Some(message) = message {
            eprintln!("{message}");
        }
    }
    process::exit(1)
}

/// Says what is wrong, and ends the program.
pub fn fail(what: impl Display) -> ! {
    let written = File::create(c"flyball-error.txt").and_then(|mut file| writeln!(file, "{what}"));
    if written.is_err() {
        eprintln!("{what}");
    }
    process::exit(1)
}

/// The value, or says what is wrong, and ends the program.
pub(crate) fn or_fail<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| fail(error))
}
