//! The same for programs.

use flyball_analysis::sensitivity::{Breakdown, Margin};
use flyball_analysis::{Answer, Utilisation};
use flyball_json::analyse::{
    Analysed, Analysis, Cpu, Effect, Known, OperatingPoints, Partition, Pipeline, Policy, Refusal,
    Server, Task, Test,
};
use flyball_model::TaskSet;
use flyball_report::words;
use flyball_study::assess::{Assessment, Division, ForPolicy};
use flyball_trace::Duration;

/// What is printed of a set that the tests do not cover.
pub(super) fn refusal(
    file: &str,
    not_covered: &str,
    servers: Vec<Server>,
    critical_sections: Vec<String>,
    operating_points: Vec<OperatingPoints>,
    largest_window: Option<Duration>,
    pipeline: Option<Pipeline>,
) -> Analysed {
    Analysed::Refused(Refusal {
        schema: flyball_json::SCHEMA,
        file: file.to_owned(),
        not_covered: not_covered.to_owned(),
        servers,
        critical_sections,
        operating_points,
        largest_window_ns: largest_window.map(Duration::as_nanos),
        pipeline,
    })
}

/// What is printed of another one.
pub(super) fn analysis(
    file: &str,
    set: &TaskSet,
    found: &Assessment,
    servers: Vec<Server>,
    operating_points: Vec<OperatingPoints>,
    largest_window: Option<Duration>,
    pipeline: Option<Pipeline>,
) -> Analysed {
    let name = |&task: &usize| set.tasks[task].name.clone();
    let names: Vec<String> = found.tasks.iter().map(name).collect();
    let policies = found.policies.iter();
    let effects = found.effects.iter().map(|effect| {
        let of = || policies.clone().map(policy_name).zip(&effect.scaling);
        Effect {
            charged: words::charged(effect.charged),
            factors_ppm: of().map(|(name, it)| (name, ppm(it))).collect(),
            factors: of().map(|(name, it)| (name, known(it))).collect(),
        }
    });
    let divided = |division: &Division| partition(division, &names);
    Analysed::Covered(Analysis {
        schema: flyball_json::SCHEMA,
        file: file.to_owned(),
        cpus: found.cpus,
        utilisation_ppm: found.utilisation.parts_per_million(),
        infeasible: (found.infeasible.as_ref()).map(|why| words::no_policy(why, &found.tasks, set)),
        late_ns: found.late.as_nanos(),
        policies: policies
            .clone()
            .map(|it| policy(it, found, set, &names))
            .collect(),
        uncharged: (found.uncharged.iter())
            .map(|it| it.name().to_owned())
            .collect(),
        partition: found.division.as_ref().map(divided),
        cheapest_partition: found.cheapest.as_ref().map(divided),
        overheads: effects.collect(),
        servers,
        operating_points,
        largest_window_ns: largest_window.map(Duration::as_nanos),
        pipeline,
    })
}

fn policy_name(it: &ForPolicy) -> String {
    it.policy.name().to_owned()
}

fn known<T>(margin: &Margin<T>) -> Known {
    match margin {
        Margin::Exactly(_) => Known::Exactly,
        Margin::AtLeast(..) => Known::AtLeast,
        Margin::Nothing => Known::Nothing,
        Margin::NotKnown(_) => Known::NotKnown,
    }
}

fn ppm(breakdown: &Margin<Breakdown>) -> Option<u64> {
    breakdown.proven().map(|it| it.factor.ppm())
}

fn policy(it: &ForPolicy, found: &Assessment, set: &TaskSet, names: &[String]) -> Policy {
    let tests = it.said.iter().map(|said| Test {
        name: said.criterion.name().to_owned(),
        accepts: match said.answer {
            Answer::Accepts => Some(true),
            Answer::Rejects => Some(false),
            Answer::Stopped(_) => None,
        },
        why_not: words::why_not(said, found, set),
    });
    let tasks = names.iter().enumerate().map(|(place, name)| {
        let slack = it.slacks[place].as_ref();
        let proven = slack.and_then(Margin::proven);
        Task {
            name: name.clone(),
            response_bound_ns: it.bounds[place].map(Duration::as_nanos),
            slack_ns: proven.map(|slack| slack.as_nanos()),
            slack: slack.map(known),
        }
    });
    let priorities = it.priorities.as_ref();
    Policy {
        name: policy_name(it),
        holds: it.verdict.holds(),
        verdict: it.verdict.schedulable.name().to_owned(),
        proof: it.verdict.proof.clone(),
        tests: tests.collect(),
        priorities: priorities
            .map(|order| order.iter().map(|&place| names[place].clone()).collect()),
        fewest_cpus: it.fewest.proven,
        open_cpus: it.fewest.open.clone(),
        factor_ppm: ppm(&it.scaling),
        factor: known(&it.scaling),
        tasks: tasks.collect(),
    }
}

fn partition(division: &Division, names: &[String]) -> Partition {
    let cpu = |(cpu, load): (usize, &Utilisation)| {
        let here = division.places.iter().zip(names);
        let here = here.filter(|(place, _)| **place == cpu);
        Cpu {
            utilisation_ppm: load.parts_per_million(),
            tasks: here.map(|(_, name)| name.clone()).collect(),
        }
    };
    Partition {
        fit: division.way.name().to_owned(),
        cpus: division.loads.iter().enumerate().map(cpu).collect(),
    }
}
