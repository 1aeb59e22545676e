//! What a repeating schedule proves stays true: no later miss, whatever a task set consists of.

use crate::common;

use common::config;
use flyball_model::{
    Arrival, Cost, Length, Mutex, Overheads, Platform, Protocol, Queue, Semaphore, Step, Task,
    TaskSet,
};
use flyball_study::results::Schedulable;
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// One step, or a pair of steps that belong together.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let compute = || (1u64..3).prop_map(|n| Step::Compute(Length::Fixed(us(n))));
    prop_oneof![
        6 => compute().prop_map(|compute| vec![compute]),
        1 => (1u64..4).prop_map(|n| vec![Step::Suspend(Length::Fixed(us(n)))]),
        2 => (0u16..2, compute()).prop_map(|(m, compute)| vec![Step::Lock(m), compute, Step::Unlock(m)]),
        1 => Just(vec![Step::Signal(0)]),
        1 => Just(vec![Step::Wait(0)]),
        1 => Just(vec![Step::Send(0)]),
        1 => Just(vec![Step::Receive(0)]),
        1 => Just(vec![Step::Yield]),
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let period = proptest::sample::select(&[4u64, 5, 10, 12, 20][..]);
    let rest = (
        proptest::collection::vec(steps(), 1..4),
        0u64..8,
        0u8..4,
        2u64..12,
        0u8..10,
    );
    (period, rest).prop_map(|(period, (behaviour, phase, priority, deadline, kind))| {
        let behaviour = behaviour.concat();
        let demand = flyball_model::behaviour::demand(&behaviour).unwrap();
        let mut task = Task {
            behaviour,
            phase: us(if kind < 5 { 0 } else { phase }),
            priority: Some(priority),
            ..Task::periodic("", us(period), demand.compute.max(us(1)))
        };
        task.deadline = Some(us(deadline).max(task.wcet));
        if kind == 9 {
            task.arrival = Arrival::Once;
        }
        task
    })
}

fn platform() -> impl Strategy<Value = Platform> {
    let tick = proptest::option::of(proptest::sample::select(&[1u64, 6, 10, 20][..]));
    (tick, any::<bool>()).prop_map(|(tick, costs)| Platform {
        tick: tick.map(us),
        overheads: Overheads {
            release: Cost::fixed(Duration::from_nanos(if costs { 100 } else { 0 })),
            context_switch: Cost::fixed(Duration::from_nanos(if costs { 70 } else { 0 })),
            ..Overheads::default()
        },
        ..Platform::default()
    })
}

fn set() -> impl Strategy<Value = TaskSet> {
    let tasks = proptest::collection::vec(task(), 1..5);
    (tasks, platform()).prop_map(|(mut tasks, platform)| {
        for (number, task) in tasks.iter_mut().enumerate() {
            task.name = format!("t{number}");
        }
        let mutex = |name: &str, protocol| Mutex {
            name: name.into(),
            protocol,
        };
        TaskSet {
            tasks,
            platform,
            mutexes: vec![mutex("a", Protocol::Inherit), mutex("b", Protocol::None)],
            semaphores: vec![Semaphore {
                name: "s".into(),
                initial: 1,
            }],
            queues: vec![Queue {
                name: "q".into(),
                capacity: 2,
                gauge: None,
            }],
            ..TaskSet::default()
        }
    })
}

#[test]
fn a_schedule_that_repeats_itself_never_misses() {
    let registry = Registry::standard();
    let proofs = AtomicU32::new(0);
    let config = config(1_000);
    // As long as a study takes by itself, or as long as it is told to.
    let until =
        proptest::option::of(proptest::sample::select(&[10u64, 20, 30, 60, 65][..]).prop_map(us));
    proptest!(config, |(set in set(), until in until)| {
        let mut options = StudyOptions { keep: 0, until, ..StudyOptions::default() };
        let run = |options: &StudyOptions| {
            study(&registry, "random", set.clone(), options, &mut |_| ControlFlow::Continue(()))
                .map_err(|error| TestCaseError::fail(error.to_string()))
        };
        let first = run(&options)?;
        let proved = first.policies.iter().filter(|policy| {
            let verdict = policy.verdict.schedulable;
            matches!(verdict, Schedulable::Always | Schedulable::ExactTimes)
        });
        for policy in proved {
            proofs.fetch_add(1, Ordering::Relaxed);
            options.policies = vec![policy.policy.clone()];
            options.until = Some(policy.simulated.until * 20 + us(7));
            let later = run(&options)?;
            prop_assert_eq!(later.policies[0].simulated.misses, 0, "{}", policy.policy);
        }
    });
    let proofs = proofs.load(Ordering::Relaxed);
    assert!(proofs > 300, "only {proofs} schedules repeated themselves");
}
