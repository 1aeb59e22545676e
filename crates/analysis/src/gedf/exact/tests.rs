use super::*;
use crate::gedf::{Test, test};
use std::collections::HashSet;

const LIMIT: WorkLimit = WorkLimit::steps(50_000_000);

/// In the largest unit that there is.
fn in_units(set: &Set, cpus: u32, limit: WorkLimit) -> Truth {
    exact(set, cpus, common_unit(set), limit)
}

fn set(tasks: &[(u64, u64, u64)]) -> Set {
    let task = |&(wcet, period, deadline): &(u64, u64, u64)| Task {
        wcet,
        period,
        deadline,
    };
    Set::new(tasks.iter().map(task).collect()).unwrap()
}

/// Whether the counterexample's job is late, by a simulation that knows nothing of states.
fn is_late(set: &Set, cpus: usize, example: &Counterexample) -> bool {
    struct Job {
        task: usize,
        left: u64,
        deadline: u64,
        arrival: u64,
    }
    let tasks = set.tasks();
    let mut jobs: Vec<Job> = Vec::new();
    let mut last = vec![None; tasks.len()];
    for now in 0..=example.deadline {
        let is_it = |job: &Job| job.task == example.task && job.deadline == example.deadline;
        if now == example.deadline {
            return jobs.iter().any(|job| job.left > 0 && is_it(job));
        }
        for &(_, task) in example.arrivals.iter().filter(|(time, _)| *time == now) {
            let Task {
                wcet,
                period,
                deadline,
            } = tasks[task];
            assert!(last[task].is_none_or(|last: u64| last + period <= now));
            last[task] = Some(now);
            jobs.push(Job {
                task,
                left: wcet,
                deadline: now + deadline,
                arrival: now,
            });
        }
        jobs.retain(|job| job.left > 0);
        jobs.sort_by_key(|job| (job.deadline, job.arrival, job.task));
        for job in jobs.iter_mut().take(cpus) {
            job.left -= 1;
        }
    }
    false
}

