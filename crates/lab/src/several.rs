//! The usual policies on several CPUs, by the names that the field has for them.
//!
//! | name | who shares a queue | which task runs where |
//! |---|---|---|
//! | `p-…` | nobody: *partitioned* | each task has a CPU |
//! | `c-…` | a few CPUs each: *clustered* | each task has a cluster |
//! | `g-…` | all CPUs: *global* | anywhere |
//!
//! A policy's plain name is partitioned, too; its P-name says so and can be told how tasks are divided.

use crate::registry::Entry;
use crate::settings::{Parameter, Values};
use crate::theory::Theory;
use flyball_analysis::{Fit, Sequence};
use flyball_model::Task;
use flyball_policy::queue::Dated;
use flyball_policy::{Boxed, Calendar, Order, SortedList};
use flyball_sim::Scheduler;
use flyball_sim::schedulers::{
    Affine, Clustered, Dm, Edf, Fifo, Fp, FpRr, Llf, Pd2, Pf, Queued, Rm, Rr, Rule,
};
use flyball_trace::Duration;

/// The setting of a clustered policy that says how many CPUs a cluster has.
pub(crate) const CLUSTER: &str = "cluster";
/// The setting of a partitioned policy that says which CPU a task gets.
pub(crate) const PARTITION: &str = "partition";
/// The one that says which task gets its CPU first.
pub(crate) const SEQUENCE: &str = "sequence";

