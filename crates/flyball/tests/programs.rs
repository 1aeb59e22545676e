//! `flyball run` and `flyball shake` of programs in C, as a user types it. `sdk/shake` has real ones; here the emulator
//! is a few lines of shell, and the program has nothing but what the command looks for.

use crate::common;
use assert_cmd::Command;
use flyball_script::Note;
use flyball_trace::{CpuId, Event, Kind, Record, TaskId, Time};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Ends with 7 where the seed is 3, and prints something else where it is 5. Where it is told where a trace goes, that
/// is `trace.bin`.
const EMULATOR: &str = r#"#!/bin/sh
echo "qemu-system-arm: warning: something" >&2
destination=$(printf '%s\n' "$@" | sed -n 's/^loader,file=\(.*\),addr=0x[0-9a-f]*,force-raw=on$/\1/p')
if [ -n "$destination" ]; then
  cp trace.bin "$(tail -c +9 "$destination" | tr -d '\0')"
fi
case "$*" in
  *data=0x3*data-len*) exit 7 ;;
  *data=0x5*data-len*) echo bad ;;
  *) echo ok ;;
esac
"#;

fn flyball(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::cargo_bin("flyball")
        .unwrap()
        .args(args)
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A folder with an emulator, and if there is a compiler for the Cortex-M3 a program `p.elf`.
fn folder() -> (TempDir, bool) {
    let folder = TempDir::new().unwrap();
    let emulator = folder.path().join("qemu-system-arm");
    common::write_program(&emulator, EMULATOR.as_bytes());
    fs::write(
        folder.path().join("p.c"),
        "unsigned __flyball_seed[2]; void start(void) {}",
    )
    .unwrap();
    let compiled = std::process::Command::new("arm-none-eabi-gcc")
        .args(["-nostdlib", "-e", "start", "p.c", "-o", "p.elf"])
        .current_dir(&folder)
        .status();
    let is_there = compiled.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("skipped: arm-none-eabi-gcc is not installed");
    }
    (folder, is_there)
}

#[test]
fn a_program_runs_once_or_is_shaken() {
    let (folder, is_there) = folder();
    if !is_there {
        return;
    }
    let (code, printed, _) = flyball(&folder, &["run", "p.elf"]);
    assert_eq!((code, &*printed), (0, "ok\n"));
    for (args, said) in [
        (&["run", "p.elf", "--cpus", "2"][..], "--cpus is at most 1"),
        (
            &["run", "p.elf", "--trace", "t.txt"],
            "-specs=PREFIX/lib/flyball-traced.specs",
        ),
        (&["run", "p.elf", "--json"], "does not record what happens"),
        (&["run", "p.elf", "--trace", "t.gif"], "format of the trace"),
        (&["analyse", "p.elf"], "says nothing of its threads"),
        (&["compare", "p.elf"], "says nothing of its threads"),
    ] {
        let (code, printed, error) = flyball(&folder, args);
        assert_eq!((code, &*printed), (2, ""), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
    }
    let (code, printed, _) = flyball(&folder, &["shake", "p.elf", "-n", "2"]);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("all 2 shaken runs are as the one that is not"),
        "{printed}"
    );

    let (code, printed, _) = flyball(&folder, &["shake", "p.elf", "-n", "6"]);
    assert_eq!(code, 1, "{printed}");
    for part in [
        "2 of 6 shaken runs differ",
        "seed 3: ends with 7",
        "it does not print \"ok\"",
        "seed 5: ends with 0",
        "it prints \"bad\", and not shaken \"ok\"",
        "again: flyball shake p.elf --seed 5 -n 1",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (code, printed, _) = flyball(
        &folder,
        &["shake", "p.elf", "--seed", "5", "-n", "1", "--json"],
    );
    assert_eq!(code, 1);
    let found: Value = serde_json::from_str(&printed).unwrap();
    let report: flyball_json::shake::Report = serde_json::from_str(&printed).unwrap();
    assert_eq!(report.usual.printed, "ok\n");
    assert_eq!(report.differ[0].seed, Some(5));
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/shake.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &found), "{found}");
}

