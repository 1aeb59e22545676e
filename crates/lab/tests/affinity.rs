//! Tasks that may run on some CPUs only.

use flyball_lab::{LabError, Progress, Registry, StudyOptions, study};
use flyball_model::{Format, read_str};
use flyball_report::study::Study;
use flyball_trace::Kind;
use std::ops::ControlFlow;

fn studied(cpus: u8, tasks: &[(&str, u64, &str)], policies: &[&str]) -> Result<Study, LabError> {
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
    assert_eq!(report.verdict.holds, Some(true));
    for event in &report.trace.events {
        if let Kind::Dispatch { task, .. } = event.kind {
            let expected = [1, 2, 1, 0][task.index()];
            assert_eq!(event.cpu.0, expected, "{task:?}");
        }
    }
    assert!(
        study
            .notes
            .iter()
            .any(|note| note.starts_with("With these affinities")),
        "{:?}",
        study.notes
    );
}

/// Who confines whom is said; policies that let tasks move are left out.
#[test]
fn what_nobody_can_hold_is_said_with_the_tasks_and_the_cpus() {
    let tasks = [
        ("a", 70, "cpus = [0, 2]"),
        ("b", 70, "cpus = [0, 2]"),
        ("c", 70, "cpus = [2]"),
        ("d", 10, ""),
    ];
    let error = studied(3, &tasks, &["g-edf"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task \"a\" may not run on all CPUs, which the policy does not know of"
    );
    let error = studied(3, &tasks, &["edf"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no CPU has room for task \"c\" (tasks were assigned first-fit)"
    );
    let error = studied(3, &tasks, &[]).unwrap_err();
    assert!(matches!(error, LabError::NothingFits(_)));
    let mut bound = tasks;
    bound[2].1 = 20;
    let study = studied(3, &bound, &["edf"]).unwrap();
    assert_eq!(study.policies[0].verdict.holds, Some(true));
}
