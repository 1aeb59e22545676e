//! What comes first: the earliest of some instants, one for each of so many numbers, be they tasks or CPUs.
//!
//! A knock-out tournament. Each leaf is an instant, and each row above has the earlier of two:
//!
//! ```text
//!   row 1                3
//!   rows 2, 3       5         3
//!   rows 4 to 7   5   9     7   3      leaves: numbers 0, 1, 2, 3
//! ```
//!
//! To change one is a climb to the root, at most O(log n), that ends where nothing changes any
//! more; the earliest is at hand; and those that are due are found by rising number, at O(log n)
//! each. A heap finds them in an order of its own, and a row of instants that is looked through
//! costs O(n) an event.

use crate::storage::{Storage, Table};
use flyball_trace::Time;

/// An instant for each of so many numbers.
pub struct Tournament<S: Storage> {
    /// Row 1 is the root, the rows behind it are the levels below, and the second half are the leaves.
    rows: S::Table<Time>,
}

impl<S: Storage> Tournament<S> {
    /// For the numbers below `count`, none of which is ever due. Its tables are slices whose length is known when
    /// the program runs, or [`Nothing`](crate::Nothing).
    pub fn new(count: usize) -> Self {
        Tournament {
            rows: Table::new(2 * count.next_power_of_two(), Time::NEVER),
        }
    }

    /// Whether there is one: not in a storage without rows.
    #[inline]
    pub fn exists(&self) -> bool {
        self.rows.capacity() > 0
    }

    #[inline]
    fn leaves(&self) -> usize {
        self.rows.capacity() / 2
    }

    /// The earliest instant; [`Time::NEVER`]: there is none. O(1).
    #[inline]
    pub fn first(&self) -> Time {
        self.rows[1]
    }

    /// The instant of a number.
    #[inline]
    pub fn at(&self, number: usize) -> Time {
        self.rows[self.leaves() + number]
    }

    /// Sets the instant of a number. Returns whether the earliest is another one now. O(log n).
    #[inline]
    pub fn set(&mut self, number: usize, at: Time) -> bool {
        let mut row = self.leaves() + number;
        let mut winner = at;
        let rows = self.rows.as_mut_slice();
        while rows[row] != winner {
            rows[row] = winner;
            if row == 1 {
                return true;
            }
            winner = winner.min(rows[row ^ 1]);
            row /= 2;
        }
        false
    }

    /// The first number from `from` on whose instant has come by `now`. O(log n).
    #[inline]
    pub fn due(&self, from: usize, now: Time) -> Option<usize> {
        let leaves = self.leaves();
        if from >= leaves {
            return None;
        }
        // Up, as long as no number below is due, and to the next neighbour on the right …
        let mut row = if from == 0 { 1 } else { leaves + from };
        while self.rows[row] > now {
            // (A row of ones is the last on its level.)
            let neighbour = row + 1;
            if row & neighbour == 0 {
                return None;
            }
            row = neighbour;
            row >>= row.trailing_zeros();
        }
        // … and down to the first that is.
        while row < leaves {
            row *= 2;
            row += usize::from(self.rows[row] > now);
        }
        Some(row - leaves)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::Boxed;
    use proptest::prelude::*;
    use std::vec;

    proptest! {
        #[test]
        fn finds_what_a_search_finds(
            count in prop_oneof![1..20_usize, 100..=128_usize],
            steps in proptest::collection::vec((0..128_usize, 0..8_u64), 0..60),
            now in 0..8_u64,
        ) {
            let mut tournament = Tournament::<Boxed>::new(count);
            let mut model = vec![Time::NEVER; count];
            for (number, at) in steps {
                let (number, at) = (number % count, Time::from_nanos(at));
                let first = tournament.first();
                let moved = tournament.set(number, at);
                model[number] = at;
                prop_assert_eq!(Some(tournament.first()), model.iter().copied().min());
                prop_assert_eq!(tournament.at(number), at);
                prop_assert_eq!(moved, tournament.first() != first);
            }
            let now = Time::from_nanos(now);
            for from in 0..=count {
                let due = (from..count).find(|&number| model[number] <= now);
                prop_assert_eq!(tournament.due(from, now), due);
            }
        }
    }
}
