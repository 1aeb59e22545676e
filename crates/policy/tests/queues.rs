//! Every queue against one simple model: a vector, searched from end to end.

use flyball_policy::queue::links::{Links, List};
use flyball_policy::queue::{Dated, Levelled};
use flyball_policy::{
    Bitmap, Calendar, Duration, End, Flagged, Heap, Inline, LooseLists, LooseWalk, Queue, Ranked,
    SortedList, SortedRing, StaticOrder, Storage, StrictLists, StrictWalk, TaskId, Time, TopTwo,
    TourLists, Unsorted,
};
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
    /// As `Insert`, without asking which one is the first then.
    Put(TaskId, u8, End),
    Remove(TaskId),
    /// Takes out the first, if there is one.
    Serve,
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    let task = || (0..TASKS).prop_map(TaskId);
    let end = || prop_oneof![Just(End::Head), Just(End::Tail)];
    prop_oneof![
        3 => (task(), 0u8..6, end()).prop_map(|(task, key, end)| Step::Insert(task, key, end)),
        2 => (task(), any::<u8>(), end()).prop_map(|(task, key, end)| Step::Insert(task, key, end)),
        1 => (task(), any::<u8>(), end()).prop_map(|(task, key, end)| Step::Put(task, key, end)),
        2 => task().prop_map(Step::Remove),
        1 => Just(Step::Serve),
        1 => Just(Step::Settle),
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
            Step::Put(task, key, end) => {
                if queue.key(task).is_none() {
                    queue.put(task, key_of(key), end);
                    model.insert(task, key_of(key), end);
                }
            }
            Step::Remove(task) => prop_assert_eq!(queue.remove(task), model.remove(task)),
            Step::Serve => {
                if let Some(&(task, _)) = model.0.first() {
                    queue.take(task);
                    model.remove(task);
                }
            }
            Step::Settle => queue.settle(),
        }
        prop_assert_eq!(queue.first(), model.0.first().map(|&(task, _)| task));
        prop_assert_eq!(queue.first_key(), model.0.first().map(|&(_, key)| key));
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

/// An instant for tests: some are a day apart, some less, some much more, and 255 is never.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Instant(u64);

impl Dated for Instant {
    fn instant(self) -> u64 {
        self.0
    }
}

