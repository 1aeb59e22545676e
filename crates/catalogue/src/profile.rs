//! What a reader may want to know of a scheduler, beside what it can be told.

use flyball_policy::{Nothing, Order, Queue};

/// How a scheduler works and where it was published, for a reader. Where a text is empty nothing is
/// said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// What keeps the tasks that are ready, in a word or two.
    pub queue: &'static str,
    /// How long it takes to put in, to take out and to find the first of n tasks there.
    pub queue_complexity: &'static str,
    /// How long it takes to choose what runs, with n tasks, and m CPUs that share them.
    pub decision: &'static str,
    /// Where it was published: authors, title, place, section.
    pub source: &'static str,
}

impl Profile {
    /// Nothing is said.
    pub const UNKNOWN: Profile = Profile {
        queue: "",
        queue_complexity: "",
        decision: "",
        source: "",
    };

    /// An order that was published there, with a queue of this kind for each CPU.
    pub(crate) const fn ranked<Q: Queue<K>, K: Copy + Ord + Default>(
        source: &'static str,
    ) -> Profile {
        Profile {
            queue: Q::NAME,
            queue_complexity: Q::COMPLEXITY,
            decision: "O(1): the first of the queue",
            source,
        }
    }

    /// The same where CPUs share the queue.
    pub(crate) const fn global<O: Order, Q: Queue<O::Key, Storage = Nothing>>(
        source: &'static str,
    ) -> Profile {
        Profile {
            decision: if O::DYNAMIC {
                "O(m) on m CPUs where a task becomes ready, as keys change while tasks run; else O(1). \
                 Where tasks have `cpus`, O(n) of n tasks where a CPU becomes free"
            } else {
                "O(log m) on m CPUs where a CPU gets another task; else O(1). Where tasks have `cpus`, \
                 O(n) of n tasks where a CPU becomes free"
            },
            ..Profile::ranked::<Q, O::Key>(source)
        }
    }
}
