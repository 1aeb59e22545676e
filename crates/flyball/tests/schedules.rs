//! Schedules of several policies, their numbers, and random sets for several CPUs.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    let command = command.current_dir(folder).env("LANG", "C.UTF-8");
    let output = command.args(args).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Under EDF "b" takes 4 ms each time: it comes behind a job of "a", and has the earlier deadline
/// when the next one comes.
const SET: &str = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"3ms\"\nwcet = \"1ms\"\n\
                   [[task]]\nname = \"b\"\nperiod = \"6ms\"\nwcet = \"3ms\"\ndeadline = \"5ms\"\n";

fn folder() -> TempDir {
    let folder = TempDir::new().expect("there is room for a folder");
    fs::write(folder.path().join("set.toml"), SET).expect("there is room for a file");
    folder
}

#[test]
fn several_policies_have_a_section_each_and_traces_by_name() {
    let folder = folder();
    let args = ["simulate", "set.toml", "-p", "EDF,rm", "-p", "fifo"];
    let (code, out, err) = run(
        folder.path(),
        &[&args[..], &["--trace", "out.fbtrace"]].concat(),
    );
    assert_eq!(code, 0, "EDF holds it: {err}");
    for title in [
        "Earliest deadline first",
        "Rate monotonic",
        "First in, first out",
    ] {
        assert_eq!(out.matches(title).count(), 1, "{title}\n{out}");
    }
    assert_eq!(out.matches("TASK ").count(), 3, "{out}");
    for policy in ["edf", "rm", "fifo"] {
        let trace = format!("out.{policy}.fbtrace");
        assert!(err.contains(&format!("Trace: {trace}")), "{err}");
        let (code, text, _) = run(folder.path(), &["inspect", &trace]);
        assert_eq!(code, 0);
        assert!(text.contains(&format!("under {policy}")), "{text}");
    }
    assert!(!folder.path().join("out.fbtrace").exists());
    // One policy: the file as it was named.
    let one = [
        "simulate",
        "set.toml",
        "-p",
        "edf",
        "--trace",
        "one.fbtrace",
    ];
    assert_eq!(run(folder.path(), &one).0, 0);
    assert!(folder.path().join("one.fbtrace").exists());
    let (code, out, err) = run(folder.path(), &["simulate", "set.toml"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
}

#[test]
fn a_program_gets_what_the_table_has() {
    let folder = folder();
    let json = |args: &[&str]| -> Value {
        let (_, out, err) = run(folder.path(), args);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"))
    };
    let until = ["--until", "600ms"];
    let both = [
        "simulate",
        "set.toml",
        "-p",
        "edf,fifo",
        "--json",
        "--trace",
        "t.fbtrace",
    ];
    let document = json(&[&both[..], &until].concat());
    assert_eq!(document["schema"], 1);
    assert_eq!(document["file"], "set.toml");
    assert_eq!(document["utilisation_ppm"], 833_333);
    assert_eq!(document["hyperperiod_ns"], 6_000_000);
    let names: Vec<_> = document["policies"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names
        .iter()
        .map(|it| it["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["edf", "fifo"]);
    let edf = &document["policies"][0];
    assert_eq!(edf["simulated"]["busy_ppm"], 833_333);
    let b = &edf["tasks"][1];
    assert_eq!(b["completed"], 100);
    assert_eq!(b["deadline_ns"], 5_000_000);
    for (key, ns) in [
        ("min", 4),
        ("mean", 4),
        ("p50", 4),
        ("p95", 4),
        ("p99", 4),
        ("max", 4),
    ] {
        assert_eq!(
            b[format!("response_{key}_ns")],
            ns * 1_000_000,
            "{key}: {b}"
        );
    }
    // The study, the simulation and the trace say the same of a task.
    let study = [
        "study",
        "set.toml",
        "-p",
        "edf,fifo",
        "--no-report",
        "--json",
    ];
    let study = json(&[&study[..], &until].concat());
    let inspected = json(&["inspect", "t.fifo.fbtrace", "--json"]);
    for task in 0..2 {
        let simulated = &document["policies"][1]["tasks"][task];
        assert_eq!(simulated, &study["policies"][1]["tasks"][task]);
        let numbers = inspected["tasks"][task].as_object().unwrap();
        assert!(numbers.len() > 15, "{numbers:?}");
        for (key, value) in numbers {
            assert_eq!(&simulated[key], value, "{key}");
        }
    }
}

#[test]
fn the_spread_of_response_times_is_shown() {
    let folder = TempDir::new().expect("there is room for a folder");
    let set = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"100ms\"\n\
               behaviour = [{ compute = { uniform = [\"1ms\", \"50ms\"] } }]\n";
    fs::write(folder.path().join("set.toml"), set).expect("there is room for a file");
    let simulate = ["simulate", "set.toml", "-p", "fifo", "--until", "1000s"];
    let (_, text, _) = run(folder.path(), &[&simulate[..], &["--no-chart"]].concat());
    let head = text.lines().find(|line| line.starts_with("TASK"));
    let columns: Vec<_> = head.unwrap_or_default().split_whitespace().collect();
    let responses = ["MIN", "MEAN", "P50", "P95", "P99", "MAX"];
    assert_eq!(columns[3..9], responses, "{text}");
    assert!(text.contains("nearest rank"), "{text}");
    let (_, out, _) = run(folder.path(), &[&simulate[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).expect("it prints JSON");
    let task = &document["policies"][0]["tasks"][0];
    // Of ten thousand uniform lengths.
    for (percent, expected) in [(50, 25.5), (95, 47.55), (99, 49.51)] {
        let found = task[format!("response_p{percent}_ns")]
            .as_f64()
            .unwrap_or(0.0)
            / 1e6;
        assert!(
            (found - expected).abs() < 1.0,
            "{percent}: {found} {expected}"
        );
    }
}

#[test]
fn a_random_set_has_the_cpus_that_were_asked_for_and_says_if_it_cannot_hold() {
    let folder = TempDir::new().expect("there is room for a folder");
    let generate = |more: &[&str]| {
        let (code, out, err) = run(
            folder.path(),
            &[&["generate", "--seed", "3"], more].concat(),
        );
        assert_eq!(code, 0, "{err}");
        (out, err)
    };
    let (four, err) = generate(&["-u", "3.2", "--cpus", "4"]);
    assert_eq!(err, "");
    assert!(four.contains("[platform]\ncpus = 4\n"), "{four}");
    let (one, err) = generate(&["-u", "3.2"]);
    assert_eq!(
        err.trim(),
        "No policy can hold this set: the tasks ask for 3.2000 of 1 CPU."
    );
    assert_eq!(generate(&["-u", "3.2", "-q"]).1, "");
    let tasks = |text: &str| {
        text.split_once("[[task]]")
            .map(|(_, tasks)| tasks.to_owned())
    };
    assert_eq!(tasks(&one), tasks(&four));
    let (code, out, err) = run(folder.path(), &["generate", "--cpus", "0"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
}
