//! `flyball reproduce` as a user types it.

use crate::common;

use assert_cmd::Command;
use common::has_qemu;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

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
fn without_a_name_it_says_what_there_is() {
    let (code, out, _) = run(&["reproduce"]);
    assert_eq!(code, 0);
    assert!(out.contains("miosix") && out.contains("blocking"), "{out}");
    let (code, out, _) = run(&["reproduce", "--json"]);
    let works: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &works["works"][0]["name"]), (0, &"miosix".into()));
    assert_eq!(works["schema"], 1);
}

#[test]
fn what_is_not_there_is_refused() {
    let (code, out, error) = run(&["reproduce", "moisix"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        error.contains("moisix") && error.contains("miosix"),
        "{error}"
    );
    let (code, _, error) = run(&["reproduce", "miosix", "--data", "no-such-folder"]);
    assert_eq!(code, 2);
    assert!(error.contains("no-such-folder"), "{error}");
    assert_eq!(run(&["reproduce", "miosix", "--machine", "z80"]).0, 2);
    let (code, _, error) = run(&["reproduce", "miosix", "--only", "blocking,sharks"]);
    assert_eq!(code, 2);
    assert!(
        error.contains("sharks") && error.contains("shares"),
        "{error}"
    );
    for nothing in ["", ",", "shares,", "Shares"] {
        let (code, _, error) = run(&["reproduce", "miosix", "--only", nothing]);
        assert_eq!(code, 2, "{nothing:?}");
        assert!(error.contains("there is no experiment \""), "{error}");
    }
    // Of which work?
    for args in [
        ["--only", "shares"],
        ["--machine", "cortex-m3"],
        ["--data", "."],
    ] {
        assert_eq!(run(&["reproduce", args[0], args[1]]).0, 2, "{args:?}");
    }
}

#[test]
fn an_experiment_is_done_once_and_where_it_can_be() {
    let args = ["reproduce", "miosix", "--no-report", "--json", "--only"];
    let (code, out, error) = run(&[&args[..], &["shares,set-point,shares"]].concat());
    assert_eq!(code, 0, "{error}");
    let json: Value = serde_json::from_str(&out).unwrap();
    let names = json["experiments"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|one| one["name"].as_str().unwrap()).collect();
    // In the work's order.
    assert_eq!(names, ["set-point", "shares"]);
    let on = ["set-point", "--machine", "cortex-m3"];
    let (code, out, error) = run(&[&args[..], &on].concat());
    assert_eq!(code, 0, "{error}");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["experiments"][0]["on_machine"], false);
    let notes = json["notes"].as_array().unwrap();
    let said = |note: &Value| note.as_str().unwrap().contains("Nothing of this ran");
    assert!(notes.iter().any(said), "{notes:?}");
}

/// Ctrl-C: no half of a report.
#[cfg(unix)]
#[test]
fn an_interrupted_reproduction_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("report");
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("flyball"))
        .args(["reproduce", "miosix", "--out"])
        .arg(&out)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    // The shell has a `kill` of its own; the program may not be installed.
    let kill = format!("kill -INT {}", child.id());
    let killed = std::process::Command::new("sh")
        .args(["-c", &kill])
        .status();
    assert!(killed.unwrap().success(), "it was over too early");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("nothing was written"), "{said}");
    assert!(!out.exists());
}

/// What is quick enough; all of it is a command: `flyball reproduce miosix --machine cortex-m3`.
#[test]
fn the_board_has_the_simulations_verdicts() {
    const QUICK: &str = "blocking,shares,parallel";
    if !has_qemu() {
        return;
    }
    let verdicts = |machine: &[&str]| -> Vec<(String, String)> {
        let mut args = vec![
            "reproduce",
            "miosix",
            "--only",
            QUICK,
            "--no-report",
            "--json",
        ];
        args.extend(machine);
        let (code, out, error) = run(&args);
        assert_eq!(code, 0, "{error}");
        let json: Value = serde_json::from_str(&out).unwrap();
        let experiments = json["experiments"].as_array().unwrap();
        assert_eq!(experiments.len(), 3);
        for experiment in experiments {
            assert_eq!(experiment["on_machine"], !machine.is_empty());
        }
        let claims = experiments
            .iter()
            .flat_map(|one| one["claims"].as_array().unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        claims
            .map(|claim| (text(&claim["claim"]), text(&claim["verdict"])))
            .collect()
    };
    let simulated = verdicts(&[]);
    for machine in ["cortex-m3", "cortex-m3-62mips"] {
        assert_eq!(verdicts(&["--machine", machine]), simulated, "{machine}");
    }
}

#[test]
fn miosix_has_every_claim_and_every_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let (code, out, error) = run(&["reproduce", "miosix", "--out", path, "--json", "--png"]);
    assert_eq!(code, 0, "a claim that differs is no failure: {error}");
    // Pictures have all letters.
    assert!(!error.contains("the font for PNG has no"), "{error}");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&json["schema"], &json["machine"]),
        (&1.into(), &Value::Null)
    );
    let experiments = json["experiments"].as_array().unwrap();
    let claims = |name: &str| {
        let found = experiments.iter().find(|one| one["name"] == name).unwrap();
        found["claims"].as_array().unwrap().len()
    };
    let counts = ["set-point", "blocking", "shares", "parallel", "series"].map(claims);
    assert_eq!(counts, [8, 11, 6, 13, 5]);
    let all = experiments
        .iter()
        .map(|one| one["claims"].as_array().unwrap().len());
    let all: usize = all.sum();
    let tally = ["holds", "differs", "not_comparable"].map(|word| json[word].as_u64().unwrap());
    assert_eq!(tally.iter().sum::<u64>(), all as u64);
    for claim in experiments
        .iter()
        .flat_map(|one| one["claims"].as_array().unwrap())
    {
        assert_eq!(
            claim["reason"].is_null(),
            claim["verdict"] == "holds",
            "{claim}"
        );
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("claims.csv").lines().count(), all + 1);
    let page = read("report.html");
    assert_eq!(page.matches("<td class=\"claim\">").count(), all);
    let mut figures = 0;
    for figure in experiments
        .iter()
        .flat_map(|one| one["figures"].as_array().unwrap())
    {
        let svg = read(figure["svg"].as_str().unwrap());
        assert!(svg.contains("</svg>") && page.contains(figure["svg"].as_str().unwrap()));
        assert!(read(figure["csv"].as_str().unwrap()).lines().count() > 2);
        let picture = figure["svg"].as_str().unwrap().replace(".svg", ".png");
        let png = fs::read(folder.path().join(picture)).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
        figures += 1;
    }
    assert!(figures >= 4);
}

#[test]
fn the_table_has_three_verdicts_and_no_report_is_written() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::cargo_bin("flyball").unwrap();
    let output = command
        .args(["reproduce", "miosix", "--no-report", "--only", "parallel"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [
        "CLAIM",
        "✓ holds",
        "✗ differs",
        "≠ not comparable",
        "digits have changed",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!Path::new(folder.path()).join("flyball-report").exists());
}
