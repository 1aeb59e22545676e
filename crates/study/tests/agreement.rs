//! Analysis and simulation must never contradict each other.
//!
//! For random task sets: if an exact test accepts the set, no simulation misses a deadline; if it
//! rejects the set, the simulation from the critical instant does miss one.

use crate::common;

use common::config;
use flyball_catalogue::{Dm, Edf, Fp, Rm};
use flyball_model::{Length, Mutex, Protocol, Step, Task, TaskSet};
use flyball_sim::Scheduler;
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::theory::{Theory, analyse};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

const UNIT: u64 = 1_000;

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

/// Periods with a small least common multiple.
const PERIODS: [u64; 10] = [4, 5, 6, 8, 10, 12, 15, 20, 24, 30];

/// A task with some utilisation, a deadline from short to beyond the period, and a priority.
fn task() -> impl Strategy<Value = Task> {
    let period = proptest::sample::select(&PERIODS[..]);
    (period, 5u64..60, 0u64..4, 0u64..100, 0u8..6).prop_map(
        |(period, percent, kind, spread, priority)| {
            let wcet = (period * percent / 100).max(1);
            let deadline = match kind {
                0 | 1 => period,
                2 => wcet + (period - wcet) * spread / 100,
                _ => period + period * spread / 50,
            };
            Task {
                deadline: Some(units(deadline)),
                priority: Some(priority),
                ..Task::periodic("", units(period), units(wcet))
            }
        },
    )
}

fn set() -> impl Strategy<Value = TaskSet> {
    proptest::collection::vec(task(), 1..6).prop_map(|mut tasks| {
        for (number, task) in tasks.iter_mut().enumerate() {
            task.name = format!("t{number}");
        }
        TaskSet {
            tasks,
            ..TaskSet::default()
        }
    })
}

fn misses<S: Scheduler>(set: &TaskSet, scheduler: &S) -> bool {
    // Long enough for every busy period of a set that is not overloaded, and for an overload of one
    // unit in a hyperperiod to use up the longest deadline.
    let cycle = set.hyperperiod().unwrap();
    let until = cycle * (2 + 100 * u64::from(overloaded(set)));
    common::misses(set, scheduler, until)
}

fn overloaded(set: &TaskSet) -> bool {
    let cycle = set.hyperperiod().unwrap();
    let work: u64 = set
        .tasks
        .iter()
        .map(|task| cycle / task.arrival.period().unwrap() * task.wcet.as_nanos())
        .sum();
    work > cycle.as_nanos()
}

/// How many sets were accepted, rejected and neither, over all cases of a test.
struct Tally(AtomicU32, AtomicU32, AtomicU32);

impl Tally {
    const fn new() -> Tally {
        Tally(AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0))
    }

    /// A test in which one of the two hardly ever happens would show nothing.
    fn balanced(&self, cases: u32) {
        let [yes, no, doubt] = [&self.0, &self.1, &self.2].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(yes + no + doubt, cases);
        assert!(
            yes > cases / 10 && no > cases / 10,
            "{yes} accepted, {no} rejected"
        );
        assert!(doubt < cases / 10, "{doubt} in doubt");
    }
}

