//! A server for each task: what theory says, and what is simulated.

mod common;

use flyball_model::random::Random;
use flyball_model::{Arrival, Length, Step, Task, TaskSet};
use flyball_study::reason::{Because, Seen};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// Those whose servers are scheduled by deadlines, and enforce their budgets.
const POLICIES: [&str; 5] = ["cbs", "sched-deadline", "grub", "iris", "bids"];
/// The same by fixed priorities.
const FIXED: [&str; 3] = ["polling", "deferrable", "sporadic"];

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(set: &TaskSet, policy: &str) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(ms(2_000)),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let study = study(
        &Registry::standard(),
        "set",
        set.clone(),
        &options,
        &mut watch,
    );
    study.unwrap().policies.remove(0)
}

/// With hard servers under `cbs`, soft ones under `bids`, and Linux's under `grub`.
fn hard(mut set: TaskSet) -> TaskSet {
    let text = "[policies.cbs]\nmode = \"hard\"\n[policies.bids]\nmode = \"soft\"\n[policies.grub]\nvariant = \"linux\"\n[[task]]\nperiod = \"1ms\"\nwcet = \"1ms\"";
    let text = format!("schema = 1\n{text}");
    let read = flyball_model::read_str(&text, flyball_model::Format::Toml, "hard").unwrap();
    set.policies = read.policies;
    set
}

/// Up to six tasks with deadlines within their periods, some of them sporadic; `hogs`: some of them
/// compute for more than they declare.
fn random_set(random: &mut Random, hogs: bool) -> TaskSet {
    let mut draw = |from, to| {
        let [from, to] = [from, to].map(Duration::from_nanos);
        random.uniform(from, to).as_nanos()
    };
    let mut set = TaskSet::default();
    for number in 0..draw(2, 6) {
        let period = [4, 5, 8, 10, 20, 25][usize::try_from(draw(0, 5)).unwrap()];
        let wcet = draw(1, (period / 2).max(1));
        let mut task = Task::periodic(format!("t{number}"), ms(period), ms(wcet));
        task.deadline = Some(ms(draw(wcet, period)));
        task.phase = ms(draw(0, 1) * draw(0, period));
        if draw(0, 2) == 0 {
            let gap = Length::Uniform {
                min: ms(period),
                max: ms(2 * period),
            };
            task.arrival = Arrival::Sporadic {
                separation: ms(period),
                gap,
            };
        }
        if hogs && draw(0, 2) == 0 {
            let declared = Length::Fixed(ms(wcet));
            let actual = Length::Uniform {
                min: ms(1),
                max: ms(3 * wcet),
            };
            task.behaviour = vec![Step::Overrun { declared, actual }];
        }
        set.tasks.push(task);
    }
    set
}

/// As long as no task computes for more than it declares the schedule is that of EDF.
#[test]
fn sets_without_overruns_hold_as_under_edf() {
    let mut seen = [0; 2];
    for seed in 0..common::config(150).cases {
        let set = random_set(&mut Random::new(0x5e, seed.into()), false);
        let edf = studied(&set, "edf");
        if edf.verdict.proof.as_deref() == Some("simulation") && edf.verdict.holds() == Some(true) {
            // Budgets are remembered, so that a schedule of servers that repeats itself proves nothing.
            continue;
        }
        for set in [set.clone(), hard(set)] {
            for policy in POLICIES.into_iter().chain(["tbs"]) {
                let report = studied(&set, policy);
                let verdict = |report: &PolicyReport| report.verdict.schedulable;
                assert_eq!(verdict(&report), verdict(&edf), "{seed}, {policy}");
                let bounds = |report: &PolicyReport| -> Vec<_> {
                    let bounds = report.tasks.iter().map(|task| task.response_bound);
                    bounds.collect()
                };
                if edf.verdict.holds() == Some(true) {
                    assert_eq!(bounds(&report), bounds(&edf), "{seed}, {policy}");
                }
            }
        }
        seen[usize::from(edf.verdict.holds() == Some(true))] += 1;
    }
    assert!(seen.iter().all(|&seen| seen > 10), "{seen:?}");
}

