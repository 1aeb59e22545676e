//! The policy gets `study` and `simulate` like any of Flyball's own.

use serde_json::Value;
use std::process::Command;

/// Preempted at 4 and 8 ms "batch" disturbs nobody. Not preempted it runs from 1 to 8 ms, and the
/// second job of "control" (released at 4 ms, due at 8 ms) is complete at 9 ms.
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
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    std::fs::write(folder.path().join("set.toml"), SET).expect("a temporary file can be written");
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
    assert_eq!(entry["simulated"]["jobs"], 6);
    assert_eq!(entry["simulated"]["misses"], 1);
    assert_eq!(entry["tasks"][0]["response_max_ns"], 5_000_000);
}
