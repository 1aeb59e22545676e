//! Tasks that share mutexes, semaphores or queues are on one CPU, where a study divides them.

use flyball_model::{Format, read_str};
use flyball_study::results::Study;
use flyball_study::{Progress, Registry, StudyError, StudyOptions, study};
use flyball_trace::Kind;
use std::ops::ControlFlow;

fn studied(text: &str, policy: &str) -> Result<Study, StudyError> {
    let set = read_str(text, Format::Toml, "set.toml").unwrap();
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        ..StudyOptions::default()
    };
    let mut on = |_: Progress<'_>| ControlFlow::Continue(());
    study(&Registry::standard(), "set.toml", set, &options, &mut on)
}

/// "a" and "b" use a mutex, and "c" none; one that comes once wakes "c".
fn with_mutex(a: u64, b: u64, c: u64) -> String {
    let task = |name: &str, wcet: u64, steps: &str| {
        format!(
            "[[task]]\nname = {name:?}\nperiod = \"100ms\"\npriority = 1\n\
             behaviour = [{{ compute = \"{wcet}ms\" }}, {steps}]\n"
        )
    };
    let locked = "{ lock = \"m\" }, { unlock = \"m\" }";
    let text =
        "schema = 1\n[platform]\ncpus = 2\n[[mutex]]\nname = \"m\"\n[[semaphore]]\nname = \"s\"\n";
    let once = "[[task]]\nname = \"once\"\npriority = 2\nbehaviour = [{ signal = \"s\" }]\n";
    let waits = task("c", c, "{ signal = \"s\" }");
    [
        text,
        &task("a", a, locked),
        &waits,
        &task("b", b, locked),
        once,
    ]
    .concat()
}

/// First-fit decreasing would put 60 and 40 on one CPU, and 30, which shares with 40, on another.
#[test]
fn tasks_that_share_stay_together() {
    for policy in ["p-edf", "p-fp"] {
        let study = studied(&with_mutex(30, 40, 60), policy).unwrap();
        let report = &study.policies[0];
        let mut dispatched = [false; 4];
        for event in &report.trace.events {
            if let Kind::Dispatch { task, .. } = event.kind {
                let expected = [0, 1, 0, 1][task.index()];
                assert_eq!(event.cpu.0, expected, "{policy}: {task:?}");
                dispatched[task.index()] = true;
            }
        }
        assert_eq!(dispatched, [true; 4], "{policy}");
    }
}

#[test]
fn where_they_have_no_room_together_all_are_named() {
    let error = studied(&with_mutex(70, 40, 10), "p-edf").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no CPU has room for \"a\", \"b\" together, as they share a mutex, a semaphore or a queue (tasks were assigned first-fit)"
    );
}

/// "late" comes once, may run on CPU 1 only, and brings "a" there, whose semaphore it signals.
#[test]
fn one_that_is_confined_takes_the_others_along() {
    let text = |cpus: &str| {
        format!(
            "schema = 1\n[platform]\ncpus = 2\n[[semaphore]]\nname = \"s\"\n\
             [[task]]\nname = \"a\"\nperiod = \"10ms\"\n{cpus}\n\
             behaviour = [{{ compute = \"1ms\" }}, {{ signal = \"s\" }}]\n\
             [[task]]\nname = \"late\"\ncpus = [1]\nbehaviour = [{{ signal = \"s\" }}]\n"
        )
    };
    let study = studied(&text(""), "p-edf").unwrap();
    let mut events = study.policies[0].trace.events.iter();
    assert!(events.all(|it| it.cpu.0 == 1 || !matches!(it.kind, Kind::Dispatch { .. })));
    let error = studied(&text("cpus = [0]"), "p-edf").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no CPU has room for \"a\", \"late\" together"),
        "{error}"
    );
}
