//! Dividing tasks among CPUs: bin packing with a schedulability test.
//!
//! Partitioned scheduling gives each task a CPU for good, and then each CPU is scheduled by itself.
//! To divide tasks so that it works whenever it can is NP-hard; the usual heuristics take one task
//! after the other, and give it a CPU that still holds with it, by whatever test the caller has:
//!
//! | [`Fit`] | which of the CPUs that have room |
//! |---|---|
//! | first | the first |
//! | best | the one that is asked for most |
//! | worst | the one that is asked for least |
//! | next | the one that the last task got, or else one after it, never to come back |
//!
//! With tasks by falling utilisation ([`Sequence::Utilisation`]) these are first-fit *decreasing*
//! and so on, of which EDF on m CPUs holds all sets of up to (m + 1)/2 (Lopez, Diaz and Garcia,
//! "Utilization bounds for EDF scheduling on real-time multiprocessor systems", Real-Time Systems
//! 28(1), 2004).
//!
//! How much a CPU is asked for is added up in units of 2⁻⁶⁴, rounded down: it decides which CPU is
//! tried first and nothing else.

use crate::{Answer, SporadicTask, Stop};
use core::fmt;
use std::cmp::Reverse;

/// Which of the CPUs that have room a task gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fit {
    /// The first one.
    #[default]
    First,
    /// The one that is asked for most.
    Best,
    /// The one that is asked for least.
    Worst,
    /// The one that the last task got, or one after it.
    Next,
}

/// Which task comes first. Of equals the one that stands first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sequence {
    /// The one that asks for most.
    #[default]
    Utilisation,
    /// The one with the shortest period.
    Period,
    /// The one that stands first.
    Given,
}

impl Fit {
    /// All of them.
    pub const ALL: [Fit; 4] = [Fit::First, Fit::Best, Fit::Worst, Fit::Next];

    /// Its name: `first-fit` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Fit::First => "first-fit",
            Fit::Best => "best-fit",
            Fit::Worst => "worst-fit",
            Fit::Next => "next-fit",
        }
    }
}

impl Sequence {
    /// All of them.
    pub const ALL: [Sequence; 3] = [Sequence::Utilisation, Sequence::Period, Sequence::Given];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Sequence::Utilisation => "utilisation",
            Sequence::Period => "period",
            Sequence::Given => "given",
        }
    }
}

/// A task that no CPU was found to have room for when its turn came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom {
    /// The task, by its position.
    pub task: usize,
    /// Why a test of a CPU stopped, if one did, for this task or one before it: then it is not
    /// known whether this way of dividing the tasks finds room.
    pub stopped: Option<Stop>,
}

impl From<NoRoom> for Answer {
    fn from(no_room: NoRoom) -> Answer {
        no_room.stopped.map_or(Answer::Rejects, Answer::Stopped)
    }
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.task;
        match self.stopped {
            None => write!(f, "no CPU has room for task {task}"),
            Some(stop) => write!(f, "no room was found for task {task}: {stop}"),
        }
    }
}

impl core::error::Error for NoRoom {}

/// Returns the CPU of each of the `tasks`, from 0; `holds` says whether a CPU can serve tasks,
/// which are named by their positions, in the order in which they came. Where it stops, the next
/// CPU is tried.
///
/// O(n log n + n m) without the calls of `holds`, of which there are at most n m for n tasks and m
/// CPUs.
///
/// # Errors
/// [`NoRoom`] for the first task that no CPU is known to have room for.
pub fn partition(
    tasks: &[SporadicTask],
    cpus: usize,
    fit: Fit,
    sequence: Sequence,
    holds: impl FnMut(usize, &[usize]) -> Answer,
) -> Result<Vec<usize>, NoRoom> {
    let each = (0..tasks.len()).map(|task| vec![task]).collect();
    partition_groups(tasks, each, cpus, fit, sequence, holds)
}

/// The same of groups of tasks that have to be on one CPU. A task that is in none is on CPU 0, and
/// `holds` does not hear of it. A group
/// asks for what its tasks ask for together, and its period is the shortest one.
///
/// # Errors
/// [`NoRoom`] for the first task of the first group that no CPU is known to have room for.
pub fn partition_groups(
    tasks: &[SporadicTask],
    mut groups: Vec<Vec<usize>>,
    cpus: usize,
    fit: Fit,
    sequence: Sequence,
    mut holds: impl FnMut(usize, &[usize]) -> Answer,
) -> Result<Vec<usize>, NoRoom> {
    let asked = |group: &Vec<usize>| {
        let loads = group.iter().map(|&task| load(&tasks[task]));
        loads.fold(0, u128::saturating_add)
    };
    groups.retain(|group| !group.is_empty());
    match sequence {
        Sequence::Utilisation => groups.sort_by_cached_key(|group| Reverse(asked(group))),
        Sequence::Period => {
            groups.sort_by_key(|group| group.iter().map(|&task| tasks[task].t()).min());
        }
        Sequence::Given => {}
    }
    let mut stopped = None;
    let mut places = vec![0; tasks.len()];
    let mut bins: Vec<(u128, Vec<usize>)> = vec![(0, Vec::new()); cpus];
    let mut first = 0;
    for group in groups {
        let mut candidates: Vec<usize> = (first..cpus).collect();
        match fit {
            Fit::First | Fit::Next => {}
            Fit::Best => candidates.sort_by_key(|&cpu| Reverse(bins[cpu].0)),
            Fit::Worst => candidates.sort_by_key(|&cpu| bins[cpu].0),
        }
        let cpu = candidates.into_iter().find(|&cpu| {
            let here = &mut bins[cpu].1;
            let before = here.len();
            here.extend(&group);
            let answer = holds(cpu, here);
            here.truncate(before);
            stopped = stopped.or(answer.stopped());
            answer.accepts()
        });
        let task = group[0];
        let cpu = cpu.ok_or(NoRoom { task, stopped })?;
        bins[cpu].0 = bins[cpu].0.saturating_add(asked(&group));
        bins[cpu].1.extend(&group);
        for task in group {
            places[task] = cpu;
        }
        if fit == Fit::Next {
            first = cpu;
        }
    }
    Ok(places)
}

