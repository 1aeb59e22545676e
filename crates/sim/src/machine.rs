//! The virtual machine: CPUs that compute, a clock, a timer, and what the kernel's work costs.
//!
//! Each cluster of CPUs has a kernel core of its own with the tasks that are assigned to it; usually a
//! cluster is one CPU. The machine goes from event to event. At one instant in one cluster things
//! happen in this order, which is that of hardware where the timer interrupt comes a moment after the
//! instruction that ended a job:
//!
//! 1. The running tasks have computed what they had to, and make their calls: they lock, send, end their
//!    jobs. So a job that ends at its deadline has met it. Of several CPUs the first comes first.
//! 2. Tasks that change become what they are to become, or end.
//! 3. Sporadic jobs arrive.
//! 4. The timer fires: all releases and deadlines of this instant.
//! 5. Tasks that are new begin.
//! 6. The kernel decides who runs, on all CPUs that have to look.
//!
//! The first CPU of a cluster keeps the time for all of them. A CPU that has to look because of what
//! happened on another one is interrupted, which takes a moment (`ipi`); one that works for the kernel
//! looks when it is done.
//!
//! # Overheads
//!
//! The kernel's work takes time on the CPU, at the end of the same passage, in the order *calls, tick,
//! releases, scheduling, context switch*:
//!
//! ```text
//!  a job ends      call  tick  releases  scheduling  switch   the next one computes
//!  ---------------|===========================================|--------------------
//!                now                                      leave
//! ```
//!
//! Until then interrupts wait. A cache-related delay is not the kernel's time: it lengthens the job
//! that was preempted when it goes on. Each cost is that for the number of tasks on the CPU.

use crate::error::SimError;
use crate::program::{Call, Program};
use crate::run::{Deadlock, Ended};
use crate::scheduler::Scheduler;
use crate::tap::Tap;
use crate::tournament::Tournament;
use core::task::Poll;
use flyball_kernel::{Config, Core, Error, MutexId, QueueId, SemaphoreId, ThreadId};
use flyball_model::random::Random;
use flyball_model::{Length, Overheads};
use flyball_policy::{Boxed, CpuId, CpuSet, Duration, Policy, TaskId, Time};
use flyball_trace::{Cause, Event, Kind, Sink};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::marker::PhantomData;
use std::rc::Rc;

mod build;
mod change;
mod cycle;
mod moving;

pub(crate) use cycle::Cycle;
pub(crate) use moving::Traveller;

/// A kernel's first CPU, as the kernel counts: the one that keeps the time.
const CPU: CpuId = CpuId(0);

/// How often a task may call the kernel while no time passes. Far beyond what a task set can mean.
const MOST_CALLS: u64 = 1_000_000;

/// What simulated kernels consist of.
struct Simulated<P, T>(PhantomData<(P, T)>);

impl<P: Policy, T: Sink> Config for Simulated<P, T> {
    type Policy = P;
    type Trace = Tap<T>;
    /// That a message comes is all that matters.
    type Message = ();
    type Cpus = Boxed;
    type Threads = Boxed;
    type Mutexes = Boxed;
    type Semaphores = Boxed;
    type Conditions = Boxed;
    type Queues = Boxed;
    type Messages = Boxed;
    type Jobs = Boxed;
    type Arrivals = Boxed;
    type Accounts = Boxed;
}

/// A cluster of CPUs, its kernel and its tasks.
pub(crate) struct Node<S: Scheduler, T: Sink> {
    core: Core<Simulated<S::Policy, T>>,
    sink: Rc<RefCell<T>>,
    /// The number of the first CPU in the whole machine.
    cpu: CpuId,
    lanes: Vec<Lane>,
    /// When something happens next on each CPU, where there are several.
    nexts: Tournament,
    /// The CPUs that work for the kernel at this instant.
    inside: CpuSet,
    threads: Vec<Thread>,
    /// What is seldom looked at of each thread, apart from what every event needs.
    details: Vec<Details>,
    mutexes: Vec<MutexId>,
    semaphores: Vec<SemaphoreId>,
    queues: Vec<QueueId>,
    changes: change::Changes<<S::Policy as Policy>::Params>,
    beginning: change::Beginning<<S::Policy as Policy>::Params>,
    /// What all random numbers come from.
    seed: u64,
    /// When sporadic jobs arrive, and at which row.
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    costs: Costs,
    /// Calls made at one instant, and at which.
    calls: (Time, u64),
    pub(crate) counts: Counts,
    pub(crate) deadlock: Option<Deadlock>,
    pub(crate) cycle: Cycle,
}

