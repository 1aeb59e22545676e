//! The operating points of a CPU: at which frequencies it can run, what a change costs, and how much
//! power it takes at each.

use crate::share::Share;
use crate::taskset::Task;
use core::fmt;
use flyball_trace::{Duration, Speed};

/// Most operating points of a platform.
pub const MOST_SPEEDS: usize = 8;

/// The operating points of a platform's CPUs, the slowest first. Each CPU has a point of its own, unless it
/// shares its clock.
/// Execution times in a task set are those of the fastest point, at which CPUs start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Speeds {
    /// The frequency of each point, rising; 1 to [`MOST_SPEEDS`].
    frequencies: Vec<Frequency>,
    /// How long a change takes: a row for each point to leave, a column for each to reach. Zero from
    /// a point to itself.
    transition: Vec<Vec<Duration>>,
    /// What power a CPU takes, if that is known.
    power: Option<Powers>,
    /// The part of the kernel's own work in which it waits for memory.
    kernel_stalls: Share,
    /// The CPUs of each clock that several share, by rising number.
    clocks: Vec<Vec<u8>>,
}

/// What power a CPU takes at each operating point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Powers {
    /// While it computes; one for each point.
    pub computing: Vec<Power>,
    /// While it waits for memory; one for each point.
    pub stalled: Vec<Power>,
    /// While it idles, at any point.
    pub idle: Power,
}

/// A frequency in hertz, from 1 Hz to [`Frequency::MOST`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Frequency(u64);

/// A power in microwatts, up to [`Power::MOST`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Power(u64);

/// How much longer something takes at an operating point than at the fastest one: a fraction, at
/// least 1, of numbers below 2^60.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slowdown {
    over: u64,
    under: u64,
}

impl Frequency {
    /// 1 THz.
    pub const MOST: Frequency = Frequency(1_000_000_000_000);

    /// So many hertz; `None` for zero and above [`Frequency::MOST`].
    pub const fn hertz(hertz: u64) -> Option<Frequency> {
        if hertz == 0 || hertz > Frequency::MOST.0 {
            return None;
        }
        Some(Frequency(hertz))
    }

    /// How many hertz it is.
    pub const fn as_hertz(self) -> u64 {
        self.0
    }

    /// How long so many cycles take, rounded up to nanoseconds; the longest time if that is beyond it.
    pub fn time_of(self, cycles: u64) -> Duration {
        let nanos = (u128::from(cycles) * 1_000_000_000).div_ceil(u128::from(self.0));
        u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos)
    }
}

impl Power {
    /// 1 MW.
    pub const MOST: Power = Power(1_000_000_000_000);

    /// So many microwatts; `None` above [`Power::MOST`].
    pub const fn microwatts(microwatts: u64) -> Option<Power> {
        if microwatts > Power::MOST.0 {
            return None;
        }
        Some(Power(microwatts))
    }

    /// How many microwatts it is.
    pub const fn as_microwatts(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_units(
            f,
            self.0,
            &[
                (1_000_000_000, "GHz"),
                (1_000_000, "MHz"),
                (1_000, "kHz"),
                (1, "Hz"),
            ],
        )
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_units(f, self.0, &[(1_000_000, "W"), (1_000, "mW"), (1, "uW")])
    }
}

/// Writes a number in the largest unit of which it is at least one, with all of its digits.
fn in_units(f: &mut fmt::Formatter<'_>, number: u64, units: &[(u64, &str)]) -> fmt::Result {
    let fits = |unit: &&(u64, &str)| number >= unit.0;
    let Some((unit, name)) = units.iter().find(fits).or(units.last()) else {
        return write!(f, "{number}");
    };
    let (whole, part) = (number / unit, number % unit);
    write!(f, "{whole}")?;
    if part > 0 {
        // `unit` is a power of ten.
        let places = unit.ilog10() as usize;
        write!(f, ".{}", format!("{part:0places$}").trim_end_matches('0'))?;
    }
    f.write_str(name)
}

