//! Servers on CPUs that share them: what theory says, and what is simulated.

use crate::common;

use common::config;
use flyball_model::{Arrival, Format, Length, Step, Task, TaskSet, Value, read_str};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Progress, Registry, StudyError, StudyOptions, study};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Under Linux's rules with all sets, whatever they ask for.
fn studied(set: &TaskSet, policy: &str) -> Result<PolicyReport, StudyError> {
    let mut set = set.clone();
    for policy in ["sched-deadline", "g-sched-deadline"] {
        let settings = set.policies.entry(policy.to_owned()).or_default();
        let unlimited = Value::Integer(0).into();
        settings
            .values
            .entry("limit".to_owned())
            .or_insert(unlimited);
    }
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(ms(1_000)),
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let mut study = study(&Registry::standard(), "set", set, &options, &mut watch)?;
    Ok(study.policies.remove(0))
}

/// Up to eight tasks on up to three CPUs, some of them with deadlines within or beyond their periods, some
/// sporadic.
fn set() -> impl Strategy<Value = TaskSet> {
    let task = (
        proptest::sample::select(&[4_u64, 5, 8, 10, 20, 25][..]),
        5_u64..70,
        0_u8..4,
        any::<bool>(),
    );
    (prop::collection::vec(task, 2..9), 1_u8..=3).prop_map(|(tasks, cpus)| {
        let mut set = TaskSet::default();
        set.platform.cpus = cpus;
        for (number, (period, percent, kind, is_sporadic)) in tasks.into_iter().enumerate() {
            let wcet = Duration::from_micros(period * percent * 10);
            let mut task = Task::periodic(format!("t{number}"), ms(period), wcet);
            task.deadline = Some(match kind {
                0 => wcet + ms(period).saturating_sub(wcet).min(ms(2)),
                1 => ms(period * 2),
                _ => ms(period),
            });
            if is_sporadic {
                task.arrival = Arrival::Sporadic {
                    separation: ms(period),
                    gap: Length::Fixed(ms(period)),
                };
            }
            set.tasks.push(task);
        }
        set
    })
}

/// How often something was seen.
static SAME: AtomicU32 = AtomicU32::new(0);
static PROVEN: AtomicU32 = AtomicU32::new(0);