/// What one CPU does.
#[derive(Clone, Copy)]
struct Lane {
    /// The row of the thread that computes, and since when.
    running: Option<usize>,
    resumed: Time,
    /// Until then the kernel works and nothing else happens on this CPU.
    busy_until: Time,
    /// When an interrupt from another CPU comes; [`Time::NEVER`]: none is on its way.
    interrupt: Time,
    /// Calls made in this passage, to be paid for.
    unpaid: u64,
}

/// What is counted while a machine runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) jobs: u64,
    pub(crate) preemptions: u64,
    pub(crate) switches: u64,
}

#[derive(Clone)]
struct Thread {
    program: Program,
    handle: ThreadId,
    once: bool,
    /// It was preempted: what it had in the caches may be gone.
    cold: bool,
}

#[derive(Clone)]
struct Details {
    name: String,
    /// Its number in the whole task set.
    number: TaskId,
    /// Sporadic: the time between arrivals, and its random numbers.
    gap: Option<(Length, Random)>,
    /// What it becomes with its next job.
    next: Option<change::Next>,
}

/// The overheads for the number of tasks that there are.
#[derive(Clone, Copy)]
struct Costs {
    /// All of them are zero.
    free: bool,
    call: Duration,
    tick: Duration,
    release: Duration,
    scheduling: Duration,
    switch: Duration,
    ipi: Duration,
    cache: Duration,
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// What happens at time zero, before the first event: the first tasks have been released.
    pub(crate) fn start(&mut self) -> Result<(), SimError> {
        let released = self
            .threads
            .iter()
            .filter(|thread| self.core.has_job(thread.handle));
        let released = u32::try_from(released.count()).unwrap_or(u32::MAX);
        for cpu in self.cpus() {
            self.enter(cpu, Time::ZERO);
        }
        let arrived = self.arrive(Time::ZERO)?;
        self.leave(Time::ZERO, false, released + arrived)
    }

    /// Whether this is a cluster of one CPU, for which there is nothing to find out.
    #[inline]
    fn is_alone(&self) -> bool {
        self.lanes.len() == 1
    }

    /// The CPUs, as the kernel counts.
    fn cpus(&self) -> impl Iterator<Item = CpuId> + use<S, T> {
        (0..=u8::MAX).take(self.lanes.len()).map(CpuId)
    }

    /// When something happens next in this cluster.
    #[inline]
    pub(crate) fn next_event(&self) -> Time {
        if self.is_alone() {
            self.next_on(CPU)
        } else {
            self.nexts.first()
        }
    }

    /// When something happens next on a CPU.
    #[inline]
    fn next_on(&self, cpu: CpuId) -> Time {
        let lane = &self.lanes[cpu.index()];
        let mut next = self.core.next_timer(cpu).min(lane.interrupt);
        if let Some(row) = lane.running {
            next = next.min(lane.resumed + self.threads[row].program.left);
        }
        if cpu == CPU {
            if let Some(&Reverse((arrival, _))) = self.arrivals.peek() {
                next = next.min(arrival);
            }
            if let Some(&(change, _)) = self.changes.front() {
                next = next.min(change);
            }
        }
        next.max(lane.busy_until)
    }

    /// Lets happen what happens at `now`, which is [`Node::next_event`].
    pub(crate) fn step(&mut self, now: Time) -> Result<(), SimError> {
        if self.is_alone() {
            self.enter(CPU, now);
            self.compute(CPU, now)?;
        } else {
            let mut from = CPU;
            while let Some(cpu) = self.nexts.due(from, now) {
                self.enter(cpu, now);
                self.compute(cpu, now)?;
                from = CpuId(cpu.0 + 1);
            }
        }
        let keeps_time = self.inside.contains(CPU);
        let mut ticked = false;
        let mut released = 0;
        if keeps_time {
            if !self.changes.is_empty() {
                released += self.change(now)?;
            }
            released += self.arrive(now)?;
            if self.core.next_timer(CPU) <= now {
                self.look_for_cycle(now);
                let (ticks, misses) = (self.core.ticks(), self.core.misses());
                released += self.core.timer(CPU, now);
                ticked = self.core.ticks() > ticks;
                // To notice that a job is late is work of the same kind.
                let late = self.core.misses() - misses;
                released += u32::try_from(late).unwrap_or(u32::MAX);
            }
        }
        for cpu in self.inside.without(CPU).iter() {
            if self.core.next_timer(cpu) <= now {
                self.core.timer(cpu, now);
            }
        }
        if keeps_time && !self.beginning.is_empty() {
            released += self.begin(now)?;
        }
        self.leave(now, ticked, released)
    }

