//! Samples, and what is said of them.
//!
//! A process on a desktop is interrupted: by the clock of the operating system, by devices, and a
//! virtual machine by its host as well. A sample in which that happened is an *outlier*, and it is
//! recognised by its length: **more than ten times the median, and more than 1 µs above it**. (An
//! interrupt and the way back from it take about a microsecond at least, and nothing that is
//! measured here is ten times as long as it usually is without one.) Outliers are counted and
//! reported. They are in the mean, the quantiles and the worst case; only [`Summary::mean_without`]
//! leaves them out, and says so.

/// Samples of one quantity, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f32>);

/// What is said of samples, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Summary {
    /// How many samples there are.
    pub count: usize,
    /// The mean of all samples.
    pub mean: f64,
    /// The standard deviation of all samples.
    pub deviation: f64,
    /// Half of the samples are not above it.
    pub median: f64,
    /// 99.9 % of the samples are not above it.
    pub p999: f64,
    /// The largest sample.
    pub worst: f64,
    /// How many samples are outliers.
    pub outliers: usize,
    /// The mean of the others.
    pub mean_without: f64,
}

/// An outlier is more than this many times the median …
pub const TIMES: f64 = 10.0;

/// … and more than this above it, in nanoseconds.
pub const ABOVE: f64 = 1_000.0;

/// What an outlier is, for people.
pub const RULE: &str = "more than 10 times the median, and more than 1 µs above it";

impl Samples {
    /// No samples, with room for so many.
    pub fn with_capacity(samples: usize) -> Samples {
        Samples(Vec::with_capacity(samples))
    }

    /// One more. What is below zero, because to read the clock took less than it usually does, is
    /// zero.
    #[inline]
    pub fn push(&mut self, nanoseconds: f64) {
        // Seven digits are more than a clock gives.
        #[expect(clippy::cast_possible_truncation, reason = "see above")]
        self.0.push(nanoseconds.max(0.0) as f32);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is said of them; nothing but zeros of no samples. O(n log n).
    pub fn summary(mut self) -> Summary {
        if self.0.is_empty() {
            return Summary::default();
        }
        self.0.sort_unstable_by(f32::total_cmp);
        let all = self.0.iter().map(|&sample| f64::from(sample));
        let mean = mean(all.clone());
        let median = self.quantile(500);
        let bound = (median * TIMES).max(median + ABOVE);
        let within = self.0.partition_point(|&sample| f64::from(sample) <= bound);
        Summary {
            count: self.0.len(),
            mean,
            deviation: self::mean(all.clone().map(|sample| (sample - mean).powi(2))).sqrt(),
            median,
            p999: self.quantile(999),
            worst: self.quantile(1000),
            outliers: self.0.len() - within,
            mean_without: self::mean(all.take(within)),
        }
    }

    /// The smallest sample that `thousandths` of all are not above. They are sorted, and there are
    /// some.
    fn quantile(&self, thousandths: usize) -> f64 {
        let rank = (self.0.len() * thousandths).div_ceil(1000);
        f64::from(self.0[rank.max(1) - 1])
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody takes so many samples that their number is rounded"
)]
fn mean(samples: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = samples.fold((0.0, 0_usize), |(sum, count), sample| {
        (sum + sample, count + 1)
    });
    if count == 0 { 0.0 } else { sum / count as f64 }
}
