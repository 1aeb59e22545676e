//! The board `mps2-an385`: a Cortex-M3 at 25 MHz, as QEMU emulates it.
//!
//! Arm Application Note AN385. Registers of the CMSDK timer: Cortex-M System Design Kit, Technical
//! Reference Manual (DDI 0479), section 4.4.
//!
//! QEMU's *periodic* timers fire at twice their period while the processor sleeps under
//! `-icount sleep=off`; one-shots are exact, so one-shots are all that is used here.

use core::cell::UnsafeCell;
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

/// The exceptions of the processor itself come before the board's interrupts.
const EXCEPTIONS: u16 = 16;
const ALL: usize = EXCEPTIONS as usize + INTERRUPTS;

/// The vectors, as soon as something is attached: the processor calls it with nothing in between.
/// Aligned as it demands (Armv7-M Architecture Reference Manual, B3.2.5).
#[repr(C, align(256))]
struct Vectors(UnsafeCell<[usize; ALL]>);

// SAFETY: only one function writes them, with interrupts masked, and only the processor reads them.
unsafe impl Sync for Vectors {}

static VECTORS: Vectors = Vectors(UnsafeCell::new([0; ALL]));

/// What is attached to the application's timer: an `extern "C" fn()`, or null. Its interrupt has to
/// be cleared first.
static TIMER_HANDLER: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// From now on the processor calls `handler` at the interrupt `line`, of which there are more.
fn set_vector(line: usize, handler: extern "C" fn()) {
    /// The first vectors are for a reset, which does not look here, and the first word is at the
    /// address zero, where no pointer points.
    const RESET: usize = 2;
    /// Where the vectors are.
    const VTOR: *mut usize = 0xe000_ed08 as *mut usize;
    let table = VECTORS.0.get().cast::<usize>();
    cortex_m::interrupt::free(|_| {
        // SAFETY: the register tells where as many vectors are, and nobody else writes there. What it
        // is set to is aligned, stays there, and is complete before it is set.
        unsafe {
            let now = ptr::with_exposed_provenance::<usize>(VTOR.read_volatile()).add(RESET);
            let count = ALL - RESET;
            ptr::copy(now, table.add(RESET), count);
            table
                .add(usize::from(EXCEPTIONS) + line)
                .write_volatile(handler as usize);
            cortex_m::asm::dsb();
            VTOR.write_volatile(table.expose_provenance());
            cortex_m::asm::dsb();
        }
    });
}

/// Calls what is attached to the application's timer.
#[doc(hidden)]
pub fn serve_timer() {
    let handler = TIMER_HANDLER.load(Ordering::Acquire);
    if !handler.is_null() {
        // SAFETY: `attach` has put it there.
        let handler = unsafe { transmute::<*mut (), extern "C" fn()>(handler) };
        handler();
    }
}

impl Interrupt {
    /// From now on `handler` is called at this interrupt, which is enabled. Returns `false` if the
    /// board has none of that number, or the kernel has it.
    pub(crate) fn attach(self, handler: extern "C" fn()) -> bool {
        let line = usize::from(self.0);
        if line >= INTERRUPTS || self.0 == Timer::Kernel.interrupt().0 {
            return false;
        }
        if self.0 == Timer::Application.interrupt().0 {
            TIMER_HANDLER.store(handler as *mut (), Ordering::Release);
        } else {
            set_vector(line, handler);
        }
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
}

/// An interrupt that nothing is attached to: it would interrupt again and again.
extern "C" fn unexpected() {
    NVIC::mask(Interrupt(exception().saturating_sub(EXCEPTIONS)));
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
            defined_here: unexpected,
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
