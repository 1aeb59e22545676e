//! The schedulers of the catalogue's policies: what each placement adds to a scheduler.

use crate::erased::{self, Erased, Schedulers};
use crate::settings::Values;
use flyball_analysis::{Fit, Sequence};
use flyball_catalogue::placement::{InCalendar, List, QueueKind};
use flyball_catalogue::{
    Affine, Clustered, Configured, Entry, Placement, Queued, Rule, RuleVisitor, Scheduler, Setting,
    Visitor, visit, visit_rule,
};
use flyball_policy::Order;
use flyball_policy::queue::Dated;

/// The setting of a clustered policy that says how many CPUs a cluster has.
pub const CLUSTER: &str = "cluster";
/// The setting of a partitioned policy that says which CPU a task gets.
pub const PARTITION: &str = "partition";
/// The one that says which task gets its CPU first.
pub const SEQUENCE: &str = "sequence";

/// The names of the heuristics.
const FITS: [&str; 4] = [
    Fit::First.name(),
    Fit::Best.name(),
    Fit::Worst.name(),
    Fit::Next.name(),
];
/// The names of the orders in which tasks are placed.
const SEQUENCES: [&str; 3] = [
    Sequence::Utilisation.name(),
    Sequence::Period.name(),
    Sequence::Given.name(),
];

/// What a placement can be told, beside its scheduler.
fn settings(placement: Placement) -> &'static [Setting] {
    const PARTITIONED: [Setting; 2] = [
        Setting::choice(PARTITION, "which of the CPUs with room a task gets", &FITS),
        Setting::choice(
            SEQUENCE,
            "who gets a CPU first: by falling utilisation, rising period, or as given",
            &SEQUENCES,
        ),
    ];
    const CLUSTERED: [Setting; 1] = [Setting::count(
        CLUSTER,
        "how many CPUs a cluster has; the last one may have fewer",
        2,
    )];
    match placement {
        Placement::Partitioned => &PARTITIONED,
        Placement::Clustered => &CLUSTERED,
        Placement::Assigned | Placement::Global | Placement::SemiPartitioned(_) => &[],
    }
}

/// The schedulers of a policy of the catalogue; `None` if the catalogue lists a scheduler that it
/// does not have, which a test refutes.
pub fn listed(entry: &Entry) -> Option<Schedulers> {
    let placement = entry.placement;
    let mut schedulers = visit(entry.scheduler, placement.shape(), Plain)?;
    // Where there are no orders, there is one scheduler for all CPUs, and that is the plain one.
    let _ = visit_rule(entry.scheduler, Placed(&mut schedulers, placement));
    let own = std::mem::take(&mut schedulers.settings);
    schedulers.settings = [settings(placement), &own].concat();
    if matches!(placement, Placement::Clustered | Placement::Global) {
        add_queues(&mut schedulers, entry.scheduler, placement);
    }
    Some(schedulers)
}

/// A scheduler that configures itself.
struct Plain;

impl Visitor for Plain {
    type Output = Schedulers;

    fn visit<S: Scheduler + 'static>(self) -> Schedulers {
        Schedulers::of::<S>()
    }
}

/// Adds what an order has where several CPUs share it.
struct Placed<'a>(&'a mut Schedulers, Placement);

impl RuleVisitor for Placed<'_> {
    type Output = ();

    fn visit<R: Rule + 'static>(self) {
        let Placed(schedulers, placement) = self;
        match placement {
            Placement::Clustered => schedulers.scheduler = clustered::<R>(),
            Placement::Global => schedulers.affine = Some(erased::of::<Affine<R>>()),
            Placement::Assigned | Placement::Partitioned | Placement::SemiPartitioned(_) => {}
        }
    }
}

/// An order on clusters of as many CPUs as the setting says.
fn clustered<R: Rule + 'static>() -> Box<dyn Erased> {
    erased::by::<Clustered<R>>(|values, tasks| {
        Ok(Clustered {
            rule: R::new(values, tasks)?,
            cpus: cluster(values),
        })
    })
}

/// How many CPUs a cluster has, by its policy's setting.
fn cluster(values: &Values) -> usize {
    // Larger than any platform is all of it.
    usize::try_from(values.integer(CLUSTER)).unwrap_or(usize::MAX)
}

/// Adds a choice of what keeps the tasks that wait, where their keys suit all queues.
fn add_queues(schedulers: &mut Schedulers, scheduler: &str, placement: Placement) {
    use flyball_catalogue::{Dm, Edf, Rm};
    let queues = match scheduler {
        <Edf as Rule>::NAME => queues::<Edf>(placement),
        <Rm as Rule>::NAME => queues::<Rm>(placement),
        <Dm as Rule>::NAME => queues::<Dm>(placement),
        _ => return,
    };
    schedulers.queues = queues.into();
    schedulers.settings.push(Setting::choice(
        "queue",
        "what keeps the tasks that wait; speed depends on it, and no schedule",
        &["heap", "list", "calendar"],
    ));
}

/// The schedulers of an order with other queues than its own.
fn queues<R: Rule + Configured + 'static>(
    placement: Placement,
) -> [(&'static str, Box<dyn Erased>); 2]
where
    <R::Order as Order>::Key: Dated,
{
    fn with<R: Rule + 'static>(placement: Placement) -> Box<dyn Erased> {
        match placement {
            Placement::Clustered => clustered::<R>(),
            _ => erased::of::<Clustered<R>>(),
        }
    }
    fn queue<R: Rule + 'static, Q: QueueKind<<R::Order as Order>::Key> + 'static>(
        placement: Placement,
    ) -> Box<dyn Erased> {
        with::<Queued<R, Q>>(placement)
    }
    [
        ("list", queue::<R, List>(placement)),
        ("calendar", queue::<R, InCalendar>(placement)),
    ]
}
