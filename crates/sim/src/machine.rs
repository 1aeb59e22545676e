//! The virtual machine: CPUs that compute, a clock, a timer, and what the kernel's work costs.
//!
//! Each cluster of CPUs has a kernel core of its own with the tasks that are assigned to it;
//! usually a cluster is one CPU. The machine goes from event to event. At one instant in one
//! cluster things happen in this order, which is that of hardware where the timer interrupt comes a
//! moment after the instruction that ended a job:
//!
//! 1. The running tasks have computed what they had to, and make their calls: they lock, send, end
//!    their jobs. So a job that ends at its deadline has met it. Of several CPUs the first comes
//!    first.
//! 2. Tasks that change become what they are to become, or end.
//! 3. Sporadic jobs are released, and those with release jitter; sources put messages in, sinks take them out.
//! 4. The timer fires: all releases and deadlines of this instant.
//! 5. Tasks that are new begin.
//! 6. The kernel decides which task runs, on all CPUs that must reschedule.
//!
//! The first CPU of a cluster keeps the time for all of them. A CPU that must reschedule because of
//! what happened on another one is interrupted, which takes a moment (`ipi`); one that works for
//! the kernel decides when it is done.
//!
//! # Overheads
//!
//! The kernel's work takes time on the CPU, at the end of the same entry, in the order *calls,
//! tick, controllers, releases, scheduling, context switch*:
//!
//! ```text
//!  a job ends      call  tick  releases  scheduling  switch   the next one computes
//!  ---------------|===========================================|--------------------
//!                now                                      leave
//! ```
//!
//! Until then interrupts wait. A cache-related delay is not the kernel's time: it lengthens the job
//! that was preempted when it goes on, by the same time whatever the CPU's speed. Each cost is that for the number of tasks on the CPU.
//!
//! # Speeds
//!
//! Where the platform has operating points, CPUs start at the fastest one, and a policy may choose
//! another one with the task that it picks. The transition is the kernel's time, before the context
//! switch. Where CPUs share a clock it runs at the fastest of the points that CPUs which do not
//! idle ask for. One whose clock changes because of another is interrupted, and pays for the transition itself, unless
//! it idles. At a lower frequency *f* the kernel's work takes f_max / f times as long, and a computation
//! that waits for memory for a part μ of its time (1 − μ) · f_max / f + μ times. What is left of a
//! computation when the speed changes is kept to 2^-31 of a nanosecond.
//!
//! CPUs with operating points count events, too (`counters`).

use crate::error::SimError;
use crate::program::Program;
use crate::run::{Deadlock, Ended};
use crate::tap::Tap;
use flyball_catalogue::Scheduler;
use flyball_kernel::{
    Config, Core, Entry, GaugeId, MutexId, Numbered, QueueId, SemaphoreId, ThreadId, Trigger,
};
use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_policy::queue::Tournament;
use flyball_policy::{Boxed, CpuId, CpuSet, Duration, Nothing, Policy, TaskId, Time, UpTo};
use flyball_trace::Sink;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::marker::PhantomData;
use std::rc::Rc;

mod build;
mod calls;
mod change;
mod counters;
mod cycle;
mod devices;
mod entry;
mod follow;
mod moving;
mod speeds;

pub(crate) use cycle::Cycle;
use entry::Costs;
use follow::Follow;
pub(crate) use moving::Migrating;
pub(crate) use speeds::Asked;
use speeds::Clocks;

/// A kernel's first CPU, as the kernel counts: the one that keeps the time.
const CPU: CpuId = CpuId(0);

/// Where tables of CPUs are: at most so many that a [`CpuSet`] holds all of a cluster.
type ForCpus = UpTo<128>;

/// The policy of a simulated kernel.
pub type PolicyOf<S> = <S as Scheduler>::Policy<Boxed, ForCpus>;

/// What simulated kernels consist of.
pub(crate) struct Simulated<P, T>(PhantomData<(P, T)>);

impl<P: Policy, T: Sink> Config for Simulated<P, T> {
    type Policy = P;
    type Trace = Tap<T>;
    /// That a message comes is all that matters.
    type Message = ();
    type Stamp = Time;
    type Cpus = ForCpus;
    type Threads = Boxed;
    type Objects = Numbered<Boxed, Boxed, Boxed>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Boxed;
    type Messages = Boxed;
    type Jobs = Boxed;
    type Arrivals = Boxed;
    type Accounts = Boxed;
    type Counts = Boxed;
    type Budgets = Boxed;
    /// Calls are made for a task that runs, and name what the task set has.
    const CHECKS: bool = false;
}

