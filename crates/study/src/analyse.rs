//! All that is known of one task set: what its analyses say, and what there is to say of its servers, its operating
//! points, its groups and its pipeline.

use crate::about_sections::about_sections;
use crate::assess::{Assessment, Charge, Refused, assess};
use crate::budgets::{Budgets, budgets};
use crate::charges::Charges;
use crate::error::StudyError;
use crate::note::AboutPolicy;
use crate::pipeline::{PipelineNeeds, pipeline_needs};
use crate::reason::Obstacle;
use crate::registry::Registry;
use crate::slowest::{Slowest, slowest};
use crate::theory::{Effort, largest_window};
use flyball_analysis::WorkLimit;
use flyball_analysis::charged::Accounting;
use flyball_analysis::criterion::{Payer, Policy};
use flyball_analysis::pipeline::{Capacities, capacities};
use flyball_model::TaskSet;
use flyball_trace::Duration;

/// What is asked about a set.
#[derive(Clone, Debug)]
pub struct AnalyseOptions {
    /// Number of CPUs, instead of the platform's.
    pub cpus: Option<u8>,
    /// The kernel's work that was measured, instead of the platform's.
    pub overheads: Option<Charges>,
    /// How it is charged.
    pub accounting: Accounting,
    /// How long messages of a pipeline may be in queues.
    pub latency: Option<Duration>,
    /// How much work each test may do.
    pub limit: WorkLimit,
}

impl Default for AnalyseOptions {
    fn default() -> AnalyseOptions {
        AnalyseOptions {
            cpus: None,
            overheads: None,
            accounting: Accounting::Interrupts,
            latency: None,
            limit: Effort::FULL.verdict,
        }
    }
}

/// What is known of a set.
#[derive(Clone, Debug)]
pub struct SetAnalysis {
    /// What the set is called in messages: its file.
    pub file: String,
    /// The set, on the CPUs that were asked about.
    pub set: TaskSet,
    /// What the tests say; or what the set has that they do not cover.
    pub assessment: Result<Assessment, Obstacle>,
    /// What its servers hold.
    pub budgets: Budgets,
    /// By how much critical sections of other tasks hurt constant bandwidth servers, where the tests do not cover the set.
    pub sections: Vec<AboutPolicy>,
    /// How slow CPUs may be, under each policy that is known to hold it.
    pub slowest: Vec<Slowest>,
    /// The longest window of deadlines with which `dss-edf` is known to hold it.
    pub largest_window: Option<Duration>,
    /// What its pipeline needs on the average, if it has one.
    pub pipeline: Option<PipelineNeeds>,
    /// The latency that was asked for, and the capacities of queues that it takes.
    pub capacities: Option<(Duration, Capacities)>,
}

impl SetAnalysis {
    /// Whether a policy is known to hold the set.
    pub fn holds(&self) -> bool {
        let policies = self.assessment.iter().flat_map(|found| &found.policies);
        policies
            .into_iter()
            .any(|it| it.verdict.holds() == Some(true))
    }
}

/// Finds out what is known of `set`, which messages call `file`. `watch` is told often, from several threads, which policy is
/// looked at.
///
/// # Errors
/// [`StudyError`], if a simulation contradicts a test: a fault in Flyball.
pub fn analyse(
    registry: &Registry,
    file: &str,
    mut set: TaskSet,
    options: &AnalyseOptions,
    watch: &(dyn Fn(Policy) + Sync),
) -> Result<SetAnalysis, StudyError> {
    if let Some(cpus) = options.cpus {
        set.platform.cpus = cpus;
    }
    let limit = options.limit;
    let charge = charge(&set, options.overheads.as_ref(), options.accounting);
    let cpus = set.platform.cpus.max(1).into();
    let assessment = match assess(registry, &set, cpus, charge.as_ref(), limit, watch) {
        Ok(found) => Ok(found),
        Err(Refused::NotCovered(obstacle)) => Err(obstacle),
        Err(Refused::Contradiction(error)) => return Err(error),
    };
    let sections = match assessment {
        Ok(_) => Vec::new(),
        Err(_) => sections(registry, file, &set),
    };
    let effort = Effort {
        verdict: limit,
        ..Effort::FULL
    };
    let pipeline = pipeline_needs(&set);
    let capacities = options.latency.zip(pipeline.as_ref());
    let capacities = capacities.and_then(|(latency, found)| {
        let seconds = std::time::Duration::from_nanos(latency.as_nanos()).as_secs_f64();
        let sized = capacities_of(found, seconds)?;
        Some((latency, sized))
    });
    Ok(SetAnalysis {
        file: file.to_owned(),
        assessment,
        budgets: budgets(&set, limit),
        sections,
        slowest: slowest(registry, file, &set, effort),
        largest_window: largest_window(&set, limit),
        pipeline,
        capacities,
        set,
    })
}

fn capacities_of(found: &PipelineNeeds, seconds: f64) -> Option<Capacities> {
    capacities(&found.pipeline, &found.needs, seconds).ok()
}

/// What there is to say of constant bandwidth servers; nothing for a set whose settings a study refuses.
fn sections(registry: &Registry, file: &str, set: &TaskSet) -> Vec<AboutPolicy> {
    let Ok(entry) = registry.find("cbs") else {
        return Vec::new();
    };
    let values = entry.values(file, set);
    values.map_or_else(|_| Vec::new(), |values| about_sections(entry, &values, set))
}

/// The kernel's work: what was measured, or else the platform's own, if it costs anything.
fn charge(set: &TaskSet, measured: Option<&Charges>, accounting: Accounting) -> Option<Charge> {
    let tick = set.platform.tick;
    if let Some(measured) = measured {
        return Some(Charge {
            tick,
            ..measured.charge(accounting)
        });
    }
    let own = &set.platform.overheads;
    (!own.are_free()).then(|| Charge {
        accounting,
        overheads: Payer::ALL.map(|_| Some(own.clone())),
        tick,
    })
}
