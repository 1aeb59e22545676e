//! `flyball run` as a user types it: on the emulated board, and what it says where that cannot be.
//!
//! Where QEMU or the tool chain for the board is not installed, the tests that need it are skipped,
//! unless `FLYBALL_REQUIRE_QEMU` is set. All others have an emulator of a few lines of shell.

use crate::common;

use assert_cmd::Command;
use common::has_qemu;
use flyball::trace::file::Trace;
use flyball::trace::{Kind, TaskId};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn flyball() -> Command {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    command
        .env_remove("FLYBALL_IMAGES")
        .env_remove("NO_COLOR")
        .env("LANG", "C.UTF-8")
        .env_remove("LC_ALL");
    command
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    path.to_str().expect("paths here are UTF-8").to_owned()
}

/// Runs a command and returns exit code, standard output and standard error.
fn output(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// What both a simulation and a board do in the same order.
fn order(path: &Path) -> Vec<(&'static str, TaskId, u32)> {
    let trace = Trace::from_bytes(&fs::read(path).unwrap()).unwrap();
    let events = trace.events.iter().filter_map(|event| match event.kind {
        Kind::Release { task, job, .. }
        | Kind::Dispatch { task, job }
        | Kind::Complete { task, job } => Some((event.kind.name(), task, job)),
        _ => None,
    });
    events.collect()
}

/// The CNC controller under a policy, on the board and in a simulation.
fn agrees(policy: &str) {
    if !has_qemu() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    let set = example("cnc.toml");
    let until = ["--until", "50ms", "--json", "--policy", policy, "--trace"];
    let (board, simulated) = (file("board.fbtrace"), file("simulated.fbtrace"));
    let (code, out, err) = output(
        flyball()
            .args(["run", &set, "--machine", "cortex-m3"])
            .args(until)
            .arg(&board),
    );
    assert_eq!((code, err.as_str()), (0, ""));
    let run: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&run["schema"], &run["cpus"]), (&1.into(), &1.into()));
    assert_eq!(run["machine"], "cortex-m3");
    let run = &run["policies"][0];
    assert_eq!(run["policy"], policy);
    assert_eq!(run["holds"], Value::Null);
    assert_eq!(run["simulated"]["until_ns"], 50_000_000);
    assert!(run["simulated"]["jobs"].as_u64().unwrap() > 100);
    assert_eq!(run["simulated"]["misses"], 0);
    flyball()
        .args(["simulate", &set])
        .args(until)
        .arg(&simulated)
        .assert()
        .code(0);
    assert_eq!(order(&board), order(&simulated));
    // The board's clock counts instructions, so it does the same again.
    let again = file("again.fbtrace");
    flyball()
        .args(["run", &set, "--machine", "cortex-m3"])
        .args(until)
        .arg(&again)
        .assert()
        .code(0);
    assert!(
        fs::read(board).unwrap() == fs::read(again).unwrap(),
        "runs differ"
    );
}

#[test]
fn rate_monotonic_does_on_the_board_what_it_does_in_a_simulation() {
    agrees("rm");
}

#[test]
fn earliest_deadline_first_does_on_the_board_what_it_does_in_a_simulation() {
    agrees("edf");
}

#[test]
fn a_miss_on_the_board_is_one_and_its_time_is_called_what_it_is() {
    if !has_qemu() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let set = folder.path().join("tight.toml");
    // It holds if the kernel's work is free, and it is not.
    let text = "schema = 1\n[[task]]\nname = \"tight\"\nperiod = \"1ms\"\nwcet = \"1ms\"\n";
    fs::write(&set, text).unwrap();
    let (code, out, _) = output(
        flyball()
            .args(["run", "--machine", "cortex-m3", "-p", "edf"])
            .args(["--until", "5ms"])
            .arg(&set),
    );
    assert_eq!(code, 1);
    assert!(out.contains("emulated Cortex-M3"), "{out}");
    assert!(out.contains("is no hardware's time"), "{out}");
    assert!(out.contains("\"tight\" misses its deadline"), "{out}");
    assert!(
        out.contains("With a kernel whose work is free it would hold"),
        "{out}"
    );
}

/// A folder with programs in place of those that a run needs, and an image for EDF.
struct Fake(TempDir);

