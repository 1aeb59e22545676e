//! The plant of controllers: the cores of a machine's CPUs.
//!
//! Cores share nothing and know threads by rows of their own. A machine knows which core a CPU has,
//! where each task is, and how registers and stacks go from one CPU to another: it is the
//! [`Cores`]. All that a controller reads and does is calls of these cores, written once here.

use crate::config::Config;
use crate::{Core, Error, ThreadId};
use flyball_policy::{Denied, Duration, Plant, Policy, Reads, Table, TaskId, Time};
use flyball_trace::CpuId;

/// The cores of a machine. Tasks and CPUs have the numbers of the whole machine.
pub trait Cores {
    /// What all its cores consist of.
    type Config: Config;

    /// Returns the CPU that a task is on or on its way to; `None` if there is no such task, or it
    /// has ended as far as the machine knows.
    fn cpu(&mut self, task: TaskId) -> Option<CpuId>;

    /// Calls `f` with the core of a CPU, the number that the CPU has there, and the instant: inside
    /// of a kernel entry, after [`Entry::begin`](crate::Entry::begin). CPUs that have to decide
    /// afterwards are told so by the machine. `None` if there is no such CPU.
    fn with_core<R>(
        &mut self,
        cpu: CpuId,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, Time) -> R,
    ) -> Option<R>;

    /// Calls `f` as [`Cores::with_core`] does, with the core that a task is in, and the thread that
    /// it is there. `None` if it is in no core: it has ended, or is on its way.
    fn with_thread<R>(
        &mut self,
        task: TaskId,
        f: impl FnOnce(&mut Core<Self::Config>, CpuId, ThreadId, Time) -> R,
    ) -> Option<R>;

    /// Moves a task to a CPU that there is, of another core, by [`Core::emigrate`] and
    /// [`Core::immigrate`]; at once, or as soon as the CPUs concerned come to it.
    ///
    /// # Errors
    /// [`Error::Dead`]; [`Error::Bound`] if it cannot leave, [`Error::Full`] or [`Error::Refused`]
    /// if it cannot be taken there. It stays where it is then.
    fn carry(&mut self, task: TaskId, to: CpuId, params: Params<Self>) -> Result<(), Error>;
}

type Params<M> = <<<M as Cores>::Config as Config>::Policy as Policy>::Params;

/// The cores of a machine as a [`Plant`].
pub struct CorePlant<'a, M>(pub &'a mut M);

impl<M: Cores> Plant<<M::Config as Config>::Policy> for CorePlant<'_, M> {
    fn place(&mut self, task: TaskId) -> Option<CpuId> {
        let cpu = self.0.cpu(task)?;
        // A thread in no core is on its way.
        let lives = self
            .0
            .with_thread(task, |core, _, thread, _| core.find(thread).is_ok());
        lives.unwrap_or(true).then_some(cpu)
    }

    fn used(&mut self, task: TaskId) -> Duration {
        let used = self
            .0
            .with_thread(task, |core, _, thread, now| core.cpu_time(thread, now));
        used.and_then(Result::ok).unwrap_or_default()
    }

    fn misses(&mut self, task: TaskId) -> u32 {
        let missed = self
            .0
            .with_thread(task, |core, _, thread, _| core.missed(thread));
        missed.and_then(Result::ok).unwrap_or_default()
    }

    fn lost(&mut self, cpu: CpuId) -> Duration {
        let lost = self.0.with_core(cpu, |core, cpu, _| core.kernel_time(cpu));
        lost.unwrap_or_default()
    }

    fn adjust(&mut self, task: TaskId, params: Params<M>) -> Result<(), Denied> {
        let adjusted = self.0.with_thread(task, |core, cpu, thread, now| {
            let adjusted = core.adjust(cpu, thread, params, now);
            adjusted.map_err(|error| core.denied(error))
        });
        adjusted.unwrap_or(Err(Denied::Gone))
    }

    fn migrate(&mut self, task: TaskId, to: CpuId, params: Params<M>) -> Result<(), Denied> {
        if self.0.with_core(to, |_, _, _| ()).is_none() {
            return Err(Denied::NoCpu);
        }
        match self.place(task) {
            None => Err(Denied::Gone),
            Some(place) if place == to => self.adjust(task, params),
            Some(_) => self.0.carry(task, to, params).map_err(|error| {
                // A refusal is that of the core which does not take the task.
                let denied = self.0.with_core(to, |core, _, _| core.denied(error));
                denied.unwrap_or(Denied::NoCpu)
            }),
        }
    }
}

impl<C: Config> Core<C> {
    /// Whether a core keeps all that a controller reads. The time that its kernels take is kept
    /// where CPU time is.
    pub fn keeps(&self, reads: Reads) -> bool {
        let used = Self::COUNTS && C::ACCOUNTING && self.used.find(0).is_some();
        let misses = self.jobs.find(0).is_some();
        (used || !reads.used) && (misses || !reads.misses)
    }
}
