//! Whether there is any way at all to divide tasks among CPUs: bin packing by branch and bound.
//!
//! The [heuristics](mod@crate::partition) take the first way that they come to, and where they find no
//! room there may be some. Here tasks are tried on all CPUs, one after the other by falling
//! density, and what cannot lead anywhere is left out:
//!
//! * CPUs are alike, so a task is tried on one of those that are still empty;
//! * of tasks that are alike, none goes to a CPU before that of the one before it;
//! * the tasks that are left ask for more than the CPUs have left, or one of them for more than any
//!   CPU has (Martello and Toth, *Knapsack Problems*, 1990, chapter 8);
//! * the same tasks on a CPU are tested once.
//!
//! It needs a test of one CPU that is sustainable in tasks: what holds, holds without one of them.
//! Then a set of which this finds nothing can be divided in no way: where the test is exact, no
//! partitioned scheduler by that policy holds it.
//!
//! Complexity: exponential; so there is a limit to the tasks, to the tests, and to the steps.

use crate::work::Meter;
use crate::{Answer, SporadicTask, Stop, WorkLimit};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The most tasks for which all ways to divide them are looked at.
pub const MOST_TASKS: usize = 40;

/// The most tests of CPUs that one search takes.
pub const MOST_TESTS: usize = 20_000;

/// The most steps of one search beyond those of its tests.
const STEPS: WorkLimit = WorkLimit::steps(50_000_000);

/// The CPU of each task, from 0; `None` if there is no way to divide them among so many CPUs, such
/// that `holds` accepts the tasks of each of them, which are named by their positions in rising
/// order. `are_alike` says of two tasks with the same times that they may change places.
///
/// # Errors
/// [`Stop::WorkLimit`] if there are more than [`MOST_TASKS`], or if more than [`MOST_TESTS`] would
/// have been needed; or what stopped the test of a CPU, if no way was found and it is not known
/// whether there would be one.
pub fn any_partition(
    tasks: &[SporadicTask],
    cpus: usize,
    are_alike: impl Fn(usize, usize) -> bool,
    holds: impl FnMut(&[usize]) -> Answer,
) -> Result<Option<Vec<usize>>, Stop> {
    if tasks.len() > MOST_TASKS {
        return Err(Stop::WorkLimit);
    }
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    let density = |task: &SporadicTask| part(task.c(), task.d().min(task.t()));
    order.sort_by_key(|&task| (Reverse(density(&tasks[task])), tasks[task].t()));
    let follows = |place: usize| {
        let [before, this] = [order[place - 1], order[place]];
        tasks[before] == tasks[this] && are_alike(before, this)
    };
    let is_like_last = (0..order.len())
        .map(|place| place > 0 && follows(place))
        .collect();
    let loads: Vec<u128> = order
        .iter()
        .map(|&task| part(tasks[task].c(), tasks[task].t()))
        .collect();
    let mut search = Search {
        order,
        is_like_last,
        loads,
        cpus: vec![Cpu::default(); cpus],
        places: vec![0; tasks.len()],
        known: HashMap::new(),
        holds,
        meter: STEPS.meter(),
        stopped: None,
    };
    if search.place(0)? {
        return Ok(Some(search.places));
    }
    search.stopped.map_or(Ok(None), Err)
}

/// A whole CPU, in the units of [`part`].
const WHOLE: u128 = 1 << 64;

/// A quotient in units of 2⁻⁶⁴, rounded down and at most two, so that no sum of them is too large.
fn part(dividend: u64, divisor: u64) -> u128 {
    ((u128::from(dividend) << 64) / u128::from(divisor)).min(2 * WHOLE)
}

#[derive(Clone, Default)]
struct Cpu {
    /// The positions of its tasks, as bits.
    tasks: u64,
    load: u128,
}

