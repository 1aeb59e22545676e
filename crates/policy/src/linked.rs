//! Which task should run where, on CPUs that share a queue: the *links* that
//! [`Global`](crate::Global) describes, whatever the keys of the tasks are.

use crate::policy::{CpuSet, Resched};
use crate::queue::{End, Queue};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// The keys of tasks, the most urgent the smallest.
pub(crate) trait Keys<K> {
    /// Whether the key of a task changes while it runs.
    const DYNAMIC: bool;

    /// The key of a task, as of when it last stopped.
    fn key(&self, task: TaskId) -> K;

    /// The key that a task has now, which has been running since `since`.
    fn running(&self, task: TaskId, since: Time) -> K;
}

/// Tasks that are queued, and the CPUs that they are linked to. `C` is where the tables of CPUs are.
pub(crate) struct Linked<K: Copy + Ord + Default, Q: Queue<K>, C: Storage> {
    /// The tasks that are queued, and not linked.
    waiting: Q,
    places: <Q::Storage as Storage>::Table<Place>,
    /// The table may have more rows than there are CPUs.
    cpus: C::Table<Cpu<K>>,
    count: usize,
    /// The CPUs without a link.
    free: CpuSet,
    /// The last numbers that were given at the head and at the tail of equals.
    head: i64,
    tail: i64,
}

/// Where a task is.
#[derive(Clone, Copy, Default)]
struct Place {
    linked: Option<CpuId>,
    runs: Option<CpuId>,
    /// Where it ran last.
    last: Option<CpuId>,
    /// Its place among equals: the smaller, the earlier.
    number: i64,
}

/// What a CPU does.
#[derive(Clone, Copy, Default)]
struct Cpu<K> {
    /// The key of the linked task as of when it was linked or last looked at, and its place among equals.
    key: K,
    number: i64,
    /// Since when the task runs.
    since: Time,
    linked: Slot,
    runs: Slot,
}

impl<K: Copy + Ord + Default, Q: Queue<K>, C: Storage> Linked<K, Q, C> {
    /// No tasks, on the CPUs 0 to `cpus` - 1, at most 128, with room for task ids below `capacity`.
    pub(crate) fn new(capacity: usize, cpus: usize) -> Self {
        let table: C::Table<Cpu<K>> = Table::new(cpus, Cpu::default());
        let all = (0..=CpuSet::LARGEST.0).take(cpus.min(table.capacity()));
        Linked {
            waiting: Q::new(capacity),
            places: Table::new(capacity, Place::default()),
            count: cpus.min(table.capacity()),
            cpus: table,
            free: all.fold(CpuSet::EMPTY, |set, cpu| set.with(CpuId(cpu))),
            head: 0,
            tail: 0,
        }
    }

    /// Tasks with ids below this number can be queued.
    pub(crate) fn capacity(&self) -> usize {
        self.waiting.capacity()
    }

    /// Whether there is room for such keys.
    pub(crate) fn accepts(&self, key: K) -> bool {
        self.waiting.accepts(key)
    }

    /// The task that is linked to a CPU.
    pub(crate) fn on(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpus[cpu.index()].linked.get()
    }

    /// The CPU that a task runs on.
    pub(crate) fn runs_on(&self, task: TaskId) -> Option<CpuId> {
        self.places[task.index()].runs
    }

    /// Whether a task is queued.
    pub(crate) fn is_queued(&self, task: TaskId) -> bool {
        self.places[task.index()].linked.is_some() || self.waiting.key(task).is_some()
    }

    /// A task that is not queued is as if it had never run.
    pub(crate) fn forget(&mut self, task: TaskId) {
        self.places[task.index()] = Place::default();
    }

    /// `task` is queued under the key that it has now, at this end of its equals, and linked if it is
    /// urgent enough. Returns the CPU that must reschedule.
    #[inline]
    pub(crate) fn enqueue(
        &mut self,
        keys: &impl Keys<K>,
        here: CpuId,
        task: TaskId,
        end: End,
    ) -> Resched {
        self.number(task, end);
        if let Some(first) = self.free.first_from(CpuId(0)) {
            let Place { runs, last, .. } = self.places[task.index()];
            let mut wishes = [runs, last, Some(here)].into_iter().flatten();
            let wish = wishes.find(|&cpu| self.free.contains(cpu));
            return self.assign(keys, task, wish.unwrap_or(first));
        }
        let key = keys.key(task);
        let (cpu, least) = self.least_urgent(keys);
        if key >= least {
            self.waiting.insert(task, key, end);
            return Resched::None;
        }
        let old = self.unlink(cpu);
        let resched = self.assign(keys, task, cpu);
        if let Some(old) = old {
            // It is the last of its equals that are linked, so it comes before all that wait.
            self.waiting.insert(old, keys.key(old), End::Head);
        }
        resched
    }

    /// `task`, which is queued, goes to this end of its equals, under the key that it has now.
    pub(crate) fn rotate(&mut self, keys: &impl Keys<K>, task: TaskId, end: End) -> Resched {
        if let Some(cpu) = self.places[task.index()].linked {
            self.unlink(cpu);
            self.wait(keys, task, end);
            return self.fill(keys, cpu);
        }
        self.waiting.take(task);
        self.wait(keys, task, end);
        Resched::None
    }

