//! Proportionate fairness: PD² and PF, which hold whatever can be held on several CPUs.
//!
//! Time is cut into *slots* of a quantum, and a job of weight *w* = e/p (e quanta every p slots)
//! into *subtasks* of one quantum each. Subtask *i* = 1, 2, … of a job has a window, counted in
//! slots from the release of the job, in which it has to run:
//!
//! ```text
//!   release ⌊(i − 1)/w⌋        deadline ⌈i/w⌉
//!
//!   w = 3/5:   slot  0   1   2   3   4
//!              i=1   [------]                  b = 1: the windows of 1 and 2 share slot 1
//!              i=2       [-----------]  …      b = 1
//!              i=3               [------]      b = 0
//! ```
//!
//! In each slot the most urgent subtasks run that have been released, one on each CPU. PD²
//! (Anderson and Srinivasan, "Mixed Pfair/ERfair scheduling of asynchronous periodic tasks", JCSS
//! 68(1), 2004) ranks them by
//!
//! 1. the earlier deadline;
//! 2. the *b-bit*, b = ⌈i/w⌉ − ⌊i/w⌋: whose window overlaps the next one should leave it room;
//! 3. the later *group deadline*: tasks of weight ½ and more have runs of windows of two slots, in
//!    which each subtask that runs late pushes all others, up to the end of the run.
//!
//! PF (Baruah, Cohen, Plaxton and Varvel, "Proportionate progress", Algorithmica 15(6), 1996) has
//! the same first two rules, and then compares the next subtasks of both. Both are optimal: with Σw
//! ≤ m on m CPUs no deadline is missed, provided that releases, periods and execution times are
//! whole quanta. (A job that comes within a slot waits for the next one, and so may be late by up
//! to a quantum.)
//!
//! A CPU whose subtask ends within a slot idles until the next one. Each decision costs O(log
//! tasks) a CPU.

use crate::policy::{
    CpuSet, Dispatch, Excess, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::{Entry, IndexedHeap};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use core::marker::PhantomData;
use flyball_trace::{CpuId, Duration, Slot, TaskId, Time};

/// PD².
pub type Pd2<S, C> = Pfair<ByGroupDeadline, S, C>;
/// PF.
pub type Pf<S, C> = Pfair<BySuccessors, S, C>;

/// What a task needs: so much execution time in every period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weight {
    /// Execution time of a job; counted in quanta, rounded up.
    pub wcet: Duration,
    /// The time between releases; counted in quanta, rounded down.
    pub period: Duration,
}

/// A rule for two subtasks with the same deadline whose windows overlap the next ones.
pub trait Fairness {
    /// [`Ordering::Less`] if `a` comes first.
    fn compare(a: &Subtask, b: &Subtask) -> Ordering;
}

/// PD²'s rule: the later group deadline first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByGroupDeadline;

/// PF's rule: as the next subtasks of both, as long as their windows overlap the next ones, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct BySuccessors;

/// A subtask: its task, when the job was released (in slots), quanta a job, slots a period, and its
/// place in the job, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Subtask {
    task: TaskId,
    job: u64,
    e: u64,
    p: u64,
    i: u64,
}

impl Subtask {
    /// The first slot of its window.
    pub fn release(&self) -> u64 {
        self.job + (self.i - 1) * self.p / self.e
    }

    /// The slot before which it has to run.
    pub fn deadline(&self) -> u64 {
        self.job + (self.i * self.p).div_ceil(self.e)
    }

    /// Whether its window overlaps the next one.
    pub fn overlaps(&self) -> bool {
        !(self.i * self.p).is_multiple_of(self.e)
    }

    /// The end of the run of windows of two slots that it is in; 0 for tasks of less than half a
    /// CPU.
    pub fn group_deadline(&self) -> u64 {
        let slack = self.p - self.e;
        if 2 * self.e < self.p || slack == 0 {
            return 0;
        }
        // ⌈⌈⌈i/w⌉ · (1 − w)⌉ / (1 − w)⌉
        let deadline = (self.i * self.p).div_ceil(self.e);
        let holes = (deadline * slack).div_ceil(self.p);
        self.job + (holes * self.p).div_ceil(slack)
    }

