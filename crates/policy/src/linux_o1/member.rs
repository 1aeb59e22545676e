//! What the scheduler knows of a task.

use super::rules::{LinuxRules, LinuxVersion, MAX_BONUS, is_interactive};
use super::task::{LEVELS, LinuxTask, NICE_0};
use crate::order::{Level, Priority};
use flyball_trace::Time;

/// How a task that waits for the CPU was woken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// It has not been woken since it ran last.
    No,
    /// By another task.
    ByTask,
    /// By an interrupt: the clock, or a device.
    ByInterrupt,
}

/// What the scheduler knows of a task.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub(super) is_admitted: bool,
    /// Whether it has been ready already.
    pub(super) has_begun: bool,
    pub(super) task: LinuxTask,
    /// The level by its own doing.
    pub(super) level: u8,
    /// The level that it inherits; [`LEVELS`]: none.
    pub(super) inherited: u8,
    pub(super) woken: Woken,
    /// The interactive credit of 2.6.8, from −101 to 101.
    pub(super) credit: i8,
    /// What is left of its time slice, in ticks.
    pub(super) slice: u32,
    /// The average of sleep, in nanoseconds.
    pub(super) sleep: u64,
    /// When it began to run, stopped, or became ready.
    pub(super) since: Time,
}

/// More credit than this is high, and less than its negative is low.
const CREDIT_LIMIT: i8 = 100;

impl Member {
    pub(super) const NONE: Member = Member {
        is_admitted: false,
        has_begun: false,
        task: LinuxTask::normal(NICE_0),
        level: LEVELS - 1,
        inherited: LEVELS,
        woken: Woken::No,
        credit: 0,
        slice: 0,
        sleep: 0,
        since: Time::ZERO,
    };

    /// The level that counts.
    #[inline]
    pub(super) fn key(&self) -> Level {
        Priority(u8::MAX - self.level.min(self.inherited)).into()
    }

    pub(super) fn inherits(&self) -> bool {
        self.inherited < LEVELS
    }

    pub(super) fn is_interactive(&self) -> bool {
        is_interactive(self.task, self.level)
    }

    /// Its level is by its average of sleep again.
    pub(super) fn rank(&mut self, rules: LinuxRules) {
        if self.task.is_normal() {
            self.level = rules.level(self.task, self.sleep);
        }
    }

    /// Raises the average of sleep for so many nanoseconds of sleep, or of waiting for the CPU. The level
    /// follows.
    pub(super) fn slept(&mut self, rules: LinuxRules, nanos: u64) {
        if nanos > 0 {
            self.gain(rules, nanos.min(rules.most_sleep_nanos()));
        }
        self.rank(rules);
    }

    fn gain(&mut self, rules: LinuxRules, nanos: u64) {
        if nanos > rules.interactive_sleep_nanos(self.task) {
            self.sleep = rules.idle_sleep_nanos();
            return self.earn(rules);
        }
        let factor = MAX_BONUS - rules.bonus(self.sleep);
        let mut gain = nanos * u64::from(factor.max(1));
        if self.credit < -CREDIT_LIMIT {
            gain = gain.min(u64::from(rules.slice(self.task)) * rules.tick());
        }
        self.sleep += gain;
        let most = rules.most_sleep_nanos();
        if self.sleep > most {
            self.sleep = most;
            self.earn(rules);
        }
    }

    /// Lowers the average of sleep for so many nanoseconds of running. The level stays.
    pub(super) fn ran(&mut self, rules: LinuxRules, nanos: u64) {
        let mut loss = nanos.min(rules.most_sleep_nanos());
        let has_credit = rules.version == LinuxVersion::V2_6_8;
        if !has_credit || self.credit > CREDIT_LIMIT {
            loss /= u64::from(rules.bonus(self.sleep).max(1));
        }
        self.sleep = self.sleep.saturating_sub(loss);
        if has_credit
            && self.sleep == 0
            && self.credit.unsigned_abs() <= CREDIT_LIMIT.unsigned_abs()
        {
            self.credit -= 1;
        }
    }

    fn earn(&mut self, rules: LinuxRules) {
        if rules.version == LinuxVersion::V2_6_8 && self.credit <= CREDIT_LIMIT {
            self.credit += 1;
        }
    }
}
