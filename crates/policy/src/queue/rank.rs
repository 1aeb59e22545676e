//! Keys whose equals keep their order, for queues in which places say nothing.

use super::End;
use super::heap::Entry;
use flyball_trace::TaskId;

/// The last numbers that were given: each task gets one when it is queued, rising at the tail of its
/// equals and falling at the head.
#[derive(Default)]
pub(super) struct Numbers {
    head: i64,
    tail: i64,
}

impl Numbers {
    /// The number of a task that is queued on this side of its equals.
    #[inline]
    pub(super) fn next(&mut self, end: End) -> i64 {
        match end {
            End::Head => {
                self.head -= 1;
                self.head
            }
            End::Tail => {
                self.tail += 1;
                self.tail
            }
        }
    }
}

/// A key, and then the number: the upper 48 bits of what also has the task. They last for four years
/// of a million a second.
#[derive(Clone, Copy)]
pub struct Rank<K> {
    pub(super) key: K,
    number_and_task: i64,
}

impl<K> Rank<K> {
    const TASK_BITS: u32 = u16::BITS;

    pub(super) fn new(key: K, number: i64, task: TaskId) -> Rank<K> {
        Rank {
            key,
            number_and_task: number << Self::TASK_BITS | i64::from(task.0),
        }
    }
}

impl<K: Copy + Ord + Default> Entry for Rank<K> {
    type Id = TaskId;

    fn none() -> Self {
        Rank {
            key: K::default(),
            number_and_task: 0,
        }
    }

    #[inline]
    fn id(&self) -> TaskId {
        // The lower bits.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        TaskId(self.number_and_task as u16)
    }

    fn of(self, task: TaskId) -> Self {
        Rank::new(self.key, self.number_and_task >> Self::TASK_BITS, task)
    }

    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        // The comparison of tuples looks at both numbers even where the keys differ.
        self.key < other.key
            || self.key == other.key && self.number_and_task < other.number_and_task
    }
}