    fn next(&self) -> Subtask {
        Subtask {
            i: self.i + 1,
            ..*self
        }
    }
}

impl Fairness for ByGroupDeadline {
    fn compare(a: &Subtask, b: &Subtask) -> Ordering {
        b.group_deadline().cmp(&a.group_deadline())
    }
}

impl Fairness for BySuccessors {
    /// O(slots of a period).
    fn compare(a: &Subtask, b: &Subtask) -> Ordering {
        let (mut a, mut b) = (*a, *b);
        // The bits of both repeat from job to job.
        for _ in 0..a.e.saturating_mul(b.e) {
            (a, b) = (a.next(), b.next());
            let order = by_window(&a, &b);
            if order.is_ne() || !a.overlaps() {
                return order;
            }
        }
        Ordering::Equal
    }
}

/// The rules that both have: the earlier deadline, then the subtask whose window overlaps the next
/// one.
fn by_window(a: &Subtask, b: &Subtask) -> Ordering {
    let deadlines = a.deadline().cmp(&b.deadline());
    deadlines.then(b.overlaps().cmp(&a.overlaps()))
}

/// A subtask in the heap of those that may run.
#[derive(Clone, Copy)]
struct Urgent<F>(Subtask, PhantomData<F>);

impl<F: Fairness + Copy> Entry for Urgent<F> {
    type Id = TaskId;

    fn none() -> Self {
        Urgent(Subtask::default(), PhantomData)
    }

    fn id(&self) -> TaskId {
        self.0.task
    }

    fn of(self, task: TaskId) -> Self {
        Urgent(Subtask { task, ..self.0 }, PhantomData)
    }

    fn is_before(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        let order = by_window(a, b).then_with(|| {
            if a.overlaps() {
                F::compare(a, b)
            } else {
                Ordering::Equal
            }
        });
        // Among equals the lower number: which of them is of no account to the theory.
        order.then(a.task.0.cmp(&b.task.0)).is_lt()
    }
}

/// A subtask in the heap of those whose windows have not come.
#[derive(Clone, Copy)]
struct Future {
    release: u64,
    task: TaskId,
}

impl Entry for Future {
    type Id = TaskId;

    fn none() -> Self {
        Future {
            release: 0,
            task: TaskId(0),
        }
    }

    fn id(&self) -> TaskId {
        self.task
    }

    fn of(self, task: TaskId) -> Self {
        Future { task, ..self }
    }

    fn is_before(&self, other: &Self) -> bool {
        self.release < other.release
    }
}

/// What is known of a task.
#[derive(Clone, Copy, Default)]
struct Member {
    /// Its next subtask; the weight is 0/0 if it is no member.
    subtask: Subtask,
    /// The CPU that should run it in this slot.
    linked: Option<CpuId>,
    /// The CPU that ran it last.
    last: Option<CpuId>,
}

/// The longest period, in quanta.
const LONGEST_PERIOD: u64 = 1 << 20;

/// Proportionate fairness on the CPUs of a cluster. `S` is where the tables of tasks are, `C` where
/// those of CPUs are.
pub struct Pfair<F: Fairness + Copy, S: Storage, C: Storage> {
    quantum: Duration,
    cpus: u8,
    /// The task that should run on each CPU in this slot.
    linked: C::Table<Slot>,
    /// The task that should have run there in the last slot, and so may still run.
    before: C::Table<Slot>,
    members: S::Table<Member>,
    eligible: IndexedHeap<Urgent<F>, S>,
    future: IndexedHeap<Future, S>,
    /// When the slot began that has been decided last.
    began: Option<Time>,
    /// CPUs that have been linked.
    busy: CpuSet,
}