/// What `<flyball.h>` puts into an image, of two threads, and what the kernel has.
const DECLARED: &str = r#"
#include <stdint.h>
unsigned __flyball_seed[2];
char __flyball_trace[512];
struct said {
  uint32_t version, size;
  char name[16];
  uint64_t period, separation, deadline, execution_time, phase;
  uint32_t share, more, stack_size, reserved;
};
#define SAID __attribute__((used, aligned(8), section(".flyball.threads")))
static const char policy[] __attribute__((used, section(".flyball.policy"))) = "edf";
static const struct said control SAID = { 1, 80, "control", 10000000, 0, 4000000, TIME };
static const struct said show SAID = { VERSION, 80, "show", 100000000, 0, 0, 9000000 };
void control_thread(void) {}
void start(void) { control_thread(); }
"#;

/// Compiles [`DECLARED`]: the execution time of a thread, and the version of what is said of another one.
fn declared(folder: &TempDir, time: &str, version: &str) {
    fs::write(folder.path().join("d.c"), DECLARED).unwrap();
    let status = std::process::Command::new("arm-none-eabi-gcc")
        .args(["-mcpu=cortex-m3", "-mthumb", "-nostdlib", "-e", "start"])
        .args([format!("-DTIME={time}"), format!("-DVERSION={version}")])
        .args(["d.c", "-o", "d.elf"])
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success());
}

/// A trace of one job of each thread: that of `control` takes so long.
fn recorded(folder: &TempDir, execution: u64) {
    let event = |ns, kind| {
        Record::from(Event {
            time: Time::from_nanos(ns),
            cpu: CpuId(0),
            kind,
        })
    };
    let mut records = Vec::new();
    for (row, name) in [(0, "main"), (1, "control"), (2, "show")] {
        let row = TaskId(row);
        let mut text = [0; 16];
        text[..name.len()].copy_from_slice(name.as_bytes());
        records.push(event(0, Kind::Start { task: row }));
        records.push(Note::Label { row, text }.encode());
    }
    for (at, row, length) in [(10_000, 1, execution), (20_000_000, 2, 50)] {
        let (task, job) = (TaskId(row), 1);
        let deadline = Time::from_nanos(at + 4_000_000);
        let release = Kind::Release {
            task,
            job,
            deadline,
        };
        records.push(event(at, release));
        records.push(event(at, Kind::Dispatch { task, job }));
        records.push(event(at + length, Kind::Complete { task, job }));
        records.push(event(at + length, Kind::Idle));
    }
    let end = Note::End {
        time: Time::from_nanos(30_000_000),
        total: 11,
    };
    records.push(end.encode());
    let bytes: Vec<u8> = records.iter().flat_map(|record| record.0).collect();
    fs::write(folder.path().join("trace.bin"), bytes).unwrap();
}

