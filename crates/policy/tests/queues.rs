//! Every queue against one simple model: a vector, searched from end to end.

use flyball_policy::queue::Levelled;
use flyball_policy::queue::links::{Links, List};
use flyball_policy::{Bitmap, End, Heap, Inline, Queue, SortedList, Storage, TaskId};
use proptest::prelude::*;

const TASKS: u16 = 16;
type Small = Inline<16>;

/// The model: tasks with keys, in the order in which they are to be served.
#[derive(Default)]
struct Model<K>(Vec<(TaskId, K)>);

impl<K: Copy + Ord> Model<K> {
    fn insert(&mut self, task: TaskId, key: K, end: End) {
        let at = self.0.iter().position(|&(_, other)| match end {
            End::Head => other >= key,
            End::Tail => other > key,
        });
        self.0.insert(at.unwrap_or(self.0.len()), (task, key));
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let at = self.0.iter().position(|&(other, _)| other == task)?;
        Some(self.0.remove(at).1)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(TaskId, u8, End),
    Remove(TaskId),
}

fn step() -> impl Strategy<Value = Step> {
    let task = || (0..TASKS).prop_map(TaskId);
    prop_oneof![
        3 => (task(), 0u8..6, prop_oneof![Just(End::Head), Just(End::Tail)])
            .prop_map(|(task, key, end)| Step::Insert(task, key, end)),
        1 => (task(), any::<u8>(), Just(End::Tail)).prop_map(|(task, key, end)| Step::Insert(task, key, end)),
        2 => task().prop_map(Step::Remove),
    ]
}

/// Drives `queue` and the model with the same steps, then empties both from the front.
fn agrees<K: Copy + Ord + Default + std::fmt::Debug, Q: Queue<K>>(
    steps: &[Step],
    key_of: impl Fn(u8) -> K,
) -> Result<(), TestCaseError> {
    let mut queue = Q::new(usize::from(TASKS));
    let mut model = Model::default();
    for step in steps {
        match *step {
            Step::Insert(task, key, end) => {
                if queue.key(task).is_none() {
                    let first = queue.insert(task, key_of(key), end);
                    model.insert(task, key_of(key), end);
                    prop_assert_eq!(first, model.0[0].0 == task);
                }
            }
            Step::Remove(task) => prop_assert_eq!(queue.remove(task), model.remove(task)),
        }
        prop_assert_eq!(queue.first(), model.0.first().map(|&(task, _)| task));
        for task in (0..TASKS).map(TaskId) {
            let expected = model
                .0
                .iter()
                .find(|&&(other, _)| other == task)
                .map(|&(_, key)| key);
            prop_assert_eq!(queue.key(task), expected);
        }
    }
    while let Some(first) = queue.first() {
        prop_assert_eq!(first, model.0[0].0);
        prop_assert_eq!(queue.remove(first), model.remove(first));
    }
    prop_assert!(model.0.is_empty());
    Ok(())
}

/// A level for tests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Lane(u8);

impl Levelled for Lane {
    fn level(self) -> u8 {
        self.0
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn heap(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, Heap<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn sorted_list(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, SortedList<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn bitmap(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<Lane, Bitmap<Lane, Small>>(&steps, Lane)?;
    }

    #[test]
    fn links(steps in proptest::collection::vec((any::<bool>(), 0..TASKS, 0usize..3), 0..100)) {
        let mut links = Links::<Small>::new(usize::from(TASKS));
        let mut lists = [List::EMPTY; 3];
        let mut model: [Vec<TaskId>; 3] = Default::default();
        for (front, task, at) in steps {
            let task = TaskId(task);
            if let Some(at) = model.iter().position(|list| list.contains(&task)) {
                links.remove(&mut lists[at], task);
                model[at].retain(|&other| other != task);
            } else if front {
                links.push_front(&mut lists[at], task);
                model[at].insert(0, task);
            } else {
                links.push_back(&mut lists[at], task);
                model[at].push(task);
            }
            for (list, model) in lists.iter().zip(&model) {
                prop_assert_eq!(&links.iter(*list).collect::<Vec<_>>(), model);
                prop_assert_eq!(list.first(), model.first().copied());
            }
        }
    }
}

proptest! {
    /// Sorting puts any list into the order of rising numbers, and leaves others alone.
    #[test]
    fn lists_are_sorted(order in Just((0..61_u16).collect::<Vec<_>>()).prop_shuffle(), at in 0..=61_usize) {
        let mut links = Links::<Inline<64>>::new(64);
        let (mut list, mut other) = (List::EMPTY, List::EMPTY);
        let (here, there) = order.split_at(at);
        for &task in here {
            links.push_back(&mut list, TaskId(task));
        }
        for &task in there {
            links.push_back(&mut other, TaskId(task));
        }
        links.sort(&mut list);
        let mut sorted = here.to_vec();
        sorted.sort_unstable();
        let numbers = |list| links.iter(list).map(|task| task.0).collect::<Vec<_>>();
        prop_assert_eq!(numbers(list), sorted);
        prop_assert_eq!(numbers(other), there);
    }
}

/// Storage other than in-place tables works too: a user may bring one.
#[test]
fn a_queue_in_another_storage() {
    struct Vectors;
    struct Rows<T>(Vec<T>);
    impl Storage for Vectors {
        type Table<T> = Rows<T>;
    }
    impl<T> flyball_policy::Table<T> for Rows<T> {
        fn new(capacity: usize, row: T) -> Self
        where
            T: Copy,
        {
            Rows(vec![row; capacity])
        }
        fn capacity(&self) -> usize {
            self.0.len()
        }
    }
    impl<T> std::ops::Index<usize> for Rows<T> {
        type Output = T;
        fn index(&self, row: usize) -> &T {
            &self.0[row]
        }
    }
    impl<T> std::ops::IndexMut<usize> for Rows<T> {
        fn index_mut(&mut self, row: usize) -> &mut T {
            &mut self.0[row]
        }
    }
    let mut queue = Heap::<u64, Vectors>::new(1_000);
    for task in 0..1_000 {
        queue.insert(TaskId(task), u64::from(task * 7 % 1_000), End::Tail);
    }
    let mut keys = Vec::new();
    while let Some(first) = queue.first() {
        keys.extend(queue.remove(first));
    }
    assert_eq!(keys, (0..1_000).collect::<Vec<_>>());
}
