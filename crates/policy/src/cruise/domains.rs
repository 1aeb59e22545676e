//! Frequency domains: which operating point fits which behaviour.

use crate::counts::Counts;
use crate::encode::Encode;
use crate::group::MOST_GROUPS;
use flyball_trace::Speed;

/// The part of its time at the fastest point in which a task computes, and does not wait for memory: a part of
/// [`Computing::ONE`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Computing(pub u32);

impl Computing {
    /// One.
    pub const ONE: u32 = 1 << 24;
}

/// The slowest operating point for each behaviour at which work takes at most so much longer than at the
/// fastest one.
///
/// The source of process cruise control has a matrix that was measured: a row for each interval of requests
/// per cycle, a column for each of instructions per cycle. Here it is computed, by the model that
/// memory takes the same time at any frequency: work that computes for the part c of its time at f_max takes
/// 1 + c · (f_max / f − 1) times as long at f. This is at most 1 + loss where
///
/// ```text
/// c  ≤  loss / (f_max / f − 1)
/// ```
///
/// and c is instructions / (instructions + requests · latency), at whatever point they were counted. So domains
/// meet at straight lines through the origin of the matrix, and it is a number a point, without an error of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domains {
    /// The right hand side for each point, rounded down; [`u32::MAX`] where any work loses little enough.
    most: [u32; MOST_GROUPS],
    /// How long a request takes, in cycles of the fastest point.
    latency: u16,
    count: u8,
}

/// A number of events has at most so many bits when a part is made of it.
const BITS: u32 = 20;

impl Domains {
    /// The longest request, in cycles of the fastest point.
    pub const MOST_LATENCY: u16 = 1 << 11;

    /// The domains of these frequencies in hertz, which rise, for requests of `latency` cycles of the
    /// fastest one. Work may take longer by `loss` millionths. `None` if there are no frequencies or more than
    /// [`MOST_GROUPS`], one does not rise or is above 10^12, or the latency is zero or above
    /// [`Domains::MOST_LATENCY`]. For configuration: it divides numbers of 128 bits.
    pub fn new(hertz: &[u64], latency: u16, loss: u32) -> Option<Domains> {
        const MILLION: u128 = 1_000_000;
        let fits = (1..=MOST_GROUPS).contains(&hertz.len())
            && hertz.is_sorted_by(|a, b| a < b)
            && (1..=Domains::MOST_LATENCY).contains(&latency);
        let &fastest = hertz
            .last()
            .filter(|&&last| fits && last <= 1_000_000_000_000)?;
        let mut most = [u32::MAX; MOST_GROUPS];
        for (most, &hertz) in most.iter_mut().zip(hertz) {
            if hertz == 0 {
                return None;
            }
            let slower = u128::from(fastest - hertz) * MILLION;
            let allowed = u128::from(hertz) * u128::from(loss);
            if allowed < slower {
                *most = u32::try_from(allowed * u128::from(Computing::ONE) / slower).ok()?;
            }
        }
        Some(Domains {
            most,
            latency,
            count: u8::try_from(hertz.len()).ok()?,
        })
    }

    /// How long a request to memory takes, in cycles of the fastest point.
    pub const fn latency(&self) -> u16 {
        self.latency
    }

    /// The fastest point.
    #[inline]
    pub const fn fastest(&self) -> Speed {
        Speed(self.count - 1)
    }

    /// How much a task computes of which so much was counted, rounded up. `None` where there were too few cycles,
    /// or more than a counter has numbers. O(1), with a division of 32 bits.
    #[inline]
    pub fn computing(&self, counts: &Counts) -> Option<Computing> {
        let requests = counts.requests();
        if counts.cycles < Domains::FEWEST || !counts.is_exact() {
            return None;
        }
        // The same part of each, so that no product is beyond 32 bits: a request has at most 2^11 cycles.
        let all = counts.instructions | requests;
        let shift = (u32::BITS - BITS).saturating_sub(all.leading_zeros());
        let instructions = counts.instructions >> shift;
        let time = instructions + (requests >> shift) * u32::from(self.latency);
        if time == 0 {
            return None;
        }
        // The divisor has its 16 upper bits, of which the first is set.
        let shift = time.leading_zeros();
        let part = (instructions << shift) / (time << shift >> 16);
        // By what averages are rounded down, and then some: a task is never judged too slow.
        Some(Computing((part.min(1 << 16) + 2) << 8))
    }

    /// Fewer cycles say nothing of a task.
    pub const FEWEST: u32 = 256;

    /// The slowest point that fits. O(points).
    #[inline]
    pub fn slowest(&self, computing: Computing) -> Speed {
        let mut speed = Speed(0);
        while speed < self.fastest() && !self.fits(computing, speed) {
            speed.0 += 1;
        }
        speed
    }

    /// Whether work does not lose too much at `speed`.
    #[inline]
    pub fn fits(&self, computing: Computing, speed: Speed) -> bool {
        computing.0 <= self.most[speed.index() % MOST_GROUPS]
    }
}

impl Encode for Domains {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.count, self.latency).emit(put);
        self.most.iter().for_each(|most| most.emit(put));
    }

    fn parse(bytes: &mut &[u8]) -> Option<Domains> {
        let (count, latency) = <(u8, u16)>::parse(bytes)?;
        let mut most = [0; MOST_GROUPS];
        for most in &mut most {
            *most = Encode::parse(bytes)?;
        }
        let fits = (1..=MOST_GROUPS).contains(&usize::from(count))
            && (1..=Domains::MOST_LATENCY).contains(&latency);
        fits.then_some(Domains {
            most,
            latency,
            count,
        })
    }
}
