//! The policies and queues that are measured: those of the catalogue. A new queue is a line in each table
//! that it suits, and a name in [`Queue`].

use super::{Kind, Results, Task, all};
use crate::Error;
use crate::plan::{Policy, Queue};
use core::marker::PhantomData;
use flyball_catalogue::placement::{InCalendar, List};
use flyball_catalogue::{Clustered, Edf, Facts, Fp, Queued, Rm, Rule, Scheduler, Size};
use flyball_policy::{Duration, Inline};

/// A scheduler on at most `CPUS` CPUs.
struct Of<S, const CPUS: usize>(PhantomData<S>);

impl<S: Scheduler + Default, const CPUS: usize> Kind for Of<S, CPUS> {
    type Policy = S::Policy<Inline<1024>, Inline<CPUS>>;

    fn policy(cpus: u8) -> Self::Policy {
        let cpus = usize::from(cpus).min(CPUS);
        S::default().policy(Size::new(crate::plan::MOST_THREADS, cpus))
    }

    fn params(period: Duration) -> Result<S::Params, Error> {
        let mut facts = Facts::periodic(period, Duration::ZERO);
        // As rate monotonic has it, in the levels that there are: one for every 128 µs.
        let level = u8::try_from(period.as_nanos() / 128_000);
        facts.priority = Some(level.map_or(0, |level| u8::MAX - level));
        S::default().params(&facts).map_err(Error::Missing)
    }
}

/// Measures an order, with one queue for all CPUs or on one CPU.
fn order<R: Rule + Default + 'static>(is_global: bool, task: Task<'_>) -> Result<Results, Error> {
    if is_global {
        all::<Of<Clustered<R>, 8>, Of<Clustered<R>, 1>, 8>(task)
    } else {
        all::<Of<R, 1>, Of<R, 1>, 1>(task)
    }
}

/// Measures a policy with a queue that it can have.
pub(super) fn measure(policy: Policy, queue: Queue, task: Task<'_>) -> Result<Results, Error> {
    let is_global = policy.is_global();
    match (policy, queue) {
        (Policy::GlobalEdf | Policy::PartitionedEdf, Queue::Heap) => order::<Edf>(is_global, task),
        (Policy::GlobalEdf | Policy::PartitionedEdf, Queue::Calendar) => {
            order::<Queued<Edf, InCalendar>>(is_global, task)
        }
        (Policy::GlobalEdf | Policy::PartitionedEdf, Queue::List) => {
            order::<Queued<Edf, List>>(is_global, task)
        }
        (Policy::GlobalRm | Policy::PartitionedRm, Queue::Heap) => order::<Rm>(is_global, task),
        (Policy::GlobalRm | Policy::PartitionedRm, Queue::Calendar) => {
            order::<Queued<Rm, InCalendar>>(is_global, task)
        }
        (Policy::GlobalRm | Policy::PartitionedRm, Queue::List) => {
            order::<Queued<Rm, List>>(is_global, task)
        }
        (Policy::GlobalFp | Policy::PartitionedFp, Queue::Bitmap) => order::<Fp>(is_global, task),
        (Policy::GlobalFp | Policy::PartitionedFp, Queue::List) => {
            order::<Queued<Fp, List>>(is_global, task)
        }
        // The plan was checked.
        _ => Ok(Vec::new()),
    }
}
