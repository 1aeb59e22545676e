//! Virtual devices: interrupts at virtual instants; text; the end of the process.

use crate::kernel::Kernel;
use flyball_kernel::{Config, Error};
use flyball_policy::{Duration, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

/// How many interrupt lines there are.
pub const LINES: usize = 32;

/// The line of the application's timer.
const TIMER: u16 = 9;

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
    fn attach(&mut self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        let place = self.handlers.get_mut(usize::from(line));
        *place.ok_or(Error::Unknown)? = Some(handler);
        Ok(())
    }

    fn ask(&mut self, line: u16, at: Time) {
        if !at.is_never() {
            self.queue.push(Reverse((at, self.asked, line)));
            self.asked += 1;
        }
    }

    /// Forgets what was asked of a line.
    fn forget(&mut self, line: u16) {
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

impl<C: Config> Kernel<C> {
    /// From now on `handler` is called at every interrupt of `line`. It takes no time, it may
    /// signal, post and release, and it cannot wait.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such line, or no kernel here.
    pub fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        self.with(|state| state.interrupts.attach(line, handler))
            .unwrap_or(Err(Error::Unknown))
    }

    /// `line` interrupts at the virtual instant `at`, or now if that has passed. A line may be
    /// asked for any number of instants ahead. Without a handler nothing happens.
    pub fn pend_at(&'static self, line: u16, at: Time) {
        self.with(|state| state.interrupts.ask(line, at));
        self.serve();
    }

    /// `line` interrupts now.
    pub fn pend(&'static self, line: u16) {
        self.pend_at(line, Time::ZERO);
    }

    /// The line of the application's timer.
    pub fn timer_line(&'static self) -> u16 {
        TIMER
    }

    /// The application's timer interrupts once, after `after`. What was set before is forgotten.
    pub fn set_timer(&'static self, after: Duration) {
        self.with(|state| {
            state.interrupts.forget(TIMER);
            state.interrupts.ask(TIMER, state.now + after);
        });
        self.serve();
    }

    /// Writes to the standard output. What cannot be written is lost.
    pub fn print(&'static self, text: &str) {
        let _ = std::io::stdout().write_all(text.as_bytes());
    }

    /// Ends the process with an exit code.
    pub fn shut_down(&'static self, code: u8) -> ! {
        let _ = std::io::stdout().flush();
        std::process::exit(i32::from(code))
    }
}
