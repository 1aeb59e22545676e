//! What a thread did that it cannot go on.

use crate::config::HartConfig;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use core::arch::asm;
use core::fmt::Display;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use flyball_port::{Cause, Fault, Machine};

/// *Privileged Architecture*, table 3.6.
fn cause(mcause: usize) -> Cause {
    match mcause {
        0 | 1 => Cause::NoCode,
        2 => Cause::UndefinedInstruction,
        3 => Cause::Breakpoint,
        4 | 6 => Cause::Unaligned,
        5 | 7 => Cause::NoMemory,
        _ => Cause::Unknown,
    }
}

/// Set by the first fault, the only one that is reported. What is found later is likely to be its
/// consequence.
static REPORTED: AtomicBool = AtomicBool::new(false);

/// This CPU does nothing else from here on; and nothing at all if another one has been here.
pub(crate) fn last_things_begin() {
    let _ = Mask::set();
    if REPORTED.swap(true, Ordering::SeqCst) {
        hart::rest();
    }
}

impl<C: HartConfig> Kernel<C> {
    /// An exception of the processor.
    pub(crate) fn exception(&'static self, mcause: usize) -> ! {
        let (pc, address): (usize, usize);
        // SAFETY: this reads registers.
        unsafe {
            asm!("csrr {0}, mepc", "csrr {1}, mtval", out(reg) pc, out(reg) address, options(nomem, nostack));
        }
        let cause = cause(mcause);
        let has_address = matches!(cause, Cause::NoMemory | Cause::Unaligned);
        self.report(cause, Some(pc), has_address.then_some(address), None)
    }

    /// A stack was too small.
    pub(crate) fn overflowed(&'static self) -> ! {
        self.report(Cause::StackOverflow, None, None, None)
    }

    /// Rust code panicked.
    #[doc(hidden)]
    pub fn panicked(&'static self, info: &PanicInfo<'_>) -> ! {
        self.report(Cause::Panic, None, None, Some(info))
    }

    fn report(
        &'static self,
        cause: Cause,
        pc: Option<usize>,
        address: Option<usize>,
        message: Option<&dyn Display>,
    ) -> ! {
        last_things_begin();
        // The lock may be held, by code that will not go on.
        let thread = self.current_thread();
        let fault = Fault {
            thread,
            name: thread.and_then(C::name),
            cpu: Some(hart::number()),
            time: self.now(),
            cause,
            address,
            pc,
            caller: None,
        };
        C::fault(self, &fault, message)
    }
}
