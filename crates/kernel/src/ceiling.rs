//! Priority ceilings: a thread that has a mutex with a ceiling acts at least with that urgency, whether
//! others wait or not (the immediate ceiling protocol; `PTHREAD_PRIO_PROTECT`). What a ceiling is, is the policy's
//! business: a priority, or a relative deadline ([`Policy::raise`]).
//!
//! The caller knows which mutexes the thread has, and so which ceiling is the most urgent one. It is told
//! to the policy again wherever what the thread inherits changes.
//!
//! There are two ways to say it. A call, [`Core::raise`], counts at once. Or the thread writes down its ceilings, as
//! [`Ceilings`], which is no call. On the only CPU nothing comes of them as long as the thread runs; so the kernel looks only when
//! another one is about to run, or the thread to wait, and most critical sections have ended by then.

use crate::{Config, Core, Error};
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, TaskId, Time};

/// Which ceilings a thread has, a bit for each. What a bit stands for, [`Config::ceiling`] says: something that does not depend on
/// when the thread has got it, such as a priority.
///
/// Only the thread itself adds and removes bits. On one CPU that is all ([`Core::watch`]), unless the kernel
/// [has looked](Ceilings::are_told) when one is removed; on several each change is to be followed by [`Core::heed`].
#[derive(Debug, Default)]
pub struct Ceilings {
    has: AtomicU32,
    /// What the policy has been told.
    told: AtomicU32,
}

impl Ceilings {
    /// None.
    pub const fn new() -> Ceilings {
        Ceilings {
            has: AtomicU32::new(0),
            told: AtomicU32::new(0),
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

    /// Whether the policy has been told of one.
    #[inline]
    pub fn are_told(&self) -> bool {
        self.told.load(Ordering::Relaxed) != 0
    }

    #[inline]
    fn are_news(&self) -> bool {
        self.bits() != self.told.load(Ordering::Relaxed)
    }
}

/// What the kernel knows of the ceilings of a thread.
#[derive(Clone, Copy)]
pub(crate) struct Row<P> {
    /// The one that counts, and since when.
    told: Option<(P, Time)>,
    /// Where the thread says itself which it has.
    said: Option<&'static Ceilings>,
}

impl<P> Row<P> {
    pub(crate) const NONE: Row<P> = Row {
        told: None,
        said: None,
    };
}

impl<C: Config> Core<C> {
    /// From now on the running thread says in `ceilings` which it has, until it ends or [moves](crate::Core::emigrate).
    ///
    /// # Errors
    /// [`Error::Full`] without [`Config::Ceilings`] or [`Config::SAYS_CEILINGS`]; [`Error::NoThread`].
    pub fn watch(&mut self, cpu: CpuId, ceilings: &'static Ceilings) -> Result<(), Error> {
        let task = self.caller(cpu)?;
        let row = self.ceilings.find_mut(task.index());
        let row = row.filter(|_| C::SAYS_CEILINGS).ok_or(Error::Full)?;
        row.said = Some(ceilings);
        Ok(())
    }

    /// The running thread has said something in its [`Ceilings`], which counts from now on. O(threads that wait for its mutexes).
    pub fn heed(&mut self, cpu: CpuId, now: Time) {
        if let Some(task) = self.running_task(cpu) {
            self.heed_task(task, now);
        }
    }

    /// `task` is about to run no more, for now, on the only CPU.
    #[inline]
    pub(crate) fn heed_alone(&mut self, task: TaskId, now: Time) {
        if C::SAYS_CEILINGS && self.is_alone() {
            self.heed_task(task, now);
        }
    }

    #[inline]
    fn heed_task(&mut self, task: TaskId, now: Time) {
        if let Some(row) = self.ceilings.find(task.index())
            && let Some(said) = row.said
            && said.are_news()
        {
            self.tell_ceilings(task, said, now);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_ceilings(&mut self, task: TaskId, said: &Ceilings, now: Time) {
        let bits = said.bits();
        said.told.store(bits, Ordering::Relaxed);
        if let Some(row) = self.ceilings.find_mut(task.index()) {
            row.told = C::ceiling(bits).map(|ceiling| (ceiling, Time::ZERO));
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
        let before = core::mem::replace(&mut row.told, ceiling);
        if let Err(error) = self.urge(task, now) {
            if let Some(row) = self.ceilings.find_mut(task.index()) {
                row.told = before;
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
            && let Some((ceiling, since)) = row.told
        {
            let raised = self.policy.raise(task, ceiling, since, now);
            let resched = raised.map_err(|refused| self.refused(refused))?;
            self.attend(resched);
        }
        Ok(())
    }

    /// `task` has ended: it has no ceiling, and what it said may be gone.
    #[inline]
    pub(crate) fn forget_ceiling(&mut self, task: TaskId) {
        if let Some(row) = self.ceilings.find_mut(task.index()) {
            *row = Row::NONE;
        }
    }
}
