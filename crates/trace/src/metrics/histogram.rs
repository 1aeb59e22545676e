//! How often there were values of some size.
//!
//! As in G. Tene's *HdrHistogram* with two significant digits: below 256 each value has an interval of its own, and from
//! there on each power of two has 128 of the same width. So an interval is never wider than a 128th of its values, and
//! the one that a value is in is found by a shift.
//!
//! ```text
//!   interval    0  …  255 | 256 … 383 | 384 … 511 | 512 …
//!   width          1      |     2     |     4     |  8
//! ```

/// The intervals of a power of two.
const HALF: usize = 1 << HALF_BITS;
const HALF_BITS: u32 = 7;

/// How many values there were in each interval; the largest number stands for all larger ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    /// As far as there were values.
    counts: Vec<u32>,
}

impl Histogram {
    /// Takes one value. O(1), unless it is the largest so far.
    #[inline]
    pub(super) fn add(&mut self, value: u64) {
        let at = interval(value);
        if at >= self.counts.len() {
            self.grow(at);
        }
        self.counts[at] = self.counts[at].saturating_add(1);
    }

    /// Makes room for the whole power of two, as larger values are likely to come.
    #[cold]
    fn grow(&mut self, at: usize) {
        self.counts.resize((at / HALF + 1) * HALF, 0);
    }

    /// Each interval with values, by rising number: the largest value that belongs there, and how many there were.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate();
        let some = counts.filter(|&(_, &count)| count > 0);
        some.map(|(at, &count)| (largest(at), u64::from(count)))
    }
}

/// The interval of a value.
#[inline]
fn interval(value: u64) -> usize {
    // Bits beyond the first eight.
    let shift = (value | (2 * HALF as u64 - 1)).ilog2() - HALF_BITS;
    // Below 256.
    let upper = usize::try_from(value >> shift).unwrap_or(0);
    shift as usize * HALF + upper
}

/// The largest value in an interval.
fn largest(at: usize) -> u64 {
    let shift = (at / HALF).saturating_sub(1);
    let upper = (at - shift * HALF) as u64;
    (upper << shift) | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_follow_each_other() {
        assert_eq!(interval(0), 0);
        assert_eq!(interval(u64::MAX), 58 * HALF - 1);
        for at in 0..58 * HALF {
            assert_eq!(interval(largest(at)), at);
            if let Some(next) = largest(at).checked_add(1) {
                assert_eq!(interval(next), at + 1);
            }
        }
        // As HdrHistogram has them.
        let value = |value| largest(interval(value));
        assert_eq!(
            [255, 256, 257, 511, 512].map(value),
            [255, 257, 257, 511, 515]
        );
        assert_eq!(value(1_000_000), 1_003_519);
    }

    proptest! {
        #[test]
        fn counts_each_value(values in proptest::collection::vec((0..64_u32, any::<u64>()), 0..40)) {
            let values = values.into_iter().map(|(bits, value)| value >> bits);
            let mut values: Vec<u64> = values.collect();
            let mut histogram = Histogram::default();
            for &value in &values {
                histogram.add(value);
            }
            values.sort_unstable();
            let repeated = |(value, count)| std::iter::repeat_n(value, usize::try_from(count).unwrap_or(0));
            let seen: Vec<u64> = histogram.iter().flat_map(repeated).collect();
            prop_assert_eq!(seen.len(), values.len());
            for (seen, value) in seen.into_iter().zip(values) {
                prop_assert!(seen >= value && seen - value <= value / 128);
            }
        }
    }
}
