//! The command `sweep` as a user types it: killed and resumed, interrupted, refused.

use assert_cmd::cargo::CommandCargoExt;
use flyball::sweep::simulate::{Count, counts};
use flyball::sweep::store::Files;
use flyball::sweep::unit::{Tools, units};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Takes one core a second or so.
const STUDY: &str = r#"
    schema = 1
    cpus = 8
    caps = { from = 5.0, to = 7.5, step = 0.5 }
    sets = 120
    batch = 20
    tests = ["GFB", "RTA", "P-EDF"]
    [[scenario]]
    periods = ["short", "long"]
    utilisations = ["uniform-light", "bimodal-light"]
    slack = 0.07
"#;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    command
        .current_dir(folder)
        .env("LANG", "C.UTF-8")
        .args(args);
    command
}

/// Exit code, standard output and standard error.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(folder, args).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("s.toml"), STUDY).unwrap();
    folder
}

/// All files but the lock: their paths in the folder, and their bytes.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("lock") {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                all.insert(name, fs::read(path).unwrap());
            }
        }
    }
    all
}

/// The same sets, simulated. It takes one core a second or two.
const SIMULATE: &str = r#"
    [simulate]
    policies = ["g-edf", "p-edf", "g-rm"]
    horizon = "60ms"
    phases = "random"
    execution = [0.7, 1.0]
    seeds = 2
"#;

/// Killed at random moments and resumed until it is done, the results are those of a sweep that
/// nothing disturbed, byte for byte. `SOAK` says that more sweeps are killed this way.
#[test]
fn killed_and_resumed_is_as_if_nothing_had_been() {
    let kills = std::env::var("SOAK").map_or(8, |_| 50);
    is_killed_and_resumed(STUDY, 4 * 6 * 6 + 1, kills);
}

#[test]
fn killed_while_it_simulates_and_resumed_is_as_if_nothing_had_been() {
    let kills = std::env::var("SOAK").map_or(20, |_| 100);
    let text = STUDY
        .replace("sets = 120", "sets = 4")
        .replace("batch = 20", "batch = 2");
    is_killed_and_resumed(&format!("{text}{SIMULATE}"), 4 * 6 * 2 + 1, kills);
}

