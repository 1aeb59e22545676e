//! Response-time analysis against the scheduler of `common`.

use crate::common;

use common::{Job, Random, densest, horizon, int, latest, random, simulate};
use flyball_analysis::{
    Level, Response, SporadicTask, Strength, Verdict, WorkLimit, edf_demand, fixed_priority,
    priority,
};
use flyball_trace::Duration;
use proptest::prelude::*;

fn bounds(tasks: &[SporadicTask], levels: &[Level]) -> Vec<i64> {
    fixed_priority::response_times(tasks, levels, WorkLimit::default())
        .unwrap()
        .into_iter()
        .map(|response| int(response.bound().unwrap()))
        .collect()
}

/// The worst response of `this` over all its phases, with all others released at 0 as fast as they
/// can, and with less urgent work in the way at first.
fn observed(tasks: &[SporadicTask], levels: &[Level], this: usize) -> i64 {
    let until = horizon(tasks);
    let blocking = int(tasks[this].blocking());
    let mut worst = 0;
    for phase in 0..int(tasks[this].period()) {
        let mut jobs: Vec<Job> = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            jobs.extend(if index == this {
                latest(index, task, phase, until)
            } else {
                densest(index, task, until)
            });
        }
        if blocking > 0 {
            let mut blocker = Job::new(tasks.len(), &tasks[this], -1, 0);
            blocker.left = tasks[this].blocking().as_nanos();
            jobs.push(blocker);
        }
        let key = common::fixed_priority(levels, this);
        simulate(&mut jobs, until, |job| {
            (job.task < tasks.len()).then(|| key(job))
        });
        let own = jobs.iter().filter(|job| job.task == this);
        worst = worst.max(own.filter_map(Job::response).max().unwrap_or(0));
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn exact_with_periods_that_divide_24((tasks, levels) in common::small_set(false)) {
        for (this, bound) in bounds(&tasks, &levels).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, &levels, this), "task {}", this);
        }
    }

    #[test]
    fn exact_with_jitter((tasks, levels) in common::small_set(true)) {
        for (this, bound) in bounds(&tasks, &levels).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, &levels, this), "task {}", this);
        }
    }

    #[test]
    fn exact_with_any_periods((tasks, levels) in common::coprime_set(true)) {
        for (this, bound) in bounds(&tasks, &levels).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, &levels, this), "task {}", this);
        }
    }

    #[test]
    fn blocking_is_reached_if_it_happens(
        (tasks, levels) in common::coprime_set(false),
        blockings in prop::collection::vec(0_u64..6, 8),
    ) {
        let tasks: Vec<_> = tasks
            .iter()
            .zip(blockings)
            .map(|(task, b)| task.with_blocking(Duration::from_nanos(b)).unwrap())
            .collect();
        for (this, bound) in bounds(&tasks, &levels).into_iter().enumerate() {
            prop_assert_eq!(bound, observed(&tasks, &levels, this), "task {}", this);
        }
    }

    /// The proof that all others should be released at 0 is not taken for granted.
    #[test]
    fn no_arrivals_are_worse(
        (tasks, levels) in common::coprime_set(true),
        seed in any::<u64>(),
    ) {
        let bounds = bounds(&tasks, &levels);
        let mut seed = Random(seed);
        for (this, &bound) in bounds.iter().enumerate() {
            for _ in 0..8 {
                let mut jobs: Vec<Job> = Vec::new();
                for (index, task) in tasks.iter().enumerate() {
                    jobs.extend(random(index, task, &mut seed, 150));
                }
                simulate(&mut jobs, 150, common::fixed_priority(&levels, this));
                let own = jobs.iter().filter(|job| job.task == this);
                let worst = own.filter_map(Job::response).max().unwrap_or(0);
                prop_assert!(worst <= bound, "task {}: {} > {}", this, worst, bound);
            }
        }
    }

    #[test]
    fn verdict_is_that_of_the_scheduler((tasks, levels) in common::small_set(true)) {
        let outcome = fixed_priority::test(&tasks, &levels, WorkLimit::default()).unwrap();
        let late = |this: usize| observed(&tasks, &levels, this) > int(tasks[this].deadline());
        let expected = match (0..tasks.len()).find(|&this| late(this)) {
            None => "holds".to_string(),
            Some(this) => format!(
                "fails: task {this}: response time {}ns exceeds the deadline {}",
                observed(&tasks, &levels, this),
                tasks[this].deadline()
            ),
        };
        prop_assert_eq!(outcome.verdict.to_string(), expected);
        prop_assert_eq!(outcome.strength, Strength::Exact);
    }

    #[test]
    fn equal_lies_between_above_and_below(tasks in common::large_set(8), seed in any::<u64>()) {
        let mut seed = Random(seed);
        let levels: Vec<_> = tasks
            .iter()
            .map(|_| Level(2 * u32::try_from(seed.below(3)).unwrap() + 1))
            .collect();
        let response = |levels: &[Level], this: usize| {
            let limit = WorkLimit::default();
            fixed_priority::response_times(&tasks, levels, limit).unwrap()[this]
        };
        for this in 0..tasks.len() {
            let mut above = levels.clone();
            above[this].0 += 1;
            let mut below = levels.clone();
            below[this].0 -= 1;
            let Some(equal) = response(&levels, this).bound() else {
                prop_assert_eq!(response(&below, this), Response::Unbounded);
                continue;
            };
            prop_assert!(response(&above, this).bound().unwrap() <= equal);
            prop_assert!(equal <= response(&below, this).bound().unwrap());
        }
    }

    #[test]
    fn what_fixed_priorities_hold_edf_holds(tasks in common::large_set(10)) {
        let limit = WorkLimit::default();
        for levels in [
            priority::rate_monotonic(&tasks),
            priority::deadline_monotonic(&tasks),
            vec![Level(0); tasks.len()],
        ] {
            if fixed_priority::test(&tasks, &levels, limit).unwrap().holds() {
                prop_assert_eq!(edf_demand::test(&tasks, limit).verdict, Verdict::Holds);
            }
        }
    }
}
