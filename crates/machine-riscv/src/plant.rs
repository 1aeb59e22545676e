//! The cores of all CPUs, for a controller that is a thread of one of them.
//!
//! Where each CPU has a core of its own, a controller reads and adjusts the tasks of all of them
//! ([`Supervised`] is a [`Cores`], and so a plant of controllers). Its CPU enters the other cores
//! itself: cores that are supervised have a lock, like those that several CPUs share. The
//! controller's CPU has one lock at a time, and a CPU that has a lock waits for no other cluster's,
//! so there is no deadlock. The thread that runs on the other CPU goes on meanwhile. That CPU is
//! interrupted if it has to decide or to set its timer afterwards.
//!
//! # Migration
//!
//! A thread is in one core at a time, and in none on the way. If it does not run, its registers
//! have been kept, and it is taken out of its core at once. If it runs, its own CPU has to take it
//! out, in a kernel entry: then the thread is in no call of the kernel, and the switch to the next
//! thread keeps its registers. The controller's CPU asks for that (`Handover`), interrupts that
//! CPU, and waits for the answer with interrupts masked, which takes one kernel entry of the other
//! CPU. Then it puts the thread into its new core.

use crate::board::Bells;
use crate::cluster::{Cluster, Contexts, State};
use crate::config::HartConfig;
use crate::context::Context;
use crate::hart::{self, Mask};
use crate::kernel::Kernel;
use crate::migration::Arrived;
use alloc::boxed::Box;
use core::mem;
use core::task::Poll;
use flyball_kernel::{Config, Core, CorePlant, Cores, Entry, Error, MigrantOf, ThreadId};
use flyball_multicore::Doorbell;
use flyball_policy::{Controller, CpuId, Policy, TaskId, Time};
use flyball_port::Machine;

/// The CPU of a core that has only one.
const FIRST: CpuId = CpuId(0);

type Params<C> = <<C as Config>::Policy as Policy>::Params;

/// What a controller's CPU asks of this one: to take a thread out of its core that runs.
pub(crate) struct Handover<C: HartConfig> {
    stage: Stage<C>,
    /// The registers of the thread that has left.
    context: Context,
}

/// How far that is.
enum Stage<C: HartConfig> {
    /// There is nothing to do.
    None,
    /// This thread is to be taken out.
    Asked(ThreadId),
    /// It has left this row, in which its registers are as soon as this CPU does something else.
    Leaving(TaskId, MigrantOf<C>),
    /// It has left.
    Left(MigrantOf<C>),
    /// It cannot leave.
    Refused(Error),
}

impl<C: HartConfig> Handover<C> {
    pub(crate) fn new() -> Handover<C> {
        Handover {
            stage: Stage::None,
            context: Context::NONE,
        }
    }

    /// Takes out the thread that is asked for. The core has been entered at `now`, by its CPU.
    pub(crate) fn answer(&mut self, core: &mut Core<C>, now: Time) {
        if let Stage::Asked(thread) = self.stage {
            self.stage = match core.emigrate(FIRST, thread, now) {
                Ok(migrant) => Stage::Leaving(thread.task(), migrant),
                Err(error) => Stage::Refused(error),
            };
        }
    }

    /// Keeps the registers of the thread that has left. This CPU has those of another one.
    pub(crate) fn complete(&mut self, contexts: &Contexts<C>) {
        if let Stage::Leaving(..) = self.stage
            && let Stage::Leaving(row, migrant) = mem::replace(&mut self.stage, Stage::None)
        {
            self.context = contexts[row.index()];
            self.stage = Stage::Left(migrant);
        }
    }
}

/// The cores of all CPUs and the tasks in them, as a controller has them.
///
/// Tasks have the numbers of the list that [`Kernel::supervise`] was given. Only the controller
/// moves them, so where they are is known here.
pub struct Supervised<C: HartConfig> {
    kernel: &'static Kernel<C>,
    tasks: Box<[Place]>,
    arrived: Arrived<C>,
    /// The thread that is in no core, and its registers. It is kept here, as a thread's stack is
    /// small.
    moving: Option<MigrantOf<C>>,
    context: Box<Context>,
}