/// A study whose results have so many files, killed so often at least.
fn is_killed_and_resumed(study: &str, files: usize, kills: u32) {
    let folder = folder();
    fs::write(folder.path().join("s.toml"), study).unwrap();
    let begun = Instant::now();
    let (code, _, err) = run(
        folder.path(),
        &["sweep", "s.toml", "--out", "whole", "--quiet"],
    );
    assert_eq!(code, 0, "{err}");
    let whole = begun.elapsed();
    let expected = bytes(&folder.path().join("whole"));
    assert_eq!(expected.len(), files);
    let (mut random, mut killed, mut round) = (0x2545_f491_4f6c_dd1d_u64, 0, 0);
    while killed < kills {
        let out = format!("out-{round}");
        let args = [
            "sweep",
            "s.toml",
            "--out",
            &out,
            "--quiet",
            "--threads",
            "2",
        ];
        loop {
            let mut child = command(folder.path(), &args)
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            // xorshift64: any moments will do.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let part = f64::from(u32::try_from(random >> 32).unwrap()) / f64::from(u32::MAX);
            let until = Instant::now() + whole.mul_f64(part * 0.6);
            while Instant::now() < until && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = child.kill();
            let status = child.wait().unwrap();
            if status.success() {
                break;
            }
            killed += 1;
        }
        assert_eq!(bytes(&folder.path().join(&out)), expected, "round {round}");
        round += 1;
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_finished() {
    let folder = folder();
    let text = STUDY.replace("sets = 120", "sets = 100000");
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let child = command(folder.path(), &["sweep", "s.toml", "--out", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let scenario = folder.path().join("out/short-uniform-light");
    let begun = Instant::now();
    while fs::read_dir(&scenario).map_or(0, Iterator::count) < 3 {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "nothing gets finished"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("of 120000 units are finished, and the same command goes on"),
        "{err}"
    );
    assert!(bytes(&folder.path().join("out")).len() >= 4);
    let (code, out, _) = run(
        folder.path(),
        &[
            "sweep", "s.toml", "--out", "out", "--shard", "1/100000", "--json",
        ],
    );
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["units"]["left"], 0);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder();
    let at = folder.path();
    let (code, ..) = run(
        at,
        &[
            "sweep", "s.toml", "--out", "out", "--shard", "1/40", "--quiet",
        ],
    );
    assert_eq!(code, 0);
    let before = bytes(&at.join("out"));
    let cases: &[(&str, &str, &str)] = &[
        (
            "cpus = 8",
            "cpus = 0",
            "s.toml:3:12: cpus: expected a whole number from 1 to 128, found 0",
        ),
        (
            "from = 5.0",
            "from = 0.0005",
            "caps: from: expected a number of CPUs",
        ),
        (
            "to = 7.5",
            "to = 9.0",
            "s.toml:4:31: caps: to: the cap 9.0 is above the number of CPUs",
        ),
        (
            "to = 7.5",
            "to = 7.6",
            "s.toml:4:31: caps: to: the steps end at 7.5, not at 7.6",
        ),
        (
            "slack = 0.07",
            "slack = 7",
            "scenario 1: slack: the slack 7.0 is larger than the cap 5.0",
        ),
        (
            "\"uniform-light\"",
            "{ name = \"x\", uniform = [0.9, 0.1] }",
            "the least is above the most",
        ),
        (
            "\"uniform-light\"",
            "{ name = \"x\", uniform = [5.5, 6] }",
            "expected a part of a CPU",
        ),
        ("\"RTA\"", "\"RAT\"", "there is no test \"RAT\""),
        (
            "sets = 120",
            "sets = 121",
            "out has the results of another study",
        ),
    ];
    for (word, instead, says) in cases {
        fs::write(at.join("s.toml"), STUDY.replacen(word, instead, 1)).unwrap();
        let (code, out, err) = run(at, &["sweep", "s.toml", "--out", "out"]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with("error: ") && err.contains(says), "{err}");
        assert_eq!(bytes(&at.join("out")), before);
    }
    // A cap that no set can come down to.
    let text = STUDY
        .replace("{ from = 5.0, to = 7.5, step = 0.5 }", "[0.2, 5.0]")
        .replace("\"bimodal-light\"", "\"uniform-heavy\"");
    fs::write(at.join("s.toml"), text).unwrap();
    let (code, _, err) = run(at, &["sweep", "s.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains(
            "uniform-heavy: no set of tasks that use 0.5 and more comes up to the cap 0.2"
        ),
        "{err}"
    );
    for shard in ["0/3", "4/3", "1", "x/y", "1/0"] {
        let (code, _, err) = run(at, &["sweep", "s.toml", "--shard", shard]);
        assert_eq!(code, 2);
        assert!(err.contains("expected a part and of how many"), "{err}");
    }
}

/// With one cap of six a weighted number would be of something else, so there is none.
#[test]
fn what_is_not_finished_does_not_look_like_a_result() {
    let folder = folder();
    let at = folder.path();
    // Batches of 20 of 20 sets: a unit is a cap.
    fs::write(at.join("s.toml"), STUDY.replace("sets = 120", "sets = 20")).unwrap();
    let args = ["sweep", "s.toml", "--out", "out", "--shard", "1/24"];
    let (code, out, err) = run(at, &args);
    assert_eq!(code, 0, "{err}");
    let row = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(name));
        line.unwrap().split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(
        row("short-uniform-light")[1..],
        ["1", "of", "6", "–", "–", "–"],
        "{out}"
    );
    assert_eq!(row("long-bimodal-light")[1..4], ["0", "of", "6"]);
    assert!(out.contains("1 of 24 units are finished"), "{out}");
    assert!(out.contains("–: not known before all caps"), "{out}");
    assert!(out.contains("of the sets that are judged so far."), "{out}");
    let (code, ..) = run(at, &["plot", "out", "--out", "page"]);
    assert_eq!(code, 0);
    let weighted = fs::read_to_string(at.join("page/weighted.csv")).unwrap();
    assert_eq!(weighted, "scenario,test,weighted,low,high\n");
    let (_, out, _) = run(at, &[&args[..4], &["--json", "--shard", "1/24"]].concat());
    let document: Value = serde_json::from_str(&out).unwrap();
    let first = &document["weighted"][0];
    assert_eq!(first["caps"]["finished"], 1);
    assert_eq!(first["caps"]["of"], 6);
    assert_eq!(first["weighted"], Value::Null);
    // All of it: no word of caps.
    let (code, out, _) = run(at, &args[..4]);
    assert_eq!(code, 0);
    assert!(!out.contains("CAPS") && !out.contains('–'), "{out}");
    assert!(!out.contains("so far"), "{out}");
    let (_, out, _) = run(at, &[&args[..4], &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).unwrap();
    let numbers = document["weighted"].as_array().unwrap();
    assert_eq!(numbers.len(), 4 * 3);
    for it in numbers {
        let [low, value, high] = ["low", "weighted", "high"].map(|name| it[name].as_f64().unwrap());
        assert!(low <= value && value <= high && low < high, "{it}");
        assert_eq!(it["overheads"], Value::Null);
    }
}

const OVERHEADS: &str = "schema = 1\n[provenance]\nprocessor = \"p\"\n\
    [[measured]]\npolicy = \"g-edf\"\nstatistic = \"worst\"\n[measured.overheads]\nrelease = \"900us\"\n\
    [[measured]]\npolicy = \"p-edf\"\nstatistic = \"worst\"\n[measured.overheads]\nrelease = \"900us\"\n\
    [[cache]]\nafter = \"preemption\"\nstatistic = \"worst\"\nby_working_set = { 4096 = \"9us\" }\n";

/// A study of overheads says at once what they cost, and to programs with each working set.
#[test]
fn what_overheads_cost_is_printed() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("o.toml"), OVERHEADS).unwrap();
    let charge = "[[overheads]]\nname = \"theirs\"\nfile = \"o.toml\"\nworking_sets = [4096]\n";
    let small = STUDY.replace("sets = 120", "sets = 20");
    fs::write(at.join("s.toml"), format!("{small}{charge}")).unwrap();
    let args = ["sweep", "s.toml", "--out", "out"];
    let (code, out, err) = run(at, &args);
    assert_eq!(code, 0, "{err}");
    let begins = |from: &str| {
        let rest = &out[out.find(from).unwrap_or_else(|| panic!("no {from}: {out}"))..];
        let line = rest
            .lines()
            .find(|line| line.starts_with("short-uniform-light"));
        let last = line.unwrap().split_whitespace().last().unwrap();
        last.parse::<f64>().unwrap()
    };
    let (free, paid) = (
        begins("Without overheads"),
        begins("With overheads: theirs"),
    );
    // Many light tasks with 900 µs more each do not fit.
    assert!(free > 0.9 && paid < 0.5, "{out}");
    assert!(
        out.contains("by working set: `flyball plot`, or --json"),
        "{out}"
    );
    let (_, out, _) = run(at, &[&args[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).unwrap();
    let numbers = document["weighted"].as_array().unwrap();
    assert_eq!(numbers.len(), 4 * 9);
    let found = |working_set: Value| {
        numbers.iter().find(|it| {
            it["scenario"] == "short-uniform-light"
                && it["test"] == "P-EDF"
                && it["overheads"] == "theirs"
                && it["working_set"] == working_set
        })
    };
    let number = found(Value::Null).unwrap()["weighted"].as_f64().unwrap();
    assert!((number - paid).abs() < 6e-4, "{number} {paid}");
    assert!(found(4096.into()).is_some());
}

/// No message says to remove results, and a file is no folder.
#[test]
fn folders_that_are_not_those_meant() {
    let folder = folder();
    let at = folder.path();
    let small = STUDY.replace("sets = 120", "sets = 20");
    for (name, study) in [
        ("one", small.clone()),
        ("two", small.replace("cpus = 8", "cpus = 9")),
    ] {
        fs::write(at.join("s.toml"), study).unwrap();
        let args = ["sweep", "s.toml", "--out", name, "--shard", "1/24"];
        let (code, _, err) = run(at, &args);
        assert_eq!(code, 0, "{err}");
    }
    let (code, _, err) = run(at, &["plot", "one", "two", "--out", "page"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("one and two have the results of different studies"),
        "{err}"
    );
    assert!(
        !err.contains("remove") && err.contains("name the folders of one study"),
        "{err}"
    );
    fs::write(at.join("afile"), "mine").unwrap();
    for args in [
        ["sweep", "s.toml", "--out", "afile"],
        ["sweep", "s.toml", "--out", "afile/deeper"],
        ["plot", "one", "--out", "afile"],
        ["plot", "one", "--out", "afile/deeper"],
    ] {
        let (code, out, err) = run(at, &args);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(
            err.contains("afile") && err.contains("is a file, not a folder"),
            "{err}"
        );
        assert!(
            err.contains("with --out") && !err.contains("os error"),
            "{err}"
        );
        assert_eq!(fs::read_to_string(at.join("afile")).unwrap(), "mine");
    }
}

/// A set of a sweep, written to a file: `flyball simulate` counts the same, policy by policy.
#[test]
fn what_a_sweep_counts_is_what_simulate_says() {
    let folder = folder();
    let at = folder.path();
    let text = STUDY
        .replace("sets = 120", "sets = 4")
        .replace("{ from = 5.0, to = 7.5, step = 0.5 }", "[1.9]")
        .replace("cpus = 8", "cpus = 2")
        .replace("light", "medium");
    let text = format!(
        "{text}{}",
        SIMULATE
            .replace("seeds = 2", "seeds = 1")
            .replace("[0.7, 1.0]", "[0.9, 1.0]")
            .replace("60ms", "300ms")
            .replace("g-rm", "g-fifo")
    );
    fs::write(at.join("s.toml"), text).unwrap();
    let (code, _, err) = run(at, &["sweep", "s.toml", "--out", "out", "--quiet"]);
    assert_eq!(code, 0, "{err}");
    let registry = flyball::study::Registry::standard();
    let (study, files) = Files::of(&at.join("out")).unwrap();
    let tools = Tools::new(&registry, &study).unwrap();
    let simulations = study.simulate.as_ref().unwrap();
    let names: Vec<&str> = counts(simulations).into_iter().map(Count::name).collect();
    let (mut compared, mut misses) = (0, 0);
    for unit in units(&study) {
        for row in files.rows(&study, unit).unwrap().unwrap() {
            let (set, seed) = unit.task_set(&tools, row.set, 0).unwrap().unwrap();
            fs::write(at.join("set.toml"), flyball::model::to_toml(&set)).unwrap();
            for (policy, found) in simulations.policies.iter().zip(&row.simulated) {
                let Ok(found) = found else { continue };
                let seed = seed.to_string();
                let args = [
                    "simulate", "set.toml", "--policy", policy, "--until", "300ms", "--seed",
                    &seed, "--json",
                ];
                let (code, out, err) = run(at, &args);
                assert!(code < 2, "{err}");
                let document: Value = serde_json::from_str(&out).unwrap();
                let simulated = &document["policies"][0]["simulated"];
                for (name, key) in [
                    ("completed", "jobs"),
                    ("misses", "misses"),
                    ("preemptions", "preemptions"),
                    ("switches", "context_switches"),
                    ("migrations", "job_migrations"),
                ] {
                    let place = names.iter().position(|it| *it == name).unwrap();
                    assert_eq!(
                        simulated[key].as_u64(),
                        Some(found[place]),
                        "{policy} {name}"
                    );
                }
                misses += simulated["misses"].as_u64().unwrap();
                compared += 1;
            }
        }
    }
    assert!(compared > 30 && misses > 0, "{compared} {misses}");
}

/// What is wrong with what is to be simulated, with its place; no folder is made.
#[test]
fn simulations_that_cannot_be_are_refused() {
    let folder = folder();
    let at = folder.path();
    let cases = [
        (
            "\"g-rm\"",
            "\"g-rmm\"",
            "s.toml:14:35: simulate: policies: there is no policy \"g-rmm\"",
        ),
        (
            "horizon = \"60ms\"",
            "horizon = \"600s\"",
            "s.toml:15:15: simulate: horizon: a set of short-uniform-light with the cap 7.5 may have",
        ),
        (
            "seeds = 2",
            "seeds = 2\n[policies.g-edf]\nqeue = 1",
            "s.toml:20:1: policies.g-edf: qeue: the policy has no such setting",
        ),
        (
            "seeds = 2",
            "measures = [\"energy\"]",
            "simulate: measures: the energy is not known without powers",
        ),
    ];
    for (word, instead, says) in cases {
        let text = format!("{STUDY}{}", SIMULATE.replacen(word, instead, 1));
        fs::write(at.join("s.toml"), text).unwrap();
        let (code, out, err) = run(at, &["sweep", "s.toml", "--out", "out"]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with("error: ") && err.contains(says), "{err}");
        assert!(!at.join("out").exists());
    }
}

/// A study without tests has no numbers of tests, but what was counted: for people, for programs
/// and as figures.
#[test]
fn a_study_may_only_simulate() {
    let folder = folder();
    let at = folder.path();
    let text = STUDY
        .replace("sets = 120", "sets = 4")
        .replace("tests = [\"GFB\", \"RTA\", \"P-EDF\"]", "");
    fs::write(at.join("s.toml"), format!("{text}{SIMULATE}")).unwrap();
    let args = ["sweep", "s.toml", "--out", "out", "--wide"];
    let (code, out, err) = run(at, &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Simulated, over all caps"), "{out}");
    assert!(
        out.contains("SETS WITH MISSES") && !out.contains("Weighted"),
        "{out}"
    );
    assert!(
        out.contains("does not prove that a set is schedulable"),
        "{out}"
    );
    let (_, out, _) = run(at, &[&args[..4], &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["weighted"].as_array().unwrap().len(), 0);
    let simulated = document["simulated"].as_array().unwrap();
    // Scenarios, caps, policies; two counts of jobs and nine measures.
    assert_eq!(simulated.len(), 4 * 6 * 3 * 11);
    for it in simulated {
        let sets = it["sets"].as_u64().unwrap() + it["refused"].as_u64().unwrap();
        assert_eq!(sets, 4, "{it}");
    }
    let (code, _, err) = run(at, &["plot", "out", "--out", "page"]);
    assert_eq!(code, 0, "{err}");
    let files = bytes(&at.join("page"));
    assert!(files.contains_key(Path::new("simulated.csv")));
    assert!(!files.contains_key(Path::new("ratios.csv")));
    // Nine measures, two kinds of periods, and two of utilisations.
    let figures = files
        .keys()
        .filter(|path| path.extension().is_some_and(|it| it == "svg"));
    assert_eq!(figures.count(), 9 * 4);
}

#[test]
fn the_example_that_simulates_is_a_study() {
    let folder = TempDir::new().unwrap();
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/studies/simulated.toml");
    let example = example.to_str().unwrap();
    let args = ["sweep", example, "--out", "out", "--shard", "1/44"];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("of 88 units are finished"), "{out}");
}

/// A part of it, in which all acceptances are compared.
#[test]
fn the_example_that_soaks_compares() {
    let folder = TempDir::new().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/studies/soak.toml");
    let example = example.to_str().unwrap();
    let args = ["sweep", example, "--out", "out", "--shard", "3/468"];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("1 of 468 units are finished"), "{out}");
    assert!(
        out.contains("acceptances by tests with simulations of the same sets: no contradiction."),
        "{out}"
    );
}

/// A unit has numbers that no simulation gives, but whose checksum is right.
#[test]
fn a_simulation_that_contradicts_a_test_is_a_fault() {
    let folder = folder();
    let text = format!("{STUDY}{SIMULATE}").replace("sets = 120", "sets = 20");
    fs::write(folder.path().join("s.toml"), &text).unwrap();
    let registry = flyball::Registry::standard();
    let study = flyball::sweep::parse(&registry, &text, "s.toml").unwrap();
    let tools = Tools::new(&registry, &study).unwrap();
    let unit = units(&study)[0];
    let mut rows = unit.work(&tools, |_| true).unwrap().unwrap();
    let misses = counts(study.simulate.as_ref().unwrap());
    let misses = misses.iter().position(|it| it.name() == "misses").unwrap();
    let expected = rows.iter().filter(|row| row.verdicts[2] == Some(true));
    let expected = expected.count();
    assert!(expected > 10);
    for row in &mut rows {
        row.simulated[1].as_mut().unwrap()[misses] = 1;
    }
    let out = folder.path().join("out");
    let store = flyball::sweep::store::Store::open(&study, &out).unwrap();
    store.put(&study, unit, &rows).unwrap();
    drop(store);
    let args = ["sweep", "s.toml", "--out", "out", "--shard", "1/24"];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!((code, err.as_str()), (3, ""));
    let said = format!("Simulations contradict {expected} of ");
    assert!(out.contains(&said), "{out}");
    let first =
        "short-uniform-light, cap 5.0, set 0: P-EDF accepts it, and p-edf misses a deadline";
    assert!(out.contains(first), "{out}");
    assert!(
        out.contains(&format!("and {} more", expected - 10)),
        "{out}"
    );
    let (code, out, _) = run(folder.path(), &[&args[..], &["--json"]].concat());
    assert_eq!(code, 3);
    let json: Value = serde_json::from_str(&out).unwrap();
    let found = json["compared"]["contradictions"].as_array().unwrap();
    assert_eq!(found.len(), expected);
    assert_eq!(found[0]["policy"], "p-edf");
    assert_eq!(found[0]["misses"], 1);
    let (code, out, _) = run(folder.path(), &["plot", "out", "--out", "page"]);
    assert_eq!(code, 0);
    assert!(out.contains(first), "{out}");
}

#[test]
fn the_example_is_a_study() {
    let folder = TempDir::new().unwrap();
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/studies/eight-cpus.toml");
    let args = [
        "sweep",
        example.to_str().unwrap(),
        "--out",
        "out",
        "--shard",
        "1/150",
    ];
    let (code, out, err) = run(folder.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("1 of 150 units are finished, 1 of them now."),
        "{out}"
    );
}

#[test]
fn two_sweeps_in_one_folder_are_one_too_many() {
    let folder = folder();
    let text = STUDY.replace("sets = 120", "sets = 100000");
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let args = ["sweep", "s.toml", "--out", "out", "--quiet"];
    let mut first = command(folder.path(), &args)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("out/study.toml").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first one ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (code, _, err) = run(folder.path(), &args);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(code, 2);
    assert!(err.contains("another sweep is writing to out"), "{err}");
    // The lock goes with the process that held it.
    let (code, _, err) = run(
        folder.path(),
        &["sweep", "s.toml", "--out", "out", "--shard", "7/120000"],
    );
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_file_cut_in_half_is_named_and_computed_again() {
    let folder = folder();
    let args = ["sweep", "s.toml", "--out", "out", "--shard", "1/20"];
    assert_eq!(run(folder.path(), &args).0, 0);
    let out = folder.path().join("out");
    let expected = bytes(&out);
    let (name, whole) = expected
        .iter()
        .find(|(path, _)| path.extension().unwrap() == "parquet")
        .unwrap();
    fs::write(out.join(name), &whole[..whole.len() / 2]).unwrap();
    let (code, _, err) = run(folder.path(), &args);
    assert_eq!(code, 0);
    assert!(
        err.contains(name.to_str().unwrap()) && err.contains("computed again"),
        "{err}"
    );
    assert_eq!(bytes(&out), expected);
}

/// Two shards, each in its own folder, are plotted together.
#[test]
fn what_was_found_is_plotted() {
    let folder = folder();
    let at = folder.path();
    let small = STUDY.replace("sets = 120", "sets = 20");
    let overheads = "schema = 1\n[provenance]\nprocessor = \"p\"\n\
        [[measured]]\npolicy = \"g-edf\"\nstatistic = \"worst\"\n[measured.overheads]\nrelease = \"40us\"\n\
        [[measured]]\npolicy = \"p-edf\"\nstatistic = \"worst\"\n[measured.overheads]\nrelease = \"40us\"\n\
        [[cache]]\nafter = \"preemption\"\nstatistic = \"worst\"\nby_working_set = { 4096 = \"9us\" }\n";
    fs::write(at.join("o.toml"), overheads).unwrap();
    let charge = "[[overheads]]\nname = \"theirs\"\nfile = \"o.toml\"\nworking_sets = [4096]\n";
    fs::write(at.join("s.toml"), format!("{small}{charge}")).unwrap();
    let (code, _, err) = run(at, &["plot", "one"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no study in one"), "{err}");
    for (shard, out) in [("1/2", "one"), ("2/2", "two")] {
        let (code, _, err) = run(at, &["sweep", "s.toml", "--shard", shard, "--out", out]);
        assert_eq!(code, 0, "{err}");
    }
    let (code, out, _) = run(at, &["plot", "one", "--out", "half"]);
    assert_eq!(
        (code, out.lines().next()),
        (0, Some("12 of 24 units, 8 figures"))
    );
    let (code, out, _) = run(at, &["plot", "one", "two", "--out", "all"]);
    assert_eq!(
        (code, out.lines().next()),
        (0, Some("24 of 24 units, 8 figures"))
    );
    let read = |name: &str| fs::read_to_string(at.join("all").join(name)).unwrap();
    let ratios = read("ratios.csv");
    // Four scenarios, six caps; three tests without overheads, with them, and with a working set.
    assert_eq!(ratios.lines().count(), 1 + 4 * 6 * 9);
    assert!(
        ratios.contains("long-uniform-light,5.0,P-EDF,20,20,0,1.000000,0.838875,1.000000\n"),
        "{ratios}"
    );
    assert!(ratios.contains(",\"RTA + theirs, 4 KB\",20,"));
    assert_eq!(read("weighted.csv").lines().count(), 1 + 4 * 9);
    let page = read("report.html");
    assert!(page.contains("P-EDF + theirs") && page.contains("weighted-short-bimodal.svg"));
    assert!(!page.contains("not finished"));
    assert!(
        fs::read_to_string(at.join("half/report.html"))
            .unwrap()
            .contains("not finished: 12 of 24")
    );
    assert!(read("ratio-long-uniform.svg").contains("line dashes"));
    drawn_as_pixels(at, "all");
    // A file that was cut is named, and nothing is written.
    let cut = fs::read_dir(at.join("two/long-bimodal-light"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::write(&cut, "PAR1").unwrap();
    let (code, _, err) = run(at, &["plot", "one", "two", "--out", "no"]);
    assert_eq!(code, 2);
    assert!(
        err.contains(cut.file_name().unwrap().to_str().unwrap()),
        "{err}"
    );
    assert!(
        err.contains("computes it again") && !at.join("no").exists(),
        "{err}"
    );
}

/// `plot --png`: a picture beside each figure, the same in each run, as large as it is asked to be;
/// all else as without it.
fn drawn_as_pixels(at: &Path, without: &str) {
    let names = |folder: &str, ending: &str| -> Vec<String> {
        let all = bytes(&at.join(folder)).into_keys();
        let names = all.filter(|path| path.extension().is_some_and(|it| it == ending));
        names
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect()
    };
    // Width and height are the first two numbers of the first chunk.
    let size = |file: &Path| {
        let png = fs::read(file).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n", "{}", file.display());
        [16, 20].map(|place| u32::from_be_bytes(png[place..place + 4].try_into().unwrap()))
    };
    for (out, more, width) in [
        ("twice", &[][..], 1760),
        ("again", &["--scale", "2"], 1760),
        ("half", &["--scale=0.5"], 440),
    ] {
        let args = ["plot", "one", "two", "--png", "--out", out];
        let (code, _, err) = run(at, &[&args, more].concat());
        // Nothing to be said: the font has every character of these figures.
        assert_eq!((code, err.as_str()), (0, ""));
        let pictures = names(out, "png");
        assert_eq!(pictures, names(out, "svg"));
        assert_eq!(pictures.len(), 8);
        for name in pictures {
            let [found, height] = size(&at.join(out).join(format!("{name}.png")));
            let svg = fs::read_to_string(at.join(out).join(format!("{name}.svg"))).unwrap();
            let (_, rest) = svg.split_once("width=\"880\" height=\"").unwrap();
            let tall: u32 = rest.split_once('"').unwrap().0.parse().unwrap();
            // Half of an odd number of pixels is rounded.
            let off = (height * 880).abs_diff(tall * width);
            assert!(found == width && off < 880, "{name}: {found} × {height}");
        }
    }
    assert_eq!(
        bytes(&at.join("twice")).into_values().collect::<Vec<_>>(),
        bytes(&at.join("again")).into_values().collect::<Vec<_>>()
    );
    let all_but_pictures = |folder: &str| -> Vec<Vec<u8>> {
        let all = bytes(&at.join(folder)).into_iter();
        let others = all.filter(|(path, _)| path.extension().is_none_or(|it| it != "png"));
        others.map(|(_, bytes)| bytes).collect()
    };
    assert!(names(without, "png").is_empty());
    assert_eq!(all_but_pictures("twice"), all_but_pictures(without));
}

/// A size that is none is refused before anything is read or written.
#[test]
fn a_bad_scale_is_refused() {
    let folder = folder();
    let at = folder.path();
    for scale in ["0", "0.4", "8.5", "-1", "NaN", "two", ""] {
        let scale = format!("--scale={scale}");
        let (code, out, err) = run(at, &["plot", "results", "--png", &scale, "--out", "no"]);
        assert_eq!((code, out.as_str()), (2, ""), "{scale}");
        // What is empty clap refuses by itself.
        assert!(
            err.contains("expected a number from 0.5 to 8, such as 2")
                || err.contains("a value is required"),
            "{scale}: {err}"
        );
    }
    // A scale of what?
    let (code, _, err) = run(at, &["plot", "results", "--scale", "3"]);
    assert_eq!(code, 2);
    assert!(err.contains("--png"), "{err}");
    // No report, no pictures.
    for args in [
        &["reproduce", "miosix", "--no-report", "--png"][..],
        &["reproduce", "--png"],
        &["overheads", "--png"],
    ] {
        let (code, _, err) = run(at, args);
        assert_eq!(code, 2, "{args:?}");
        assert!(err.contains("--png"), "{err}");
    }
    assert!(!at.join("no").exists());
}

/// A character that the font for PNG lacks is named, not passed over.
#[test]
fn letters_that_no_picture_can_have_are_a_note() {
    let folder = folder();
    let at = folder.path();
    let study = STUDY.replace("sets = 120", "sets = 20").replace(
        "\"P-EDF\"]",
        "\"P-EDF\"]\n[[union]]\nname = \"quick 早\"\nof = [\"GFB\", \"BCL\"]",
    );
    fs::write(at.join("s.toml"), study).unwrap();
    let (code, _, err) = run(at, &["sweep", "s.toml", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(at, &["plot", "r", "--png"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("ratio-short-uniform.png: the font for PNG has no 早, so"),
        "{err}"
    );
    let (code, _, err) = run(at, &["plot", "r", "--png", "--quiet"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(run(at, &["plot", "r"]).2, "");
}

/// A disk that is full ends it, and what had been finished is kept: on a larger one it goes on from
/// there. The disk is a file system in memory, in a namespace of its own; where such are not
/// permitted there is nothing to see.
#[test]
fn a_full_disk_costs_nothing_that_is_finished() {
    let folder = folder();
    let here = folder.path();
    for name in ["small", "large"] {
        fs::create_dir(here.join(name)).unwrap();
    }
    let script = "mount -t tmpfs -o size=200k none small || exit 77
        \"$0\" sweep s.toml --out small --quiet
        code=$?
        cp -r small/. large/
        exit $code";
    let mut command = Command::new("unshare");
    let flyball = Command::cargo_bin("flyball").expect("the command has been built");
    command
        .current_dir(here)
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(flyball.get_program());
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no unshare(1)");
        return;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || error.starts_with("unshare:") {
        eprintln!("skipped: {error}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("No space left on device"), "{error}");
    let kept = bytes(&here.join("large")).into_keys();
    let kept = kept
        .filter(|path| path.extension().is_some_and(|end| end == "parquet"))
        .count();
    assert!((1..144).contains(&kept), "{kept}");
    let (code, text, error) = run(here, &["sweep", "s.toml", "--out", "large"]);
    assert_eq!(code, 0, "{error}");
    let now = format!("144 of 144 units are finished, {} of them now.", 144 - kept);
    assert!(text.contains(&now), "{text}");
    let (code, _, error) = run(here, &["sweep", "s.toml", "--out", "whole", "--quiet"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(bytes(&here.join("large")), bytes(&here.join("whole")));
}
