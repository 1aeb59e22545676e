//! An order on several CPUs where each task may run on some of them only.
//!
//! A task never waits for another that is less urgent and is on a CPU that it may have: *every*
//! such CPU has a task at least as urgent. (That is the weak invariant of Gujarati, Cerqueira and
//! Brandenburg, "Multiprocessor real-time scheduling with arbitrary processor affinities",
//! Real-Time Systems 2015, section 2.2, and about what Linux does. The strong one would also move
//! running tasks out of the way of others.) Where every task may run anywhere the most urgent ones
//! run, as under [`Global`](crate::Global).
//!
//! ```text
//!   a may run on 0, 1     CPU 0: b     CPU 1: c      b gives way to a. It is more urgent than c
//!   b may run on 0, 1     CPU 0: a     CPU 1: b      and takes CPU 1, and c, which may run there
//!   c may run on 1                                   only, waits
//! ```
//!
//! As there, a task is *linked* to a CPU as soon as it should run there, and *runs* there when the
//! CPU has picked. One difference: a task may have to leave a CPU for another before the first has
//! picked, if a task came that may run on no other. The second CPU waits then, and must reschedule
//! when the first has released the task ([`Policy::released_cpu`]).
//!
//! No system has arbitrary sets of CPUs and thousands of tasks, so there is no queue: to find the
//! first waiting task that may have a CPU, the policy goes through all of them. O(tasks) where a
//! CPU becomes free, O(CPUs) for each task that gives way where a task becomes ready.

use crate::grouping::Grouping;
use crate::member::Members;
use crate::order::Order;
use crate::policy::{
    CpuSet, Dispatch, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::End;
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Slot, TaskId, Time};

/// A policy for all CPUs of a cluster, made of an order of tasks. `S` is where the tables of tasks
/// are, `C` where those of CPUs are.
pub struct Affine<O: Order, S: Storage, C: Storage> {
    order: O,
    members: Members<O, S>,
    places: S::Table<Place>,
    cpus: C::Table<Cpu>,
    /// CPUs that wait for a task which another CPU has just released.
    awaits: CpuSet,
    /// The last numbers that were given at the head and at the tail of equals.
    head: i64,
    tail: i64,
}

/// What a task tells the policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pinned<P> {
    /// What it tells the order.
    pub params: P,
    /// The CPUs that it may run on, at least one of them there.
    pub cpus: CpuSet,
}

/// Where a task is.
#[derive(Clone, Copy)]
struct Place {
    /// The CPUs that it may have.
    cpus: CpuSet,
    /// It can run, and is not linked.
    waits: bool,
    linked: Option<CpuId>,
    runs: Option<CpuId>,
    /// Where it ran last.
    last: Option<CpuId>,
    /// Its place among equals: the smaller, the earlier.
    number: i64,
}

const NOWHERE: Place = Place {
    cpus: CpuSet::EMPTY,
    waits: false,
    linked: None,
    runs: None,
    last: None,
    number: 0,
};

/// What a CPU does.
#[derive(Clone, Copy, Default)]
struct Cpu {
    linked: Slot,
    runs: Slot,
    /// Since when.
    since: Time,
}

impl<O: Order, S: Storage, C: Storage> Affine<O, S, C> {
    /// The policy without tasks, for the CPUs 0 to `cpus` - 1, at most 128, with room for task ids
    /// below `capacity` (storages whose size is part of their type have room for that many
    /// instead).
    pub fn new(order: O, capacity: usize, cpus: usize) -> Self {
        Affine {
            order,
            members: Members::new(capacity),
            places: Table::new(capacity, NOWHERE),
            cpus: Table::new(cpus.min(CpuSet::LARGEST.index() + 1), Cpu::default()),
            awaits: CpuSet::EMPTY,
            head: 0,
            tail: 0,
        }
    }

    /// The task that is linked to a CPU.
    pub fn linked(&self, cpu: CpuId) -> Option<TaskId> {
        self.cpus[cpu.index()].linked.get()
    }

    fn cpus(&self) -> impl Iterator<Item = CpuId> + use<O, S, C> {
        (0..=CpuSet::LARGEST.0)
            .take(self.cpus.capacity())
            .map(CpuId)
    }

    fn check(&self, params: &Pinned<O::Params>) -> Result<(), Refused> {
        Members::<O, S>::check(&self.order, &params.params, |_| true)?;
        if !self.cpus().any(|cpu| params.cpus.contains(cpu)) {
            return Err(Refused::Invalid(Parameter::Cpus));
        }
        Ok(())
    }

