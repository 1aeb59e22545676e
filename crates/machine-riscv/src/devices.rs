//! Interrupts that an application makes itself, its timer, and the end of all CPUs.

use crate::board::{Alarm, Bells, HARTS};
use crate::config::HartConfig;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use flyball_kernel::Error;
use flyball_multicore::Doorbell;
use flyball_policy::Duration;
use flyball_port::{Handler, Machine};

/// Interrupts that an application can have: the first is that of its timer, the others are those
/// that it makes itself.
const LINES: usize = 64;
pub(crate) const TIMER: u16 = 0;

/// What is attached to each line.
static HANDLERS: [Handler; LINES] = [const { Handler::new() }; LINES];

/// A bit for each line that a hart is to serve.
static PENDING: [AtomicU64; HARTS] = [const { AtomicU64::new(0) }; HARTS];

/// As [`Machine::attach`].
pub(crate) fn attach(line: u16, handler: extern "C" fn()) -> Result<(), Error> {
    let place = HANDLERS.get(usize::from(line)).ok_or(Error::Unknown)?;
    place.attach(handler);
    Ok(())
}

/// As [`Machine::pend`].
pub(crate) fn pend(line: u16) {
    if usize::from(line) < LINES {
        let mask = Mask::set();
        let hart = hart::number();
        PENDING[usize::from(hart)].fetch_or(1 << line, Ordering::SeqCst);
        Bells.ring(hart);
        // It is served here, if interrupts come at all.
        mask.lift();
    }
}

impl<C: HartConfig> Kernel<C> {
    /// Serves the lines that are pending.
    pub(crate) fn serve_pending(&'static self, hart: u8) {
        let mut pending = PENDING[usize::from(hart)].swap(0, Ordering::SeqCst);
        while pending != 0 {
            let line = pending.trailing_zeros();
            pending &= pending - 1;
            self.serve(hart, line as usize);
        }
    }

    /// Serves the application's timer.
    pub(crate) fn serve_timer(&'static self, hart: u8) {
        self.serve(hart, usize::from(TIMER));
    }

    fn serve(&'static self, hart: u8, line: usize) {
        if let Some(handler) = HANDLERS[line].get() {
            self.handle(hart, || handler());
        }
    }

    /// The number of the CPU that calls.
    pub fn this_cpu(&'static self) -> u8 {
        hart::number()
    }

    /// As [`Machine::set_timer`] for another CPU's timer, by its number; before [`Machine::start`]
    /// at best.
    pub fn set_timer_of(&'static self, cpu: u8, after: Duration) {
        if cpu < self.cpus() {
            Alarm::Application.set(cpu, self.clock().tick(self.now() + after));
        }
    }

    /// The CPU that calls has come to an end. The first CPU comes back when `all` have, itself
    /// included; the others sleep for ever, with all that they have.
    pub fn retire(&'static self, all: u8) {
        static RETIRED: AtomicU8 = AtomicU8::new(0);
        let _ = Mask::set();
        RETIRED.fetch_add(1, Ordering::SeqCst);
        if hart::number() != 0 {
            Bells.ring(0);
            hart::rest();
        }
        while RETIRED.load(Ordering::SeqCst) < all {
            Bells.wait(0);
        }
    }
}