    /// The key of `task` has changed, and if it is queued so does its place.
    pub(crate) fn requeue(&mut self, keys: &impl Keys<K>, task: TaskId) -> Resched {
        let Place { linked, runs, .. } = self.places[task.index()];
        let end = if runs.is_some() { End::Head } else { End::Tail };
        if let Some(cpu) = linked {
            let resched = self.rotate(keys, task, end);
            if self.on(cpu) == Some(task) {
                return Resched::None;
            }
            return resched;
        }
        if self.waiting.remove(task).is_none() {
            return Resched::None;
        }
        // It waited, so no CPU is free, and none has to be chosen.
        self.enqueue(keys, CpuId(0), task, end)
    }

    /// `task`, which is queued, is queued no more. If it runs, its CPU has to pick again.
    #[inline]
    pub(crate) fn dequeue(&mut self, keys: &impl Keys<K>, task: TaskId) -> Resched {
        if let Some(linked) = self.places[task.index()].linked {
            self.unlink(linked);
            return self.fill(keys, linked);
        }
        self.waiting.take(task);
        Resched::None
    }

    /// `task` runs no more, and has left its CPU: the one that must reschedule.
    pub(crate) fn leave(&mut self, task: TaskId) -> Resched {
        let Some(runs) = self.places[task.index()].runs.take() else {
            return Resched::None;
        };
        self.cpus[runs.index()].runs = Slot::EMPTY;
        Resched::One(runs)
    }

    /// `cpu` picks: the task that is linked to it runs there from now on.
    #[inline]
    pub(crate) fn pick(&mut self, cpu: CpuId, now: Time) -> Option<TaskId> {
        let link = &mut self.cpus[cpu.index()];
        let before = core::mem::replace(&mut link.runs, link.linked);
        link.since = now;
        let linked = link.linked;
        if before != linked
            && let Some(before) = before.get()
        {
            self.places[before.index()].runs = None;
        }
        let task = linked.get()?;
        let place = &mut self.places[task.index()];
        place.runs = Some(cpu);
        place.last = Some(cpu);
        Some(task)
    }

    /// Of the CPUs, all of which have a link, the one whose link is the least urgent (of equals, the last), and its key.
    /// O(CPUs), only where no CPU is free: to keep them in order at each link takes longer on a machine with a few.
    #[inline]
    fn least_urgent<T: Keys<K>>(&mut self, keys: &T) -> (CpuId, K) {
        debug_assert!(self.free == CpuSet::EMPTY, "a free CPU is better");
        let (mut least, mut key, mut place) = (CpuId(0), K::default(), i64::MIN);
        for (number, cpu) in (0..).zip(self.cpus.as_mut_slice()).take(self.count) {
            if T::DYNAMIC
                && let Some(task) = cpu.runs.get()
                && cpu.linked.holds(task)
            {
                cpu.key = keys.running(task, cpu.since);
            }
            // The comparison of tuples looks at both numbers even where the keys differ.
            if number == 0 || cpu.key > key || cpu.key == key && cpu.number > place {
                (least, key, place) = (CpuId(number), cpu.key, cpu.number);
            }
        }
        (least, key)
    }

    /// Links `task`, which is nowhere else, to `cpu`, which is free.
    #[inline]
    fn link(&mut self, keys: &impl Keys<K>, task: TaskId, cpu: CpuId) {
        let place = &mut self.places[task.index()];
        place.linked = Some(cpu);
        let link = &mut self.cpus[cpu.index()];
        link.linked = Slot::of(task);
        link.key = keys.key(task);
        link.number = place.number;
        self.free = self.free.without(cpu);
    }

    /// Ends the link of `cpu`; returns the task that had it.
    #[inline]
    fn unlink(&mut self, cpu: CpuId) -> Option<TaskId> {
        let task = self.on(cpu)?;
        self.cpus[cpu.index()].linked = Slot::EMPTY;
        self.places[task.index()].linked = None;
        self.free = self.free.with(cpu);
        Some(task)
    }

    /// Links `task` to `cpu`, which is free. If the task still runs on another CPU it is linked to
    /// that one, and the task that was linked there gets `cpu`. Returns the CPU that must
    /// reschedule.
    #[inline]
    fn assign(&mut self, keys: &impl Keys<K>, task: TaskId, cpu: CpuId) -> Resched {
        match self.places[task.index()].runs {
            Some(runs) if runs != cpu => self.exchange(keys, task, cpu, runs),
            _ => {
                self.link(keys, task, cpu);
                Resched::One(cpu)
            }
        }
    }

    /// The same of a task that runs on another CPU still.
    #[cold]
    fn exchange(&mut self, keys: &impl Keys<K>, task: TaskId, cpu: CpuId, runs: CpuId) -> Resched {
        let other = self.unlink(runs);
        self.link(keys, task, runs);
        match other {
            Some(other) => {
                self.link(keys, other, cpu);
                Resched::One(cpu)
            }
            None => Resched::One(runs),
        }
    }

    /// `task` gets a new place among equals.
    fn number(&mut self, task: TaskId, end: End) {
        self.places[task.index()].number = match end {
            End::Head => {
                self.head -= 1;
                self.head
            }
            End::Tail => {
                self.tail += 1;
                self.tail
            }
        };
    }

    /// `task`, which has been linked until now, waits at its end of its equals.
    fn wait(&mut self, keys: &impl Keys<K>, task: TaskId, end: End) {
        self.number(task, end);
        self.waiting.insert(task, keys.key(task), end);
    }

    /// `cpu` has become free: the first waiting task gets it.
    #[inline]
    fn fill(&mut self, keys: &impl Keys<K>, cpu: CpuId) -> Resched {
        let Some(task) = self.waiting.first() else {
            return Resched::One(cpu);
        };
        self.waiting.take(task);
        self.assign(keys, task, cpu)
    }
}