    /// A CPU begins to work for the kernel.
    #[inline]
    fn enter(&mut self, cpu: CpuId, now: Time) {
        if !self.costs.free {
            self.core.enter(cpu, now);
        }
        self.inside = self.inside.with(cpu);
    }

    /// The end of what happens at `now`: the CPUs that work for the kernel decide and go on, and those
    /// that have to look are interrupted.
    #[inline]
    fn leave(&mut self, now: Time, ticked: bool, released: u32) -> Result<(), SimError> {
        if self.is_alone() {
            self.inside = CpuSet::EMPTY;
            if self.goes_on(CPU) {
                return Ok(());
            }
            return self.dispatch(CPU, now, ticked, released);
        }
        // By rising number, and what one CPU decides may concern others before it.
        let mut from = CPU;
        loop {
            let Some(cpu) = self.concerned().first_from(from) else {
                if self.unheard().is_none() {
                    break;
                }
                from = CPU;
                continue;
            };
            from = CpuId(cpu.0 + 1);
            let lane = &mut self.lanes[cpu.index()];
            if self.inside.contains(cpu) {
                lane.interrupt = Time::NEVER;
            } else if !lane.interrupt.is_never() {
                continue;
            } else if lane.busy_until > now || !self.costs.ipi.is_zero() {
                lane.interrupt = lane.busy_until.max(now + self.costs.ipi);
                let next = self.nexts.at(cpu).min(lane.interrupt);
                self.nexts.set(cpu, next);
                continue;
            } else {
                // It has something left to compute: otherwise it would be here by itself.
                self.enter(cpu, now);
                self.pause(cpu, now);
            }
            self.inside = self.inside.without(cpu);
            if !self.goes_on(cpu) {
                let is_first = cpu == CPU;
                let released = if is_first { released } else { 0 };
                self.dispatch(cpu, now, ticked && is_first, released)?;
            }
            self.nexts.set(cpu, self.next_on(cpu));
        }
        // What happened on other CPUs may have set the clock of the one that keeps the time.
        self.nexts.set(CPU, self.next_on(CPU));
        Ok(())
    }

    /// Whether a CPU that works for the kernel has nothing to decide, and its work takes no time.
    #[inline]
    fn goes_on(&mut self, cpu: CpuId) -> bool {
        self.costs.free && !self.core.asks(cpu)
    }

    /// The CPUs that work for the kernel, and those that have to look.
    #[inline]
    fn concerned(&self) -> CpuSet {
        self.inside.union(self.core.asking())
    }

    /// A CPU that has to look, and is not interrupted yet.
    #[inline]
    fn unheard(&self) -> Option<CpuId> {
        let mut asking = self.core.asking().iter();
        asking.find(|cpu| self.lanes[cpu.index()].interrupt.is_never())
    }

    /// The clock stops at `now`, an event at that very instant or not: the running tasks make the
    /// calls that are due, and jobs whose deadlines have come are late. Nothing is released.
    pub(crate) fn finish(&mut self, now: Time) -> Result<(), SimError> {
        for cpu in self.cpus() {
            if now >= self.lanes[cpu.index()].busy_until {
                self.compute(cpu, now)?;
            }
        }
        if self.lanes.iter().all(|lane| now >= lane.busy_until) {
            self.look_for_cycle(now);
        }
        self.core.notice_misses(CPU, now);
        for cpu in self.cpus() {
            self.core.enter(cpu, now);
        }
        Ok(())
    }

    pub(crate) fn misses(&self) -> u64 {
        self.core.misses()
    }

    /// Idle time, by CPU.
    pub(crate) fn idle(&self) -> impl Iterator<Item = Duration> {
        self.cpus().map(|cpu| self.core.idle_time(cpu))
    }

    /// The kernel's time, by CPU.
    pub(crate) fn overhead(&self) -> impl Iterator<Item = Duration> {
        self.cpus().map(|cpu| self.core.kernel_time(cpu))
    }

