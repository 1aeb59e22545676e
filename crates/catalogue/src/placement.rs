//! Placements, written once for all orders: a queue for each CPU, one for the CPUs of a cluster,
//! and one for tasks that may run on some of them only.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::rule::Rule;
use crate::scheduler::{Scheduler, Shape, Size};
use crate::settings::{Configured, Setting, Values};
use crate::sustainable::Sustainable;
use core::marker::PhantomData;
use flyball_policy::{
    Affine as AffinePolicy, FromOrder, Global, Nothing, Order, Pinned, Queue, Ranked, Storage,
};

impl<R: Rule> Scheduler for R {
    const NAME: &'static str = <R as Rule>::NAME;
    const MEMORYLESS: bool = true;
    const SUSTAINABLE: Sustainable = <R as Rule>::SUSTAINABLE;
    const PROFILE: Profile =
        Profile::ranked::<R::Queue<Nothing>, <R::Order as Order>::Key>(<R as Rule>::SOURCE);

    type Params = <R as Rule>::Params;
    type Policy<S: Storage, C: Storage> = R::Policy<S>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        R::Policy::from_order(self.order(), size.tasks)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        Rule::params(self, task, values)
    }
}

/// The most urgent tasks run, as many as the cluster has CPUs, wherever that is: clustered
/// scheduling, and global scheduling where there is one cluster.
#[derive(Clone, Copy, Debug)]
pub struct Clustered<R> {
    /// The order of the tasks.
    pub rule: R,
    /// The number of CPUs of a cluster. How CPUs are divided is no matter of the policy, so an
    /// image does not carry this number with the policy's settings.
    pub cpus: usize,
}

impl<R> Clustered<R> {
    /// One cluster of all CPUs.
    pub const fn global(rule: R) -> Clustered<R> {
        Clustered {
            rule,
            cpus: usize::MAX,
        }
    }
}

impl<R: Default> Default for Clustered<R> {
    fn default() -> Clustered<R> {
        Clustered::global(R::default())
    }
}

impl<R: Configured> Configured for Clustered<R> {
    const SETTINGS: &'static [Setting] = R::SETTINGS;
    const TASK_SETTINGS: &'static [Setting] = R::TASK_SETTINGS;

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Clustered<R>, &'static str> {
        R::new(values, tasks).map(Clustered::global)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.rule.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Clustered<R>> {
        R::parse(bytes).map(Clustered::global)
    }
}

impl<R: Rule> Scheduler for Clustered<R> {
    const NAME: &'static str = <R as Rule>::NAME;
    const SHAPE: Shape = Shape::Several;
    const MEMORYLESS: bool = true;
    /// Not in arrivals: two tasks of 1 ms in 2 and 3 ms and one of 6 ms in 7 ms meet their
    /// deadlines under global EDF on two CPUs, and do not where the first one comes every 3 ms.
    const SUSTAINABLE: Sustainable = Sustainable {
        arrivals: false,
        ..<R as Rule>::SUSTAINABLE
    };
    const PROFILE: Profile = Profile::global::<R::Order, R::Queue<Nothing>>(<R as Rule>::SOURCE);

    type Params = <R as Rule>::Params;
    type Policy<S: Storage, C: Storage> = Global<R::Order, R::Queue<S>, C>;

    fn cluster(&self) -> usize {
        self.cpus
    }

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        Global::new(self.rule.order(), size.tasks, size.cpus)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        Rule::params(&self.rule, task, values)
    }
}

/// The most urgent tasks run wherever they may: global scheduling for tasks that have affinities
/// ([`Facts::affinity`]).
#[derive(Clone, Copy, Debug)]
pub struct Affine<R>(
    /// The order of the tasks.
    pub R,
);

impl<R: Configured> Configured for Affine<R> {
    const SETTINGS: &'static [Setting] = R::SETTINGS;
    const TASK_SETTINGS: &'static [Setting] = R::TASK_SETTINGS;

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Affine<R>, &'static str> {
        R::new(values, tasks).map(Affine)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Affine<R>> {
        R::parse(bytes).map(Affine)
    }
}

