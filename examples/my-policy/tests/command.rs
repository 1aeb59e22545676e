//! The policy gets `study` and `simulate` like any of Flyball's own.

use serde_json::Value;
use std::process::Command;

/// Preempted at 4 and 8 ms "batch" disturbs no other task. Not preempted it runs from 1 to 8 ms,
/// and the second job of "control" (released at 4 ms, due at 8 ms) is complete at 9 ms.
const SET: &str = r#"
schema = 1
[[task]]
name = "control"
period = "4ms"
wcet = "1ms"
[[task]]
name = "batch"
period = "20ms"
wcet = "7ms"
"#;

/// Runs the command on [`SET`]; returns its exit code and what it prints as JSON.
fn run(args: &[&str]) -> (Option<i32>, Value) {
    run_on(SET, args)
}

/// The same on another set.
fn run_on(set: &str, args: &[&str]) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    std::fs::write(folder.path().join("set.toml"), set).expect("a temporary file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_my-policy"))
        .current_dir(folder.path())
        .args(args)
        .output()
        .expect("the command starts");
    let json = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    (output.status.code(), json)
}

#[test]
fn study_puts_it_beside_the_others() {
    let (code, study) = run(&["study", "set.toml", "--json"]);
    assert_eq!(code, Some(0), "EDF holds the set");
    let policies = study["policies"].as_array().expect("a list of policies");
    let policy = |name: &str| {
        let found = policies.iter().find(|policy| policy["policy"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {study}"))
    };
    assert_eq!(policy("edf")["holds"], true);
    assert_eq!(policy("sjf")["holds"], false);
    assert_eq!(policy("sjf")["proof"], "simulation");
    assert_eq!(policy("sjf")["simulated"]["preemptions"], 0);
    assert_eq!(policy("edf")["simulated"]["preemptions"], 2);
}

#[test]
fn simulate_shows_its_schedule() {
    let (code, entry) = run(&[
        "simulate", "set.toml", "--policy", "sjf", "--until", "20ms", "--json",
    ]);
    assert_eq!(code, Some(1), "a deadline is missed");
    let entry = &entry["policies"][0];
    assert_eq!(entry["simulated"]["jobs"], 6);
    assert_eq!(entry["simulated"]["misses"], 1);
    assert_eq!(entry["tasks"][0]["response_max_ns"], 5_000_000);
}

/// A task says how long its jobs usually compute, and that counts. "batch" runs from 0 to 7 ms
/// then, and the first two jobs of "control" (due at 4 and 8 ms) are late.
#[test]
fn a_task_tells_it_something() {
    let said = |line: &str| format!("{SET}[task.policies.sjf]\n{line}\n");
    let simulate = [
        "simulate", "set.toml", "--policy", "sjf", "--until", "20ms", "--json",
    ];
    let (code, entry) = run_on(&said("usual = \"500us\""), &simulate);
    assert_eq!(code, Some(1), "deadlines are missed");
    let entry = &entry["policies"][0];
    assert_eq!(entry["simulated"]["misses"], 2);
    assert_eq!(entry["tasks"][0]["response_max_ns"], 8_000_000);
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    std::fs::write(folder.path().join("set.toml"), said("usally = 3")).expect("it fits");
    let output = Command::new(env!("CARGO_BIN_EXE_my-policy"))
        .current_dir(folder.path())
        .args(simulate)
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    let place = "set.toml:12:1: task \"batch\": policies.sjf: usally";
    assert!(error.contains(place), "{error}");
    assert!(error.contains("\"sjf\" has for tasks: usual"), "{error}");
}

/// The policy makes no promise about shorter jobs. With 4 ms "first" ends when "urgent" comes at 4
/// ms. With 2 ms "long" begins at 3 ms and is in the way of "urgent", which is due at 6 ms.
#[test]
fn it_holds_for_exactly_these_times() {
    let set = |first: u64| {
        let task = |(name, wcet, phase, deadline): (&str, u64, u64, u64)| {
            format!(
                "[[task]]\nname = \"{name}\"\nperiod = \"20ms\"\nwcet = \"{wcet}ms\"\n\
                 phase = \"{phase}ms\"\ndeadline = \"{deadline}ms\"\n"
            )
        };
        let tasks = [
            ("first", first, 0, 10),
            ("long", 4, 3, 15),
            ("urgent", 1, 4, 2),
        ];
        format!("schema = 1\n{}", tasks.map(task).concat())
    };
    let simulate = ["simulate", "set.toml", "--policy", "sjf", "--json"];
    let (code, long) = run_on(&set(4), &simulate);
    let long = &long["policies"][0];
    assert_eq!((code, &long["verdict"]), (Some(1), &"exact-times".into()));
    assert_eq!(long["simulated"]["misses"], 0);
    let (code, _) = run_on(&set(4), &[&simulate[..], &["--exact-times"]].concat());
    assert_eq!(code, Some(0));
    let (code, short) = run_on(&set(2), &simulate);
    assert_eq!(
        (code, &short["policies"][0]["verdict"]),
        (Some(1), &"does-not-hold".into())
    );
}
