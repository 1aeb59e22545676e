//! Time: a 32-bit counter extended to 64 bits, and a timer that is set to an instant.
//!
//! A counter at 25 MHz goes round every 172 s. Each reading that is below the last one counts a
//! round, so the clock has to be read at least that often; the timer is never set further ahead
//! than 4.3 s. Instants are absolute, and the timer is set to what is left until then at that
//! moment, so nothing drifts: an error of one setting is not in the next one.

use crate::board::{Board, Timer};
use core::marker::PhantomData;
use flyball_trace::Time;

/// The clock of the machine. To be read with interrupts masked.
pub struct Clock<B> {
    /// How often the counter has gone round.
    rounds: u32,
    /// Its last value.
    last: u32,
    /// The counter's value when the kernel started: [`Time::ZERO`].
    start: u32,
    board: PhantomData<B>,
}

impl<B: Board> Clock<B> {
    /// A clock that begins now.
    pub(crate) fn start() -> Clock<B> {
        let start = B::counter();
        Clock {
            rounds: 0,
            last: 0,
            start,
            board: PhantomData,
        }
    }

    fn ticks(&mut self) -> u64 {
        let low = B::counter().wrapping_sub(self.start);
        if low < self.last {
            self.rounds += 1;
        }
        self.last = low;
        u64::from(self.rounds) << 32 | u64::from(low)
    }

    /// The time since the kernel started, exact to a tick of the counter.
    pub fn now(&mut self) -> Time {
        Time::from_nanos(self.ticks() * u64::from(B::TICK_NS))
    }

    /// Sets the timer to `at`; it fires at once if that has passed, and not at all at
    /// [`Time::NEVER`] (but to keep the clock running).
    pub(crate) fn set_timer(&mut self, at: Time) {
        let ahead = at.since(self.now()).as_nanos();
        // Never early: what is left of a tick is waited for as well. What is too far away is looked
        // at again on the way: thirty-two bits are divided by one instruction.
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        B::one_shot(Timer::Kernel, ahead / B::TICK_NS + 1);
    }
}
