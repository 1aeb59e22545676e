//! A periodic tick at which nothing is due, as most are: it is counted, and the timer set to the next one, in ticks of the
//! board's counter and without the time. Whatever else there is to do, the kernel's own entry does.

use crate::board::{Board, Timer};
use crate::config::BoardConfig;
use crate::cpu::State;
use flyball_policy::Duration;

/// What the counter has to do with the kernel's ticks.
#[derive(Default)]
pub(crate) struct Tick {
    /// What the counter shows when the timer fires.
    pub(crate) due: u32,
    /// The length of a tick by the counter; 0: there are none, or none of a whole length.
    length: u32,
    /// The same as the kernel has it.
    nanos: Duration,
}

impl Tick {
    /// The kernel has ticks of this length.
    pub(crate) fn follow<B: Board>(&mut self, length: Duration) {
        if length == self.nanos {
            return;
        }
        self.nanos = length;
        // A longer one is waited for piece by piece.
        let nanos = u32::try_from(length.as_nanos()).unwrap_or(0);
        let is_whole = nanos.is_multiple_of(B::TICK_NS);
        self.length = if is_whole { nanos / B::TICK_NS } else { 0 };
    }
}

impl<C: BoardConfig> State<C> {
    /// The timer has fired: if it is a tick at which nothing is due, it is served. Returns whether it was.
    #[inline(always)]
    pub(crate) fn serves_quiet_tick(&mut self) -> bool {
        let counter = C::Board::counter();
        let due = self.tick.due.wrapping_add(self.tick.length);
        let left = due.wrapping_sub(counter);
        // Of the next tick nothing is left if this one is late, or has no length.
        let is_in_time = left.wrapping_sub(1) < self.tick.length;
        if !is_in_time || self.clock.needs_advance(counter) {
            return false;
        }
        let Some(next) = self.core.quiet_tick() else {
            return false;
        };
        self.tick.due = due;
        self.armed = next;
        C::Board::one_shot(Timer::Kernel, left);
        true
    }
}