    /// The key that counts of `task` at `now`, and its place among equals.
    fn key(&self, task: TaskId, now: Time) -> (O::Key, i64) {
        let place = &self.places[task.index()];
        let key = match place.runs {
            Some(cpu) if place.linked.is_some() => {
                let since = self.cpus[cpu.index()].since;
                self.members.key_at(&self.order, task, since, now)
            }
            _ => self.members.key(task),
        };
        (key, place.number)
    }

    /// `task` gets a new place among equals.
    fn number(&mut self, task: TaskId, end: End) {
        let (next, step) = match end {
            End::Head => (&mut self.head, -1),
            End::Tail => (&mut self.tail, 1),
        };
        *next += step;
        self.places[task.index()].number = *next;
    }

    fn link(&mut self, task: TaskId, cpu: CpuId) {
        self.cpus[cpu.index()].linked = Slot::of(task);
        let place = &mut self.places[task.index()];
        (place.linked, place.waits) = (Some(cpu), false);
    }

    fn unlink(&mut self, cpu: CpuId) -> Option<TaskId> {
        let task = core::mem::take(&mut self.cpus[cpu.index()].linked).get()?;
        self.places[task.index()].linked = None;
        Some(task)
    }

    /// The CPU for `task`: a free one, preferably the one that it was on, or else the one whose
    /// link is the least urgent, if that is less urgent than itself.
    fn choose(&self, here: CpuId, task: TaskId, now: Time) -> Option<CpuId> {
        let place = &self.places[task.index()];
        let may = |&cpu: &CpuId| place.cpus.contains(cpu);
        let free = |cpu: &CpuId| may(cpu) && self.linked(*cpu).is_none();
        let wishes = [place.runs, place.last, Some(here)];
        if let Some(cpu) = wishes.into_iter().flatten().chain(self.cpus()).find(free) {
            return Some(cpu);
        }
        let links = self.cpus().filter(may).filter_map(|cpu| {
            let key = self.key(self.linked(cpu)?, now);
            Some((key, cpu))
        });
        let (least, cpu) = links.max_by(|a, b| a.0.cmp(&b.0))?;
        (self.key(task, now).0 < least.0).then_some(cpu)
    }

    /// `task`, which is nowhere, gets a CPU if it is urgent enough. The task that gives way to it
    /// gets another CPU in the same way, and so on: each is less urgent than the one before.
    fn place(&mut self, here: CpuId, mut task: TaskId, now: Time) -> Resched {
        let mut resched = Resched::None;
        while let Some(cpu) = self.choose(here, task, now) {
            let old = self.unlink(cpu);
            self.link(task, cpu);
            resched = resched.and(Resched::One(cpu));
            let Some(old) = old else { return resched };
            task = old;
        }
        self.places[task.index()].waits = true;
        resched
    }

    /// `cpu` has become free: the first waiting task that may have it gets it.
    fn fill(&mut self, cpu: CpuId, now: Time) -> Resched {
        let tasks = (0..=u16::MAX).map(TaskId).take(self.places.capacity());
        let waits = tasks.filter(|task| {
            let place = &self.places[task.index()];
            place.waits && place.cpus.contains(cpu)
        });
        if let Some(first) = waits.min_by_key(|&task| self.key(task, now)) {
            self.link(first, cpu);
        }
        Resched::One(cpu)
    }

    /// The key of `task`, or its place among equals, has changed while it is linked to `cpu`: a
    /// waiting task may be more urgent now, and then `task` gets another CPU, or waits.
    fn compete(&mut self, task: TaskId, cpu: CpuId, now: Time) -> Resched {
        self.unlink(cpu);
        self.places[task.index()].waits = true;
        let resched = self.fill(cpu, now);
        if self.linked(cpu) == Some(task) {
            return Resched::None;
        }
        self.places[task.index()].waits = false;
        resched.and(self.place(cpu, task, now))
    }

    /// The key of `task` has changed.
    fn requeue(&mut self, task: TaskId, now: Time) -> Resched {
        let Place {
            linked,
            runs,
            waits,
            ..
        } = self.places[task.index()];
        let end = if runs.is_some() { End::Head } else { End::Tail };
        if let Some(cpu) = linked {
            self.number(task, end);
            self.compete(task, cpu, now)
        } else if waits {
            self.number(task, end);
            self.places[task.index()].waits = false;
            // No CPU that it may have is free, so none has to be chosen.
            self.place(CpuId(0), task, now)
        } else {
            Resched::None
        }
    }
}

/// It takes no notice.
impl<O: Order, S: Storage, C: Storage> Grouping for Affine<O, S, C> {}

