//! How long the period of a stage is: the controller of periods (paper, section 4).
//!
//! A stage with a share of the CPU gets it in pieces, one in each period: the longer the period, the fewer switches,
//! and the further its queues swing. So the best period is the longest whose *burst*, the swing of a queue in a
//! period as a part of its capacity, the queues can hold: θ, half of a queue.
//!
//! > "When burst size exceeds a threshold, we decrease the period relative to the burst size"; otherwise it is
//! > increased by a constant: fast down, and slowly up.
//!
//! The paper says neither the law of the decrease nor the constant. Here: T ← T·θ ÷ burst, and T ← T + 1 ms.

use flyball_trace::Duration;

/// How periods are controlled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Periods {
    /// The burst that queues can hold (θ), in 2⁻¹⁶ of a queue: half a queue. Not zero.
    pub threshold: u32,
    /// By how much a period grows: 1 ms.
    pub growth: Duration,
    /// The period to begin with: 100 ms.
    pub start: Duration,
    /// The shortest period: 25 ms, which is more than two intervals of the controller. Not zero.
    pub shortest: Duration,
    /// The longest period: 500 ms; not shorter than the shortest, and below 4.29 s.
    pub longest: Duration,
}

impl Periods {
    /// The paper's figures, and for what it does not say (the growth and the longest) those that are derived here.
    pub const PAPER: Periods = Periods {
        threshold: 1 << 15,
        growth: Duration::from_millis(1),
        start: Duration::from_millis(100),
        shortest: Duration::from_millis(25),
        longest: Duration::from_millis(500),
    };

    /// The period after one of this length in which a queue has swung by `burst` (in 2⁻¹⁶ of its capacity).
    pub fn next(&self, period: Duration, burst: u32) -> Duration {
        let next = if burst > self.threshold {
            let product = u128::from(period.as_nanos()) * u128::from(self.threshold);
            let nanos = u64::try_from(product / u128::from(burst));
            // Smaller than the period.
            nanos.map_or(period, Duration::from_nanos)
        } else {
            period + self.growth
        };
        next.clamp(self.shortest, self.longest)
    }
}
