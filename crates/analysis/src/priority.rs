//! Fixed priorities, given beside the tasks: a slice of [`Level`]s in the tasks' order.
//!
//! Equal levels are equal priorities. Where the priorities of a system must differ,
//! [`distinct`] breaks ties in favour of the task that comes first in the slice.

use crate::SporadicTask;
use core::cmp::Reverse;
use core::fmt;

/// A fixed priority: the larger, the more urgent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(pub u32);

/// The rate-monotonic levels: the shorter the period, the more urgent; equal periods share a
/// level. Optimal among fixed priorities for deadlines equal to the periods (Liu and Layland,
/// JACM 1973). O(n log n).
pub fn rate_monotonic(tasks: &[SporadicTask]) -> Vec<Level> {
    by_falling(tasks.iter().map(|task| Reverse(task.period())))
}

/// The deadline-monotonic levels: the shorter the relative deadline, the more urgent; equal
/// deadlines share a level. Optimal among fixed priorities for deadlines within the periods
/// (Leung and Whitehead, Performance Evaluation 1982), without jitter and blocking. O(n log n).
pub fn deadline_monotonic(tasks: &[SporadicTask]) -> Vec<Level> {
    by_falling(tasks.iter().map(|task| Reverse(task.deadline())))
}

/// The same order without ties: among equals, the one that comes first is the more urgent.
/// O(n log n).
pub fn distinct(levels: &[Level]) -> Vec<Level> {
    by_falling(
        levels
            .iter()
            .enumerate()
            .map(|(i, &level)| (level, Reverse(i))),
    )
}

/// Levels from keys of which the largest is the most urgent: equal keys get equal levels.
fn by_falling<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<Level> {
    let mut sorted: Vec<(K, usize)> = keys.zip(0..).collect();
    sorted.sort_unstable();
    let mut levels = vec![Level(0); sorted.len()];
    let mut level = 0;
    for (k, (key, index)) in sorted.iter().enumerate() {
        if k > 0 && sorted[k - 1].0 != *key {
            level += 1;
        }
        levels[*index] = Level(level);
    }
    levels
}

/// There are not as many levels as tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelMismatch {
    /// How many tasks there are.
    pub tasks: usize,
    /// How many levels there are.
    pub levels: usize,
}

impl fmt::Display for LevelMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} levels for {} tasks", self.levels, self.tasks)
    }
}

impl core::error::Error for LevelMismatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;

    #[test]
    fn orders() {
        let task = |t, d| {
            let ns = Duration::from_nanos;
            SporadicTask::new(ns(1), ns(t), ns(d)).unwrap()
        };
        let tasks = [task(20, 5), task(10, 10), task(20, 8)];
        assert_eq!(rate_monotonic(&tasks), [Level(0), Level(1), Level(0)]);
        assert_eq!(deadline_monotonic(&tasks), [Level(2), Level(0), Level(1)]);
        let ties = distinct(&rate_monotonic(&tasks));
        assert_eq!(ties, [Level(1), Level(2), Level(0)]);
    }
}
