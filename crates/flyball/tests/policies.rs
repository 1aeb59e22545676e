//! What `flyball policies` tells.

use assert_cmd::Command;
use serde_json::Value;

fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    let output = command.args(args).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn one_policy_is_told_in_full() {
    let (code, out, _) = run(&["policies", "g-edf"]);
    assert_eq!(code, 0);
    for text in [
        "Global Earliest deadline first".to_lowercase().as_str(),
        "global: each task runs on any cpu",
        "reads of a task  deadline, cpus",
        "heap, of n tasks: o(log n), the first o(1)",
        "o(log m) on m cpus where a cpu gets another task",
        "in execution times",
        "boots on         riscv",
        "gfb",
        "rtalc",
        "dhall and liu",
        "liu and layland",
        "[policies.g-edf]",
        "\"heap\", \"list\", \"calendar\"",
    ] {
        assert!(out.to_lowercase().contains(text), "{text}\n{out}");
    }
    let (_, out, _) = run(&["policies", "FP-RR"]);
    for text in [
        "priority (needed)",
        "cortex-m3, cortex-m3-62mips, lm3s6965, riscv",
        "[task.policies.fp-rr]",
        "the units are ns, us, ms, s and min",
        "no test of its own",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
}

/// It is the same policy, so it is listed once; and both of its names find it.
#[test]
fn a_policy_with_two_names_is_one() {
    let (_, out, _) = run(&["policies"]);
    let lines: Vec<_> = out.lines().filter(|line| line.contains("C=D")).collect();
    assert_eq!(lines.len(), 1, "{out}");
    assert!(lines[0].starts_with("c=d "), "{lines:?}");
    assert!(lines[0].ends_with("(also `edf-cd`)"), "{lines:?}");
    let one = |name: &str| run(&["policies", name, "--json"]);
    assert_eq!(one("edf-cd"), one("c=d"));
    assert!(
        run(&["policies", "c=d"])
            .1
            .contains("Burns, Davis, Wang and Zhang")
    );
}

#[test]
fn a_policy_that_there_is_not_is_refused() {
    let (code, out, err) = run(&["policies", "efd"]);
    assert_eq!((code, out.as_str()), (2, ""));
    let said = "there is no policy \"efd\" (did you mean \"edf\"?)";
    assert!(err.contains(said), "{err}");
}

#[test]
fn a_program_reads_the_same() {
    let (code, out, _) = run(&["policies", "c-llf", "--json"]);
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["schema"], 1);
    let policies = document["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 1);
    let it = &policies[0];
    assert_eq!(it["placement"], "clustered");
    let cluster = &it["parameters"][0];
    assert_eq!(
        (&cluster["name"], &cluster["type"], &cluster["allowed"]),
        (&"cluster".into(), &"integer".into(), &"1 or more".into())
    );
    let keys: Vec<_> = it["reads"].as_array().unwrap().iter().collect();
    let keys: Vec<_> = keys
        .iter()
        .map(|read| read["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["deadline", "wcet", "cpu"]);
    // Every policy says what it costs and where it was published.
    let (_, out, _) = run(&["policies", "--json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    for it in document["policies"].as_array().unwrap() {
        assert!(it["decision_complexity"].is_string(), "{it}");
        assert!(!it["sources"].as_array().unwrap().is_empty(), "{it}");
        assert!(!it["machines"].as_array().unwrap().is_empty(), "{it}");
    }
}
