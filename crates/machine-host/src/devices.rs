//! Virtual devices: interrupts at virtual instants.

use flyball_kernel::Error;
use flyball_policy::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many interrupt lines there are.
pub const LINES: usize = 32;

/// The line of the application's timer.
pub(crate) const TIMER: u16 = 9;

/// Interrupt lines, and when they interrupt.
#[derive(Default)]
pub(crate) struct Interrupts {
    handlers: [Option<extern "C" fn()>; LINES],
    /// When which line interrupts; in between, the count of requests, so that the first one asked
    /// for comes first.
    queue: BinaryHeap<Reverse<(Time, u64, u16)>>,
    asked: u64,
}

impl Interrupts {
    pub(crate) fn attach(&mut self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        let place = self.handlers.get_mut(usize::from(line));
        *place.ok_or(Error::Unknown)? = Some(handler);
        Ok(())
    }

    pub(crate) fn ask(&mut self, line: u16, at: Time) {
        if !at.is_never() {
            self.queue.push(Reverse((at, self.asked, line)));
            self.asked += 1;
        }
    }

    /// Forgets what was asked of a line.
    pub(crate) fn forget(&mut self, line: u16) {
        self.queue.retain(|Reverse((_, _, other))| *other != line);
    }

    /// When the next interrupt comes.
    pub(crate) fn next(&self) -> Time {
        self.queue
            .peek()
            .map_or(Time::NEVER, |&Reverse((at, _, _))| at)
    }

    /// The handler of an interrupt that is due at `now`.
    pub(crate) fn due(&mut self, now: Time) -> Option<extern "C" fn()> {
        while self.next() <= now {
            let Reverse((_, _, line)) = self.queue.pop()?;
            let handler = self.handlers.get(usize::from(line)).copied().flatten();
            if handler.is_some() {
                return handler;
            }
        }
        None
    }
}