/// Whatever the others do, a task that has a bound is never late.
#[test]
fn tasks_are_isolated_from_those_that_overrun() {
    let (mut proven, mut late, mut late_under_edf) = (0, 0, 0);
    for seed in 0..common::config(400).cases {
        let set = random_set(&mut Random::new(0x5f, seed.into()), true);
        let edf = studied(&set, "edf");
        for set in [set.clone(), hard(set)] {
            for policy in POLICIES.into_iter().chain(FIXED) {
                let report = studied(&set, policy);
                for (number, task) in report.tasks.iter().enumerate() {
                    let Some(bound) = task.response_bound else {
                        late += task.measured.misses;
                        continue;
                    };
                    proven += 1;
                    late_under_edf += edf.tasks[number].measured.misses;
                    assert_eq!(task.measured.misses, 0, "{seed}, {policy}, {number}");
                    assert!(
                        task.measured.response.max() <= Some(bound),
                        "{seed}, {policy}, {number}"
                    );
                }
            }
        }
    }
    assert!(
        proven > 500 && late > 500 && late_under_edf > 500,
        "{proven} {late} {late_under_edf}"
    );
}

#[test]
fn a_study_says_which_task_cannot_hurt_the_others() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("control", ms(5), ms(2)));
    set.tasks.push(Task::periodic("hog", ms(10), ms(3)));
    let (declared, actual) = (Length::Fixed(ms(3)), Length::Fixed(ms(7)));
    set.tasks[1].behaviour = vec![Step::Overrun { declared, actual }];
    let report = studied(&set, "cbs");
    assert_eq!(report.verdict.schedulable, Schedulable::Not);
    let evidence = report.verdict.evidence.unwrap();
    assert!(matches!(evidence.seen, Seen::Miss { .. }));
    let theory = evidence.theory.unwrap();
    assert_eq!(
        (theory.holds, theory.because),
        (None, Because::Isolated(vec!["hog".into()]))
    );
    assert_eq!(report.tasks[0].response_bound, Some(ms(5)));
    assert_eq!(report.tasks[1].response_bound, None);
    // Together they declare more than the CPU: nothing is proven of the others.
    set.tasks[0] = Task::periodic("control", ms(5), ms(4));
    assert_eq!(studied(&set, "cbs").tasks[0].response_bound, None);
}

/// By fixed priorities it is that of deadline monotonic priorities, if jobs arrive when their servers
/// have budgets.
#[test]
fn sets_without_overruns_hold_as_under_deadline_monotonic_priorities() {
    let (mut seen, mut sporadic) = ([0; 2], 0);
    for seed in 0..common::config(150).cases {
        let set = random_set(&mut Random::new(0x60, seed.into()), false);
        let dm = studied(&set, "dm");
        if dm.verdict.proof.as_deref() == Some("simulation") {
            continue;
        }
        for policy in FIXED {
            let report = studied(&set, policy);
            let is_periodic = |task: &Task| matches!(task.arrival, Arrival::Periodic { .. });
            if policy != "sporadic" && !set.tasks.iter().all(is_periodic) {
                assert_ne!(report.verdict.holds(), Some(true), "{seed}, {policy}");
                sporadic += 1;
                continue;
            }
            let verdict = report.verdict.schedulable;
            assert_eq!(verdict, dm.verdict.schedulable, "{seed}, {policy}");
            seen[usize::from(dm.verdict.holds() == Some(true))] += 1;
        }
    }
    let enough = seen.iter().all(|&seen| seen > 10) && sporadic > 10;
    assert!(enough, "{seen:?}, {sporadic}");
}

/// What a server does after a result is no more that of EDF.
#[test]
fn nothing_is_proven_of_servers_that_heed_results() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("a", ms(5), ms(2)));
    assert_eq!(studied(&set, "bids").verdict.holds(), Some(true));
    let compute = Step::Compute(Length::Fixed(ms(2)));
    set.tasks[0].behaviour = vec![compute, Step::Result(vec![0, 1])];
    assert_eq!(studied(&set, "cbs").verdict.holds(), Some(true));
    let report = studied(&set, "bids");
    assert_ne!(report.verdict.holds(), Some(true));
    assert!(report.tasks[0].measured.misses > 0);
}

/// Budgets are not enforced, so a task that overruns makes another one late, and that is seen.
#[test]
fn a_total_bandwidth_server_isolates_nothing() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("control", ms(12), ms(2)));
    set.tasks.push(Task::periodic("hog", ms(10), ms(3)));
    let (declared, actual) = (Length::Fixed(ms(3)), Length::Fixed(ms(12)));
    set.tasks[1].behaviour = vec![Step::Overrun { declared, actual }];
    let report = studied(&set, "tbs");
    assert!(report.tasks[0].measured.misses > 0);
    assert_eq!(report.tasks[0].response_bound, None);
    assert_eq!(studied(&set, "cbs").tasks[0].measured.misses, 0);
}
