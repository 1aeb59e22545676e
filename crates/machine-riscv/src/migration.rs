//! Threads that go from CPU to CPU where each has a kernel of its own: semi-partitioned scheduling.
//!
//! Where the jobs of such a thread are to be, its [`SplitTask`] says. The CPU on which it is looks
//! at that in each entry, and its timer fires when there is something to see. To send a thread is
//! to take it out of one core, to keep its registers, and to put it into the other CPU's inbox, and
//! then that one is interrupted. A thread whose next subtask has not begun waits at the CPU where
//! it is going to be, so when the time comes no other CPU is concerned.
//!
//! CPUs that send and receive nothing pay for a look at a flag.

use crate::board::{Alarm, Bells};
use crate::cluster::{Cluster, Contexts, State};
use crate::config::HartConfig;
use crate::context::Context;
use crate::kernel::Kernel;
use crate::spin::SpinLock;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use flyball_kernel::{Config, Core, Error, MigrantOf, ThreadId};
use flyball_multicore::Doorbell;
use flyball_policy::{CpuId, Duration, Policy, SplitTask, Subtask, TaskId, Time};

/// Where a CPU keeps threads that come and go.
pub(crate) struct Migrations<C: HartConfig> {
    /// Whether there ever are any.
    used: AtomicBool,
    /// Whether there is something to look at: a thread in the inbox, or what another CPU has
    /// changed in this core.
    mail: AtomicBool,
    inbox: SpinLock<Vec<&'static mut SplitThread<C>>>,
}

/// A thread that goes from CPU to CPU.
pub(crate) struct SplitThread<C: HartConfig> {
    way: SplitTask<Box<[Subtask]>>,
    /// What it tells the policy of each CPU.
    params: Box<[Params<C>]>,
    arrived: Arrived<C>,
    place: Place<C>,
    /// Something keeps it in its core, a mutex that it owns maybe: it is tried again in each
    /// entry, and the timer does not fire for that.
    bound: bool,
    /// Its registers, where it is `Away`.
    context: Context,
    /// Whether it goes on with a job, and the CPU time that it has used, where it is `Leaving` or
    /// `Away`.
    has_job: bool,
    used: Duration,
}

type Params<C> = <<C as Config>::Policy as Policy>::Params;

/// The trace is told when a thread has come to another core, as what it is known there, and what it
/// began with.
pub type Arrived<C> = fn(&mut <C as Config>::Trace, TaskId, usize);

// SAFETY: its registers and its stack are used by the CPU on which it runs, and by no CPU while it
// is on its way.
unsafe impl<C: HartConfig> Send for SplitThread<C> {}

enum Place<C: HartConfig> {
    /// In the core of the CPU that has it.
    Here(ThreadId),
    /// No more; its registers are in this row as soon as this CPU does something else.
    Leaving(TaskId, MigrantOf<C>, CpuId),
    /// On its way to this CPU.
    Away(MigrantOf<C>, CpuId),
    /// Between two of these.
    Moving,
}

impl<C: HartConfig> Migrations<C> {
    pub(crate) fn new() -> Migrations<C> {
        Migrations {
            used: AtomicBool::new(false),
            mail: AtomicBool::new(false),
            inbox: SpinLock::new(Vec::new()),
        }
    }

    /// Whether threads come and go at all.
    #[inline]
    pub(crate) fn are_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// From now on threads come and go.
    pub(crate) fn use_them(&self) {
        self.used.store(true, Ordering::SeqCst);
    }

    /// There is something to look at.
    pub(crate) fn announce(&self) {
        self.mail.store(true, Ordering::Release);
    }

    /// Whether there is something to look at that this CPU has not looked at yet.
    pub(crate) fn are_announced(&self) -> bool {
        self.mail.load(Ordering::Relaxed)
    }

    /// Room for one more.
    fn reserve(&self, here: &mut Vec<&'static mut SplitThread<C>>) {
        self.use_them();
        here.reserve_exact(here.capacity() + 1 - here.len());
        self.inbox
            .with(|inbox| inbox.reserve_exact(inbox.capacity() + 1));
    }

    fn post(&self, thread: &'static mut SplitThread<C>) {
        // Never more than there is room for: nothing is allocated here.
        self.inbox.with(|inbox| inbox.push(thread));
        self.announce();
    }

    fn take(&self, here: &mut Vec<&'static mut SplitThread<C>>) {
        if self.mail.swap(false, Ordering::Acquire) {
            self.inbox.with(|inbox| here.append(inbox));
        }
    }
}

impl<C: HartConfig> SplitThread<C> {
    /// If it is on its way to this CPU, and the time has come, then it goes on here.
    fn arrive(&mut self, cpu: CpuId, core: &mut Core<C>, contexts: &mut Contexts<C>, now: Time) {
        self.place = match core::mem::replace(&mut self.place, Place::Moving) {
            Place::Away(migrant, _) => {
                let (to, from) = self.way.look(now, self.has_job, self.used);
                if to != cpu || from > now {
                    self.place = Place::Away(migrant, to);
                    return;
                }
                let subtask = if self.has_job { self.way.subtask() } else { 0 };
                let params = self.params[subtask];
                let arrived = |trace: &mut C::Trace, thread: ThreadId| {
                    (self.arrived)(trace, thread.task(), self.context.argument());
                };
                match core.immigrate(FIRST, migrant, params, now, arrived) {
                    Ok(thread) => {
                        contexts[thread.task().index()] = self.context;
                        Place::Here(thread)
                    }
                    // There is no room, or the policy does not want it: later, maybe.
                    Err((migrant, _)) => Place::Away(migrant, to),
                }
            }
            place => place,
        }
    }

