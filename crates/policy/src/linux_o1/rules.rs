//! The numbers of Linux's scheduler: time slices, priorities, and what is interactive.
//!
//! Times are in ticks here, as in Linux, where a tick is a *jiffy*. All divisions round towards zero.

use super::task::{FIRST_NORMAL, LEVELS, LinuxTask, NICE_0};
use crate::encode::Encode;

/// The best bonus, and the number of steps in which the average of sleep is taken.
pub(super) const MAX_BONUS: u32 = 10;
/// By how much more than its nice value says a task has to be better to be interactive.
const INTERACTIVE_DELTA: i32 = 2;

/// Which Linux it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LinuxVersion {
    /// 2.6.8, which Finster describes: slices from 10 to 200 ms, and the interactive credit.
    V2_6_8,
    /// 2.6.11, which Finster measured: slices from 5 to 800 ms, and no credit.
    #[default]
    V2_6_11,
}

/// Which Linux it is, and how often it ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinuxRules {
    /// The version of the kernel.
    pub version: LinuxVersion,
    /// Ticks a second, within [`LinuxRules::HZ`]. The policy takes the nearest one there for any other.
    pub hz: u32,
}

impl Default for LinuxRules {
    fn default() -> LinuxRules {
        LinuxRules {
            version: LinuxVersion::default(),
            hz: 100,
        }
    }
}

impl LinuxRules {
    /// How often Linux may tick in a second. With less than 100 the shortest slice of 2.6.8 would have
    /// no tick.
    pub const HZ: core::ops::RangeInclusive<u32> = 100..=10_000;

    /// So many milliseconds in ticks.
    const fn ticks(self, milliseconds: u32) -> u32 {
        milliseconds * self.hz / 1000
    }

    /// The length of a tick in nanoseconds.
    pub(super) const fn tick(self) -> u64 {
        1_000_000_000 / self.hz as u64
    }

    /// The time slice of a task, in ticks.
    pub const fn slice(self, task: LinuxTask) -> u32 {
        // From 1 to 40: the larger, the more urgent.
        let rank = (LEVELS - task.static_level()) as u32;
        match self.version {
            LinuxVersion::V2_6_8 => {
                let (min, max) = (self.ticks(10), self.ticks(200));
                min + (max - min) * (rank - 1) / 39
            }
            LinuxVersion::V2_6_11 => {
                let whole = if task.nice < 0 { 400 } else { 100 };
                let (slice, min) = (self.ticks(whole) * rank / 20, self.ticks(5));
                if slice > min {
                    slice
                } else if min > 0 {
                    min
                } else {
                    1
                }
            }
        }
    }

    /// The time slice of a task of nice value 0, in ticks.
    const fn usual_slice(self) -> u32 {
        self.slice(LinuxTask::normal(NICE_0))
    }

    /// The longest average of sleep, in ticks.
    pub(super) const fn most_sleep(self) -> u32 {
        self.usual_slice() * MAX_BONUS
    }

    /// The same in nanoseconds.
    pub(super) const fn most_sleep_nanos(self) -> u64 {
        self.most_sleep() as u64 * self.tick()
    }

    /// The average of sleep, in nanoseconds, of a task that has slept for long.
    pub(super) const fn idle_sleep_nanos(self) -> u64 {
        (self.most_sleep() - self.usual_slice()) as u64 * self.tick()
    }

    /// The bonus for this average of sleep in nanoseconds, from 0 to 10; 5 is none, and less is a
    /// penalty.
    pub(super) fn bonus(self, sleep: u64) -> u32 {
        let ticks = u32::try_from(sleep / self.tick()).unwrap_or(u32::MAX);
        let most = self.most_sleep();
        ticks.min(most) * MAX_BONUS / most
    }

    /// The level of a normal task with this average of sleep in nanoseconds.
    pub(super) fn level(self, task: LinuxTask, sleep: u64) -> u8 {
        // Both are at most 10.
        #[expect(clippy::cast_possible_truncation)]
        let (bonus, none) = (self.bonus(sleep) as u8, (MAX_BONUS / 2) as u8);
        (task.static_level() + none - bonus).clamp(FIRST_NORMAL, LEVELS - 1)
    }

    /// A normal task that sleeps for longer than this, in nanoseconds, is taken to be idle.
    pub(super) fn interactive_sleep_nanos(self, task: LinuxTask) -> u64 {
        // From 3 to 12 tenths, so a number of ticks above zero.
        let tenths = (MAX_BONUS / 2 + 1).saturating_add_signed(delta(task));
        u64::from(self.most_sleep() * tenths / MAX_BONUS - 1) * self.tick()
    }

    /// After so many ticks of its slice an interactive task with this average of sleep in nanoseconds
    /// goes behind its equals.
    pub(super) fn granularity(self, sleep: u64) -> u32 {
        self.ticks(10) << (MAX_BONUS - self.bonus(sleep)).saturating_sub(1)
    }
}

/// Whether a normal task of this level is interactive.
pub(super) fn is_interactive(task: LinuxTask, level: u8) -> bool {
    i32::from(level) <= i32::from(task.static_level()) - delta(task)
}

/// From −3 to 6: by how many levels a normal task has to be better than its nice value says.
fn delta(task: LinuxTask) -> i32 {
    i32::from(task.nice) * 10 / 40 + INTERACTIVE_DELTA
}

impl Encode for LinuxRules {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let is_old = self.version == LinuxVersion::V2_6_8;
        (is_old, self.hz).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<LinuxRules> {
        let (is_old, hz) = <(bool, u32)>::parse(bytes)?;
        let version = if is_old {
            LinuxVersion::V2_6_8
        } else {
            LinuxVersion::V2_6_11
        };
        LinuxRules::HZ
            .contains(&hz)
            .then_some(LinuxRules { version, hz })
    }
}
