//! Deadlines in windows of time: the deadlines of a window are equal, and equals are in order of groups.

use super::super::links::{Links, List};
use super::super::{End, Queue};
use crate::costs::Visits;
use crate::group::{Group, MOST_GROUPS};
use crate::storage::{Storage, Table};
use flyball_trace::{Duration, Slot, TaskId, Time};

/// A list of tasks by deadline, of which those of the earliest window are equals.
///
/// Windows are cut from time once and for all, each *W* long; one of them begins at the first deadline
/// that is ever put in, so it does not matter when a clock began. In the earliest window that has a task
///
/// * the task that runs is the first, so no equal preempts it,
/// * else the CPU stays in the present group, or goes on to the group that is the next to be visited from there,
/// * and within a group deadlines are in order, then tasks as they come. The list is sorted by deadline
///   anyway, so this costs nothing, and where a set asks for too much it makes jobs less late.
///
/// ```text
///   deadline    |  21 low   24 high   28 low  |  33 high   36 low  |
///   window      20                            30                   40
///   from low:      21 low   28 low   24 high     33 high   36 low        2 changes, not 4
/// ```
///
/// A window that slides with the earliest deadline would sort more. It has no bound that is as simple, see
/// below. With *W* = 0 only equal deadlines are equals.
///
/// # What it promises
///
/// Rounded down to the beginning of its window each job's deadline *d* becomes *d'*, with *d* − *W* < *d'* ≤ *d*.
/// This depends on nothing but *d*. So the queue makes EDF by *d'* of EDF, with ties that are broken in a way of
/// its own. EDF meets all *d'*, whatever it does with ties, if no interval demands more than its length. In
/// an interval of length *y* jobs demand by *d'* at most what they demand by *d* in one of *y* + *W*. With
/// *x* = *y* + *W*:
///
/// > if dbf(*x*) + *W* ≤ *x* for all *x* from the shortest relative deadline on, no job is late.
///
/// (On a grid of nanoseconds *d'* > *d* − *W* is *d'* ≥ *d* − (*W* − 1 ns), so *W* − 1 ns would be enough.)
/// `flyball_analysis::edf_windows` has that test, and the largest *W* that it accepts.
///
/// **A sliding window does not promise this.** There any job may run whose deadline is at most *W* behind
/// the earliest one. Let *W* be 10, and let *A* come at 0 (10 to compute, due at 50), *B* at 0 (20, due
/// at 40), and *J* at 10 (10, due at 30). In no interval is demand + 10 more than the length. But *A* may
/// run first, as 50 ≤ 40 + 10, then *B*, as 40 ≤ 30 + 10, and *J* is done at 40. Each step is within *W*, and
/// steps add up.
///
/// Memory: 13 bytes a task. Complexity: O(n) to put in, and to take out the first, of n tasks; else O(1).
///
/// Source: Flyball's own. The groups are those of Finster's thesis, see [the queues](crate::queue).
pub struct Windows<S: Storage> {
    /// The task that runs, or that was put in at the head: the first of its window until it is taken out.
    ahead: Slot,
    /// The task to be served first.
    first: Slot,
    /// The group that the CPU is in.
    present: Group,
    /// The last instant of the earliest window.
    last: Time,
    /// The length of a window, not zero.
    window: Duration,
    /// Where windows begin, up to multiples of their length; `None` before the first deadline.
    grid: Option<u64>,
    /// By deadline.
    list: List,
    links: Links<S>,
    deadlines: S::Table<Time>,
    groups: S::Table<Group>,
    visits: Visits,
}

impl<S: Storage> Windows<S> {
    /// An empty queue with windows of this length, in which groups are visited in this order.
    pub fn with(capacity: usize, window: Duration, visits: Visits) -> Self {
        Windows {
            ahead: Slot::EMPTY,
            first: Slot::EMPTY,
            present: Group::default(),
            last: Time::ZERO,
            // A window of the shortest time has one deadline.
            window: window.max(Duration::from_nanos(1)),
            grid: None,
            list: List::EMPTY,
            links: Links::new(capacity),
            deadlines: Table::new(capacity, Time::NEVER),
            groups: Table::new(capacity, Group::default()),
            visits,
        }
    }

    fn deadline(&self, task: TaskId) -> Time {
        self.deadlines[task.index()]
    }