/// The same search without anything left out.
fn plainly_holds(tasks: &[(u64, u64, u64)], cpus: usize) -> bool {
    let first: Vec<(u64, u64)> = vec![(0, 0); tasks.len()];
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        for arrived in 0..1_u32 << tasks.len() {
            let chosen = |i: usize| arrived & 1 << i != 0;
            if (0..tasks.len()).any(|i| chosen(i) && state[i] != (0, 0)) {
                continue;
            }
            let mut next = state.clone();
            for (i, &(wcet, period, _)) in tasks.iter().enumerate() {
                if chosen(i) {
                    next[i] = (wcet, period);
                }
            }
            let mut ready: Vec<usize> = (0..tasks.len()).filter(|&i| next[i].0 > 0).collect();
            // Of equal deadlines, that of the job that arrived first: T − r units ago.
            ready.sort_by_key(|&i| {
                let (_, period, deadline) = tasks[i];
                let ago = period - next[i].1;
                (next[i].1 + deadline - period, u64::MAX - ago, i)
            });
            for &i in ready.iter().take(cpus) {
                next[i].0 -= 1;
            }
            for (row, &(_, period, deadline)) in next.iter_mut().zip(tasks) {
                row.1 = row.1.saturating_sub(1);
                if row.0 > 0 && row.1 <= period - deadline {
                    return false;
                }
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    true
}

/// Dhall's effect: the long job comes in second place.
#[test]
fn dhall() {
    let dhall = set(&[(2, 10, 10), (2, 10, 10), (10, 11, 11)]);
    let Truth::Fails(example) = in_units(&dhall, 2, LIMIT) else {
        panic!("it holds");
    };
    assert_eq!(example.task, 2);
    assert!(is_late(&dhall, 2, &example));
    assert_eq!(in_units(&dhall, 3, LIMIT), Truth::Holds);
}

/// Times have a unit of their own, which need not be the nanosecond.
#[test]
fn units_do_not_matter() {
    let ns = 1_000_000;
    let dhall = set(&[
        (2 * ns, 10 * ns, 10 * ns),
        (2 * ns, 10 * ns, 10 * ns),
        (10 * ns, 11 * ns, 11 * ns),
    ]);
    let Truth::Fails(example) = in_units(&dhall, 2, LIMIT) else {
        panic!("it holds");
    };
    assert!(example.deadline >= 11 * ns && example.deadline.is_multiple_of(ns));
}

/// One task needs a whole CPU, so nothing may keep it from one for a unit. All at once, and
/// periodic, it is never kept; but it is if jobs of both others with earlier deadlines come
/// together.
#[test]
fn the_synchronous_case_is_not_the_worst() {
    let tasks = [(5, 5, 5), (2, 6, 6), (1, 4, 4)];
    let set = set(&tasks);
    let Truth::Fails(example) = in_units(&set, 2, LIMIT) else {
        panic!("it holds");
    };
    assert!(is_late(&set, 2, &example));
    // Periodic and all at once, for two hyperperiods.
    let mut all: Vec<(u64, usize)> = Vec::new();
    for (task, &(_, period, _)) in tasks.iter().enumerate() {
        all.extend((0..120 / period).map(|job| (job * period, task)));
    }
    all.sort_unstable();
    let together = |deadline| Counterexample {
        arrivals: all.clone(),
        task: 0,
        deadline,
    };
    assert!((1..120).all(|deadline| !is_late(&set, 2, &together(deadline))));
}

/// The example of the module's documentation, in half units.
#[test]
fn arrivals_between_units_can_be_worse() {
    let tasks = set(&[(2, 4, 4), (2, 2, 2), (2, 4, 2)]);
    assert_eq!(exact(&tasks, 2, 2, LIMIT), Truth::Holds);
    let Truth::Fails(example) = exact(&tasks, 2, 1, LIMIT) else {
        panic!("it holds");
    };
    assert_eq!(example.task, 1);
    assert!(is_late(&tasks, 2, &example));
    assert!(matches!(exact(&tasks, 2, 3, LIMIT), Truth::Stopped(_)));
}

#[test]
fn what_it_cannot_take_is_not_guessed() {
    let arbitrary = set(&[(1, 4, 5)]);
    assert!(matches!(in_units(&arbitrary, 2, LIMIT), Truth::Stopped(_)));
    let many = set(&[(1, 4, 4); MOST_TASKS + 1]);
    assert!(matches!(in_units(&many, 2, LIMIT), Truth::Stopped(_)));
    let short = WorkLimit::steps(100);
    let tasks = set(&[(3, 7, 7), (4, 9, 9), (5, 11, 11), (6, 13, 13)]);
    assert_eq!(in_units(&tasks, 2, short), Truth::Stopped(Stop::WorkLimit));
}

#[cfg(not(miri))]
mod random {
    use super::*;
    use proptest::prelude::*;

    fn sets(tasks: usize, longest: u64) -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
        let task = (1..=longest)
            .prop_flat_map(|period| (Just(period), 1..=period))
            .prop_flat_map(|(period, deadline)| (1..=deadline, Just(period), Just(deadline)));
        proptest::collection::vec(task, 2..=tasks)
    }

    /// 400 sets, or as many times more as `SOAK` says.
    fn cases() -> u32 {
        let soak = std::env::var("SOAK").ok();
        let times: u32 = soak.and_then(|soak| soak.parse().ok()).unwrap_or(1);
        times * 400
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]

        /// What is left out makes no difference.
        #[test]
        fn it_is_the_plain_search(tasks in sets(3, 5), cpus in 1..3_u32) {
            let truth = exact(&set(&tasks), cpus, 1, LIMIT);
            prop_assert_eq!(truth == Truth::Holds, plainly_holds(&tasks, cpus as usize));
        }

        /// A counterexample is one, and no sufficient test accepts a set that has one.
        #[test]
        fn no_test_accepts_what_fails(tasks in sets(5, 8), cpus in 2..4_u32) {
            let set = set(&tasks);
            match exact(&set, cpus, 1, LIMIT) {
                Truth::Fails(example) => {
                    prop_assert!(is_late(&set, cpus as usize, &example), "{example:?}");
                    for which in Test::ALL {
                        let accepts = test(which, &set, cpus, LIMIT).accepts();
                        prop_assert!(!accepts, "{which}: {example:?}");
                    }
                }
                Truth::Holds => {
                    prop_assert!(set.is_eligible(cpus));
                    prop_assert!(!crate::gedf::is_infeasible(&set, cpus, LIMIT));
                }
                Truth::Stopped(_) => {}
            }
        }
    }
}
