//! What the host gets to read.

use crate::Tape;
use core::fmt::Display;
use semihosting::fs::File;
use semihosting::io::{self, Write};
use semihosting::{eprintln, process};

/// Writes the trace, and ends the program.
pub(crate) fn end(tape: &Tape) -> ! {
    if let Err(error) = write(tape) {
        eprintln!("the trace cannot be written: {error:?}");
        process::exit(1)
    }
    process::exit(0)
}

fn write(tape: &Tape) -> io::Result<()> {
    let mut file = File::create(c"flyball-trace.bin")?;
    file.write_all(b"FLYRUN01")?;
    file.write_all(&tape.total().to_le_bytes())?;
    file.write_all(&tape.kept().to_le_bytes())?;
    file.write_all(tape.records())
}

/// Says what is wrong, and ends the program.
pub(crate) fn fail(what: impl Display) -> ! {
    let written = File::create(c"flyball-error.txt").and_then(|mut file| writeln!(file, "{what}"));
    if written.is_err() {
        eprintln!("{what}");
    }
    process::exit(1)
}
