//! How evenly events follow each other.

use crate::{Duration, Time};

/// The time between two events that follow each other: how many, least, greatest, mean and standard deviation.
///
/// Exact in whole nanoseconds but for the last step of the deviation, for up to 2⁶⁴ intervals of up to 2³² s together. O(1) an event.
#[derive(Clone, Debug)]
pub struct Intervals {
    last: Option<Time>,
    count: u64,
    min: Duration,
    max: Duration,
    sum: u128,
    /// Of the squares of nanoseconds.
    squares: u128,
}

impl Default for Intervals {
    fn default() -> Intervals {
        Intervals {
            last: None,
            count: 0,
            min: Duration::MAX,
            max: Duration::ZERO,
            sum: 0,
            squares: 0,
        }
    }
}

impl Intervals {
    /// One more event, which is not earlier than the last.
    pub fn add(&mut self, now: Time) {
        if let Some(last) = self.last.replace(now) {
            let interval = now.since(last);
            let nanos = u128::from(interval.as_nanos());
            self.count += 1;
            self.min = self.min.min(interval);
            self.max = self.max.max(interval);
            self.sum += nanos;
            self.squares = self.squares.saturating_add(nanos * nanos);
        }
    }

    /// How many intervals there were: one less than events.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The shortest.
    pub fn min(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.min)
    }

    /// The longest.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean, rounded down to a nanosecond.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        u64::try_from(mean).ok().map(Duration::from_nanos)
    }

    /// The standard deviation, rounded down to a nanosecond: √(Σ(x − mean)² ÷ n).
    pub fn deviation(&self) -> Option<Duration> {
        let count = u128::from(self.count);
        let mean = self.sum.checked_div(count)?;
        // Σ(x − m)² = Σx² − 2m·Σx + n·m², which is at least zero for each m, and with m rounded down too large
        // by less than n.
        let twice = (2 * mean).saturating_mul(self.sum);
        let around = self
            .squares
            .saturating_add(count.saturating_mul(mean * mean));
        let variance = around.saturating_sub(twice) / count;
        u64::try_from(variance.isqrt())
            .ok()
            .map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::Intervals;
    use crate::{Duration, Time};
    use proptest::prelude::*;

    proptest! {
        /// As computed from all of them.
        #[test]
        #[expect(clippy::cast_precision_loss, reason = "all of them are below 2⁵²")]
        fn intervals_are_what_they_are(lengths in proptest::collection::vec(0_u64..1_000_000_000, 1..50)) {
            let mut intervals = Intervals::default();
            let mut now = Time::ZERO;
            intervals.add(now);
            prop_assert_eq!(intervals.deviation(), None);
            for &length in &lengths {
                now += Duration::from_nanos(length);
                intervals.add(now);
            }
            let count = lengths.len() as f64;
            let mean = lengths.iter().sum::<u64>() as f64 / count;
            let squares = lengths.iter().map(|&length| (length as f64 - mean).powi(2)).sum::<f64>();
            let deviation = (squares / count).sqrt();
            let near = |found: Option<Duration>, expected: f64| (found.unwrap().as_nanos() as f64 - expected).abs() <= 1.5;
            prop_assert_eq!(intervals.count(), lengths.len() as u64);
            prop_assert_eq!(intervals.min().unwrap().as_nanos(), *lengths.iter().min().unwrap());
            prop_assert_eq!(intervals.max().unwrap().as_nanos(), *lengths.iter().max().unwrap());
            prop_assert!(near(intervals.mean(), mean));
            prop_assert!(near(intervals.deviation(), deviation));
        }
    }
}
