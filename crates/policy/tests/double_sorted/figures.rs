//! Figures 1.1 and 1.2 of the source: how many adjustments an epoch has, sorted and not.

use crate::double_sorted::{Lane, Small};
use flyball_policy::{
    Bitmap, End, Group, LooseLists, LooseWalk, Queue, StrictLists, StrictWalk, TaskId, TourLists,
};
use proptest::prelude::*;

const LOW: Group = Group(0);
const HIGH: Group = Group(1);

/// Runs each task once, in the order of the queue, on a CPU that is in the domain of `present` before.
/// Returns the domains of the tasks as they ran.
fn epoch<Q: Queue<Lane>>(groups: &[Group], present: Group) -> Vec<Group> {
    let mut queue = Q::new(groups.len());
    queue.prefer(present);
    for (task, &group) in groups.iter().enumerate() {
        let task = TaskId::from_index(task);
        queue.regroup(task, group);
        queue.insert(task, Lane(120), End::Tail);
    }
    let mut order = Vec::new();
    while let Some(task) = queue.first() {
        order.push(groups[task.index()]);
        queue.serve(task);
        queue.take(task);
    }
    order
}

/// How often the domain changes from one task to the next.
fn adjustments(order: &[Group]) -> usize {
    order.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// An epoch under some queue.
type Epoch = fn(&[Group], Group) -> Vec<Group>;

const SORTED: [Epoch; 5] = [
    epoch::<StrictLists<Lane, Small>>,
    epoch::<LooseLists<Lane, Small>>,
    epoch::<StrictWalk<Lane, Small>>,
    epoch::<LooseWalk<Lane, Small>>,
    epoch::<TourLists<Lane, Small>>,
];
const UNSORTED: Epoch = epoch::<Bitmap<Lane, Small>>;

#[test]
fn five_tasks_of_which_two_are_high() {
    let queue = [LOW, HIGH, LOW, HIGH, LOW];
    assert_eq!(adjustments(&UNSORTED(&queue, LOW)), 4);
    for sorted in SORTED {
        for present in [LOW, HIGH] {
            assert_eq!(adjustments(&sorted(&queue, present)), 1);
        }
    }
}

/// In the worst case each further task of the other domain adds two, up to one a task.
#[test]
fn each_task_of_the_other_domain_adds_two() {
    for high in 0..=7 {
        let mut queue = [LOW; 15];
        for place in 0..high {
            queue[2 * place + 1] = HIGH;
        }
        assert_eq!(adjustments(&UNSORTED(&queue, LOW)), 2 * high);
        for sorted in SORTED {
            assert_eq!(adjustments(&sorted(&queue, LOW)), usize::from(high > 0));
        }
    }
    let half = [HIGH, LOW].repeat(8);
    // With the one to begin with, as many as there are tasks.
    let from_present = [&[LOW], &half[..]].concat();
    assert_eq!(UNSORTED(&half, LOW), half);
    assert_eq!(adjustments(&from_present), 16);
}

/// The designs in O(1) begin where the CPU is, the others with the highest domain.
#[test]
fn where_an_epoch_begins() {
    let queue = [LOW, HIGH, LOW, HIGH, LOW];
    let begins = SORTED.map(|sorted| sorted(&queue, LOW)[0]);
    assert_eq!(begins, [LOW, LOW, HIGH, HIGH, LOW]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 500 }))]

    /// Whatever the domains are, each is visited once.
    #[test]
    fn the_lower_bound_is_reached(groups in proptest::collection::vec((0..5_u8).prop_map(Group), 1..=16), present in (0..5_u8).prop_map(Group)) {
        let mut domains = groups.clone();
        domains.sort_unstable();
        domains.dedup();
        let unsorted = UNSORTED(&groups, present);
        prop_assert!(adjustments(&unsorted) < groups.len());
        for sorted in SORTED {
            let order = sorted(&groups, present);
            prop_assert_eq!(order.len(), groups.len());
            prop_assert_eq!(adjustments(&order), domains.len() - 1);
            prop_assert!(adjustments(&order) <= adjustments(&unsorted));
            let mut served = order.clone();
            served.dedup();
            served.sort_unstable();
            prop_assert_eq!(&served, &domains, "the same domains, whatever the design is");
        }
    }
}