struct Search<H> {
    /// The tasks in the order in which they are placed.
    order: Vec<usize>,
    /// By places in that order: whether the task could as well be the one before it.
    is_like_last: Vec<bool>,
    loads: Vec<u128>,
    cpus: Vec<Cpu>,
    places: Vec<usize>,
    /// Which tasks one CPU holds together.
    known: HashMap<u64, Answer>,
    holds: H,
    meter: Meter,
    /// Why a test stopped.
    stopped: Option<Stop>,
}

impl<H: FnMut(&[usize]) -> Answer> Search<H> {
    /// Whether the tasks from this place in the order on find room.
    fn place(&mut self, place: usize) -> Result<bool, Stop> {
        let Some(&task) = self.order.get(place) else {
            return Ok(true);
        };
        if !self.may_fit(place)? {
            return Ok(false);
        }
        let first = if self.is_like_last[place] {
            self.places[self.order[place - 1]]
        } else {
            0
        };
        for cpu in first..self.cpus.len() {
            let before = self.cpus[cpu].clone();
            let with = before.tasks | 1 << task;
            if self.one_holds(with)? {
                self.cpus[cpu] = Cpu {
                    tasks: with,
                    load: before.load + self.loads[place],
                };
                self.places[task] = cpu;
                if self.place(place + 1)? {
                    return Ok(true);
                }
            }
            let was_empty = before.tasks == 0;
            self.cpus[cpu] = before;
            if was_empty {
                break;
            }
        }
        Ok(false)
    }

    /// Whether loads leave it open that the tasks from this place on find room.
    fn may_fit(&mut self, place: usize) -> Result<bool, Stop> {
        let left = &self.loads[place..];
        self.meter.spend(left.len() + self.cpus.len())?;
        let room = |cpu: &Cpu| WHOLE.saturating_sub(cpu.load);
        let all: u128 = self.cpus.iter().map(room).sum();
        let largest = self.cpus.iter().map(room).max().unwrap_or(0);
        Ok(left.iter().sum::<u128>() <= all && left.iter().all(|&load| load <= largest))
    }

