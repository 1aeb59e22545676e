//! What searches that stop, times that are too long, and parts of nanoseconds do to `flyball
//! analyse` and `flyball study`: nothing that is not proven is claimed, and nothing is denied
//! because it was not looked at.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// A utilisation of one, and a hyperperiod of 1,000 s: its exact tests take longer than searches
/// may.
const FULL: &str = "schema = 1
[[task]]
name = \"a\"
period = \"999983ns\"
wcet = \"499991ns\"
deadline = \"1999966ns\"
[[task]]
name = \"b\"
period = \"999979ns\"
wcet = \"499989ns\"
deadline = \"999979ns\"
[[task]]
name = \"c\"
period = \"999962000357ns\"
wcet = \"999981ns\"
deadline = \"1999924000714ns\"
";

/// Exit code and standard output.
fn run(command: &str, set: &str, args: &[&str]) -> (i32, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("set.toml");
    fs::write(&path, set).unwrap();
    let output = Command::cargo_bin("flyball")
        .expect("the command has been built")
        .arg(command)
        .arg(&path)
        .args(args)
        .output()
        .expect("the command starts");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    (output.status.code().unwrap_or(-1), text)
}

/// The line of a policy about CPUs and execution times.
fn summary<'t>(text: &'t str, policy: &str) -> &'t str {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(policy));
    let line = lines.find(|line| line.starts_with("Known to hold"));
    line.unwrap_or_else(|| panic!("{policy} is missing:\n{text}"))
}

fn policy(text: &str, name: &str) -> Value {
    let found: Value = serde_json::from_str(text).unwrap();
    let policies = found["policies"].as_array().unwrap();
    let mut all = policies.iter().filter(|it| it["policy"] == name);
    all.next().unwrap().clone()
}

#[test]
fn a_stopped_search_contradicts_no_verdict() {
    let (code, text) = run("analyse", FULL, &[]);
    assert_eq!(code, 0);
    let expected = "Known to hold on a single CPU; margin of all execution times together: +0.0 %.";
    for policy in ["P-EDF", "P-FP", "EDF-WM", "C=D"] {
        assert_eq!(summary(&text, policy), expected);
    }
    let (_, json) = run("analyse", FULL, &["--json"]);
    let edf = policy(&json, "p-edf");
    assert_eq!(
        (&edf["holds"], &edf["fewest_cpus"]),
        (&true.into(), &1.into())
    );
    assert_eq!(edf["open_cpus"].as_array().unwrap().len(), 0);
    assert_eq!(edf["factor_ppm"], 1_000_000);
    assert_eq!(edf["factor"], "exactly");
    // The same under `study`.
    let (_, json) = run("study", FULL, &["--json", "-p", "edf", "--until", "1ms"]);
    let edf = policy(&json, "edf");
    assert_eq!(edf["breakdown"]["factor_ppm"], 1_000_000);
    assert_eq!(edf["breakdown"]["at_least"], false);
}

#[test]
fn what_stopped_is_not_known() {
    let (code, text) = run("analyse", FULL, &["--steps", "1000"]);
    // Global EDF holds it, and of fixed priorities the verdict stopped, too.
    assert_eq!(code, 0);
    assert!(
        text.contains("FFD-FP  stopped  Stopped at the work limit"),
        "{text}"
    );
    let line = summary(&text, "P-FP");
    let part = "on as few as 2 CPUs (not known, as a search stopped: on 1)";
    assert!(
        line.contains(part) && line.ends_with(" % or less."),
        "{line}"
    );
    let (_, json) = run("analyse", FULL, &["--steps", "1000", "--json"]);
    let fixed = policy(&json, "p-fp");
    assert_eq!(
        (&fixed["holds"], &fixed["fewest_cpus"]),
        (&Value::Null, &2.into())
    );
    assert_eq!(fixed["open_cpus"], serde_json::json!([1]));
    assert_eq!(fixed["factor"], "at-least");
    assert_eq!(fixed["tests"][0]["accepts"], Value::Null);
}

#[test]
fn what_is_too_long_to_count_is_said() {
    let set = "schema = 1
[[task]]
name = \"a\"
period = \"18446744073s\"
wcet = \"1s\"
[[task]]
name = \"b\"
period = \"18446744072s\"
wcet = \"1s\"
";
    let (code, text) = run("analyse", set, &["--cpus", "2"]);
    assert_eq!(code, 0);
    assert!(!text.contains("kernel's own work"), "{text}");
    assert!(
        summary(&text, "P-EDF").contains("on a single CPU"),
        "{text}"
    );
    let why = "The period of \"a\", 18446744073s, is beyond the 4611686018.427387904s";
    assert!(text.contains(why), "{text}");
    let line = summary(&text, "G-EDF");
    assert!(
        line.contains("not known, as a search stopped: on 1–128"),
        "{line}"
    );
    assert!(
        line.ends_with("all execution times together: not known."),
        "{line}"
    );
}

#[test]
fn not_a_part_of_a_nanosecond_is_promised() {
    let set = "schema = 1
[[task]]
name = \"a\"
period = \"1ns\"
wcet = \"1ns\"
";
    let (_, text) = run("analyse", set, &[]);
    assert!(
        summary(&text, "P-EDF").ends_with("together: +0.0 %."),
        "{text}"
    );
}
