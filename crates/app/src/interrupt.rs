//! Interrupts: handlers, and the one device that every machine has, a timer.
//!
//! A handler is a `fn()`, or a closure that captures nothing. It may signal a semaphore or a
//! condition variable, put a message into a queue ([`Queue::try_send`](crate::Queue::try_send)) or
//! take one out ([`Queue::try_receive`](crate::Queue::try_receive)), change how many it takes
//! ([`Queue::resize`](crate::Queue::resize)), release a job ([`Handle::release`](crate::Handle::release)) and look at the clock. It cannot
//! wait: calls that might have to say [`Error::NoThread`]. What has to be done about an interrupt
//! beyond that is done by a thread, at that thread's urgency.

use crate::seam;
use flyball_kernel::Error;
use flyball_trace::Duration;

/// An interrupt line. Which number is what is the machine's business: on a Cortex-M3 it is that of
/// the interrupt controller; on the host the lines are there for tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interrupt(u16);

impl Interrupt {
    /// The line of a number.
    pub const fn line(number: u16) -> Interrupt {
        Interrupt(number)
    }

    /// The line of the application's timer.
    pub fn timer() -> Interrupt {
        Interrupt(seam::_flyball_timer_line())
    }

    /// From now on, `handler` is called at each interrupt of this line, which is enabled. The
    /// processor calls it, with nothing in between, so it has to be known when the program is
    /// compiled:
    ///
    /// ```compile_fail,E0080
    /// let count = 1;
    /// flyball_app::Interrupt::line(3).attach(move || flyball_app::print!("{count}")).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Error::Unknown`] if the machine has no such line, or keeps it for itself.
    pub fn attach<F: Fn() + Copy + Send + 'static>(self, handler: F) -> Result<(), Error> {
        seam::_flyball_attach(self.0, seam::handler(handler))
    }

    /// Interrupts, as if the device had done it. Nothing happens if no handler is attached.
    pub fn pend(self) {
        seam::_flyball_pend(self.0);
    }
}

/// The application's timer interrupts once ([`Interrupt::timer`]), after `after` at the earliest.
/// What it was set to before is forgotten.
#[inline]
pub fn set_timer(after: Duration) {
    seam::_flyball_set_timer(after);
}
