//! The command `overheads`, and what other commands make of its file.
#![cfg(target_arch = "x86_64")]

use crate::common;

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Runs the command and returns exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    let output = command
        .env("LANG", "C.UTF-8")
        .args(args)
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

const SMALL: [&str; 7] = [
    "overheads",
    "--repetitions",
    "20",
    "--threads",
    "5,15",
    "--no-linux",
    "--no-cache",
];

#[test]
fn what_is_measured_is_charged() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, report) = (at("overheads.toml"), at("report"));
    let mut args: Vec<&str> = SMALL[..5].into();
    args.extend(["--no-linux", "--working-set", "4K"]);
    args.extend([
        "-p",
        "g-edf,p-edf",
        "--out",
        &file,
        "--report",
        &report,
        "--png",
        "--json",
    ]);
    let (code, out, err) = run(&args);
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains("the font for PNG has no"), "{err}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["schema"], 1);
    // Two policies with four queues, two numbers of threads, ten quantities.
    assert_eq!(document["kernel"].as_array().unwrap().len(), 160);
    let read = flyball_model::read_overheads(&file).unwrap();
    assert_eq!(read.policies(), ["g-edf", "p-edf"]);
    assert_eq!(read.provenance.repetitions, 20);
    for name in [
        "overheads.csv",
        "scheduling.svg",
        "scheduling.csv",
        "scheduling.png",
        "cache.svg",
        "cache.png",
    ] {
        assert!(Path::new(&report).join(name).is_file(), "{name}");
    }

    let set = at("set.toml");
    let task = "[[task]]\nperiod = \"10ms\"\nwcet = \"1ms\"\n";
    fs::write(&set, format!("schema = 1\n{task}{task}")).unwrap();
    let simulate = |more: &[&str]| {
        let mut args = vec![
            "simulate",
            &set,
            "--until",
            "100ms",
            "--exact-times",
            "--overheads",
            &file,
        ];
        args.extend(more);
        run(&args)
    };
    let (code, out, err) = simulate(&["-p", "g-edf", "--cpus", "2", "--working-set", "4K"]);
    assert_eq!(code, 0, "{err}");
    // A row for the kernel's own work, which there is none of without overheads.
    assert!(out.contains("kernel, cpu 0"), "{out}");
    // `edf` is partitioned.
    assert_eq!(simulate(&["-p", "edf", "--charge", "mean"]).0, 0);
    let (code, _, err) = simulate(&["-p", "fifo"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("the overheads of fifo were not measured, those of g-edf, p-edf were"),
        "{err}"
    );
    let (code, _, err) = simulate(&["-p", "edf", "--working-set", "1M"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("has no delay of a working set of 1048576 bytes"),
        "{err}"
    );
    fs::write(&file, "schema = 1\n[provenance]\nprocessor = 1\n").unwrap();
    let (code, _, err) = simulate(&["-p", "edf"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("overheads.toml:3:13: provenance: processor: expected a text"),
        "{err}"
    );
}

#[test]
fn a_table_is_for_people() {
    let mut args: Vec<&str> = SMALL.into();
    args.extend(["-p", "p-fp"]);
    let (code, out, err) = run(&args);
    assert_eq!(code, 0, "{err}");
    for text in [
        "p-fp, bitmap",
        "p-fp, list",
        "THREADS",
        "SCHEDULING",
        "An outlier is",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
}

#[test]
fn mistakes_are_told() {
    let bad = |more: &[&str]| {
        let mut args: Vec<&str> = SMALL.into();
        args.extend(more);
        let (code, out, err) = run(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{more:?}");
        err
    };
    assert!(bad(&["-p", "llf"]).contains("llf"));
    assert!(bad(&["--queue", "stack"]).contains("stack"));
    assert!(bad(&["-p", "g-fp", "--queue", "heap"]).contains("only bitmap and list"));
    assert!(bad(&["--cpus", "9"]).contains("from 1 to 8"));
    let err = run(&["overheads", "--threads", "2000"]);
    assert_eq!(err.0, 2);
    assert!(
        err.2
            .contains("2000 threads: from 1 to 1024 can be measured"),
        "{}",
        err.2
    );
    assert_eq!(run(&["overheads", "--repetitions", "0"]).0, 2);
    assert_eq!(run(&["overheads", "--working-set", "4Q"]).0, 2);
    assert!(bad(&["--out", "/no/such/folder/x.toml"]).contains("cannot be written"));
    assert_eq!(
        run(&["simulate", "x.toml", "-p", "edf", "--charge", "mean"]).0,
        2
    );
}

/// The numbers of one policy that a run on a machine counted, by name.
fn counted<'a>(document: &'a Value, policy: &str, threads: u64) -> &'a Value {
    let rows = document["kernel"].as_array().unwrap();
    let row = rows
        .iter()
        .find(|row| row["policy"] == policy && row["threads"] == threads);
    row.unwrap_or_else(|| panic!("{policy} {threads}: {document}"))
}

fn mean(row: &Value, quantity: &str) -> f64 {
    let costs = row["quantities"].as_array().unwrap();
    let cost = costs.iter().find(|cost| cost["quantity"] == quantity);
    cost.unwrap()["mean"].as_f64().unwrap_or(0.0)
}

/// What the CPUs counted is what was counted.
fn adds_up(row: &Value) {
    let (all, cpus) = (&row["quantities"], row["by_cpu"].as_array().unwrap());
    assert_eq!(cpus.len(), 4);
    for (number, all) in all.as_array().unwrap().iter().enumerate() {
        let on = |name: &str| {
            let of = |cpu: &Value| cpu["quantities"][number][name].as_u64();
            cpus.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(
            on("count").into_iter().flatten().sum::<u64>(),
            all["count"].as_u64().unwrap(),
            "{row}"
        );
        assert_eq!(
            on("most").into_iter().max().flatten(),
            all["most"].as_u64(),
            "{row}"
        );
    }
    for name in ["releases", "passages_disturbed"] {
        let of = |cpu: &Value| cpu[name].as_u64().unwrap();
        assert_eq!(
            cpus.iter().map(of).sum::<u64>(),
            row[name].as_u64().unwrap()
        );
    }
}

/// Of all rows; and the CPU that keeps the time of a cluster makes its releases.
fn by_cpu(document: &Value) {
    for row in document["kernel"].as_array().unwrap() {
        adds_up(row);
    }
    let releases = |policy| {
        let row = counted(document, policy, 50);
        let cpus = row["by_cpu"].as_array().unwrap().iter();
        cpus.map(|cpu| cpu["releases"].as_u64() > Some(0))
            .collect::<Vec<_>>()
    };
    assert_eq!(releases("g-edf"), [true, false, false, false]);
    assert_eq!(releases("c-edf"), [true, false, true, false]);
    assert_eq!(releases("p-edf"), [true; 4]);
    for lock in document["locks"].as_array().unwrap() {
        let cpus = lock["by_cpu"].as_array().unwrap();
        assert_eq!(Some(cpus.len() as u64), lock["cpus"].as_u64());
        let held = |from: &Value| from["held"][0]["count"].as_u64().unwrap();
        assert_eq!(cpus.iter().map(held).sum::<u64>(), held(lock));
    }
}

/// Two runs' documents say the same: every count and mean within 2, or 2 %. Exactly the same they are
/// nearly always, but where the host is busy, QEMU's two threads race for who runs a timer of the
/// machine, and a CPU may hear of one interrupt an instruction later. The longest of many (`most`)
/// may be that one.
fn alike(one: &Value, other: &Value, place: &str) {
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => {
            assert!(fields.keys().eq(others.keys()), "{place}");
            for (name, value) in fields.iter().filter(|(name, _)| *name != "most") {
                alike(value, &others[name], &format!("{place}.{name}"));
            }
        }
        (Value::Array(values), Value::Array(others)) => {
            assert_eq!(values.len(), others.len(), "{place}");
            for (at, (value, other)) in values.iter().zip(others).enumerate() {
                alike(value, other, &format!("{place}[{at}]"));
            }
        }
        (Value::Number(value), Value::Number(other)) => {
            let [value, other] = [value, other].map(|number| number.as_f64().unwrap());
            let apart = (value - other).abs();
            assert!(
                apart <= 2.0_f64.max(0.02 * value),
                "{place}: {value} or {other}"
            );
        }
        _ => assert_eq!(one, other, "{place}"),
    }
}

#[test]
fn a_machine_counts_instructions() {
    if !common::has_riscv() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, report) = (at("overheads.toml"), at("report"));
    let args = [
        "overheads",
        "--machine",
        "riscv",
        "-p",
        "g-edf,p-edf",
        "--threads",
        "5,50",
        "--until",
        "100ms",
        "--harts",
        "2,8",
        "--json",
        "--out",
        &file,
        "--report",
        &report,
        "--png",
    ];
    let (code, out, err) = run(&args);
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains("the font for PNG has no"), "{err}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&document["schema"], &document["machine"]),
        (&1.into(), &"riscv".into())
    );
    assert_eq!(document["kernel"].as_array().unwrap().len(), 6);
    for threads in [5, 50] {
        let [global, clustered, own] =
            ["g-edf", "c-edf", "p-edf"].map(|policy| counted(&document, policy, threads));
        // A CPU with tasks of its own takes no lock and interrupts no other one; those that share
        // theirs do.
        assert_eq!(
            (&own["lock_taken"], &own["interrupts_rung"]),
            (&0.into(), &0.into())
        );
        for shared in [global, clustered] {
            assert!(shared["lock_taken"].as_u64().unwrap() > 100, "{shared}");
            assert!(shared["interrupts_rung"].as_u64().unwrap() > 0, "{shared}");
            assert!(mean(shared, "ipi") > 0.0);
        }
        for row in [global, clustered, own] {
            assert!(row["releases"].as_u64().unwrap() > 100, "{row}");
            for quantity in ["context_switch", "decision", "release", "call", "tick"] {
                assert!(mean(row, quantity) > 10.0, "{quantity}: {row}");
            }
        }
        assert!(mean(own, "call") < mean(global, "call"));
        assert!(mean(own, "release") < mean(global, "release"));
    }
    by_cpu(&document);
    // Two and eight CPUs with one lock, and eight in clusters of two.
    let locks = document["locks"].as_array().unwrap();
    let lost: Vec<_> = locks
        .iter()
        .map(|lock| lock["lost"][0]["share"].as_f64().unwrap())
        .collect();
    assert_eq!(lost.len(), 3);
    assert!(lost[0] < lost[1] && lost[2] < lost[1], "{lost:?}");

    alike(&document, &serde_json::from_str(&run(&args).1).unwrap(), "");

    for name in ["instructions.csv", "decision.svg", "lock.svg", "lock.png"] {
        assert!(Path::new(&report).join(name).is_file(), "{name}");
    }
    let table = fs::read_to_string(Path::new(&report).join("instructions.csv")).unwrap();
    let served = |cpu: &str| {
        let start = format!("g-edf,4,4,50,{cpu},timer,served,");
        table.lines().find_map(|line| line.strip_prefix(&start))
    };
    assert!(
        served("0").is_some() && served("0") == served(""),
        "{table}"
    );
    assert_eq!(served("3"), Some("0,,0"));
    let read = flyball_model::read_overheads(&file).unwrap();
    assert_eq!(read.policies(), ["g-edf", "c-edf", "p-edf"]);
    assert!(
        read.provenance
            .method
            .contains("an instruction is a nanosecond")
    );
    let set = at("set.toml");
    let task = "[[task]]\nperiod = \"10ms\"\nwcet = \"1ms\"\n";
    fs::write(&set, format!("schema = 1\n{task}{task}")).unwrap();
    // The file has no quantiles, so the worst is charged; `edf` is partitioned.
    for (policy, cpus) in [("g-edf", "2"), ("edf", "1")] {
        let mut args = vec![
            "simulate", &set, "--until", "100ms", "--cpus", cpus, "-p", policy,
        ];
        args.extend(["--exact-times", "--overheads", &file]);
        let (code, out, err) = run(&args);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("kernel"), "{out}");
        assert!(out.contains("(worst)"), "{out}");
    }
}

