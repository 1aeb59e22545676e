//! The processor-demand test against the scheduler of `common`, and against the definition.

use crate::common;

use common::{Job, Random, densest, horizon, int, random, simulate};
use flyball_analysis::{Reason, SporadicTask, Verdict, WorkLimit, edf_demand, edf_response};
use flyball_trace::Duration;
use proptest::prelude::*;

fn verdict(tasks: &[SporadicTask]) -> Verdict {
    edf_demand::test(tasks, WorkLimit::default()).verdict
}

/// Whether all deadlines are met when all tasks are released at 0 and as fast as they can.
fn meets_all(tasks: &[SporadicTask]) -> bool {
    let until = horizon(tasks);
    let mut jobs: Vec<Job> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        jobs.extend(densest(index, task, until));
    }
    simulate(&mut jobs, until, common::edf(0));
    jobs.iter()
        .filter(|job| job.deadline < until)
        .all(|job| job.finish.is_some_and(|finish| finish <= job.deadline))
}

/// dbf by counting.
fn demand(tasks: &[SporadicTask], interval: i64) -> i64 {
    let mut sum = 0;
    for task in tasks {
        let mut deadline = int(task.deadline()) - int(task.jitter());
        while deadline <= interval {
            sum += int(task.wcet());
            deadline += int(task.period());
        }
    }
    sum
}

fn check_witness(tasks: &[SporadicTask], verdict: &Verdict) -> Result<(), TestCaseError> {
    if let Verdict::Fails(reason) = verdict {
        let Reason::Demand {
            interval,
            demand: more,
            blocking,
        } = reason
        else {
            return Err(TestCaseError::fail("no witness"));
        };
        prop_assert!(blocking.is_zero());
        prop_assert!(more > interval);
        prop_assert_eq!(int(*more), demand(tasks, int(*interval)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn verdict_is_that_of_the_scheduler((tasks, _) in common::small_set(false)) {
        prop_assert_eq!(verdict(&tasks) == Verdict::Holds, meets_all(&tasks));
    }

    #[test]
    fn with_jitter_too((tasks, _) in common::small_set(true)) {
        prop_assert_eq!(verdict(&tasks) == Verdict::Holds, meets_all(&tasks));
        check_witness(&tasks, &verdict(&tasks))?;
    }

    #[test]
    fn with_any_periods((tasks, _) in common::coprime_set(true)) {
        prop_assert_eq!(verdict(&tasks) == Verdict::Holds, meets_all(&tasks));
        check_witness(&tasks, &verdict(&tasks))?;
    }

    #[test]
    fn quick_walk_agrees_with_every_step(
        (tasks, _) in prop_oneof![common::small_set(true), common::coprime_set(true)],
    ) {
        let all = (0..horizon(&tasks)).all(|t| demand(&tasks, t) <= t);
        prop_assert_eq!(verdict(&tasks) == Verdict::Holds, all);
        for t in 0..40_u32 {
            let interval = Duration::from_nanos(t.into());
            let found = edf_demand::demand(&tasks, interval);
            prop_assert_eq!(int(found), demand(&tasks, t.into()));
        }
    }

    #[test]
    fn blocking_agrees_with_every_step(
        (tasks, _) in common::coprime_set(true),
        blockings in prop::collection::vec(0_u64..4, 8),
    ) {
        let tasks: Vec<_> = tasks
            .iter()
            .zip(blockings)
            .map(|(task, b)| task.with_blocking(Duration::from_nanos(b)).unwrap())
            .collect();
        let longest = tasks.iter().map(|task| int(task.deadline())).max().unwrap_or(0);
        let blocking = |t: i64| {
            let within = tasks
                .iter()
                .filter(|task| int(task.deadline()) - int(task.jitter()) <= t && t < longest);
            within.map(|task| int(task.blocking())).max().unwrap_or(0)
        };
        let steps = 0..horizon(&tasks);
        let bare = steps.clone().all(|t| demand(&tasks, t) <= t);
        let fits = |t| demand(&tasks, t) == 0 || demand(&tasks, t) + blocking(t) <= t;
        let blocked = steps.clone().all(fits);
        match verdict(&tasks) {
            Verdict::Holds => prop_assert!(bare && blocked),
            Verdict::Fails(_) => prop_assert!(!bare),
            Verdict::Unknown(_) => prop_assert!(bare && !blocked),
        }
    }

    /// The proof that all should be released at 0 is not taken for granted.
    #[test]
    fn no_arrivals_break_what_holds(
        (tasks, _) in common::coprime_set(true),
        seed in any::<u64>(),
    ) {
        if verdict(&tasks) == Verdict::Holds {
            let mut seed = Random(seed);
            for _ in 0..4 {
                let mut jobs: Vec<Job> = Vec::new();
                for (index, task) in tasks.iter().enumerate() {
                    jobs.extend(random(index, task, &mut seed, 150));
                }
                simulate(&mut jobs, 150, common::edf(0));
                for job in jobs.iter().filter(|job| job.deadline <= 150) {
                    prop_assert!(job.finish.is_some_and(|finish| finish <= job.deadline));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Two analyses that share little: demand and response times.
    #[test]
    fn agrees_with_the_response_times(tasks in common::large_set(10)) {
        let limit = WorkLimit::default();
        let responses = edf_response::response_times(&tasks, limit);
        let within = |(task, response): (&SporadicTask, &flyball_analysis::Response)| {
            response.is_within(task.deadline()).unwrap()
        };
        let all = tasks.iter().zip(&responses).all(within);
        prop_assert_eq!(verdict(&tasks) == Verdict::Holds, all);
    }
}
