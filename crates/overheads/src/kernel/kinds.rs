//! The policies and queues that are measured: those of the catalogue. A queue beside an order's own
//! is a line in `other` and in `OTHERS`.

use super::{Kind, Results, Task, all};
use crate::Error;
use crate::plan::{Policy, Queue};
use core::marker::PhantomData;
use flyball_catalogue::placement::{InCalendar, InHeap, List};
use flyball_catalogue::settings::Defaults;
use flyball_catalogue::{
    Cbs, Clustered, Edf, Entry, Facts, Fp, Placement, Queued, Rm, Rule, RuleVisitor, Scheduler,
    Service, Size, Visitor, visit, visit_rule,
};
use flyball_policy::servers::Reservation;
use flyball_policy::{Duration, Inline, Many, Policy as _, Queue as _};

/// A scheduler on at most `CPUS` CPUs.
struct Of<S, const CPUS: usize>(PhantomData<S>);

impl<S: Scheduler, const CPUS: usize> Kind for Of<S, CPUS> {
    type Policy = S::Policy<Many<1024>, Inline<CPUS>>;

    fn policy(cpus: u8) -> Result<Self::Policy, Error> {
        let cpus = usize::from(cpus).min(CPUS);
        Ok(scheduler::<S>()?.policy(Size::new(crate::plan::MOST_THREADS, cpus)))
    }

    fn params(period: Duration) -> Result<S::Params, Error> {
        Self::told(Facts::periodic(period, Self::wcet(period)))
    }

    fn equals() -> Result<S::Params, Error> {
        let period = Duration::from_millis(10);
        let mut facts = Facts::periodic(period, Self::wcet(period));
        // Servers take no turns, but the threads of one server do.
        facts.service = Service::Shared(0, Reservation::every(period, period));
        Self::told(facts)
    }
}

impl<S: Scheduler, const CPUS: usize> Of<S, CPUS> {
    /// A server has a budget that is not used up in any measurement. All other policies are told of
    /// jobs that take no time, which none refuses.
    fn wcet(period: Duration) -> Duration {
        if <S::Policy<Many<1024>, Inline<CPUS>>>::WANTS.bursts {
            period
        } else {
            Duration::ZERO
        }
    }

    fn told(mut facts: Facts) -> Result<S::Params, Error> {
        let period = facts.period_or_never();
        // As rate monotonic has it, in the levels that there are: one for every 128 µs.
        let level = u8::try_from(period.as_nanos() / 128_000);
        facts.priority = Some(level.map_or(0, |level| u8::MAX - level));
        let values = Defaults(S::TASK_SETTINGS);
        let params = scheduler::<S>()?.params(&facts, &values);
        params.map_err(Error::Missing)
    }
}

/// The scheduler with its settings at their defaults.
fn scheduler<S: Scheduler>() -> Result<S, Error> {
    S::new(&Defaults(S::SETTINGS), &[]).map_err(Error::Settings)
}

/// Measures an order, with one queue for all CPUs or on one CPU.
fn order<R: Rule + 'static>(is_global: bool, task: Task<'_>) -> Result<Results, Error> {
    if is_global {
        all::<Of<Clustered<R>, 8>, Of<Clustered<R>, 1>, 8>(task)
    } else {
        all::<Of<R, 1>, Of<R, 1>, 1>(task)
    }
}

/// The queues for keys that lie in time, beside a ring.
const SORTED: &[Queue] = &[Queue::Heap, Queue::Calendar, Queue::List];

/// The queues that orders are measured with beside their own.
const OTHERS: [(&str, &[Queue]); 3] = [
    (<Edf as Rule>::NAME, SORTED),
    (<Rm as Rule>::NAME, SORTED),
    (<Fp as Rule>::NAME, &[Queue::List]),
];

/// Measures an order with a queue of [`OTHERS`]; `None`: it has no such queue.
fn other(scheduler: &str, queue: Queue, global: bool, task: Task<'_>) -> Option<Measured> {
    Some(match (scheduler, queue) {
        (<Edf as Rule>::NAME, Queue::Heap) => order::<Queued<Edf, InHeap>>(global, task),
        (<Edf as Rule>::NAME, Queue::Calendar) => order::<Queued<Edf, InCalendar>>(global, task),
        (<Edf as Rule>::NAME, Queue::List) => order::<Queued<Edf, List>>(global, task),
        (<Rm as Rule>::NAME, Queue::Heap) => order::<Queued<Rm, InHeap>>(global, task),
        (<Rm as Rule>::NAME, Queue::Calendar) => order::<Queued<Rm, InCalendar>>(global, task),
        (<Rm as Rule>::NAME, Queue::List) => order::<Queued<Rm, List>>(global, task),
        (<Fp as Rule>::NAME, Queue::List) => order::<Queued<Fp, List>>(global, task),
        _ => return None,
    })
}

/// What came out.
type Measured = Result<Results, Error>;

/// Measures a policy with a queue that it can have.
pub(super) fn measure(policy: Policy, queue: Queue, task: Task<'_>) -> Measured {
    let Some(entry) = flyball_catalogue::find(policy.name()) else {
        // There is no policy that the catalogue does not have.
        return Ok(Vec::new());
    };
    let global = policy.is_global();
    let measured = other(entry.scheduler, queue, global, task)
        .or_else(|| visit_rule(entry.scheduler, AsOrder { global, task }))
        .or_else(|| visit(entry.scheduler, entry.placement.shape(), AsOne(task)));
    measured.unwrap_or_else(|| Ok(Vec::new()))
}

/// Measures an order with its own queue.
struct AsOrder<'a> {
    global: bool,
    task: Task<'a>,
}

impl RuleVisitor for AsOrder<'_> {
    type Output = Measured;

    fn visit<R: Rule + 'static>(self) -> Measured {
        order::<R>(self.global, self.task)
    }
}

/// Measures a scheduler of one CPU that is no order.
struct AsOne<'a>(Task<'a>);

impl Visitor for AsOne<'_> {
    type Output = Measured;

    fn visit<S: Scheduler + 'static>(self) -> Measured {
        all::<Of<S, 1>, Of<S, 1>, 1>(self.0)
    }
}

/// Whether a policy of the catalogue can be measured.
pub(crate) fn is_measured(entry: &Entry) -> bool {
    struct ActsByItself;
    impl Visitor for ActsByItself {
        type Output = bool;

        fn visit<S: Scheduler + 'static>(self) -> bool {
            let wants = <S::Policy<Inline<1>, Inline<1>>>::WANTS;
            // Soft servers do so only when a budget is used up.
            (wants.alarms || wants.bursts) && S::NAME != Cbs::NAME
        }
    }
    let is_placed = !matches!(
        entry.placement,
        Placement::Clustered | Placement::SemiPartitioned(_)
    );
    is_placed && visit(entry.scheduler, entry.placement.shape(), ActsByItself) == Some(false)
}

/// The queues that a policy can be measured with, the one that suits it best first.
pub(crate) fn queues(entry: &Entry) -> Vec<Queue> {
    struct OwnQueue;
    impl RuleVisitor for OwnQueue {
        type Output = Option<Queue>;

        fn visit<R: Rule + 'static>(self) -> Option<Queue> {
            Queue::find(R::Queue::<Inline<1>>::NAME)
        }
    }
    let own = visit_rule(entry.scheduler, OwnQueue).flatten();
    let others = OTHERS.iter().find(|(name, _)| *name == entry.scheduler);
    let others = others.map_or(&[][..], |(_, queues)| queues);
    [&[own.unwrap_or(Queue::Own)], others].concat()
}
