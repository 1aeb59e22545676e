//! What a study found, for programs.
//!
//! This is a contract: fields are added, but none is renamed, removed or given another meaning
//! without a new [`SCHEMA`]. Times are whole nanoseconds. `null` means *not known*, never a guess.
//!
//! ```text
//! { "schema": 1, "file": "gap.toml", "cpus": 1, "policies": [
//!     { "policy": "edf", "verdict": "holds", "holds": true, "proof": "processor demand analysis",
//!       "reason": "…",
//!       "breakdown": { "factor_ppm": …, "utilisation_ppm": …, "at_least": false },
//!       "simulated": { "until_ns": …, "jobs": …, "misses": 0, "preemptions": …, "context_switches": …,
//!                      "job_migrations": …, "task_migrations": … },
//!       "tasks": [ { "name": "…", "response_bound_ns": …, "response_max_ns": …, "slack_ns": …,
//!                    "misses": … } ] } ],
//!   "measured": { "machine": "cortex-m3", "policies": [ { "policy": "edf", "same_order": true, … } ] } }
//! ```

mod compared;

use flyball_study::results as study;
use flyball_trace::Duration;
use serde::Serialize;

pub use compared::{Compared, ComparedTask, Difference, compared};

/// The version of the contract.
pub const SCHEMA: u32 = 1;

/// The study as JSON, indented, with a line break at its end.
pub fn to_json(study: &study::Study) -> String {
    // Structs of numbers and strings always have a JSON form.
    let mut text = serde_json::to_string_pretty(&Study::from(study)).unwrap_or_default();
    text.push('\n');
    text
}

/// What `study --json` prints.
#[derive(Serialize, Debug)]
pub struct Study<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The task set's file, as the user named it.
    pub file: &'a str,
    /// Number of CPUs.
    pub cpus: u8,
    /// One entry a policy.
    pub policies: Vec<Policy<'a>>,
    /// What a machine did; only there if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured<'a>>,
}

/// What a machine did with the task set, beside the simulation of just that.
#[derive(Serialize, Debug)]
pub struct Measured<'a> {
    /// The machine's short name.
    pub machine: &'a str,
    /// What it is and what its times mean. The wording is no part of the contract.
    pub title: &'a str,
    /// One entry a policy that the machine has.
    pub policies: Vec<Compared<'a>>,
}

/// One policy; what `simulate --json` prints.
#[derive(Serialize, Debug)]
pub struct Policy<'a> {
    /// The policy's short name.
    pub policy: &'a str,
    /// `"holds"`; `"exact-times"`: with exactly the simulated execution times and arrivals, and
    /// perhaps not where a job computes for less; `"does-not-hold"`; or `"not-known"`.
    pub verdict: &'static str,
    /// Whether all deadlines are met for ever, with all execution times and arrivals that the task
    /// set allows; `null`: not known.
    pub holds: Option<bool>,
    /// The test that proves it, or `"simulation"`; `null` where nothing is proved.
    pub proof: Option<&'a str>,
    /// Why, in a sentence. Its wording is no part of the contract.
    pub reason: &'a str,
    /// By how much all execution times together may grow; `null`: not known.
    pub breakdown: Option<Breakdown>,
    /// What the simulation did.
    pub simulated: Simulated,
    /// One entry a task, in the order of the task set.
    pub tasks: Vec<Task<'a>>,
}

/// Where a task set breaks down.
#[derive(Serialize, Debug)]
pub struct Breakdown {
    /// The largest factor for all execution times with which the set still holds, in millionths.
    pub factor_ppm: u64,
    /// The utilisation then, in millionths.
    pub utilisation_ppm: u64,
    /// Whether it is not known if it holds with more, as the search stopped.
    pub at_least: bool,
}

/// What a simulation did.
#[derive(Serialize, Debug)]
pub struct Simulated {
    /// When it ended.
    pub until_ns: u64,
    /// Jobs completed.
    pub jobs: u64,
    /// Deadlines missed.
    pub misses: u64,
    /// How often a running job lost the CPU to another one.
    pub preemptions: u64,
    /// How often a CPU began to run another task than the one it had run last.
    pub context_switches: u64,
    /// How often a job went on on another CPU than the one where it had run last.
    pub job_migrations: u64,
    /// How often a job began on another CPU than the one where the task's job before had run last.
    pub task_migrations: u64,
}

/// What became of one task.
#[derive(Serialize, Debug)]
pub struct Task<'a> {
    /// Its name.
    pub name: &'a str,
    /// No job can take longer, says the analysis.
    pub response_bound_ns: Option<u64>,
    /// The longest that a job took in the simulation; `null` if none was completed.
    pub response_max_ns: Option<u64>,
    /// By how much its worst-case execution time alone may grow.
    pub slack_ns: Option<u64>,
    /// Deadlines that it missed in the simulation.
    pub misses: u64,
}

impl<'a> From<&'a study::Study> for Study<'a> {
    fn from(study: &'a study::Study) -> Study<'a> {
        Study {
            schema: SCHEMA,
            file: &study.file,
            cpus: study.cpus,
            policies: study.policies.iter().map(Policy::from).collect(),
            measured: study.measured.as_ref().map(|measured| Measured {
                machine: &measured.machine,
                title: &measured.title,
                policies: compared(&measured.policies),
            }),
        }
    }
}

impl<'a> From<&'a study::PolicyReport> for Policy<'a> {
    fn from(report: &'a study::PolicyReport) -> Policy<'a> {
        let study::Simulated {
            until,
            jobs,
            misses,
            preemptions,
            context_switches,
        } = report.simulated;
        Policy {
            policy: &report.policy,
            verdict: report.verdict.schedulable.name(),
            holds: report.verdict.holds(),
            proof: report.verdict.proof.as_deref(),
            reason: &report.verdict.reason,
            breakdown: report.breakdown.map(|found| Breakdown {
                factor_ppm: found.factor_ppm,
                utilisation_ppm: found.utilisation_ppm,
                at_least: found.at_least,
            }),
            simulated: Simulated {
                until_ns: until.as_nanos(),
                jobs,
                misses,
                preemptions,
                context_switches,
                job_migrations: report.summary.job_migrations(),
                task_migrations: report.summary.task_migrations(),
            },
            tasks: report.tasks.iter().map(Task::from).collect(),
        }
    }
}

impl<'a> From<&'a study::TaskReport> for Task<'a> {
    fn from(task: &'a study::TaskReport) -> Task<'a> {
        Task {
            name: &task.name,
            response_bound_ns: task.response_bound.map(Duration::as_nanos),
            response_max_ns: task.measured.response.max().map(Duration::as_nanos),
            slack_ns: task.slack.map(Duration::as_nanos),
            misses: task.measured.misses,
        }
    }
}
