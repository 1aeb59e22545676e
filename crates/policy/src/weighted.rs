//! Weighted round robin: time slices whose length the task says.

use crate::encode::Encode;
use crate::order::Order;
use crate::policy::Refused;
use flyball_trace::{Duration, Time};

/// What a task tells [`WeightedRoundRobin`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weighted<P> {
    /// What the task tells the order between tasks that are not equal.
    pub params: P,
    /// How long the task's time slices are; not zero. [`Weighted::ENDLESS`]: it has none.
    pub quantum: Duration,
}

impl<P> Weighted<P> {
    /// A time slice without end: the task runs until it waits, is done or is preempted by a more
    /// urgent one, as under `SCHED_FIFO`.
    pub const ENDLESS: Duration = Duration::MAX;
}

/// As [`RoundRobin`](crate::RoundRobin), but each task has a quantum of its own. So tasks of
/// `SCHED_RR` and of `SCHED_FIFO` are equals side by side.
#[derive(Clone, Copy, Default, Debug)]
pub struct WeightedRoundRobin<O> {
    /// The order between tasks that are not equal.
    pub order: O,
}

impl<O: Order> Order for WeightedRoundRobin<O> {
    type Params = Weighted<O::Params>;
    type Key = O::Key;
    type Slice = Duration;

    const DYNAMIC: bool = O::DYNAMIC;

    fn key(&self, task: &Self::Params, release: Time) -> O::Key {
        self.order.key(&task.params, release)
    }

    fn adjusted(&self, task: &Self::Params, key: O::Key) -> O::Key {
        self.order.adjusted(&task.params, key)
    }

    fn ran(&self, key: O::Key, time: Duration) -> O::Key {
        self.order.ran(key, time)
    }

    /// A time slice without end is one of [`Duration::MAX`], so there is nothing to find out.
    fn quantum(&self, task: &Self::Params) -> Option<Duration> {
        Some(task.quantum)
    }

    fn check(&self, task: &Self::Params) -> Result<(), Refused> {
        self.order.check(&task.params)
    }
}

impl<P: Encode> Encode for Weighted<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.params.emit(put);
        self.quantum.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Weighted<P>> {
        let (params, quantum) = <(P, Duration)>::parse(bytes)?;
        (!quantum.is_zero()).then_some(Weighted { params, quantum })
    }
}
