//! Who is next: the earliest of some instants, one for each of a fixed number of things.
//!
//! A knock-out tournament. Each leaf is an instant, and each row above has the earlier of two:
//!
//! ```text
//!   row 1                3
//!   rows 2, 3       5         3
//!   rows 4 to 7   5   9     7   3      leaves: things 0, 1, 2, 3
//! ```
//!
//! To change one is a climb to the root, at most O(log n), that ends where nothing changes any more;
//! the earliest is at hand; and who is due is found by rising number, at O(log n) each. A heap would
//! find it in an order of its own, and a row of instants that is looked through costs O(n) an event.

use flyball_trace::Time;

/// One instant each for so many things, which are known by their numbers from 0.
pub(crate) struct Tournament {
    leaves: usize,
    rows: Box<[Time]>,
}

impl Tournament {
    /// For `count` things, none of which is ever due.
    pub(crate) fn new(count: usize) -> Tournament {
        let leaves = count.next_power_of_two();
        Tournament {
            leaves,
            rows: vec![Time::NEVER; 2 * leaves].into(),
        }
    }

    /// The earliest instant; [`Time::NEVER`]: there is none. O(1).
    #[inline]
    pub(crate) fn first(&self) -> Time {
        self.rows[1]
    }

    /// The instant of a thing.
    #[inline]
    pub(crate) fn at(&self, number: usize) -> Time {
        self.rows[self.leaves + number]
    }

    /// Sets the instant of a thing. O(log n).
    #[inline]
    pub(crate) fn set(&mut self, number: usize, at: Time) {
        let mut row = self.leaves + number;
        let mut winner = at;
        self.rows[row] = at;
        while row > 1 {
            winner = winner.min(self.rows[row ^ 1]);
            row /= 2;
            if self.rows[row] == winner {
                break;
            }
            self.rows[row] = winner;
        }
    }

    /// The first thing from number `from` on whose instant has come by `now`. O(log n).
    #[inline]
    pub(crate) fn due(&self, from: usize, now: Time) -> Option<usize> {
        if from >= self.leaves || self.first() > now {
            return None;
        }
        // Up, as long as nobody below is due, and to the next neighbour on the right …
        let mut row = self.leaves + from;
        while self.rows[row] > now {
            while row % 2 == 1 {
                row /= 2;
                if row <= 1 {
                    return None;
                }
            }
            row += 1;
        }
        // … and down to the first who is.
        while row < self.leaves {
            row *= 2;
            row += usize::from(self.rows[row] > now);
        }
        Some(row - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_search_finds(
            count in 1..20_usize,
            steps in proptest::collection::vec((0..20_usize, 0..8_u64), 0..60),
            now in 0..8_u64,
        ) {
            let mut tournament = Tournament::new(count);
            let mut model = vec![Time::NEVER; count];
            for (number, at) in steps {
                let (number, at) = (number % count, Time::from_nanos(at));
                tournament.set(number, at);
                model[number] = at;
                prop_assert_eq!(Some(tournament.first()), model.iter().copied().min());
                prop_assert_eq!(tournament.at(number), at);
            }
            let now = Time::from_nanos(now);
            for from in 0..=count {
                let due = (from..count).find(|&number| model[number] <= now);
                prop_assert_eq!(tournament.due(from, now), due);
            }
        }
    }
}
