//! Several schedulers as one, of which an image chooses when it starts.
//!
//! The kernel is generic over its policy, so an image that can run any of them has one policy that
//! is any of them. Each call finds out which it is, which costs a few instructions; what a
//! scheduler does not ask for ([`Wants`](flyball_policy::Wants)) it is not told here either.

use crate::scheduler::{Scheduler, Shape, Size};
use flyball_policy::{
    Counts, CpuId, Dispatch, Encode, Fill, Policy, Resched, Stop, Storage, TaskId, Time, Usage,
};

/// What an image runs: one [`Scheduler`], or one of several.
pub trait Boot: Sized {
    /// What a task tells the policy.
    type Params: Copy;

    /// The policy, with tables of tasks in `S` and tables of CPUs in `C`.
    type Policy<S: Storage, C: Storage>: Policy<Params = Self::Params>;

    /// The scheduler of this name and shape, configured by `settings`
    /// ([`Configured::parse`](crate::Configured::parse)). `None` if it is another one, or these are
    /// no settings of it.
    fn find(name: &str, shape: Shape, settings: &mut &[u8]) -> Option<Self>;

    /// Makes the policy of a cluster.
    fn boot<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C>;

    /// What a task tells the policy, from the bytes of an image. `None` if these are no parameters.
    fn decode(&self, params: &mut &[u8]) -> Option<Self::Params>;
}

impl<T: Scheduler> Boot for T {
    type Params = T::Params;
    type Policy<S: Storage, C: Storage> = <T as Scheduler>::Policy<S, C>;

    fn find(name: &str, shape: Shape, settings: &mut &[u8]) -> Option<T> {
        if name != T::NAME || shape != T::SHAPE {
            return None;
        }
        T::parse(settings)
    }

    fn boot<S: Storage, C: Storage>(&self, size: Size) -> <T as Scheduler>::Policy<S, C> {
        self.policy(size)
    }

    fn decode(&self, params: &mut &[u8]) -> Option<T::Params> {
        T::Params::parse(params)
    }
}

/// Tells `policy` that a task has stopped, as far as it wants to know.
#[inline]
pub(crate) fn stopped<P: Policy>(
    policy: &mut P,
    cpu: CpuId,
    task: TaskId,
    used: Usage,
    why: Stop,
    now: Time,
) -> Resched {
    if why == Stop::Preempted && !P::WANTS.preempted {
        return Resched::None;
    }
    let used = if P::WANTS.usage {
        used
    } else {
        Usage::default()
    };
    policy.stopped(cpu, task, used, why, now)
}

/// Tells `policy` the result of a job, if it wants to know.
#[inline]
pub(crate) fn ended<P: Policy>(policy: &mut P, task: TaskId, result: u8, now: Time) {
    if P::WANTS.results {
        policy.ended(task, result, now);
    }
}

/// Tells `policy` what has been counted, if it wants to know.
#[inline]
pub(crate) fn counted<P: Policy>(
    policy: &mut P,
    cpu: CpuId,
    task: TaskId,
    counts: &Counts,
    now: Time,
) -> Resched {
    if P::WANTS.counts {
        policy.counted(cpu, task, counts, now)
    } else {
        Resched::None
    }
}

/// Tells `policy` how many messages a queue holds, if it wants to know.
#[inline]
pub(crate) fn filled<P: Policy>(policy: &mut P, fill: Fill<'_>, now: Time) {
    if P::WANTS.levels {
        policy.filled(fill, now);
    }
}

/// Asks `policy` which task runs, and ignores a burst that it does not want.
#[inline]
pub(crate) fn pick<P: Policy>(policy: &mut P, cpu: CpuId, now: Time) -> Option<Dispatch> {
    let mut dispatch = policy.pick(cpu, now)?;
    if !P::WANTS.bursts {
        dispatch.burst = None;
    }
    Some(dispatch)
}

