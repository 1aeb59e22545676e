//! Groups are joined and parted while a policy runs.

use crate::double_sorted::{Small, TASKS, table_3_1};
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, CpuId, Design, DoubleSorted, Encode, FixedPriority, Group, Grouped, Grouping, Kept,
    Policy, Priority, Ranked, Ready, Refused, Resched, Sorts, Speed, Stop, TaskId, Time, Tune,
    Usage, Weight,
};
use proptest::prelude::*;

const CPU: CpuId = CpuId(0);
const NOW: Time = Time::ZERO;
const RELEASED: Ready = Ready::Released { release: NOW };

type Known = DoubleSorted<Ranked<FixedPriority, AnyDesign<Level, Small>>, Small>;

/// Equals in lists, which are visited in the order of the table of the source.
fn lists(sorts: Sorts) -> Known {
    let queue = AnyDesign::with(TASKS.into(), Design::StrictLists, &table_3_1(), sorts.kept);
    DoubleSorted::sorting(Ranked::with_queue(FixedPriority, queue), sorts)
}

fn at(priority: u8, group: u8) -> Grouped<Priority> {
    Grouped {
        params: Priority(priority),
        group: Group(group),
        speed: Some(Speed(group)),
    }
}

fn ready(policy: &mut Known, task: u16, group: u8) {
    policy.admit(TaskId(task), at(3, group), NOW).unwrap();
    let _ = policy.ready(CPU, TaskId(task), RELEASED, NOW);
}

/// Equals of these groups.
fn with(sorts: Sorts, groups: &[u8]) -> Known {
    let mut policy = lists(sorts);
    for (task, &group) in (0..).zip(groups) {
        ready(&mut policy, task, group);
    }
    policy
}

/// The first task runs to its end, and leaves if asked to.
fn complete(policy: &mut Known, retires: bool) -> Option<TaskId> {
    let task = policy.pick(CPU, NOW)?.task;
    let _ = policy.stopped(CPU, task, Usage::default(), Stop::Completed, NOW);
    if retires {
        policy.retire(task, NOW);
    }
    Some(task)
}

/// The order in which all of them run to their ends. None leaves.
fn order(policy: &mut Known) -> Vec<u16> {
    std::iter::from_fn(|| complete(policy, false).map(|task| task.0)).collect()
}

#[test]
fn a_group_that_costs_too_much_is_served_with_the_next_higher() {
    // To 104 MHz from 208 MHz and back: 1,800 cycles. To 208 MHz and out of it: 1,600.
    let time = |limit| table_3_1().kept(limit, Weight::TIME);
    let kept = |limit| Sorts {
        kept: time(limit),
        ..Sorts::ALWAYS
    };
    let groups = [0, 1, 0, 1];
    assert_eq!(order(&mut with(kept(1_800), &groups)), [0, 2, 1, 3]);
    assert_eq!(order(&mut with(kept(1_799), &groups)), [0, 1, 2, 3]);
    assert_eq!(with(kept(1_799), &groups).group(TaskId(0)), Group(1));
    // The operating point is the task's own.
    let picked = with(kept(1_799), &groups).pick(CPU, NOW).unwrap();
    assert_eq!(picked.speed, Some(Speed(0)));
}

#[test]
fn a_group_of_few_tasks_is_joined_and_parted_again() {
    let sorts = Sorts {
        fewest: 2,
        ..Sorts::ALWAYS
    };
    let mut policy = with(sorts, &[0, 1, 1]);
    assert_eq!(policy.group(TaskId(0)), Group(1));
    ready(&mut policy, 3, 0);
    assert_eq!(policy.group(TaskId(0)), Group(0));
    // The second group has one task from here on, and is the highest.
    assert_eq!(complete(&mut policy, false), Some(TaskId(0)));
    assert_eq!(complete(&mut policy, false), Some(TaskId(3)));
    assert_eq!(complete(&mut policy, true), Some(TaskId(1)));
    assert_eq!(policy.group(TaskId(2)), Group(1));
    policy.retire(TaskId(3), NOW);
    assert_eq!(policy.group(TaskId(0)), Group(1));
    let _ = policy.regroup(TaskId(2), Group(0), NOW);
    assert_eq!(policy.group(TaskId(0)), Group(0));
}

#[test]
fn nothing_is_sorted_while_it_does_not_pay() {
    // An adjustment costs 2 at each context switch, and sorting 1.
    let sorts = Sorts {
        sorting: 1,
        adjustment: 2,
        ..Sorts::ALWAYS
    };
    let mut policy = with(sorts, &[0, 1, 0, 1]);
    assert_eq!(order(&mut policy), [0, 2, 1, 3]);
    let mut come = |tasks: [u16; 2], times: u32| {
        for task in (0..times).flat_map(|_| tasks) {
            let _ = policy.ready(CPU, TaskId(task), RELEASED, NOW);
            complete(&mut policy, false);
        }
        let tasks = [0, 1, 2, 3];
        for task in tasks {
            let _ = policy.ready(CPU, TaskId(task), RELEASED, NOW);
        }
        order(&mut policy)
    };
    let unsorted = come([0, 2], 400);
    assert_eq!(unsorted, [0, 1, 2, 3], "all that came were of one group");
    let sorted = come([0, 1], 400);
    assert!(
        sorted == [0, 2, 1, 3] || sorted == [1, 3, 0, 2],
        "{sorted:?}"
    );
}