impl<R: Rule> Scheduler for Affine<R> {
    const NAME: &'static str = <R as Rule>::NAME;
    const SHAPE: Shape = Shape::Affine;
    const MEMORYLESS: bool = true;
    /// Which jobs run depends on where others run, and not on keys alone.
    const SUSTAINABLE: Sustainable = Sustainable::NO;
    const PROFILE: Profile = Profile {
        queue: "table",
        queue_complexity: "O(1), the first O(n)",
        decision: "O(n) of n tasks where a CPU becomes free, O(m) on m CPUs for each that gives way",
        source: <R as Rule>::SOURCE,
    };

    type Params = Pinned<<R as Rule>::Params>;
    type Policy<S: Storage, C: Storage> = AffinePolicy<R::Order, S, C>;

    fn cluster(&self) -> usize {
        usize::MAX
    }

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        AffinePolicy::new(self.0.order(), size.tasks, size.cpus)
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<Self::Params, Missing> {
        Ok(Pinned {
            params: Rule::params(&self.0, task, values)?,
            cpus: task.affinity,
        })
    }
}

/// Names a kind of queue, with its tables in any storage.
pub trait QueueKind<K: Copy + Ord + Default> {
    /// The queue.
    type Queue<S: Storage>: Queue<K, Storage = S>;
}

/// A rule with another queue than its own. Its schedules are the same; only what it costs is not.
#[derive(Clone, Copy, Debug)]
pub struct Queued<R, Q> {
    rule: R,
    queue: PhantomData<Q>,
}

impl<R, Q> Queued<R, Q> {
    /// The rule, with a queue of this kind.
    pub const fn new(rule: R) -> Queued<R, Q> {
        Queued {
            rule,
            queue: PhantomData,
        }
    }
}

impl<R: Default, Q> Default for Queued<R, Q> {
    fn default() -> Queued<R, Q> {
        Queued::new(R::default())
    }
}

impl<R: Configured, Q> Configured for Queued<R, Q> {
    const SETTINGS: &'static [Setting] = R::SETTINGS;
    const TASK_SETTINGS: &'static [Setting] = R::TASK_SETTINGS;

    fn new(values: &dyn Values, tasks: &[Facts]) -> Result<Queued<R, Q>, &'static str> {
        R::new(values, tasks).map(Queued::new)
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.rule.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Queued<R, Q>> {
        R::parse(bytes).map(Queued::new)
    }
}

impl<R: Rule, Q: QueueKind<<R::Order as Order>::Key>> Rule for Queued<R, Q> {
    const NAME: &'static str = R::NAME;
    const TITLE: &'static str = R::TITLE;
    const ABOUT: &'static str = R::ABOUT;
    const SOURCE: &'static str = R::SOURCE;
    const SUSTAINABLE: Sustainable = R::SUSTAINABLE;
    type Params = R::Params;
    type Order = R::Order;
    type Queue<S: Storage> = Q::Queue<S>;
    type Policy<S: Storage> = Ranked<Self::Order, Self::Queue<S>>;

    fn order(&self) -> R::Order {
        self.rule.order()
    }

    fn params(&self, task: &Facts, values: &dyn Values) -> Result<R::Params, Missing> {
        self.rule.params(task, values)
    }
}

/// A sorted list: O(n).
#[derive(Clone, Copy, Debug)]
pub struct List;

/// A binary heap.
#[derive(Clone, Copy, Debug)]
pub struct InHeap;

/// A calendar queue: O(1) on the average.
#[derive(Clone, Copy, Debug)]
pub struct InCalendar;

impl<K: Ord + Copy + Default> QueueKind<K> for List {
    type Queue<S: Storage> = flyball_policy::SortedList<K, S>;
}

impl<K: Ord + Copy + Default> QueueKind<K> for InHeap {
    type Queue<S: Storage> = flyball_policy::Heap<K, S>;
}

impl<K: flyball_policy::queue::Dated> QueueKind<K> for InCalendar {
    type Queue<S: Storage> = flyball_policy::Calendar<K, S>;
}