/// A cluster of CPUs, its kernel and its tasks.
pub(crate) struct Node<S: Scheduler, T: Sink> {
    core: Core<Simulated<PolicyOf<S>, T>>,
    sink: Rc<RefCell<T>>,
    /// The number of the first CPU in the whole machine.
    cpu: CpuId,
    lanes: Vec<Lane>,
    /// When something happens next on each CPU, where there are several.
    nexts: Tournament<Boxed>,
    /// The CPUs that work for the kernel at this instant.
    inside: CpuSet,
    threads: Vec<Thread>,
    /// What is seldom looked at of each thread, apart from what every event needs.
    details: Vec<Details>,
    mutexes: Vec<MutexId>,
    semaphores: Vec<SemaphoreId>,
    queues: Vec<QueueId>,
    /// Those among them that are gauges.
    gauges: Vec<Option<GaugeId>>,
    /// Those of them that release jobs.
    triggers: HashSet<Trigger>,
    changes: change::Changes<S::Params>,
    beginning: change::Beginning<S::Params>,
    /// What all random numbers come from.
    seed: u64,
    /// When the kernel hears of jobs that its clock does not release, and at which row.
    arrivals: BinaryHeap<Reverse<(Time, usize)>>,
    /// How late that is.
    lateness: Lateness,
    devices: devices::Devices,
    costs: Costs,
    /// What was seen on a machine, where that is followed.
    follow: Option<Box<Follow>>,
    /// How many runs of controllers have been paid for.
    control_runs: u32,
    /// The operating points of CPUs, where there are some.
    clocks: Option<Box<Clocks>>,
    /// Whether all is [plain](Node::is_plain) from the start on.
    plain: bool,
    /// Calls made at one instant, and at which.
    calls: (Time, u64),
    pub(crate) counts: Counts,
    pub(crate) deadlock: Option<Deadlock>,
    pub(crate) cycle: Cycle,
}

/// What one CPU does.
struct Lane {
    /// Its kernel entry, if it works for the kernel at this instant.
    entry: Option<Entry>,
    /// The row of the thread that computes, and since when.
    running: Option<usize>,
    resumed: Time,
    /// Until then the kernel works and nothing else happens on this CPU.
    busy_until: Time,
    /// When an interrupt from another CPU comes; [`Time::NEVER`]: none is on its way.
    interrupt: Time,
    /// Calls made in this entry, to be paid for.
    unpaid: u64,
    /// How many of them release jobs.
    released: u64,
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
    /// When its jobs arrive, if the kernel's clock does not release them.
    arrivals: Option<Arrivals>,
    /// What it becomes with its next job.
    next: Option<change::Next>,
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// What happens at time zero, before the first event: the first tasks have been released.
    pub(crate) fn start(&mut self) -> Result<(), SimError> {
        if self.follow.is_some() {
            return Ok(());
        }
        self.plain = self.is_plain();
        let released = self
            .threads
            .iter()
            .filter(|thread| self.core.has_job(thread.handle));
        let released = u32::try_from(released.count()).unwrap_or(u32::MAX);
        for cpu in self.cpus() {
            self.enter::<false>(cpu, Time::ZERO);
        }
        self.serve::<false>(Time::ZERO, released)
    }