fn spread(key: u8) -> Instant {
    Instant(match key {
        0..64 => u64::from(key),
        64..254 => u64::from(key) * 32,
        254 => u64::MAX - 1,
        255 => u64::MAX,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn calendar(steps in proptest::collection::vec(step(), 0..80)) {
        // All of one day; days of an instant each; and, of many instants, days of four and more,
        // most of them not in the ring.
        agrees::<Instant, Calendar<Instant, Small>>(&steps, spread)?;
        agrees::<Instant, Calendar<Instant, Small, 1, 0>>(&steps, spread)?;
        agrees::<Instant, Calendar<Instant, Small, 1, 2>>(&steps, spread)?;
        agrees::<Instant, Calendar<Instant, Small, 2, 5>>(&steps, spread)?;
    }

    #[test]
    fn heap(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, Heap<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn sorted_ring(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, SortedRing<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn sorted_list(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, SortedList<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn top_two(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, TopTwo<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn unsorted(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, Unsorted<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn flagged(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<u64, Flagged<u64, Small>>(&steps, u64::from)?;
    }

    #[test]
    fn bitmap(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<Lane, Bitmap<Lane, Small>>(&steps, Lane)?;
        // Fewer words have the last levels only.
        agrees::<Lane, Bitmap<Lane, Small, 4>>(&steps, |key| Lane(0x80 | key))?;
        agrees::<Lane, Bitmap<Lane, Small, 2>>(&steps, |key| Lane(0xc0 | key))?;
        agrees::<Lane, Bitmap<Lane, Small, 1>>(&steps, |key| Lane(0xe0 | key))?;
    }

    /// Where all tasks are of one group, they are priority arrays as any other.
    #[test]
    fn double_sorted(steps in proptest::collection::vec(step(), 0..80)) {
        agrees::<Lane, StrictLists<Lane, Small>>(&steps, Lane)?;
        agrees::<Lane, StrictLists<Lane, Small, 1, 2>>(&steps, |key| Lane(0xe0 | key))?;
        agrees::<Lane, StrictWalk<Lane, Small>>(&steps, Lane)?;
        agrees::<Lane, StrictWalk<Lane, Small, 2>>(&steps, |key| Lane(0xc0 | key))?;
        agrees::<Lane, TourLists<Lane, Small>>(&steps, Lane)?;
        agrees::<Lane, TourLists<Lane, Small, 4, 3>>(&steps, |key| Lane(0x80 | key))?;
        // Real-time levels are strict.
        agrees::<Lane, LooseLists<Lane, Small>>(&steps, |key| Lane(key % 100))?;
        agrees::<Lane, LooseWalk<Lane, Small>>(&steps, |key| Lane(key % 100))?;
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
                let backwards: Vec<_> = model.iter().rev().copied().collect();
                prop_assert_eq!(links.backwards(*list).collect::<Vec<_>>(), backwards);
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

/// For long, while time goes on: the calendar and the heap have the same first, whatever deadlines
/// are.
#[test]
fn a_calendar_is_right_for_years() {
    const MANY: u16 = 64;
    let mut calendar = Calendar::<Time, Inline<64>, 1, 4>::new(MANY.into());
    let mut heap = Heap::<Time, Inline<64>>::new(MANY.into());
    let mut seed = 1_u64;
    let mut random = |end: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % end
    };
    let mut now = Time::ZERO;
    for round in 0..200_000 {
        let task = TaskId(u16::try_from(random(MANY.into())).unwrap());
        let task = heap.first().filter(|_| round % 3 > 0).unwrap_or(task);
        assert_eq!(calendar.key(task), heap.key(task));
        if heap.key(task).is_some() {
            now = now.max(
                heap.remove(task)
                    .filter(|key| !key.is_never())
                    .unwrap_or(now),
            );
            calendar.take(task);
        } else {
            // Deadlines get longer and shorter again, some never come, and some have passed.
            let scale = 10 << (round / 10_000 % 10 * 3);
            let key = match random(20) {
                0 => Time::NEVER,
                1 => now - Duration::from_nanos(random(scale)),
                _ => now + Duration::from_nanos(random(scale)),
            };
            let end = if random(4) == 0 { End::Head } else { End::Tail };
            assert_eq!(calendar.insert(task, key, end), heap.insert(task, key, end));
        }
        assert_eq!(calendar.first(), heap.first(), "round {round}");
    }
}

thread_local! {
    static COMPARISONS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// A key that counts how often it is asked whether it is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counted(u64);

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0.cmp(&other.0)
    }
}

proptest! {
    /// As the paper says: two comparisons to put in, none to take out the first, and for the second
    /// as many as there are others.
    #[test]
    fn top_two_compares_twice(keys in proptest::collection::vec(0_u64..9, 2..64)) {
        let count = |work: &mut dyn FnMut()| {
            COMPARISONS.set(0);
            work();
            COMPARISONS.get()
        };
        let mut queue = TopTwo::<Counted, Inline<64>>::new(64);
        for (task, &key) in keys.iter().enumerate() {
            let task = TaskId::from_index(task);
            let put = count(&mut || queue.put(task, Counted(key), End::Tail));
            prop_assert!(put <= 2);
        }
        for left in (0..keys.len()).rev() {
            let first = queue.first().unwrap();
            prop_assert_eq!(count(&mut || queue.take(first)), 0);
            let others = u32::try_from(left).unwrap().saturating_sub(2);
            prop_assert_eq!(count(&mut || queue.settle()), others);
        }
    }
}

/// Storage other than in-place tables works too: a user may bring one.
#[test]
fn a_queue_in_another_storage() {
    struct Vectors;
    struct Rows<T>(Vec<T>);
    impl Storage for Vectors {
        type Table<T> = Rows<T>;
        type Sorted<K: Copy + Ord + Default> = Heap<K, Vectors>;
        type ForMany = flyball_policy::Nothing;
        type Static<O: StaticOrder> = Ranked<O, Heap<O::Key, Self>>;
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
    fn sorts(mut queue: impl Queue<u64>) {
        for task in 0..1_000 {
            queue.insert(TaskId(task), u64::from(task * 7 % 1_000), End::Tail);
        }
        let mut keys = Vec::new();
        while let Some(first) = queue.first() {
            keys.extend(queue.remove(first));
        }
        assert_eq!(keys, (0..1_000).collect::<Vec<_>>());
    }
    sorts(Heap::<u64, Vectors>::new(1_000));
    // No power of two, nor is all of it in use.
    sorts(SortedRing::<u64, Vectors>::new(1_000));
    sorts(SortedRing::<u64, Vectors>::new(1_001));
}
