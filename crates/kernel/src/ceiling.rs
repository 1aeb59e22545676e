//! Priority ceilings: a thread that has a mutex with a ceiling acts at least with that urgency, whether
//! others wait or not (the immediate ceiling protocol; `PTHREAD_PRIO_PROTECT`). What a ceiling is, is the policy's
//! business: a priority, or a relative deadline ([`Policy::raise`]).
//!
//! The caller knows which mutexes the thread has, and so which ceiling is the most urgent one. It is told
//! to the policy again wherever what the thread inherits changes.
//!
//! A ceiling is applied at once, by a call ([`Core::raise`]), or lazily: the thread notes its ceilings in memory
//! ([`Ceilings`]). On the only CPU a ceiling makes no difference as long as its thread runs, so the kernel applies it only when
//! another thread is about to run, or this one to wait. Most critical sections have ended by then.

use crate::{Config, Core, Error};
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, TaskId, Time};

/// Which ceilings a thread has, a bit for each. What a bit stands for, [`Config::ceiling`] says: something that does not depend on
/// when the thread has got it, such as a priority.
///
/// Only the thread itself adds and removes bits, after [`Core::register_ceilings`]. On one CPU a thread that adds one need not call the kernel; if it
/// removes the highest, and some [have been applied](Ceilings::are_applied), it calls [`Core::apply_ceilings`]. On several CPUs it does so
/// after each change of the highest.
#[derive(Debug, Default)]
pub struct Ceilings {
    has: AtomicU32,
    /// Those that the policy has been told of.
    applied: AtomicU32,
}

impl Ceilings {
    /// None.
    pub const fn new() -> Ceilings {
        Ceilings {
            has: AtomicU32::new(0),
            applied: AtomicU32::new(0),
        }
    }

    /// All of them.
    #[inline]
    pub fn bits(&self) -> u32 {
        self.has.load(Ordering::Relaxed)
    }

    /// From now on it has these.
    #[inline]
    pub fn set(&self, bits: u32) {
        self.has.store(bits, Ordering::Relaxed);
    }

    /// Whether the policy has been told of any.
    #[inline]
    pub fn are_applied(&self) -> bool {
        self.applied.load(Ordering::Relaxed) != 0
    }

    #[inline]
    fn have_changed(&self) -> bool {
        self.bits() != self.applied.load(Ordering::Relaxed)
    }
}

/// What the kernel knows of the ceilings of a thread.
#[derive(Clone, Copy)]
pub(crate) struct Row<P> {
    /// The one that the policy has been told of, and since when.
    applied: Option<(P, Time)>,
    /// Where the thread notes which it has.
    noted: Option<&'static Ceilings>,
}

impl<P> Row<P> {
    pub(crate) const NONE: Row<P> = Row {
        applied: None,
        noted: None,
    };
}

impl<C: Config> Core<C> {
    /// From now on the running thread notes its ceilings in `ceilings`, until it ends or [moves](crate::Core::emigrate).
    ///
    /// # Errors
    /// [`Error::Full`] without [`Config::Ceilings`] or [`Config::LAZY_CEILINGS`]; [`Error::NoThread`].
    pub fn register_ceilings(
        &mut self,
        cpu: CpuId,
        ceilings: &'static Ceilings,
    ) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        let row = self.ceilings.find_mut(task.index());
        let row = row.filter(|_| C::LAZY_CEILINGS).ok_or(Error::Full)?;
        row.noted = Some(ceilings);
        Ok(())
    }

    /// Applies what the running thread has noted in its [`Ceilings`]. O(threads that wait for its mutexes).
    pub fn apply_ceilings(&mut self, cpu: CpuId, now: Time) {
        if let Some(task) = self.running_task(cpu) {
            self.apply_ceilings_of(task, now);
        }
    }

    /// On the only CPU: applies what `task` has noted, as it is about to stop, or another one to run.
    #[inline]
    pub(crate) fn apply_lazily(&mut self, task: TaskId, now: Time) {
        if C::LAZY_CEILINGS && self.is_alone() {
            self.apply_ceilings_of(task, now);
        }
    }

    #[inline]
    fn apply_ceilings_of(&mut self, task: TaskId, now: Time) {
        if let Some(row) = self.ceilings.find(task.index())
            && let Some(noted) = row.noted
            && noted.have_changed()
        {
            self.raise_to_ceilings(task, noted, now);
        }
    }

    #[cold]
    #[inline(never)]
    fn raise_to_ceilings(&mut self, task: TaskId, noted: &Ceilings, now: Time) {
        let bits = noted.bits();
        noted.applied.store(bits, Ordering::Relaxed);
        if let Some(row) = self.ceilings.find_mut(task.index()) {
            // It does not depend on the instant.
            row.applied = C::ceiling(bits).map(|ceiling| (ceiling, Time::ZERO));
        }
        // A policy that refuses it has no ceilings.
        let _ = self.urge(task, now);
    }

    /// From now on the running thread is at least as urgent as a task with the parameters `ceiling` whose job was released
    /// at `since`; `None`: as its own parameters say, and what it inherits. This replaces what was said before.
    /// O(threads that wait for its mutexes).
    ///
    /// # Errors
    /// [`Error::Refused`] if the policy has no ceilings, or not this one; [`Error::Full`] without
    /// [`Config::Ceilings`]; [`Error::NoThread`]. Nothing has changed then.
    pub fn raise(
        &mut self,
        cpu: CpuId,
        ceiling: Option<(<C::Policy as Policy>::Params, Time)>,
        now: Time,
    ) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        let row = self.ceilings.find_mut(task.index()).ok_or(Error::Full)?;
        let before = core::mem::replace(&mut row.applied, ceiling);
        if let Err(error) = self.urge(task, now) {
            if let Some(row) = self.ceilings.find_mut(task.index()) {
                row.applied = before;
            }
            // What the policy took before it takes again.
            let _ = self.urge(task, now);
            return Err(error);
        }
        Ok(())
    }

    /// Tells the policy anew how urgent `task` is: from which thread it inherits, and what its ceiling is.
    fn urge(&mut self, task: TaskId, now: Time) -> Result<(), Error> {
        let donor = self.threads[task.index()].donor.get();
        let resched = self.policy.inherit(task, donor, now);
        self.attend(resched);
        self.raise_again(task, now)
    }

    /// What the policy has just been told to inherit has left out the ceiling of `task`.
    #[inline]
    pub(crate) fn raise_again(&mut self, task: TaskId, now: Time) -> Result<(), Error> {
        if let Some(row) = self.ceilings.find(task.index())
            && let Some((ceiling, since)) = row.applied
        {
            let raised = self.policy.raise(task, ceiling, since, now);
            let resched = raised.map_err(|refused| self.refused(refused))?;
            self.attend(resched);
        }
        Ok(())
    }

    /// `task` has ended: it has no ceiling, and the memory with its notes may be gone.
    #[inline]
    pub(crate) fn forget_ceiling(&mut self, task: TaskId) {
        if let Some(row) = self.ceilings.find_mut(task.index()) {
            *row = Row::NONE;
        }
    }
}
