//! The board `virt`, as QEMU emulates it: 1 to 64 harts, each with a timer and a doorbell.
//!
//! Registers of the core-local interruptor: *RISC-V Advanced Core Local Interruptor Specification*,
//! chapters 2 and 3, at the addresses of QEMU's `hw/riscv/virt.c`.
//!
//! A hart that spins keeps an emulator that runs one hart after the other from getting on, so no
//! hart spins here: one that waits for another sleeps until that one rings.

use crate::hart;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use flyball_multicore::Doorbell;
use flyball_trace::{Duration, Time};

/// The most harts.
pub const HARTS: usize = 64;

/// Nanoseconds a tick of the clock: 10 MHz.
pub const TICK_NS: u64 = 100;

const MSIP: usize = 0x0200_0000;
const MTIMECMP: usize = 0x0200_4000;
const MTIME: *const u64 = 0x0200_bff8 as *const u64;

/// Harts ring at each other by interprocessor interrupts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bells;

impl Bells {
    fn set(hart: u8, rung: bool) {
        let register = (MSIP + usize::from(hart) * 4) as *mut u32;
        // SAFETY: every hart has this register, and writing it has no other effect than the
        // interrupt.
        unsafe { ptr::write_volatile(register, u32::from(rung)) };
    }

    /// The signal of `hart` has been seen. What was written before it was sent is seen from now on.
    #[inline]
    pub(crate) fn forget(hart: u8) {
        Bells::set(hart, false);
        hart::fence();
    }
}

impl Doorbell for Bells {
    #[inline]
    fn ring(&self, cpu: u8) {
        hart::fence();
        Bells::set(cpu, true);
    }

    fn wait(&self, cpu: u8) {
        hart::listen(hart::MSIE);
        hart::wait_for_interrupt();
        Bells::forget(cpu);
        hart::listen(hart::MSIE | hart::MTIE);
    }

    fn pause(&self, cpu: u8) {
        // To go to sleep with a signal is to come back at once, after other harts have had a turn
        // on an emulator that runs one after the other.
        hart::listen(hart::MSIE);
        self.ring(cpu);
        hart::wait_for_interrupt();
        hart::listen(hart::MSIE | hart::MTIE);
    }
}

/// The ticks since the start of the board; the same on all harts.
#[inline]
pub(crate) fn ticks() -> u64 {
    // SAFETY: the register can be read at any time, without side effect.
    unsafe { ptr::read_volatile(MTIME) }
}

/// Which of its users a hart's timer is set for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alarm {
    /// The kernel, maybe on another hart.
    Kernel,
    /// The application.
    Application,
    /// A thread that computes, which wants to be woken when it is done.
    Computed,
    /// The kernel, for when a thread goes to another CPU.
    Migration,
}

/// What each hart's timer is set for, by each of its users. [`u64::MAX`]: not at all.
static ALARMS: [[AtomicU64; 4]; HARTS] = [const { [const { AtomicU64::new(u64::MAX) }; 4] }; HARTS];

impl Alarm {
    /// When it is, in ticks.
    #[inline]
    pub(crate) fn at(self, hart: u8) -> u64 {
        ALARMS[usize::from(hart)][self as usize].load(Ordering::SeqCst)
    }

    /// Sets the timer of `hart`, which need not be the one that calls.
    pub(crate) fn set(self, hart: u8, at: u64) {
        let alarm = &ALARMS[usize::from(hart)][self as usize];
        if alarm.swap(at, Ordering::SeqCst) != at {
            Alarm::program(hart);
        }
    }

    /// The first one of a hart.
    #[inline]
    fn first(hart: u8) -> u64 {
        let alarms = ALARMS[usize::from(hart)].iter();
        alarms.fold(u64::MAX, |first, alarm| {
            first.min(alarm.load(Ordering::SeqCst))
        })
    }

    /// Sets the timer of `hart` to the first of its alarms. What is in it after a reset is
    /// anything.
    pub(crate) fn program(hart: u8) {
        let register = (MTIMECMP + usize::from(hart) * 8) as *mut u64;
        // Another hart may set another alarm of this one meanwhile. The one that writes last looks
        // once more.
        loop {
            let first = Alarm::first(hart);
            // SAFETY: every hart has this register, and writing it has no other effect than the
            // interrupt.
            unsafe { ptr::write_volatile(register, first) };
            hart::fence();
            if Alarm::first(hart) == first {
                break;
            }
        }
    }
}

/// Instants of a kernel in ticks of the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// When the kernel started.
    start: u64,
}

impl Clock {
    /// A clock that begins now.
    pub(crate) fn start() -> Clock {
        Clock { start: ticks() }
    }

    /// The time since the kernel started, exact to a tick.
    #[inline]
    pub(crate) fn now(self) -> Time {
        Time::from_nanos((ticks() - self.start) * TICK_NS)
    }

    /// The first tick at or after an instant.
    #[inline]
    pub(crate) fn tick(self, at: Time) -> u64 {
        match at {
            Time::NEVER => u64::MAX,
            at => (self.start).saturating_add(at.as_nanos().div_ceil(TICK_NS)),
        }
    }
}

/// The number of ticks that is nearest to a length.
pub(crate) fn nearest(length: Duration) -> u64 {
    length.as_nanos().saturating_add(TICK_NS / 2) / TICK_NS
}

/// The upper half of the memory, whose contents a loader may have written before the start: the
/// first `split` bytes to be read, the others to be written. Only once.
pub fn take_memory(split: usize) -> Option<(&'static [u8], &'static mut [u8])> {
    const MEMORY: usize = 0x9000_0000;
    const END: usize = MEMORY + (256 << 20);
    let split = MEMORY.saturating_add(split).min(END);
    // SAFETY: the board has this memory, and the linker does not use it.
    unsafe { flyball_port::memory::take_memory(MEMORY..split, split..END) }
}
