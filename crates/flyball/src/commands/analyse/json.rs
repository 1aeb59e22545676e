//! The same for programs.

use flyball_analysis::Answer;
use flyball_analysis::sensitivity::{Breakdown, Margin};
use flyball_model::TaskSet;
use flyball_study::assess::{Assessment, Division, ForPolicy};
use flyball_trace::Duration;
use serde::Serialize;

/// What `analyse --json` prints. Times are nanoseconds, factors and utilisations millionths.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: u32,
    file: &'a str,
    cpus: u32,
    utilisation_ppm: u64,
    infeasible: Option<&'a str>,
    /// How late a job may be released because of a tick; it is taken off periods and deadlines.
    late_ns: u64,
    policies: Vec<Policy<'a>>,
    /// Policies of which nothing is said, as it is not known what they are to be charged.
    uncharged: Vec<&'static str>,
    partition: Option<Partition<'a>>,
    cheapest_partition: Option<Partition<'a>>,
    overheads: Vec<Effect<'a>>,
}

/// What it prints of a set that the tests do not cover.
#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    schema: u32,
    file: &'a str,
    /// What it is about the set, in a sentence.
    not_covered: &'a str,
}

impl<'a> Refusal<'a> {
    pub(super) fn new(file: &'a str, not_covered: &'a str) -> Refusal<'a> {
        Refusal {
            schema: 1,
            file,
            not_covered,
        }
    }
}

#[derive(Serialize)]
struct Policy<'a> {
    #[serde(rename = "policy")]
    name: &'static str,
    /// `null`: it is not known.
    holds: Option<bool>,
    tests: Vec<Test<'a>>,
    /// Under global fixed priorities: with which it holds, the most urgent task first.
    priorities: Option<Vec<&'a str>>,
    /// The fewest that are known to do.
    fewest_cpus: Option<u32>,
    /// Fewer ones, or any if none are known to do, of which it is not known, as the search stopped.
    open_cpus: &'a [u32],
    /// The largest factor that is proven.
    factor_ppm: Option<u64>,
    /// Whether it is known that no larger one is: `exactly`, `at-least`, `nothing`, `not-known`.
    factor: &'static str,
    tasks: Vec<Task<'a>>,
}

#[derive(Serialize)]
struct Test<'a> {
    #[serde(rename = "test")]
    name: &'static str,
    /// `null`: it was stopped.
    accepts: Option<bool>,
    why_not: Option<&'a str>,
}

#[derive(Serialize)]
struct Task<'a> {
    #[serde(rename = "task")]
    name: &'a str,
    response_bound_ns: Option<u64>,
    /// The largest slack that is proven.
    slack_ns: Option<u64>,
    /// As `factor` of the policy; `null`: it was not asked.
    slack: Option<&'static str>,
}

#[derive(Serialize)]
struct Partition<'a> {
    fit: &'static str,
    cpus: Vec<Cpu<'a>>,
}

#[derive(Serialize)]
struct Cpu<'a> {
    utilisation_ppm: u64,
    tasks: Vec<&'a str>,
}

#[derive(Serialize)]
struct Effect<'a> {
    charged: &'a str,
    factors_ppm: Vec<(&'static str, Option<u64>)>,
    /// As `factor` of each policy.
    factors: Vec<(&'static str, &'static str)>,
}

impl<'a> Document<'a> {
    pub(super) fn new(file: &'a str, set: &'a TaskSet, found: &'a Assessment) -> Document<'a> {
        let names: Vec<&str> = found
            .tasks
            .iter()
            .map(|&task| set.tasks[task].name.as_str())
            .collect();
        let partition = |division: &'a Option<Division>| {
            let division = division.as_ref()?;
            Some(Partition::new(division, &names))
        };
        Document {
            schema: 1,
            file,
            cpus: found.cpus,
            utilisation_ppm: found.utilisation.parts_per_million(),
            infeasible: found.infeasible.as_deref(),
            policies: found
                .policies
                .iter()
                .map(|it| Policy::new(it, found.verdict(it), &names))
                .collect(),
            late_ns: found.late.as_nanos(),
            uncharged: found.uncharged.iter().map(|it| it.name()).collect(),
            partition: partition(&found.division),
            cheapest_partition: partition(&found.cheapest),
            overheads: found
                .effects
                .iter()
                .map(|effect| {
                    let names = found.policies.iter().map(|it| it.policy.name());
                    let of = || names.clone().zip(&effect.scaling);
                    Effect {
                        charged: &effect.charged,
                        factors_ppm: of().map(|(name, it)| (name, ppm(it))).collect(),
                        factors: of().map(|(name, it)| (name, it.name())).collect(),
                    }
                })
                .collect(),
        }
    }
}

fn ppm(breakdown: &Margin<Breakdown>) -> Option<u64> {
    breakdown.proven().map(|it| it.factor.ppm())
}

impl<'a> Policy<'a> {
    fn new(it: &'a ForPolicy, holds: Option<bool>, names: &[&'a str]) -> Policy<'a> {
        let tests = it.said.iter().map(|said| Test {
            name: said.criterion.name(),
            accepts: match said.answer {
                Answer::Accepts => Some(true),
                Answer::Rejects => Some(false),
                Answer::Stopped(_) => None,
            },
            why_not: said.why.as_deref(),
        });
        let tasks = names.iter().enumerate().map(|(place, &name)| {
            let slack = it.slacks[place].as_ref();
            let proven = slack.and_then(Margin::proven);
            Task {
                name,
                response_bound_ns: it.bounds[place].map(Duration::as_nanos),
                slack_ns: proven.map(|slack| slack.as_nanos()),
                slack: slack.map(Margin::name),
            }
        });
        Policy {
            name: it.policy.name(),
            holds,
            tests: tests.collect(),
            priorities: it
                .priorities
                .as_ref()
                .map(|order| order.iter().map(|&place| names[place]).collect()),
            fewest_cpus: it.fewest.proven,
            open_cpus: &it.fewest.open,
            factor_ppm: ppm(&it.scaling),
            factor: it.scaling.name(),
            tasks: tasks.collect(),
        }
    }
}

impl<'a> Partition<'a> {
    fn new(division: &Division, names: &[&'a str]) -> Partition<'a> {
        let cpu = |(cpu, load): (usize, &flyball_analysis::Utilisation)| {
            let here = division.places.iter().zip(names);
            Cpu {
                utilisation_ppm: load.parts_per_million(),
                tasks: here
                    .filter(|(place, _)| **place == cpu)
                    .map(|(_, &name)| name)
                    .collect(),
            }
        };
        Partition {
            fit: division.fit.name(),
            cpus: division.loads.iter().enumerate().map(cpu).collect(),
        }
    }
}
