//! Order × queue on several CPUs: global scheduling.
//!
//! At every instant the most urgent tasks run, as many as there are CPUs, wherever that is. `Global<
//! EarliestDeadline, Heap<…>, …>` is G-EDF; on one CPU it is what [`Ranked`](crate::Ranked) is.
//!
//! # Links
//!
//! Who *should* run where is decided at once, and a CPU does it when it comes to look. So a task is
//! *linked* to a CPU as soon as it is among the most urgent, and *runs* there once the CPU has picked it
//! (Brandenburg, "Scheduling and locking in multiprocessor real-time operating systems", 2011, section
//! 3.3.3). Until then the one that ran there still does: it waits already, as far as others are
//! concerned, but its registers are not to be had yet.
//!
//! ```text
//!               linked (should run)     runs (does)
//!   CPU 0       a                       a
//!   CPU 1       b                       x      <- has been told to look
//!   CPU 2       -                       -      idle
//!   waiting:    nobody, as long as a CPU has no link
//! ```
//!
//! Of this the rest follows:
//!
//! * Nobody who waits is more urgent than somebody who is linked, and nobody waits while a CPU is free.
//! * Who becomes ready takes a free CPU, or the link of the *least* urgent one (of equals the one that came
//!   last) if that is less urgent than itself; this CPU is told to look, and no other. A CPU whose task has just stopped is free, and looks
//!   by itself, so nobody is interrupted for what it can do.
//! * Who is to run again but still runs on some CPU stays there, and whoever was linked to that
//!   CPU meanwhile takes the other one: no task moves because two things happened in an unlucky order.
//! * Of several free CPUs a task gets the one where it ran last, or else the one where the kernel works.

use crate::member::Member;
use crate::order::{Order, TimeSlice};
use crate::policy::{CpuSet, Dispatch, Policy, Ready, Refused, Resched, Stop, Usage, Wants};
use crate::queue::{End, Entry, IndexedHeap, Queue};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// A policy for all CPUs of a cluster, made of an order and a queue of those who wait. `C` is where
/// what is known of CPUs is kept.
pub struct Global<O: Order, Q: Queue<O::Key>, C: Storage> {
    order: O,
    /// Who is queued, and not linked.
    waiting: Q,
    members: <Q::Storage as Storage>::Table<Member<O>>,
    places: <Q::Storage as Storage>::Table<Place>,
    cpus: C::Table<Cpu>,
    /// The CPUs to which nobody is linked.
    free: CpuSet,
    /// All CPUs by their links, the least urgent first: it is asked for when none is free, and until then a
    /// free one may stand where it stood last, or not at all. Where keys move while tasks run it is not
    /// kept.
    links: IndexedHeap<Link<O::Key>, C>,
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
struct Cpu {
    linked: Slot,
    runs: Slot,
    /// Since when.
    since: Time,
}

/// A CPU with a link, by the key of who is linked and its place among equals.
#[derive(Clone, Copy)]
struct Link<K> {
    key: K,
    number: i64,
    cpu: TaskId,
}

impl<K: Copy + Ord + Default> Entry for Link<K> {
    fn none() -> Self {
        Link {
            key: K::default(),
            number: 0,
            cpu: TaskId(0),
        }
    }

    /// The number of the CPU, which is what this heap knows things by.
    fn task(&self) -> TaskId {
        self.cpu
    }

    fn of(self, cpu: TaskId) -> Self {
        Link { cpu, ..self }
    }

    fn is_before(&self, other: &Self) -> bool {
        (self.key, self.number) > (other.key, other.number)
    }
}

/// How the heap of links knows a CPU.
fn number(cpu: CpuId) -> TaskId {
    TaskId(u16::from(cpu.0))
}

impl<O: Order, Q: Queue<O::Key>, C: Storage> Global<O, Q, C> {
    /// The policy without tasks, for the CPUs 0 to `cpus` - 1, at most 128, with room for task ids below
    /// `capacity` (storages whose size is part of their type have room for that many instead).
    pub fn new(order: O, capacity: usize, cpus: usize) -> Self {
        let seats: C::Table<Cpu> = Table::new(cpus, Cpu::default());
        let all = (0..=CpuSet::LARGEST.0).take(cpus.min(seats.capacity()));
        Global {
            order,
            waiting: Q::new(capacity),
            members: Table::new(capacity, Member::absent()),
            places: Table::new(capacity, Place::default()),
            cpus: seats,
            free: all.fold(CpuSet::EMPTY, |set, cpu| set.with(CpuId(cpu))),
            links: IndexedHeap::new(cpus),
            head: 0,
            tail: 0,
        }
    }

