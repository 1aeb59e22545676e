//! Policies by a function of Python that says how urgent a job is.
//!
//! The function is called once for each job, at its release. All the rest is what orders with a queue have.

use super::fault::{self, Told, Wrong};
use crate::error::type_name;
use flyball::catalogue::scheduler::Size;
use flyball::catalogue::{Configured, Facts, Missing, Scheduler, Shape, Values};
use flyball::policy::{
    Boxed, CpuId, Dispatch, Global, Heap, Order, Policy, Ranked, Ready, Refused, Resched, Stop,
    Storage, TaskId, Time, Usage, Wants,
};
use pyo3::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;

/// The order of the numbers that the function returned: the smallest first.
#[derive(Clone, Copy)]
pub(crate) struct ByKey;

impl Order for ByKey {
    type Params = i64;
    type Key = i64;
    type Slice = ();

    fn key(&self, &key: &i64, _: Time) -> i64 {
        key
    }
}

/// A function, and the tasks that it is called with.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) function: Arc<Py<PyAny>>,
    pub(crate) told: Told,
}

impl Key {
    /// How urgent the job of a task is that is released at `release`.
    fn of(&self, number: u32, release: Time) -> Option<i64> {
        self.told.call("key", Some(release), |py| {
            let Some(task) = self.told.tasks.get(number) else {
                return Err(Wrong::Broken(
                    "was to be called with a task that is not there".into(),
                ));
            };
            let at = release.as_nanos();
            let deadline = task.get().deadline_from(at);
            let key = self.function.bind(py).call1((task, at, deadline))?;
            key.extract().map_err(|_| {
                let found = type_name(&key);
                Wrong::Broken(format!(
                    "returned {found}, and no whole number from -2^63 to 2^63 - 1,"
                ))
            })
        })
    }
}

/// A policy of keys that asks the function for them.
pub(crate) struct Asked<P> {
    policy: P,
    key: Key,
    /// The places of tasks in the set, by id.
    numbers: Box<[u32]>,
}

impl<P: Policy<Params = i64>> Asked<P> {
    fn new(policy: P, key: Key) -> Asked<P> {
        let numbers = vec![0; policy.capacity()].into();
        Asked {
            policy,
            key,
            numbers,
        }
    }
}

impl<P: Policy<Params = i64>> Policy for Asked<P> {
    type Params = u32;
    type Settings = ();
    const WANTS: Wants = P::WANTS.and(Wants::CLOCK);

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, number: u32, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, i64::MAX, now)?;
        self.numbers[task.index()] = number;
        Ok(())
    }

    fn adjust(&mut self, task: TaskId, number: u32, _: Time) -> Result<Resched, Refused> {
        self.numbers[task.index()] = number;
        Ok(Resched::None)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let mut resched = Resched::None;
        if let Ready::Released { release } = why
            && let Some(key) = self.key.of(self.numbers[task.index()], release)
            // Its keys are all served, and it is a member.
            && let Ok(adjusted) = self.policy.adjust(task, key, now)
        {
            resched = adjusted;
        }
        resched.and(self.policy.ready(here, task, why, now))
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        self.policy.stopped(cpu, task, used, why, now)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.policy.pick(cpu, now)
    }

    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.policy.compare(a, b)
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        self.policy.inherit(to, from, now)
    }
}

/// What both of the schedulers have in common: they are made for one call, and no image has them.
macro_rules! scheduler {
    ($scheduler:ident, $shape:expr, $cluster:expr, $policy:ty, $make:expr) => {
        impl Configured for $scheduler {
            fn new(_: &dyn Values, _: &[Facts]) -> Result<$scheduler, &'static str> {
                Err("a policy in Python is made of what Python says")
            }

            fn parse(_: &mut &[u8]) -> Option<$scheduler> {
                None
            }
        }

        impl Scheduler for $scheduler {
            const NAME: &'static str = "a key function in Python";
            const SHAPE: Shape = $shape;
            type Params = u32;
            type Policy<S: Storage, C: Storage> = Asked<$policy>;

            fn cluster(&self) -> usize {
                $cluster
            }

            fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
                Asked::new($make(size), self.0.clone())
            }

            fn params(&self, _: &Facts, values: &dyn Values) -> Result<u32, Missing> {
                let number = self.0.told.tasks.number(values.task());
                number.ok_or(Missing::Other("is none that Python knows of"))
            }

            fn during<R>(&self, simulation: impl FnOnce() -> R) -> R {
                fault::attached(simulation)
            }

            fn pause(&self) {
                fault::pause();
            }
        }
    };
}

/// The most urgent task of each CPU runs.
pub(crate) struct OneKey(pub(crate) Key);

/// The most urgent tasks run, as many as there are CPUs.
pub(crate) struct GlobalKey(pub(crate) Key);

scheduler! { OneKey, Shape::One, 1, Ranked<ByKey, Heap<i64, Boxed>>, |size: Size| Ranked::new(ByKey, size.tasks) }
scheduler! { GlobalKey, Shape::Several, usize::MAX, Global<ByKey, Heap<i64, Boxed>, Boxed>, |size: Size| Global::new(ByKey, size.tasks, size.cpus) }