/// On the terminal a line for each CPU is below that of all, for users who ask.
#[test]
fn a_table_tells_the_cpus_apart() {
    if !common::has_riscv() {
        return;
    }
    let args = [
        "overheads",
        "--machine",
        "riscv",
        "-p",
        "g-edf",
        "--threads",
        "5",
        "--until",
        "20ms",
        "--cpus",
        "2",
        "--harts",
        "2",
    ];
    let (code, all, err) = run(&args);
    assert_eq!(code, 0, "{err}");
    let (code, each, err) = run(&[&args[..], &["--per-cpu"]].concat());
    assert_eq!(code, 0, "{err}");
    let rows = |text: &str| {
        let table = text.lines().skip_while(|line| !line.starts_with("THREADS"));
        let table = table.skip(1).take_while(|line| !line.is_empty());
        table.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let (all, each) = (rows(&all), rows(&each));
    // The mean and the most, and of each CPU also how many times.
    assert_eq!((all.len(), each.len()), (2, 2 + 2 * 3), "{all:?} {each:?}");
    let words: Vec<_> = each
        .iter()
        .map(|row| row.split_whitespace().collect::<Vec<_>>())
        .collect();
    assert_eq!(words[0][..3], ["5", "all", "mean"]);
    assert_eq!([words[2][0], words[5][0]], ["0", "1"]);
    let said: Vec<_> = words[3..5].iter().map(|words| words[0]).collect();
    assert_eq!(said, ["most", "times"], "{each:?}");
    // The first CPU keeps the time: the other one releases nothing.
    assert!(words[5].contains(&"–"), "{each:?}");
}

#[test]
fn what_no_machine_can_is_told() {
    let bad = |more: &[&str]| {
        let mut args = vec!["overheads"];
        args.extend(more);
        let (code, out, err) = run(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{more:?}");
        err
    };
    let err = bad(&["--machine", "cortex-m3"]);
    assert!(
        err.contains("does not count what its kernel does; riscv does"),
        "{err}"
    );
    let riscv = |more: &[&str]| bad(&[&["--machine", "riscv"], more].concat());
    assert!(riscv(&["--cpus", "65"]).contains("65 CPUs: there can be from 1 to 64"));
    assert!(riscv(&["--cluster", "3"]).contains("clusters of 3"));
    assert!(riscv(&["--until", "1ms"]).contains("runs of 1ms"));
    assert!(riscv(&["--queue", "heap"]).contains("cannot be used with"));
    assert!(bad(&["--until", "1s"]).contains("--machine"));
    assert!(bad(&["--per-cpu"]).contains("--machine"));
    // Without the emulator's programs anywhere.
    let mut command = Command::cargo_bin("flyball").unwrap();
    let output = command
        .env("PATH", "/nonexistent")
        .args(["overheads", "--machine", "riscv"])
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("= help: install Rust"), "{err}");
}
