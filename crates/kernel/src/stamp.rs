//! How the kernel reads a machine's clock.
//!
//! CPU time is differences of two readings, at each kernel entry twice. A machine whose counter has
//! 32 bits need not make 64 bits and then nanoseconds of it for that: CPU time is added up in ticks
//! of the counter, and converted when somebody asks.

use flyball_trace::{Duration, Time};

/// A reading of a machine's counter, good for differences. It may wrap: between two entries there
/// pass fewer ticks than it can tell apart.
pub trait Stamp: Copy + Default {
    /// The stamp of an instant, where stamps are instants. `None`: a counter has to be read, so all
    /// entries [begin](crate::Entry::begin), and there is one CPU.
    const OF_TIME: Option<fn(Time) -> Self>;

    /// The ticks from an earlier stamp to this one.
    fn ticks_since(self, earlier: Self) -> u64;

    /// The length of so many ticks.
    fn length(ticks: u64) -> Duration;
}

/// Nanoseconds: for machines with 64 bits, and clocks that are virtual.
impl Stamp for Time {
    const OF_TIME: Option<fn(Time) -> Time> = Some(|now| now);

    #[inline]
    fn ticks_since(self, earlier: Time) -> u64 {
        self.since(earlier).as_nanos()
    }

    #[inline]
    fn length(ticks: u64) -> Duration {
        Duration::from_nanos(ticks)
    }
}

/// A machine's clock. It is read in kernel entries only.
pub trait Clock<S> {
    /// A reading, which is not before any earlier one.
    fn stamp(&mut self) -> S;

    /// The instant of a stamp that is one of the last: [`Time::ZERO`] is the start of the kernel.
    fn time(&mut self, stamp: S) -> Time;

    /// The time since the kernel started.
    #[inline]
    fn now(&mut self) -> Time {
        let stamp = self.stamp();
        self.time(stamp)
    }
}

/// A clock that stands still.
impl Clock<Time> for Time {
    #[inline]
    fn stamp(&mut self) -> Time {
        *self
    }

    #[inline]
    fn time(&mut self, stamp: Time) -> Time {
        stamp
    }
}

impl<S, K: Clock<S>> Clock<S> for &mut K {
    #[inline]
    fn stamp(&mut self) -> S {
        K::stamp(self)
    }

    #[inline]
    fn time(&mut self, stamp: S) -> Time {
        K::time(self, stamp)
    }
}