    /// The task that is linked to a CPU.
    pub fn linked(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpus[cpu.index()].linked.get()
    }

    /// Whether order and queue can serve a task with these parameters.
    fn accepts(&self, params: &O::Params) -> bool {
        self.order.accepts(params) && self.waiting.accepts(self.order.key(params, Time::ZERO))
    }

    /// The key of who is linked to `cpu`, at `now`.
    fn key_on(&self, cpu: CpuId, now: Time) -> Option<O::Key> {
        let link = &self.cpus[cpu.index()];
        let task = link.linked.get()?;
        let member = &self.members[task.index()];
        Some(if O::DYNAMIC && link.runs.holds(task) {
            member.with(self.order.ran(member.own, now.since(link.since)))
        } else {
            member.key
        })
    }

    /// Of the CPUs, all of which have a link, the one whose link is the least urgent, and its key. O(1);
    /// O(CPUs) where keys move.
    fn least_urgent(&self, now: Time) -> Option<(CpuId, O::Key)> {
        let cpu = |number: usize| u8::try_from(number).ok().map(CpuId);
        if O::DYNAMIC {
            let cpus = (0..self.cpus.capacity()).filter_map(cpu);
            let keys = cpus.filter_map(|cpu| {
                let task = self.linked(cpu)?;
                Some((
                    self.key_on(cpu, now)?,
                    self.places[task.index()].number,
                    cpu,
                ))
            });
            let last = keys.max_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)))?;
            return Some((last.2, last.0));
        }
        debug_assert!(self.free == CpuSet::EMPTY, "a free CPU is better");
        let link = self.links.first()?;
        Some((cpu(link.cpu.index())?, link.key))
    }

    /// Links `task`, which is nowhere else, to `cpu`, which is free.
    fn link(&mut self, task: TaskId, cpu: CpuId) {
        self.cpus[cpu.index()].linked = Slot::of(task);
        self.places[task.index()].linked = Some(cpu);
        self.free = self.free.without(cpu);
        if !O::DYNAMIC {
            self.links.put(Link {
                key: self.members[task.index()].key,
                number: self.places[task.index()].number,
                cpu: number(cpu),
            });
        }
    }

    /// Ends the link of `cpu`; returns who had it.
    fn unlink(&mut self, cpu: CpuId) -> Option<TaskId> {
        let task = self.linked(cpu)?;
        self.cpus[cpu.index()].linked = Slot::EMPTY;
        self.places[task.index()].linked = None;
        self.free = self.free.with(cpu);
        Some(task)
    }

    /// Links `task` to `cpu`, which is free. If the task still runs on another CPU it is linked to that
    /// one, and the task that was linked there gets `cpu`. Returns the CPU that must reschedule.
    fn assign(&mut self, task: TaskId, cpu: CpuId) -> Resched {
        let Some(runs) = self.places[task.index()].runs.filter(|&runs| runs != cpu) else {
            self.link(task, cpu);
            return Resched::One(cpu);
        };
        let other = self.unlink(runs);
        self.link(task, runs);
        match other {
            Some(other) => {
                self.link(other, cpu);
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
    fn wait(&mut self, task: TaskId, end: End) {
        self.number(task, end);
        self.waiting
            .insert(task, self.members[task.index()].key, end);
    }

    /// `task` is queued under the key that it has now, and runs if it is urgent enough.
    fn enqueue(&mut self, here: CpuId, task: TaskId, end: End, now: Time) -> Resched {
        self.number(task, end);
        let Place { runs, last, .. } = self.places[task.index()];
        let wishes = [runs, last, Some(here)].into_iter().flatten();
        let mut wishes = wishes.filter(|&cpu| self.free.contains(cpu));
        if let Some(cpu) = wishes.next().or_else(|| self.free.iter().next()) {
            return self.assign(task, cpu);
        }
        let key = self.members[task.index()].key;
        match self.least_urgent(now) {
            Some((cpu, least)) if key < least => {
                let old = self.unlink(cpu);
                let resched = self.assign(task, cpu);
                if let Some(old) = old {
                    // It is the last of its equals that are linked, so it comes before all that wait.
                    self.waiting
                        .insert(old, self.members[old.index()].key, End::Head);
                }
                resched
            }
            _ => {
                self.waiting.insert(task, key, end);
                Resched::None
            }
        }
    }

    /// `cpu` has become free: the first of those who wait gets it.
    fn fill(&mut self, cpu: CpuId) -> Resched {
        let Some(task) = self.waiting.first() else {
            return Resched::One(cpu);
        };
        self.waiting.take(task);
        self.assign(task, cpu)
    }

    /// The key of `task` has changed, and if it is queued so does its place.
    fn requeue(&mut self, task: TaskId, now: Time) -> Resched {
        let Place { linked, runs, .. } = self.places[task.index()];
        let end = if runs.is_some() { End::Head } else { End::Tail };
        if let Some(cpu) = linked {
            self.unlink(cpu);
            self.wait(task, end);
            let resched = self.fill(cpu);
            if self.linked(cpu) == Some(task) {
                return Resched::None;
            }
            return resched;
        }
        if self.waiting.remove(task).is_none() {
            return Resched::None;
        }
        // It waited, so no CPU is free, and none has to be chosen.
        self.enqueue(CpuId(0), task, end, now)
    }
}

impl<O: Order, Q: Queue<O::Key>, C: Storage> Policy for Global<O, Q, C> {
    type Params = O::Params;

    const WANTS: Wants = Wants {
        clock: O::DYNAMIC,
        usage: O::Slice::ROTATES || O::DYNAMIC,
        bursts: O::Slice::ROTATES || O::DYNAMIC,
        preempted: O::Slice::ROTATES || O::DYNAMIC,
        ..Wants::NOTHING
    };

    fn capacity(&self) -> usize {
        self.waiting.capacity()
    }

    fn admit(&mut self, task: TaskId, params: O::Params, _: Time) -> Result<(), Refused> {
        if task.index() >= self.waiting.capacity() {
            return Err(Refused::Full);
        }
        if self.members[task.index()].params.is_some() {
            return Err(Refused::Member);
        }
        if !self.accepts(&params) {
            return Err(Refused::Invalid);
        }
        self.members[task.index()] = Member::new(params, self.order.quantum());
        self.places[task.index()] = Place::default();
        Ok(())
    }

    fn adjust(&mut self, task: TaskId, params: O::Params, now: Time) -> Result<Resched, Refused> {
        if !self.accepts(&params) {
            return Err(Refused::Invalid);
        }
        if task.index() >= self.waiting.capacity() {
            return Err(Refused::NotAdmitted);
        }
        self.members[task.index()].adjust(&self.order, params)?;
        Ok(self.requeue(task, now))
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        debug_assert!(self.waiting.key(task).is_none(), "{task:?} is still queued");
        self.members[task.index()].params = None;
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members[task.index()].begin(&self.order, why);
        self.enqueue(here, task, End::Tail, now)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, _: Time) -> Resched {
        let mut slice_is_over = why == Stop::Yielded;
        if Self::WANTS.usage {
            let member = &mut self.members[task.index()];
            slice_is_over = member.ran(&self.order, used.time, slice_is_over);
        }
        let place = &mut self.places[task.index()];
        let linked = place.linked;
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let mut resched = Resched::None;
            if let Some(runs) = place.runs.take() {
                self.cpus[runs.index()].runs = Slot::EMPTY;
                resched = Resched::One(runs);
            }
            if let Some(linked) = linked {
                self.unlink(linked);
                return resched.and(self.fill(linked));
            }
            self.waiting.take(task);
            return resched;
        }
        let end = if slice_is_over { End::Tail } else { End::Head };
        if slice_is_over || O::DYNAMIC {
            if let Some(linked) = linked {
                self.unlink(linked);
                self.wait(task, end);
                return self.fill(linked).and(Resched::One(cpu));
            }
            self.waiting.take(task);
            self.wait(task, end);
        }
        Resched::One(cpu)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
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
        let burst = if O::Slice::ROTATES {
            self.members[task.index()].slice.remaining()
        } else {
            self.order.quantum()
        };
        Some(Dispatch { task, burst })
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        let key = |task: TaskId| self.members[task.index()].key;
        key(a).cmp(&key(b))
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let lent = from.map(|from| self.members[from.index()].key);
        if self.members[to.index()].inherit(lent) {
            self.requeue(to, now)
        } else {
            Resched::None
        }
    }
}
