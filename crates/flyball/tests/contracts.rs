//! Every document that the command prints keeps its contract: the JSON Schema in `docs/schemas`,
//! and the type in `flyball-json` that the schema is made from.

use crate::common;

use assert_cmd::Command;
use common::{has_qemu, has_riscv};
use flyball_json as json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn example(name: &str) -> String {
    let path = top().join("examples").join(name);
    path.to_str().expect("paths here are UTF-8").to_owned()
}

/// What the command prints.
fn printed(args: &[&str]) -> Value {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    let output = command.args(args).output().expect("the command starts");
    let code = output.status.code();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0 | 1)), "{args:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|wrong| panic!("{args:?}: {wrong}"))
}

fn schema(name: &str) -> Value {
    let path = top().join("docs/schemas").join(format!("{name}.json"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// What is wrong with a document.
fn faults(name: &str, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema(name)).expect("the schema is one");
    let errors = validator.iter_errors(document);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// The document is as the schema has it, and has nothing that the type does not name.
fn keeps<T: Serialize + DeserializeOwned>(name: &str, args: &[&str]) -> Value {
    let document = printed(args);
    assert_eq!(faults(name, &document), [""; 0], "{args:?}");
    let read: T = serde_json::from_value(document.clone()).expect("it is of the type");
    let again = serde_json::to_value(read).expect("it has a JSON form");
    assert_eq!(again, document, "{args:?}");
    document
}

#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = top().join("docs/schemas");
    let mut names = Vec::new();
    for (name, schema) in json::schemas() {
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text.push('\n');
        let file = format!("{name}.json");
        if std::env::var_os("WRITE_SCHEMAS").is_some() {
            fs::write(folder.join(&file), &text).expect("the folder is there");
        }
        let written = fs::read_to_string(folder.join(&file)).unwrap_or_default();
        assert!(
            written == text,
            "docs/schemas/{file} is not the type's: run this test with WRITE_SCHEMAS=1"
        );
        names.push(file);
    }
    let there = fs::read_dir(&folder).expect("the folder is there");
    let mut there: Vec<_> = there
        .map(|entry| entry.expect("it can be read").file_name())
        .map(|name| name.into_string().expect("names are plain"))
        .collect();
    there.sort();
    names.sort();
    assert_eq!(there, names);
}

#[test]
fn a_document_that_breaks_its_contract_is_found() {
    let mut document = printed(&["policies", "--json"]);
    assert_eq!(faults("policies", &document), [""; 0]);
    document["policies"][0]["title"] = Value::Null;
    assert_eq!(faults("policies", &document).len(), 1);
    document["policies"] = "none".into();
    assert_eq!(faults("policies", &document).len(), 1);
}

#[test]
fn schedules_keep_their_contracts() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("out.fbtrace");
    let trace = trace.to_str().expect("paths here are UTF-8");
    let set = example("gap.toml");
    let study = ["study", &set, "--no-report", "--json"];
    keeps::<json::study::Study>("study", &study);
    let simulate = [
        "simulate", &set, "-p", "edf", "--trace", trace, "--until", "1s", "--json",
    ];
    keeps::<json::study::Study>("study", &simulate);
    keeps::<json::inspect::Inspected>("inspect", &["inspect", trace, "--json"]);
    let pipeline = example("pipeline.toml");
    let simulate = ["simulate", &pipeline, "-p", "pp", "--until", "1s", "--json"];
    let study = keeps::<json::study::Study>("study", &simulate);
    let path = &study["policies"][0]["simulated"]["paths"][0];
    assert_eq!(path["queues"][2], "frames", "{study}");
}

#[test]
fn answers_keep_their_contracts() {
    let folder = TempDir::new().unwrap();
    let set = folder.path().join("set.toml");
    let set = set.to_str().expect("paths here are UTF-8");
    let task = "[[task]]\nname = \"a\"\nwcet = \"2ms\"\nperiod = \"7ms\"\n";
    // Two CPUs and overheads; then a set that the tests do not cover.
    let overheads = "schema = 1\n[platform]\ncpus = 2\n[platform.overheads]\nrelease = \"10us\"\n";
    fs::write(set, format!("{overheads}{task}")).unwrap();
    let analyse = ["analyse", set, "--json"];
    let answer = keeps::<json::analyse::Analysed>("analyse", &analyse);
    assert!(
        answer["overheads"]
            .as_array()
            .is_some_and(|of| !of.is_empty())
    );
    fs::write(
        set,
        format!(
            "schema = 1\n{task}behaviour = [{{ compute = \"1ms\" }}, {{ suspend = \"1ms\" }}]\n"
        ),
    )
    .unwrap();
    let answer = keeps::<json::analyse::Analysed>("analyse", &analyse);
    assert!(answer["not_covered"].is_string(), "{answer}");
    let pipeline = example("pipeline.toml");
    let analyse = ["analyse", &pipeline, "--latency", "300ms", "--json"];
    let answer = keeps::<json::analyse::Analysed>("analyse", &analyse);
    assert!(answer["pipeline"]["stages"].is_array(), "{answer}");
}

#[test]
fn what_is_known_of_the_laboratory_keeps_its_contracts() {
    keeps::<json::policies::Policies>("policies", &["policies", "--json"]);
    keeps::<json::policies::Policies>("policies", &["policies", "pd2", "--json"]);
    keeps::<json::reproduce::Works>("works", &["reproduce", "--json"]);
    let one = [
        "reproduce",
        "miosix",
        "--only",
        "shares",
        "--no-report",
        "--json",
    ];
    keeps::<json::reproduce::Reproduction>("reproduction", &one);
}

#[test]
fn sweeps_keep_their_contract() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().expect("paths here are UTF-8");
    let study = example("studies/eight-cpus.toml");
    for shard in ["1/20", "2/20"] {
        let sweep = ["sweep", &study, "--out", out, "--shard", shard, "--json"];
        keeps::<json::sweep::Sweep>("sweep", &sweep);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn measured_costs_keep_their_contract() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("overheads.toml");
    let out = out.to_str().expect("paths here are UTF-8");
    let overheads = [
        "overheads",
        "--repetitions",
        "20",
        "--threads",
        "5",
        "--working-set",
        "4K",
        "-p",
        "edf",
        "--out",
        out,
        "--json",
    ];
    keeps::<json::overheads::Overheads>("overheads", &overheads);
}

/// One of two programs waits for memory, and the other one computes.
#[test]
fn counters_tell_programs_apart() {
    let valgrind = std::process::Command::new("valgrind")
        .arg("--version")
        .output();
    if valgrind.is_err() {
        eprintln!("skipped: valgrind, which counts where a processor does not, is not installed");
        return;
    }
    let set = example("cruise.toml");
    let command = ["overheads", "--counters", "--speeds", &set, "--json"];
    let found = keeps::<json::counters::Counters>("counters", &command);
    let row = |name: &str| {
        let mut rows = found["generators"].as_array().unwrap().iter();
        rows.find(|row| row["name"] == name).unwrap().clone()
    };
    let (waits, computes) = (row("mem"), row("alu"));
    assert_eq!(waits["is_memory_bound"], true, "{found}");
    assert_eq!(computes["is_memory_bound"], false, "{found}");
    let frequency = |row: &serde_json::Value| row["lowest_frequency_hertz"].as_u64().unwrap();
    assert!(frequency(&waits) < frequency(&computes), "{found}");
}

#[test]
fn machines_keep_their_contracts() {
    let set = example("gap.toml");
    if has_qemu() {
        let on = ["-m", "cortex-m3", "-p", "edf", "--until", "20ms", "--json"];
        let run = ["run", &set];
        keeps::<json::run::Run>("run", &[&run[..], &on].concat());
        let compare = ["compare", &set];
        keeps::<json::compare::Report>("compare", &[&compare[..], &on].concat());
        let study = ["study", &set, "--no-report"];
        let study = keeps::<json::study::Study>("study", &[&study[..], &on].concat());
        assert!(study["measured"].is_object(), "{study}");
    }
    if has_riscv() {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("counted.toml");
        let out = out.to_str().expect("paths here are UTF-8");
        let counted = [
            "overheads",
            "-m",
            "riscv",
            "-p",
            "g-edf",
            "--threads",
            "5",
            "--until",
            "50ms",
            "--harts",
            "2",
            "--out",
            out,
            "--json",
        ];
        keeps::<json::instructions::Instructions>("instructions", &counted);
    }
}
