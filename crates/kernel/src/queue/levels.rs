//! How many messages queues hold: traces and policies that want to know are told.

use super::QueueId;
use crate::{Config, Core};
use flyball_policy::{Fill, Policy, Role, Table};
use flyball_trace::{CpuId, Kind, Sink, TaskId, Time};

impl<C: Config> Core<C> {
    /// Whether it matters how many messages queues hold. Otherwise the code for that is not compiled.
    pub(super) const FOLLOWS_LEVELS: bool = C::Trace::FILLS || C::Policy::WANTS.levels;

    /// Whether the policy that there is wants to know how many messages queues hold.
    #[inline]
    pub(super) fn policy_takes_levels(&self) -> bool {
        C::Policy::WANTS.levels && self.policy.takes_levels()
    }

    #[inline]
    fn follows_levels(&self) -> bool {
        C::Trace::FILLS || self.policy_takes_levels()
    }

    /// A queue holds another number of messages, after what `by` has done, or an interrupt: the trace and the
    /// policy are told.
    #[inline]
    pub(crate) fn follow_level(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        by: Option<(TaskId, Role)>,
        now: Time,
    ) {
        if self.follows_levels()
            && let Ok(level) = self.queue_len(queue)
        {
            self.tell_level(cpu, queue, level, by, now);
        }
    }

    #[inline]
    pub(super) fn tell_level(
        &mut self,
        cpu: CpuId,
        queue: QueueId,
        level: u16,
        by: Option<(TaskId, Role)>,
        now: Time,
    ) {
        if C::Trace::FILLS {
            let queue = queue.0;
            self.emit(now, cpu, Kind::Fill { queue, level });
        }
        if self.policy_takes_levels() {
            self.tell_policy(queue, level, by, now);
        }
    }

    /// A queue or a gauge has this level now, by what `by` has done. Called from one place for messages, and one for
    /// gauges, so what the policy does with it is in here once.
    #[inline(never)]
    pub(super) fn tell_policy(
        &mut self,
        queue: QueueId,
        level: u16,
        by: Option<(TaskId, Role)>,
        now: Time,
    ) {
        let Ok(row) = self.queues.look(queue.0) else {
            return;
        };
        let capacity = row.most();
        if let Some(note) = self.notes.find_mut(usize::from(queue.0)) {
            let fill = Fill {
                note,
                level,
                capacity,
                by,
            };
            self.policy.filled(fill, now);
        }
    }

    /// The policy is told the [short way](Policy::refilled) that a queue is about to have this level, and whether it has noted that.
    #[inline(never)]
    pub(super) fn refills(
        &mut self,
        queue: QueueId,
        level: u16,
        by: Option<CpuId>,
        role: Role,
    ) -> bool {
        let by = by.and_then(|cpu| Some((self.running_task(cpu)?, role)));
        let Ok(row) = self.queues.look(queue.0) else {
            return false;
        };
        let capacity = row.most();
        let Some(note) = self.notes.find_mut(usize::from(queue.0)) else {
            return false;
        };
        self.policy.refilled(Fill {
            note,
            level,
            capacity,
            by,
        })
    }

    /// The running thread as the one that has put a message in, if it has, and if the policy wants to know.
    #[inline]
    pub(super) fn producer(&self, cpu: CpuId, is_threads: bool) -> Option<(TaskId, Role)> {
        if !C::Policy::WANTS.levels || !is_threads {
            return None;
        }
        Some((self.running_task(cpu)?, Role::Producer))
    }
}
