//! The list of servers that are ready, chosen when the policy is made.

use flyball_policy::{End, Flagged, Queue, SortedList, Storage, TaskId, Time, TopTwo, Unsorted};

/// How the list is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListKind {
    /// An array of which the first two are in order: the paper's.
    TopTwo,
    /// A sorted list.
    Sorted,
    /// A list that is searched, as in Asterix.
    Unsorted,
    /// Flags in a table that is searched, as in the control kernel.
    Flagged,
}

impl ListKind {
    /// As a setting has them, the default first.
    pub(super) const NAMES: &'static [&'static str] = &["top-two", "sorted", "unsorted", "flagged"];

    /// Its name as a setting.
    pub const fn name(self) -> &'static str {
        ListKind::NAMES[self as usize]
    }

    /// The kind of that name.
    pub(super) fn named(name: &str) -> ListKind {
        match name {
            "sorted" => ListKind::Sorted,
            "unsorted" => ListKind::Unsorted,
            "flagged" => ListKind::Flagged,
            _ => ListKind::TopTwo,
        }
    }
}

macro_rules! lists {
    ($($kind:ident: $queue:ident),*) => {
        /// A list of any kind, by deadline. What it does is out of line, as an image has all kinds.
        pub enum AnyList<S: Storage> {
            $(
                #[doc = concat!("[`ListKind::", stringify!($kind), "`]")]
                $kind($queue<Time, S>),
            )*
        }

        impl<S: Storage> AnyList<S> {
            /// An empty list of this kind for task ids below `capacity`.
            pub fn of(kind: ListKind, capacity: usize) -> AnyList<S> {
                match kind {
                    $(ListKind::$kind => AnyList::$kind(Queue::new(capacity)),)*
                }
            }
        }

        impl<S: Storage> Queue<Time> for AnyList<S> {
            const NAME: &'static str = "top two, sorted, unsorted or flags";
            const COMPLEXITY: &'static str = "that of the list that is chosen";
            type Storage = S;

            /// One with a first and a second.
            fn new(capacity: usize) -> Self {
                AnyList::of(ListKind::TopTwo, capacity)
            }

            fn capacity(&self) -> usize {
                match self { $(AnyList::$kind(list) => list.capacity(),)* }
            }

            fn insert(&mut self, task: TaskId, key: Time, end: End) -> bool {
                match self { $(AnyList::$kind(list) => list.insert(task, key, end),)* }
            }

            #[inline(never)]
            fn put(&mut self, task: TaskId, key: Time, end: End) {
                match self { $(AnyList::$kind(list) => list.put(task, key, end),)* }
            }

            #[inline(never)]
            fn remove(&mut self, task: TaskId) -> Option<Time> {
                match self { $(AnyList::$kind(list) => list.remove(task),)* }
            }

            #[inline(never)]
            fn first(&self) -> Option<TaskId> {
                match self { $(AnyList::$kind(list) => list.first(),)* }
            }

            fn key(&self, task: TaskId) -> Option<Time> {
                match self { $(AnyList::$kind(list) => list.key(task),)* }
            }

            #[inline(never)]
            fn settle(&mut self) {
                match self { $(AnyList::$kind(list) => list.settle(),)* }
            }
        }
    };
}

lists! { TopTwo: TopTwo, Sorted: SortedList, Unsorted: Unsorted, Flagged: Flagged }