    /// If it is not to be on this CPU any more it leaves the core.
    fn leave(&mut self, cpu: CpuId, core: &mut Core<C>, now: Time) {
        let Place::Here(thread) = self.place else {
            return;
        };
        self.has_job = core.has_job(thread);
        self.used = core.cpu_time(thread, now).unwrap_or_default();
        let (to, from) = self.way.look(now, self.has_job, self.used);
        self.bound = to != cpu || from > now;
        if self.bound
            && let Ok(migrant) = core.emigrate(FIRST, thread, now)
        {
            self.bound = false;
            self.place = Place::Leaving(thread.task(), migrant, to);
        }
    }

    /// Its registers are kept, if it has just left. Returns where it is to be sent.
    fn depart(&mut self, cpu: CpuId, contexts: &Contexts<C>) -> Option<CpuId> {
        self.place = match core::mem::replace(&mut self.place, Place::Moving) {
            Place::Leaving(row, migrant, to) => {
                self.context = contexts[row.index()];
                Place::Away(migrant, to)
            }
            place => place,
        };
        match self.place {
            Place::Away(_, to) if to != cpu => Some(to),
            _ => None,
        }
    }

    /// When this CPU has to look again.
    fn due(&self, core: &Core<C>) -> Time {
        let next = self.way.next();
        match self.place {
            Place::Here(thread) if !self.bound && core.has_job(thread) => {
                let used_up = |limit| core.uses_up(thread, limit);
                next.min(self.way.limit().map_or(Time::NEVER, used_up))
            }
            _ => next,
        }
    }
}

/// The CPU of a core that has only one.
const FIRST: CpuId = CpuId(0);

impl<C: HartConfig> Kernel<C> {
    /// A thread of the CPU `way.home()` goes its way from now on; `params` are what the policies
    /// are told, subtask by subtask. `arrived` is called inside the kernel. Before
    /// [`Machine::start`](flyball_port::Machine::start).
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such CPU, or it is too late; [`Error::Invalid`] if one of
    /// the CPUs shares its core with others, or there is no subtask, or there are not as many
    /// parameters.
    pub fn split(
        &'static self,
        thread: ThreadId,
        way: SplitTask<Box<[Subtask]>>,
        params: Box<[Params<C>]>,
        arrived: Arrived<C>,
    ) -> Result<(), Error> {
        if params.len() != way.subtasks().len() {
            return Err(Error::Invalid);
        }
        let home = way.home();
        let cpus: Vec<CpuId> = way.subtasks().iter().map(|subtask| subtask.cpu).collect();
        for &cpu in &cpus {
            let cluster = self.cluster_of(cpu).ok_or(Error::Unknown)?;
            if cluster.cpus > 1 {
                return Err(Error::Invalid);
            }
        }
        let mut thread = Some(Box::leak(Box::new(SplitThread {
            way,
            params,
            arrived,
            place: Place::Here(thread),
            bound: false,
            context: Context::NONE,
            has_job: false,
            used: Duration::ZERO,
        })));
        for cpu in cpus {
            let put = |cluster: &'static Cluster<C>, state: &mut State<C>| {
                cluster.migrations.reserve(&mut state.split_threads);
                if cpu == home {
                    state.split_threads.extend(thread.take());
                }
            };
            self.with_cluster(cpu.0, put).ok_or(Error::Unknown)?;
        }
        Ok(())
    }

    /// The cluster of a CPU, counted through the whole machine.
    pub(crate) fn cluster_of(&'static self, cpu: CpuId) -> Option<&'static Cluster<C>> {
        let is_there = cpu.0 < self.cpus();
        is_there.then(|| self.cluster(cpu.0)).flatten()
    }
}

impl<C: HartConfig> State<C> {
    /// Threads come and go. The core has been entered at `now`.
    #[inline(never)]
    pub(crate) fn migrate(&mut self, cluster: &Cluster<C>, now: Time) {
        let cpu = CpuId(cluster.first);
        cluster.migrations.take(&mut self.split_threads);
        // Threads come before others leave: the row of one that leaves is not free before it has
        // left.
        for thread in &mut self.split_threads {
            thread.arrive(cpu, &mut self.core, &mut self.contexts, now);
        }
        for thread in &mut self.split_threads {
            thread.leave(cpu, &mut self.core, now);
        }
        self.handover.answer(&mut self.core, now);
    }

    /// When the CPU has to look again at the threads that come and go.
    #[inline(never)]
    pub(crate) fn next_migration(&self) -> Time {
        let due = |thread: &&'static mut SplitThread<C>| thread.due(&self.core);
        let dues = self.split_threads.iter().map(due);
        dues.min().unwrap_or(Time::NEVER)
    }
}

impl<C: HartConfig> Kernel<C> {
    /// This CPU has the registers of the thread that goes on: the threads that have left are sent.
    #[inline(never)]
    pub(crate) fn send(&'static self, cluster: &Cluster<C>, state: &mut State<C>) {
        let cpu = CpuId(cluster.first);
        let mut number = 0;
        while let Some(thread) = state.split_threads.get_mut(number) {
            let to = thread.depart(cpu, &state.contexts);
            let Some(other) = to.and_then(|to| self.cluster_of(to)) else {
                number += 1;
                continue;
            };
            other
                .migrations
                .post(state.split_threads.swap_remove(number));
            Bells.ring(other.first);
        }
        state.handover.complete(&state.contexts);
    }

    /// The timer of this hart is set to the next instant at which a thread comes or goes.
    #[inline(never)]
    pub(crate) fn set_migration(&'static self, hart: u8, state: &State<C>) {
        let next = self.clock().tick(state.next_migration());
        Alarm::Migration.set(hart, next);
    }
}
