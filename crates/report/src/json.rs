//! The same for programs: results as the documents of [`flyball_json`].

mod compared;

use crate::words;
use flyball_json::study as json;
use flyball_study::results as study;
use flyball_trace::Duration;
use flyball_trace::metrics::Chain;

pub use compared::compared;

/// A document as text, indented, with a line break at its end.
///
/// # Panics
/// If it has a map whose keys are not strings, which no document of [`flyball_json`] has.
pub fn text(document: &impl serde::Serialize) -> String {
    // Structs, lists, numbers and strings always have a JSON form, and memory takes every text.
    let text = serde_json::to_string_pretty(document);
    let mut text = text.expect("a document has a JSON form");
    text.push('\n');
    text
}

/// What `study --json` prints.
pub fn study(study: &study::Study) -> json::Study {
    json::Study {
        schema: flyball_json::SCHEMA,
        file: study.file.clone(),
        cpus: study.cpus,
        policies: study.policies.iter().map(policy).collect(),
        measured: study.measured.as_ref().map(|measured| json::Measured {
            machine: measured.machine.clone(),
            title: measured.title.clone(),
            policies: compared(&measured.policies),
        }),
    }
}

/// What `simulate --json` prints.
pub fn policy(report: &study::PolicyReport) -> json::Policy {
    let study::Simulated {
        until,
        jobs,
        misses,
        preemptions,
        context_switches,
    } = report.simulated;
    json::Policy {
        policy: report.policy.clone(),
        verdict: match report.verdict.schedulable {
            study::Schedulable::Always => json::Verdict::Holds,
            study::Schedulable::ExactTimes => json::Verdict::ExactTimes,
            study::Schedulable::Not => json::Verdict::DoesNotHold,
            study::Schedulable::Unknown => json::Verdict::NotKnown,
        },
        holds: report.verdict.holds(),
        proof: report.verdict.proof.clone(),
        reason: words::verdict(&report.verdict),
        breakdown: report.breakdown.map(|found| json::Breakdown {
            factor_ppm: found.factor_ppm,
            utilisation_ppm: found.utilisation_ppm,
            at_least: found.at_least,
        }),
        simulated: json::Simulated {
            until_ns: until.as_nanos(),
            jobs,
            misses,
            preemptions,
            context_switches,
            job_migrations: report.summary.job_migrations(),
            task_migrations: report.summary.task_migrations(),
            chains: report
                .summary
                .chains
                .iter()
                .map(|it| chain(it, report))
                .collect(),
        },
        tasks: report.tasks.iter().map(task).collect(),
    }
}

fn chain(chain: &Chain, report: &study::PolicyReport) -> json::Chain {
    let tasks = chain
        .tasks
        .iter()
        .filter_map(|task| report.tasks.get(task.index()));
    json::Chain {
        tasks: tasks.map(|task| task.name.clone()).collect(),
        count: chain.latency.count(),
        latency_min_ns: chain.latency.min().map(Duration::as_nanos),
        latency_mean_ns: chain.latency.mean().map(Duration::as_nanos),
        latency_max_ns: chain.latency.max().map(Duration::as_nanos),
    }
}

fn task(task: &study::TaskReport) -> json::Task {
    json::Task {
        name: task.name.clone(),
        response_bound_ns: task.response_bound.map(Duration::as_nanos),
        response_max_ns: task.measured.response.max().map(Duration::as_nanos),
        slack_ns: task.slack.map(Duration::as_nanos),
        misses: task.measured.misses,
    }
}
