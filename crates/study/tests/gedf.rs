//! What a sufficient test of global EDF accepts never misses a deadline in simulation: neither if
//! all tasks begin together, nor with any other phases. (A test cannot be refuted by a set that it
//! rejects.)
//!
//! The tests are about arrivals at whole units of time, so for phases in between they are asked in
//! a smaller unit.

use crate::common;

use common::config;
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{self, Set, Test, test};
use flyball_catalogue::{Clustered, Edf};
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Times are in these: short ones would leave no room for phases in between.
const UNIT: u64 = 10;

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

/// Period, WCET and deadline in units, with periods with a small least common multiple, and a phase
/// of up to one period in tenths of a unit.
fn task() -> impl Strategy<Value = (gedf::Task, u64)> {
    let period = proptest::sample::select(&[3_u64, 4, 5, 6, 8, 10, 12, 15][..]);
    (period, 5_u64..100, 0_u64..150, any::<u64>()).prop_map(|(period, percent, early, phase)| {
        let wcet = (period * percent * percent / 10_000).max(1);
        let deadline = period - (period - wcet) * early.saturating_sub(50) / 100;
        let task = gedf::Task {
            wcet,
            period,
            deadline,
        };
        (task, phase % (period * UNIT))
    })
}

fn model(tasks: &[(gedf::Task, u64)], cpus: u8, phases: bool) -> TaskSet {
    let mut set = TaskSet::default();
    set.platform.cpus = cpus;
    let task = |(number, &(task, phase)): (usize, &(gedf::Task, u64))| Task {
        deadline: Some(units(task.deadline)),
        phase: Duration::from_nanos(if phases { phase } else { 0 }),
        ..Task::periodic(format!("t{number}"), units(task.period), units(task.wcet))
    };
    set.tasks = tasks.iter().enumerate().map(task).collect();
    set
}

fn misses(set: &TaskSet) -> bool {
    common::misses(set, &Clustered::global(Edf), set.hyperperiod().unwrap() * 3)
}

#[test]
fn what_is_accepted_is_never_late() {
    const CASES: u32 = 3000;
    let accepted: [AtomicU32; Test::ALL.len()] = Default::default();
    let late = AtomicU32::new(0);
    let sets = proptest::collection::vec(task(), 2..14);
    let config = config(CASES);
    let cases = config.cases;
    proptest!(config, |(tasks in sets, cpus in 2_u8..6)| {
        let accepting = |unit: u64| {
            let longer = |&(task, _): &(gedf::Task, u64)| gedf::Task {
                wcet: task.wcet * unit,
                period: task.period * unit,
                deadline: task.deadline * unit,
            };
            let set = Set::new(tasks.iter().map(longer).collect()).unwrap();
            let accepts = move |which: &(usize, Test)| {
                test(which.1, &set, cpus.into(), WorkLimit::default()).accepts()
            };
            Test::ALL.into_iter().enumerate().filter(accepts).collect::<Vec<_>>()
        };
        for (phases, accepting) in [(false, accepting(1)), (true, accepting(UNIT))] {
            let late_now = misses(&model(&tasks, cpus, phases));
            late.fetch_add(u32::from(late_now), Ordering::Relaxed);
            prop_assert!(!late_now || accepting.is_empty(), "late, but {accepting:?} accept it");
            for (position, _) in accepting {
                accepted[position].fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    // Each has accepted some sets, and some sets had a late task.
    let accepted = accepted.map(AtomicU32::into_inner);
    assert!(
        accepted.iter().all(|&accepted| accepted > cases / 30),
        "{accepted:?}"
    );
    assert!(late.into_inner() > cases / 10);
}

/// Found at random: a set that the tests of the literature accept in whole units, where arrivals in
/// between make a job late. In a smaller unit they do not accept it.
#[test]
fn arrivals_between_units_are_asked_about_in_a_smaller_unit() {
    let tasks = [
        (1, 8, 5, 54),
        (1, 5, 5, 38),
        (1, 6, 6, 5),
        (6, 15, 7, 26),
        (2, 5, 5, 29),
    ];
    let with_phases = |unit: u64| -> Vec<_> {
        let task = |&(wcet, period, deadline, phase): &(u64, u64, u64, u64)| {
            let task = gedf::Task {
                wcet: wcet * unit,
                period: period * unit,
                deadline: deadline * unit,
            };
            (task, phase)
        };
        tasks.iter().map(task).collect()
    };
    let accepts = |which, unit| {
        let tasks = with_phases(unit).into_iter().map(|(task, _)| task);
        let set = Set::new(tasks.collect()).unwrap();
        test(which, &set, 3, WorkLimit::default()).accepts()
    };
    let model = model(&with_phases(1), 3, true);
    assert!(misses(&model));
    assert!(
        [Test::Rta, Test::Rtalc]
            .into_iter()
            .all(|which| accepts(which, 1))
    );
    assert!(!Test::ALL.into_iter().any(|which| accepts(which, UNIT)));
}