impl Speeds {
    /// The points of these frequencies. The table of transitions has a row and a column for each of
    /// them, and so have the lists of powers. `None` if there are none or more than [`MOST_SPEEDS`],
    /// frequencies do not rise, numbers differ, or staying at a point takes time.
    pub fn new(
        frequencies: Vec<Frequency>,
        transition: Vec<Vec<Duration>>,
        power: Option<Powers>,
    ) -> Option<Speeds> {
        let count = frequencies.len();
        let is_square =
            transition.len() == count && transition.iter().all(|row| row.len() == count);
        let has_powers = power
            .as_ref()
            .is_none_or(|power| power.computing.len() == count && power.stalled.len() == count);
        let fits = (1..=MOST_SPEEDS).contains(&count)
            && frequencies.is_sorted_by(|a, b| a < b)
            && is_square
            && has_powers
            && transition
                .iter()
                .enumerate()
                .all(|(point, row)| row[point].is_zero());
        fits.then_some(Speeds {
            frequencies,
            transition,
            power,
            kernel_stalls: Share::default(),
            clocks: Vec::new(),
        })
    }

    /// The same points, where the CPUs of each of these lists have one clock: it runs at the fastest of the points
    /// that they ask for. A CPU that is in several lists belongs to the first. Other CPUs have a clock each.
    #[must_use]
    pub fn with_clocks(self, clocks: impl IntoIterator<Item = Vec<u8>>) -> Speeds {
        let mut kept: Vec<Vec<u8>> = Vec::new();
        for mut cpus in clocks {
            cpus.retain(|cpu| !kept.iter().any(|clock| clock.contains(cpu)));
            cpus.sort_unstable();
            cpus.dedup();
            if cpus.len() > 1 {
                kept.push(cpus);
            }
        }
        Speeds {
            clocks: kept,
            ..self
        }
    }

    /// The CPUs of each clock that several share.
    pub fn clocks(&self) -> &[Vec<u8>] {
        &self.clocks
    }

    /// The same points, where the kernel waits for memory in this part of its own work, which takes no
    /// longer at a slower point. Without it the kernel never waits.
    #[must_use]
    pub fn with_kernel_stalls(self, kernel_stalls: Share) -> Speeds {
        Speeds {
            kernel_stalls,
            ..self
        }
    }

    /// The part of the kernel's own work in which it waits for memory.
    pub fn kernel_stalls(&self) -> Share {
        self.kernel_stalls
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        self.frequencies.len()
    }

    /// All frequencies, rising.
    pub fn frequencies(&self) -> &[Frequency] {
        &self.frequencies
    }

    /// The table of transitions: rows from, columns to.
    pub fn transitions(&self) -> &[Vec<Duration>] {
        &self.transition
    }

    /// What power a CPU takes, if that is known.
    pub fn power(&self) -> Option<&Powers> {
        self.power.as_ref()
    }

    /// The fastest point, at which CPUs start.
    pub fn fastest(&self) -> Speed {
        // There are 1 to 8.
        #[expect(clippy::cast_possible_truncation)]
        Speed((self.count() - 1) as u8)
    }

    /// The point at which a task is to run.
    pub fn of(&self, task: &Task) -> Speed {
        task.speed.unwrap_or(self.fastest())
    }

    /// This point, or the fastest one if there is none of that number.
    fn index(&self, speed: Speed) -> usize {
        usize::from(speed.0).min(self.count() - 1)
    }

    /// The frequency of a point.
    pub fn frequency(&self, speed: Speed) -> Frequency {
        self.frequencies[self.index(speed)]
    }

    /// How long it takes to go from one point to another.
    pub fn transition(&self, from: Speed, to: Speed) -> Duration {
        self.transition[self.index(from)][self.index(to)]
    }

    /// How much longer a computation takes at a point which waits for memory for `stalls` of its time
    /// at the fastest one. Memory does not get slower with the CPU: (1 − μ) · f_max / f + μ.
    pub fn slowdown(&self, speed: Speed, stalls: Share) -> Slowdown {
        let fastest = self.frequency(self.fastest()).0;
        let frequency = self.frequency(speed).0;
        let whole = u64::from(Share::ONE.millionths());
        let stalled = u64::from(stalls.millionths());
        // A million times a frequency, up to 10^18, is below 2^60.
        Slowdown {
            over: (whole - stalled) * fastest + stalled * frequency,
            under: whole * frequency,
        }
    }
}

impl Slowdown {
    /// None at all.
    pub const NONE: Slowdown = Slowdown { over: 1, under: 1 };

    /// The fraction's upper and lower number; the lower one is not zero.
    pub const fn fraction(self) -> (u64, u64) {
        (self.over, self.under)
    }

