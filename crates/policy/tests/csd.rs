//! CSD against its definition, from one unit of time to the next.

use flyball_policy::csd::{InQueue, StaticAndDynamic, TwoQueues};
use flyball_policy::{
    Boxed, CpuId, Deadline, Duration, Encode, Parameter, Period, Policy, Ranked, Ready, Refused,
    Resched, Stop, TaskId, Time, Usage,
};
use proptest::prelude::*;
use std::collections::VecDeque;

const CPU: CpuId = CpuId(0);
const END: u64 = 120;

type Csd = Ranked<StaticAndDynamic, TwoQueues<Boxed>>;

/// In which queue a task is, with its deadline or period; and when jobs come, and what they compute.
type Work = (bool, u64, Vec<(u64, u64)>);

/// What is left of a job, its key, and which arrival it was.
type Waiting = (u64, (bool, u64), usize);

fn works() -> impl Strategy<Value = Vec<Work>> {
    let jobs = prop::collection::vec((0_u64..20, 1_u64..6), 0..12).prop_map(|gaps| {
        let mut at = 0;
        let job = |(gap, length)| {
            at += gap;
            (at, length)
        };
        gaps.into_iter().map(job).collect()
    });
    prop::collection::vec((any::<bool>(), 1_u64..12, jobs), 1..7)
}

fn in_queue(&(is_dynamic, length, _): &Work) -> InQueue {
    let length = Duration::from_nanos(length);
    if is_dynamic {
        InQueue::Dynamic(Deadline(length))
    } else {
        InQueue::Static(Period(length))
    }
}

/// Which task runs in each unit of time.
fn run(works: &[Work]) -> Vec<Option<usize>> {
    let mut policy = Csd::new(StaticAndDynamic, works.len());
    for (task, work) in works.iter().enumerate() {
        let task = TaskId::from_index(task);
        policy.admit(task, in_queue(work), Time::ZERO).unwrap();
    }
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.2.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut running: Option<usize> = None;
    let mut schedule = Vec::new();
    for t in 0..END {
        let now = Time::from_nanos(t);
        let mut resched = Resched::None;
        if let Some(task) = running.filter(|&task| left[task] == 0) {
            let task = TaskId::from_index(task);
            resched = policy.stopped(CPU, task, Usage::default(), Stop::Completed, now);
        }
        for task in 0..works.len() {
            if left[task] == 0 && jobs[task].front().is_some_and(|job| job.0 <= t) {
                let (at, length) = jobs[task].pop_front().unwrap();
                left[task] = length;
                let release = Time::from_nanos(at);
                let why = Ready::Released { release };
                resched = resched.and(policy.ready(CPU, TaskId::from_index(task), why, now));
            }
        }
        if resched.includes(CPU) {
            running = policy.pick(CPU, now).map(|it| it.task.index());
        }
        if let Some(task) = running {
            left[task] -= 1;
        }
        schedule.push(running);
    }
    schedule
}

/// The dynamic queue first, by deadlines, then the static one, by periods; and equals as they come.
fn model(works: &[Work]) -> Vec<Option<usize>> {
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.2.clone().into()).collect();
    let mut ready: Vec<Option<Waiting>> = vec![None; works.len()];
    let mut arrivals = 0;
    let mut schedule = Vec::new();
    for t in 0..END {
        for (task, (is_dynamic, length, _)) in works.iter().enumerate() {
            if ready[task].is_none() && jobs[task].front().is_some_and(|job| job.0 <= t) {
                let (at, left) = jobs[task].pop_front().unwrap();
                let key = if *is_dynamic { at + length } else { *length };
                ready[task] = Some((left, (!is_dynamic, key), arrivals));
                arrivals += 1;
            }
        }
        let first = (0..works.len()).filter(|&task| ready[task].is_some());
        let first = first.min_by_key(|&task| ready[task].map(|it| (it.1, it.2)));
        if let Some(task) = first {
            let (left, key, arrival) = ready[task].unwrap();
            ready[task] = (left > 1).then_some((left - 1, key, arrival));
        }
        schedule.push(first);
    }
    schedule
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn csd_does_what_the_model_does(works in works()) {
        prop_assert_eq!(run(&works), model(&works));
    }
}

/// A task of the static queue that has what one of the dynamic queue waits for is ahead of others
/// there, until it gives that back.
#[test]
fn urgency_is_inherited_from_the_other_queue() {
    let work = |is_dynamic, length| (is_dynamic, length, Vec::new());
    let works = [work(true, 5), work(false, 50), work(true, 7)];
    let [high, owner, middle] = [0, 1, 2].map(TaskId);
    let mut policy = Csd::new(StaticAndDynamic, 3);
    let now = Time::ZERO;
    let released = Ready::Released { release: now };
    for (task, work) in works.iter().enumerate() {
        policy
            .admit(TaskId::from_index(task), in_queue(work), now)
            .unwrap();
    }
    for task in [high, owner, middle] {
        let _ = policy.ready(CPU, task, released, now);
    }
    let first = |policy: &mut Csd| policy.pick(CPU, now).map(|it| it.task);
    assert_eq!(first(&mut policy), Some(high));
    let _ = policy.stopped(CPU, high, Usage::default(), Stop::Blocked, now);
    assert_eq!(first(&mut policy), Some(middle));
    let _ = policy.inherit(owner, Some(high), now);
    assert_eq!(first(&mut policy), Some(owner));
    let _ = policy.inherit(owner, None, now);
    assert_eq!(first(&mut policy), Some(middle));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut policy = Csd::new(StaticAndDynamic, 1);
    let refused = |parameter| Err(Refused::Invalid(parameter));
    let task = TaskId(0);
    let nothing = InQueue::Dynamic(Deadline(Duration::ZERO));
    assert_eq!(
        policy.admit(task, nothing, Time::ZERO),
        refused(Parameter::Deadline)
    );
    let nothing = InQueue::Static(Period(Duration::ZERO));
    assert_eq!(
        policy.admit(task, nothing, Time::ZERO),
        refused(Parameter::Period)
    );
    let some = InQueue::Static(Period(Duration::from_nanos(7)));
    let mut bytes = Vec::new();
    some.emit(&mut |part| bytes.extend_from_slice(part));
    assert_eq!(InQueue::parse(&mut &bytes[..]), Some(some));
}
