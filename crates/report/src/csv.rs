//! What a study found, as a table for spreadsheets and scripts.
//!
//! One row a policy and task. Columns whose names end in `_ns` are whole nanoseconds. An empty cell
//! means *not known*, never zero. As with [`crate::json`], columns may be added, but none changes
//! its name or its meaning.
//!
//! | column | meaning |
//! |---|---|
//! | `policy` | the policy's short name |
//! | `holds`, `proof` | does the whole set hold under it (`true`, `false`), and what proves it |
//! | `task` | the task's name |
//! | `period_ns` | its period, or the least separation of its releases |
//! | `deadline_ns` | its relative deadline |
//! | `wcet_ns` | the most that one job computes; empty for a job without end |
//! | `response_bound_ns` | no job can take longer from release to completion, says the analysis |
//! | `slack_ns` | by how much its worst-case execution time alone may grow |
//! | `released` … `aborted` | jobs released, completed, late, left out and given up |
//! | `response_…_ns` | least, mean and largest time from release to completion |
//! | `response_jitter_ns` | largest less least |
//! | `start_latency_max_ns` | largest time from release to first dispatch |
//! | `tardiness_max_ns` | largest delay after a deadline |
//! | `preemptions` | how often a job lost the CPU to another one |
//! | `cpu_time_ns` | CPU time used |
//! | `response_p50_ns`, `response_p95_ns`, `response_p99_ns` | what so many per cent of the response times are not above ([how](Spread::percentile)) |
//! | `verdict` | `holds`, `exact-times` (with exactly the simulated execution times and arrivals), `does-not-hold` or `not-known` |

use flyball_model::Task;
use flyball_study::results::{PolicyReport, Study, TaskReport};
use flyball_trace::Duration;
#[cfg(doc)]
use flyball_trace::metrics::Spread;

/// The names of the columns.
const COLUMNS: [&str; 26] = [
    "policy",
    "holds",
    "proof",
    "task",
    "period_ns",
    "deadline_ns",
    "wcet_ns",
    "response_bound_ns",
    "slack_ns",
    "released",
    "completed",
    "misses",
    "skipped",
    "aborted",
    "response_min_ns",
    "response_mean_ns",
    "response_max_ns",
    "response_jitter_ns",
    "start_latency_max_ns",
    "tardiness_max_ns",
    "preemptions",
    "cpu_time_ns",
    "verdict",
    "response_p50_ns",
    "response_p95_ns",
    "response_p99_ns",
];

/// The study as CSV (RFC 4180, but with plain line breaks), one row a policy and task.
pub fn to_csv(study: &Study) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Neither writing to memory nor rows of one length can fail.
    let _ = table.write_record(COLUMNS);
    for report in &study.policies {
        for (number, task) in report.tasks.iter().enumerate() {
            let _ = table.write_record(row(report, task, study.set.tasks.get(number)));
        }
    }
    let bytes = table.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn row(report: &PolicyReport, task: &TaskReport, described: Option<&Task>) -> Vec<String> {
    let ns = |length: Option<Duration>| {
        let known = length.filter(|&length| length < Duration::MAX);
        known.map_or_else(String::new, |length| length.as_nanos().to_string())
    };
    let measured = &task.measured;
    let holds = report.verdict.holds().map(|holds| holds.to_string());
    vec![
        report.policy.clone(),
        holds.unwrap_or_default(),
        report.verdict.proof.clone().unwrap_or_default(),
        task.name.clone(),
        ns(described.and_then(|task| task.arrival.period())),
        ns(described.and_then(|task| task.deadline)),
        ns(described.map(|task| task.wcet)),
        ns(task.response_bound),
        ns(task.slack),
        measured.released.to_string(),
        measured.completed.to_string(),
        measured.misses.to_string(),
        measured.skipped.to_string(),
        measured.aborted.to_string(),
        ns(measured.response.min()),
        ns(measured.response.mean()),
        ns(measured.response.max()),
        ns(measured.response.jitter()),
        ns(measured.start_latency.max()),
        ns(Some(measured.tardiness_max)),
        measured.preemptions.to_string(),
        ns(Some(measured.cpu_time)),
        report.verdict.schedulable.name().to_owned(),
        ns(measured.response.percentile(50)),
        ns(measured.response.percentile(95)),
        ns(measured.response.percentile(99)),
    ]
}
