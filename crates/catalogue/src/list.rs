//! The list of all policies. A new order is a line of [`catalogue!`](self), and everything that
//! runs or names policies has it: the laboratory, the simulator, the images of all machines, the
//! measurements, and the tables of the documentation.

use crate::cruise::Cruise;
use crate::csd::Csd;
use crate::dss::Dss;
use crate::dss_edf::DssEdf;
use crate::fair::{Pd2, Pf};
use crate::ipi::Ipi;
use crate::linux_2_0::Linux20;
use crate::linux_o1::LinuxO1;
use crate::np_edf::NpEdf;
use crate::placement::{Affine, Clustered};
use crate::pp::{GlobalPp, Pp};
use crate::rule::{Dm, Edf, Fifo, Fp, FpRr, Llf, Rm, Rr, Rule};
use crate::scaled::{CcEdf, StaticEdf};
use crate::scheduler::{Scheduler, Shape};
use crate::servers::{
    Bids, Cbs, DeferrableServers, GlobalCbs, GlobalSchedDeadline, Grub, Iris, PollingServers,
    SchedDeadline, SporadicServers, Tbs,
};
use crate::soos::Soos;

/// A policy as the user knows it: a scheduler by name, with its placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name on the command line and in task sets.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The name of its scheduler ([`Scheduler::NAME`]), which several entries may share.
    pub scheduler: &'static str,
    /// Where tasks run.
    pub placement: Placement,
    /// Whether it is another entry of the list by a name that says more.
    pub alias: bool,
    /// Another name by which it is found, and that needs no quotes in a task set.
    pub also: Option<&'static str>,
}

/// Where tasks run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Each task on the CPU that the task set says: the policy of one CPU by its plain name.
    Assigned,
    /// Each task on one CPU, which a heuristic chooses where the task set does not.
    Partitioned,
    /// Each task on any CPU of its cluster.
    Clustered,
    /// Each task on any CPU.
    Global,
    /// As partitioned, but a task that no CPU has room for is split between several.
    SemiPartitioned(Split),
}

/// How a task is split that no CPU has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// EDF-WM: each subtask has a window of the task's deadline.
    Windows,
    /// C=D: each subtask but the last has no slack.
    NoSlack,
}

impl Placement {
    /// How many CPUs share the scheduler.
    pub const fn shape(self) -> Shape {
        match self {
            Placement::Assigned | Placement::Partitioned | Placement::SemiPartitioned(_) => {
                Shape::One
            }
            Placement::Clustered | Placement::Global => Shape::Several,
        }
    }

    /// Its name in a word, a part of the contract of JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Placement::Assigned => "one-cpu",
            Placement::Partitioned => "partitioned",
            Placement::Clustered => "clustered",
            Placement::Global => "global",
            Placement::SemiPartitioned(_) => "semi-partitioned",
        }
    }

    /// Where tasks run, for a reader.
    pub const fn about(self) -> &'static str {
        match self {
            Placement::Assigned => {
                "one CPU; with several, each task has one of its own, as if partitioned"
            }
            Placement::Partitioned => {
                "partitioned: each task has a CPU of its own, which it says or a heuristic chooses"
            }
            Placement::Clustered => {
                "clustered: each task runs on any CPU of its cluster, which it says or a heuristic \
                 chooses"
            }
            Placement::Global => "global: each task runs on any CPU",
            Placement::SemiPartitioned(_) => {
                "semi-partitioned: each task has a CPU of its own, and what no CPU has room for is \
                 split between several"
            }
        }
    }

    /// Where it was published: authors, title, place, section; `None`: it is that of one CPU.
    pub const fn source(self) -> Option<&'static str> {
        Some(match self {
            Placement::Assigned => return None,
            Placement::Partitioned | Placement::Global => {
                "Dhall and Liu, \"On a real-time scheduling problem\", Operations Research 26(1), 1978"
            }
            Placement::Clustered => {
                "Calandrino, Anderson and Baumberger, \"A hybrid real-time scheduling approach for \
                 large-scale multicore platforms\", ECRTS 2007"
            }
            Placement::SemiPartitioned(Split::Windows) => {
                "Kato, Yamasaki and Ishikawa, \"Semi-partitioned scheduling of sporadic task systems \
                 on multiprocessors\", ECRTS 2009"
            }
            Placement::SemiPartitioned(Split::NoSlack) => {
                "Burns, Davis, Wang and Zhang, \"Partitioned EDF scheduling for multiprocessors using \
                 a C=D task splitting scheme\", Real-Time Systems 48(1), 2012"
            }
        })
    }

    /// What tasks say in a task set about where they run.
    pub const fn reads(self) -> &'static [&'static str] {
        match self {
            Placement::Assigned | Placement::Partitioned => &["cpu", "cpus"],
            Placement::Clustered => &["cpu"],
            Placement::Global | Placement::SemiPartitioned(_) => &[],
        }
    }

    /// Whether the scheduler is a policy of one CPU by its plain name.
    pub const fn is_assigned(self) -> bool {
        matches!(self, Placement::Assigned)
    }

    /// Whether tasks may have affinities.
    pub const fn knows_affinities(self) -> bool {
        matches!(self, Placement::Global)
    }
}

