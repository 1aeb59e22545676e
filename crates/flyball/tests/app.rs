//! `flyball run --app` and `flyball compare --app`: applications of the user's own.

use crate::common;
use crate::made;

use common::{has_qemu, has_riscv};
use made::{edit, flyball, made, name};
use serde_json::Value;
use std::path::Path;

/// Exit code, what is printed and what is said.
fn output(path: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = flyball(path, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// What is printed as JSON, with exit code `code`.
fn json(path: &Path, arguments: &[&str], code: i32) -> Value {
    let (found, printed, said) = output(path, &[arguments, &["--json"]].concat());
    assert_eq!((found, said.as_str()), (Some(code), ""), "{printed}");
    serde_json::from_str(&printed).expect("it prints JSON")
}

#[test]
fn an_application_shows_its_schedule() {
    let (_folder, path) = made(&["app"]);
    let (code, printed, said) = output(&path, &["run", "--app", ".", "--trace", "a.pftrace"]);
    assert_eq!(code, Some(0), "{said}");
    let heading = format!("{} under edf", name(&path));
    for part in [
        "samples: 5, mean 93",
        heading.as_str(),
        "sample",
        "120 jobs: 0 missed",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(path.join("a.pftrace").is_file());
    // A schedule that is there already is not taken for that of the next run.
    edit(
        &path,
        "src/main.rs",
        "schedule.save(",
        "false && schedule.save(",
    );
    let (code, printed, said) = output(&path, &["run", "--app", "."]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(said.contains("has written no schedule"), "{said}");
}

#[test]
fn a_deadline_that_an_application_misses_is_an_answer() {
    let (_folder, path) = made(&["app"]);
    let short = "compute(Duration::from_millis(15))";
    edit(&path, "src/lib.rs", short, &short.replace("15", "60"));
    let numbers = json(&path, &["run", "--app", "."], 1);
    assert_ne!(numbers["misses"], 0);
    assert_eq!(numbers["tasks"][1]["name"], "report");
}

/// On a board an application does what it does on this computer, a little later.
fn agrees(machine: &str, policy: &str) {
    let (_folder, path) = made(&["app", "--scheduler", policy]);
    let numbers = json(&path, &["compare", "--app", ".", "--machine", machine], 0);
    assert_eq!(numbers["machine"], machine);
    let compared = &numbers["policies"][0];
    assert_eq!(compared["policy"], policy);
    assert_eq!(compared["same_order"], true, "{compared}");
    assert!(compared["events"].as_u64() > Some(400), "{compared}");
    let sample = &compared["tasks"][0];
    assert_eq!(
        (&sample["name"], &sample["jobs"]),
        (&"sample".into(), &100.into())
    );
    // It computes for 1 ms, and the kernel's work comes to that on the board.
    let response = |of: &str| sample[of].as_u64().expect("a number");
    let (here, there) = (
        response("simulated_response_max_ns"),
        response("measured_response_max_ns"),
    );
    assert_eq!(here, 1_000_000);
    assert!(there > here && there < here + 500_000, "{there}");
    let (code, printed, _) = output(&path, &["compare", "--app", ".", "--machine", machine]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("same"), "{printed}");
}

#[test]
fn an_application_does_the_same_on_a_board() {
    if has_qemu() {
        agrees("cortex-m3", "rm");
    }
}

#[test]
fn an_application_does_the_same_on_riscv() {
    if has_riscv() {
        agrees("riscv", "edf");
    }
}

#[test]
fn what_is_no_application_is_refused() {
    let (folder, path) = made(&["app"]);
    let cases: [(&[&str], &str); 6] = [
        (
            &["run", "--app", "nowhere"],
            "nowhere: expected the folder of an application",
        ),
        (&["compare", "--app", "nowhere"], "flyball new my-app"),
        (&["run", "--app", "x", "set.toml"], "cannot be used with"),
        (
            &["run", "--app", "x", "--machine", "lm3s6965"],
            "expected cortex-m3 or riscv",
        ),
        (&["run", "set.toml", "--machine", "riscv"], "--policy"),
        (&["run", "none.elf"], "none.elf: it cannot be read"),
    ];
    for (arguments, expected) in cases {
        let (code, printed, said) = output(folder.path(), arguments);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    edit(&path, "src/main.rs", "fn init() ->", "fn init() -> what");
    let (code, printed, said) = output(&path, &["run", "--app", "."]);
    assert_eq!((code, printed.as_str()), (Some(2), ""), "{said}");
    assert!(
        said.contains("the application failed") && said.contains("src/main.rs"),
        "{said}"
    );
}
