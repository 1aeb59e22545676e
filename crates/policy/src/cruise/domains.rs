//! Frequency domains: which operating point fits which rates.

use crate::counts::Counts;
use crate::encode::Encode;
use crate::group::MOST_GROUPS;
use flyball_trace::Speed;

/// How often a task asks memory and executes instructions, as if it ran at the fastest point. Both are parts of
/// [`Rates::ONE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rates {
    /// Requests to memory per cycle, of the most that there can be: one each
    /// [latency](Domains::latency). It is the part of the time in which the CPU waits.
    pub requests: u32,
    /// Instructions per cycle, of one.
    pub instructions: u32,
}

impl Rates {
    /// One.
    pub const ONE: u32 = 1 << 24;
}

/// The slowest operating point for each pair of rates at which work takes at most so much longer than at the
/// fastest one.
///
/// The source of process cruise control has a matrix that was measured: a row for each interval of requests
/// per cycle, a column for each of instructions per cycle. Here the cells are computed, by the model that
/// memory takes the same time at any frequency: work that waits for memory for a part μ of its time at
/// f_max takes (1 − μ) · f_max / f + μ times as long at f. This is at most 1 + loss where
///
/// ```text
/// μ : (1 − μ)  ≥  (f_max / f − 1) / loss − 1
/// ```
///
/// and μ : (1 − μ) is requests · latency : instructions. So domains meet at straight lines through the
/// origin, and the matrix is a number a point, without an error of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domains {
    /// The right hand side for each point, rounded up to 2^-16; [`NEVER`]: the loss is always too large.
    least: [u32; MOST_GROUPS],
    /// How many cycles more a request takes at the fastest point.
    more: [u16; MOST_GROUPS],
    /// How long a request takes, in cycles of the fastest point.
    latency: u16,
    count: u8,
}

/// A task that executes any instruction is slowed down by too much.
const NEVER: u32 = u32::MAX;

/// A number of cycles has at most so many bits when rates are made of it.
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
        let mut domains = Domains {
            least: [0; MOST_GROUPS],
            more: [0; MOST_GROUPS],
            latency,
            count: u8::try_from(hertz.len()).ok()?,
        };
        let rows = domains.least.iter_mut().zip(&mut domains.more).zip(hertz);
        for ((least, more), &hertz) in rows {
            if hertz == 0 {
                return None;
            }
            let slower = u128::from(fastest - hertz) * MILLION;
            let allowed = u128::from(hertz) * u128::from(loss);
            *least = match (slower.saturating_sub(allowed) << 16).checked_div(allowed) {
                _ if slower <= allowed => 0,
                // Up to the next.
                Some(least) => u32::try_from(least + 1).unwrap_or(NEVER),
                None => NEVER,
            };
            // Below the latency.
            let request = u128::from(latency) * u128::from(hertz) / u128::from(fastest);
            *more = latency - u16::try_from(request).ok()?;
        }
        Some(domains)
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

    /// The rates of a task of which so much was counted at `speed`, as if it had run at the fastest point: a
    /// request took fewer cycles there than it would take here. `None` where there were too few cycles, or more
    /// than a counter has numbers. O(1), with two divisions of 32 bits.
    #[inline]
    pub fn rates(&self, counts: &Counts, speed: Speed) -> Option<Rates> {
        if counts.cycles < Domains::FEWEST || !counts.is_exact() {
            return None;
        }
        // The same part of each, so that no product is beyond 32 bits: there are at most as many requests as
        // cycles, and a request has at most 2^11 cycles.
        let shift = (u32::BITS - BITS).saturating_sub(counts.cycles.leading_zeros());
        let cycles = counts.cycles >> shift;
        let requests = (counts.requests() >> shift).min(cycles);
        let instructions = counts.instructions >> shift;
        let more = self.more[speed.index() % MOST_GROUPS];
        let cycles = cycles + requests * u32::from(more);
        let waiting = requests * u32::from(self.latency);
        Some(Rates {
            requests: part(waiting, cycles),
            // Up, and by what averages are rounded down: a task is never judged too slow.
            instructions: part(instructions, cycles) + (2 << 8),
        })
    }

    /// Fewer cycles say nothing of a task.
    pub const FEWEST: u32 = 256;

    /// The slowest point that fits these rates. O(points), without a division.
    #[inline]
    pub fn slowest(&self, rates: Rates) -> Speed {
        let mut speed = Speed(0);
        while speed < self.fastest() && !self.fits(rates, speed) {
            speed.0 += 1;
        }
        speed
    }

    /// Whether work at these rates does not lose too much at `speed`.
    #[inline]
    pub fn fits(&self, rates: Rates, speed: Speed) -> bool {
        let least = self.least[speed.index() % MOST_GROUPS];
        // Of 25 and 32 bits.
        u64::from(rates.requests) << 16 >= u64::from(rates.instructions) * u64::from(least)
    }
}

/// `events / cycles`, of at most one, as a part of [`Rates::ONE`] rounded down to 2^-16. `cycles` is not zero.
#[inline]
fn part(events: u32, cycles: u32) -> u32 {
    if events >= cycles {
        return Rates::ONE;
    }
    let shift = cycles.leading_zeros();
    // The divisor has its 16 upper bits, of which the first is set.
    let part = (events << shift) / (cycles << shift >> 16);
    part.min(1 << 16) << 8
}

impl Encode for Domains {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.count, self.latency).emit(put);
        for (least, more) in self.least.iter().zip(&self.more) {
            (*least, *more).emit(put);
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Domains> {
        let (count, latency) = <(u8, u16)>::parse(bytes)?;
        let mut domains = Domains {
            least: [0; MOST_GROUPS],
            more: [0; MOST_GROUPS],
            latency,
            count,
        };
        for (least, more) in domains.least.iter_mut().zip(&mut domains.more) {
            (*least, *more) = Encode::parse(bytes)?;
        }
        let fits = (1..=MOST_GROUPS).contains(&usize::from(count))
            && (1..=Domains::MOST_LATENCY).contains(&latency)
            && domains.more.iter().all(|&more| more <= latency);
        fits.then_some(domains)
    }
}