impl<F: Fairness + Copy, S: Storage, C: Storage> Pfair<F, S, C> {
    /// The policy without tasks, for `cpus` CPUs, at most 128, with slots of `quantum`, which is
    /// not zero, and room for task ids below `capacity`.
    pub fn new(quantum: Duration, capacity: usize, cpus: usize) -> Self {
        let linked: C::Table<Slot> = Table::new(cpus, Slot::EMPTY);
        let most = usize::from(CpuSet::LARGEST.0) + 1;
        let cpus = cpus.min(linked.capacity()).min(most);
        Pfair {
            quantum: quantum.max(Duration::from_nanos(1)),
            cpus: u8::try_from(cpus).unwrap_or(u8::MAX),
            linked,
            before: Table::new(cpus, Slot::EMPTY),
            members: Table::new(capacity, Member::default()),
            eligible: IndexedHeap::new(capacity),
            future: IndexedHeap::new(capacity),
            began: None,
            busy: CpuSet::EMPTY,
        }
    }

    /// The number of the slot that begins at `time` or next after it.
    fn slot_from(&self, time: Time) -> u64 {
        time.as_nanos().div_ceil(self.quantum.as_nanos())
    }

    /// The first subtask of a job.
    fn subtask(&self, task: TaskId, weight: Weight) -> Result<Subtask, Refused> {
        let quantum = self.quantum.as_nanos();
        let e = weight.wcet.as_nanos().div_ceil(quantum).max(1);
        let p = weight.period.as_nanos() / quantum;
        // Products of a few of them are formed.
        if p == 0 || p > LONGEST_PERIOD {
            return Err(Refused::Invalid(Parameter::Period));
        }
        if e > p {
            let excess = Excess::of(self.quantum * e, self.quantum * p);
            return Err(Refused::Overload { excess });
        }
        Ok(Subtask {
            task,
            job: 0,
            e,
            p,
            i: 1,
        })
    }

    /// Queues the next subtask of `task`, which waits for its window.
    fn enqueue(&mut self, task: TaskId) {
        let subtask = self.members[task.index()].subtask;
        let release = subtask.release();
        self.future.insert(Future { release, task });
    }

    /// Takes `task` out of all queues and links; a linked one has had its slot.
    fn take_out(&mut self, task: TaskId) {
        let member = &mut self.members[task.index()];
        if let Some(cpu) = member.linked.take() {
            member.subtask = member.subtask.next();
            self.linked[cpu.index()] = Slot::EMPTY;
            self.busy = self.busy.without(cpu);
        } else if self.eligible.contains(task) {
            self.eligible.take(task);
        } else if self.future.contains(task) {
            self.future.take(task);
        }
    }

    fn link(&mut self, task: TaskId, cpu: CpuId) {
        self.linked[cpu.index()] = Slot::of(task);
        self.busy = self.busy.with(cpu);
        let member = &mut self.members[task.index()];
        member.linked = Some(cpu);
        member.last = Some(cpu);
    }

    /// Makes the subtasks eligible whose windows have begun by the beginning of `slot`.
    fn admit_until(&mut self, slot: u64) {
        while let Some(Future { release, task }) = self.future.first()
            && release <= slot
        {
            self.future.take(task);
            let subtask = self.members[task.index()].subtask;
            self.eligible.insert(Urgent(subtask, PhantomData));
        }
    }

    /// CPUs without a link get the most urgent subtasks. A task that ran in the last slot stays on
    /// its CPU (and can be on no other, as it runs until that CPU picks); the others get the CPU
    /// where they ran last if it is free.
    fn fill(&mut self) {
        let mut moving = [TaskId(0); CpuSet::LARGEST.0 as usize + 1];
        let mut count = 0;
        for _ in 0..self.free().count() {
            let Some(Urgent(subtask, _)) = self.eligible.first() else {
                break;
            };
            let task = subtask.task;
            self.eligible.take(task);
            match self.members[task.index()].last {
                Some(cpu) if self.before[cpu.index()].holds(task) => self.link(task, cpu),
                _ => {
                    moving[count] = task;
                    count += 1;
                }
            }
        }
        for &task in &moving[..count] {
            let last = self.members[task.index()].last;
            let last = last.filter(|&cpu| !self.busy.contains(cpu));
            // There are as many free ones as were counted.
            if let Some(cpu) = last.or_else(|| self.free().next()) {
                self.link(task, cpu);
            }
        }
    }