    /// How long something takes that takes so long at the fastest point; rounded up to nanoseconds, the
    /// longest time if that is beyond it.
    pub fn stretch(self, time: Duration) -> Duration {
        if time == Duration::MAX {
            return time;
        }
        // Below 2^64 · 2^60.
        let nanos = u128::from(time.as_nanos()) * u128::from(self.over);
        let nanos = nanos.div_ceil(u128::from(self.under));
        u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points without transitions or powers.
    fn points(mhz: &[u64]) -> Speeds {
        let frequencies = mhz
            .iter()
            .filter_map(|mhz| Frequency::hertz(mhz * 1_000_000));
        let transition = vec![vec![Duration::ZERO; mhz.len()]; mhz.len()];
        Speeds::new(frequencies.collect(), transition, None).unwrap()
    }

    #[test]
    fn what_waits_for_memory_gets_little_slower() {
        let speeds = points(&[333, 733]);
        let ms = Duration::from_millis;
        let slowdown = |stalls| speeds.slowdown(Speed(0), Share::from_millionths(stalls));
        // What never waits takes 733/333 times as long.
        assert_eq!(slowdown(0).stretch(ms(333)), ms(733));
        assert_eq!(slowdown(1_000_000).stretch(ms(333)), ms(333));
        // 4 % at 333 MHz, as measured of memory-bound work (Weissel and Bellosa, CASES 2002), are
        // those of work that waits for 96.7 % of its time: 0.033 * 733/333 + 0.967 = 1.03964.
        let longer = slowdown(967_000).stretch(Duration::from_secs(1));
        assert_eq!(longer.as_nanos(), 1_039_639_640);
        assert_eq!(
            speeds.slowdown(Speed(1), Share::default()).stretch(ms(7)),
            ms(7)
        );
    }

    #[test]
    fn it_is_rounded_up_and_never_wraps() {
        let most = Frequency::MOST.as_hertz();
        let frequencies = [1, most].into_iter().filter_map(Frequency::hertz);
        let speeds = Speeds::new(
            frequencies.collect(),
            vec![vec![Duration::ZERO; 2]; 2],
            None,
        );
        let slowest = speeds.unwrap().slowdown(Speed(0), Share::default());
        let nanos = Duration::from_nanos;
        assert_eq!(slowest.stretch(nanos(1)), nanos(most));
        assert_eq!(slowest.stretch(nanos(u64::MAX - 1)), Duration::MAX);
        assert_eq!(
            points(&[2, 3])
                .slowdown(Speed(0), Share::default())
                .stretch(nanos(1)),
            nanos(2)
        );
    }

    #[test]
    fn cycles_are_rounded_up() {
        let frequency = Frequency::hertz(104_000_000).unwrap();
        // 1000 / 104 MHz = 9615.4 ns.
        assert_eq!(frequency.time_of(1_000), Duration::from_nanos(9_616));
        assert_eq!(frequency.time_of(u64::MAX), Duration::MAX);
    }

    #[test]
    fn numbers_are_shown_with_all_of_their_digits() {
        let shown = |hertz| Frequency::hertz(hertz).unwrap().to_string();
        assert_eq!(shown(1_500_000_000), "1.5GHz");
        assert_eq!(shown(104_000_000), "104MHz");
        assert_eq!(shown(104_000_001), "104.000001MHz");
        assert_eq!(shown(7), "7Hz");
        assert_eq!(Power(1_220_000).to_string(), "1.22W");
        assert_eq!(Power(0).to_string(), "0uW");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let frequencies = || vec![Frequency(1), Frequency(2)];
        let us = Duration::from_micros;
        let square = || vec![vec![us(0), us(1)], vec![us(1), us(0)]];
        assert!(Speeds::new(frequencies(), square(), None).is_some());
        assert!(Speeds::new(vec![Frequency(2), Frequency(2)], square(), None).is_none());
        assert!(Speeds::new(frequencies(), square()[..1].to_vec(), None).is_none());
        assert!(Speeds::new(frequencies(), vec![vec![us(1); 2]; 2], None).is_none());
        assert!(Speeds::new(Vec::new(), Vec::new(), None).is_none());
        let powers = Powers {
            computing: vec![Power(1)],
            stalled: vec![Power(1); 2],
            idle: Power(0),
        };
        assert!(Speeds::new(frequencies(), square(), Some(powers)).is_none());
    }
}
