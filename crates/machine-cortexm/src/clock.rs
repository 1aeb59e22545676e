//! Time: a 32-bit counter extended to 64 bits, and a timer that is set to an instant.
//!
//! A counter at 25 MHz goes round every 172 s. Each reading says how far it is from a reference,
//! which has to be moved at least twice a round. Setting the timer moves it, and from the start of
//! scheduling on the timer is never set further ahead than 4.3 s. So an entry that just reads the
//! clock stores nothing. Instants are absolute, and the timer is set to what is left until then at
//! that moment, so nothing drifts: an error of one setting is not in the next one.

use crate::board::{Board, Timer};
use core::marker::PhantomData;
use flyball_kernel::{Clock as _, Stamp};
use flyball_trace::{Duration, Time};

/// The clock of the machine. To be read with interrupts masked.
pub struct Clock<B> {
    /// The reference: what the counter showed some time ago, and which nanosecond of the kernel's
    /// that was.
    last: u32,
    nanos: u64,
    board: PhantomData<B>,
}

/// What the counter of a board shows.
pub struct Ticks<B>(u32, PhantomData<fn() -> B>);

impl<B> Clone for Ticks<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Ticks<B> {}

impl<B> Default for Ticks<B> {
    fn default() -> Self {
        Ticks(0, PhantomData)
    }
}

impl<B: Board> Stamp for Ticks<B> {
    const OF_TIME: Option<fn(Time) -> Self> = None;

    #[inline(always)]
    fn ticks_since(self, earlier: Self) -> u64 {
        u64::from(self.0.wrapping_sub(earlier.0))
    }

    #[inline(always)]
    fn length(ticks: u64) -> Duration {
        Duration::from_nanos(ticks * u64::from(B::TICK_NS))
    }
}

impl<B: Board> flyball_kernel::Clock<Ticks<B>> for Clock<B> {
    #[inline(always)]
    fn stamp(&mut self) -> Ticks<B> {
        Ticks(B::counter(), PhantomData)
    }

    /// Exact to a tick of the counter.
    #[inline]
    fn time(&mut self, stamp: Ticks<B>) -> Time {
        // Less than half a round before or after the reference.
        let ahead = stamp.0.wrapping_sub(self.last).cast_signed();
        let ahead = i64::from(ahead) * i64::from(B::TICK_NS);
        Time::from_nanos(self.nanos.wrapping_add_signed(ahead))
    }
}

impl<B: Board> Clock<B> {
    /// A clock that begins now.
    pub fn start() -> Clock<B> {
        Clock {
            last: B::counter(),
            nanos: 0,
            board: PhantomData,
        }
    }

    /// When the clock began, if it was not read since.
    pub(crate) fn started(&self) -> Ticks<B> {
        Ticks(self.last, PhantomData)
    }

    /// Reads the clock, and moves its reference here.
    pub(crate) fn advance(&mut self) -> Time {
        let stamp = self.stamp();
        let now = self.time(stamp);
        (self.last, self.nanos) = (stamp.0, now.as_nanos());
        now
    }

    /// Whether it is time to move the reference, as the counter has gone a quarter of a round.
    #[inline(always)]
    pub(crate) fn needs_advance(&self, counter: u32) -> bool {
        counter.wrapping_sub(self.last) >> 30 != 0
    }

    /// Sets the timer to `at`; it fires at once if that has passed, and not at all at
    /// [`Time::NEVER`] (but to keep the clock running). Returns what the counter shows then.
    pub fn set_timer(&mut self, at: Time) -> u32 {
        let now = self.advance();
        let ahead = at.since(now).as_nanos();
        // Never early: what is left of a tick is waited for as well. What is too far away is looked
        // at again on the way: thirty-two bits are divided by one instruction.
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        let ticks = ahead / B::TICK_NS + 1;
        B::one_shot(Timer::Kernel, ticks);
        self.last.wrapping_add(ticks)
    }
}
