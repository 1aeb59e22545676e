//! Priority ceilings: a thread that has a mutex with a ceiling acts at least with that urgency, whether
//! others wait or not (the immediate ceiling protocol; `PTHREAD_PRIO_PROTECT`). What a ceiling is, is the policy's
//! business: a priority, or a relative deadline ([`Policy::raise`]).
//!
//! The caller knows which mutexes the thread has, and so which ceiling is the most urgent one. It is told
//! to the policy again wherever what the thread inherits changes.

use crate::{Config, Core, Error};
use flyball_policy::{Policy, Table};
use flyball_trace::{CpuId, TaskId, Time};

impl<C: Config> Core<C> {
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
        let before = core::mem::replace(row, ceiling);
        if let Err(error) = self.urge(task, now) {
            if let Some(row) = self.ceilings.find_mut(task.index()) {
                *row = before;
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
        if let Some(&Some((ceiling, since))) = self.ceilings.find(task.index()) {
            let raised = self.policy.raise(task, ceiling, since, now);
            let resched = raised.map_err(|refused| self.refused(refused))?;
            self.attend(resched);
        }
        Ok(())
    }

    /// `task` begins, or ends: it has no ceiling.
    #[inline]
    pub(crate) fn forget_ceiling(&mut self, task: TaskId) {
        if let Some(row) = self.ceilings.find_mut(task.index()) {
            *row = None;
        }
    }
}
