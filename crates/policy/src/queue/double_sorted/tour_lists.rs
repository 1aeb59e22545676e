//! Strict priorities, few adjustments, and no starvation: a tour of the domains in each level.

use super::super::bitmap::Levelled;
use super::super::{End, Queue};
use super::array::PriorityArray;
use crate::costs::Round;
use crate::group::Group;
use crate::storage::{Storage, Table};
use flyball_trace::TaskId;

/// Strict priority scheduling in O(1) with a bound on how long an equal waits. It is not in the
/// source.
///
/// As [`StrictLists`](super::StrictLists) it has a list a level and domain. But each level is on a
/// tour of its domains, along the cheapest round of the cost array, and where it is on that tour does
/// not depend on other levels. A *visit* of a domain begins with the tasks that are in its list then:
/// the list is moved to the column of the visit, as a whole. What comes to the domain later,
/// and what has had its turn, waits in the list for the next visit. When the visit is over the level
/// goes on to the next domain that has a task.
///
/// ```text
///           visit       low          high
///   level   [c] [d]     [a] [b]      [e]          d's turn is followed by a and b, and e
///           (of high)                             waits for the next visit of high
/// ```
///
/// A level that had no tasks begins with the domain that the CPU is in.
///
/// # What it promises
///
/// A *turn* of a task begins when it runs, and ends when it goes behind its equals, blocks or is
/// done; preemption by a more urgent level does not end it. An *epoch* is a turn of each task of a
/// level. Let D be the number of domains that have tasks. Between the groups there are the costs
/// of [`Costs::with_detours`](crate::Costs::with_detours): the CPU takes the cheapest way.
///
/// **Adjustments.** In an epoch that begins with a visit, while tasks neither come nor go, there are
/// D − 1 adjustments, and no schedule has fewer.
/// *Proof.* The epoch is D visits, one of each domain, and a visit has no adjustment within. All D
/// domains have to be served, and each adjustment reaches one. ∎
///
/// **Starvation.** From when a task T is put in at the tail, until it runs, each other task of
/// its level has at most one turn or what is left of one, and the adjustments of the level cost not
/// more than the cheapest round. (A task that comes back with another group counts as another task.
/// A running one whose group or priority changes is put in at the head, out of turn, and the promise
/// says nothing about the adjustments for it.)
/// *Proof.* Let B be the domain of T. If B's visit is not under way, visits before T's are at most
/// one of each other domain, as the tour is a round, and the rest of the present one. If B's visit is
/// under way, T waits in the list of B for the rest of this visit, at most one visit of each other
/// domain, and B's next. In a visit each task has at most one turn: one that has had it, or has
/// blocked and come back, is behind in the list, not in the visit. A task of another domain is only
/// in the visit of that domain, of which there is one. A task of B has either a turn in the rest of
/// the present visit, and is then put into the list behind T, or was in the list before T,
/// and has a turn in the next visit, or comes after T. In each case it has one. The level goes along
/// the round, from the present domain to B or once around: domains without tasks are left out, which
/// costs not more, as no detour is cheaper. A level that was empty begins with the domain of the CPU
/// and goes round from there. ∎
///
/// **Both at once** is all there is to have. Where every task of a level has at most one turn between
/// two of any other, turns are in the same cyclic order for ever, so to the D − 1 adjustments within
/// an epoch there comes one from its end to the beginning of the next. To save that one, as
/// [`StrictLists`](super::StrictLists) does under a scheduler with epochs, the next epoch would begin
/// with the domain that the last one ended with, and other tasks would wait for two turns of its
/// tasks.
///
/// Memory: 1 byte a task, 2 bytes a level and domain, and 3 a level. `COLUMNS` is one more than the
/// number of groups; groups beyond are in the last.
pub struct TourLists<K, S: Storage, const WORDS: usize = 8, const COLUMNS: usize = 9> {
    /// The domain that the CPU is in.
    present: Group,
    array: PriorityArray<S, WORDS, COLUMNS>,
    /// The domain of a level's visit, the one under way or the last; [`NOWHERE`]: the level is empty,
    /// or has not begun.
    visited: [[Group; 32]; WORDS],
    groups: S::Table<Group>,
    keys: S::Table<K>,
    round: Round,
}

/// The column of the visit. Those of the groups follow.
const VISIT: usize = 0;

/// No group.
const NOWHERE: Group = Group(u8::MAX);