    /// The running task of a CPU has computed until `now`. If that was all, it goes on with its program.
    #[inline]
    fn compute(&mut self, cpu: CpuId, now: Time) -> Result<(), SimError> {
        match self.pause(cpu, now) {
            Some(row) if self.threads[row].program.left.is_zero() => self.act(cpu, row, now),
            _ => Ok(()),
        }
    }

    /// The running task of a CPU has computed until `now`. Returns its row; `None` if there is none, or if
    /// its job has been given up from elsewhere and the CPU has not heard of it yet: what it did since is
    /// for nothing, and the task may be at its next job on another CPU.
    #[inline]
    fn pause(&mut self, cpu: CpuId, now: Time) -> Option<usize> {
        let lane = &mut self.lanes[cpu.index()];
        let row = lane.running?;
        let ran = now.since(lane.resumed);
        lane.resumed = now;
        if self.core.running_task(cpu).map(TaskId::index) != Some(row) {
            return None;
        }
        let program = &mut self.threads[row].program;
        program.left = program.left.saturating_sub(ran);
        Some(row)
    }

    /// The running task makes its calls until it computes again, has to wait, or another task has
    /// become more urgent.
    fn act(&mut self, cpu: CpuId, row: usize, now: Time) -> Result<(), SimError> {
        const ENDLESS: Time = Time::NEVER;
        if self.calls.0 != now {
            self.calls = (now, 0);
        }
        loop {
            self.calls.1 += 1;
            if self.calls.1 > MOST_CALLS * self.threads.len() as u64 {
                return Err(SimError::Stuck {
                    task: self.details[row].name.clone(),
                    at: now,
                });
            }
            self.lanes[cpu.index()].unpaid += 1;
            let core = &mut self.core;
            let call = self.threads[row].program.step();
            let called = match call {
                Call::Compute(length) => {
                    // Computing is no call.
                    self.lanes[cpu.index()].unpaid -= 1;
                    let program = &mut self.threads[row].program;
                    program.left = program.draw(length);
                    if !program.left.is_zero() {
                        return Ok(());
                    }
                    Ok(Poll::Ready(()))
                }
                Call::Suspend(length) => {
                    let length = self.threads[row].program.draw(length);
                    core.sleep_until(cpu, now + length, now)
                }
                Call::Yield => core.yield_now(cpu, now).map(Poll::Ready),
                Call::Lock(n) => {
                    match core.lock(cpu, self.mutexes[usize::from(n)], ENDLESS, now) {
                        Err(Error::Deadlock) => {
                            self.deadlock.get_or_insert(Deadlock {
                                task: self.details[row].number,
                                mutex: n,
                                at: now,
                            });
                            // The kernel refuses to wait for ever; the task does it all the same.
                            self.core.sleep_until(cpu, ENDLESS, now)
                        }
                        locked => locked,
                    }
                }
                Call::Unlock(n) => core
                    .unlock(cpu, self.mutexes[usize::from(n)], now)
                    .map(Poll::Ready),
                Call::Wait(n) => core.wait(cpu, self.semaphores[usize::from(n)], ENDLESS, now),
                Call::Signal(n) => core
                    .signal(cpu, self.semaphores[usize::from(n)], now)
                    .map(Poll::Ready),
                Call::Send(n) => core.send(cpu, self.queues[usize::from(n)], &(), ENDLESS, now),
                Call::Receive(n) => core.receive(cpu, self.queues[usize::from(n)], ENDLESS, now),
                Call::End => {
                    self.counts.jobs += 1;
                    if self.threads[row].once {
                        core.exit(cpu, now).map(|()| Poll::Pending)
                    } else {
                        core.wait_next(cpu, now)
                    }
                }
            };
            let called = called.map_err(|error| self.failed(row, now, error))?;
            if call == Call::End && self.details[row].next.is_some() {
                self.turn(row)?;
            }
            if called.is_pending() {
                return Ok(());
            }
            // A call that takes time is over before the next one, and others may come in between.
            if !self.costs.call.is_zero() {
                return Ok(());
            }
            // Somebody may be more urgent now. A job whose last call this was is complete all the
            // same: what it had left to do takes no time.
            let is_done = call != Call::End && self.threads[row].program.is_done();
            if self.core.asks(cpu) && !is_done {
                return Ok(());
            }
        }
    }

    fn failed(&self, row: usize, at: Time, error: Error) -> SimError {
        SimError::Call {
            task: self.details[row].name.clone(),
            at,
            error,
        }
    }

