//! Earliest deadline first on several CPUs, each with tasks of its own: is there room for all?
//!
//! Tasks go to CPUs one after the other, by falling utilisation, and each CPU is tested exactly.
//! With D = T a CPU has room up to a utilisation of one (Liu and Layland 1973), which first, best
//! and worst fit by falling utilisation are usually measured by (Johnson, "Near-optimal bin packing
//! algorithms", 1973). With D < T, processor demand decides ([`edf_demand`]).
//!
//! This is [`partition`](fn@crate::partition) for many sets: in whole units of time, and quick
//! where D = T. Loads are kept between two bounds, and where these cannot tell whether a task fits,
//! or which of two CPUs has more, big fractions do.
//!
//! Complexity for D = T: O(n log n + n m).

use crate::criterion::FITS;
use crate::fractions::{self, Bracket};
use crate::gedf::{Set, Task};
use crate::ranking::Ranking;
use crate::{
    Answer, Fit, Level, NoRoom, Sequence, SporadicTask, Supply, WorkLimit, any_partition,
    edf_demand, overloaded, partition,
};
use core::cmp::Ordering;

/// Whether there is room for the tasks on so many CPUs, if each goes to the one that `fit` names:
/// of equals, to the first. The test of a CPU takes at most `limit` steps. If one stopped and there
/// is no room, it is not known.
pub fn test(set: &Set, cpus: u32, fit: Fit, limit: WorkLimit) -> Answer {
    if !set.is_implicit() {
        return by_demand(set, cpus as usize, fit, limit)
            .map_or_else(Answer::from, |_| Answer::Accepts);
    }
    let mut order: Vec<&Task> = set.tasks().iter().collect();
    // Tasks of the same utilisation are as good as each other.
    order.sort_unstable_by(|a, b| utilisation(b, a).cmp(&utilisation(a, b)));
    Answer::accepts_if(by_utilisation(&order, cpus as usize, fit))
}

/// u of `a`, times both periods.
fn utilisation(a: &Task, b: &Task) -> u128 {
    u128::from(a.wcet) * u128::from(b.period)
}

fn by_demand(set: &Set, cpus: usize, fit: Fit, limit: WorkLimit) -> Result<Vec<usize>, NoRoom> {
    let tasks = sporadic(set);
    partition(&tasks, cpus, fit, Sequence::Utilisation, |_, here| {
        let here: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
        hold(&here, limit)
    })
}

/// Whether one CPU holds these tasks under EDF: exactly, unless one has blocking.
pub(crate) fn hold(tasks: &[SporadicTask], limit: WorkLimit) -> Answer {
    Answer::from(&edf_demand::test(tasks, limit))
}

/// The CPU of each task under partitioned fixed priorities: tasks go to CPUs as above, and response
/// times on each decide. `levels` has a priority for each task; those of a CPU's tasks are
/// compared. The test of a CPU takes at most `limit` steps.
///
/// # Errors
/// [`NoRoom`] for the first task that no CPU is known to have room for.
pub fn by_levels(
    tasks: &[SporadicTask],
    levels: &[Level],
    cpus: usize,
    fit: Fit,
    limit: WorkLimit,
) -> Result<Vec<usize>, NoRoom> {
    let holds = |_: usize, here: &[usize]| hold_by_levels(tasks, levels, here, limit);
    partition(tasks, cpus, fit, Sequence::Utilisation, holds)
}

/// Whether one CPU holds the tasks at these positions by their levels: exactly, unless one has
/// blocking.
fn hold_by_levels(
    tasks: &[SporadicTask],
    levels: &[Level],
    here: &[usize],
    limit: WorkLimit,
) -> Answer {
    let (tasks, levels): (Vec<_>, Vec<_>) =
        here.iter().map(|&task| (tasks[task], levels[task])).unzip();
    // There are as many levels as tasks, so this is no error.
    let Ok(ranking) = Ranking::new(Supply::CPU, &tasks, &levels) else {
        return Answer::Rejects;
    };
    if overloaded(&tasks) {
        return Answer::Rejects;
    }
    ranking.holds(0, &mut vec![0; tasks.len()], limit)
}

/// How many steps the test of a CPU may take where [all ways](mod@crate::any_partition) to divide
/// tasks are looked at: 20,000 tests are some seconds.
pub const ONE_OF_MANY: WorkLimit = WorkLimit::steps(100_000);