/// Is called with a scheduler's type; see [`visit`].
pub trait Visitor {
    /// What it makes of the type.
    type Output;

    /// Is called with the type.
    fn visit<S: Scheduler + 'static>(self) -> Self::Output;
}

/// Is called with the type of an order's scheduler on one CPU; see [`visit_rule`].
pub trait RuleVisitor {
    /// What it makes of the type.
    type Output;

    /// Is called with the type.
    fn visit<R: Rule + 'static>(self) -> Self::Output;
}

/// `prefix` and `name` as one, with a small letter where `name` begins if `lower`.
const fn joined<const N: usize>(prefix: &str, name: &str, lower: bool) -> [u8; N] {
    let (prefix, name) = (prefix.as_bytes(), name.as_bytes());
    let mut joined = [0; N];
    let mut at = 0;
    while at < N {
        joined[at] = if at < prefix.len() {
            prefix[at]
        } else {
            let byte = name[at - prefix.len()];
            if lower && at == prefix.len() {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        at += 1;
    }
    joined
}

/// Two texts as one text, when the program is compiled.
macro_rules! join {
    ($prefix:expr, $name:expr, $lower:literal) => {{
        const BYTES: [u8; $prefix.len() + $name.len()] = joined($prefix, $name, $lower);
        match core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            // Only the first byte of a text is changed, and only if it is an ASCII letter.
            Err(_) => panic!("joined texts are a text"),
        }
    }};
}

/// The policies of an order, with this placement.
macro_rules! placed {
    ($placement:ident, $short:literal, $long:literal, $where:literal, $alias:literal, $($rule:ident)*) => {
        [$(Entry {
            name: join!($short, <$rule as Rule>::NAME, false),
            title: join!($long, <$rule as Rule>::TITLE, true),
            about: join!(<$rule as Rule>::ABOUT, $where, false),
            scheduler: <$rule as Rule>::NAME,
            placement: Placement::$placement,
            alias: $alias,
            also: None,
        }),*]
    };
}

/// Makes the list, and all functions that go through it, from the policies' types.
macro_rules! catalogue {
    (
        // Orders: on one CPU, partitioned, clustered, global, with affinities.
        orders: $($rule:ident)*;
        // Policies of one CPU that are no order.
        one: $($one:ident { $one_title:literal, $one_about:literal })*;
        // Policies of all CPUs that are no order.
        all: $($all:ident { $all_title:literal, $all_about:literal })*;
        // An order on each CPU, with tasks that are split.
        split: $($name:literal: $split:ident $of:ident
            { $split_title:literal, $split_about:literal, $also:expr })*;
    ) => {
        /// All policies, in the order in which they are listed and studied.
        pub const ENTRIES: [&[Entry]; 6] = [
            &[
                $(Entry {
                    name: <$rule as Rule>::NAME,
                    title: <$rule as Rule>::TITLE,
                    about: <$rule as Rule>::ABOUT,
                    scheduler: <$rule as Rule>::NAME,
                    placement: Placement::Assigned,
                    alias: false,
                    also: None,
                },)*
                $(Entry {
                    name: <$one as Scheduler>::NAME,
                    title: $one_title,
                    about: $one_about,
                    scheduler: <$one as Scheduler>::NAME,
                    placement: Placement::Assigned,
                    alias: false,
                    also: None,
                },)*
            ],
            &placed!(Global, "g-", "Global ", ", on whatever CPU", false, $($rule)*),
            &[$(Entry {
                name: <$all as Scheduler>::NAME,
                title: $all_title,
                about: $all_about,
                scheduler: <$all as Scheduler>::NAME,
                placement: Placement::Global,
                alias: false,
                also: None,
            }),*],
            &[$(Entry {
                name: $name,
                title: $split_title,
                about: $split_about,
                scheduler: <$of as Rule>::NAME,
                placement: Placement::SemiPartitioned(Split::$split),
                alias: false,
                also: $also,
            }),*],
            &placed!(
                Clustered, "c-", "Clustered ", ", within a cluster of CPUs for each task", false,
                $($rule)*
            ),
            &placed!(
                Partitioned, "p-", "Partitioned ", ", on a CPU of its own for each task", true,
                $($rule)*
            ),
        ];

        /// Calls `visitor` with the type of the scheduler that has this name and shape, if there is
        /// one.
        pub fn visit<V: Visitor>(name: &str, shape: Shape, visitor: V) -> Option<V::Output> {
            $(if name == <$rule as Rule>::NAME {
                return Some(match shape {
                    Shape::One => visitor.visit::<$rule>(),
                    Shape::Several => visitor.visit::<Clustered<$rule>>(),
                    Shape::Affine => visitor.visit::<Affine<$rule>>(),
                });
            })*
            $(if name == <$one as Scheduler>::NAME && shape == <$one as Scheduler>::SHAPE {
                return Some(visitor.visit::<$one>());
            })*
            $(if name == <$all as Scheduler>::NAME && shape == <$all as Scheduler>::SHAPE {
                return Some(visitor.visit::<$all>());
            })*
            None
        }

        /// Calls `visitor` with the type of the order that has this name, if there is one.
        pub fn visit_rule<V: RuleVisitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$rule as Rule>::NAME {
                return Some(visitor.visit::<$rule>());
            })*
            None
        }

        /// The path of the type that has this name and shape, for a program that is to be written.
        pub fn path(name: &str, shape: Shape) -> Option<&'static str> {
            $(if name == <$rule as Rule>::NAME {
                return Some(match shape {
                    Shape::One => concat!("flyball_catalogue::", stringify!($rule)),
                    Shape::Several => concat!(
                        "flyball_catalogue::Clustered<flyball_catalogue::",
                        stringify!($rule),
                        ">"
                    ),
                    Shape::Affine => concat!(
                        "flyball_catalogue::Affine<flyball_catalogue::",
                        stringify!($rule),
                        ">"
                    ),
                });
            })*
            $(if name == <$one as Scheduler>::NAME && shape == <$one as Scheduler>::SHAPE {
                return Some(concat!("flyball_catalogue::", stringify!($one)));
            })*
            $(if name == <$all as Scheduler>::NAME && shape == <$all as Scheduler>::SHAPE {
                return Some(concat!("flyball_catalogue::", stringify!($all)));
            })*
            None
        }

        $crate::any::any! {
            /// An order with any placement.
            [R: Rule] Placed, PlacedPolicy, PlacedParams {
                One: R,
                Several: Clustered<R>,
                Affine: Affine<R>,
            }
        }

        $crate::any::any! {
            /// Any scheduler for one CPU.
            [] Uniprocessor, UniprocessorPolicy, UniprocessorParams {
                $($rule: $rule,)*
                $($one: $one,)*
            }
        }

        $crate::any::any! {
            /// Any scheduler, for any number of CPUs.
            [] Multiprocessor, MultiprocessorPolicy, MultiprocessorParams {
                $($rule: Placed<$rule>,)*
                $($one: $one,)*
                $($all: $all,)*
            }
        }
    };
}

