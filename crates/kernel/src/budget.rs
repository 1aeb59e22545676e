//! What servers have: for the trace, for threads that ask, and for those that handle overruns.
//!
//! The policy alone knows it. It is asked wherever it may have changed: for the server of a task that
//! has become ready, has stopped, or has been picked; and for all, after the policy's alarm. What
//! differs from what was traced last is traced.

use crate::schedule::work;
use crate::{Config, Core, Error, PlaceOf, SemaphoreId, ThreadId};
use flyball_policy::{Budget, Policy, Resched, Reserve, Table};
use flyball_trace::{CpuId, Duration, Kind, ServerId, Sink, TaskId, Time};

/// What is kept of a server.
#[derive(Clone, Copy)]
pub(crate) struct Server<P = u16> {
    /// What it had when that was traced last.
    traced: Budget,
    /// Signalled where its budget is used up.
    overrun: Option<SemaphoreId<P>>,
    /// Its budget is used up, and that has not been signalled yet.
    is_overrun: bool,
}

impl<P> Default for Server<P> {
    fn default() -> Server<P> {
        Server {
            traced: Budget::default(),
            overrun: None,
            is_overrun: false,
        }
    }
}

impl<C: Config> Core<C> {
    /// Whether it matters what servers have. Otherwise most of the code here is not compiled.
    const FOLLOWS_BUDGETS: bool = C::Policy::WANTS.budgets && (C::Trace::BUDGETS || C::OVERRUNS);

    #[inline]
    fn follows_budgets(&self) -> bool {
        Self::FOLLOWS_BUDGETS && self.policy.has_budgets()
    }

    /// What the server of a thread has at `now`; `None`: the thread has none, or that has not had a
    /// budget yet, or the policy has no servers.
    ///
    /// # Errors
    /// [`Error::Dead`], [`Error::Unknown`].
    pub fn budget(&mut self, thread: ThreadId, now: Time) -> Result<Option<Budget>, Error> {
        let task = self.find(thread)?;
        if !C::Policy::WANTS.budgets {
            return Ok(None);
        }
        let mut used = Duration::ZERO;
        if let Some(cpu) = self.cpu_of(task) {
            self.count(cpu, now);
            used = self.cpu(cpu).used();
        }
        let server = self.policy.server_of(task);
        Ok(server.and_then(|server| self.policy.budget(server, used, now)))
    }

    /// From now on `semaphore` is signalled each time that the budget of the thread's server is used
    /// up; `None`: no more. That goes for all threads of the server.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the thread has no server; [`Error::Full`] without [`Config::OVERRUNS`] or
    /// a row of [`Config::Budgets`]; [`Error::Dead`], [`Error::Unknown`].
    pub fn on_exhaust(
        &mut self,
        thread: ThreadId,
        semaphore: Option<SemaphoreId<PlaceOf<C>>>,
    ) -> Result<(), Error> {
        let task = self.find(thread)?;
        if let Some(semaphore) = semaphore {
            self.semaphore_value(semaphore)?;
        }
        let server = self.policy.server_of(task).ok_or(Error::Invalid)?;
        let row = self.budgets.find_mut(server.index());
        row.filter(|_| C::OVERRUNS).ok_or(Error::Full)?.overrun = semaphore;
        Ok(())
    }

    /// `task` has become a member of the policy. Nothing is known of its server, if that is a new one.
    pub(crate) fn has_joined(&mut self, task: TaskId, now: Time) {
        if self.follows_budgets()
            && let Some(server) = self.policy.server_of(task)
            && self.policy.budget(server, Duration::ZERO, now).is_none()
            && let Some(row) = self.budgets.find_mut(server.index())
        {
            *row = Server::default();
        }
    }

    /// `task`, which runs on `cpu`, has used so much since it was picked, and the policy is about to
    /// hear of it.
    #[inline]
    pub(crate) fn follow_use(&mut self, cpu: CpuId, task: TaskId, used: Duration, now: Time) {
        if self.follows_budgets()
            && !used.is_zero()
            && let Some(server) = self.policy.server_of(task)
            && let Some(left) = self.follow(cpu, server, used, now)
            && C::OVERRUNS
            && left.is_zero()
            && let Some(row) = self.budgets.find_mut(server.index())
            && row.overrun.is_some()
        {
            // Later, since the task may not be in the list yet that it waits in.
            row.is_overrun = true;
            self.cpu_mut(cpu).set(work::OVERRUN);
            self.attend(Resched::One(cpu));
        }
    }

