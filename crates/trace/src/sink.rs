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

    /// Whether it takes what servers have ([`Kind::Budget`](crate::Kind::Budget) and the other kinds of
    /// events of servers and reservations). Where it does not, they are not made.
    const BUDGETS: bool = false;

    /// Whether it takes the levels of queues ([`Kind::Fill`](crate::Kind::Fill)). Where it does not, these
    /// events are not made.
    const FILLS: bool = false;

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
    const BUDGETS: bool = S::BUDGETS;
    const FILLS: bool = S::FILLS;
    #[expect(clippy::inline_always, reason = "it is a call of the same name")]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        (**self).record(event);
    }
}

/// Both sinks see every event.
impl<A: Sink, B: Sink> Sink for (A, B) {
    const ENABLED: bool = A::ENABLED || B::ENABLED;
    const BUDGETS: bool = A::BUDGETS || B::BUDGETS;
    const FILLS: bool = A::FILLS || B::FILLS;
    #[inline]
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
    const BUDGETS: bool = true;
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
    /// How many events have been recorded, but for those of `before`.
    count: u32,
    /// Some multiple of `N`, where `count` began anew.
    before: u64,
    records: [Record; N],
}

impl<const N: usize> Ring<N> {
    /// Where `count` begins anew: a multiple of `N`. 2³² if that is one, so that it need not be looked
    /// at for that.
    const END: u64 = (1 << u32::BITS) / N as u64 * N as u64;

    /// An empty ring.
    pub const fn new() -> Ring<N> {
        const { assert!(N > 0 && Self::END > 0, "a ring holds at least one record") }
        Ring {
            count: 0,
            before: 0,
            records: [Record([0; Record::SIZE]); N],
        }
    }

    /// Where the next record goes.
    #[inline]
    fn next(&self) -> usize {
        self.count as usize % N
    }

    /// How many events have been recorded.
    fn recorded(&self) -> u64 {
        self.before + u64::from(self.count)
    }

    /// How many events the ring holds now.
    pub fn len(&self) -> usize {
        usize::try_from(self.recorded()).map_or(N, |recorded| recorded.min(N))
    }

    /// Whether nothing was recorded yet.
    pub fn is_empty(&self) -> bool {
        self.recorded() == 0
    }

    /// How many events were dropped because the ring was full.
    pub fn dropped(&self) -> u64 {
        self.recorded().saturating_sub(N as u64)
    }

    /// The events that are left, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let (newer, older) = self.records.split_at(self.next());
        let older = if self.len() == N { older } else { &[] };
        older.iter().chain(newer).filter_map(Record::decode)
    }
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Ring<N> {
        Ring::new()
    }
}

impl<const N: usize> Sink for Ring<N> {
    #[expect(
        clippy::inline_always,
        reason = "where an event is made its kind is known, and there it is a few stores"
    )]
    #[inline(always)]
    fn record(&mut self, event: Event) {
        self.records[self.next()] = Record::from(event);
        self.count = self.count.wrapping_add(1);
        if u64::from(self.count) == Self::END % (1 << u32::BITS) {
            core::hint::cold_path();
            self.count = 0;
            self.before += Self::END;
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

    /// Whether 2³² is a multiple of the ring's length, or not.
    #[test]
    fn a_ring_goes_on_where_its_count_begins_anew() {
        goes_on::<4>();
        goes_on::<5>();
    }

    fn goes_on<const N: usize>() {
        let mut ring = Ring::<N>::new();
        let before = Ring::<N>::END - 2 * N as u64;
        ring.count = u32::try_from(before).unwrap();
        for n in 0..3 * N as u64 {
            ring.record(Event {
                time: Time::from_nanos(n),
                cpu: CpuId(0),
                kind: Kind::Tick,
            });
            let left: Vec<_> = ring.iter().map(|event| event.time.as_nanos()).collect();
            if let Some(oldest) = (n + 1).checked_sub(N as u64) {
                assert_eq!(left, (oldest..=n).collect::<Vec<_>>());
            }
            assert_eq!(ring.dropped(), before + n + 1 - N as u64);
            assert_eq!(ring.len(), N);
        }
        assert_eq!(ring.count, u32::try_from(N).unwrap());
    }
}
