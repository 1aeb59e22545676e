//! Release jitter: what the tests of one CPU say of sporadic tasks is what happens when jobs of all
//! tasks are released at once, each as late as it may be, and the next ones as soon as they may be.

use crate::common;

use common::config;
use flyball_model::{Arrival, Jitter, Length, Task, TaskSet};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Sporadic tasks, the first the most urgent. Their periods have a small least common multiple.
fn sets() -> impl Strategy<Value = TaskSet> {
    const PERIODS: [u64; 7] = [8, 10, 12, 15, 20, 24, 30];
    let task = (
        0..PERIODS.len(),
        1..9_u64,
        0..40_u64,
        0..14_u64,
        any::<bool>(),
    );
    prop::collection::vec(task, 1..5).prop_map(|tasks| {
        let tasks = tasks.into_iter().enumerate().map(|(number, drawn)| {
            let (period, wcet, deadline, jitter, is_sporadic) = drawn;
            let separation = us(PERIODS[period]);
            let mut task = Task::periodic(format!("{number}"), separation, us(wcet));
            task.deadline = Some(us(deadline.max(wcet)));
            task.priority = Some(100 - u8::try_from(number).unwrap());
            task.jitter = us(jitter);
            if is_sporadic {
                let gap = Length::Fixed(separation);
                task.arrival = Arrival::Sporadic { separation, gap };
            }
            task
        });
        TaskSet {
            tasks: tasks.collect(),
            ..TaskSet::default()
        }
    })
}

/// The same with nothing but sporadic tasks: they may all come together.
fn all_sporadic(mut set: TaskSet) -> TaskSet {
    for task in &mut set.tasks {
        let separation = task.arrival.period().unwrap();
        let gap = Length::Fixed(separation);
        task.arrival = Arrival::Sporadic { separation, gap };
    }
    set
}

/// Long enough for each busy period of a set that is not overloaded, and for an overload to show.
fn horizon(set: &TaskSet) -> Duration {
    us(120) * 40 + set.latest_first_release()
}

fn is_overloaded(set: &TaskSet) -> bool {
    let work = |task: &Task| us(120) / task.arrival.period().unwrap() * task.wcet.as_nanos();
    set.tasks.iter().map(work).sum::<u64>() > us(120).as_nanos()
}

/// What a study says under a policy.
fn studied(set: &TaskSet, policy: &str, jitter: Jitter, seed: u64) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(horizon(set)),
        jitter: Some(jitter),
        seed,
        ..StudyOptions::default()
    };
    let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
    let found = study(&Registry::standard(), "", set.clone(), &options, &mut go_on);
    found.unwrap().policies.remove(0)
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn the_worst_of_sporadic_tasks_is_what_the_tests_say(set in sets().prop_map(all_sporadic)) {
        for policy in ["fp", "edf"] {
            let found = studied(&set, policy, Jitter::Worst, 0);
            let late = found.simulated.misses > 0;
            let expected = if late { Schedulable::Not } else { Schedulable::Always };
            prop_assert_eq!(found.verdict.schedulable, expected);
            prop_assert!(found.verdict.proof.as_deref() != Some("simulation"));
            for task in found.tasks.iter().filter(|_| policy == "fp" && !late) {
                prop_assert_eq!(task.measured.response.max(), task.response_bound);
            }
        }
    }

    /// Whatever the clock says of when jobs arrive, and however late they are released; a study
    /// that saw a miss where a test accepts would be an error.
    #[test]
    fn what_is_accepted_is_never_late(set in sets(), seed: u64) {
        let everyone: Vec<usize> = (0..set.tasks.len()).collect();
        for policy in ["fp", "edf"] {
            for jitter in [Jitter::Worst, Jitter::Random] {
                let found = studied(&set, policy, jitter, seed);
                let late = found.simulated.misses > 0;
                // Where the clock keeps tasks apart, nothing but an overload is known to be late.
                let is_known = set.may_coincide(&everyone) || is_overloaded(&set);
                prop_assert!(late || is_known || found.verdict.schedulable != Schedulable::Not);
                let is_proof = found.verdict.proof.as_deref() == Some("simulation");
                prop_assert!(late || !is_proof, "jitter makes no schedule that repeats itself");
            }
        }
    }
}

/// A test that is not about jitter rejects such a task wherever it is, which is no proof.
#[test]
fn what_no_test_covers_is_no_no() {
    let mut set = TaskSet {
        tasks: ["a", "b"]
            .map(|name| Task::periodic(name, us(10), us(1)))
            .into(),
        ..TaskSet::default()
    };
    set.tasks[0].jitter = us(1);
    let options = StudyOptions {
        cpus: Some(2),
        ..StudyOptions::default()
    };
    let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
    let set = all_sporadic(set);
    let found = study(&Registry::standard(), "", set.clone(), &options, &mut go_on).unwrap();
    // Slots are longer than these deadlines: jobs are seen to be late.
    let in_slots = |it: &&PolicyReport| it.policy == "soos";
    for it in found.policies.iter().filter(|it| !in_slots(it)) {
        assert_ne!(it.verdict.schedulable, Schedulable::Not, "{}", it.policy);
    }
    // Of less time than a job takes nothing is left on any number of CPUs.
    let mut set = set;
    set.tasks[0].jitter = us(9) + Duration::from_nanos(1);
    let found = study(&Registry::standard(), "", set, &options, &mut go_on).unwrap();
    for it in found
        .policies
        .iter()
        .filter(|it| !it.policy.starts_with(['p', 'r', 'f']))
    {
        assert_eq!(it.verdict.schedulable, Schedulable::Not, "{}", it.policy);
    }
}