/// Several schedulers as one: the scheduler, its policy and its parameters.
macro_rules! any {
    (
        $(#[$doc:meta])*
        [$($generic:ident: $bound:ident)?] $any:ident, $policy:ident, $params:ident {
            $($variant:ident: $scheduler:ty,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[expect(missing_docs, reason = "a variant is the scheduler in it")]
        #[allow(
            clippy::large_enum_variant,
            reason = "an image makes one scheduler, and there is no heap"
        )]
        pub enum $any<$($generic: $bound)?> {
            $($variant($scheduler),)*
        }

        /// What a task tells the policy of the same name.
        #[expect(missing_docs, reason = "a variant is what the scheduler is told")]
        pub enum $params<$($generic: $bound)?> {
            $($variant(<$scheduler as $crate::Boot>::Params),)*
        }

        #[allow(
            clippy::expl_impl_clone_on_copy,
            reason = "a derived one would ask the order for it, too"
        )]
        impl<$($generic: $bound)?> Clone for $params<$($generic)?> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generic: $bound)?> Copy for $params<$($generic)?> {}

        /// One of several policies.
        #[expect(missing_docs, reason = "a variant is the policy in it")]
        pub enum $policy<$($generic: $bound,)? S: flyball_policy::Storage, C: flyball_policy::Storage> {
            $($variant(<$scheduler as $crate::Boot>::Policy<S, C>),)*
        }

        impl<$($generic: $bound)?> $crate::Boot for $any<$($generic)?> {
            type Params = $params<$($generic)?>;
            type Policy<S: flyball_policy::Storage, C: flyball_policy::Storage> =
                $policy<$($generic,)? S, C>;

            fn find(name: &str, shape: Shape, settings: &mut &[u8]) -> Option<Self> {
                $(if let Some(found) = <$scheduler as $crate::Boot>::find(name, shape, settings) {
                    return Some($any::$variant(found));
                })*
                None
            }

            fn boot<S: flyball_policy::Storage, C: flyball_policy::Storage>(
                &self,
                size: $crate::Size,
            ) -> Self::Policy<S, C> {
                match self {
                    $($any::$variant(scheduler) => {
                        $policy::$variant($crate::Boot::boot::<S, C>(scheduler, size))
                    })*
                }
            }

            fn decode(&self, params: &mut &[u8]) -> Option<Self::Params> {
                Some(match self {
                    $($any::$variant(scheduler) => {
                        $params::$variant($crate::Boot::decode(scheduler, params)?)
                    })*
                })
            }
        }

        impl<$($generic: $bound,)? S: flyball_policy::Storage, C: flyball_policy::Storage>
            flyball_policy::Policy for $policy<$($generic,)? S, C>
        {
            type Params = $params<$($generic)?>;
            /// The scheduler is configured when it is chosen, and stays as it is.
            type Settings = ();

            const WANTS: flyball_policy::Wants = {
                let wants = flyball_policy::Wants::NOTHING;
                $(let wants = wants.and(
                    <<$scheduler as $crate::Boot>::Policy<S, C> as flyball_policy::Policy>::WANTS,
                );)*
                wants
            };

            fn capacity(&self) -> usize {
                match self {
                    $($policy::$variant(policy) => policy.capacity(),)*
                }
            }

            fn admit(
                &mut self,
                task: flyball_policy::TaskId,
                params: Self::Params,
                now: flyball_policy::Time,
            ) -> Result<(), flyball_policy::Refused> {
                match (self, params) {
                    $(($policy::$variant(policy), $params::$variant(params)) => {
                        policy.admit(task, params, now)
                    })*
                    #[allow(unreachable_patterns, reason = "there may be one scheduler only")]
                    _ => Err(flyball_policy::Refused::Invalid(
                        flyball_policy::Parameter::Other,
                    )),
                }
            }

            fn adjust(
                &mut self,
                task: flyball_policy::TaskId,
                params: Self::Params,
                now: flyball_policy::Time,
            ) -> Result<flyball_policy::Resched, flyball_policy::Refused> {
                match (self, params) {
                    $(($policy::$variant(policy), $params::$variant(params)) => {
                        policy.adjust(task, params, now)
                    })*
                    #[allow(unreachable_patterns, reason = "there may be one scheduler only")]
                    _ => Err(flyball_policy::Refused::Invalid(
                        flyball_policy::Parameter::Other,
                    )),
                }
            }

            fn control(
                &mut self,
                cpu: flyball_policy::CpuId,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.control(cpu, now),)*
                }
            }

            fn retire(&mut self, task: flyball_policy::TaskId, now: flyball_policy::Time) {
                match self {
                    $($policy::$variant(policy) => policy.retire(task, now),)*
                }
            }

            fn ready(
                &mut self,
                here: flyball_policy::CpuId,
                task: flyball_policy::TaskId,
                why: flyball_policy::Ready,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.ready(here, task, why, now),)*
                }
            }

            fn stopped(
                &mut self,
                cpu: flyball_policy::CpuId,
                task: flyball_policy::TaskId,
                used: flyball_policy::Usage,
                why: flyball_policy::Stop,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => {
                        $crate::any::stopped(policy, cpu, task, used, why, now)
                    })*
                }
            }

            fn ended(
                &mut self,
                task: flyball_policy::TaskId,
                result: u8,
                now: flyball_policy::Time,
            ) {
                match self {
                    $($policy::$variant(policy) => $crate::any::ended(policy, task, result, now),)*
                }
            }

            fn counted(
                &mut self,
                cpu: flyball_policy::CpuId,
                task: flyball_policy::TaskId,
                counts: &flyball_policy::Counts,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => {
                        $crate::any::counted(policy, cpu, task, counts, now)
                    })*
                }
            }

            #[inline]
            fn takes_counts(&self) -> bool {
                match self {
                    $($policy::$variant(policy) => policy.takes_counts(),)*
                }
            }

            fn filled(&mut self, fill: flyball_policy::Fill<'_>, now: flyball_policy::Time) {
                match self {
                    $($policy::$variant(policy) => $crate::any::filled(policy, fill, now),)*
                }
            }

            #[inline]
            fn takes_levels(&self) -> bool {
                match self {
                    $($policy::$variant(policy) => policy.takes_levels(),)*
                }
            }

            fn alarm(
                &mut self,
                cpu: flyball_policy::CpuId,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.alarm(cpu, now),)*
                }
            }

            fn control_runs(&self) -> u32 {
                match self {
                    $($policy::$variant(policy) => policy.control_runs(),)*
                }
            }

            fn next_alarm(&self, cpu: flyball_policy::CpuId) -> Option<flyball_policy::Time> {
                match self {
                    $($policy::$variant(policy) => policy.next_alarm(cpu),)*
                }
            }

            #[inline]
            fn has_alarms(&self) -> bool {
                match self {
                    $($policy::$variant(policy) => policy.has_alarms(),)*
                }
            }

            fn pick(
                &mut self,
                cpu: flyball_policy::CpuId,
                now: flyball_policy::Time,
            ) -> Option<flyball_policy::Dispatch> {
                match self {
                    $($policy::$variant(policy) => $crate::any::pick(policy, cpu, now),)*
                }
            }

            fn released_cpu(&mut self, cpu: flyball_policy::CpuId) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.released_cpu(cpu),)*
                }
            }

            #[inline]
            fn has_budgets(&self) -> bool {
                match self {
                    $($policy::$variant(policy) => policy.has_budgets(),)*
                }
            }

            fn server_of(&self, task: flyball_policy::TaskId) -> Option<flyball_policy::ServerId> {
                match self {
                    $($policy::$variant(policy) => policy.server_of(task),)*
                }
            }

            fn budget(
                &self,
                server: flyball_policy::ServerId,
                used: flyball_policy::Duration,
                now: flyball_policy::Time,
            ) -> Option<flyball_policy::Budget> {
                match self {
                    $($policy::$variant(policy) => policy.budget(server, used, now),)*
                }
            }

            fn compare(
                &self,
                a: flyball_policy::TaskId,
                b: flyball_policy::TaskId,
            ) -> core::cmp::Ordering {
                match self {
                    $($policy::$variant(policy) => policy.compare(a, b),)*
                }
            }

            fn inherit(
                &mut self,
                to: flyball_policy::TaskId,
                from: Option<flyball_policy::TaskId>,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.inherit(to, from, now),)*
                }
            }

            fn waits(
                &mut self,
                task: flyball_policy::TaskId,
                owner: Option<flyball_policy::TaskId>,
                now: flyball_policy::Time,
            ) -> flyball_policy::Resched {
                match self {
                    $($policy::$variant(policy) => policy.waits(task, owner, now),)*
                }
            }

            #[inline]
            fn takes_waits(&self) -> bool {
                match self {
                    $($policy::$variant(policy) => policy.takes_waits(),)*
                }
            }
        }
    };
}

pub(crate) use any;
