//! What simulations of many sets add up to.

/// Exact sums of a number over many sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// How many sets there are.
    pub sets: u32,
    /// The sum over them.
    pub sum: u128,
    /// The least of a set.
    pub least: u64,
    /// The most of a set.
    pub most: u64,
    /// In how many sets it is not zero.
    pub not_zero: u32,
    /// The sum of the squares.
    squares: u128,
    /// The sum of the products with the jobs that were released.
    products: u128,
}

/// A mean, or a ratio of sums.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    /// Its value.
    pub value: f64,
    /// Between what it is with about 95 % confidence; `None` of fewer than two sets.
    pub interval: Option<[f64; 2]>,
}

/// 97.5 % of a normal distribution are below so many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

impl Totals {
    /// Adds a set, in whose simulations so many jobs were released.
    pub(crate) fn add(&mut self, number: u64, released: u64) {
        let (wide, jobs) = (u128::from(number), u128::from(released));
        self.least = if self.sets == 0 {
            number
        } else {
            self.least.min(number)
        };
        self.most = self.most.max(number);
        self.sets += 1;
        self.not_zero += u32::from(number > 0);
        self.sum = self.sum.saturating_add(wide);
        self.squares = self.squares.saturating_add(wide * wide);
        self.products = self.products.saturating_add(wide * jobs);
    }

    /// Adds the sets of another.
    pub(crate) fn join(&mut self, other: &Totals) {
        if other.sets == 0 {
            return;
        }
        self.least = if self.sets == 0 {
            other.least
        } else {
            self.least.min(other.least)
        };
        self.most = self.most.max(other.most);
        self.sets += other.sets;
        self.not_zero += other.not_zero;
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
        self.products = self.products.saturating_add(other.products);
    }

    /// The mean of a set; `None` of no sets. Its interval is that of a normal distribution,
    /// ±1.96 s/√n, and too narrow where there are few sets or some sets have most of the sum.
    pub fn mean(&self) -> Option<Mean> {
        let sets = f64::from(self.sets);
        self.over([sets, sets, wide(self.sum)])
    }

    /// How many there are for each job that was released, of which `released` has the sums of the
    /// same sets; `None` of no jobs. Its interval is that of a ratio of two means (Cochran,
    /// "Sampling techniques", 3rd edition, 1977, section 2.11).
    pub fn per_job(&self, released: &Totals) -> Option<Mean> {
        self.over([
            wide(released.sum),
            wide(released.squares),
            wide(self.products),
        ])
    }

    /// The sum over that of x, where the sums of x, of its squares and of its products with this
    /// are known: r = Σy/Σx, and the variance Σ(y − rx)²/(n − 1)/n of r times the mean of x.
    fn over(&self, [x, squares, products]: [f64; 3]) -> Option<Mean> {
        if self.sets == 0 || x <= 0.0 {
            return None;
        }
        let sets = f64::from(self.sets);
        let value = wide(self.sum) / x;
        let around = wide(self.squares) - 2.0 * value * products + value * value * squares;
        let interval = (self.sets > 1).then(|| {
            let variance = around.max(0.0) / (sets - 1.0) / sets;
            let off = Z * libm::sqrt(variance) * sets / x;
            [(value - off).max(0.0), value + off]
        });
        Some(Mean { value, interval })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn wide(sum: u128) -> f64 {
    sum as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(numbers: &[(u64, u64)]) -> [Totals; 2] {
        let mut both = [Totals::default(); 2];
        for &(number, released) in numbers {
            both[0].add(number, released);
            both[1].add(released, released);
        }
        both
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
    }

    /// By hand: 2, 4 and 9 have the mean 5 and the variance 13, so ±1.959964 · √(13/3).
    #[test]
    fn a_mean_has_the_interval_of_its_standard_error() {
        let [found, _] = totals(&[(2, 1), (4, 1), (9, 1)]);
        let mean = found.mean().unwrap();
        near(mean.value, 5.0);
        let [low, high] = mean.interval.unwrap();
        near(5.0 - low, 4.079_990);
        near(high - 5.0, 4.079_990);
        assert_eq!((found.least, found.most, found.not_zero), (2, 9, 3));
        assert_eq!(totals(&[]).map(|it| it.mean()), [None, None]);
        assert_eq!(totals(&[(3, 1)])[0].mean().unwrap().interval, None);
    }

    /// By hand: of (1, 10), (2, 10) and (6, 40) the ratio is 9/60 = 0.15, what is left is −0.5, 0.5
    /// and 0, the variance 0.25, and so the interval ±1.959964 · √(0.25/3)/20.
    #[test]
    fn a_ratio_has_the_interval_of_what_is_left() {
        let [found, released] = totals(&[(1, 10), (2, 10), (6, 40)]);
        let ratio = found.per_job(&released).unwrap();
        near(ratio.value, 0.15);
        let [low, high] = ratio.interval.unwrap();
        near(high - 0.15, 0.028_290);
        near(0.15 - low, 0.028_290);
        let jobs = released.per_job(&released).unwrap();
        near(jobs.value, 1.0);
        near(jobs.interval.unwrap()[1], 1.0);
    }

    #[test]
    fn sums_of_parts_are_those_of_the_whole() {
        let all = [(3, 5), (0, 2), (7, 9), (1, 1)];
        for cut in 0..=all.len() {
            let (mut one, other) = (totals(&all[..cut]), totals(&all[cut..]));
            one[0].join(&other[0]);
            one[1].join(&other[1]);
            assert_eq!(one, totals(&all));
        }
    }
}
