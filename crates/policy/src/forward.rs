//! Methods that a policy around another one hands on as they are.

/// Writes the named methods of [`Policy`](crate::Policy), each of which calls the same method of the field
/// `$policy`.
macro_rules! forward {
    ($policy:ident: $($method:ident)*) => {
        $($crate::forward::forward_one! { $method $policy })*
    };
}

macro_rules! forward_one {
    (capacity $policy:ident) => {
        fn capacity(&self) -> usize {
            self.$policy.capacity()
        }
    };
    (tune $policy:ident) => {
        fn tune(
            &mut self,
            settings: Self::Settings,
            now: $crate::Time,
        ) -> Result<$crate::Resched, $crate::Refused> {
            self.$policy.tune(settings, now)
        }
    };
    (control $policy:ident) => {
        fn control(&mut self, cpu: $crate::CpuId, now: $crate::Time) -> $crate::Resched {
            self.$policy.control(cpu, now)
        }
    };
    (retire $policy:ident) => {
        fn retire(&mut self, task: $crate::TaskId, now: $crate::Time) {
            self.$policy.retire(task, now);
        }
    };
    (ready $policy:ident) => {
        #[inline]
        fn ready(
            &mut self,
            here: $crate::CpuId,
            task: $crate::TaskId,
            why: $crate::Ready,
            now: $crate::Time,
        ) -> $crate::Resched {
            self.$policy.ready(here, task, why, now)
        }
    };
    (stopped $policy:ident) => {
        #[inline]
        fn stopped(
            &mut self,
            cpu: $crate::CpuId,
            task: $crate::TaskId,
            used: $crate::Usage,
            why: $crate::Stop,
            now: $crate::Time,
        ) -> $crate::Resched {
            self.$policy.stopped(cpu, task, used, why, now)
        }
    };
    (ended $policy:ident) => {
        fn ended(&mut self, task: $crate::TaskId, result: u8, now: $crate::Time) {
            self.$policy.ended(task, result, now);
        }
    };
    (counted $policy:ident) => {
        fn counted(
            &mut self,
            cpu: $crate::CpuId,
            task: $crate::TaskId,
            counts: &$crate::Counts,
            now: $crate::Time,
        ) -> $crate::Resched {
            self.$policy.counted(cpu, task, counts, now)
        }
    };
    (takes_counts $policy:ident) => {
        #[inline]
        fn takes_counts(&self) -> bool {
            self.$policy.takes_counts()
        }
    };
    (filled $policy:ident) => {
        #[inline]
        fn filled(&mut self, fill: $crate::Fill<'_>, now: $crate::Time) {
            self.$policy.filled(fill, now);
        }
    };
    (refilled $policy:ident) => {
        #[inline]
        fn refilled(&mut self, fill: $crate::Fill<'_>) -> bool {
            self.$policy.refilled(fill)
        }
    };
    (takes_levels $policy:ident) => {
        #[inline]
        fn takes_levels(&self) -> bool {
            self.$policy.takes_levels()
        }
    };
    (alarm $policy:ident) => {
        fn alarm(&mut self, cpu: $crate::CpuId, now: $crate::Time) -> $crate::Resched {
            self.$policy.alarm(cpu, now)
        }
    };
    (control_runs $policy:ident) => {
        fn control_runs(&self) -> u32 {
            self.$policy.control_runs()
        }
    };
    (next_alarm $policy:ident) => {
        fn next_alarm(&self, cpu: $crate::CpuId) -> Option<$crate::Time> {
            self.$policy.next_alarm(cpu)
        }
    };
    (has_alarms $policy:ident) => {
        #[inline]
        fn has_alarms(&self) -> bool {
            self.$policy.has_alarms()
        }
    };
    (released_cpu $policy:ident) => {
        fn released_cpu(&mut self, cpu: $crate::CpuId) -> $crate::Resched {
            self.$policy.released_cpu(cpu)
        }
    };
    (has_budgets $policy:ident) => {
        #[inline]
        fn has_budgets(&self) -> bool {
            self.$policy.has_budgets()
        }
    };
    (server_of $policy:ident) => {
        fn server_of(&self, task: $crate::TaskId) -> Option<$crate::ServerId> {
            self.$policy.server_of(task)
        }
    };
    (budget $policy:ident) => {
        fn budget(
            &self,
            server: $crate::ServerId,
            used: $crate::Duration,
            now: $crate::Time,
        ) -> Option<$crate::Budget> {
            self.$policy.budget(server, used, now)
        }
    };
    (compare $policy:ident) => {
        fn compare(&self, a: $crate::TaskId, b: $crate::TaskId) -> core::cmp::Ordering {
            self.$policy.compare(a, b)
        }
    };
    (inherit $policy:ident) => {
        fn inherit(
            &mut self,
            to: $crate::TaskId,
            from: Option<$crate::TaskId>,
            now: $crate::Time,
        ) -> $crate::Resched {
            self.$policy.inherit(to, from, now)
        }
    };
    (waits $policy:ident) => {
        fn waits(
            &mut self,
            task: $crate::TaskId,
            owner: Option<$crate::TaskId>,
            now: $crate::Time,
        ) -> $crate::Resched {
            self.$policy.waits(task, owner, now)
        }
    };
    (takes_waits $policy:ident) => {
        #[inline]
        fn takes_waits(&self) -> bool {
            self.$policy.takes_waits()
        }
    };
}

pub(crate) use {forward, forward_one};