proptest! {
    #![proptest_config(config(300))]

    /// Where global EDF meets all deadlines, which are within periods, servers do what it does. (A verdict that the simulation
    /// contradicts is an error.)
    fn servers_do_what_global_edf_does(set in set()) {
        let edf = studied(&set, "g-edf").unwrap();
        let within = set.tasks.iter().all(|task| task.deadline <= task.arrival.period());
        for policy in ["g-cbs", "g-sched-deadline"] {
            let servers = studied(&set, policy).unwrap();
            if within && edf.simulated.misses == 0 {
                // But for what servers have.
                let events = servers.trace.events.iter();
                let events = events.filter(|event| event.kind.server().is_none());
                prop_assert!(events.eq(&edf.trace.events));
                let [hold, known] = [&servers, &edf].map(|it| it.verdict.holds() == Some(true));
                // The schedule of jobs repeats, and is a proof; what servers have left of budgets may not.
                let is_seen = edf.verdict.proof.as_deref() == Some("simulation");
                prop_assert!(hold == known || known && is_seen);
                SAME.fetch_add(1, Ordering::Relaxed);
            }
            if servers.verdict.schedulable == Schedulable::Always {
                prop_assert_eq!(servers.simulated.misses, 0);
                for task in &servers.tasks {
                    let bound = task.response_bound.unwrap_or(Duration::MAX);
                    prop_assert!(task.measured.response.max().is_none_or(|it| it <= bound));
                }
                PROVEN.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

#[test]
fn many_sets_are_proven() {
    servers_do_what_global_edf_does();
    let [same, proven] = [&SAME, &PROVEN].map(|it| it.load(Ordering::Relaxed));
    assert!(same > 50 && proven > 50, "{same}, {proven}");
}

/// Two tasks that overrun make a third one late under EDF, and do not in hard servers.
#[test]
fn a_task_is_isolated_from_those_that_overrun() {
    let mut set = TaskSet::default();
    set.platform.cpus = 2;
    set.tasks.push(Task::periodic("control", ms(12), ms(2)));
    for name in ["hog 1", "hog 2"] {
        let mut hog = Task::periodic(name, ms(10), ms(3));
        let (declared, actual) = (Length::Fixed(ms(3)), Length::Fixed(ms(15)));
        hog.behaviour = vec![Step::Overrun { declared, actual }];
        set.tasks.push(hog);
    }
    assert!(studied(&set, "g-edf").unwrap().tasks[0].measured.misses > 0);
    for policy in ["g-cbs", "g-sched-deadline"] {
        let report = studied(&set, policy).unwrap();
        assert_eq!(report.tasks[0].measured.misses, 0, "{policy}");
        assert!(report.tasks[1].measured.misses > 0, "{policy}");
        // What theory knows of global EDF is not about tasks that overrun.
        assert_eq!(report.verdict.holds(), Some(false));
        assert_eq!(report.tasks[0].response_bound, None);
    }
}

/// On one CPU it is the policy of one CPU, with what runs in the background in turn.
#[test]
fn one_cpu_is_as_without_others() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("server", ms(7), ms(3)));
    set.tasks.push(Task::periodic("another", ms(10), ms(4)));
    for (name, priority, phase) in [("a", 1, 0), ("b", 1, 3), ("c", 2, 40)] {
        let mut task = Task::periodic(name, ms(1), ms(40));
        (task.arrival, task.deadline) = (Arrival::Once, None);
        (task.priority, task.phase) = (Some(priority), ms(phase));
        set.tasks.push(task);
    }
    for (global, one) in [("g-cbs", "cbs"), ("g-sched-deadline", "sched-deadline")] {
        let [here, there] = [global, one].map(|policy| studied(&set, policy).unwrap());
        assert_eq!(here.trace.events, there.trace.events, "{global}");
        let ran = |name: usize| here.tasks[name].measured.completed;
        assert!((0..5).all(|task| ran(task) > 0));
    }
}

/// Where a set declares servers, each is one task's, and nothing is proven.
#[test]
fn a_declared_server_is_one_task_s() {
    let text = "schema = 1\n[platform]\ncpus = 2\n[[server]]\nname = \"video\"\nbudget = \"4ms\"\nperiod = \"10ms\"\n";
    let task = |name: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nserver = \"video\"\nperiod = \"10ms\"\nwcet = \"4ms\"\n"
        )
    };
    let read = |text: String| read_str(&text, Format::Toml, "set").unwrap();
    let alone = read(format!("{text}{}", task("a")));
    let report = studied(&alone, "g-cbs").unwrap();
    assert_eq!(report.simulated.misses, 0);
    assert_ne!(report.verdict.schedulable, Schedulable::Always);
    let two = read(format!("{text}{}{}", task("a"), task("b")));
    let refused = studied(&two, "g-cbs").unwrap_err().to_string();
    assert!(
        refused.starts_with("server \"video\": several tasks name it"),
        "{refused}"
    );
}

/// 95 % of each CPU, whatever the sum on one is.
#[test]
fn linux_admits_what_all_cpus_have_room_for() {
    let set = |last: &str| {
        let task = |wcet: &str| format!("[[task]]\nperiod = \"10ms\"\nwcet = \"{wcet}\"\n");
        let tasks: String = ["9ms", last].map(task).concat();
        let text = format!(
            "schema = 1\n[platform]\ncpus = 2\n[policies.g-sched-deadline]\nlimit = 0.95\n{tasks}"
        );
        read_str(&text, Format::Toml, "set").unwrap()
    };
    assert!(studied(&set("10ms"), "g-sched-deadline").is_ok());
    let mut three = set("9900us");
    three.tasks.push(Task::periodic("third", ms(10), ms(1)));
    let refused = studied(&three, "g-sched-deadline").unwrap_err().to_string();
    assert!(
        refused.starts_with("task \"third\": asks for 0.1000 of a CPU, and 0.0100 is left"),
        "{refused}"
    );
}
