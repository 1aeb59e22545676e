//! Whether a schedule without a miss says anything about jobs that ask for less than in it.
//!
//! A schedule that was seen to repeat itself proves that no deadline is missed with exactly its
//! execution times and arrivals. A task set allows more: jobs that compute for less, and sporadic
//! jobs that come later. For these it is a proof under a policy that is [`Sustainable`], and for
//! sets of tasks that the word is about.

use crate::reason::Doubt;
use crate::theory::beyond_computing;
use flyball_model::{Task, TaskSet};
use flyball_sim::Sustainable;

/// Why a schedule of `set` without a miss is a proof for exactly the times that were simulated;
/// `None`: it is one for all times that the set allows. O(steps).
pub(crate) fn doubt(set: &TaskSet, policy: Sustainable) -> Option<Doubt> {
    if !policy.execution {
        return Some(Doubt::Policy);
    }
    let is_late = |task: &&Task| {
        let sporadic = !task.comes_with_the_clock();
        let worst = set.largest_phase().is_zero() && set.platform.tick.is_none();
        sporadic && !(policy.arrivals && worst)
    };
    if let Some(task) = set.tasks.iter().find(is_late) {
        return Some(Doubt::Sporadic(task.name.clone()));
    }
    if !set.platform.overheads.are_free() {
        return Some(Doubt::Overheads);
    }
    if let Some((task, what)) = beyond_computing(set, |_| false) {
        return Some(Doubt::Does(task, what));
    }
    let overlap = |task: &&Task| {
        let period = task.arrival.period();
        period.is_some_and(|period| task.deadline.is_none_or(|deadline| deadline > period))
    };
    let task = set.tasks.iter().find(overlap)?;
    Some(Doubt::Overlap(task.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::Uncovered;
    use flyball_model::{Arrival, Cost, Length, Step};
    use flyball_trace::Duration;

    const ALL: Sustainable = Sustainable {
        execution: true,
        arrivals: true,
    };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn set() -> TaskSet {
        TaskSet {
            tasks: vec![
                Task::periodic("a", ms(10), ms(2)),
                Task::periodic("b", ms(15), ms(3)),
            ],
            ..TaskSet::default()
        }
    }

    /// The doubt about a set that differs from [`set`] by `change`.
    fn changed(policy: Sustainable, change: impl Fn(&mut TaskSet)) -> Option<Doubt> {
        let mut set = set();
        change(&mut set);
        doubt(&set, policy)
    }

    #[test]
    fn jobs_that_only_compute_are_covered_under_a_sustainable_policy() {
        assert_eq!(changed(Sustainable::EXECUTION, |_| {}), None);
        assert!(changed(Sustainable::NO, |_| {}).is_some());
        let tick = |set: &mut TaskSet| set.platform.tick = Some(ms(1));
        assert_eq!(changed(Sustainable::EXECUTION, tick), None);
    }

    #[test]
    fn what_else_tasks_do_is_not() {
        let says = |change: &dyn Fn(&mut TaskSet)| changed(ALL, change).unwrap();
        let does = |step: Step| move |set: &mut TaskSet| set.tasks[1].behaviour.push(step.clone());
        for (step, what) in [
            (Step::Suspend(Length::Fixed(ms(1))), Uncovered::Suspends),
            (Step::Lock(0), Uncovered::Mutex),
            (Step::Yield, Uncovered::Yields),
        ] {
            assert_eq!(says(&does(step)), Doubt::Does("b".into(), what));
        }
        let overheads = |set: &mut TaskSet| set.platform.overheads.call = Cost::fixed(ms(1));
        assert_eq!(says(&overheads), Doubt::Overheads);
        let overlap = |set: &mut TaskSet| set.tasks[0].deadline = Some(ms(11));
        assert_eq!(says(&overlap), Doubt::Overlap("a".into()));
    }

    /// Only where tasks begin all at once is the schedule of the earliest arrivals the worst one.
    #[test]
    fn later_arrivals_are_covered_only_where_the_policy_says_so() {
        let sporadic = |phase: u64| {
            move |set: &mut TaskSet| {
                let (separation, gap) = (ms(10), Length::Fixed(ms(10)));
                set.tasks[0].arrival = Arrival::Sporadic { separation, gap };
                set.tasks[1].phase = ms(phase);
            }
        };
        assert_eq!(changed(ALL, sporadic(0)), None);
        assert!(changed(ALL, sporadic(1)).is_some());
        assert!(changed(Sustainable::EXECUTION, sporadic(0)).is_some());
    }
}
