//! What every machine has besides a kernel: interrupts, a timer for the application, text, and an
//! end.

use crate::board::{Alarm, Bells, HARTS, nearest};
use crate::config::MachineConfig;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, Ordering};
use flyball_kernel::Error;
use flyball_multicore::Doorbell;
use flyball_policy::Duration;

/// Interrupts that an application can have: the first is that of its timer, the others are those
/// that it makes itself.
const LINES: usize = 64;
const TIMER: u16 = 0;

/// What is attached to each line: an `extern "C" fn()`, or null.
static HANDLERS: [AtomicPtr<()>; LINES] = [const { AtomicPtr::new(null_mut()) }; LINES];

/// A bit for each line that a hart is to serve.
static PENDING: [AtomicU64; HARTS] = [const { AtomicU64::new(0) }; HARTS];

impl<C: MachineConfig> Kernel<C> {
    /// Keeps the thread that calls busy for so long, exact to half a tick of the clock.
    ///
    /// An emulated hart that executes instructions keeps the others from doing so, so it does not:
    /// it sleeps, and time passes. What interrupts take, and other threads, is not counted.
    pub fn compute(&'static self, length: Duration) {
        let mut left = nearest(length);
        while left > 0 {
            let mask = Mask::set();
            let hart = hart::number();
            let from = crate::board::ticks();
            Alarm::Computed.set(hart, from.saturating_add(left));
            // Comes back even though interrupts are masked.
            hart::wait_for_interrupt();
            left = left.saturating_sub(crate::board::ticks() - from);
            Alarm::Computed.set(hart, u64::MAX);
            // What has come is served here.
            mask.lift();
        }
    }

    /// From now on `handler` is called at every interrupt of `line`, with interrupts masked. It may
    /// signal, post and release, and it cannot wait; it does not use floating point.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such line.
    pub fn attach(&'static self, line: u16, handler: extern "C" fn()) -> Result<(), Error> {
        let place = HANDLERS.get(usize::from(line)).ok_or(Error::Unknown)?;
        place.store(handler as *mut (), Ordering::Release);
        Ok(())
    }

    /// `line` interrupts now, on the CPU that calls.
    pub fn pend(&'static self, line: u16) {
        if usize::from(line) < LINES {
            let mask = Mask::set();
            let hart = hart::number();
            PENDING[usize::from(hart)].fetch_or(1 << line, Ordering::SeqCst);
            Bells.ring(hart);
            // It is served here, if interrupts come at all.
            mask.lift();
        }
    }

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
        let handler = HANDLERS[line].load(Ordering::Acquire);
        if !handler.is_null() {
            // SAFETY: `attach` has put it there.
            let handler = unsafe { transmute::<*mut (), extern "C" fn()>(handler) };
            self.handle(hart, || handler());
        }
    }

    /// The line of the application's timer.
    pub fn timer_line(&'static self) -> u16 {
        TIMER
    }

    /// The application's timer of the CPU that calls interrupts once, after `after`. What was set
    /// before is forgotten.
    pub fn set_timer(&'static self, after: Duration) {
        let mask = Mask::set();
        let at = self.clock().tick(self.now() + after);
        Alarm::Application.set(hart::number(), at);
        mask.lift();
    }

    /// The same for another CPU's timer, by its number; before [`Kernel::start`] at best.
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

    /// Writes text to the host, by semihosting.
    pub fn print(&'static self, text: &str) {
        semihosting::print!("{text}");
    }

    /// Ends the program; an emulator ends with the exit code.
    pub fn shut_down(&'static self, code: u8) -> ! {
        semihosting::process::exit(i32::from(code))
    }
}
