//! Does it fail? Arrivals under which global EDF misses a deadline, looked for by simulation.
//!
//! Sufficient tests accept or cannot tell. To know what of the rest really does not hold, the
//! adversary tries arrivals that are known to be bad:
//!
//! * all tasks at once, and then periodically;
//! * all others so that their deadlines come with that of a job of one task, for the tasks that
//!   have the least time to spare: jobs are in its way as late, and as many of them, as they can be
//!   (Bertogna, Cirinei and Lipari, ECRTS 2005, figure 2);
//! * random phases.
//!
//! A miss that is found is a proof, by the scheduler itself: the simulator drives the kernel's own
//! policy. That none is found proves nothing.

use flyball_analysis::gedf::{Set, Task};
use flyball_catalogue::{Clustered, Edf};
use flyball_model::random::Random;
use flyball_model::{Task as Model, TaskSet};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, NoTrace};

/// How many tasks are made the victim of all others.
const VICTIMS: usize = 8;

/// How many random phases are tried.
const RANDOM: u64 = 8;

/// For how many of the longest periods arrivals go on.
const PERIODS: u64 = 4;

/// The phase of each task with which a deadline is missed under global EDF on so many CPUs, and the
/// tasks periodic, in the units of the set; `None`: none was found. A unit is simulated as a
/// microsecond.
///
/// Complexity: 17 simulations of some four of the longest periods.
pub fn misses(set: &Set, cpus: u8) -> Option<Vec<u64>> {
    let tasks = set.tasks();
    let longest = tasks.iter().map(|task| task.period).max()?;
    let mut model = model(tasks, cpus);
    let mut try_phases = |phases: Vec<u64>, until: u64| {
        for (task, &phase) in model.tasks.iter_mut().zip(&phases) {
            task.phase = UNIT * phase;
        }
        let options = Options {
            until: UNIT * until,
            stop_at_miss: true,
            seed: 0,
        };
        // Such sets are simple: there is nothing to refuse.
        let outcome = simulate(&model, &Clustered::global(Edf), &options, &mut NoTrace).ok()?;
        (outcome.misses > 0).then_some(phases)
    };
    let horizon = longest.saturating_mul(PERIODS);
    if let Some(found) = try_phases(vec![0; tasks.len()], horizon) {
        return Some(found);
    }
    for victim in victims(tasks) {
        let Task { deadline, .. } = tasks[victim];
        // By then all others have been there for a while.
        let at = longest.saturating_mul(2) + deadline;
        let phases = tasks.iter().map(|task| (at - task.deadline) % task.period);
        if let Some(found) = try_phases(phases.collect(), at + 1) {
            return Some(found);
        }
    }
    (0..RANDOM).find_map(|seed| {
        let mut random = Random::new(0, seed);
        let last = |task: &Task| Duration::from_nanos(task.period - 1);
        let phases = tasks
            .iter()
            .map(|task| random.uniform(Duration::ZERO, last(task)).as_nanos());
        try_phases(phases.collect(), horizon.saturating_add(longest))
    })
}

/// Ticks of a set are simulated as so much, so that nothing of the simulator is near its limits.
const UNIT: Duration = Duration::from_micros(1);

fn model(tasks: &[Task], cpus: u8) -> TaskSet {
    let mut set = TaskSet::default();
    set.platform.cpus = cpus;
    let task = |(number, task): (usize, &Task)| Model {
        deadline: Some(UNIT * task.deadline),
        ..Model::periodic(format!("t{number}"), UNIT * task.period, UNIT * task.wcet)
    };
    set.tasks = tasks.iter().enumerate().map(task).collect();
    set
}

/// The tasks with the largest densities, which have the least time to spare.
fn victims(tasks: &[Task]) -> Vec<usize> {
    let mut all: Vec<usize> = (0..tasks.len()).collect();
    all.sort_by(|&a, &b| {
        let [a, b] = [tasks[a], tasks[b]];
        let left = u128::from(b.wcet) * u128::from(a.deadline);
        left.cmp(&(u128::from(a.wcet) * u128::from(b.deadline)))
    });
    all.truncate(VICTIMS);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_analysis::WorkLimit;
    use flyball_analysis::gedf::{Truth, exact};

    fn set(tasks: &[(u64, u64)]) -> Set {
        let task = |&(wcet, period): &(u64, u64)| Task::implicit(wcet, period);
        Set::new(tasks.iter().map(task).collect()).unwrap()
    }

    #[test]
    fn dhall_is_found_at_once() {
        let dhall = set(&[(2, 10), (2, 10), (10, 11)]);
        assert_eq!(misses(&dhall, 2), Some(vec![0, 0, 0]));
        assert_eq!(misses(&dhall, 3), None);
    }

    /// Periodic and all at once it holds: the deadlines have to be together. By hand: the one of 5
    /// arrives at 12, and the others, whose deadlines are at 17, one before and one with it.
    #[test]
    fn a_victim_is_found_where_all_at_once_is_harmless() {
        let tasks = set(&[(5, 5), (2, 6), (1, 4)]);
        let limit = WorkLimit::default();
        assert!(matches!(exact(&tasks, 2, 1, limit), Truth::Fails(_)));
        let phases = misses(&tasks, 2).unwrap();
        assert_ne!(phases, [0, 0, 0]);
    }
}
