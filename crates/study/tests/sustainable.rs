//! "Holds" is a promise about every execution time and every arrival that the task set allows, and
//! not about the simulated ones only.

use crate::common;

use common::config;
use flyball_model::{
    Arrival, Cost, Format, Length, Mutex, Overheads, Platform, Protocol, Semaphore, Settings, Step,
    Task, TaskSet, Value,
};
use flyball_study::reason::{Doubt, Seen, Uncovered};
use flyball_study::results::{PolicyReport, Schedulable, Study};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::{Duration, Time};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(set: &TaskSet, options: &StudyOptions) -> Result<Study, flyball_study::StudyError> {
    let options = StudyOptions {
        keep: 0,
        ..options.clone()
    };
    let registry = Registry::standard();
    study(&registry, "set.toml", set.clone(), &options, &mut |_| {
        ControlFlow::Continue(())
    })
}

fn under(policy: &str, text: &str) -> PolicyReport {
    let text = format!("schema = 1\n{text}");
    let set = flyball_model::read_str(&text, Format::Toml, "test").expect("the set is right");
    let options = StudyOptions {
        policies: vec![policy.into()],
        ..StudyOptions::default()
    };
    let study = studied(&set, &options).expect("it can be studied");
    study
        .policies
        .into_iter()
        .next()
        .expect("one was asked for")
}

/// Four tasks under global round robin; the last one computes for `last` ms.
fn time_slices(last: u64) -> String {
    let task = |(wcet, period, deadline, phase): (u64, u64, u64, u64)| {
        format!(
            "[[task]]\nwcet = \"{wcet}ms\"\nperiod = \"{period}ms\"\ndeadline = \"{deadline}ms\"\n\
             phase = \"{phase}ms\"\n"
        )
    };
    let tasks = [(1, 8, 4, 0), (2, 8, 2, 5), (4, 6, 6, 4), (last, 12, 12, 1)].map(task);
    format!(
        "[platform]\ncpus = 2\n[policies.g-rr]\nquantum = \"1ms\"\n{}",
        tasks.concat()
    )
}

/// When the first miss is seen.
fn missed_at(report: &PolicyReport) -> Option<Time> {
    match report.verdict.evidence.as_ref()?.seen {
        Seen::Miss { at, .. } => Some(at),
        _ => None,
    }
}

#[test]
fn a_shorter_job_moves_the_turns_of_others() {
    let long = under("g-rr", &time_slices(4));
    assert_eq!(long.simulated.misses, 0);
    assert_eq!(
        long.verdict.schedulable,
        Schedulable::ExactTimes,
        "{:?}",
        long.verdict
    );
    assert_eq!(long.verdict.holds(), None);
    let short = under("g-rr", &time_slices(2));
    assert_eq!(short.verdict.holds(), Some(false));
    assert_eq!(missed_at(&short), Some(Time::from_millis(15)));
}

/// A task that suspends itself between two computations, the first of which takes `first` ms; and
/// one with little time, that fits in between.
fn suspends(first: u64) -> String {
    format!(
        r#"
        [[task]]
        name = "hi"
        period = "20ms"
        priority = 2
        behaviour = [{{ compute = "{first}ms" }}, {{ suspend = "4ms" }}, {{ compute = "3ms" }}]
        [[task]]
        name = "lo"
        period = "20ms"
        deadline = "3ms"
        phase = "5ms"
        priority = 1
        wcet = "2ms"
    "#
    )
}

#[test]
fn a_job_that_suspends_itself_earlier_comes_back_earlier() {
    let long = under("fp", &suspends(3));
    assert_eq!(long.simulated.misses, 0);
    assert_eq!(
        long.verdict.schedulable,
        Schedulable::ExactTimes,
        "{:?}",
        long.verdict
    );
    assert_eq!(long.verdict.holds(), None);
    let doubt = Doubt::Does("hi".into(), Uncovered::Suspends);
    let seen = long.verdict.evidence.map(|evidence| evidence.seen);
    assert_eq!(seen, Some(Seen::Repeats { doubt: Some(doubt) }));
    let short = under("fp", &suspends(1));
    assert_eq!(short.verdict.holds(), Some(false));
    assert_eq!(missed_at(&short), Some(Time::from_millis(8)));
}

