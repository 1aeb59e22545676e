//! What a sufficient test of global EDF accepts never misses a deadline in simulation: neither if all tasks begin
//! together, nor with any other phases. (A test cannot be refuted by a set that it rejects.)

mod common;

use common::config;
use flyball_analysis::WorkLimit;
use flyball_analysis::gedf::{self, Set, Test, test};
use flyball_model::{Task, TaskSet};
use flyball_sim::schedulers::{Clustered, Edf};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, NoTrace};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Times are in these: short ones would leave no room for phases in between.
const UNIT: u64 = 10;

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

/// Period, WCET and deadline in units, with periods with a small least common multiple, and a phase of up to one
/// period in tenths of a unit.
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
    let options = Options {
        until: set.hyperperiod().unwrap() * 3,
        stop_at_miss: true,
        seed: 0,
    };
    simulate(set, &Clustered::global(Edf), &options, &mut NoTrace)
        .unwrap()
        .misses
        > 0
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
        let set = Set::new(tasks.iter().map(|&(task, _)| task).collect()).unwrap();
        let accepting: Vec<_> = Test::ALL
            .into_iter()
            .enumerate()
            .filter(|&(_, which)| test(which, &set, cpus.into(), WorkLimit::default()).accepts())
            .collect();
        for phases in [false, true] {
            let late_now = misses(&model(&tasks, cpus, phases));
            late.fetch_add(u32::from(late_now), Ordering::Relaxed);
            prop_assert!(!late_now || accepting.is_empty(), "late, but {accepting:?} accept it");
        }
        for (position, _) in accepting {
            accepted[position].fetch_add(1, Ordering::Relaxed);
        }
    });
    // Each has said something, and there was somebody to be late.
    let accepted = accepted.map(AtomicU32::into_inner);
    assert!(
        accepted.iter().all(|&accepted| accepted > cases / 30),
        "{accepted:?}"
    );
    assert!(late.into_inner() > cases / 10);
}
