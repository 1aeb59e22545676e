//! Reasons by hand, and that there is one.

use super::{Explanation, Share, explain};
use crate::WorkLimit;
use crate::gedf::{Set, Task, Test, response_times, rta, test};

const LIMIT: WorkLimit = WorkLimit::steps(1_000_000);

fn set(tasks: &[(u64, u64, u64)]) -> Set {
    let task = |&(wcet, period, deadline): &(u64, u64, u64)| Task {
        wcet,
        period,
        deadline,
    };
    Set::new(tasks.iter().map(task).collect()).unwrap()
}

fn said(which: Test, set: &Set, cpus: u32) -> Explanation {
    explain(which, set, cpus, LIMIT).unwrap()
}

#[test]
fn what_no_test_takes_is_said_of_the_task() {
    assert_eq!(
        said(Test::Rta, &set(&[(1, 4, 4), (5, 9, 4)]), 2),
        Explanation::TooLong(1)
    );
    assert_eq!(
        said(Test::Rta, &set(&[(1, 4, 4), (5, 9, 10)]), 2),
        Explanation::LateDeadline(1)
    );
    let full = set(&[(4, 4, 4), (4, 4, 4), (1, 4, 4)]);
    let expected = Explanation::Share {
        what: Share::Utilisation,
        share: 2.25,
        bound: 2.0,
    };
    assert_eq!(said(Test::Bar, &full, 2), expected);
}

/// Dhall's effect: two short jobs, and one that takes nearly all of a longer period.
#[test]
fn dhall() {
    let dhall = set(&[(2, 10, 10), (2, 10, 10), (10, 11, 11)]);
    // 14.4/11 of densities; 2 − 10/11 is the bound.
    let Explanation::Share { share, bound, .. } = said(Test::Gfb, &dhall, 2) else {
        panic!("no share");
    };
    assert!((share - 14.4 / 11.0).abs() < 1e-12 && (bound - 12.0 / 11.0).abs() < 1e-12);
    // The long one has a slack of 1, in which each of the others may be in its way.
    for which in [Test::Bcl, Test::Rta] {
        let expected = Explanation::Window {
            task: Some(2),
            own: false,
            interval: 11,
            work: if which == Test::Bcl { 2 } else { 4 },
            room: if which == Test::Bcl { 2 } else { 3 },
        };
        assert_eq!(said(which, &dhall, 2), expected);
    }
    assert_eq!(response_times(&dhall, 2, LIMIT), None);
    assert_eq!(explain(Test::Rta, &dhall, 3, LIMIT), None);
    assert_eq!(response_times(&dhall, 3, LIMIT), Some(vec![2, 2, 10]));
}

/// The example in the documentation of [`gedf`](super::super).
#[test]
fn bounds_by_hand() {
    let tasks = [(75, 100, 100), (75, 100, 100), (5, 50, 50), (5, 50, 50)];
    // A light one: 5 + ⌊((R − 4) + (R − 4) + min(5, R − 4))/3⌋ = 10. A heavy one: at R = 85 the
    // other heavy one counts R − 74 = 11 and each light one 10, so 75 + ⌊31/3⌋ = 85. Slack changes
    // nothing of that.
    let bounds = response_times(&set(&tasks), 3, LIMIT).unwrap();
    assert_eq!(bounds, [85, 85, 10, 10]);
}

/// A test that does not accept has a reason, which has more work than room.
#[cfg(not(miri))]
#[test]
fn there_is_a_reason() {
    use proptest::prelude::*;
    let task = (1..20_u64, 0..10_u64, 0..10_u64)
        .prop_map(|(wcet, more, late)| (wcet, wcet + more + late, wcet + more));
    let sets = proptest::collection::vec(task, 1..8);
    proptest!(|(tasks in sets, cpus in 2..4_u32)| {
        let set = set(&tasks);
        for which in Test::ALL {
            let accepts = test(which, &set, cpus, LIMIT).accepts();
            match explain(which, &set, cpus, LIMIT) {
                None => prop_assert!(accepts),
                Some(Explanation::Share { share, bound, .. }) => {
                    prop_assert!(!accepts && share > bound - 1e-9);
                }
                Some(Explanation::Window { work, room, .. }) => {
                    prop_assert!(!accepts && work + 1 >= room, "{which} {work} {room}");
                }
                // The one test that may take longer than its limit.
                Some(Explanation::NoBound(_) | Explanation::Stopped(_)) => {
                    prop_assert!(!accepts && which == Test::Rtalc);
                }
                Some(other) => prop_assert!(false, "{which}: {other:?}"),
            }
        }
        let accepts = test(Test::Rtalc, &set, cpus, LIMIT).accepts();
        let bounds = response_times(&set, cpus, LIMIT);
        prop_assert_eq!(bounds.is_some(), accepts);
        for (bound, task) in bounds.iter().flatten().zip(set.tasks()) {
            prop_assert!((task.wcet..=task.deadline).contains(bound));
        }
        if test(Test::Rta, &set, cpus, LIMIT).accepts() {
            // Limited carry-in makes no bound longer.
            let slacks = rta::outcome(&set, cpus, &mut LIMIT.meter()).unwrap().slacks;
            for ((bound, task), slack) in bounds.unwrap().iter().zip(set.tasks()).zip(slacks) {
                prop_assert!(*bound <= task.deadline - slack);
            }
        }
    });
}
