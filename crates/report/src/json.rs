//! The same for programs: results as the documents of [`flyball_json`].

mod analysis;
mod compared;

use crate::words::{self, utilisation};
use flyball_json::study as json;
use flyball_json::task::TaskNumbers;
use flyball_model::{Task, TaskSet};
use flyball_study::results as study;
use flyball_study::results::{Energy, SpeedUse};
use flyball_trace::metrics::{Chain, QueueSummary, TaskSummary};
use flyball_trace::{Duration, Kind, TaskId};

pub use analysis::analysis;
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

/// What `study --json` and `simulate --json` print.
pub fn study(study: &study::Study) -> json::Study {
    json::Study {
        schema: flyball_json::SCHEMA,
        file: study.file.clone(),
        name: study.set.name.clone(),
        cpus: study.cpus,
        utilisation_ppm: utilisation(&study.set).parts_per_million(),
        hyperperiod_ns: study.set.hyperperiod().map(Duration::as_nanos),
        policies: study
            .policies
            .iter()
            .map(|report| policy(report, &study.set))
            .collect(),
        notes: study.notes.iter().map(words::note).collect(),
        measured: study.measured.as_ref().map(|measured| json::Measured {
            machine: measured.machine.clone(),
            title: measured.title.clone(),
            policies: compared(&measured.policies),
            notes: measured.notes.iter().map(words::note).collect(),
        }),
    }
}

fn policy(report: &study::PolicyReport, set: &TaskSet) -> json::Policy {
    let study::Simulated {
        until,
        jobs,
        misses,
        preemptions,
        context_switches,
        group_changes,
    } = report.simulated;
    let tasks = report.tasks.iter().zip(&set.tasks);
    json::Policy {
        policy: report.policy.clone(),
        title: report.title.clone(),
        settings: report.settings.iter().cloned().collect(),
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
            group_changes,
            job_migrations: report.summary.job_migrations(),
            task_migrations: report.summary.task_migrations(),
            busy_ppm: report.summary.utilisation_ppm(),
            chains: report
                .summary
                .chains
                .iter()
                .map(|it| chain(it, report))
                .collect(),
            queues: queues(report, set),
            paths: paths(report, set),
            reservations: reservations(report),
            speeds: report.speeds.as_ref().map(|used| speeds(used, set)),
        },
        tasks: tasks.map(|(report, set)| task(report, set)).collect(),
        notes: report.notes.iter().map(words::note).collect(),
    }
}

fn speeds(used: &SpeedUse, set: &TaskSet) -> json::Speeds {
    let energy = used.energy();
    let of_task = |task: usize| used.of_task(TaskId::from_index(task)).joules();
    let cpus = used.cpus.iter().map(|cpu| json::CpuSpeeds {
        adjustments: cpu.adjustments,
        changing_ns: cpu.changing.as_nanos(),
        at_ns: cpu.at.iter().map(|at| at.as_nanos()).collect(),
        kernel_j: cpu.kernel.map(Energy::joules),
        idle_j: cpu.idle.map(Energy::joules),
    });
    json::Speeds {
        adjustments: used.adjustments(),
        cpus: cpus.collect(),
        energy_j: energy.map(|(busy, _)| busy.joules()),
        energy_with_idle_j: energy.map(|(_, all)| all.joules()),
        tasks_j: energy.map(|_| (0..set.tasks.len()).map(of_task).collect()),
    }
}

fn queues(report: &study::PolicyReport, set: &TaskSet) -> Vec<json::Queue> {
    let sums = &report.summary.queues;
    if sums.iter().all(QueueSummary::is_unused) {
        return Vec::new();
    }
    let ns = |length: Option<Duration>| length.map(Duration::as_nanos);
    let queues = set
        .queues
        .iter()
        .zip(sums)
        .map(|(queue, sums)| json::Queue {
            name: queue.name.clone(),
            capacity: queue.capacity,
            highest: sums.highest,
            put: sums.put,
            overruns: sums.overruns,
            lost: sums.lost,
            underruns: sums.underruns,
            missing: sums.missing,
            stalls: sums.stalls,
            stalled_ns: sums.stalled.as_nanos(),
            full_stalls: sums.full_stalls,
            full_stalled_ns: sums.full_stalled.as_nanos(),
            delay_min_ns: ns(sums.delay.min()),
            delay_mean_ns: ns(sums.delay.mean()),
            delay_max_ns: ns(sums.delay.max()),
            delay_deviation_ns: ns(sums.delay.deviation()),
            interval_mean_ns: ns(sums.intervals.mean()),
            interval_deviation_ns: ns(sums.intervals.deviation()),
        });
    queues.collect()
}

fn paths(report: &study::PolicyReport, set: &TaskSet) -> Vec<json::MessagePath> {
    let ns = |length: Option<Duration>| length.map(Duration::as_nanos);
    let paths = report.summary.paths.iter();
    let paths = paths.map(|path| json::MessagePath {
        queues: words::queues(path, set).map(str::to_owned).collect(),
        count: path.latency.count(),
        latency_min_ns: ns(path.latency.min()),
        latency_mean_ns: ns(path.latency.mean()),
        latency_deviation_ns: ns(path.latency.deviation()),
        latency_max_ns: ns(path.latency.max()),
    });
    paths.collect()
}

fn reservations(report: &study::PolicyReport) -> Vec<json::Reservation> {
    let name = |task: TaskId| {
        let task = report.tasks.get(task.index());
        task.map_or_else(String::new, |task| task.name.clone())
    };
    let all = report.summary.reservations.iter();
    let all = all.map(|it| json::Reservation {
        task: name(it.task),
        share_first_ppm: Kind::share_ppm(it.first),
        share_min_ppm: Kind::share_ppm(it.least),
        share_mean_ppm: Kind::share_ppm(it.mean),
        share_max_ppm: Kind::share_ppm(it.most),
        share_last_ppm: Kind::share_ppm(it.last),
        period_min_ns: it.shortest.as_nanos(),
        period_max_ns: it.longest.as_nanos(),
        period_last_ns: it.period.as_nanos(),
        reduced: it.reduced,
    });
    all.collect()
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

fn task(report: &study::TaskReport, task: &Task) -> json::Task {
    json::Task {
        name: report.name.clone(),
        deadline_ns: task.deadline.map(Duration::as_nanos),
        response_bound_ns: report.response_bound.map(Duration::as_nanos),
        slack_ns: report.slack.map(Duration::as_nanos),
        numbers: numbers(&report.measured),
    }
}

/// What was counted and measured of one task.
pub fn numbers(sums: &TaskSummary) -> TaskNumbers {
    let ns = |length: Option<Duration>| length.map(Duration::as_nanos);
    let response = &sums.response;
    TaskNumbers {
        released: sums.released,
        completed: sums.completed,
        misses: sums.misses,
        skipped: sums.skipped,
        aborted: sums.aborted,
        preemptions: sums.preemptions,
        job_migrations: sums.job_migrations,
        task_migrations: sums.task_migrations,
        response_min_ns: ns(response.min()),
        response_mean_ns: ns(response.mean()),
        response_p50_ns: ns(response.percentile(50)),
        response_p95_ns: ns(response.percentile(95)),
        response_p99_ns: ns(response.percentile(99)),
        response_max_ns: ns(response.max()),
        start_latency_max_ns: ns(sums.start_latency.max()),
        tardiness_max_ns: sums.tardiness_max.as_nanos(),
        cpu_time_ns: sums.cpu_time.as_nanos(),
    }
}