/// What a job does: mostly it computes and nothing else.
fn behaviour() -> impl Strategy<Value = Vec<Step>> {
    let compute = || (1u64..4).prop_map(|n| Step::Compute(Length::Fixed(ms(n))));
    let pair = (compute(), compute());
    prop_oneof![
        12 => compute().prop_map(|step| vec![step]),
        1 => (pair.clone(), 1u64..4).prop_map(|((a, b), n)| vec![a, Step::Suspend(Length::Fixed(ms(n))), b]),
        1 => pair.clone().prop_map(|(a, b)| vec![a, Step::Lock(0), b, Step::Unlock(0)]),
        1 => pair.clone().prop_map(|(a, b)| vec![a, Step::Yield, b]),
        1 => pair.prop_map(|(a, b)| vec![Step::Signal(0), a, Step::Wait(0), b]),
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let period = proptest::sample::select(&[4u64, 6, 8, 12, 24][..]);
    // Half of the deadlines are those of the next releases.
    let rest = (behaviour(), 0u64..8, 0u8..4, 0u64..24, 0u8..12);
    (period, rest).prop_map(|(period, (behaviour, phase, priority, deadline, kind))| {
        let wcet = flyball_model::behaviour::demand(&behaviour)
            .unwrap()
            .compute;
        let mut task = Task {
            behaviour,
            phase: ms(phase),
            priority: Some(priority),
            ..Task::periodic("", ms(period), wcet.min(ms(period)))
        };
        task.wcet = wcet;
        task.deadline = Some(
            if deadline < 14 {
                ms(deadline)
            } else {
                ms(period)
            }
            .max(wcet),
        );
        match kind {
            0 => task.arrival = Arrival::Once,
            1 => {
                let separation = ms(period);
                let gap = Length::Fixed(separation);
                task.arrival = Arrival::Sporadic { separation, gap };
            }
            _ => {}
        }
        task
    })
}

fn platform() -> impl Strategy<Value = Platform> {
    let tick = proptest::option::weighted(0.1, proptest::sample::select(&[1u64, 2, 3][..]));
    (1u8..5, tick, proptest::bool::weighted(0.1)).prop_map(|(cpus, tick, costs)| Platform {
        cpus,
        tick: tick.map(ms),
        overheads: Overheads {
            release: Cost::fixed(Duration::from_micros(if costs { 100 } else { 0 })),
            context_switch: Cost::fixed(Duration::from_micros(if costs { 70 } else { 0 })),
            ..Overheads::default()
        },
        ..Platform::default()
    })
}

/// Every policy that has a quantum has one of 1 ms, and clusters have two CPUs.
fn settings() -> BTreeMap<String, Settings> {
    let known = [
        ("quantum", Value::Duration(ms(1))),
        ("cluster", Value::Integer(2)),
    ];
    let mut policies: BTreeMap<String, Settings> = BTreeMap::new();
    for entry in Registry::standard().iter() {
        for setting in entry.settings() {
            if let Some((name, value)) = known.iter().find(|(name, _)| *name == setting.name) {
                let settings = policies.entry(entry.name.to_owned()).or_default();
                let value = value.clone().into();
                settings.values.insert((*name).to_owned(), value);
            }
        }
    }
    policies
}

fn set() -> impl Strategy<Value = TaskSet> {
    let tasks = proptest::collection::vec(task(), 2..7);
    (tasks, platform(), any::<bool>()).prop_map(|(mut tasks, platform, in_phase)| {
        for (number, task) in tasks.iter_mut().enumerate() {
            task.name = format!("t{number}");
            if in_phase {
                task.phase = Duration::ZERO;
            }
        }
        let mutex = Mutex {
            name: "m".into(),
            protocol: Protocol::Inherit,
        };
        let semaphore = Semaphore {
            name: "s".into(),
            initial: 1,
        };
        TaskSet {
            tasks,
            platform,
            mutexes: vec![mutex],
            semaphores: vec![semaphore],
            policies: settings(),
            ..TaskSet::default()
        }
    })
}

/// The same set with jobs that compute for any part of what they may, in steps of `grain`, and
/// sporadic jobs that come up to two separations late.
fn relaxed(set: &TaskSet, grain: Duration) -> TaskSet {
    let mut set = set.clone();
    for task in &mut set.tasks {
        for step in &mut task.behaviour {
            if let Step::Compute(length) = step {
                let parts = length.longest() / grain;
                *length = Length::OneOf((0..=parts).map(|part| grain * part).collect());
            }
        }
        if let Arrival::Sporadic { separation, gap } = &mut task.arrival {
            let late =
                (0..=8).map(|part| Duration::from_nanos(separation.as_nanos() * (4 + part) / 4));
            *gap = Length::OneOf(late.collect());
        }
    }
    set
}

/// The same set with jobs of `which` that always compute for `part` of four quarters of what they
/// may.
fn shortened(set: &TaskSet, which: usize, part: u64) -> TaskSet {
    let mut set = set.clone();
    for step in &mut set.tasks[which].behaviour {
        if let Step::Compute(length) = step {
            *length = Length::Fixed(Duration::from_nanos(length.longest().as_nanos() / 4 * part));
        }
    }
    set
}

/// Tells in which studies of `set` under the policies that hold it a deadline is missed.
fn late(set: &TaskSet, policies: &[String], seed: u64) -> Result<Option<String>, TestCaseError> {
    let options = StudyOptions {
        policies: policies.to_vec(),
        until: Some(ms(24 * 12)),
        seed,
        ..StudyOptions::default()
    };
    let study = studied(set, &options).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let mut late = study
        .policies
        .iter()
        .filter(|policy| policy.simulated.misses > 0);
    Ok(late
        .next()
        .map(|policy| format!("{}: {:?}", policy.policy, policy.verdict)))
}

#[test]
fn what_holds_holds_when_jobs_are_shorter_and_arrivals_later() {
    let proofs = [(); 2].map(|()| AtomicU32::new(0));
    proptest!(config(100), |(set in set(), seed in any::<u64>())| {
        // A set that no policy can take is none to ask about.
        let Ok(first) = studied(&set, &StudyOptions::default()) else { return Ok(()) };
        let mut policies = Vec::new();
        for policy in first.policies.iter().filter(|policy| policy.verdict.holds() == Some(true)) {
            let seen = policy.verdict.proof.as_deref() == Some("simulation");
            proofs[usize::from(seen)].fetch_add(1, Ordering::Relaxed);
            policies.push(policy.policy.clone());
        }
        if policies.is_empty() {
            return Ok(());
        }
        for round in 0..4 {
            let grain = if round % 2 == 0 { ms(1) } else { Duration::from_micros(250) };
            let late = late(&relaxed(&set, grain), &policies, seed.wrapping_add(round))?;
            prop_assert_eq!(late, None, "some are shorter");
        }
        for which in 0..set.tasks.len() {
            let late = late(&shortened(&set, which, seed >> (2 * which) & 3), &policies, 0)?;
            prop_assert_eq!(late, None, "{} is shorter", which);
        }
    });
    let [theory, seen] = proofs.map(AtomicU32::into_inner);
    assert!(theory > 20 && seen > 5, "{theory} by theory, {seen} seen");
}
