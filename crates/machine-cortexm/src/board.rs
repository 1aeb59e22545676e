//! The board `mps2-an385`: a Cortex-M3 at 25 MHz, as QEMU emulates it.
//!
//! Arm Application Note AN385. Registers of the CMSDK timer: Cortex-M System Design Kit, Technical
//! Reference Manual (DDI 0479), section 4.4.
//!
//! QEMU's *periodic* timers fire at twice their period while the processor sleeps under
//! `-icount sleep=off`; one-shots are exact, so one-shots are all that is used here.

use core::mem::transmute;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use core::{ptr, slice};
use cortex_m::peripheral::NVIC;

/// Nanoseconds a tick of counter and timer: 25 MHz.
pub(crate) const TICK_NS: u32 = 40;

/// The interrupts of the two timers.
const FIRST_TIMER: u16 = 8;

/// The most interrupts that the board has; in a small image there are vectors up to the timers'.
const INTERRUPTS: usize = if cfg!(feature = "small") {
    FIRST_TIMER as usize + 2
} else {
    32
};

/// FPGAIO: a counter that runs freely.
const COUNTER: *const u32 = 0x4002_8018 as *const u32;

/// The CMSDK timers. The kernel has the first one, the application the second.
const TIMERS: [*mut u32; 2] = [0x4000_0000 as *mut u32, 0x4000_1000 as *mut u32];
const CTRL: usize = 0;
const VALUE: usize = 1;
const RELOAD: usize = 2;
const CLEAR: usize = 3;
/// Enabled, with an interrupt.
const ONE_SHOT: u32 = 0b1001;

/// An interrupt of the board.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(pub u16);

// SAFETY: the number is one of those that the board's interrupt controller has.
unsafe impl cortex_m::interrupt::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self.0
    }
}

/// The ticks since reset, modulo 2³² (172 s).
pub(crate) fn counter() -> u32 {
    // SAFETY: the address is that of a register that can be read at any time, without side effect.
    unsafe { ptr::read_volatile(COUNTER) }
}

/// One of the timers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// That of the kernel.
    Kernel = 0,
    /// One that the application may use as it likes.
    Application = 1,
}

impl Timer {
    /// Interrupts once, after `ticks` (of 40 ns), which is not zero. What was set before is
    /// forgotten.
    pub fn one_shot(self, ticks: u32) {
        self.set(CTRL, 0);
        self.set(RELOAD, 0);
        self.set(VALUE, ticks);
        self.set(CTRL, ONE_SHOT);
    }

    /// The interrupt has been seen.
    pub fn clear(self) {
        self.set(CLEAR, 1);
    }

    /// The timer's interrupt.
    pub fn interrupt(self) -> Interrupt {
        Interrupt(FIRST_TIMER + self as u16)
    }

    fn set(self, register: usize, value: u32) {
        // SAFETY: `register` is one of the four of a timer, which nothing but this type touches.
        unsafe { ptr::write_volatile(TIMERS[self as usize].add(register), value) }
    }
}

/// The 16 MB of external memory, whose contents a loader may have written before the start: the
/// first `split` bytes to be read, the others to be written. Only once.
pub fn take_memory(split: usize) -> Option<(&'static [u8], &'static mut [u8])> {
    const MEMORY: *mut u8 = 0x2100_0000 as *mut u8;
    const SIZE: usize = 16 << 20;
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let again = cortex_m::interrupt::free(|_| {
        let taken = TAKEN.load(Ordering::Relaxed);
        TAKEN.store(true, Ordering::Relaxed);
        taken
    });
    if again || split > SIZE {
        return None;
    }
    // SAFETY: the board has this memory, the linker does not use it, and it is given away once. It
    // was written by nobody or by the loader, and any byte is a `u8`.
    unsafe {
        Some((
            slice::from_raw_parts(MEMORY, split),
            slice::from_raw_parts_mut(MEMORY.add(split), SIZE - split),
        ))
    }
}

/// What the application has attached to the interrupts: `fn()`s, or null.
static HANDLERS: [AtomicPtr<()>; INTERRUPTS] =
    [const { AtomicPtr::new(ptr::null_mut()) }; INTERRUPTS];

impl Interrupt {
    /// From now on `handler` is called at this interrupt, which is enabled. Returns `false` if the
    /// board has none of that number, or the kernel has it.
    pub(crate) fn attach(self, handler: fn()) -> bool {
        let Some(place) = HANDLERS.get(usize::from(self.0)) else {
            return false;
        };
        if self.0 == Timer::Kernel.interrupt().0 {
            return false;
        }
        place.store(handler as *mut (), Ordering::Release);
        NVIC::unpend(self);
        // SAFETY: the handler is in place, and masking interrupts, by which the kernel protects
        // itself, goes for all of them.
        unsafe { NVIC::unmask(self) };
        true
    }

    /// Interrupts now, as if the device had done it.
    pub(crate) fn pend(self) {
        if usize::from(self.0) < INTERRUPTS {
            NVIC::pend(self);
            // It has been served when this returns, if nothing is in its way.
            cortex_m::asm::dsb();
            cortex_m::asm::isb();
        }
    }

    /// Calls what is attached.
    #[doc(hidden)]
    pub fn serve(self) {
        let handler = HANDLERS
            .get(usize::from(self.0))
            .map(|place| place.load(Ordering::Acquire));
        match handler {
            Some(handler) if !handler.is_null() => {
                // SAFETY: `attach` has put it there, and it was a `fn()`.
                let handler = unsafe { transmute::<*mut (), fn()>(handler) };
                handler();
            }
            // It would interrupt again and again.
            _ => NVIC::mask(self),
        }
    }
}

/// Any interrupt that is not the kernel's.
extern "C" fn serve() {
    /// The first of the exceptions that are the board's interrupts.
    const FIRST: u16 = 16;
    Interrupt(exception().saturating_sub(FIRST)).serve();
}

/// The number of the exception that is being served; zero: none.
#[inline]
pub(crate) fn exception() -> u16 {
    let number: u32;
    // SAFETY: this reads a register.
    unsafe {
        core::arch::asm!(
            "mrs {number}, ipsr",
            number = out(reg) number,
            options(nomem, nostack, preserves_flags),
        );
    }
    (number & 0x1ff) as u16
}

/// What the processor calls at an interrupt.
#[repr(C)]
pub union Vector {
    handler: unsafe extern "C" fn(),
    defined_here: extern "C" fn(),
}

unsafe extern "C" {
    /// Defined by the application's [`kernel!`](crate::kernel!).
    fn flyball_timer();
    fn flyball_application_timer();
}

#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [Vector; INTERRUPTS] = {
    let mut vectors = [const {
        Vector {
            defined_here: serve,
        }
    }; INTERRUPTS];
    vectors[FIRST_TIMER as usize] = Vector {
        handler: flyball_timer,
    };
    vectors[FIRST_TIMER as usize + 1] = Vector {
        handler: flyball_application_timer,
    };
    vectors
};