    fn free(&self) -> impl Iterator<Item = CpuId> + use<F, S, C> {
        let busy = self.busy;
        let cpus = (0..self.cpus).map(CpuId);
        cpus.filter(move |&cpu| !busy.contains(cpu))
    }

    fn all(&self) -> Resched {
        let cpus = (0..self.cpus).map(CpuId);
        Resched::Many(cpus.fold(CpuSet::EMPTY, CpuSet::with))
    }
}

impl<F: Fairness + Copy, S: Storage, C: Storage> Policy for Pfair<F, S, C> {
    type Params = Weight;
    /// The length of a slot is what all windows are counted in, and stays.
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK.and(Wants::ALARMS);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    /// The sum of all weights is not limited: in overload tasks are late, as under other policies.
    ///
    /// # Errors
    /// [`Refused::Overload`] if the task asks for more than one CPU, in whole quanta;
    /// [`Refused::Invalid`] if its period is less than one quantum or more than 2²⁰.
    fn admit(&mut self, task: TaskId, weight: Weight, _: Time) -> Result<(), Refused> {
        if task.index() >= self.members.capacity() {
            return Err(Refused::Full);
        }
        if self.members[task.index()].subtask.e > 0 {
            return Err(Refused::Member);
        }
        let subtask = self.subtask(task, weight)?;
        self.members[task.index()] = Member {
            subtask,
            ..Member::default()
        };
        Ok(())
    }

    /// The new weight counts from the next job on, which is when windows begin anew.
    ///
    /// # Errors
    /// As [`Policy::admit`]; [`Refused::Busy`] while a job is under way.
    fn adjust(&mut self, task: TaskId, weight: Weight, _: Time) -> Result<Resched, Refused> {
        let new = self.subtask(task, weight)?;
        let member = self.members.find_mut(task.index());
        let Some(member) = member.filter(|member| member.subtask.e > 0) else {
            return Err(Refused::NotAdmitted);
        };
        let is_queued =
            member.linked.is_some() || self.eligible.contains(task) || self.future.contains(task);
        if is_queued {
            return Err(Refused::Busy);
        }
        member.subtask = new;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        self.members[task.index()] = Member::default();
    }

    fn ready(&mut self, _: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        if let Ready::Released { release } = why {
            let job = self.slot_from(release);
            let subtask = &mut self.members[task.index()].subtask;
            (subtask.job, subtask.i) = (job, 1);
        }
        self.enqueue(task);
        if self.began == Some(now) {
            // The slot has just been decided, and may have room.
            self.admit_until(self.slot_from(now));
            self.fill();
            return self.all();
        }
        Resched::None
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.take_out(task);
        }
        Resched::One(cpu)
    }

    /// A slot begins.
    fn alarm(&mut self, _: CpuId, now: Time) -> Resched {
        for cpu in (0..self.cpus).map(CpuId) {
            let linked = self.linked[cpu.index()];
            self.before[cpu.index()] = linked;
            if let Some(task) = linked.get() {
                self.take_out(task);
                self.enqueue(task);
            }
        }
        self.began = Some(now);
        self.admit_until(now.as_nanos() / self.quantum.as_nanos());
        self.fill();
        self.all()
    }

    /// Slots are those of all CPUs, so there is one alarm.
    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        if cpu != CpuId(0) {
            return None;
        }
        let start = |slot: u64| Time::ZERO + self.quantum * slot;
        if !self.eligible.is_empty() || self.busy != CpuSet::EMPTY {
            // The next slot; at once if none has been decided.
            return Some(self.began.map_or(Time::ZERO, |began| {
                start(began.as_nanos() / self.quantum.as_nanos() + 1)
            }));
        }
        let Future { release, .. } = self.future.first()?;
        let next = self
            .began
            .map_or(0, |began| began.as_nanos() / self.quantum.as_nanos() + 1);
        Some(start(release.max(next)))
    }

    fn pick(&mut self, cpu: CpuId, _: Time) -> Option<Dispatch> {
        self.linked[cpu.index()].get().map(Dispatch::of)
    }
}