// SAFETY: no CPU runs the thread whose registers it has.
unsafe impl<C: HartConfig> Send for Supervised<C> {}

/// Where a task is.
#[derive(Clone, Copy)]
struct Place {
    cpu: CpuId,
    /// The thread that it is there. `None`: no core has taken it.
    thread: Option<ThreadId>,
}

impl<C: HartConfig> Kernel<C> {
    /// Lets a thread of the application control these tasks: for each the CPU that it is on, and
    /// the thread that it is there. `arrived` is called inside the kernel when a task has been
    /// moved. Once, before [`Machine::start`].
    ///
    /// # Errors
    /// [`Error::Invalid`] if some CPU shares its core with others, or there is a controller
    /// already; [`Error::Unknown`] if there is no such CPU, or it is too late.
    pub fn supervise(
        &'static self,
        tasks: impl IntoIterator<Item = (CpuId, ThreadId)>,
        arrived: Arrived<C>,
    ) -> Result<Supervised<C>, Error> {
        for cpu in 0..self.cpus() {
            let cluster = self.cluster_of(CpuId(cpu)).ok_or(Error::Unknown)?;
            if cluster.is_shared() {
                return Err(Error::Invalid);
            }
            let shared = self.with_cluster(cpu, |cluster, _| cluster.share());
            shared.ok_or(Error::Unknown)?;
        }
        let places = tasks.into_iter().map(|(cpu, thread)| Place {
            cpu,
            thread: Some(thread),
        });
        let tasks: Box<[Place]> = places.collect();
        if tasks.iter().any(|place| place.cpu.0 >= self.cpus()) {
            return Err(Error::Unknown);
        }
        Ok(Supervised {
            kernel: self,
            tasks,
            arrived,
            moving: None,
            context: Box::new(Context::NONE),
        })
    }

    /// Enters the core of a CPU, which may be another one than the CPU that calls. The thread that
    /// runs there goes on, and its CPU looks afterwards if there is something to see.
    fn visit<R>(
        &'static self,
        cluster: &'static Cluster<C>,
        f: impl FnOnce(&mut State<C>, Time) -> R,
    ) -> R {
        let mask = Mask::set();
        let hart = hart::number();
        let waited = cluster.acquire(hart);
        let (result, looks) = {
            // SAFETY: this hart has the lock, and `f` does not come back here.
            let state = unsafe { cluster.state() };
            let now = self.now();
            let before = state.core.next_timer(FIRST);
            let entry = Entry::begin(&mut state.core, FIRST, true, now);
            let result = f(state, now);
            let core = &mut state.core;
            let looks = core.needs_resched(FIRST)
                || core.next_timer(FIRST) != before
                || matches!(state.handover.stage, Stage::Asked(_));
            // At the same instant: the other CPU did not stop, and nothing is the kernel's time.
            let _ = entry.defer(core, now);
            (result, looks)
        };
        if looks {
            cluster.migrations.announce();
        }
        cluster.release(hart);
        if looks {
            Bells.ring(cluster.first);
        }
        if waited {
            // A signal that came meanwhile may have been for this hart's kernel.
            Bells.ring(hart);
        }
        mask.lift();
        result
    }
}

impl<C: HartConfig> Supervised<C> {
    /// Lets `controller` act whenever it wants to, in the thread that calls, until it wants to no
    /// more. Sleeps in between.
    ///
    /// # Errors
    /// [`Error::NoThread`] if no thread calls.
    pub fn control(&mut self, controller: &mut impl Controller<C::Policy>) -> Result<(), Error> {
        let kernel = self.kernel;
        loop {
            let next = controller.next();
            if next == Time::NEVER {
                return Ok(());
            }
            kernel.call(|core, cpu, now| {
                if next > now {
                    core.sleep_until(cpu, next, now)
                } else {
                    Ok(Poll::Ready(()))
                }
            })?;
            controller.run(&mut CorePlant(self), kernel.now());
        }
    }