impl<O: Order, S: Storage, C: Storage> Policy for Affine<O, S, C> {
    type Params = Pinned<O::Params>;
    /// Another order of the same type.
    type Settings = O;

    const WANTS: Wants = Members::<O, S>::WANTS.and(Wants::RELEASED_CPU);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    fn admit(&mut self, task: TaskId, params: Self::Params, _: Time) -> Result<(), Refused> {
        self.check(&params)?;
        self.members.admit(&self.order, task, params.params)?;
        self.places[task.index()] = Place {
            cpus: params.cpus,
            ..NOWHERE
        };
        Ok(())
    }

    fn adjust(
        &mut self,
        task: TaskId,
        params: Self::Params,
        now: Time,
    ) -> Result<Resched, Refused> {
        self.check(&params)?;
        self.members.adjust(&self.order, task, params.params)?;
        let place = &mut self.places[task.index()];
        place.cpus = params.cpus;
        match place.linked.filter(|&cpu| !params.cpus.contains(cpu)) {
            None => Ok(self.requeue(task, now)),
            Some(cpu) => {
                self.unlink(cpu);
                let resched = self.fill(cpu, now);
                Ok(resched.and(self.place(cpu, task, now)))
            }
        }
    }

    /// The new order counts from the next job and the next time slice of each task on. O(tasks).
    ///
    /// # Errors
    /// What it refuses of a member's parameters.
    fn tune(&mut self, order: O, _: Time) -> Result<Resched, Refused> {
        let has_level = |_| true;
        self.members.tune(&mut self.order, order, has_level)?;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        debug_assert!(!self.places[task.index()].waits, "{task:?} can still run");
        self.members.retire(task);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members.ready(&self.order, task, why);
        self.number(task, End::Tail);
        self.place(here, task, now)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let slice_is_over = self.members.stopped(&self.order, task, used, why);
        if Self::WANTS.usage
            && let Some(runs) = self.places[task.index()].runs
        {
            // What it has used so far is in its key.
            self.cpus[runs.index()].since = now;
        }
        let place = &mut self.places[task.index()];
        let linked = place.linked;
        if matches!(why, Stop::Blocked | Stop::Completed) {
            let mut resched = Resched::None;
            place.waits = false;
            if let Some(runs) = place.runs.take() {
                self.cpus[runs.index()].runs = Slot::EMPTY;
                resched = Resched::One(runs);
            }
            if let Some(linked) = linked {
                self.unlink(linked);
                resched = resched.and(self.fill(linked, now));
            }
            return resched;
        }
        let resched = Resched::One(cpu);
        if slice_is_over || O::DYNAMIC {
            self.number(task, if slice_is_over { End::Tail } else { End::Head });
            if let Some(linked) = linked {
                return resched.and(self.compete(task, linked, now));
            }
        }
        resched
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let linked = self.linked(cpu);
        let link = &mut self.cpus[cpu.index()];
        link.since = now;
        let before = link.runs.get().filter(|&before| linked != Some(before));
        if let Some(before) = before {
            self.places[before.index()].runs = None;
            self.cpus[cpu.index()].runs = Slot::EMPTY;
            if let Some(awaits) = self.places[before.index()].linked {
                self.awaits = self.awaits.with(awaits);
            }
        }
        // A task that runs elsewhere comes when that CPU has picked.
        let is_free = |task: &TaskId| {
            self.places[task.index()]
                .runs
                .is_none_or(|runs| runs == cpu)
        };
        let task = linked.filter(is_free)?;
        self.cpus[cpu.index()].runs = Slot::of(task);
        let place = &mut self.places[task.index()];
        (place.runs, place.last) = (Some(cpu), Some(cpu));
        Some(self.members.dispatch(&self.order, task))
    }

    fn released_cpu(&mut self, _: CpuId) -> Resched {
        let awaits = core::mem::replace(&mut self.awaits, CpuSet::EMPTY);
        if awaits == CpuSet::EMPTY {
            Resched::None
        } else {
            Resched::Many(awaits)
        }
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.members.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        if self.members.inherit(to, from) {
            self.requeue(to, now)
        } else {
            Resched::None
        }
    }

    fn raise(
        &mut self,
        task: TaskId,
        ceiling: Self::Params,
        since: Time,
        now: Time,
    ) -> Result<Resched, Refused> {
        self.check(&ceiling)?;
        Ok(
            if self
                .members
                .raise(&self.order, task, &ceiling.params, since)
            {
                self.requeue(task, now)
            } else {
                Resched::None
            },
        )
    }
}