    /// A thread is about to be picked on `cpu`: signals that budgets were used up there.
    #[inline]
    pub(crate) fn signal_overruns(&mut self, cpu: CpuId, now: Time) {
        if self.follows_budgets() && C::OVERRUNS && self.cpu(cpu).has(work::OVERRUN) {
            self.signal_all_overruns(cpu, now);
        }
    }

    /// O(threads), and what the threads take that go on.
    #[cold]
    #[inline(never)]
    fn signal_all_overruns(&mut self, cpu: CpuId, now: Time) {
        self.cpu_mut(cpu).done(work::OVERRUN);
        for row in 0..self.budgets.capacity() {
            let row = &mut self.budgets[row];
            if let (true, Some(overrun)) = (core::mem::take(&mut row.is_overrun), row.overrun) {
                // The semaphore was there when it was named; one that has counted to its end has told
                // enough.
                let _ = self.signal(cpu, overrun, now);
            }
        }
    }

    /// The server of `task` may have another budget.
    #[inline]
    pub(crate) fn follow_server_of(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if self.follows_budgets()
            && C::Trace::BUDGETS
            && let Some(server) = self.policy.server_of(task)
        {
            self.follow(cpu, server, Duration::ZERO, now);
        }
    }

    /// All servers may have other budgets. O(threads).
    #[inline]
    pub(crate) fn follow_servers(&mut self, cpu: CpuId, now: Time) {
        if self.follows_budgets() && C::Trace::BUDGETS {
            for row in 0..self.budgets.capacity() {
                let server = ServerId::of(TaskId::from_index(row));
                self.follow(cpu, server, Duration::ZERO, now);
            }
        }
    }

    /// Traces what the server has, where that differs from what was traced last. Returns what is left.
    #[inline(never)]
    fn follow(
        &mut self,
        cpu: CpuId,
        server: ServerId,
        used: Duration,
        now: Time,
    ) -> Option<Duration> {
        let budget = self.policy.budget(server, used, now)?;
        let Budget {
            left,
            deadline,
            reclaimed,
            reserve,
        } = budget;
        if !C::Trace::BUDGETS {
            return Some(left);
        }
        let row = self.budgets.find_mut(server.index())?;
        let before = core::mem::replace(&mut row.traced, budget);
        if let Some(reserve) = reserve {
            self.trace_reserve(now, cpu, server, before.reserve, reserve);
        }
        if !reclaimed.is_zero() {
            let length = reclaimed;
            self.emit(now, cpu, Kind::Reclaim { server, length });
        }
        let charged = used.saturating_sub(reclaimed);
        if deadline != before.deadline || left > before.left.saturating_sub(charged) {
            self.emit(now, cpu, Kind::Replenish { server, deadline });
        }
        if left != before.left || !used.is_zero() {
            let kind = if left.is_zero() {
                Kind::Exhaust { server }
            } else {
                Kind::Budget { server, left }
            };
            self.emit(now, cpu, kind);
        }
        Some(left)
    }

    /// Traces the reservation where it has changed, and that it has become less than what the task asks for.
    fn trace_reserve(
        &mut self,
        now: Time,
        cpu: CpuId,
        server: ServerId,
        before: Option<Reserve>,
        reserve: Reserve,
    ) {
        let task = server.task();
        let Reserve {
            share,
            period,
            is_squished,
        } = reserve;
        if before.is_none_or(|it| (it.share, it.period) != (share, period)) {
            self.emit(
                now,
                cpu,
                Kind::Reserve {
                    task,
                    share,
                    period,
                },
            );
        }
        if is_squished && !before.is_some_and(|it| it.is_squished) {
            self.emit(now, cpu, Kind::Quality { task });
        }
    }
}
