//! One verdict from two witnesses: the analysis and the simulation.

use crate::error::StudyError;
use crate::reason::{Doubt, Evidence, Obstacle, Seen};
use crate::results::{Schedulable, Verdict};
use crate::theory::Findings;
use flyball_model::{End, TaskSet};
use flyball_sim::{Deadlock, Outcome};
use flyball_trace::{Duration, Event, Kind, Object, Time};

/// Weighs what is known.
///
/// 1. A miss that was seen is a miss (and if a test rejects the set, it tells more about why).
/// 2. A test that accepts has proved that there is none.
/// 3. A schedule that was seen to repeat itself without a miss has none, even if a test rejects
///    the set for other phases; provided that the jobs computed for as long as they may. That is so
///    with exactly these times; `doubt` says why jobs that compute for less may be another matter,
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
    doubt: Option<Doubt>,
    outcome: &Outcome,
    first_miss: Option<Event>,
) -> Result<Verdict, StudyError> {
    const SIMULATION: Option<&str> = Some("simulation");
    let is_worst = worst_case_runs(set);
    let with_these_times = match doubt {
        Some(_) => Schedulable::ExactTimes,
        None => Schedulable::Always,
    };
    let seen = if let Some(deadlock) = outcome.deadlock {
        deadlocked(set, deadlock)
    } else if outcome.misses > 0 {
        missed(set, first_miss)
    } else if outcome.repeats && is_worst {
        Seen::Repeats { doubt }
    } else {
        let length = outcome.ended.since(Time::ZERO);
        Seen::NoMiss { length, is_worst }
    };
    let findings = theory.as_ref().ok();
    let is_definite = findings.is_some_and(|findings| findings.definite);
    let test = findings.map(|findings| findings.test);
    let (schedulable, proof) = match (&seen, findings.and_then(|findings| findings.holds)) {
        (Seen::Miss { .. } | Seen::Glitch { .. } | Seen::Misses | Seen::Deadlock { .. }, holds) => {
            match holds {
                Some(true) => return Err(contradiction(policy, findings, seen)),
                Some(false) => (Schedulable::Not, test),
                None => (Schedulable::Not, SIMULATION),
            }
        }
        (_, Some(true)) => (Schedulable::Always, test),
        (Seen::Repeats { .. }, Some(false)) if is_definite => {
            return Err(contradiction(policy, findings, seen));
        }
        (Seen::Repeats { .. }, _) => (with_these_times, SIMULATION),
        (Seen::NoMiss { .. }, Some(false)) if is_definite => (Schedulable::Not, test),
        (Seen::NoMiss { .. }, _) => (Schedulable::Unknown, None),
    };
    Ok(verdict(schedulable, proof, seen, false, theory))
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
    let (seen, schedulable, proof) = if first_miss.is_some() {
        let seen = missed(set, first_miss);
        (seen, Schedulable::Not, Some("measurement"))
    } else {
        let is_worst = true;
        let seen = Seen::NoMiss { length, is_worst };
        match theory {
            Ok(findings) if findings.holds == Some(false) && findings.definite => {
                (seen, Schedulable::Not, Some(findings.test))
            }
            _ => (seen, Schedulable::Unknown, None),
        }
    };
    verdict(schedulable, proof, seen, true, theory)
}

fn verdict(
    schedulable: Schedulable,
    proof: Option<&str>,
    seen: Seen,
    measured: bool,
    theory: &Result<Findings, Obstacle>,
) -> Verdict {
    Verdict {
        schedulable,
        proof: proof.map(str::to_owned),
        evidence: Some(Evidence {
            seen,
            measured,
            theory: theory
                .as_ref()
                .map(Findings::statement)
                .map_err(Obstacle::clone),
        }),
    }
}

fn contradiction(policy: &str, findings: Option<&Findings>, seen: Seen) -> StudyError {
    let because = findings.map(|findings| findings.because.clone());
    StudyError::Contradiction {
        policy: policy.to_owned(),
        analysis: Box::new(because.unwrap_or_default()),
        simulation: Box::new(seen),
    }
}

/// Whether every simulated job computed as long as it may.
fn worst_case_runs(set: &TaskSet) -> bool {
    set.tasks.iter().all(|task| {
        flyball_model::behaviour::demand(&task.behaviour)
            .is_ok_and(|demand| demand.compute == task.wcet)
            && flyball_sim::is_fixed(&task.behaviour)
    })
}

fn deadlocked(set: &TaskSet, Deadlock { task, mutex, at }: Deadlock) -> Seen {
    Seen::Deadlock {
        task: set.tasks[task.index()].name.clone(),
        mutex: set.mutexes[usize::from(mutex)].name.clone(),
        at,
    }
}

fn missed(set: &TaskSet, event: Option<Event>) -> Seen {
    let Some(Event { time, kind, .. }) = event else {
        return Seen::Misses;
    };
    let glitch = |end, queue: u16| Seen::Glitch {
        end,
        queue: set.object_name(Object::Queue(queue)).to_owned(),
        at: time,
    };
    let (task, job) = match kind {
        Kind::Miss { task, job } => (task, job),
        Kind::Overrun { queue, .. } => return glitch(End::Source, queue),
        Kind::Underrun { queue, .. } => return glitch(End::Sink, queue),
        _ => return Seen::Misses,
    };
    let task = set.tasks.get(task.index());
    Seen::Miss {
        task: task.map_or("?", |task| &task.name).to_owned(),
        job,
        at: time,
    }
}
