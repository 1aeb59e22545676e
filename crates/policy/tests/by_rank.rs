//! A static order on the bitmap decides as it does with a heap, whatever comes, goes and changes.

use flyball_policy::{
    ByRank, CpuId, Deadline, DeadlineMonotonic, Duration, Heap, Inline, Period, Policy, Ranked,
    RateMonotonic, Ready, Refused, StaticOrder, Stop, TaskId, Time, Usage,
};
use proptest::prelude::*;

const CPU: CpuId = CpuId(0);
const TASKS: u16 = 16;

#[derive(Clone, Copy, Debug)]
enum Step {
    Admit(u64),
    Adjust(u64),
    Retire,
    Ready { released: bool },
    Stop(Stop),
    Inherit(Option<u16>),
}

fn step() -> impl Strategy<Value = (u16, Step)> {
    let key = || prop_oneof![1_u64..6, 1_u64..1_000_000];
    let stop = prop_oneof![
        Just(Stop::Blocked),
        Just(Stop::Completed),
        Just(Stop::Yielded)
    ];
    let step = prop_oneof![
        4 => key().prop_map(Step::Admit),
        3 => key().prop_map(Step::Adjust),
        1 => Just(Step::Retire),
        6 => any::<bool>().prop_map(|released| Step::Ready { released }),
        3 => stop.prop_map(Step::Stop),
        2 => prop::option::of(0..TASKS).prop_map(Step::Inherit),
    ];
    (0..TASKS, step)
}

#[derive(Clone, Copy, Default)]
struct Task {
    member: bool,
    /// It has had a job, and so a key.
    released: bool,
    queued: bool,
    inherits: Option<u16>,
}

/// The two policies make the same of all steps.
fn agree<O: StaticOrder + Copy>(
    order: O,
    params: impl Fn(Duration) -> O::Params,
    steps: &[(u16, Step)],
) -> Result<(), TestCaseError> {
    let mut model = Ranked::<O, Heap<O::Key, Inline<16>>>::new(order, 16);
    let mut policy = ByRank::<O, Inline<16>>::new(order, 16);
    let mut tasks = [Task::default(); TASKS as usize];
    let mut running: Option<TaskId> = None;
    let now = Time::ZERO;
    for &(n, step) in steps {
        let (task, row) = (TaskId(n), tasks[usize::from(n)]);
        let with = |key| params(Duration::from_nanos(key));
        match step {
            Step::Admit(key) => {
                let admitted = model.admit(task, with(key), now);
                prop_assert_eq!(policy.admit(task, with(key), now), admitted);
                if admitted.is_ok() {
                    tasks[usize::from(n)] = Task {
                        member: true,
                        ..Task::default()
                    };
                } else {
                    prop_assert_eq!(admitted, Err(Refused::Member));
                }
            }
            Step::Adjust(key) => {
                let adjusted = model.adjust(task, with(key), now);
                prop_assert_eq!(policy.adjust(task, with(key), now), adjusted);
                prop_assert_eq!(adjusted.is_ok(), row.member);
            }
            Step::Retire if row.member && !row.queued => {
                for (other, row) in tasks.iter_mut().enumerate() {
                    if row.inherits == Some(n) {
                        row.inherits = None;
                        let other = TaskId(u16::try_from(other).unwrap());
                        let resched = model.inherit(other, None, now);
                        prop_assert_eq!(policy.inherit(other, None, now), resched);
                    }
                }
                model.retire(task, now);
                policy.retire(task, now);
                tasks[usize::from(n)] = Task::default();
            }
            Step::Ready { released } if row.member && !row.queued => {
                let why = if released || !row.released {
                    Ready::Released { release: now }
                } else {
                    Ready::Unblocked
                };
                let resched = model.ready(CPU, task, why, now);
                prop_assert_eq!(policy.ready(CPU, task, why, now), resched);
                (tasks[usize::from(n)].queued, tasks[usize::from(n)].released) = (true, true);
            }
            Step::Stop(why) => {
                let Some(task) = running.filter(|&task| tasks[task.index()].queued) else {
                    continue;
                };
                let resched = model.stopped(CPU, task, Usage::default(), why, now);
                let same = policy.stopped(CPU, task, Usage::default(), why, now);
                prop_assert_eq!(same, resched);
                tasks[task.index()].queued = why == Stop::Yielded;
            }
            Step::Inherit(from) if row.member && row.released => {
                let is_waiting = |&from: &u16| {
                    let other = tasks[usize::from(from)];
                    from != n && other.released && !other.queued
                };
                let from = from.filter(is_waiting);
                let resched = model.inherit(task, from.map(TaskId), now);
                prop_assert_eq!(policy.inherit(task, from.map(TaskId), now), resched);
                tasks[usize::from(n)].inherits = from;
            }
            Step::Retire | Step::Ready { .. } | Step::Inherit(_) => {}
        }
        let picked = model.pick(CPU, now);
        prop_assert_eq!(policy.pick(CPU, now), picked);
        running = picked.map(|picked| picked.task);
        let known = (0..TASKS)
            .filter(|&n| tasks[usize::from(n)].released)
            .map(TaskId);
        for a in known.clone() {
            for b in known.clone() {
                prop_assert_eq!(policy.compare(a, b), model.compare(a, b), "{:?} {:?}", a, b);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn as_with_a_heap(steps in prop::collection::vec(step(), 1..300)) {
        agree(RateMonotonic, Period, &steps)?;
        agree(DeadlineMonotonic, Deadline, &steps)?;
    }
}

/// One more key than there are places is refused, and nothing has changed.
#[test]
fn too_many_keys_are_refused() {
    let period = |n: u16| Period(Duration::from_millis(n.into()));
    let mut policy = ByRank::<RateMonotonic, Inline<512>>::new(RateMonotonic, 512);
    for n in 0..256 {
        policy
            .admit(TaskId(n), period(2 * n + 2), Time::ZERO)
            .unwrap();
    }
    let refused = policy.admit(TaskId(256), period(7), Time::ZERO);
    assert_eq!(refused, Err(Refused::Full));
    policy.admit(TaskId(257), period(8), Time::ZERO).unwrap();
    let why = Ready::Released {
        release: Time::ZERO,
    };
    for n in (0..256).rev() {
        let _ = policy.ready(CPU, TaskId(n), why, Time::ZERO);
        assert_eq!(policy.pick(CPU, Time::ZERO).unwrap().task, TaskId(n));
    }
    let _ = policy.ready(CPU, TaskId(257), why, Time::ZERO);
    let _ = policy.stopped(CPU, TaskId(0), Usage::default(), Stop::Blocked, Time::ZERO);
    let zero = Err(Refused::Invalid(flyball_policy::Parameter::Period));
    assert_eq!(policy.admit(TaskId(258), period(0), Time::ZERO), zero);
}

/// With a key for each task there is room for another one, whatever it is.
#[test]
fn any_task_gets_any_key() {
    let period = |n: u16| Period(Duration::from_millis(n.into()));
    let mut policy = ByRank::<RateMonotonic, Inline<16>>::new(RateMonotonic, 16);
    for n in 0..16 {
        policy
            .admit(TaskId(n), period(100 + n), Time::ZERO)
            .unwrap();
    }
    for round in 1..100 {
        for n in 0..16 {
            let key = if round % 2 == 0 { 100 } else { 100 + round };
            let _ = policy
                .adjust(TaskId(n), period(key + 200 * n), Time::ZERO)
                .unwrap();
        }
    }
}