    /// Sporadic jobs arrive. Returns how many.
    #[inline]
    fn arrive(&mut self, now: Time) -> Result<u32, SimError> {
        let mut arrived = 0;
        while let Some(&Reverse((at, row))) = self.arrivals.peek()
            && at <= now
        {
            self.arrivals.pop();
            let thread = self.threads[row].handle;
            match self.core.release(CPU, thread, at, now) {
                // A task that is tens of thousands of jobs behind loses some; the trace says so.
                Ok(()) | Err(Error::Full) => arrived += 1,
                // It has ended, so nothing more arrives.
                Err(Error::Dead) => continue,
                Err(error) => return Err(self.failed(row, now, error)),
            }
            if let Some((gap, random)) = &mut self.details[row].gap {
                self.arrivals.push(Reverse((at + random.draw(gap), row)));
            }
        }
        Ok(arrived)
    }

    /// The end of a passage through the kernel: it decides, and its work takes its time.
    #[inline]
    fn dispatch(
        &mut self,
        cpu: CpuId,
        now: Time,
        ticked: bool,
        released: u32,
    ) -> Result<(), SimError> {
        let before = self.lanes[cpu.index()].running;
        let asked = self.core.asks(cpu);
        let mut switch = false;
        if asked {
            let preemptions = self.core.preemptions();
            let decision = self.core.decide(cpu, now);
            if self.core.preemptions() > preemptions {
                self.counts.preemptions += 1;
                if let Some(row) = before {
                    self.threads[row].cold = true;
                }
            }
            let running = decision.run.map(TaskId::index);
            self.lanes[cpu.index()].running = running;
            switch = decision.switch;
            self.counts.switches += u64::from(switch);
            if decision.more
                && self.core.more(cpu).restart
                && let Some(row) = running
            {
                self.threads[row].program.restart();
                self.threads[row].cold = false;
                self.turn(row)?;
            }
        }
        let mut leave = now;
        let calls = std::mem::take(&mut self.lanes[cpu.index()].unpaid);
        if !self.costs.free {
            leave = self.charge(cpu, leave, Cause::Call, self.costs.call * calls);
            leave = self.charge(cpu, leave, Cause::Tick, self.costs.tick * u64::from(ticked));
            leave = self.charge(
                cpu,
                leave,
                Cause::Release,
                self.costs.release * u64::from(released),
            );
            leave = self.charge(
                cpu,
                leave,
                Cause::Scheduling,
                self.costs.scheduling * u64::from(asked),
            );
            leave = self.charge(
                cpu,
                leave,
                Cause::ContextSwitch,
                self.costs.switch * u64::from(switch),
            );
            if let Some(row) = self.lanes[cpu.index()].running
                && switch
                && std::mem::take(&mut self.threads[row].cold)
            {
                self.threads[row].program.left += self.costs.cache;
                self.charge(cpu, leave, Cause::Cache, self.costs.cache);
            }
        } else if asked && let Some(row) = self.lanes[cpu.index()].running {
            // Where the kernel's work takes time, others may get in between.
            self.threads[row].program.begin();
        }
        self.core.leave(cpu, leave);
        let lane = &mut self.lanes[cpu.index()];
        lane.resumed = leave;
        lane.busy_until = leave;
        Ok(())
    }

    /// The kernel works on a CPU from `from` on; returns until when.
    fn charge(&mut self, cpu: CpuId, from: Time, cause: Cause, length: Duration) -> Time {
        if T::ENABLED && !length.is_zero() {
            let kind = Kind::Overhead { cause, length };
            self.sink.borrow_mut().record(Event {
                time: from,
                cpu: CpuId(self.cpu.0 + cpu.0),
                kind,
            });
        }
        from + length
    }
}

impl Costs {
    fn new(overheads: &Overheads, tasks: usize) -> Costs {
        Costs {
            free: overheads.are_free(),
            call: overheads.call.at(tasks),
            tick: overheads.tick.at(tasks),
            release: overheads.release.at(tasks),
            scheduling: overheads.scheduling.at(tasks),
            switch: overheads.context_switch.at(tasks),
            ipi: overheads.ipi.at(tasks),
            cache: overheads.cache.at(tasks),
        }
    }
}

/// Why a simulation is over.
pub(crate) fn reason<S: Scheduler, T: Sink>(nodes: &[Node<S, T>], stop_at_miss: bool) -> Ended {
    if stop_at_miss && nodes.iter().any(|node| node.misses() > 0) {
        Ended::Miss
    } else {
        Ended::Until
    }
}