    /// Whether one CPU holds these.
    fn one_holds(&mut self, tasks: u64) -> Result<bool, Stop> {
        let answer = match self.known.get(&tasks) {
            Some(&answer) => answer,
            None if self.known.len() >= MOST_TESTS => return Err(Stop::WorkLimit),
            None => {
                let here: Vec<usize> = (0..self.places.len())
                    .filter(|task| tasks & 1 << task != 0)
                    .collect();
                let answer = (self.holds)(&here);
                self.known.insert(tasks, answer);
                answer
            }
        };
        self.stopped = self.stopped.or(answer.stopped());
        Ok(answer.accepts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partitioned::hold;
    use crate::{Fit, Level, Sequence, fixed_priority, partition, priority};
    use flyball_trace::Duration;
    use proptest::prelude::*;

    const LIMIT: WorkLimit = WorkLimit::steps(1_000_000);

    fn tasks(times: &[(u64, u64, u64)]) -> Vec<SporadicTask> {
        let task = |&(c, d, t): &(u64, u64, u64)| SporadicTask::plain([c, t, d]);
        times.iter().map(task).collect()
    }

    fn these(tasks: &[SporadicTask], here: &[usize]) -> Vec<SporadicTask> {
        here.iter().map(|&task| tasks[task]).collect()
    }

    fn edf(tasks: &[SporadicTask], here: &[usize]) -> Answer {
        hold(&these(tasks, here), LIMIT)
    }

    fn by_levels(tasks: &[SporadicTask], levels: &[Level], here: &[usize]) -> Answer {
        let of: Vec<Level> = here.iter().map(|&task| levels[task]).collect();
        Answer::from(&fixed_priority::test(&these(tasks, here), &of, LIMIT).unwrap())
    }

    /// All ways, one after the other.
    fn brute(tasks: usize, cpus: usize, holds: impl Fn(&[usize]) -> Answer) -> bool {
        let ways = cpus.pow(u32::try_from(tasks).unwrap());
        (0..ways).any(|way| {
            let cpu = |task: usize| way / cpus.pow(u32::try_from(task).unwrap()) % cpus;
            (0..cpus).all(|this| {
                let here: Vec<usize> = (0..tasks).filter(|&task| cpu(task) == this).collect();
                holds(&here).accepts()
            })
        })
    }

    fn small() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
        let task = (2_u64..=12, 1_u64..=100, 1_u64..=100).prop_map(|(t, c, d)| {
            let c = (c * t).div_ceil(140).min(t);
            (c, (c + d * (t - c) / 60).min(t), t)
        });
        prop::collection::vec(task, 2..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_found_is_what_there_is(times in small(), cpus in 1_usize..4) {
            let tasks = tasks(&times);
            let levels = priority::distinct(&priority::deadline_monotonic(&tasks));
            for is_edf in [true, false] {
                let holds = |here: &[usize]| {
                    if is_edf { edf(&tasks, here) } else { by_levels(&tasks, &levels, here) }
                };
                let found = any_partition(&tasks, cpus, |_, _| is_edf, holds).unwrap();
                prop_assert_eq!(found.is_some(), brute(tasks.len(), cpus, holds));
                for cpu in 0..cpus {
                    let Some(places) = &found else { break };
                    let here: Vec<usize> =
                        (0..tasks.len()).filter(|&task| places[task] == cpu).collect();
                    prop_assert!(holds(&here).accepts());
                }
            }
        }
    }

    /// The fits put 40 and 40 together, and a fifth of that CPU is left, where no task fits.
    #[test]
    fn more_is_found_than_by_fits() {
        let set = tasks(&[50, 50, 40, 40, 30, 30, 30, 30].map(|c| (c, 100, 100)));
        for fit in [Fit::First, Fit::Best] {
            let holds = |_: usize, here: &[usize]| edf(&set, here);
            assert!(partition(&set, 3, fit, Sequence::Utilisation, holds).is_err());
        }
        let found = any_partition(&set, 3, |_, _| true, |here| edf(&set, here)).unwrap();
        assert!(found.is_some());
        let one = Duration::from_nanos(1);
        let more = SporadicTask::new(one, one * 100, one * 100).unwrap();
        let set: Vec<_> = set.into_iter().chain([more]).collect();
        assert_eq!(
            any_partition(&set, 3, |_, _| true, |here| edf(&set, here)),
            Ok(None)
        );
    }

    /// Forty tasks of a little more than a half each, of which no two are alike.
    #[test]
    fn no_two_fit_together() {
        let set: Vec<_> = (0..40).map(|task| (51 * 7 + task, 700, 700)).collect();
        let set = tasks(&set);
        let ask = |cpus| any_partition(&set, cpus, |_, _| true, |here| edf(&set, here));
        assert_eq!(ask(39), Ok(None));
        assert!(ask(40).unwrap().is_some());
    }

    #[test]
    fn what_asks_for_everything_finds_no_room() {
        let set = tasks(&[(u64::MAX - 1, u64::MAX - 1, 1); 3]);
        let found = any_partition(&set, 2, |_, _| true, |here| edf(&set, here));
        assert_eq!(found, Ok(None));
    }

    #[test]
    fn what_stopped_is_not_none() {
        let set = tasks(&[(1, 2, 2), (1, 2, 2)]);
        let stop = Stop::TimeRange;
        let ask = |cpus| {
            any_partition(
                &set,
                cpus,
                |_, _| true,
                |here| match here.len() {
                    1 => Answer::Accepts,
                    _ => Answer::Stopped(stop),
                },
            )
        };
        assert_eq!(ask(1), Err(stop));
        assert_eq!(ask(2), Ok(Some(vec![0, 1])));
        let many = tasks(&[(1, 2, 2); 41]);
        let none = any_partition(&many, 41, |_, _| true, |_| Answer::Accepts);
        assert_eq!(none, Err(Stop::WorkLimit));
    }
}
