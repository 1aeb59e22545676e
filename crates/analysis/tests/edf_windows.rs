//! Windows of deadlines against the definition, and against schedules in which they begin anywhere.

use crate::common;

use common::{Job, Random, coprime_set, horizon, int, large_set, random, simulate, small_set};
use flyball_analysis::sensitivity::Margin;
use flyball_analysis::{SporadicTask, Verdict, WorkLimit, edf_demand, edf_windows};
use flyball_trace::Duration;
use proptest::prelude::*;

fn verdict(tasks: &[SporadicTask], window: i64) -> Verdict {
    let window = Duration::from_nanos(window.try_into().unwrap());
    edf_windows::test(tasks, window, WorkLimit::default()).verdict
}

/// The longest window; `None` if EDF does not hold the tasks.
fn largest(tasks: &[SporadicTask]) -> Option<i64> {
    match edf_windows::largest(tasks, WorkLimit::default()) {
        Margin::Exactly(window) => Some(int(window)),
        Margin::Nothing => None,
        stopped => panic!("{stopped:?}"),
    }
}

/// The least of t − dbf(t) over every t that may be in question.
fn least_left(tasks: &[SporadicTask]) -> i64 {
    let demand = |t: i64| {
        int(edf_demand::demand(
            tasks,
            Duration::from_nanos(t.try_into().unwrap()),
        ))
    };
    let first = tasks
        .iter()
        .map(|task| int(task.deadline()) - int(task.jitter()))
        .min()
        .unwrap();
    let all = first.max(0)..horizon(tasks);
    all.map(|t| t - demand(t)).min().unwrap()
}

/// Whether a job is late where deadlines of a window are served in an order that follows from a seed.
fn is_late(tasks: &[SporadicTask], window: i64, seed: u64) -> bool {
    let mut draw = Random(seed);
    let begins = draw.below(window);
    let until = horizon(tasks);
    let mut jobs: Vec<Job> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        jobs.extend(random(index, task, &mut draw, until));
    }
    // The order of a window's jobs is another one in each window.
    let key = |job: &Job| {
        let window = (job.deadline + begins).div_euclid(window);
        let mixed = seed ^ window.cast_unsigned().wrapping_mul(0x9e37_79b9);
        (
            window,
            Random(mixed ^ job.task as u64).below(1 << 30),
            job.arrival,
        )
    };
    simulate(&mut jobs, until, key);
    let mut due = jobs.iter().filter(|job| job.deadline < until);
    due.any(|job| job.finish.is_none_or(|finish| finish > job.deadline))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_largest_window_is_what_intervals_leave(
        (tasks, _) in prop_oneof![small_set(true), small_set(false), coprime_set(true)],
    ) {
        prop_assume!(!tasks.is_empty());
        let by_definition = Some(least_left(&tasks)).filter(|&left| left >= 0);
        let found = largest(&tasks);
        prop_assert_eq!(found, by_definition);
        if let Some(window) = found {
            prop_assert_eq!(verdict(&tasks, window), Verdict::Holds);
            let beyond = verdict(&tasks, window + 1);
            prop_assert!(matches!(beyond, Verdict::Unknown(_)), "{:?}", beyond);
        } else {
            let fails = verdict(&tasks, 1);
            prop_assert!(matches!(fails, Verdict::Fails(_)), "{:?}", fails);
        }
    }

    #[test]
    fn no_job_is_late_in_the_largest_window(
        (tasks, _) in prop_oneof![small_set(true), coprime_set(true)],
        seed: u64,
    ) {
        let window = if tasks.is_empty() { None } else { largest(&tasks) };
        if let Some(window) = window.filter(|&window| window > 0) {
            prop_assert!(!is_late(&tasks, window, seed), "{}", window);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn long_times_agree_with_the_test(tasks in large_set(12)) {
        if let Margin::Exactly(window) = edf_windows::largest(&tasks, WorkLimit::default()) {
            let window = int(window);
            prop_assert_eq!(verdict(&tasks, window), Verdict::Holds);
            prop_assert_ne!(verdict(&tasks, window + 1), Verdict::Holds);
        }
    }
}

/// In windows that are longer than the largest one some jobs are late: the schedules above can tell.
#[test]
fn longer_windows_are_found_out() {
    let tasks = [common::task(3, 10, 6, 0), common::task(4, 20, 14, 0)];
    assert_eq!(largest(&tasks), Some(3));
    assert!(!(0..1000).any(|seed| is_late(&tasks, 3, seed)));
    assert!((0..1000).any(|seed| is_late(&tasks, 9, seed)));
}
