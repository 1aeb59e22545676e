//! Interrupts: the processor's table of vectors, and what an application attaches to it.

use crate::board::{Board, Timer};
use core::cell::UnsafeCell;
use core::ptr;
use cortex_m::peripheral::NVIC;
use flyball_kernel::Error;
use flyball_port::Handler;

/// The exceptions of the processor itself come before the board's interrupts.
const EXCEPTIONS: u16 = 16;

/// How many interrupts have vectors. In a small image they end with the timers'.
///
/// # Panics
/// When the application is compiled, if the board contradicts itself or its clock stands still.
pub const fn lines<B: Board>() -> usize {
    let [kernel, application] = B::TIMER_LINES;
    let last = if kernel > application {
        kernel
    } else {
        application
    };
    assert!(
        kernel != application && last < B::LINES && B::LINES <= 112,
        "a board has two timers with lines of their own, below LINES, which is 112 at most"
    );
    assert!(
        B::TICK_NS > 0,
        "TICK_NS of a board is zero: a tick of its clock takes a nanosecond at least"
    );
    let lines = if cfg!(feature = "small") {
        last + 1
    } else {
        B::LINES
    };
    lines as usize
}

/// An interrupt of the board.
#[derive(Clone, Copy, Debug)]
struct Interrupt(u16);

// SAFETY: the number is one of those that the board's interrupt controller has.
unsafe impl cortex_m::interrupt::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self.0
    }
}

/// What the processor calls at an interrupt.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Vector {
    handler: unsafe extern "C" fn(),
    defined_here: extern "C" fn(),
}

/// The vectors of the board's interrupts, behind those of the processor's exceptions.
pub const fn table<B: Board, const LINES: usize>(
    timer: unsafe extern "C" fn(),
    application: unsafe extern "C" fn(),
) -> [Vector; LINES] {
    let mut vectors = [Vector {
        defined_here: unexpected,
    }; LINES];
    vectors[B::TIMER_LINES[0] as usize] = Vector { handler: timer };
    vectors[B::TIMER_LINES[1] as usize] = Vector {
        handler: application,
    };
    vectors
}

/// The vectors, as soon as something is attached: the processor calls it with nothing in between.
/// Aligned as it demands for up to 128 of them (Armv7-M Architecture Reference Manual, B3.2.5).
#[repr(C, align(512))]
pub struct Attached<const LINES: usize> {
    exceptions: UnsafeCell<[usize; EXCEPTIONS as usize]>,
    interrupts: UnsafeCell<[usize; LINES]>,
}

// SAFETY: only one function writes them, with interrupts masked, and only the processor reads them.
unsafe impl<const LINES: usize> Sync for Attached<LINES> {}

impl<const LINES: usize> Attached<LINES> {
    /// Nothing is attached.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Attached<LINES> {
        Attached {
            exceptions: UnsafeCell::new([0; EXCEPTIONS as usize]),
            interrupts: UnsafeCell::new([0; LINES]),
        }
    }
}

unsafe extern "C" {
    /// An [`Attached`] of the application's [`kernel!`](crate::kernel!), with vectors for its
    /// board's [`lines`].
    static flyball_attached: UnsafeCell<usize>;
}

/// What is attached to the application's timer. Its interrupt has to be cleared first.
static TIMER_HANDLER: Handler = Handler::new();

/// From now on the processor calls `handler` at the interrupt `line`, of which there are more.
fn set_vector<B: Board>(line: u16, handler: extern "C" fn()) {
    /// The first vectors are for a reset, which does not look here, and the first word is at the
    /// address zero, where no pointer points.
    const RESET: usize = 2;
    /// Where the vectors are.
    const VTOR: *mut usize = 0xe000_ed08 as *mut usize;
    cortex_m::interrupt::free(|_| {
        // SAFETY: the register tells where as many vectors are, and nothing else writes there. What
        // it is set to is aligned, stays there, and is complete before it is set.
        unsafe {
            let table = (&raw const flyball_attached).cast_mut().cast::<usize>();
            let now = ptr::with_exposed_provenance::<usize>(VTOR.read_volatile()).add(RESET);
            let count = usize::from(EXCEPTIONS) + const { lines::<B>() } - RESET;
            ptr::copy(now, table.add(RESET), count);
            table
                .add(usize::from(EXCEPTIONS + line))
                .write_volatile(handler as usize);
            cortex_m::asm::dsb();
            VTOR.write_volatile(table.expose_provenance());
            cortex_m::asm::dsb();
        }
    });
}

/// Calls what is attached to the application's timer.
pub fn serve_timer() {
    if let Some(handler) = TIMER_HANDLER.get() {
        handler();
    }
}

/// From now on `handler` is called at the interrupt `line`, which is enabled.
///
/// # Errors
/// [`Error::Unknown`] if the board has none of that number, or the kernel has it.
pub(crate) fn attach<B: Board>(line: u16, handler: extern "C" fn()) -> Result<(), Error> {
    if usize::from(line) >= const { lines::<B>() } || line == B::TIMER_LINES[0] {
        return Err(Error::Unknown);
    }
    if line == B::TIMER_LINES[1] {
        TIMER_HANDLER.attach(handler);
    } else {
        set_vector::<B>(line, handler);
    }
    NVIC::unpend(Interrupt(line));
    // SAFETY: the handler is in place, and masking interrupts, by which the kernel protects itself,
    // goes for all of them.
    unsafe { NVIC::unmask(Interrupt(line)) };
    Ok(())
}

/// Interrupts now, as if the device had done it.
pub(crate) fn pend<B: Board>(line: u16) {
    if usize::from(line) < const { lines::<B>() } {
        NVIC::pend(Interrupt(line));
        // It has been served when this returns, if nothing is in its way.
        cortex_m::asm::dsb();
        cortex_m::asm::isb();
    }
}

/// Enables the timers' interrupts, more urgent than a context switch.
pub(crate) fn enable_timers<B: Board>(nvic: &mut NVIC) {
    for timer in Timer::ALL {
        let line = Interrupt(B::TIMER_LINES[timer as usize]);
        // SAFETY: their handlers are in place, and nothing relies on other priorities.
        unsafe {
            nvic.set_priority(line, 0x40);
            NVIC::unmask(line);
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
