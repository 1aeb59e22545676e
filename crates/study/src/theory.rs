//! What theory can prove about a task set under a policy.
//!
//! The exact tests of [`flyball_analysis`] are about jobs that compute and do nothing else, on a
//! kernel whose work is free. What a task set has beyond that is an [`Obstacle`], and then only the
//! simulation can tell. One thing beyond it has a theory of its own: mutexes with priority
//! inheritance under fixed priorities lengthen response times by a bounded blocking time.
//!
//! With several CPUs each is a system of its own, and all of them have to hold.

pub mod blocking;
mod clusters;
mod cover;
mod csd;
pub(crate) mod declared_servers;
mod edf;
mod fixed_priority;
mod fixed_servers;
mod guarantee;
mod list;
pub mod one_cpu;
mod proof;
mod scaled;
mod sections;
mod servers;
mod several;
mod split;
mod windows;

pub(crate) use blocking::none as without_mutexes;
pub(crate) use clusters::{Cluster, clusters, with_deadlines};
pub(crate) use cover::{beyond_computing, check_set, check_steps, stays_behind};
pub(crate) use fixed_priority::levels;
pub use guarantee::Guarantee;
pub use one_cpu::OneCpu;
pub use proof::{Effort, Findings};
pub(crate) use sections::{Section, of as sections_of};
pub use split::Splitter;
pub(crate) use split::plan;
pub use windows::largest_window;

use crate::reason::{Because, DEMAND, Obstacle, UTILISATION};
use clusters::{overload, too_dense};
use fixed_priority::FixedPriority;
use flyball_analysis::{gedf, gfp};
use flyball_catalogue::{Entry, Placement};
use flyball_model::{Task, TaskSet};
use flyball_trace::Duration;

/// What is known about a policy.
#[derive(Clone, Copy, Default)]
pub enum Theory {
    /// Nothing: only simulation can tell.
    #[default]
    None,
    /// Each CPU is a system of its own, and this is known of it.
    OneCpu(&'static dyn OneCpu),
    /// All CPUs serve one queue: they cannot be asked for more than there is of them, and whether
    /// less is enough only simulation can tell.
    Global,
    /// The same, and the earliest absolute deadlines are served first.
    GlobalDeadline,
    /// The same of servers, each of which has one task.
    GlobalServers,
    /// All CPUs serve one queue, and each task has a fixed rank, of which the smaller is served first; of equals,
    /// the one that came first.
    GlobalFixed(fn(&Task) -> u64),
    /// All CPUs serve one queue, and each task gets its share of every stretch of time, in slots of
    /// the policy's quantum: it holds whatever asks for no more than all CPUs, in whole slots.
    Fair,
    /// The same on each CPU, and tasks that no CPU has room for are split.
    Split(Splitter),
}

impl Theory {
    /// The names of its tests, as verdicts name what proves them.
    pub fn tests(self) -> Vec<&'static str> {
        match self {
            Theory::None | Theory::Global => Vec::new(),
            Theory::OneCpu(theory) => vec![theory.name()],
            Theory::GlobalDeadline | Theory::GlobalServers => {
                gedf::Test::ALL.map(gedf::Test::name).into()
            }
            Theory::GlobalFixed(_) => gfp::Test::ALL.map(gfp::Test::name).into(),
            Theory::Fair => vec![several::FAIR],
            Theory::Split(_) => vec![split::TEST],
        }
    }

    /// What is known about a policy of the catalogue. A test lists those of which nothing is.
    pub fn of(entry: &Entry) -> Theory {
        match entry.placement {
            Placement::SemiPartitioned(split) => Theory::Split(split::splitter(split)),
            Placement::Assigned | Placement::Partitioned => {
                list::one_cpu(entry.scheduler).map_or(Theory::None, Theory::OneCpu)
            }
            Placement::Clustered | Placement::Global if list::is_edf(entry.scheduler) => {
                Theory::GlobalDeadline
            }
            Placement::Clustered | Placement::Global if list::is_fair(entry.scheduler) => {
                Theory::Fair
            }
            Placement::Global if list::has_servers(entry.scheduler) => Theory::GlobalServers,
            Placement::Clustered | Placement::Global => ranked(entry).unwrap_or(Theory::Global),
        }
    }
}

