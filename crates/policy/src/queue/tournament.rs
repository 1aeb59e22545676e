//! Which CPU is next: the earliest of some instants, one for each CPU of a cluster.
//!
//! A knock-out tournament. Each leaf is an instant, and each row above has the earlier of two:
//!
//! ```text
//!   row 1                3
//!   rows 2, 3       5         3
//!   rows 4 to 7   5   9     7   3      leaves: CPUs 0, 1, 2, 3
//! ```
//!
//! To change one is a climb to the root, at most O(log n), that ends where nothing changes any
//! more; the earliest is at hand; and the CPUs that are due are found by rising number, at O(log n)
//! each. A heap would find it in an order of its own, and a row of instants that is looked through
//! costs O(n) an event.

use flyball_trace::{CpuId, Time};

/// An instant for each of so many CPUs.
pub(crate) struct Tournament {
    /// A power of two, at most 128.
    leaves: u8,
    /// As many as a `u8` has values, so that no bounds are checked; the first `2 * leaves` are
    /// used.
    rows: Box<[Time; 256]>,
}

impl Tournament {
    /// For `count` CPUs, at most 128, on none of which anything is ever due.
    pub(crate) fn new(count: usize) -> Tournament {
        Tournament {
            leaves: u8::try_from(count.next_power_of_two()).map_or(128, |leaves| leaves.min(128)),
            rows: Box::new([Time::NEVER; 256]),
        }
    }

    #[inline]
    fn row(&self, row: u8) -> Time {
        self.rows[usize::from(row)]
    }

    /// The earliest instant; [`Time::NEVER`]: there is none. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Time {
        self.row(1)
    }

    /// The instant of a CPU.
    #[inline]
    pub(crate) fn at(&self, cpu: CpuId) -> Time {
        self.row(self.leaves | cpu.0)
    }

    /// Sets the instant of a CPU. O(log CPUs).
    #[inline]
    pub(crate) fn set(&mut self, cpu: CpuId, at: Time) {
        let mut row = self.leaves | cpu.0;
        let mut winner = at;
        while self.row(row) != winner {
            self.rows[usize::from(row)] = winner;
            if row == 1 {
                break;
            }
            winner = winner.min(self.row(row ^ 1));
            row /= 2;
        }
    }

    /// The first CPU from `from` on whose instant has come by `now`. O(log CPUs).
    #[inline]
    pub(crate) fn due(&self, from: CpuId, now: Time) -> Option<CpuId> {
        if from.0 >= self.leaves {
            return None;
        }
        // Up, as long as no CPU below is due, and to the next neighbour on the right …
        let mut row = if from.0 == 0 { 1 } else { self.leaves | from.0 };
        while self.row(row) > now {
            // (A row of ones is the last on its level.)
            let neighbour = row.wrapping_add(1);
            if row & neighbour == 0 {
                return None;
            }
            row = neighbour;
            row >>= row.trailing_zeros();
        }
        // … and down to the first that is.
        while row < self.leaves {
            row *= 2;
            row += u8::from(self.row(row) > now);
        }
        Some(CpuId(row ^ self.leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_search_finds(
            count in prop_oneof![1..20_usize, 100..=128_usize],
            steps in proptest::collection::vec((0..128_usize, 0..8_u64), 0..60),
            now in 0..8_u64,
        ) {
            let cpu = |number: usize| CpuId(u8::try_from(number).unwrap());
            let mut tournament = Tournament::new(count);
            let mut model = vec![Time::NEVER; count];
            for (number, at) in steps {
                let (number, at) = (number % count, Time::from_nanos(at));
                tournament.set(cpu(number), at);
                model[number] = at;
                prop_assert_eq!(Some(tournament.first()), model.iter().copied().min());
                prop_assert_eq!(tournament.at(cpu(number)), at);
            }
            let now = Time::from_nanos(now);
            for from in 0..=count {
                let due = (from..count).find(|&number| model[number] <= now);
                prop_assert_eq!(tournament.due(cpu(from), now), due.map(cpu));
            }
        }
    }
}
