//! How close to the edge? How much longer jobs may compute before a test says no.
//!
//! * The *breakdown utilisation*: all WCETs, and blocking with them, are scaled by one factor, as far
//!   as the test accepts (Lehoczky, Sha and Ding, RTSS 1989).
//! * The *slack* of a task: how much its WCET alone may grow (Vestal 1994; Bini, Di Natale and
//!   Buttazzo 2008), outside of critical sections: blocking times stay as they are.
//!
//! Both search by bisection, with any test. That relies on the test being *sustainable* in the
//! WCETs (Baruah and Burns 2006): what it accepts, it also accepts with smaller ones. The tests of one CPU are, and
//! dividing tasks among CPUs is not: a longer job may lead first fit to a better division. With a test that is not, the
//! result is still accepted and its successor still rejected, but there may be larger ones that are accepted, and smaller ones
//! that are not. A test that stops at a work
//! limit counts as a rejection; then the result is the largest that could be proven.
//!
//! Sets that ask for more than all CPUs are rejected without asking. Just below that, where a search
//! for the edge often ends, the exact tests take longest: give the test a small
//! [`WorkLimit`].
//!
//! Complexity: about log₂ of the result in runs of the test. [`fixed_priority_slacks`] does better
//! than asking for one slack after the other.

use crate::ranking::Ranking;
use crate::utilisation::overloaded;
use crate::{Level, LevelMismatch, SporadicTask, Utilisation, WorkLimit};
use core::fmt;
use flyball_trace::Duration;

/// A factor in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(u64);

impl Factor {
    /// Leaves as it is.
    pub const ONE: Factor = Factor(1_000_000);

    /// The factor of `ppm` millionths.
    pub const fn from_ppm(ppm: u64) -> Factor {
        Factor(ppm)
    }

    /// In millionths.
    pub const fn ppm(self) -> u64 {
        self.0
    }

    /// The tasks with their WCETs times this factor, rounded down, but at least 1 ns. Blocking grows
    /// along, rounded up: critical sections are parts of jobs. `None` if a time gets out of range.
    pub fn scale(self, tasks: &[SporadicTask]) -> Option<Vec<SporadicTask>> {
        let times = |length: Duration| u128::from(length.as_nanos()) * u128::from(self.0);
        let length = |ns: u128| u64::try_from(ns).ok().map(Duration::from_nanos);
        let scaled = |task: &SporadicTask| {
            let wcet = length((times(task.wcet()) / 1_000_000).max(1))?;
            let blocking = length(times(task.blocking()).div_ceil(1_000_000))?;
            task.with_wcet(wcet).ok()?.with_blocking(blocking).ok()
        };
        tasks.iter().map(scaled).collect()
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000))
    }
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where a task set breaks down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakdown {
    /// The largest factor for the WCETs with which the set still passes. Below one if it does not
    /// pass as it is.
    pub factor: Factor,
    /// The utilisation of the set with the WCETs scaled by it.
    pub utilisation: Utilisation,
}

/// Scales all WCETs by the same factor as far as `passes` accepts: see [`Factor::scale`].
///
/// `None` if it rejects even WCETs of 1 ns, or if there is no task.
pub fn breakdown(
    tasks: &[SporadicTask],
    passes: impl FnMut(&[SporadicTask]) -> bool,
) -> Option<Breakdown> {
    breakdown_on(1, tasks, passes)
}

/// The same on so many CPUs.
pub fn breakdown_on(
    cpus: u32,
    tasks: &[SporadicTask],
    mut passes: impl FnMut(&[SporadicTask]) -> bool,
) -> Option<Breakdown> {
    if tasks.is_empty() {
        return None;
    }
    let mut try_factor = |ppm| {
        let scaled = Factor(ppm).scale(tasks);
        scaled.is_some_and(|tasks| !demand_more_than(cpus, &tasks) && passes(&tasks))
    };
    let factor = Factor(largest(Factor::ONE.ppm(), u64::MAX, &mut try_factor)?);
    Some(Breakdown {
        factor,
        utilisation: Utilisation::of(&factor.scale(tasks)?),
    })
}

/// How much the WCET of the task at position `index` may grow so that `passes` still accepts the
/// set. `None` if it rejects the set as it is, or if there is no such task.
pub fn slack(
    tasks: &[SporadicTask],
    index: usize,
    passes: impl FnMut(&[SporadicTask]) -> bool,
) -> Option<Duration> {
    slack_on(1, tasks, index, passes)
}

/// The same on so many CPUs.
pub fn slack_on(
    cpus: u32,
    tasks: &[SporadicTask],
    index: usize,
    mut passes: impl FnMut(&[SporadicTask]) -> bool,
) -> Option<Duration> {
    let task = *tasks.get(index)?;
    let mut longer = tasks.to_vec();
    let room = task.t().saturating_sub(task.c());
    let growth = largest(room / 2, room, |growth| {
        let Some(grown) = grow(&task, growth) else {
            return false;
        };
        longer[index] = grown;
        !demand_more_than(cpus, &longer) && passes(&longer)
    });
    growth.map(Duration::from_nanos)
}