    /// The last instant of the window of a deadline. What is never due is in a window of its own.
    fn end(&mut self, deadline: Time) -> Time {
        if deadline.is_never() {
            return Time::NEVER;
        }
        let (at, length) = (deadline.as_nanos(), self.window.as_nanos());
        let grid = *self.grid.get_or_insert(at % length);
        let next = match at.checked_sub(grid) {
            Some(since) => (at - since % length).saturating_add(length),
            None => grid,
        };
        // `next` is beyond `at`, so it is not zero.
        Time::from_nanos(next - 1)
    }

    /// The earliest window may be another one.
    fn head_has_changed(&mut self) {
        if let Some(head) = self.list.first() {
            self.last = self.end(self.deadline(head));
        }
    }

    /// Finds the first task. O(n) of the earliest window, unless a task is ahead there.
    fn choose(&mut self) {
        let is_equal = |task: &TaskId| self.deadline(*task) <= self.last;
        if self.ahead.get().as_ref().is_some_and(is_equal) {
            self.first = self.ahead;
            return;
        }
        let mut firsts = [Slot::EMPTY; MOST_GROUPS];
        for task in self.links.iter(self.list).take_while(is_equal) {
            let first = &mut firsts[self.group(task).index() % MOST_GROUPS];
            if first.is_empty() {
                *first = Slot::of(task);
            }
        }
        let mut visits = self.visits.from(self.present);
        let first = visits.find_map(|group| firsts[group.index() % MOST_GROUPS].get());
        self.first = first.into();
    }
}

impl<S: Storage> Queue<Time> for Windows<S> {
    const NAME: &'static str = "list by deadline, sorted by group in windows";
    const COMPLEXITY: &'static str = "O(n) to put in and to take out the first, else O(1)";
    const GROUPS: usize = MOST_GROUPS;
    type Storage = S;

    /// Only equal deadlines are equals.
    fn new(capacity: usize) -> Self {
        Self::with(capacity, Duration::ZERO, Visits::default())
    }

    fn capacity(&self) -> usize {
        self.links.capacity()
    }

    fn insert(&mut self, task: TaskId, deadline: Time, end: End) -> bool {
        debug_assert!(!self.links.linked(task), "{task:?} is queued already");
        self.deadlines[task.index()] = deadline;
        if end == End::Head {
            self.ahead = Slot::of(task);
        }
        let goes_behind = |&other: &TaskId| match end {
            End::Head => self.deadline(other) < deadline,
            End::Tail => self.deadline(other) <= deadline,
        };
        let predecessor = self.links.backwards(self.list).find(goes_behind);
        if let Some(other) = predecessor {
            // The task behind the last one is the first: before that is at the end of the list.
            self.links.insert_before(self.links.after(other), task);
        } else {
            self.links.push_front(&mut self.list, task);
            self.head_has_changed();
        }
        self.choose();
        self.first.holds(task)
    }

    fn remove(&mut self, task: TaskId) -> Option<Time> {
        let deadline = self.key(task)?;
        let was_head = self.list.first() == Some(task);
        self.links.remove(&mut self.list, task);
        if was_head {
            self.head_has_changed();
        }
        if self.ahead.holds(task) {
            self.ahead = Slot::EMPTY;
        }
        if self.first.holds(task) {
            self.choose();
        }
        Some(deadline)
    }

    #[inline]
    fn first(&self) -> Option<TaskId> {
        self.first.get()
    }

    fn key(&self, task: TaskId) -> Option<Time> {
        self.links.linked(task).then(|| self.deadline(task))
    }

    fn regroup(&mut self, task: TaskId, group: Group) {
        debug_assert!(!self.links.linked(task), "{task:?} is queued");
        self.groups[task.index()] = group.min(Group::of(MOST_GROUPS - 1));
    }

    #[inline]
    fn group(&self, task: TaskId) -> Group {
        self.groups[task.index()]
    }

    fn prefer(&mut self, group: Group) {
        self.present = group.min(Group::of(MOST_GROUPS - 1));
        self.choose();
    }

    #[inline]
    fn serve(&mut self, task: TaskId) {
        self.present = self.group(task);
        self.ahead = Slot::of(task);
        self.choose();
    }
}