/// The positions of `tasks` by falling utilisation, of equals the first one first.
pub(crate) fn by_utilisation(tasks: &[SporadicTask]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&task| Reverse(load(&tasks[task])));
    order
}

/// The utilisation in units of 2⁻⁶⁴, rounded down.
fn load(task: &SporadicTask) -> u128 {
    (u128::from(task.c()) << 64) / u128::from(task.t())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overloaded;
    use flyball_trace::Duration;
    use proptest::prelude::*;

    fn tasks(wcets: &[u64]) -> Vec<SporadicTask> {
        let ms = Duration::from_millis;
        let task = |&wcet| SporadicTask::new(ms(wcet), ms(100), ms(100)).unwrap();
        wcets.iter().map(task).collect()
    }

    fn by_utilisation(
        tasks: &[SporadicTask],
        cpus: usize,
        fit: Fit,
        sequence: Sequence,
    ) -> Result<Vec<usize>, NoRoom> {
        partition(tasks, cpus, fit, sequence, |_, here| {
            let here: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
            Answer::accepts_if(!overloaded(&here))
        })
    }

    fn no_room(task: usize) -> Result<Vec<usize>, NoRoom> {
        Err(NoRoom {
            task,
            stopped: None,
        })
    }

    /// Worked by hand.
    #[test]
    fn each_heuristic_takes_its_cpu() {
        let set = tasks(&[50, 70, 30, 40]);
        let given = |fit| by_utilisation(&set, 3, fit, Sequence::Given).unwrap();
        assert_eq!(given(Fit::First), [0, 1, 0, 2]);
        assert_eq!(given(Fit::Best), [0, 1, 1, 0]);
        assert_eq!(given(Fit::Worst), [0, 1, 2, 2]);
        assert_eq!(given(Fit::Next), [0, 1, 1, 2]);
        // 70, 50, 40, 30.
        let decreasing = by_utilisation(&set, 2, Fit::First, Sequence::Utilisation);
        assert_eq!(decreasing, Ok(vec![1, 0, 0, 1]));
        // Five tasks of a little more than half a CPU each.
        let halves = tasks(&[51; 5]);
        assert_eq!(
            by_utilisation(&halves, 4, Fit::Best, Sequence::Utilisation),
            no_room(4)
        );
        assert_eq!(
            by_utilisation(&tasks(&[]), 0, Fit::First, Sequence::Given),
            Ok(vec![])
        );
        assert_eq!(
            by_utilisation(&halves, 0, Fit::Next, Sequence::Given),
            no_room(0)
        );
    }

    /// A test of CPU 0 that stops: where CPU 1 has room nothing is open, and else it is not known.
    #[test]
    fn a_test_that_stops_leaves_it_open() {
        let set = tasks(&[50, 70]);
        let stop = Stop::WorkLimit;
        let divide = |cpus| {
            partition(
                &set,
                cpus,
                Fit::First,
                Sequence::Given,
                |cpu, here| match cpu {
                    0 => Answer::Stopped(stop),
                    _ => Answer::accepts_if(here.len() < 2),
                },
            )
        };
        assert_eq!(divide(3), Ok(vec![1, 2]));
        let open = NoRoom {
            task: 1,
            stopped: Some(stop),
        };
        assert_eq!(divide(2), Err(open));
        assert_eq!(Answer::from(open), Answer::Stopped(stop));
    }

    /// 30 and 40 go where there is room for both, and before 60.
    #[test]
    fn a_group_is_placed_as_one() {
        let set = tasks(&[30, 60, 40, 20]);
        let divide = |cpus, fit| {
            let groups = vec![vec![0, 2], vec![1], vec![], vec![3]];
            partition_groups(&set, groups, cpus, fit, Sequence::Utilisation, |_, here| {
                let here: Vec<_> = here.iter().map(|&task| set[task]).collect();
                Answer::accepts_if(!overloaded(&here))
            })
        };
        assert_eq!(divide(2, Fit::First), Ok(vec![0, 1, 0, 0]));
        assert_eq!(divide(2, Fit::Worst), Ok(vec![0, 1, 0, 1]));
        assert_eq!(divide(1, Fit::First), no_room(1));
    }

    proptest! {
        /// All CPUs hold, and up to (m + 1)/2 the decreasing heuristics never fail.
        #[test]
        fn cpus_hold_and_the_bound_is_kept(
            wcets in prop::collection::vec(1_u64..=100, 1..20),
            cpus in 1_usize..6,
        ) {
            let set = tasks(&wcets);
            for fit in Fit::ALL {
                for sequence in [Sequence::Given, Sequence::Period, Sequence::Utilisation] {
                    let Ok(places) = by_utilisation(&set, cpus, fit, sequence) else {
                        let all: u64 = wcets.iter().sum();
                        let bound = fit != Fit::Next && sequence == Sequence::Utilisation;
                        prop_assert!(!bound || 2 * all > 100 * (cpus as u64 + 1));
                        continue;
                    };
                    for cpu in 0..cpus {
                        let here = wcets.iter().zip(&places).filter(|(_, place)| **place == cpu);
                        prop_assert!(here.map(|(wcet, _)| wcet).sum::<u64>() <= 100);
                    }
                    prop_assert!(places.iter().all(|&cpu| cpu < cpus));
                }
            }
        }
    }
}
