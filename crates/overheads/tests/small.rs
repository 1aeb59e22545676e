//! A small measurement finds everything that was asked for. How long anything takes is not
//! asserted: it depends on what else is at work.
#![cfg(target_arch = "x86_64")]

use flyball_overheads::measurements::{Act, Class, Interference, Quantity};
use flyball_overheads::{Error, Plan, PlanError, Policy, Queue, measure};
use std::ops::ControlFlow;

fn small() -> Plan {
    Plan {
        threads: vec![1, 5, 1024],
        repetitions: 50,
        linux: false,
        working_sets: Vec::new(),
        ..Plan::default()
    }
}

#[test]
fn every_policy_is_measured_with_all_its_queues() {
    let plan = Plan {
        policies: Policy::all().collect(),
        ..small()
    };
    for usual in Policy::USUAL {
        assert!(plan.policies.contains(&usual), "{usual:?}");
    }
    let found = measure(&plan, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(found.threads(), plan.threads);
    let kinds = found.kinds();
    let queues = plan.policies.iter().map(|policy| policy.queues().len());
    assert_eq!(kinds.len(), queues.sum::<usize>());
    for (policy, queue) in kinds {
        for &threads in &plan.threads {
            for quantity in Quantity::ALL {
                let cost = found.cost(policy, queue, threads, quantity);
                let cost = cost.unwrap_or_else(|| panic!("{policy:?} {queue:?} {quantity:?}"));
                // A handler of a timer that releases nothing is no sample; some release several
                // jobs.
                assert!(
                    cost.count > 0,
                    "{policy:?} {queue:?} {threads} {quantity:?}"
                );
                assert!(
                    cost.median <= cost.p999 && cost.p999 <= cost.worst,
                    "{cost:?}"
                );
                assert!(cost.outliers < cost.count, "{cost:?}");
            }
            let calls = found.cost(policy, queue, threads, Quantity::Scheduling);
            assert_eq!(calls.map(|calls| calls.count), Some(plan.repetitions));
        }
    }
    assert!(found.linux.is_empty() && found.cache.is_empty());
    assert!(found.processor.megahertz > 1.0);
}

/// What Linux does not permit is told; what it permits is measured.
#[test]
fn linux_and_caches_are_measured_or_it_is_said_why_not() {
    let plan = Plan {
        policies: vec![Policy::find("p-fp").unwrap()],
        queues: vec![Queue::Bitmap],
        threads: vec![5],
        linux: true,
        working_sets: vec![4096],
        ..small()
    };
    let mut parts = Vec::new();
    let found = measure(&plan, &mut |progress| {
        parts.push((progress.done, progress.of));
        ControlFlow::Continue(())
    })
    .unwrap();
    let of = parts.len();
    assert!(parts.into_iter().eq((0..of).map(|done| (done, of))));
    let acts = Act::ALL.iter().map(|act| act.classes().len());
    assert_eq!(found.linux.len(), acts.sum::<usize>());
    for linux in &found.linux {
        match &linux.result {
            Ok(summary) => assert!(summary.count > 0, "{linux:?}"),
            Err(why) => assert!(why.len() > 10, "{linux:?}"),
        }
    }
    if cfg!(target_os = "linux") {
        assert!(found.linux(Act::Switch, Class::Other).is_some());
    }
    assert_eq!(found.cache.len(), Interference::ALL.len());
    let preempted = found.cache[0].result.as_ref().unwrap();
    assert_eq!(preempted.delay.count, 10);
    assert_eq!(preempted.misses.is_none(), found.no_counters.is_some());
}

#[test]
fn the_watcher_may_end_it() {
    let ended = measure(&small(), &mut |_| ControlFlow::Break(()));
    assert_eq!(ended, Err(Error::Interrupted));
}

#[test]
fn a_bad_plan_is_refused_before_anything_is_measured() {
    let plan = Plan { cpus: 0, ..small() };
    let refused = measure(&plan, &mut |_| panic!("something is measured"));
    assert_eq!(refused, Err(Error::Plan(PlanError::Cpus(0))));
}