impl<K: Levelled, S: Storage, const WORDS: usize, const COLUMNS: usize>
    TourLists<K, S, WORDS, COLUMNS>
{
    /// An empty queue in which domains are visited in this order.
    pub fn with(capacity: usize, round: Round) -> Self {
        const {
            assert!(
                COLUMNS > 1,
                "a column for the visit, and one for each group"
            );
        }
        TourLists {
            present: Group::default(),
            array: PriorityArray::new(capacity),
            visited: [[NOWHERE; 32]; WORDS],
            groups: Table::new(capacity, Group::default()),
            keys: Table::new(capacity, K::default()),
            round,
        }
    }

    #[inline]
    fn row(&self, task: TaskId) -> usize {
        PriorityArray::<S, WORDS, COLUMNS>::row(self.keys[task.index()].level())
    }

    /// The column in which a group waits for a visit.
    #[inline]
    fn column(group: Group) -> usize {
        VISIT + 1 + group.index()
    }

    /// The group itself, or the last one.
    #[inline]
    fn known(group: Group) -> Group {
        group.min(Group::of(COLUMNS - 2))
    }

    #[inline]
    fn visited(&mut self, row: usize) -> &mut Group {
        &mut self.visited.as_flattened_mut()[row]
    }

    /// The domain from which on the next visit of a row is sought.
    #[inline]
    fn next_domain(&self, row: usize) -> Group {
        match self.visited.as_flattened()[row] {
            NOWHERE => self.present,
            visited => self.round.after(visited),
        }
    }

    /// Takes `task` out. Returns whether its row is empty then.
    #[inline]
    fn unlink(&mut self, row: usize, task: TaskId) -> bool {
        // Which of the two lists it is in matters only to the one that it is the head of.
        let column = if self.array.lists(row)[VISIT].first() == Some(task) {
            VISIT
        } else {
            Self::column(self.groups[task.index()])
        };
        self.array.remove(row, column, task)
    }
}

impl<K: Levelled, S: Storage, const WORDS: usize, const COLUMNS: usize> Queue<K>
    for TourLists<K, S, WORDS, COLUMNS>
{
    const NAME: &'static str = "a list a level and domain, on a tour";
    const COMPLEXITY: &'static str = "O(1)";
    const GROUPS: usize = COLUMNS - 1;
    type Storage = S;

    fn new(capacity: usize) -> Self {
        Self::with(capacity, Round::default())
    }

    fn capacity(&self) -> usize {
        self.array.capacity()
    }

    fn accepts(&self, key: K) -> bool {
        PriorityArray::<S, WORDS, COLUMNS>::accepts(key.level())
    }

    /// At the head: into the visit, whatever the group is, as a running task goes on with its turn.
    #[inline]
    fn insert(&mut self, task: TaskId, key: K, end: End) -> bool {
        debug_assert!(self.key(task).is_none(), "{task:?} is queued already");
        self.keys[task.index()] = key;
        let row = self.row(task);
        match end {
            End::Head => self.array.push_front(row, VISIT, task),
            End::Tail => {
                let column = Self::column(self.groups[task.index()]);
                self.array.push_back(row, column, task);
            }
        }
        self.first() == Some(task)
    }

    fn remove(&mut self, task: TaskId) -> Option<K> {
        let key = self.key(task)?;
        self.take(task);
        Some(key)
    }

    #[inline]
    fn take(&mut self, task: TaskId) {
        debug_assert!(self.key(task).is_some(), "{task:?} is not queued");
        let row = self.row(task);
        if self.unlink(row, task) {
            *self.visited(row) = NOWHERE;
        }
    }

    #[inline]
    fn rotate(&mut self, task: TaskId) {
        let row = self.row(task);
        self.unlink(row, task);
        let column = Self::column(self.groups[task.index()]);
        self.array.push_back(row, column, task);
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        let row = self.array.first_row()?;
        let lists = self.array.lists(row);
        lists[VISIT].first().or_else(|| {
            let mut domains = self.round.from(self.next_domain(row));
            domains.find_map(|group| lists.get(Self::column(group))?.first())
        })
    }

    #[inline]
    fn key(&self, task: TaskId) -> Option<K> {
        let is_queued = self.array.links().linked(task);
        is_queued.then(|| self.keys[task.index()])
    }

    fn regroup(&mut self, task: TaskId, group: Group) {
        debug_assert!(self.key(task).is_none(), "{task:?} is queued");
        self.groups[task.index()] = Self::known(group);
    }

    #[inline]
    fn group(&self, task: TaskId) -> Group {
        self.groups[task.index()]
    }

    #[inline]
    fn prefer(&mut self, group: Group) {
        self.present = Self::known(group);
    }

    /// Begins the visit of its domain, if none is under way in its level.
    #[inline]
    fn serve(&mut self, task: TaskId) {
        let (row, group) = (self.row(task), self.groups[task.index()]);
        self.present = group;
        let is_under_way = !self.array.lists(row)[VISIT].is_empty();
        if !is_under_way {
            self.array.hand_over(row, Self::column(group), VISIT);
        }
        let visited = self.visited(row);
        if !is_under_way || *visited == NOWHERE {
            *visited = group;
        }
    }
}
