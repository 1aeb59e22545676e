//! The edges that the searches find really are edges, and what lies beyond them fails.

use crate::common;

use flyball_analysis::sensitivity::{self, Factor, Margin};
use flyball_analysis::{
    Answer, Level, SporadicTask, WorkLimit, edf_demand, fixed_priority, hyperbolic, liu_layland,
    priority,
};
use flyball_trace::Duration;
use proptest::prelude::*;

/// Close to full load the exact tests take for ever, and the searches go there.
const LIMIT: WorkLimit = WorkLimit::steps(20_000);

fn edf(tasks: &[SporadicTask]) -> Answer {
    Answer::from(&edf_demand::test(tasks, LIMIT))
}

/// Deadline-monotonic; the deadlines do not change with the WCETs, so neither do the levels.
fn dm(tasks: &[SporadicTask]) -> Answer {
    let levels = priority::deadline_monotonic(tasks);
    Answer::from(&fixed_priority::test(tasks, &levels, LIMIT).unwrap())
}

/// Whether the test rejects what is just beyond an exact edge. Where a test stopped there is nothing
/// to ask: it may
/// take less work to accept more.
fn is_edge<T>(margin: &Margin<T>, beyond: impl FnOnce() -> Answer) -> bool {
    margin.stopped().is_some() || beyond() == Answer::Rejects
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn breakdown_is_the_edge(tasks in common::large_set(8)) {
        for test in [edf, dm] {
            let margin = sensitivity::breakdown(&tasks, test);
            if let Some(found) = margin.proven() {
                let ppm = found.factor.ppm();
                prop_assert!(test(&found.factor.scale(&tasks).unwrap()).accepts());
                let beyond = || test(&Factor::from_ppm(ppm + 1).scale(&tasks).unwrap());
                prop_assert!(is_edge(&margin, beyond), "{margin:?}");
                prop_assert_eq!(test(&tasks).accepts(), found.factor >= Factor::ONE);
            }
        }
    }

    #[test]
    fn slack_is_the_edge(tasks in common::large_set(8)) {
        for test in [edf, dm] {
            for (index, task) in tasks.iter().enumerate() {
                let margin = sensitivity::slack(&tasks, index, test);
                prop_assert_eq!(margin.proven().is_some(), test(&tasks).accepts());
                let Some(&slack) = margin.proven() else { continue };
                let mut longer = tasks.clone();
                longer[index] = task.with_wcet(task.wcet() + slack).unwrap();
                prop_assert!(test(&longer).accepts());
                let beyond = || {
                    let longest = task.wcet() + slack + Duration::from_nanos(1);
                    longer[index] = task.with_wcet(longest).unwrap();
                    test(&longer)
                };
                prop_assert!(is_edge(&margin, beyond), "{margin:?}");
            }
        }
    }

    /// Deadlines within the periods, so that no search runs into a limit.
    #[test]
    fn quick_slacks_are_the_slow_ones(
        tasks in common::large_set(8),
        levels in prop::collection::vec(0_u32..4, 8),
    ) {
        let constrained: Vec<_> = tasks
            .iter()
            .map(|task| {
                let deadline = task.deadline().min(task.period());
                SporadicTask::new(task.wcet(), task.period(), deadline).unwrap()
            })
            .collect();
        let levels: Vec<_> = levels.into_iter().take(tasks.len()).map(Level).collect();
        quick_is_slow(&constrained, &levels)?;
        quick_is_slow(&constrained, &priority::deadline_monotonic(&constrained))?;
    }

    /// Any deadlines and jitter, but numbers so small that any busy interval is short.
    #[test]
    fn quick_slacks_with_late_deadlines((tasks, levels) in common::small_set(true)) {
        quick_is_slow(&tasks, &levels)?;
    }
}

fn quick_is_slow(tasks: &[SporadicTask], levels: &[Level]) -> Result<(), TestCaseError> {
    let limit = WorkLimit::default();
    let quick = sensitivity::fixed_priority_slacks(tasks, levels, limit).unwrap();
    let test =
        |tasks: &[SporadicTask]| Answer::from(&fixed_priority::test(tasks, levels, limit).unwrap());
    let slow: Vec<_> = (0..tasks.len())
        .map(|index| sensitivity::slack(tasks, index, test))
        .collect();
    prop_assert_eq!(quick, slow);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn longer_jobs_never_help(
        tasks in common::large_set(8),
        ppm in 300_000_u64..1_500_000,
        more in 1_u64..300_000,
    ) {
        let less = Factor::from_ppm(ppm).scale(&tasks).unwrap();
        let more = Factor::from_ppm(ppm + more).scale(&tasks).unwrap();
        for test in [edf, dm] {
            prop_assert!(test(&less).accepts() || !test(&more).accepts());
        }
    }

    #[test]
    fn bounds_imply_what_they_bound(tasks in common::large_set(8), ppm in 500_000_u64..1_000_000) {
        let implicit: Vec<_> = Factor::from_ppm(ppm)
            .scale(&tasks)
            .unwrap()
            .iter()
            .map(|task| SporadicTask::new(task.wcet(), task.period(), task.period()).unwrap())
            .collect();
        let by_sum = liu_layland::test(&implicit).holds();
        let by_product = hyperbolic::test(&implicit).holds();
        prop_assert!(by_product || !by_sum);
        for levels in [
            priority::rate_monotonic(&implicit),
            priority::distinct(&priority::rate_monotonic(&implicit)),
        ] {
            let exact = fixed_priority::test(&implicit, &levels, LIMIT).unwrap();
            prop_assert!(exact.holds() || !by_product);
        }
        prop_assert!(edf(&implicit).accepts());
    }
}
