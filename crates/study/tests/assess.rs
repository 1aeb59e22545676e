//! What `analyse` says holds is never late in simulation: with ticks, phases, deadlines before and
//! beyond periods, with the priorities of the file or with those that were found, in the partition
//! that was found, and in slots of PD².

use crate::common;

use common::config;
use flyball_analysis::WorkLimit;
use flyball_analysis::criterion::Policy;
use flyball_catalogue::{Clustered, Edf, Fp, Pd2};
use flyball_model::{Setting, Task, TaskSet, Value};
use flyball_sim::Scheduler;
use flyball_study::Registry;
use flyball_study::assess::{Assessment, ForPolicy, assess};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Periods in tenths of a millisecond, with a small least common multiple.
const PERIODS: [u64; 8] = [40, 50, 60, 75, 80, 100, 120, 150];

fn tenths(count: u64) -> Duration {
    Duration::from_micros(100 * count)
}

fn task() -> impl Strategy<Value = Task> {
    let period = proptest::sample::select(&PERIODS[..]);
    let deadline = prop_oneof![3 => Just(100_u64), 1 => 40_u64..100, 1 => 100_u64..180];
    let times = (period, 5_u64..90, deadline, 0_u64..150);
    times.prop_map(|(period, percent, deadline, phase)| {
        let wcet = (period * percent * percent / 10_000).max(1);
        Task {
            deadline: Some(tenths((period * deadline / 100).max(wcet))),
            phase: tenths(phase % period),
            ..Task::periodic("", tenths(period), tenths(wcet))
        }
    })
}

/// Two CPUs or three, a tick of some length or none, priorities or none, and slots of some length.
fn sets() -> impl Strategy<Value = TaskSet> {
    let tick = prop_oneof![2 => Just(None), 1 => (1_u64..12).prop_map(|it| Some(tenths(it)))];
    let tasks = proptest::collection::vec(task(), 2..8);
    let slot = proptest::sample::select(&[5_u64, 10, 20][..]);
    (tasks, 2_u8..4, tick, any::<bool>(), slot).prop_map(|(tasks, cpus, tick, given, slot)| {
        let mut set = TaskSet {
            tasks,
            ..TaskSet::default()
        };
        for (number, task) in (0_u8..).zip(&mut set.tasks) {
            task.name = format!("t{number}");
            task.priority = given.then_some(100 - number * 7 % 8);
        }
        set.platform.cpus = cpus;
        set.platform.tick = tick;
        let quantum = Setting {
            value: Value::Duration(tenths(slot)),
            place: None,
        };
        let settings = set.policies.entry("pd2".into()).or_default();
        settings.values.insert("quantum".into(), quantum);
        set
    })
}

fn misses<S: Scheduler>(set: &TaskSet, scheduler: &S) -> bool {
    common::misses(set, scheduler, set.hyperperiod().unwrap() * 3)
}

/// Whether the set is late under a policy that was found to hold it.
fn is_late(set: &TaskSet, found: &Assessment, by: &ForPolicy) -> Option<bool> {
    let mut set = set.clone();
    Some(match by.policy {
        Policy::GlobalEdf => misses(&set, &Clustered::global(Edf)),
        Policy::PartitionedEdf => {
            let places = &found.division.as_ref()?.places;
            for (task, &cpu) in set.tasks.iter_mut().zip(places) {
                task.cpu = u8::try_from(cpu).ok();
            }
            misses(&set, &Edf)
        }
        Policy::GlobalFp => {
            for (rank, &task) in (0_u8..).zip(by.priorities.as_ref()?) {
                set.tasks[task].priority = Some(200 - rank);
            }
            misses(&set, &Clustered::global(Fp))
        }
        Policy::Fair => {
            let settings = &set.policies["pd2"];
            let Value::Duration(quantum) = settings.values["quantum"].value else {
                return None;
            };
            misses(&set, &Pd2 { quantum })
        }
        _ => return None,
    })
}

#[test]
fn what_holds_is_never_late() {
    const POLICIES: [Policy; 4] = [
        Policy::GlobalEdf,
        Policy::PartitionedEdf,
        Policy::GlobalFp,
        Policy::Fair,
    ];
    let held: [AtomicU32; POLICIES.len()] = Default::default();
    let ticking = AtomicU32::new(0);
    let config = config(120);
    let cases = config.cases;
    proptest!(config, |(set in sets())| {
        let limit = WorkLimit::steps(1_000_000);
        let Ok(found) = assess(&Registry::standard(), &set, set.platform.cpus.into(), None, limit, &|_| ()) else {
            // A tick that leaves no time.
            prop_assert!(set.platform.tick.is_some());
            return Ok(());
        };
        for (policy, held) in POLICIES.into_iter().zip(&held) {
            let by = found.policies.iter().find(|it| it.policy == policy).unwrap();
            if by.holds() {
                held.fetch_add(1, Ordering::Relaxed);
                ticking.fetch_add(u32::from(set.platform.tick.is_some()), Ordering::Relaxed);
                prop_assert_eq!(by.verdict.holds(), Some(true));
                prop_assert!(is_late(&set, &found, by) == Some(false), "{policy} is late");
            }
        }
    });
    let held = held.map(AtomicU32::into_inner);
    assert!(
        held.iter().all(|&held| held > cases / 12),
        "{held:?} of {cases}"
    );
    assert!(ticking.into_inner() > cases / 12);
}