    /// Whether tasks and the timer of the kernel are all that makes anything happen, and its work takes no time.
    /// What is written with `PLAIN` is the same with and without, but does not ask for the rest at each event.
    fn is_plain(&self) -> bool {
        let has_outside = !self.outside().is_never() || self.follow.is_some();
        self.costs.free && self.clocks.is_none() && !has_outside
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
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    pub(crate) fn next_event(&self) -> Time {
        match (self.is_alone(), self.plain) {
            (true, true) => self.next_on::<true>(CPU),
            (true, false) => self.next_on::<false>(CPU),
            _ => self.nexts.first(),
        }
    }

    /// The first of several CPUs from `from` on where something happens by `now`.
    #[inline]
    fn due(&self, from: CpuId, now: Time) -> Option<CpuId> {
        let number = self.nexts.due(from.index(), now)?;
        u8::try_from(number).ok().map(CpuId)
    }

    /// When something happens next on a CPU.
    #[expect(
        clippy::inline_always,
        reason = "once an event: a call costs as much as what it does"
    )]
    #[inline(always)]
    fn next_on<const PLAIN: bool>(&self, cpu: CpuId) -> Time {
        let lane = &self.lanes[cpu.index()];
        let mut next = self.core.next_timer(cpu).min(lane.interrupt);
        if !PLAIN && cpu == CPU {
            next = next.min(self.outside());
            if let Some(follow) = &self.follow {
                next = follow.interrupt(next);
            }
        }
        if let Some(row) = lane.running {
            next = next.min(lane.resumed + self.threads[row].program.left);
        }
        next.max(lane.busy_until)
    }

    /// When something happens next that neither tasks nor the kernel's timer make happen; [`Time::NEVER`]: it
    /// does not.
    #[inline]
    fn outside(&self) -> Time {
        let change = self.changes.front().map_or(Time::NEVER, |&(at, _)| at);
        self.arrival_due().min(change).min(self.devices.next)
    }

    /// Lets happen what happens at `now`, which is [`Node::next_event`].
    #[inline]
    pub(crate) fn step(&mut self, now: Time) -> Result<(), SimError> {
        if self.plain {
            self.step_as::<true>(now)
        } else {
            self.step_as::<false>(now)
        }
    }

    fn step_as<const PLAIN: bool>(&mut self, now: Time) -> Result<(), SimError> {
        debug_assert!(!PLAIN || self.is_plain());
        if self.is_alone() {
            self.enter::<PLAIN>(CPU, now);
            if !PLAIN && let Some(follow) = &mut self.follow {
                follow.begin(now);
            }
            if !PLAIN && self.interrupts_first(now) {
                self.pause::<PLAIN>(CPU, now);
            } else {
                self.compute::<PLAIN>(CPU, now)?;
            }
        } else {
            let mut from = CPU;
            while let Some(cpu) = self.due(from, now) {
                self.enter::<PLAIN>(cpu, now);
                self.compute::<PLAIN>(cpu, now)?;
                from = CpuId(cpu.0 + 1);
            }
        }
        self.serve::<PLAIN>(now, 0)
    }

    /// Whether the only CPU leaves the kernel at this instant, and an interrupt has been waiting for that. It
    /// is served before the task that is to run makes a call.
    #[inline]
    fn interrupts_first(&self, now: Time) -> bool {
        !self.costs.free
            && self.lanes[CPU.index()].busy_until == now
            && self.interrupt_due() < now
            && !self.is_held(now)
    }

    /// What comes with the clock at `now` on the CPUs that are in the kernel, which has `released` jobs in this
    /// entry already; then they leave it.
    #[expect(clippy::inline_always, reason = "as for `next_on`")]
    #[inline(always)]
    fn serve<const PLAIN: bool>(&mut self, now: Time, mut released: u32) -> Result<(), SimError> {
        let keeps_time = self.inside.contains(CPU) && (PLAIN || !self.is_held(now));
        let mut ticked = false;
        if keeps_time {
            if !PLAIN {
                released += self.serve_outside(now, &mut ticked)?;
            }
            released += self.serve_timer::<PLAIN>(now, &mut ticked);
        }
        if !self.is_alone() {
            for cpu in self.inside.without(CPU).iter() {
                if self.core.next_timer(cpu) <= now {
                    self.core.timer(cpu, now);
                }
            }
        }
        if !PLAIN && keeps_time && !self.beginning.is_empty() {
            released += self.begin(now)?;
        }
        self.leave::<PLAIN>(now, ticked, released)
    }

    /// What comes before the timer, and how many jobs that has released.
    #[inline]
    fn serve_outside(&mut self, now: Time, ticked: &mut bool) -> Result<u32, SimError> {
        let mut released = 0;
        if !self.changes.is_empty() {
            released += self.change(now)?;
        }
        if self.follow.is_some() && !self.devices_first(now) {
            // A machine that has several interrupts at once serves the timer first, usually.
            released += self.serve_timer::<false>(now, ticked);
        }
        if self.arrival_due() <= now {
            released += self.arrive(now)?;
        }
        if self.devices.next <= now {
            released += self.serve_devices(now)?;
        }
        Ok(released)
    }

    /// The kernel's timer, if it is due. Returns how many jobs it has released, or found to be late.
    #[inline]
    fn serve_timer<const PLAIN: bool>(&mut self, now: Time, ticked: &mut bool) -> u32 {
        if self.core.next_timer(CPU) > now {
            return 0;
        }
        self.fire_timer::<PLAIN>(now, ticked)
    }

    /// The same of a timer that is due.
    #[inline(never)]
    fn fire_timer<const PLAIN: bool>(&mut self, now: Time, ticked: &mut bool) -> u32 {
        if self.cycle.is_possible() {
            self.look_for_cycle(now);
        }
        if PLAIN {
            // The kernel's work takes no time, so it does not matter how much there was.
            return self.core.timer(CPU, now);
        }
        let (ticks, misses) = (self.core.ticks(), self.core.misses());
        let released = self.core.timer(CPU, now);
        *ticked |= self.core.ticks() > ticks;
        // To notice that a job is late is work of the same kind.
        let late = self.core.misses() - misses;
        released.saturating_add(u32::try_from(late).unwrap_or(u32::MAX))
    }

    /// The clock stops at `now`, an event at that very instant or not: the running tasks make the
    /// calls that are due, and jobs whose deadlines have come are late. Nothing is released.
    pub(crate) fn finish(&mut self, now: Time) -> Result<(), SimError> {
        for cpu in self.cpus() {
            if now >= self.lanes[cpu.index()].busy_until {
                self.compute::<false>(cpu, now)?;
            }
        }
        if self.lanes.iter().all(|lane| now >= lane.busy_until) {
            self.look_for_cycle(now);
        }
        self.core.notice_misses(CPU, now);
        for cpu in self.cpus() {
            // The clocks stop, for good.
            let _stopped = Entry::begin(&mut self.core, cpu, true, now);
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
}

/// Why a simulation is over.
pub(crate) fn reason<S: Scheduler, T: Sink>(nodes: &[Node<S, T>], stop_at_miss: bool) -> Ended {
    if stop_at_miss && nodes.iter().any(|node| node.misses() > 0) {
        Ended::Miss
    } else {
        Ended::Until
    }
}