/// The [`slack`] of every task under fixed priorities, by response-time analysis. `None` if the
/// set does not pass as it is. `limit` holds for each analysis of the set.
///
/// Each probe looks only at the tasks that the change concerns, stops at the first miss, and
/// starts from the response times of the last probe that passed. 100 tasks: about 0.1 s.
///
/// # Errors
/// If there are not as many levels as tasks.
pub fn fixed_priority_slacks(
    tasks: &[SporadicTask],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Option<Vec<Duration>>, LevelMismatch> {
    let mut ranking = Ranking::new(tasks, levels)?;
    let mut finishes = vec![0; tasks.len()];
    if !ranking.holds(0, &mut finishes, limit) {
        return Ok(None);
    }
    let mut slacks = vec![Duration::ZERO; tasks.len()];
    for index in 0..tasks.len() {
        let task = ranking.tasks[index];
        // Every job that waits for this task, or is of it, ends later by the growth at least.
        let spare = |(task, &finish): (&SporadicTask, &u64)| {
            task.d().saturating_sub(task.j()).saturating_sub(finish)
        };
        let concerned = ranking.first_of_level(index)..tasks.len();
        let later = ranking.tasks[concerned.clone()]
            .iter()
            .zip(&finishes[concerned]);
        let most = later.map(spare).min().unwrap_or(0);
        let mut passed = finishes.clone();
        let growth = largest(most, most, |growth| {
            let Some(grown) = grow(&task, growth) else {
                return false;
            };
            ranking.tasks[index] = grown;
            let mut probe = passed.clone();
            let holds = ranking.holds(index, &mut probe, limit);
            if holds {
                passed = probe;
            }
            holds
        });
        ranking.tasks[index] = task;
        slacks[ranking.places[index]] = Duration::from_nanos(growth.unwrap_or(0));
    }
    Ok(Some(slacks))
}

fn demand_more_than(cpus: u32, tasks: &[SporadicTask]) -> bool {
    match cpus {
        1 => overloaded(tasks),
        _ => Utilisation::of(tasks).cmp_cpus(cpus).is_gt(),
    }
}

fn grow(task: &SporadicTask, growth: u64) -> Option<SporadicTask> {
    let wcet = task.wcet().checked_add(Duration::from_nanos(growth))?;
    task.with_wcet(wcet).ok()
}

/// The largest value up to `most` that passes, given that larger ones are harder; `None` if not
/// even 0 passes. Begins at `guess` and doubles it while it passes, then bisects.
fn largest(guess: u64, most: u64, mut passes: impl FnMut(u64) -> bool) -> Option<u64> {
    if !passes(0) {
        return None;
    }
    let mut low = 0;
    let mut high = guess.clamp(1, most.max(1));
    while high <= most && passes(high) {
        low = high;
        if low == most {
            return Some(low);
        }
        high = low.saturating_mul(2).min(most);
    }
    // `low` passes, and `high` does not (or is beyond).
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if passes(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{edf_demand, fixed_priority, priority};

    fn task(c: u64, t: u64, d: u64) -> SporadicTask {
        let ms = Duration::from_millis;
        SporadicTask::new(ms(c), ms(t), ms(d)).unwrap()
    }

    fn edf(tasks: &[SporadicTask]) -> bool {
        edf_demand::test(tasks, WorkLimit::default()).holds()
    }

    #[test]
    fn largest_finds_every_edge() {
        for most in 0..20 {
            for edge in 0..=most {
                for guess in 0..25 {
                    let found = largest(guess, most, |value| value <= edge);
                    assert_eq!(found, Some(edge), "{guess} {most}");
                }
            }
        }
        assert_eq!(largest(5, 9, |_| false), None);
        assert_eq!(largest(1, u64::MAX, |_| true), Some(u64::MAX));
    }

    #[test]
    fn implicit_deadlines_break_down_at_one_under_edf() {
        let tasks = [task(1, 4, 4), task(1, 8, 8)];
        let found = breakdown(&tasks, edf).unwrap();
        // 1/(3/8) = 2.666666…
        assert_eq!(found.factor.to_string(), "2.666666");
        assert_eq!(found.utilisation.to_string(), "1.0000");
        assert!(found.utilisation.cmp_one().is_lt());
        // Each may take the 5/8 that are free.
        let us = Duration::from_micros;
        assert_eq!(slack(&tasks, 0, edf), Some(us(2_500)));
        assert_eq!(slack(&tasks, 1, edf), Some(us(5_000)));
        assert_eq!(slack(&tasks, 2, edf), None);
    }

    #[test]
    fn a_set_that_fails_breaks_down_below_one() {
        let tasks = [task(3, 4, 4), task(3, 8, 8)];
        let found = breakdown(&tasks, edf).unwrap();
        assert_eq!(found.factor.ppm(), 888_888);
        assert_eq!(slack(&tasks, 0, edf), None);
        assert_eq!(breakdown(&tasks, |_| false), None);
        assert_eq!(breakdown(&[], edf), None);
    }

    #[test]
    fn slacks_under_fixed_priorities_by_hand() {
        // R = 3, 6, 20 for C = 3, 3, 5 and T = D = 7, 12, 20. The third completes just in time, so
        // the others have nothing to give: 3 + δ three times and 3 twice and 5 are over 20.
        let tasks = [task(3, 7, 7), task(3, 12, 12), task(5, 20, 20)];
        let levels = priority::rate_monotonic(&tasks);
        let limit = WorkLimit::default();
        let slacks = fixed_priority_slacks(&tasks, &levels, limit)
            .unwrap()
            .unwrap();
        assert_eq!(slacks, [Duration::ZERO; 3]);
        let relaxed = [tasks[0], tasks[1], task(2, 20, 20)];
        // 3·2 + 3·2 + 2 = 14 is the end of the second job of the first and of all others, and so
        // is 14 of the time: nothing to give until the third may take the next jobs as well.
        let slacks = fixed_priority_slacks(&relaxed, &levels, limit)
            .unwrap()
            .unwrap();
        let us = Duration::from_micros;
        assert_eq!(slacks, [us(1_000), us(1_500), us(3_000)]);
        for (index, &slack_of_one) in slacks.iter().enumerate() {
            let test = |tasks: &[SporadicTask]| {
                fixed_priority::test(tasks, &levels, limit).unwrap().holds()
            };
            assert_eq!(slack(&relaxed, index, test), Some(slack_of_one));
        }
    }
}