/// The heart of it, for one set.
fn agrees<S: Scheduler>(
    set: &TaskSet,
    theory: Theory,
    scheduler: &S,
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let findings = analyse(theory, set).expect("such sets are covered");
    match findings.holds {
        Some(true) => {
            tally.0.fetch_add(1, Ordering::Relaxed);
            prop_assert!(!misses(set, scheduler), "accepted, and misses");
        }
        Some(false) => {
            tally.1.fetch_add(1, Ordering::Relaxed);
            // At the critical instant all are released at once, and among equals the task in
            // question is the last.
            let last = (0..set.tasks.len()).any(|last| {
                let mut set = set.clone();
                let task = set.tasks.remove(last);
                set.tasks.push(task);
                misses(&set, scheduler)
            });
            prop_assert!(last, "rejected ({:?}), and does not miss", findings.because);
        }
        None => {
            let beyond = |task: &Task| task.deadline > task.arrival.period();
            let may_wait = set.tasks.iter().any(beyond) && set.tasks.len() > 1;
            prop_assert!(
                may_wait,
                "an exact test does not know: {:?}",
                findings.because
            );
            tally.2.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

fn run<S: Scheduler>(cases: u32, theory: Theory, scheduler: &S) {
    let tally = Tally::new();
    let config = config(cases);
    let cases = config.cases;
    proptest!(config, |(set in set())| {
        agrees(&set, theory, scheduler, &tally)?;
    });
    tally.balanced(cases);
}

fn theory(policy: &str) -> Theory {
    Registry::standard().find(policy).unwrap().theory
}

#[test]
fn rate_monotonic() {
    run(3_000, theory("rm"), &Rm);
}

#[test]
fn deadline_monotonic() {
    run(3_000, theory("dm"), &Dm);
}

#[test]
fn fixed_priorities() {
    run(3_000, theory("fp"), &Fp);
}

#[test]
fn earliest_deadline() {
    run(4_000, theory("edf"), &Edf);
}

/// Equal priorities and deadlines far beyond the periods, where a job may wait for an earlier one
/// of its own task while equals come: here the tests may be in doubt, but must not be wrong.
#[test]
fn equals_that_fall_behind_themselves() {
    let task = (
        proptest::sample::select(&PERIODS[..]),
        1u64..100,
        1u64..5,
        0u8..2,
    );
    let task = task.prop_map(|(period, percent, periods, priority)| {
        let wcet = (period * percent / 100).max(1);
        Task {
            deadline: Some(units(period * periods)),
            priority: Some(priority),
            ..Task::periodic("", units(period), units(wcet))
        }
    });
    let (accepted, doubtful) = (AtomicU32::new(0), AtomicU32::new(0));
    let config = config(6_000);
    let phases = proptest::collection::vec(0u64..30, 4);
    proptest!(config, |(tasks in proptest::collection::vec(task, 2..5), phases in phases)| {
        let mut set = TaskSet { tasks, ..TaskSet::default() };
        for (number, task) in set.tasks.iter_mut().enumerate() {
            task.name = format!("t{number}");
        }
        match analyse(theory("fp"), &set).expect("such sets are covered").holds {
            Some(true) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                prop_assert!(!misses(&set, &Fp), "accepted, and misses when all start together");
                for (task, &phase) in set.tasks.iter_mut().zip(&phases) {
                    task.phase = units(phase);
                }
                prop_assert!(!misses(&set, &Fp), "accepted, and misses with phases");
            }
            Some(false) => {}
            None => {
                doubtful.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let (accepted, doubtful) = (accepted.into_inner(), doubtful.into_inner());
    assert!(
        accepted > 500 && doubtful > 50,
        "{accepted} accepted, {doubtful} in doubt"
    );
}

/// Behaviours with critical sections that are not nested.
fn locking(wcet: u64) -> impl Strategy<Value = Vec<Step>> {
    let step = (0u16..2, any::<bool>());
    proptest::collection::vec(step, usize::try_from(wcet).unwrap()).prop_map(|units_of_work| {
        let compute = || Step::Compute(Length::Fixed(units(1)));
        units_of_work
            .into_iter()
            .flat_map(|(mutex, locks)| {
                if locks {
                    vec![Step::Lock(mutex), compute(), compute(), Step::Unlock(mutex)]
                } else {
                    vec![compute()]
                }
            })
            .collect()
    })
}

fn locking_set() -> impl Strategy<Value = TaskSet> {
    let period = proptest::sample::select(&[20u64, 24, 30, 40, 60][..]);
    let task = (period, 1u64..4, 0u64..20).prop_flat_map(|(period, wcet, phase)| {
        locking(wcet).prop_map(move |behaviour| {
            let demand = flyball_model::behaviour::demand(&behaviour).unwrap();
            let phase = units(phase);
            Task {
                phase,
                behaviour,
                ..Task::periodic("", units(period), demand.compute)
            }
        })
    });
    let mutex = |name: &str| Mutex {
        name: name.into(),
        protocol: Protocol::Inherit,
    };
    proptest::collection::vec(task, 2..6).prop_map(move |mut tasks| {
        for (number, task) in (0u8..).zip(&mut tasks) {
            task.name = format!("t{number}");
            task.priority = Some(number);
            task.deadline = task.deadline.map(|deadline| {
                Duration::from_nanos(deadline.as_nanos() * (u64::from(number) + 3) / 8)
                    .max(task.wcet)
            });
        }
        TaskSet {
            tasks,
            mutexes: vec![mutex("a"), mutex("b")],
            ..TaskSet::default()
        }
    })
}

/// No job took longer than the analysis says that it can.
fn bounds_hold(policy: &PolicyReport) -> Result<(), TestCaseError> {
    for task in &policy.tasks {
        if let (Some(bound), Some(max)) = (task.response_bound, task.measured.response.max()) {
            prop_assert!(
                max <= bound,
                "{} under {}: {max} > {bound}",
                task.name,
                policy.policy
            );
        }
    }
    Ok(())
}

#[test]
fn blocking_is_bounded_as_the_analysis_says() {
    let tally = Tally::new();
    let rejected = AtomicU32::new(0);
    let config = config(6_000);
    let registry = Registry::standard();
    let options = StudyOptions {
        policies: vec!["fp".into()],
        keep: 0,
        ..StudyOptions::default()
    };
    proptest!(config, |(set in locking_set())| {
        let findings = analyse(theory("fp"), &set).expect("such sets are covered");
        // The study weighs both witnesses, and fails if they contradict each other.
        let study = study(&registry, "random", set, &options, &mut |_| ControlFlow::Continue(()));
        let study = study.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let policy = &study.policies[0];
        bounds_hold(policy)?;
        match findings.holds {
            Some(true) => {
                tally.0.fetch_add(1, Ordering::Relaxed);
                prop_assert_eq!(policy.simulated.misses, 0, "accepted, and misses");
            }
            // Whether a bound that is not exact rejects rightly cannot be seen at one phasing.
            _ => {
                rejected.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let accepted = tally.0.load(Ordering::Relaxed);
    assert!(
        accepted > 300 && rejected.load(Ordering::Relaxed) > 300,
        "{accepted} accepted"
    );
}

#[test]
fn studies_of_random_sets_contradict_nothing() {
    let registry = Registry::standard();
    let config = config(500);
    proptest!(config, |(set in set(), phases in proptest::collection::vec(0u64..20, 6))| {
        let mut set = set;
        for (task, phase) in set.tasks.iter_mut().zip(phases) {
            task.phase = units(phase / 5);
        }
        let options = StudyOptions { keep: 0, ..StudyOptions::default() };
        let study = study(&registry, "random", set, &options, &mut |_| ControlFlow::Continue(()));
        let study = study.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for policy in &study.policies {
            prop_assert_eq!(policy.verdict.schedulable != Schedulable::Unknown, policy.verdict.proof.is_some());
            bounds_hold(policy)?;
        }
    });
}