catalogue! {
    orders: Fp FpRr Rm Dm Edf Llf Rr Fifo;
    one:
        NpEdf { "Non-preemptive EDF", "the nearest absolute deadline first, each job to its end" }
        Csd {
            "CSD",
            "EDF for tasks with short periods; the others behind them, the shortest period first"
        }
        Dss {
            "Double-sorted scheduling",
            "as fp-rr, but equals run group by group, so that the CPU changes seldom from one to another"
        }
        DssEdf {
            "Double-sorted EDF",
            "the nearest absolute deadline first, but those of a window of time run group by group"
        }
        Cruise {
            "Process cruise control",
            "as dss, and each task runs at the lowest frequency at which, by its counters, it loses little"
        }
        StaticEdf {
            "Statically scaled EDF",
            "as edf, at the lowest frequency at which all tasks' worst-case execution times fit"
        }
        CcEdf {
            "Cycle-conserving EDF",
            "as static-edf, but a job that has ended counts with what it used until the next one is released"
        }
        Ipi { "I+PI", "a controller gives each task its share of every round" }
        Cbs {
            "Constant bandwidth servers",
            "a server for each task, with its execution time in every period as a budget; the \
             nearest deadline of a server first"
        }
        SchedDeadline {
            "Linux's SCHED_DEADLINE",
            "as cbs, by Linux's rules: a budget that is used up comes again in the next period"
        }
        Grub {
            "GRUB",
            "as cbs, but a budget lasts longer while other servers have no work"
        }
        Iris {
            "IRIS",
            "as hard cbs, but budgets come again earlier if the CPU would idle (reconstructed)"
        }
        Bids {
            "BIDS",
            "as cbs, but a budget comes later after a job of little importance (reconstructed)"
        }
        Tbs {
            "Total bandwidth servers",
            "as cbs, but a budget is not enforced: a job that computes for too long hurts others"
        }
        PollingServers {
            "Polling servers",
            "a server for each task, with its execution time in every period as a budget, which is \
             lost when there is no work; the shortest deadline first"
        }
        DeferrableServers {
            "Deferrable servers",
            "as polling, but a budget is kept up to the end of the period"
        }
        SporadicServers {
            "Sporadic servers",
            "as polling, but what is used of a budget comes again a period after it could be used"
        }
        Soos {
            "SOOS",
            "a server for each task, as cbs with mode = \"hard\", but work is only seen at slots; the \
             kernel of a paper, with each of its parts a setting"
        }
        LinuxO1 {
            "Linux's O(1) scheduler",
            "time slices by nice value, and a bonus for sleep, by the rules of 2.6.8 or 2.6.11"
        }
        Linux20 {
            "Linux 2.0's scheduler",
            "the most credits first; running costs credits, and a task that waits saves half of them"
        }
        Pp {
            "Proportion-period reservations",
            "a reservation for each task; shares and periods of stages of pipelines set themselves"
        };
    all:
        Pd2 {
            "PD²",
            "each task gets its share of every stretch of time; holds whatever can be held"
        }
        Pf { "PF", "as PD², with ties broken by all windows to come" }
        GlobalCbs {
            "Global constant bandwidth servers",
            "a server for each task, as cbs; the nearest deadlines of servers first, on whatever CPU"
        }
        GlobalSchedDeadline {
            "Linux's SCHED_DEADLINE on all CPUs",
            "as g-cbs, by Linux's rules, and its admission of what all CPUs have room for"
        }
        GlobalPp {
            "Global proportion-period reservations",
            "as pp; the nearest ends of periods first, on whatever CPU"
        };
    split:
        "edf-wm": Windows Edf {
            "Semi-partitioned EDF, EDF-WM",
            "EDF on each CPU; what no CPU has room for runs on several, in a window on each",
            None
        }
        "c=d": NoSlack Edf {
            "Semi-partitioned EDF, C=D",
            "as EDF-WM, but all parts of a split task except the last run at once",
            Some("edf-cd")
        };
}

/// All policies, in the order in which they are listed and studied.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().copied().flatten()
}

/// The policy of that name, or of that other name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name || entry.also == Some(name))
}
