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
//!
//! A stage may move many messages at once by itself, however short its period is. Such a burst would drive the
//! period to the shortest one for nothing. So a burst that is hardly smaller in half the period is
//! the stage's *own*, and takes the place of θ for as long as it goes on.
//!
//! > "If the problem is due to lack of a feasible schedule, the period controller could also respond by increasing
//! > the period" (3.4; the authors had not done it).
//!
//! Here, if that is asked for, a stage that had work all through its period and did not get its share has a period longer by an eighth next, if
//! the burst would not be above the threshold by that. In a rate monotonic order it comes later by that, and more of the others' periods end in its own: where these are many, less
//! of the CPU is lost to periods that do not fit together.

use flyball_trace::Duration;

/// A period in which the share was not to be had is followed by one that is an eighth longer.
const MISSED: u64 = 8;

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
    /// Whether a period in which the share was not to be had is followed by a longer one.
    pub answers_missed: bool,
}

impl Periods {
    /// The paper's figures, and for what it does not say (the growth and the longest) those that are derived here.
    pub const PAPER: Periods = Periods {
        threshold: 1 << 15,
        growth: Duration::from_millis(1),
        start: Duration::from_millis(100),
        shortest: Duration::from_millis(25),
        longest: Duration::from_millis(500),
        answers_missed: false,
    };
}

/// The state of the controller of one stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Period {
    /// The period, from now on.
    pub length: Duration,
    /// The burst that the stage has by itself, in 2⁻¹⁶ of a queue; zero: none is known.
    own: u32,
    /// While the period is being shortened: the burst that it began with, and how long the period was then.
    before: u32,
    from: Duration,
}

impl Period {
    /// A stage whose period is this, to begin with.
    pub fn of(length: Duration) -> Period {
        Period {
            length,
            ..Period::default()
        }
    }

    /// A period has ended, in which a queue has swung by `burst`, in 2⁻¹⁶ of its capacity. `has_missed`: the stage has not
    /// got its share, though it could have used it.
    pub fn step(&mut self, periods: &Periods, burst: u32, has_missed: bool) {
        let limit = self.own.max(periods.threshold);
        if burst <= periods.threshold {
            // Fading, as there may be such a burst now and then only.
            self.own -= self.own / 8;
        }
        if burst <= limit {
            self.before = 0;
            let is_held = u64::from(burst) * (MISSED + 1) <= u64::from(limit) * MISSED;
            let more = Duration::from_nanos(self.length.as_nanos() / MISSED);
            self.length += if periods.answers_missed && has_missed && is_held {
                periods.growth.max(more)
            } else {
                periods.growth
            };
        } else if self.before > 0 && self.is_in_vain(burst) {
            (self.own, self.before) = (burst, 0);
        } else {
            if self.before == 0 {
                (self.before, self.from) = (burst, self.length);
            }
            self.length = scaled(self.length, limit, burst);
        }
        self.length = self.length.clamp(periods.shortest, periods.longest);
    }

    /// The period is half as long as it was, or shorter, and the burst is still seven eighths of what it was, or more.
    fn is_in_vain(&self, burst: u32) -> bool {
        let is_halved = self.length.as_nanos() * 2 <= self.from.as_nanos();
        is_halved && burst >= self.before - self.before / 8
    }
}

/// `time` · `part` ÷ `whole`, of which the first is the smaller one.
fn scaled(time: Duration, part: u32, whole: u32) -> Duration {
    // Periods are below 4.29 s.
    let nanos = time.as_nanos().min(u32::MAX.into());
    Duration::from_nanos(nanos * u64::from(part) / u64::from(whole.max(1)))
}