    /// The cluster of a CPU of the machine.
    fn cluster(&self, cpu: CpuId) -> Option<&'static Cluster<C>> {
        self.kernel.cluster_of(cpu)
    }

    /// Takes a thread out of its core: it is `moving` then.
    fn take(&mut self, cluster: &'static Cluster<C>, thread: ThreadId) -> Result<(), Error> {
        let kernel = self.kernel;
        let hart = hart::number();
        let row = thread.task().index();
        kernel.visit(cluster, |state, now| {
            // The handle of a thread that has ended names a row all the same, and is refused below.
            if !kernel.has_registers(cluster.first, &state.contexts[row]) {
                self.moving = Some(state.core.emigrate(FIRST, thread, now)?);
                *self.context = state.contexts[row];
            } else if cluster.first == hart {
                // The caller itself, which does not leave while it calls.
                return Err(Error::Bound);
            } else {
                state.handover.stage = Stage::Asked(thread);
            }
            Ok(())
        })?;
        while self.moving.is_none() {
            // The other hart answers, also on an emulator that runs one hart after the other.
            Bells.pause(hart);
            kernel.visit(cluster, |state, _| {
                let Handover { stage, context } = &mut state.handover;
                match mem::replace(stage, Stage::None) {
                    Stage::Left(migrant) => {
                        self.moving = Some(migrant);
                        *self.context = *context;
                    }
                    Stage::Refused(error) => return Err(error),
                    other => *stage = other,
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Puts the thread that is `moving` into a core. If that is not possible, it still is.
    #[expect(
        clippy::result_large_err,
        reason = "a thread that is refused has to go back, and nothing is allocated"
    )]
    fn put(&mut self, cluster: &'static Cluster<C>, params: Params<C>) -> Result<ThreadId, Error> {
        let (arrived, context) = (self.arrived, &*self.context);
        let migrant = self.moving.take().ok_or(Error::Dead)?;
        let put = self.kernel.visit(cluster, |state, now| {
            let told = |trace: &mut C::Trace, thread: ThreadId| {
                arrived(trace, thread.task(), context.argument());
            };
            let thread = (state.core).immigrate(FIRST, migrant, params, now, told)?;
            state.contexts[thread.task().index()] = *context;
            Ok(thread)
        });
        put.map_err(|(migrant, error)| {
            self.moving = Some(migrant);
            error
        })
    }
}

impl<C: HartConfig> Cores for Supervised<C> {
    type Config = C;

    fn cpu(&mut self, task: TaskId) -> Option<CpuId> {
        let place = self.tasks.get(task.index())?;
        place.thread.map(|_| place.cpu)
    }

    fn with_core<R>(
        &mut self,
        cpu: CpuId,
        f: impl FnOnce(&mut Core<C>, CpuId, Time) -> R,
    ) -> Option<R> {
        let cluster = self.cluster(cpu)?;
        let result = (self.kernel).visit(cluster, |state, now| f(&mut state.core, FIRST, now));
        Some(result)
    }

    fn with_thread<R>(
        &mut self,
        task: TaskId,
        f: impl FnOnce(&mut Core<C>, CpuId, ThreadId, Time) -> R,
    ) -> Option<R> {
        let Place { cpu, thread } = *self.tasks.get(task.index())?;
        let thread = thread?;
        self.with_core(cpu, |core, cpu, now| f(core, cpu, thread, now))
    }

    fn carry(&mut self, task: TaskId, to: CpuId, params: Params<C>) -> Result<(), Error> {
        let place = *self.tasks.get(task.index()).ok_or(Error::Dead)?;
        let thread = place.thread.ok_or(Error::Dead)?;
        let from = self.cluster(place.cpu).ok_or(Error::Unknown)?;
        let other = self.cluster(to).ok_or(Error::Unknown)?;
        // Until the thread is in a core again this CPU does nothing else.
        let mask = Mask::set();
        let moved = self
            .take(from, thread)
            .map(|()| match self.put(other, params) {
                Ok(thread) => (to, Some(thread), Ok(())),
                // It has just left, so there is room for it. If there is not, it has ended.
                Err(error) => (place.cpu, self.put(from, params).ok(), Err(error)),
            });
        mask.lift();
        let (cpu, thread, result) = moved?;
        self.tasks[task.index()] = Place { cpu, thread };
        result
    }
}
