//! Many epochs, under a scheduler with two arrays: a task that has had its turn is put into the other one,
//! and when the first is empty the two are swapped.

use crate::double_sorted::{Lane, Random, Small, TASKS, table_3_1};
use flyball_policy::{
    Costs, End, Group, Kept, LooseLists, LooseWalk, Queue, Scope, StrictLists, StrictWalk, TaskId,
    TourLists, Visits,
};
use proptest::prelude::*;

/// Runs so many epochs of equal tasks and returns how many adjustments each had, with the one to
/// begin with; the CPU is in domain 0 at first.
fn adjustments<Q: Queue<Lane>>(groups: &[Group], epochs: usize) -> Vec<usize> {
    let new = || {
        let mut queue = Q::new(groups.len());
        for (task, &group) in groups.iter().enumerate() {
            queue.regroup(TaskId::from_index(task), group);
        }
        queue
    };
    let (mut active, mut expired) = (new(), new());
    for task in 0..groups.len() {
        active.insert(TaskId::from_index(task), Lane(120), End::Tail);
    }
    let mut present = Group(0);
    let mut counts = Vec::new();
    for _ in 0..epochs {
        let mut count = 0;
        active.prefer(present);
        while let Some(task) = active.first() {
            let group = groups[task.index()];
            count += usize::from(group != present);
            present = group;
            active.serve(task);
            let key = active.remove(task).unwrap();
            expired.insert(task, key, End::Tail);
        }
        counts.push(count);
        std::mem::swap(&mut active, &mut expired);
    }
    counts
}

/// The lower bound is one less than the number of domains. The O(1) designs reach it; the O(n) ones
/// begin each epoch with the highest domain again, and have one more.
#[test]
fn only_the_constant_time_designs_reach_the_lower_bound() {
    let groups: Vec<_> = [0, 3, 1, 0, 2, 3, 1, 0].map(Group).into();
    assert_eq!(
        adjustments::<StrictLists<Lane, Small>>(&groups, 50),
        [3; 50]
    );
    assert_eq!(adjustments::<LooseLists<Lane, Small>>(&groups, 50), [3; 50]);
    assert_eq!(adjustments::<TourLists<Lane, Small>>(&groups, 50), [3; 50]);
    assert_eq!(adjustments::<StrictWalk<Lane, Small>>(&groups, 50), [4; 50]);
    assert_eq!(adjustments::<LooseWalk<Lane, Small>>(&groups, 50), [4; 50]);
}

/// Fig 3.2: where every list has a task, levels are gone through in a zigzag, and each adds the
/// domains but one.
#[test]
fn levels_are_a_zigzag() {
    let mut queue = StrictLists::<Lane, Small>::new(TASKS.into());
    for task in 0..12_u8 {
        queue.regroup(TaskId(task.into()), Group(task % 2));
        queue.insert(TaskId(task.into()), Lane(task / 4), End::Tail);
    }
    let mut served = Vec::new();
    while let Some(task) = queue.first() {
        served.push(task.0);
        queue.serve(task);
        queue.take(task);
    }
    assert_eq!(served, [0, 2, 1, 3, 5, 7, 4, 6, 8, 10, 9, 11]);
}

/// Fig 3.3: two levels on one have one adjustment where there were three.
#[test]
fn two_on_one() {
    fn served<Q: Queue<Lane>>(mut queue: Q, first_level: u8) -> Vec<u16> {
        for task in 0..8_u8 {
            queue.regroup(TaskId(task.into()), Group(task % 2));
            queue.insert(TaskId(task.into()), Lane(first_level + task / 4), End::Tail);
        }
        let mut served = Vec::new();
        while let Some(task) = queue.first() {
            served.push(task.0);
            queue.serve(task);
            queue.take(task);
        }
        served
    }
    let loose =
        || LooseLists::<Lane, Small>::with(TASKS.into(), Scope::default(), Visits::default());
    let strict = StrictLists::<Lane, Small>::new(TASKS.into());
    assert_eq!(served(strict, 110), [0, 2, 1, 3, 5, 7, 4, 6]);
    assert_eq!(served(loose(), 110), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!(
        served(loose(), 98),
        [0, 2, 1, 3, 5, 7, 4, 6],
        "real-time levels are strict"
    );
}

/// Costs under which the cheapest way is always down, and up again at the end.
fn downwards() -> Costs {
    let cost = |from: u32, to: u32| from.checked_sub(to).unwrap_or(1_000);
    let row = |from| (0..5).map(|to| cost(from, to)).collect::<Vec<_>>();
    Costs::new(&(0..5).map(row).collect::<Vec<_>>()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 500 }))]

    /// The designs in O(1) and O(n) serve the same tasks in the same order, where costs say that
    /// domains are visited from the highest to the lowest and the CPU begins each level there.
    #[test]
    fn both_serve_the_same(tasks in proptest::collection::vec((0..3_u8, (0..5_u8).prop_map(Group)), 1..=16)) {
        let visits = Visits::cheapest(&downwards(), Kept::ALL);
        let mut lists = StrictLists::<Lane, Small>::with(TASKS.into(), visits);
        let mut walk = StrictWalk::<Lane, Small>::new(TASKS.into());
        for (task, &(level, group)) in tasks.iter().enumerate() {
            let task = TaskId::from_index(task);
            lists.regroup(task, group);
            walk.regroup(task, group);
            lists.insert(task, Lane(level), End::Tail);
            walk.insert(task, Lane(level), End::Tail);
        }
        let mut level = None;
        while let Some(task) = walk.first() {
            if level != walk.key(task) {
                level = walk.key(task);
                lists.prefer(Group(4));
            }
            prop_assert_eq!(lists.first(), Some(task));
            lists.serve(task);
            lists.take(task);
            walk.serve(task);
            walk.take(task);
        }
        prop_assert_eq!(lists.first(), None);
    }
}

/// Under the costs of the source, for all sets of domains: a round costs what the table says, and to
/// go by the cheapest path costs not more than always to go to the nearest domain.
#[test]
fn paths_are_no_dearer_than_the_nearest_first() {
    let costs = table_3_1();
    let visits = Visits::cheapest(&costs, Kept::ALL);
    let mut random = Random(7);
    for start in costs.groups() {
        let mut queue = StrictLists::<Lane, Small>::with(TASKS.into(), visits);
        queue.prefer(start);
        for task in (0..10).map(TaskId) {
            let group = Group(random.byte_below(5)).min(Group(4));
            queue.regroup(
                task,
                if task.0 < 5 {
                    Group::of(task.index())
                } else {
                    group
                },
            );
            queue.insert(task, Lane(0), End::Tail);
        }
        let mut order = vec![start];
        while let Some(task) = queue.first() {
            order.push(queue.group(task));
            queue.serve(task);
            queue.take(task);
        }
        let nearest = costs.nearest_first(start).cost;
        assert!(costs.along(&order) <= nearest, "from {start:?}: {order:?}");
    }
}
