//! What operating points were used, and what energy that took.

use core::fmt;
use core::iter::Sum;
use core::ops::AddAssign;
use flyball_model::{Power, Powers, Share, Speeds};
use flyball_trace::{Duration, Speed, TaskId};

/// An energy, in femtojoules: a microwatt for a nanosecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Energy(u128);

/// How the operating points of all CPUs were used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpeedUse {
    /// Each CPU.
    pub cpus: Vec<CpuSpeeds>,
    /// The energy of each task that has computed, by rising number; empty if powers are not known.
    pub tasks: Vec<TaskEnergy>,
}

/// How one CPU used its operating points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CpuSpeeds {
    /// How often it went over to another point.
    pub adjustments: u64,
    /// How long that took, all together.
    pub changing: Duration,
    /// How long it was at each point, the slowest first, idle or not. While it goes over to another one
    /// it is at the faster one of the two.
    pub at: Vec<Duration>,
    /// The energy of the kernel's work, changes of speed among it; `None`: powers are not known.
    pub kernel: Option<Energy>,
    /// The energy of idling.
    pub idle: Option<Energy>,
}

/// The energy of a task's computations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskEnergy {
    /// The task, as the set numbers it.
    pub task: TaskId,
    /// Its energy.
    pub energy: Energy,
}

impl Energy {
    /// What it takes to compute for so long, of which `stalls` says which part is spent on memory at
    /// the fastest point. Rounded down to femtojoules.
    pub(crate) fn of(
        speeds: &Speeds,
        power: &Powers,
        speed: Speed,
        stalls: Share,
        time: Duration,
    ) -> Energy {
        let point = speed.index();
        let microwatts = |powers: &[Power]| powers.get(point).map_or(0, |it| it.as_microwatts());
        // Time at this point is (1 - stalls) * f_max / f + stalls times that at the fastest one, and
        // waits for memory for the second part of the sum.
        let (over, _) = speeds.slowdown(speed, stalls).fraction();
        let frequency = speeds.frequency(speed).as_hertz();
        let waiting = u64::from(stalls.millionths()) * frequency;
        let energy = |power: u64, part: u64| {
            // Below 2^64 * 2^40; and parts are below 2^60.
            let all = u128::from(time.as_nanos()) * u128::from(power);
            let (over, part) = (u128::from(over), u128::from(part));
            all / over * part + all % over * part / over
        };
        let computing = energy(microwatts(&power.computing), over - waiting);
        Energy(computing + energy(microwatts(&power.stalled), waiting))
    }

    /// What it takes to idle for so long.
    pub(crate) fn idle(power: &Powers, time: Duration) -> Energy {
        Energy(u128::from(time.as_nanos()) * u128::from(power.idle.as_microwatts()))
    }

    /// Which part of `all` this is, in millionths, rounded down; 0 if that is nothing.
    pub fn part_ppm(self, all: Energy) -> u64 {
        let millionths = self.0.saturating_mul(1_000_000).checked_div(all.0);
        millionths
            .and_then(|ppm| u64::try_from(ppm).ok())
            .unwrap_or(0)
    }

    /// In microjoules, rounded down.
    pub fn microjoules(self) -> u128 {
        self.0 / 1_000_000_000
    }

    /// In joules.
    pub fn joules(self) -> f64 {
        // A figure for people: 53 bits of it are more than enough.
        #[expect(clippy::cast_precision_loss)]
        let femtojoules = self.0 as f64;
        femtojoules / 1e15
    }
}

impl SpeedUse {
    /// How often CPUs went over to another point.
    pub fn adjustments(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.adjustments).sum()
    }

    /// The energy of all tasks and of the kernel, without that of idling, and with it; `None` if powers
    /// are not known.
    pub fn energy(&self) -> Option<(Energy, Energy)> {
        let sum = |of: fn(&CpuSpeeds) -> Option<Energy>| self.cpus.iter().map(of).sum();
        let (kernel, idle): (Option<Energy>, Option<Energy>) =
            (sum(|cpu| cpu.kernel), sum(|cpu| cpu.idle));
        let tasks: Energy = self.tasks.iter().map(|task| task.energy).sum();
        let busy: Energy = [kernel?, tasks].into_iter().sum();
        Some((busy, [busy, idle?].into_iter().sum()))
    }

    /// The energy of a task; zero if it has not computed, or powers are not known. O(log tasks).
    pub fn of_task(&self, task: TaskId) -> Energy {
        let found = self.tasks.binary_search_by_key(&task, |it| it.task);
        found.map_or(Energy::default(), |at| self.tasks[at].energy)
    }

    /// The same of several clusters together.
    pub(crate) fn join(mut self, other: SpeedUse) -> SpeedUse {
        self.cpus.extend(other.cpus);
        self.tasks.extend(other.tasks);
        self.tasks.sort_by_key(|task| task.task);
        self
    }
}

impl AddAssign for Energy {
    fn add_assign(&mut self, other: Energy) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl Sum for Energy {
    fn sum<I: Iterator<Item = Energy>>(energies: I) -> Energy {
        energies.fold(Energy::default(), |mut sum, energy| {
            sum += energy;
            sum
        })
    }
}

/// In joules, or the unit below of which it is at least one, with four digits.
impl fmt::Display for Energy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            ("kJ", 1e3),
            ("J", 1.0),
            ("mJ", 1e-3),
            ("uJ", 1e-6),
            ("nJ", 1e-9),
        ];
        let joules = self.joules();
        let unit = units.iter().find(|unit| joules >= unit.1);
        let (name, size) = unit.copied().unwrap_or(("nJ", 1e-9));
        let number = joules / size;
        let places = match number {
            number if number >= 1000.0 => 0,
            number if number >= 100.0 => 1,
            number if number >= 10.0 => 2,
            _ => 3,
        };
        write!(f, "{number:.places$} {name}")
    }
}
