//! Parts of a CPU: what tasks ask for, and what operating points hold.

use crate::encode::Encode;
use crate::group::MOST_GROUPS;
use crate::policy::{Excess, Refused};
use flyball_trace::{Duration, Speed};

/// A whole CPU, in the parts that are summed up.
const ONE: u64 = 1 << 32;

/// The operating points of a CPU, as parts of the highest frequency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Points {
    /// Rounded down: how large a sum each point holds.
    holds: [u64; MOST_GROUPS],
    /// Rounded up: how much of a CPU at the fastest point is used there.
    uses: [u64; MOST_GROUPS],
    count: u8,
}

impl Points {
    /// The points of these frequencies in hertz. `None` if there are none or more than [`MOST_GROUPS`], one does not rise, or
    /// one is zero or above 10^12. For configuration: it divides numbers of 128 bits.
    pub fn new(hertz: &[u64]) -> Option<Points> {
        let fits = (1..=MOST_GROUPS).contains(&hertz.len()) && hertz.is_sorted_by(|a, b| a < b);
        let &fastest = hertz.last().filter(|&&last| last <= 1_000_000_000_000)?;
        if !fits || hertz.contains(&0) {
            return None;
        }
        let mut points = Points {
            holds: [ONE; MOST_GROUPS],
            uses: [ONE; MOST_GROUPS],
            count: u8::try_from(hertz.len()).ok()?,
        };
        let rows = points.holds.iter_mut().zip(&mut points.uses).zip(hertz);
        for ((holds, uses), &hertz) in rows {
            let (part, whole) = (u128::from(hertz) << 32, u128::from(fastest));
            *holds = u64::try_from(part / whole).ok()?;
            *uses = u64::try_from(part.div_ceil(whole)).ok()?;
        }
        Some(points)
    }

    /// The fastest point.
    #[inline]
    pub const fn fastest(&self) -> Speed {
        Speed(self.count - 1)
    }

    /// The slowest point that holds this sum, or the fastest. O(points).
    #[inline]
    pub(super) fn slowest(&self, sum: u64) -> Speed {
        let mut speed = Speed(0);
        while speed < self.fastest() && self.holds[speed.index() % MOST_GROUPS] < sum {
            speed.0 += 1;
        }
        speed
    }

    /// How long what took `time` at `speed` takes at most at the fastest point; rounded up.
    #[inline]
    pub(super) fn capacity(&self, speed: Speed, time: Duration) -> Duration {
        let (uses, nanos) = (self.uses[speed.index() % MOST_GROUPS], time.as_nanos());
        // `uses` is at most 2^32, so no product is beyond 64 bits.
        let (high, low) = (nanos >> 32, nanos & (ONE - 1));
        Duration::from_nanos(high * uses + (low * uses).div_ceil(ONE))
    }
}

impl Encode for Points {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.count.emit(put);
        for (holds, uses) in self.holds.iter().zip(&self.uses) {
            (*holds, *uses).emit(put);
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Points> {
        let mut points = Points {
            holds: [ONE; MOST_GROUPS],
            uses: [ONE; MOST_GROUPS],
            count: Encode::parse(bytes)?,
        };
        for (holds, uses) in points.holds.iter_mut().zip(&mut points.uses) {
            (*holds, *uses) = Encode::parse(bytes)?;
        }
        let fits = (1..=MOST_GROUPS).contains(&usize::from(points.count))
            && points.uses.iter().all(|&uses| uses <= ONE);
        fits.then_some(points)
    }
}

/// What tasks ask for together: worst-case execution time ÷ window of each, rounded down. So a sum that is taken for at
/// most the whole CPU may be larger by 2^-32 for each task, or by three times as much where windows are longer than 4.3 s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admission {
    asked: u64,
    /// Whether all is admitted.
    is_open: bool,
}

impl Admission {
    /// No task asks for anything. With one point all tasks are admitted.
    pub const fn new(points: &Points) -> Admission {
        Admission {
            asked: 0,
            is_open: points.count == 1,
        }
    }

    /// A task has another execution time and window than before; without a window it asks for nothing. O(1).
    ///
    /// # Errors
    /// [`Refused::Overload`] with what is beyond the CPU, if the task asks for more than before; nothing has changed then.
    pub fn change(
        &mut self,
        before: (Duration, Duration),
        after: (Duration, Duration),
    ) -> Result<(), Refused> {
        let [less, more] = [before, after].map(|(wcet, window)| part_down(wcet, window));
        let asked = self.asked - less + more;
        let (wcet, window) = after;
        let excess = if self.is_open || window.is_zero() {
            None
        } else if wcet > window {
            Some(Excess::of(wcet, window))
        } else {
            let [asked, one] = [asked, ONE].map(Duration::from_nanos);
            (more > less && asked > one).then(|| Excess::of(asked, one))
        };
        if let Some(excess) = excess {
            return Err(Refused::Overload { excess });
        }
        self.asked = asked;
        Ok(())
    }

    /// An execution time that is admitted in this window, and almost the longest.
    pub fn left(&self, window: Duration) -> Duration {
        let (left, nanos) = (ONE.saturating_sub(self.asked), window.as_nanos());
        let (high, low) = (nanos >> 32, nanos & (ONE - 1));
        Duration::from_nanos(high * left + ((low * left) >> 32))
    }
}

/// By how many bits times are shifted, so that a window has 32.
const fn shift(window: u64) -> u32 {
    (u64::BITS - window.leading_zeros()).saturating_sub(32)
}

/// time ÷ window, rounded up, at most [`ONE`]; 0 if there is no window.
pub(super) fn part_up(time: Duration, window: Duration) -> u64 {
    let (time, window) = (time.as_nanos(), window.as_nanos());
    let shift = shift(window);
    let is_cut = u64::from(time & ((1 << shift) - 1) != 0);
    let (time, window) = ((time >> shift) + is_cut, window >> shift);
    match window {
        0 => 0,
        _ if time >= window => ONE,
        _ => (time << 32).div_ceil(window),
    }
}

/// time ÷ window, rounded down, at most [`ONE`]; 0 if there is no window.
fn part_down(time: Duration, window: Duration) -> u64 {
    let (time, window) = (time.as_nanos(), window.as_nanos());
    let shift = shift(window);
    let is_cut = u64::from(window & ((1 << shift) - 1) != 0);
    let (part, whole) = (time >> shift, (window >> shift) + is_cut);
    match window {
        0 => 0,
        _ if time >= window => ONE,
        _ => (part << 32) / whole,
    }
}
