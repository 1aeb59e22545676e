//! Tasks that may run on some CPUs only.

use flyball_model::{Format, read_str};
use flyball_study::note::Note;
use flyball_study::results::Study;
use flyball_study::{Progress, Registry, StudyError, StudyOptions, study};
use flyball_trace::Kind;
use std::ops::ControlFlow;

fn studied(cpus: u8, tasks: &[(&str, u64, &str)], policies: &[&str]) -> Result<Study, StudyError> {
    let mut text = format!("schema = 1\n[platform]\ncpus = {cpus}\n");
    for (name, wcet, rest) in tasks {
        let times = format!("period = \"100ms\"\nwcet = \"{wcet}ms\"");
        text.extend([
            "[[task]]\nname = \"",
            name,
            "\"\n",
            &times,
            "\n",
            rest,
            "\n",
        ]);
    }
    let set = read_str(&text, Format::Toml, "set.toml").unwrap();
    let options = StudyOptions {
        policies: policies.iter().map(|&name| name.to_owned()).collect(),
        ..StudyOptions::default()
    };
    let mut on = |_: Progress<'_>| ControlFlow::Continue(());
    study(&Registry::standard(), "set.toml", set, &options, &mut on)
}

/// A partitioned policy gives each task one of its CPUs; bound ones keep theirs.
#[test]
fn a_task_gets_one_of_its_cpus() {
    let tasks = [
        ("a", 60, "cpus = [1, 2]"),
        ("b", 50, "cpus = [2]"),
        ("c", 30, "cpu = 1"),
        ("d", 20, ""),
    ];
    let study = studied(3, &tasks, &["p-edf"]).unwrap();
    let report = &study.policies[0];
    assert_eq!(report.verdict.holds(), Some(true));
    for event in &report.trace.events {
        if let Kind::Dispatch { task, .. } = event.kind {
            let expected = [1, 2, 1, 0][task.index()];
            assert_eq!(event.cpu.0, expected, "{task:?}");
        }
    }
    assert!(study.notes.contains(&Note::Feasible), "{:?}", study.notes);
}

/// The tasks, and the CPUs that they are confined to, are named; policies that let tasks move are
/// left out.
#[test]
fn what_nobody_can_hold_is_said_with_the_tasks_and_the_cpus() {
    let tasks = [
        ("a", 70, "cpus = [0, 2]"),
        ("b", 70, "cpus = [0, 2]"),
        ("c", 70, "cpus = [2]"),
        ("d", 10, ""),
    ];
    let error = studied(3, &tasks, &["c-edf"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task \"a\" may not run on all CPUs, which the policy does not know of"
    );
    let error = studied(3, &tasks, &["edf"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no CPU has room for task \"c\" (tasks were assigned first-fit)"
    );
    // Global ones are tried, and fail as all do.
    let study = studied(3, &tasks, &[]).unwrap();
    assert!(
        study
            .policies
            .iter()
            .all(|report| report.verdict.holds() == Some(false))
    );
    let is_overload =
        |note: &Note| matches!(note, Note::Overloaded { tasks, .. } if *tasks == ["a", "b", "c"]);
    assert!(study.notes.iter().any(is_overload), "{:?}", study.notes);
    let mut bound = tasks;
    bound[2].1 = 20;
    let study = studied(3, &bound, &["edf"]).unwrap();
    assert_eq!(study.policies[0].verdict.holds(), Some(true));
}

/// Under a global policy jobs run on any CPU that they may have, and on no other. Three jobs of 60
/// ms would fill two CPUs to nine tenths and go on to no third one; here the third CPU is for one
/// of them.
#[test]
fn a_global_policy_keeps_to_the_cpus() {
    let tasks = [
        ("a", 60, "cpus = [0, 1]"),
        ("b", 60, "cpus = [0, 1]"),
        ("c", 60, "cpus = [1, 2]"),
        ("d", 30, "cpus = [0, 2]"),
        ("e", 60, "cpus = [0, 1, 2]\nphase = \"10ms\""),
    ];
    for policy in ["g-edf", "g-rm", "g-rr", "g-llf"] {
        let study = studied(3, &tasks, &[policy]).unwrap();
        let report = &study.policies[0];
        let allowed: [&[u8]; 5] = [&[0, 1], &[0, 1], &[1, 2], &[0, 2], &[0, 1, 2]];
        let mut seen = [0; 5];
        for event in &report.trace.events {
            if let Kind::Dispatch { task, .. } = event.kind {
                assert!(
                    allowed[task.index()].contains(&event.cpu.0),
                    "{policy}: {event}"
                );
                seen[task.index()] |= 1 << event.cpu.0;
            }
        }
        assert!(
            seen.iter().any(|cpus: &u8| cpus.count_ones() > 1),
            "{policy}"
        );
        assert!(report.simulated.jobs >= 5, "{policy}");
    }
}