#[test]
fn it_is_tuned_while_it_runs() {
    let mut policy = with(Sorts::ALWAYS, &[0, 1, 0, 1]);
    let off = Sorts {
        kept: Kept::ALL.without(Group(0)),
        ..Sorts::ALWAYS
    };
    assert_eq!(policy.tune(Tune::Sorts(off), NOW).map(|_| ()), Ok(()));
    assert_eq!(policy.group(TaskId(0)), Group(1));
    // Those of the group that is left out come behind those that were there.
    assert_eq!(order(&mut policy), [1, 3, 0, 2]);
    assert_eq!(
        policy.tune(Tune::Sorts(Sorts::ALWAYS), NOW),
        Ok(Resched::None)
    );
    assert_eq!(policy.group(TaskId(0)), Group(0));
    assert_eq!(
        policy.tune(Tune::Within(FixedPriority), NOW),
        Ok(Resched::None)
    );

    let queue = AnyDesign::<Level, Small>::with(8, Design::StrictLists, &table_3_1(), Kept::ALL);
    let mut bare = DoubleSorted::new(Ranked::with_queue(FixedPriority, queue));
    assert_eq!(bare.tune(Tune::Sorts(off), NOW), Err(Refused::Fixed));
}

#[test]
fn settings_survive_being_bytes() {
    let sorts = Sorts {
        kept: Kept::ALL.without(Group(3)),
        fewest: 2,
        sorting: 300,
        adjustment: 70_000,
    };
    let mut bytes = Vec::new();
    sorts.emit(&mut |part| bytes.extend(part));
    assert_eq!(Sorts::parse(&mut &bytes[..]), Some(sorts));
    assert_eq!(bytes.len(), 10);
    for length in 0..10 {
        assert_eq!(Sorts::parse(&mut &bytes[..length]), None);
    }
}

/// What happens to a policy.
#[derive(Clone, Copy, Debug)]
enum Step {
    Comes(u16, u8, u8),
    Completes(bool),
    Regroups(u16, u8),
    Tunes(u8, u8, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let task = || 0..TASKS;
    prop_oneof![
        4 => (task(), 0..3_u8, 0..5_u8).prop_map(|(task, priority, group)| Step::Comes(task, priority, group)),
        3 => any::<bool>().prop_map(Step::Completes),
        1 => (task(), 0..5_u8).prop_map(|(task, group)| Step::Regroups(task, group)),
        1 => (any::<u8>(), 0..4_u8, 0..2_u32).prop_map(|(kept, fewest, sorting)| Step::Tunes(kept, fewest, sorting)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

    /// Whatever is joined and parted, no task is lost, priorities stay strict, and each level has each group
    /// that is visited at most once in turn. Which group serves a task is what the definition says.
    #[test]
    fn joined_and_parted(steps in proptest::collection::vec(step(), 0..80)) {
        let mut policy = lists(Sorts::ALWAYS);
        let mut sorts = Sorts::ALWAYS;
        let mut members: Vec<Option<(u8, u8, bool)>> = vec![None; TASKS.into()];
        for step in steps {
            match step {
                Step::Comes(task, priority, group) => match &mut members[usize::from(task)] {
                    Some((_, _, true)) => {}
                    Some((_, _, is_queued)) => {
                        *is_queued = true;
                        let _ = policy.ready(CPU, TaskId(task), RELEASED, NOW);
                    }
                    row @ None => {
                        *row = Some((priority, group, true));
                        policy.admit(TaskId(task), at(priority, group), NOW).unwrap();
                        let _ = policy.ready(CPU, TaskId(task), RELEASED, NOW);
                    }
                },
                Step::Completes(retires) => if let Some(task) = complete(&mut policy, retires) {
                    let row = &mut members[task.index()];
                    let (priority, group, is_queued) = row.unwrap();
                    prop_assert!(is_queued);
                    *row = (!retires).then_some((priority, group, false));
                },
                Step::Regroups(task, group) => if let Some((_, own, _)) = &mut members[usize::from(task)] {
                    *own = group;
                    let _ = policy.regroup(TaskId(task), Group(group), NOW);
                },
                Step::Tunes(kept, fewest, sorting) => {
                    let out = (0..8).filter(|bit| kept & 1 << bit == 0);
                    let kept = out.fold(Kept::ALL, |kept, group| kept.without(Group(group)));
                    sorts = Sorts { kept, fewest, sorting, adjustment: 1 };
                    let _ = policy.tune(Tune::Sorts(sorts), NOW);
                }
            }
            let groups = || members.iter().flatten().map(|&(_, group, _)| group);
            let highest = groups().max();
            let visited = |group: u8| {
                let count = groups().filter(|&other| other == group).count();
                sorts.kept.contains(Group(group))
                    && (sorts.fewest < 2 || count >= sorts.fewest.into() || Some(group) == highest)
            };
            for (task, row) in members.iter().enumerate() {
                let Some((_, group, _)) = *row else { continue };
                let served = (group..8).find(|&group| visited(group)).unwrap_or(group);
                prop_assert_eq!(policy.group(TaskId::from_index(task)), Group(served));
            }
        }
        let queued = members.iter().flatten().filter(|(_, _, is_queued)| *is_queued).count();
        let mut runs: Vec<(u8, Group)> = Vec::new();
        let served: Vec<_> = (0..TASKS).map(|task| policy.group(TaskId(task))).collect();
        let order = order(&mut policy);
        prop_assert_eq!(order.len(), queued);
        for task in order {
            let (priority, ..) = members[usize::from(task)].unwrap();
            let group = served[usize::from(task)];
            let last = runs.last().copied();
            prop_assert!(last.is_none_or(|(before, _)| before >= priority));
            if last != Some((priority, group)) {
                prop_assert!(!runs.contains(&(priority, group)) || sorts.sorting > 0, "{:?}", runs);
                runs.push((priority, group));
            }
        }
    }
}
