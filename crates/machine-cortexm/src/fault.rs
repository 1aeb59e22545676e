//! Faults of the processor, and panics.
//!
//! All faults of the processor come here, on the main stack, since it may be the thread's stack
//! that is broken. What happens then is the application's business ([`MachineConfig::fault`]): it
//! may save what it has before it ends. A fault is reported in an exception that nothing preempts;
//! a panic where it was, with interrupts masked.
//!
//! [`MachineConfig::fault`]: flyball_port::MachineConfig::fault

use crate::config::BoardConfig;
use crate::examine::{Diagnosis, ExceptionState};
use crate::guard;
use crate::kernel::Kernel;
use crate::mask::rest;
use core::fmt::Display;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m::peripheral::SCB;
use flyball_kernel::Clock as _;
use flyball_policy::Time;
use flyball_port::{Cause, Fault, Stacks};

/// Lets each kind of fault have its own exception, a division by zero be one, and so what needs
/// more than the main stack, if `stacks` are guarded.
pub(crate) fn enable(stacks: Stacks) {
    const MEMORY_BUS_USAGE: u32 = 0b111 << 16;
    const DIV_0_TRP: u32 = 1 << 4;
    // SAFETY: the handlers below are there, and no code relies on a quotient of zero.
    unsafe {
        let control = &*SCB::PTR;
        control.shcsr.modify(|bits| bits | MEMORY_BUS_USAGE);
        control.ccr.modify(|bits| bits | DIV_0_TRP);
    }
    if stacks == Stacks::Guarded {
        // SAFETY: the program has just begun.
        unsafe { guard::guard_main() };
    }
}

/// The handlers of faults, as [`kernel!`](crate::kernel!) puts them into an application that has
/// made its choice about [`Stacks`](crate::Stacks). `PendSV` comes to the first one if there is no
/// canary; its `lr` is as it was. A main stack that is at its guard is used from its end again, so
/// that there is room for a report: nothing ever returns to what was there.
#[doc(hidden)]
#[macro_export]
macro_rules! fault_handlers {
    ($stacks:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn HardFault() {
            ::core::arch::naked_asm!(
                ".global flyball_no_canary, MemoryManagement, BusFault, UsageFault",
                ".type flyball_no_canary, %function",
                ".type MemoryManagement, %function",
                ".type BusFault, %function",
                ".type UsageFault, %function",
                ".thumb_func",
                "MemoryManagement:",
                ".thumb_func",
                "BusFault:",
                ".thumb_func",
                "UsageFault:",
                "movs  r3, #0",
                "b     1f",
                ".thumb_func",
                "flyball_no_canary:",
                // Faults are masked: what a report does wrong is a fault again.
                "cpsid i",
                "cpsie f",
                "movs  r3, #1",
                "1:",
                "mrs   r0, psp",
                "mov   r1, lr",
                "mov   r2, sp",
                ".if {guard}",
                // Behind the guard, however far it is from there, and behind as much again.
                "ldr   r12, =_stack_end + 96",
                "cmp   r2, r12",
                "bhs.w flyball_fault",
                "ldr   r12, =_stack_start",
                "mov   sp, r12",
                ".endif",
                "b.w   flyball_fault",
                ".ltorg",
                guard = const matches!($stacks, $crate::Stacks::Guarded) as u32,
            )
        }
    };
}

impl<C: BoardConfig> Kernel<C> {
    /// Something cannot go on. From here on nothing runs but what the application does about it.
    #[doc(hidden)]
    pub fn fault(&'static self, taken: ExceptionState) -> ! {
        if !C::REPORTS {
            rest();
        }
        last_things_begin();
        // What is read from here on may be what was guarded.
        guard::switch_off();
        let stack = self.try_with(|switch, _| switch.stack()).flatten();
        let found = taken.examine(stack, guard::reserved(C::STACKS));
        self.report(&found, None)
    }

    /// Rust code has panicked.
    #[doc(hidden)]
    pub fn panicked(&'static self, info: &PanicInfo<'_>) -> ! {
        if !C::REPORTS {
            rest();
        }
        last_things_begin();
        self.report(&Diagnosis::only(Cause::Panic), Some(info))
    }

    /// Reports on the thread that runs.
    fn report(&'static self, found: &Diagnosis, message: Option<&dyn Display>) -> ! {
        // If the fault was in the kernel, the state was in use; but the code that used it never
        // goes on.
        let running = self.try_with(|switch, state| {
            let thread = switch.stack().and_then(|stack| state.owner(&stack));
            (thread, state.clock.now())
        });
        let (thread, time) = running.unwrap_or((None, Time::ZERO));
        let thread = thread.filter(|_| !found.is_main_stack);
        let word = |address: Option<u32>| address.map(|address| address as usize);
        let fault = Fault {
            thread,
            name: thread.and_then(C::name),
            cpu: None,
            time,
            cause: found.cause,
            address: word(found.address),
            pc: word(found.pc),
            caller: word(found.caller),
        };
        C::fault(self, &fault, message)
    }
}

/// From here on nothing else runs.
pub(crate) fn last_things_begin() {
    static AGAIN: AtomicBool = AtomicBool::new(false);
    cortex_m::interrupt::disable();
    if AGAIN.load(Ordering::Relaxed) {
        // The report itself failed.
        #[cfg(feature = "semihosting")]
        semihosting::process::abort();
        #[cfg(not(feature = "semihosting"))]
        rest();
    }
    AGAIN.store(true, Ordering::Relaxed);
}
