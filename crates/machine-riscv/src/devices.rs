//! Interrupts that an application makes itself, its timer, and the end of all CPUs.

use crate::board::{Alarm, Bells, HARTS};
use crate::config::HartConfig;
use crate::context::flyball_call_c;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering};
use flyball_kernel::{Error, ThreadId};
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

/// Which line each hart serves, or has served last, in images with C handlers.
static SERVED: [AtomicU16; HARTS] = [const { AtomicU16::new(0) }; HARTS];

/// The line of the interrupt whose handler calls, in an image with
/// [`MachineConfig::C_LIBRARY`](crate::MachineConfig::C_LIBRARY).
pub fn line() -> u16 {
    SERVED[usize::from(hart::number())].load(Ordering::Relaxed)
}

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
    /// A thread of C that was interrupted in its program, on this hart, calls what it has to, on top of what `trap` keeps.
    pub(crate) fn call_after_interrupt(&'static self) {
        if let Some(function) = self.has_to_call() {
            hart::enable_interrupts();
            flyball_call_c(function);
            // `trap` goes on as it has begun.
            let _ = Mask::set();
        }
    }

    /// A thread of C has made a call of the kernel, and goes on in its program. If it has to call something first it is
    /// interrupted at once: a signal that came meanwhile may have been forgotten.
    #[inline]
    pub(crate) fn look_after_call(&'static self) {
        if self.has_to_call().is_some() {
            Bells.ring(hart::number());
        }
    }

    /// Interrupts are masked.
    #[inline]
    fn has_to_call(&'static self) -> Option<extern "C" fn()> {
        if C::C_LIBRARY && self.runs_thread() {
            C::after_interrupt()
        } else {
            None
        }
    }

    /// If `thread` has the registers of a hart, that is interrupted.
    pub fn interrupt_thread(&'static self, thread: ThreadId) {
        self.with(|state, _| {
            let Ok(task) = state.core.living(thread) else {
                return;
            };
            let context = &state.contexts[task.index()];
            let mut harts = 0..self.cpus();
            if let Some(hart) = harts.find(|&hart| self.has_registers(hart, context)) {
                Bells.ring(hart);
            }
        });
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
        if let Some(handler) = HANDLERS[line].get() {
            self.handle(hart, || {
                if C::C_LIBRARY {
                    // There are 64.
                    let number = line as u16;
                    SERVED[usize::from(hart)].store(number, Ordering::Relaxed);
                    flyball_call_c(handler);
                } else {
                    handler();
                }
            });
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
