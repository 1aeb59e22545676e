//! Where events go.
//!
//! The kernel is generic over its sink, so a kernel that is not traced ([`NoTrace`]) contains no
//! trace code at all.

use crate::{Event, Record};

/// Takes events as they happen.
pub trait Sink {
    /// Whether this sink looks at events at all. Where it is `false` the compiler removes the code
    /// that makes them.
    const ENABLED: bool = true;

    /// Takes one event. Must not block; a full sink drops something and counts it.
    fn record(&mut self, event: Event);
}

/// Drops everything, at no cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoTrace;

impl Sink for NoTrace {
    const ENABLED: bool = false;
    fn record(&mut self, _: Event) {}
}

impl<S: Sink> Sink for &mut S {
    const ENABLED: bool = S::ENABLED;
    fn record(&mut self, event: Event) {
        (**self).record(event);
    }
}

/// Both sinks see every event.
impl<A: Sink, B: Sink> Sink for (A, B) {
    const ENABLED: bool = A::ENABLED || B::ENABLED;
    fn record(&mut self, event: Event) {
        if A::ENABLED {
            self.0.record(event);
        }
        if B::ENABLED {
            self.1.record(event);
        }
    }
}

#[cfg(feature = "std")]
impl Sink for std::vec::Vec<Event> {
    fn record(&mut self, event: Event) {
        self.push(event);
    }
}

/// The last `N` events, and how many older ones were dropped to make room for them.
///
/// Recording is O(1). The newest events are the ones kept: after a fault they are what one wants.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Ring<const N: usize> {
    // What is small comes first: it is within reach of one load or store then.
    /// Where the next record goes.
    next: usize,
    /// How often the last place has been filled.
    rounds: u64,
    records: [Record; N],
}

impl<const N: usize> Ring<N> {
    /// An empty ring.
    pub const fn new() -> Ring<N> {
        const { assert!(N > 0, "a ring holds at least one record") }
        Ring {
            next: 0,
            rounds: 0,
            records: [Record([0; Record::SIZE]); N],
        }
    }

    /// How many events the ring holds now.
    pub fn len(&self) -> usize {
        if self.rounds == 0 { self.next } else { N }
    }

    /// Whether nothing was recorded yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events were dropped because the ring was full.
    pub fn dropped(&self) -> u64 {
        // All that were recorded, but for those that are there.
        (self.rounds * N as u64 + self.next as u64) - self.len() as u64
    }

    /// The events that are left, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let (newer, older) = self.records.split_at(self.next);
        let older = if self.rounds > 0 { older } else { &[] };
        older.iter().chain(newer).filter_map(Record::decode)
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Ring<N> {
        Ring::new()
    }
}

impl<const N: usize> Sink for Ring<N> {
    fn record(&mut self, event: Event) {
        self.records[self.next] = Record::from(event);
        self.next += 1;
        if self.next == N {
            core::hint::cold_path();
            self.next = 0;
            self.rounds += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuId, Kind, Time};
    use std::vec::Vec;

    #[test]
    fn a_ring_keeps_the_newest_and_counts_the_rest() {
        let tick = |n| Event {
            time: Time::from_nanos(n),
            cpu: CpuId(0),
            kind: Kind::Tick,
        };
        for recorded in 0..12 {
            let mut ring = Ring::<4>::new();
            (0..recorded).for_each(|n| ring.record(tick(n)));
            let left: Vec<_> = ring.iter().map(|event| event.time.as_nanos()).collect();
            let expected: Vec<_> = (recorded.saturating_sub(4)..recorded).collect();
            assert_eq!(left, expected);
            assert_eq!(ring.len(), expected.len());
            assert_eq!(ring.dropped(), recorded.saturating_sub(4));
        }
    }
}