impl Fake {
    fn new() -> Fake {
        let fake = Fake(TempDir::new().unwrap());
        fs::write(fake.path("runner-edf"), "an image").unwrap();
        fake
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// With a program of that name, which is this shell script.
    fn with(self, name: &str, script: &str) -> Fake {
        let path = self.path(name);
        common::write_program(&path, format!("#!/bin/sh\n{script}\n").as_bytes());
        self
    }

    /// The command `run` of a set under a policy, which sees no other programs.
    fn command(&self, set: &str, policy: &str) -> Command {
        let mut command = flyball();
        command
            .args(["run", set, "--machine", "cortex-m3", "--policy", policy])
            .env("PATH", self.0.path())
            .env("FLYBALL_IMAGES", self.0.path());
        command
    }

    /// What goes wrong with the CNC controller.
    fn error(&self, policy: &str) -> String {
        let set = example("cnc.toml");
        let (code, out, err) = output(&mut self.command(&set, policy));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        err.replace(&set, "cnc.toml")
    }
}

#[test]
fn what_is_missing_is_named_with_a_remedy() {
    assert_eq!(
        Fake::new().error("edf"),
        "error: cnc.toml: qemu-system-arm is not installed\n   \
         = help: sudo apt-get install qemu-system-arm\n"
    );
    // There is no image of this one in the folder, so it would have to be built.
    assert!(Fake::new().error("rm").contains("cargo is not installed"));
    let cargo = "echo 'error[E0463]: can not find crate for `core`' >&2; exit 101";
    let without = Fake::new()
        .with("cargo", cargo)
        .with("rustc", "echo /no/such/folder");
    assert_eq!(
        without.error("rm"),
        "error: cnc.toml: the Rust tool chain lacks the target thumbv7m-none-eabi\n   \
         = help: rustup target add thumbv7m-none-eabi\n"
    );
    let broken = Fake::new()
        .with("cargo", "echo 'error: no' >&2; exit 101")
        .with("rustc", "echo /");
    assert_eq!(
        broken.error("rm"),
        "error: cnc.toml: the board's image cannot be built:\nerror: no\n"
    );
}

#[test]
fn what_the_emulator_does_wrong_is_said() {
    let qemu = |script: &str| Fake::new().with("qemu-system-arm", script).error("edf");
    assert_eq!(
        qemu("echo 'the table is full' > flyball-error.txt; exit 1"),
        "error: cnc.toml: the board says: the table is full\n"
    );
    assert_eq!(
        qemu("echo 'no such board' >&2; exit 1"),
        "error: cnc.toml: qemu-system-arm ended without a trace (exit status: 1):\nno such board\n"
    );
    assert_eq!(
        qemu("exit 0"),
        "error: cnc.toml: qemu-system-arm ended without a trace (exit status: 0)\n"
    );
    let empty = r"printf 'FLYRUN01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > flyball-trace-000.bin";
    assert_eq!(
        qemu(&format!(
            "{empty}; echo 'weather fine' > flyball-fault.txt; exit 1"
        )),
        "error: cnc.toml: the board's report of a fault is damaged: it has no line like \"weather fine\"\n"
    );
    assert_eq!(
        qemu("echo 'time 1' > flyball-fault.txt; exit 1"),
        "error: cnc.toml: qemu-system-arm ended without a trace (exit status: 1)\n"
    );
    let damaged = qemu("printf 'FLYRUN01\\1\\0\\0' > flyball-trace-000.bin");
    assert!(
        damaged.contains("the board's trace is damaged"),
        "{damaged}"
    );
}

#[test]
fn what_a_board_cannot_do_is_refused_before_anything_is_started() {
    let (code, _, err) = output(flyball().args(["run", "a.toml", "-m", "z80", "-p", "edf"]));
    assert_eq!(code, 2);
    assert!(
        err.contains("[possible values: cortex-m3, cortex-m3-62mips, lm3s6965, riscv]"),
        "{err}"
    );
    // There is neither an emulator nor a cargo here.
    let refused = |set: &str, policy: &str| {
        let (code, _, err) = output(&mut Fake::new().command(set, policy));
        assert_eq!(code, 2, "{err}");
        err
    };
    let err = refused(&example("cnc.toml"), "fastest");
    assert!(err.contains("there is no policy \"fastest\""), "{err}");
    for policy in ["g-edf", "edf-wm", "pd2"] {
        let err = refused(&example("cnc.toml"), policy);
        let expected = format!("machine cortex-m3 has no policy \"{policy}\"; it has: fp, ");
        assert!(err.contains(&expected), "{err}");
    }
    let err = refused(&example("cnc.toml"), "fp");
    assert!(err.contains("`priority = …`"), "{err}");
    let folder = TempDir::new().unwrap();
    let often = folder.path().join("often.toml");
    let task = r#"
        schema = 1
        [[task]]
        name = "a"
        period = "2us"
        jitter = "5us"
        wcet = "1us"
    "#;
    fs::write(&often, task).unwrap();
    let mut command = Fake::new().command(often.to_str().unwrap(), "edf");
    let (code, _, err) = output(command.args(["--until", "1s"]));
    assert_eq!(code, 2, "{err}");
    let many = "209716 or more jobs that are sporadic or have jitter until the end, and machine \
                cortex-m3 holds 209715";
    assert!(err.contains(many), "{err}");
    let large = folder.path().join("large.toml");
    flyball()
        .args(["generate", "-n", "33", "--out"])
        .arg(&large)
        .assert()
        .success();
    let err = refused(large.to_str().unwrap(), "edf");
    assert!(
        err.contains("33 tasks, and machine cortex-m3 holds 32"),
        "{err}"
    );
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    // It says which process it is, and goes on for ever.
    let fake = Fake::new().with(
        "qemu-system-arm",
        "trap '' TERM; echo $$ > \"${0%/*}/pid\"; while :; do /bin/sleep 1; done",
    );
    let trace = fake.path("out.txt");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("flyball"));
    let child = command
        .args(["run", &example("cnc.toml"), "-m", "cortex-m3", "-p", "edf"])
        .arg("--trace")
        .arg(&trace)
        .env("PATH", fake.0.path())
        .env("FLYBALL_IMAGES", fake.0.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let emulator = loop {
        assert!(started.elapsed() < Duration::from_secs(30), "it never runs");
        match fs::read_to_string(fake.path("pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
            _ => sleep(Duration::from_millis(10)),
        }
    };
    // The shell has a `kill` of its own; the program may not be installed.
    let kill = |signal: &str, process: &str| {
        let mut shell = std::process::Command::new("sh");
        let command = format!("kill {signal} {process}");
        shell
            .args(["-c", &command])
            .stderr(Stdio::null())
            .status()
            .unwrap()
    };
    assert!(kill("-INT", &child.id().to_string()).success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(output.stderr, b"interrupted; nothing was written\n");
    assert!(output.stdout.is_empty() && !trace.exists());
    assert!(!kill("-0", &emulator).success(), "the emulator still runs");
}

/// A study that asks a machine has both schedules side by side, in the page and in the JSON.
#[test]
fn a_study_with_a_machine_puts_both_side_by_side() {
    if !has_qemu() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = format!(
        "{}/../../examples/priority-inversion.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let output = Command::cargo_bin("flyball")
        .unwrap()
        .args(["study", &file, "--machine", "cortex-m3", "--json"])
        .args(["--policy", "fp,edf", "--until", "300ms", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    let study: Value = serde_json::from_slice(&output.stdout).unwrap();
    let written = std::fs::read(folder.path().join("priority-inversion.json")).unwrap();
    assert_eq!(study, serde_json::from_slice::<Value>(&written).unwrap());
    let measured = &study["measured"];
    assert_eq!(measured["machine"], "cortex-m3");
    let policies = measured["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 2);
    for policy in policies {
        assert_eq!(policy["same_order"], true, "{policy}");
        assert_eq!(policy["difference"], Value::Null);
        assert!(policy["events"].as_u64().unwrap() >= 29);
        let bus = &policy["tasks"][0];
        assert_eq!(bus["name"], "bus manager");
        assert_eq!(
            (&bus["jobs"], &bus["measured_misses"]),
            (&3.into(), &0.into())
        );
        let response = |of: &str| bus[of].as_u64().unwrap();
        // 5 ms of its own, 6 ms that weather holds the bus, and the kernel's work.
        for of in ["simulated_response_max_ns", "measured_response_max_ns"] {
            assert!((11_000_000..11_100_000).contains(&response(of)), "{bus}");
        }
    }
    let page = std::fs::read_to_string(folder.path().join("priority-inversion.html")).unwrap();
    for part in [
        "Measured beside simulated",
        "is no hardware's time",
        "The machine did what the simulation says.",
        "Measured schedule under edf",
        "Simulated schedule under fp",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