/// An order's three policies, partitioned, clustered and global, in words.
struct Names {
    /// On the command line.
    short: [&'static str; 3],
    titles: [&'static str; 3],
    about: [&'static str; 3],
}

/// [`Names`] of an order from its own name, title and rule.
macro_rules! names {
    ($name:literal, $title:literal, $rule:literal) => {
        Names {
            short: [
                concat!("p-", $name),
                concat!("c-", $name),
                concat!("g-", $name),
            ],
            titles: [
                concat!("Partitioned ", $title),
                concat!("Clustered ", $title),
                concat!("Global ", $title),
            ],
            about: [
                concat!($rule, ", on a CPU of its own for each task"),
                concat!($rule, ", within a cluster of CPUs for each task"),
                concat!($rule, ", on whatever CPU"),
            ],
        }
    };
}

/// An order's policies, partitioned, clustered and global. `theory`: what is known of the first, and of
/// the others.
fn family<R: Rule + Scheduler + 'static>(
    names: &Names,
    quantum: Option<&Parameter>,
    theory: [Theory; 2],
    rule: impl Fn(&Values) -> R + Clone + 'static,
) -> [Entry; 3] {
    let [p, c, g] = names.short;
    let [partitioned, clustered, global] = names.titles;
    let [own, within, anywhere] = names.about;
    let [alone, together] = theory;
    let (rule_of_cluster, rule_of_all, rule_of_some) = (rule.clone(), rule.clone(), rule.clone());
    let entries = [
        Entry::new(p, partitioned, own, rule)
            .with_theory(alone)
            .with_parameter(Parameter::choice(
                PARTITION,
                "which of the CPUs with room a task gets",
                &FITS,
            ))
            .with_parameter(Parameter::choice(
                SEQUENCE,
                "who gets a CPU first: by falling utilisation, rising period, or as given",
                &SEQUENCES,
            ))
            .as_alias(),
        Entry::new(c, clustered, within, move |values| Clustered {
            rule: rule_of_cluster(values),
            cpus: of_cluster(values),
        })
        .with_theory(together)
        .with_parameter(Parameter::integer(
            CLUSTER,
            "how many CPUs a cluster has; the last one may have fewer",
            2,
        ))
        .with_check(|values| match values.integer(CLUSTER) {
            0 => Err("`cluster` is 0, and has to be at least 1".to_owned()),
            _ => Ok(()),
        }),
        Entry::new(g, global, anywhere, move |values| {
            Clustered::global(rule_of_all(values))
        })
        .with_affinities(move |values| Affine(rule_of_some(values)))
        .with_theory(together),
    ];
    entries.map(|entry| {
        let entry = entry.for_several_cpus();
        match quantum {
            Some(quantum) => entry.with_parameter(quantum.clone()),
            None => entry,
        }
    })
}

/// What a rule orders tasks by.
type Key<R> = <<R as Rule>::Order as Order>::Key;

/// A family with a choice of what keeps the tasks that wait, where CPUs share them.
fn queued<R: Rule + Copy + 'static>([own, within, anywhere]: [Entry; 3], rule: R) -> [Entry; 3]
where
    Key<R>: Dated,
{
    fn choice<R: Rule + Copy + 'static>(
        entry: Entry,
        rule: R,
        cpus: impl Fn(&Values) -> usize + Copy + 'static,
    ) -> Entry
    where
        Key<R>: Dated,
    {
        let about = "what keeps the tasks that wait; speed depends on it, and no schedule";
        entry
            .with_parameter(Parameter::choice(
                "queue",
                about,
                &["heap", "list", "calendar"],
            ))
            .with_queue("list", move |values| Clustered {
                rule: Queued::<R, SortedList<Key<R>, Boxed>>::new(rule),
                cpus: cpus(values),
            })
            .with_queue("calendar", move |values| Clustered {
                rule: Queued::<R, Calendar<Key<R>, Boxed>>::new(rule),
                cpus: cpus(values),
            })
    }
    [
        own,
        choice(within, rule, of_cluster),
        choice(anywhere, rule, |_| usize::MAX),
    ]
}

/// How many CPUs a cluster has, by its policy's setting.
fn of_cluster(values: &Values) -> usize {
    usize::try_from(values.integer(CLUSTER)).unwrap_or(usize::MAX)
}

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

/// The orders, each with its three policies.
fn families() -> [[Entry; 3]; 8] {
    let turn = quantum("how long a turn is", 10);
    let step = quantum("how long a job runs before laxities are compared again", 1);
    let period = |task: &Task| task.arrival.period().map_or(u64::MAX, Duration::as_nanos);
    let deadline = |task: &Task| task.deadline.map_or(u64::MAX, Duration::as_nanos);
    let priority = |task: &Task| u64::MAX - u64::from(task.priority.unwrap_or(0));
    let fixed = |rank: fn(&Task) -> u64| [Theory::FixedPriority(rank), Theory::Global];
    let unknown = [Theory::None, Theory::Global];
    [
        family(
            &names!("fp", "fixed priorities", "the largest priorities first"),
            None,
            fixed(priority),
            |_| Fp,
        ),
        family(
            &names!(
                "fp-rr",
                "fixed priorities, round robin among equals",
                "the largest priorities first, equals in turn"
            ),
            Some(&turn),
            unknown,
            |values| FpRr {
                quantum: values.duration("quantum"),
            },
        ),
        queued(
            family(
                &names!("rm", "rate monotonic", "the shortest periods first"),
                None,
                fixed(period),
                |_| Rm,
            ),
            Rm,
        ),
        queued(
            family(
                &names!(
                    "dm",
                    "deadline monotonic",
                    "the shortest relative deadlines first"
                ),
                None,
                fixed(deadline),
                |_| Dm,
            ),
            Dm,
        ),
        queued(
            family(
                &names!(
                    "edf",
                    "earliest deadline first",
                    "the nearest deadlines first"
                ),
                None,
                [Theory::EarliestDeadline, Theory::GlobalDeadline],
                |_| Edf,
            ),
            Edf,
        ),
        family(
            &names!(
                "llf",
                "least laxity first",
                "the jobs that could wait the shortest time first"
            ),
            Some(&step),
            unknown,
            |values| Llf {
                quantum: values.duration("quantum"),
            },
        ),
        family(
            &names!("rr", "round robin", "everyone takes turns"),
            Some(&turn),
            unknown,
            |values| Rr {
                quantum: values.duration("quantum"),
            },
        ),
        family(
            &names!(
                "fifo",
                "first in, first out",
                "whoever became ready first, to the end"
            ),
            None,
            unknown,
            |_| Fifo,
        ),
    ]
}

/// All policies for several CPUs: global ones first, as far as they are studied.
pub(crate) fn entries() -> Vec<Entry> {
    let (mut partitioned, mut clustered, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for [p, c, g] in families() {
        partitioned.push(p);
        clustered.push(c);
        all.push(g);
    }
    all.extend([
        fair(
            "pd2",
            "PD²",
            "each task gets its share of every stretch of time; holds whatever can be held",
            |quantum| Pd2 { quantum },
        ),
        fair(
            "pf",
            "PF",
            "as PD², with ties broken by all windows to come",
            |quantum| Pf { quantum },
        ),
    ]);
    all.into_iter()
        .chain(crate::semi::entries())
        .chain(clustered)
        .chain(partitioned)
        .collect()
}

/// Fairness in slots of a quantum.
fn fair<S: Scheduler + 'static>(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    make: impl Fn(Duration) -> S + Clone + 'static,
) -> Entry {
    Entry::new(name, title, about, move |values| {
        make(values.duration("quantum"))
    })
    .with_theory(Theory::Fair)
    .with_parameter(quantum(
        "how long a slot is; periods and execution times should be whole slots",
        1,
    ))
    .for_several_cpus()
}

/// A length of time after which the policy looks again.
fn quantum(about: &'static str, milliseconds: u64) -> Parameter {
    Parameter::duration("quantum", about, Duration::from_millis(milliseconds))
}
