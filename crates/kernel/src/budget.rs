//! What servers have, for the trace.
//!
//! The policy alone knows it. It is asked wherever it may have changed: for the server of a task that
//! has become ready, has stopped, or has been picked; and for all, after the policy's alarm. What
//! differs from what was traced last is traced.

use crate::{Config, Core};
use flyball_policy::{Budget, Policy, Table};
use flyball_trace::{CpuId, Duration, Kind, ServerId, Sink, TaskId, Time};

impl<C: Config> Core<C> {
    /// Whether the trace has budgets. Otherwise none of the code here is compiled.
    pub(crate) const TRACES_BUDGETS: bool = C::Trace::BUDGETS && C::Policy::WANTS.budgets;

    /// `task`, which runs on `cpu`, has used so much since it was picked, and the policy is about to
    /// hear of it.
    #[inline]
    pub(crate) fn trace_use(&mut self, cpu: CpuId, task: TaskId, used: Duration, now: Time) {
        if Self::TRACES_BUDGETS
            && !used.is_zero()
            && let Some(server) = self.policy.server_of(task)
        {
            self.trace_budget(cpu, server, used, now);
        }
    }

    /// The server of `task` may have another budget.
    #[inline]
    pub(crate) fn trace_server_of(&mut self, cpu: CpuId, task: TaskId, now: Time) {
        if Self::TRACES_BUDGETS
            && let Some(server) = self.policy.server_of(task)
        {
            self.trace_budget(cpu, server, Duration::ZERO, now);
        }
    }

    /// All servers may have other budgets. O(threads).
    #[inline]
    pub(crate) fn trace_servers(&mut self, cpu: CpuId, now: Time) {
        if Self::TRACES_BUDGETS {
            for row in 0..self.budgets.capacity() {
                let server = ServerId::of(TaskId::from_index(row));
                self.trace_budget(cpu, server, Duration::ZERO, now);
            }
        }
    }

    /// Traces what the server has, where that differs from what was traced last.
    #[inline(never)]
    fn trace_budget(&mut self, cpu: CpuId, server: ServerId, used: Duration, now: Time) {
        let Some(budget) = self.policy.budget(server, used, now) else {
            return;
        };
        let Some(traced) = self.budgets.find_mut(server.index()) else {
            return;
        };
        let before = core::mem::replace(traced, budget);
        let Budget {
            left,
            deadline,
            reclaimed,
        } = budget;
        if !reclaimed.is_zero() {
            let length = reclaimed;
            self.emit(now, cpu, Kind::Reclaim { server, length });
        }
        let charged = used.saturating_sub(reclaimed);
        if deadline != before.deadline || left > before.left.saturating_sub(charged) {
            self.emit(now, cpu, Kind::Replenish { server, deadline });
        }
        if left == before.left && used.is_zero() {
            return;
        }
        if left.is_zero() {
            self.emit(now, cpu, Kind::Exhaust { server });
        } else {
            self.emit(now, cpu, Kind::Budget { server, left });
        }
    }
}
