//! What is known of one task set: the document of [`flyball_json::analyse`].

mod pipeline;

use crate::words;
use flyball_analysis::sensitivity::{Breakdown, Margin};
use flyball_analysis::supply::Least;
use flyball_analysis::{Answer, Utilisation};
use flyball_json::analyse::{
    Analysed, Analysis, Budget, Cpu, Effect, Known, OperatingPoints, Partition, Policy, Refusal,
    Served, Server, Task, TaskPoint, Test,
};
use flyball_model::{Speeds, TaskSet};
use flyball_study::assess::{Assessment, Division, ForPolicy};
use flyball_study::budgets::{Budgets, ForServer};
use flyball_study::note::Note;
use flyball_study::{SetAnalysis, Slowest};
use flyball_trace::Duration;

/// What `analyse --json` prints.
pub fn analysis(found: &SetAnalysis) -> Analysed {
    match &found.assessment {
        Ok(assessment) => Analysed::Covered(covered(found, assessment)),
        Err(obstacle) => Analysed::Refused(Refusal {
            schema: flyball_json::SCHEMA,
            file: found.file.clone(),
            not_covered: words::obstacle(obstacle),
            servers: servers(&found.set, &found.budgets),
            critical_sections: (found.sections.iter())
                .map(|it| words::note(&Note::Policy(it.clone())))
                .collect(),
            operating_points: operating_points(found),
            largest_window_ns: found.largest_window.map(Duration::as_nanos),
            pipeline: pipeline::pipeline(found),
        }),
    }
}

fn covered(all: &SetAnalysis, found: &Assessment) -> Analysis {
    let set = &all.set;
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
    Analysis {
        schema: flyball_json::SCHEMA,
        file: all.file.clone(),
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
        servers: servers(set, &all.budgets),
        operating_points: operating_points(all),
        largest_window_ns: all.largest_window.map(Duration::as_nanos),
        pipeline: pipeline::pipeline(all),
    }
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

fn servers(set: &TaskSet, found: &Budgets) -> Vec<Server> {
    let name = |&task: &usize| set.tasks[task].name.clone();
    let server = |it: &ForServer| Server {
        name: set.servers[it.server].name.clone(),
        asks_for_ppm: it.asked.parts_per_million(),
        all_ask_for_ppm: it.cpu.map(|cpu| found.asked[cpu].parts_per_million()),
        tasks: (it.tasks.iter())
            .map(|(task, bound)| Served {
                name: name(task),
                response_bound_ns: bound.map(Duration::as_nanos),
            })
            .collect(),
        unbounded: it.free.iter().map(name).collect(),
        budgets: (it.needs.iter())
            .map(|(period, least)| Budget {
                period_ns: period.as_nanos(),
                budget_ns: least.proven().map(|it| it.as_nanos()),
                is_smallest: matches!(least, Least::Exactly(_)),
            })
            .collect(),
    };
    found.servers.iter().map(server).collect()
}

fn operating_points(found: &SetAnalysis) -> Vec<OperatingPoints> {
    let Some(speeds) = &found.set.platform.speeds else {
        return Vec::new();
    };
    let slowest = found.slowest.iter();
    slowest.map(|it| points(&found.set, speeds, it)).collect()
}

fn points(set: &TaskSet, speeds: &Speeds, it: &Slowest) -> OperatingPoints {
    let tasks = set.tasks.iter().zip(it.each.iter().flatten());
    OperatingPoints {
        policy: it.policy.to_owned(),
        test: it.test.to_owned(),
        all: it.all.0,
        all_hertz: speeds.frequency(it.all).as_hertz(),
        tasks: tasks
            .map(|(task, speed)| TaskPoint {
                name: task.name.clone(),
                point: speed.0,
                hertz: speeds.frequency(*speed).as_hertz(),
            })
            .collect(),
    }
}