/// Whether there is any way to divide the tasks such that EDF holds on each CPU: by the fits, and
/// if these find none, by trying all. The test of a CPU takes at most `limit` steps, and fewer in
/// the latter.
pub fn any(tasks: &[SporadicTask], cpus: usize, limit: WorkLimit) -> Answer {
    let these = |here: &[usize]| -> Vec<_> { here.iter().map(|&task| tasks[task]).collect() };
    let holds = |here: &[usize], limit| hold(&these(here), limit);
    any_where(tasks, cpus, |_, _| true, holds, limit)
}

/// The same by fixed priorities, one for each task.
pub fn any_by_levels(
    tasks: &[SporadicTask],
    levels: &[Level],
    cpus: usize,
    limit: WorkLimit,
) -> Answer {
    let are_alike = |one: usize, other: usize| levels[one] == levels[other];
    let holds = |here: &[usize], limit| hold_by_levels(tasks, levels, here, limit);
    any_where(tasks, cpus, are_alike, holds, limit)
}

/// The same by any test of one CPU that holds without a task what it holds with it.
pub(crate) fn any_where(
    tasks: &[SporadicTask],
    cpus: usize,
    are_alike: impl Fn(usize, usize) -> bool,
    holds: impl Fn(&[usize], WorkLimit) -> Answer,
    limit: WorkLimit,
) -> Answer {
    let mut fits = FITS.into_iter();
    let by_fit = |fit| {
        partition(tasks, cpus, fit, Sequence::Utilisation, |_, it| {
            holds(it, limit)
        })
    };
    if fits.any(|fit| by_fit(fit).is_ok()) {
        return Answer::Accepts;
    }
    let limit = limit.min(ONE_OF_MANY);
    let found = any_partition(tasks, cpus, are_alike, |here| holds(here, limit));
    Answer::from(found.map(|places| places.is_some()))
}

/// The same tasks, with a nanosecond for a unit.
pub(crate) fn sporadic(set: &Set) -> Vec<SporadicTask> {
    // A set has no time of zero, and none of 2⁶² units or more.
    let of = |task: &Task| SporadicTask::plain([task.wcet, task.period, task.deadline]);
    set.tasks().iter().map(of).collect()
}

/// The tasks of a CPU, and the sum of their utilisations.
#[derive(Clone, Default)]
struct Cpu<'a> {
    tasks: Vec<&'a Task>,
    load: Bracket,
}

impl<'a> Cpu<'a> {
    fn terms<'b>(&'b self) -> impl Iterator<Item = (u128, u64)> + use<'a, 'b> {
        self.tasks
            .iter()
            .map(|task| (task.wcet.into(), task.period))
    }

    /// Whether there is room for a task with this utilisation.
    fn has_room_for(&self, task: &Task, utilisation: &Bracket) -> bool {
        let terms = || self.terms().chain([(task.wcet.into(), task.period)]);
        self.load.plus(utilisation).compare(terms(), 1).is_le()
    }

    fn take(&mut self, task: &'a Task, utilisation: &Bracket) {
        self.load = self.load.plus(utilisation);
        self.tasks.push(task);
    }

    fn cmp(&self, other: &Cpu<'_>) -> Ordering {
        let order = self.load.compare_estimate(&other.load);
        order.unwrap_or_else(|| fractions::compare_sums(self.terms(), other.terms()))
    }
}

fn by_utilisation(order: &[&Task], cpus: usize, fit: Fit) -> bool {
    let mut bins = vec![Cpu::default(); cpus];
    let mut first = 0;
    order.iter().all(|task| {
        let utilisation = Bracket::of([(task.wcet.into(), task.period)].into_iter());
        let mut chosen: Option<usize> = None;
        for (position, cpu) in bins.iter().enumerate().skip(first) {
            let better = match (fit, chosen) {
                (_, None) => true,
                (Fit::First | Fit::Next, Some(_)) => break,
                (Fit::Best, Some(best)) => cpu.cmp(&bins[best]).is_gt(),
                (Fit::Worst, Some(worst)) => cpu.cmp(&bins[worst]).is_lt(),
            };
            if better && cpu.has_room_for(task, &utilisation) {
                chosen = Some(position);
            }
        }
        if let Some(position) = chosen {
            bins[position].take(task, &utilisation);
            if fit == Fit::Next {
                first = position;
            }
        }
        chosen.is_some()
    })
}