/// What is known of one queue by fixed ranks.
fn ranked(entry: &Entry) -> Option<Theory> {
    list::ranks(entry.scheduler).map(|ranks| Theory::GlobalFixed(ranks.0))
}

/// Applies `theory` to `set`, with one kernel for each CPU, or one for all of them where the theory
/// is about that; and what holds for every policy: none can serve tasks with deadlines that ask for
/// more than the whole CPU, or for more than all of an interval.
///
/// # Errors
/// [`Obstacle`] if the set has something that the theory does not cover.
pub fn analyse(theory: Theory, set: &TaskSet) -> Result<Findings, Obstacle> {
    let cluster = match theory {
        Theory::None | Theory::OneCpu(_) => 1,
        _ => set.platform.cpus,
    };
    analyse_clusters(theory, set, cluster, None, Effort::FULL)
}

/// The same with `cluster` CPUs to a kernel, and slots of `quantum` where the theory knows such; with so much
/// work.
///
/// # Errors
/// As [`analyse`].
pub fn analyse_clusters(
    theory: Theory,
    set: &TaskSet,
    cluster: u8,
    quantum: Option<Duration>,
    effort: Effort,
) -> Result<Findings, Obstacle> {
    let mut findings = apply(theory, set, cluster, quantum, effort);
    if let Ok(findings) = &mut findings
        && findings.holds != Some(true)
        && set.has_events()
    {
        // Where a deadline is missed a queue may be full, and its sender wait.
        findings.bounds.fill(None);
        findings.slacks.fill(None);
    }
    let is_decided = findings.as_ref().is_ok_and(Findings::is_decided);
    let never = |says: &dyn Fn(&Cluster) -> Option<Because>| {
        clusters(set, cluster).find_map(|cluster| says(&cluster))
    };
    let (test, because) = match never(&|cluster| overload(set, cluster)) {
        // The backlog grows for ever, whatever the phases are.
        Some(because) => (UTILISATION, because),
        None if is_decided => return findings,
        None => {
            let each = effort.verdict.divided(clusters(set, cluster).count());
            match never(&|cluster| too_dense(set, cluster, each)) {
                Some(because) => (DEMAND, because),
                None => return findings,
            }
        }
    };
    let mut findings = findings.unwrap_or_else(|_| Findings::nothing(set.tasks.len()));
    if !(findings.holds == Some(false) && findings.definite) {
        findings.test = test;
    }
    findings.holds = Some(false);
    findings.definite = true;
    findings.because = because;
    Ok(findings)
}

fn apply(
    theory: Theory,
    set: &TaskSet,
    cluster: u8,
    quantum: Option<Duration>,
    effort: Effort,
) -> Result<Findings, Obstacle> {
    let overruns = matches!(theory, Theory::OneCpu(theory) if theory.knows_overruns());
    let covered = cover::check_set(set, overruns);
    match theory {
        Theory::None | Theory::Global => Err(Obstacle::NoTest),
        Theory::OneCpu(theory) => covered.and_then(|()| one_cpu::analyse(theory, set, effort)),
        Theory::GlobalDeadline => covered.and_then(|()| several::global(set, cluster, effort)),
        Theory::GlobalServers => covered.and_then(|()| several::servers(set, cluster, effort)),
        Theory::GlobalFixed(rank) => {
            covered.and_then(|()| several::global_fixed(&FixedPriority(rank), set, cluster, effort))
        }
        Theory::Fair => {
            let quantum = quantum.unwrap_or(Duration::from_millis(1));
            covered.and_then(|()| several::fair(set, quantum))
        }
        Theory::Split(splitter) => covered.and_then(|()| split::analyse(set, splitter)),
    }
}
