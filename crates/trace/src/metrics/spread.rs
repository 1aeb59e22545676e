//! How a length of time was spread.

use crate::Duration;
use hdrhistogram::Histogram;

/// How a length of time was spread: exact least, largest and mean, and a histogram.
#[derive(Clone, Debug)]
pub struct Spread {
    count: u64,
    min: Duration,
    max: Duration,
    sum: u128,
    /// Of the squares of nanoseconds.
    squares: u128,
    /// Two significant digits, in nanoseconds. Made when the first value comes.
    histogram: Option<Histogram<u32>>,
}

impl Default for Spread {
    fn default() -> Spread {
        Spread {
            count: 0,
            min: Duration::MAX,
            max: Duration::ZERO,
            sum: 0,
            squares: 0,
            histogram: None,
        }
    }
}

impl Spread {
    /// Takes one value.
    pub fn add(&mut self, value: Duration) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let nanos = u128::from(value.as_nanos());
        self.sum += nanos;
        self.squares = self.squares.saturating_add(nanos * nanos);
        if self.histogram.is_none() {
            self.histogram = Histogram::new(2).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.auto(true);
            // A histogram that grows by itself takes every value.
            let _ = histogram.record(value.as_nanos());
        }
    }

    /// How many values there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least value.
    pub fn min(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then_some(self.max)
    }

    /// The sum of all values, in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.sum
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

    /// The largest value less the least.
    pub fn jitter(&self) -> Option<Duration> {
        Some(self.max()?.saturating_sub(self.min()?))
    }

    /// The value that `percent` of a hundred values are not above, by nearest rank: of n values in
    /// rising order that with the number ⌈n · `percent` / 100⌉, from 1. It is read from the
    /// histogram, so it is never too small, and less than 1 % too large.
    pub fn percentile(&self, percent: u8) -> Option<Duration> {
        let rank = u128::from(self.count) * u128::from(percent);
        let rank = u64::try_from(rank.div_ceil(100)).unwrap_or(self.count);
        let mut counted = 0;
        let steps = self.histogram.iter().flat_map(Histogram::iter_recorded);
        let mut reached = steps.filter_map(|step| {
            counted += step.count_since_last_iteration();
            (counted >= rank.max(1)).then(|| step.value_iterated_to())
        });
        let value = Duration::from_nanos(reached.next()?);
        Some(value.clamp(self.min, self.max))
    }

    /// How many values lay in each of `bins` equal intervals from zero to `end`; values beyond
    /// count to the last one. Exact to two significant digits.
    pub fn bins(&self, bins: usize, end: Duration) -> Vec<u64> {
        let mut counts = vec![0; bins];
        let width = u128::from(end.as_nanos()).max(1);
        let Some(last) = bins.checked_sub(1) else {
            return counts;
        };
        for step in self.histogram.iter().flat_map(Histogram::iter_recorded) {
            // The end of the histogram's own interval, but no value that cannot have occurred.
            let value = step
                .value_iterated_to()
                .clamp(self.min.as_nanos(), self.max.as_nanos());
            let bin = u128::from(value) * bins as u128 / width;
            let bin = usize::try_from(bin).map_or(last, |bin| bin.min(last));
            counts[bin] += step.count_since_last_iteration();
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use crate::Duration;
    use proptest::prelude::*;

    proptest! {
        /// As computed from all of them.
        #[test]
        #[expect(clippy::cast_precision_loss, reason = "all of them are below 2⁵²")]
        fn the_deviation_is_that_of_all_values(values in proptest::collection::vec(0_u64..1_000_000_000, 1..50)) {
            let mut spread = Spread::default();
            prop_assert_eq!(spread.deviation(), None);
            values.iter().copied().map(Duration::from_nanos).for_each(|value| spread.add(value));
            let count = values.len() as f64;
            let mean = values.iter().sum::<u64>() as f64 / count;
            let squares = values.iter().map(|&value| (value as f64 - mean).powi(2)).sum::<f64>();
            let found = spread.deviation().map(|it| it.as_nanos() as f64);
            prop_assert!(found.is_some_and(|found| (found - (squares / count).sqrt()).abs() <= 1.5));
        }
    }
}
