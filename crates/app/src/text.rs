//! Text for the user: on the standard output of the host; from a board through its debugger
//! (semihosting).

use crate::seam;
use core::fmt::{self, Write};

/// What is written at once: a line of up to so many bytes is never torn by another thread's.
const LINE: usize = 128;

struct Line {
    bytes: [u8; LINE],
    used: usize,
}

impl Line {
    fn flush(&mut self) {
        // It holds whole pieces of text, each of which was a `str`.
        if let Ok(text) = str::from_utf8(&self.bytes[..self.used]) {
            seam::_flyball_print(text);
        }
        self.used = 0;
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.used + text.len() > LINE {
            self.flush();
        }
        match self.bytes.get_mut(self.used..self.used + text.len()) {
            Some(room) => {
                room.copy_from_slice(text.as_bytes());
                self.used += text.len();
            }
            None => seam::_flyball_print(text),
        }
        Ok(())
    }
}

/// Writes text.
pub fn print(text: fmt::Arguments<'_>) {
    let mut line = Line {
        bytes: [0; LINE],
        used: 0,
    };
    // Nothing in a line fails; a `Display` that does has its text cut off.
    let _ = line.write_fmt(text);
    line.flush();
}

/// Ends the program with an exit code: the process on the host, the emulator of a board.
pub fn shut_down(code: u8) -> ! {
    seam::_flyball_shut_down(code)
}

/// Writes text, as [`core::format_args!`] makes it. Needs some 200 words of the caller's stack.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => {
        $crate::text::print(::core::format_args!($($text)*))
    };
}

/// Writes a line of text, which is not torn by another thread's if it has up to 128 bytes. Needs
/// some 200 words of the caller's stack.
#[macro_export]
macro_rules! println {
    () => {
        $crate::print!("\n")
    };
    ($format:literal $($arguments:tt)*) => {
        $crate::text::print(::core::format_args!("{}\n", ::core::format_args!($format $($arguments)*)))
    };
}
