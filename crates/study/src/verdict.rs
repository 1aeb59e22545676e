//! One verdict from two witnesses: the analysis and the simulation.

use crate::error::StudyError;
use crate::results::{Schedulable, Verdict};
use crate::theory::{Findings, Obstacle};
use flyball_model::TaskSet;
use flyball_sim::{Deadlock, Outcome};
use flyball_trace::{Duration, Event, Kind, TaskId};

/// Weighs what is known.
///
/// 1. A miss that was seen is a miss (and if a test rejects the set, it tells more about why).
/// 2. A test that accepts has proved that there is none.
/// 3. A schedule that was seen to repeat itself without a miss has none, even if a test rejects
///    the set for other phases; provided that the jobs computed for as long as they may. That is so
///    with exactly these times; `exact` says why jobs that compute for less may be another matter,
///    and is `None` where they are not (`exact_times.rs`).
/// 4. A test that rejects this very set has proved that there is one.
/// 5. Nothing else is known.
///
/// # Errors
/// [`StudyError::Contradiction`] if both say something definite, and not the same.
pub fn weigh(
    set: &TaskSet,
    policy: &str,
    theory: &Result<Findings, Obstacle>,
    exact: Option<String>,
    outcome: &Outcome,
    first_miss: Option<Event>,
) -> Result<Verdict, StudyError> {
    let findings = theory.as_ref().ok();
    let contradiction = |simulation: String| StudyError::Contradiction {
        policy: policy.to_owned(),
        analysis: findings.map_or(String::new(), |findings| findings.reason.clone()),
        simulation,
    };
    if outcome.misses > 0 || outcome.deadlock.is_some() {
        let seen = match outcome.deadlock {
            Some(deadlock) => describe_deadlock(set, deadlock),
            None => describe_miss(set, first_miss),
        };
        return match findings {
            Some(findings) if findings.holds == Some(true) => Err(contradiction(seen)),
            Some(findings) if findings.holds == Some(false) => {
                let reason = format!("{} (seen: {})", findings.reason, lower(&seen));
                Ok(verdict(Some(false), Some(findings.test), reason))
            }
            _ => Ok(verdict(Some(false), Some("simulation"), seen)),
        };
    }
    if let Some(findings) = findings
        && findings.holds == Some(true)
    {
        return Ok(verdict(
            Some(true),
            Some(findings.test),
            findings.reason.clone(),
        ));
    }
    let whole = worst_case_runs(set);
    if outcome.repeats && whole {
        let mut reason = "The simulated schedule repeats itself without a miss".to_owned();
        if let Some(findings) = findings
            && findings.holds == Some(false)
        {
            if findings.definite {
                return Err(contradiction(reason));
            }
            reason += "; with other phases it might miss: ";
            reason += &findings.reason;
        }
        let mut seen = verdict(Some(true), Some("simulation"), reason);
        if let Some(why) = exact {
            seen.schedulable = Schedulable::ExactTimes;
            seen.reason += " Where a job computes for less, another one might be late: ";
            seen.reason += &why;
            seen.reason += ".";
        }
        return Ok(seen);
    }
    let mut seen = format!("No miss in {}", outcome.ended);
    if !whole {
        seen += ", but jobs may compute for longer than they did";
    }
    match theory {
        Ok(findings) if findings.holds == Some(false) && findings.definite => Ok(verdict(
            Some(false),
            Some(findings.test),
            findings.reason.clone(),
        )),
        Ok(findings) => {
            let reason = format!("{seen}. {}", findings.reason);
            Ok(verdict(None, None, reason))
        }
        Err(obstacle) => {
            let reason = if whole {
                format!("{seen}, which proves nothing about the time after it. {obstacle}")
            } else {
                format!("{seen}. {obstacle}")
            };
            Ok(verdict(None, None, reason))
        }
    }
}

/// Weighs what theory knows and what was seen in `length` of the schedule of a machine, whose
/// kernel's work takes time.
///
/// 1. A miss that was seen is a miss. That theory says otherwise is no contradiction, since it
///    takes the kernel's work to be free.
/// 2. A test that rejects this very set has proved that there is one: the kernel's work only adds
///    to what it counts.
/// 3. Nothing else is known. A test that accepts says nothing about a machine whose kernel takes
///    time.
pub fn weigh_measured(
    set: &TaskSet,
    theory: &Result<Findings, Obstacle>,
    first_miss: Option<Event>,
    length: Duration,
) -> Verdict {
    const MEASURED: &str = "measurement";
    if first_miss.is_some() {
        let mut reason = describe_miss(set, first_miss) + " on the board";
        if let Ok(findings) = theory {
            match findings.holds {
                Some(true) => {
                    reason += ". With a kernel whose work is free it would hold: ";
                    reason += &lower(&findings.reason);
                }
                Some(false) => {
                    reason += ". ";
                    reason += &findings.reason;
                }
                None => {}
            }
        }
        return verdict(Some(false), Some(MEASURED), reason);
    }
    let seen = format!("No miss in {length} on the board");
    match theory {
        Ok(findings) if findings.holds == Some(false) && findings.definite => {
            let reason = format!("{}. {seen}", findings.reason);
            verdict(Some(false), Some(findings.test), reason)
        }
        Ok(findings) if findings.holds == Some(true) => {
            let reason = format!(
                "{seen}. With a kernel whose work is free it would hold: {}",
                lower(&findings.reason)
            );
            verdict(None, None, reason)
        }
        Ok(findings) => verdict(None, None, format!("{seen}. {}", findings.reason)),
        Err(obstacle) => {
            let reason =
                format!("{seen}, which proves nothing about the time after it. {obstacle}");
            verdict(None, None, reason)
        }
    }
}

/// A sentence as the second half of another one.
fn lower(sentence: &str) -> String {
    let mut text = sentence.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

fn verdict(holds: Option<bool>, proof: Option<&str>, reason: String) -> Verdict {
    Verdict {
        schedulable: holds.into(),
        proof: proof.map(str::to_owned),
        reason: reason + ".",
    }
}

/// Whether every simulated job computed as long as it may.
fn worst_case_runs(set: &TaskSet) -> bool {
    set.tasks.iter().all(|task| {
        flyball_model::behaviour::demand(&task.behaviour)
            .is_ok_and(|demand| demand.compute == task.wcet)
    })
}

fn describe_deadlock(set: &TaskSet, deadlock: Deadlock) -> String {
    let Deadlock { task, mutex, at } = deadlock;
    let task = &set.tasks[task.index()].name;
    let mutex = &set.mutexes[usize::from(mutex)].name;
    format!("Deadlock at {at}: \"{task}\" waits for \"{mutex}\", whose owner waits for \"{task}\"")
}

fn describe_miss(set: &TaskSet, event: Option<Event>) -> String {
    let name = |task: TaskId| {
        set.tasks
            .get(task.index())
            .map_or("?", |task| task.name.as_str())
    };
    match event {
        Some(Event {
            time,
            kind: Kind::Miss { task, job },
            ..
        }) => {
            format!(
                "Job {job} of \"{}\" misses its deadline at {time}",
                name(task)
            )
        }
        _ => "A deadline is missed".to_owned(),
    }
}