#[test]
fn what_a_program_says_of_its_threads_is_analysed_and_compared() {
    let (folder, is_there) = folder();
    if !is_there {
        return;
    }
    declared(&folder, "1000000", "1");
    let (code, printed, error) = flyball(&folder, &["analyse", "d.elf"]);
    assert_eq!(code, 0, "{printed}{error}");
    for part in ["Linked with edf", "control", "show", "holds"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (code, printed, _) = flyball(&folder, &["simulate", "d.elf", "-p", "edf"]);
    assert_eq!(code, 0, "{printed}");

    // The program's own words are all that is printed.
    recorded(&folder, 900_000);
    let (code, printed, error) = flyball(&folder, &["run", "d.elf", "--trace", "t.txt"]);
    assert_eq!((code, &*printed), (0, "ok\n"), "{error}");
    let text = fs::read_to_string(folder.path().join("t.txt")).unwrap();
    assert!(text.contains("dispatch  task 1 job 1  control"), "{text}");
    let (code, printed, _) = flyball(&folder, &["run", "d.elf", "--json"]);
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, &found["policy"]), (0, &Value::from("edf")));

    let (code, printed, error) = flyball(&folder, &["compare", "d.elf"]);
    assert_eq!(code, 0, "{printed}{error}");
    assert!(printed.contains("900us"), "{printed}");
    // A job takes longer than the program says.
    recorded(&folder, 1_100_000);
    let (code, printed, _) = flyball(&folder, &["compare", "d.elf"]);
    assert_eq!(code, 1, "{printed}");
    for args in [
        ["compare", "d.elf", "--json"],
        ["compare", "d.elf", "-pedf"],
    ] {
        assert_eq!(flyball(&folder, &args).0, 2, "{args:?}");
    }
    // The trace is damaged.
    fs::write(folder.path().join("trace.bin"), [0xff; 48]).unwrap();
    let (code, _, error) = flyball(&folder, &["run", "d.elf", "--trace", "t.txt"]);
    assert!(code == 2 && error.contains("trace is damaged"), "{error}");
}

#[test]
fn what_is_not_known_of_threads_is_told() {
    let (folder, is_there) = folder();
    if !is_there {
        return;
    }
    declared(&folder, "0", "1");
    let (code, printed, _) = flyball(&folder, &["analyse", "d.elf"]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("not known"), "{printed}");
    let (code, _, error) = flyball(&folder, &["simulate", "d.elf", "-p", "edf"]);
    assert_eq!(code, 2);
    assert!(error.contains("not known how long jobs compute of: control"));
    recorded(&folder, 900);
    let (code, printed, _) = flyball(&folder, &["compare", "d.elf"]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("900ns"), "{printed}");

    declared(&folder, "1000000", "7");
    for command in ["analyse", "compare"] {
        let (code, printed, error) = flyball(&folder, &[command, "d.elf"]);
        assert_eq!((code, &*printed), (2, ""));
        assert!(
            error.contains("is damaged: declaration 1 is of another"),
            "{error}"
        );
    }
    // An image that ends in the middle.
    let path = folder.path().join("d.elf");
    let image = fs::read(&path).unwrap();
    fs::write(&path, &image[..image.len() / 3]).unwrap();
    assert_eq!(flyball(&folder, &["analyse", "d.elf"]).0, 2);
}

#[test]
fn what_is_no_program_is_refused() {
    let (folder, is_there) = folder();
    fs::write(folder.path().join("text"), "hello").unwrap();
    let this = std::env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    for (args, said) in [
        (
            &["run", "text", "-m", "cortex-m3", "-p", "edf", "--", "word"][..],
            "a task set has no command line",
        ),
        (&["shake", "none.elf"][..], "the program cannot be read"),
        (&["shake", "text"], "text"),
        (&["shake", this], "none of the emulated boards"),
        (&["run", this], "none of the emulated boards"),
        (&["analyse", this], "none of the emulated boards"),
        (&["compare", this], "none of the emulated boards"),
        (
            &["run", this, "-p", "edf"],
            "has its machine and its policy",
        ),
        (
            &["run", "text"],
            "expected a task set, --machine and --policy; or a program",
        ),
        (&["shake", "text", "-n", "0"], "0 is not in 1"),
        (
            &["shake", "text", "--limit", "0"],
            "expected a whole number of seconds",
        ),
        (
            &["reproduce", "soos", "--programs"],
            "has no experiments with real programs",
        ),
    ] {
        let (code, printed, error) = flyball(&folder, args);
        assert_eq!((code, &*printed), (2, ""), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
    }
    if is_there {
        let stripped = std::process::Command::new("arm-none-eabi-strip")
            .arg("p.elf")
            .current_dir(&folder)
            .status();
        if stripped.is_ok_and(|status| status.success()) {
            let (code, _, error) = flyball(&folder, &["shake", "p.elf"]);
            assert_eq!(code, 2);
            assert!(error.contains("no symbols"), "{error}");
        }
    }
}
