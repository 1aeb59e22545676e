//! A task that does what no task may, on the emulated board: the command says which one it was,
//! where and why, and what the others did before is not lost.
//!
//! The images are those of `apps/faults`. They run a task set as any image does, but the second
//! task goes wrong after 200 µs of its third job.

use crate::common;

use assert_cmd::Command;
use common::has_qemu;
use flyball::trace::file::Trace;
use flyball::trace::{Event, Kind, TaskId};
use object::{Object, ObjectSegment, ObjectSymbol};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SET: &str = r#"
schema = 1
[[task]]
name = "fast"
period = "1ms"
wcet = "100us"
priority = 9
[[task]]
name = "faulty"
period = "4ms"
wcet = "500us"
priority = 5
[[task]]
name = "slow"
period = "6ms"
wcet = "2ms"
priority = 1
"#;

/// When the faulty task goes wrong: "fast" is released at 8 ms and computes for 100 µs.
const FAULT: u64 = 8_300_000;
/// What the kernel's work may have added by then.
const WORK: u64 = 20_000;

fn apps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps")
}

/// Cargo on the images, without the settings of the environment that this test runs in.
fn cargo(command: &str, image: &str) -> std::process::Output {
    let mut cargo = std::process::Command::new("cargo");
    cargo
        .args([command, "--release", "--quiet", "--target-dir", "target"])
        .args(["--bin", image])
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(apps());
    cargo.output().expect("cargo is installed")
}

/// What became of a run.
struct Run {
    elf: Vec<u8>,
    code: Option<i32>,
    text: String,
    json: Value,
    events: Vec<Event>,
}

/// A folder with the image with that fault in place of the one for fixed priorities, and the task
/// set; and the image.
fn image(fault: &str) -> (TempDir, Vec<u8>) {
    let image = format!("fault-{fault}");
    let built = cargo("build", &image);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let folder = TempDir::new().unwrap();
    let elf = fs::read(apps().join("target/thumbv7m-none-eabi/release").join(image)).unwrap();
    fs::write(folder.path().join("runner-fp"), &elf).unwrap();
    fs::write(folder.path().join("set.toml"), SET).unwrap();
    (folder, elf)
}

/// The command on the task set in that folder, with the images there.
fn flyball(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("flyball").expect("the command has been built");
    command
        .env("FLYBALL_IMAGES", folder.path())
        .env("NO_COLOR", "1")
        .args(args)
        .args(["--until", "20ms"])
        .arg(folder.path().join("set.toml"));
    command
}

/// Runs the image with that fault; in JSON and as text, which are to tell the same.
fn run(fault: &str) -> Run {
    let (folder, elf) = image(fault);
    let file = |name: &str| folder.path().join(name);
    let command = |extra: &[&str]| {
        flyball(
            &folder,
            &["run", "--machine", "cortex-m3", "--policy", "fp"],
        )
        .args(extra)
        .arg("--trace")
        .arg(file("t.fbtrace"))
        .output()
        .unwrap()
    };
    let text = command(&[]);
    let trace = fs::read(file("t.fbtrace")).unwrap();
    let json = command(&["--json"]);
    assert_eq!(text.status.code(), json.status.code());
    assert_eq!(
        trace,
        fs::read(file("t.fbtrace")).unwrap(),
        "two runs differ"
    );
    Run {
        elf,
        code: text.status.code(),
        text: String::from_utf8(text.stdout).unwrap(),
        json: serde_json::from_slice(&json.stdout).unwrap(),
        events: Trace::from_bytes(&trace).unwrap().events,
    }
}

impl Run {
    /// The fault is that of the second task, has this cause, and is about that time. Its report.
    fn expect(&self, cause: &str, time: u64) -> &Value {
        assert_eq!(self.code, Some(1), "{}", self.text);
        let fault = &self.json["fault"];
        assert_eq!(fault["task"], "faulty");
        assert_eq!(fault["cause"], cause);
        let at = fault["time_ns"].as_u64().unwrap();
        assert!((time..time + WORK).contains(&at), "{at}");
        let line = format!("✗ task \"faulty\" failed: {cause} at ");
        assert!(self.text.contains(&line), "{}", self.text);
        // The chart is there, and the numbers.
        assert!(self.text.contains("fast   █"), "{}", self.text);
        assert!(self.text.contains("12 jobs in "), "{}", self.text);
        assert!(self.events.iter().all(|event| nanos(event) <= at));
        self.expect_schedule();
        fault
    }

    /// All three tasks did before 8.3 ms what they should.
    fn expect_schedule(&self) {
        let us = 1_000;
        let mut expected = Vec::new();
        for job in 0..9 {
            expected.push((job * 1_000 * us, "release", 0, job + 1));
            expected.push((job * 1_000 * us + 100 * us, "complete", 0, job + 1));
        }
        for job in 0..3 {
            expected.push((job * 4_000 * us, "release", 1, job + 1));
            expected.push((job * 4_000 * us + 100 * us, "dispatch", 1, job + 1));
        }
        for job in 0..2 {
            expected.push((job * 4_000 * us + 600 * us, "complete", 1, job + 1));
            expected.push((job * 6_000 * us, "release", 2, job + 1));
        }
        // Interrupted by two jobs and three; the second job never ends.
        expected.push((2_800 * us, "complete", 2, 1));
        expected.push((7_000 * us, "preempt", 2, 2));
        expected.push((8_000 * us, "preempt", 2, 2));
        for (time, kind, task, job) in expected {
            let task = TaskId(task);
            let found = self.events.iter().filter(|event| {
                event.kind.name() == kind
                    && event.kind.task() == Some(task)
                    && job_of(&event.kind) == Some(u32::try_from(job).unwrap())
                    && (time..time + WORK).contains(&nanos(event))
            });
            assert_eq!(found.count(), 1, "{kind} of job {job} of {task} at {time}");
        }
        let ends = |event: &&Event| matches!(event.kind, Kind::Complete { .. });
        assert_eq!(self.events.iter().filter(ends).count(), 12);
    }

    /// The two halves of the instruction at `pc`.
    fn instruction(&self, pc: &Value) -> [u16; 2] {
        let pc = pc.as_u64().expect("the instruction is known");
        let elf = object::File::parse(&*self.elf).unwrap();
        let found = elf
            .segments()
            .find_map(|segment| segment.data_range(pc, 4).ok().flatten());
        let bytes = found.expect("the instruction is in the image");
        [
            u16::from_le_bytes([bytes[0], bytes[1]]),
            u16::from_le_bytes([bytes[2], bytes[3]]),
        ]
    }

    /// Where the second task's stack of 2 KiB begins, to a few bytes.
    fn stack(&self) -> u64 {
        // They begin half a KB after the symbol.
        let elf = object::File::parse(&*self.elf).unwrap();
        let stacks = elf
            .symbols()
            .find(|symbol| symbol.name().is_ok_and(|name| name.contains("6STACKS")));
        stacks.expect("the image has stacks").address() + 512 + 2_048
    }

    /// The code is that of a function whose name contains `name`.
    fn is_in(&self, name: &str, address: &Value) -> bool {
        let address = address.as_u64().expect("the caller is known");
        let elf = object::File::parse(&*self.elf).unwrap();
        elf.symbols().any(|symbol| {
            let begin = symbol.address() & !1;
            symbol.name().is_ok_and(|found| found.contains(name))
                && (begin..begin + symbol.size()).contains(&address)
        })
    }
}

fn nanos(event: &Event) -> u64 {
    event.time.as_nanos()
}

fn job_of(kind: &Kind) -> Option<u32> {
    match *kind {
        Kind::Release { job, .. }
        | Kind::Dispatch { job, .. }
        | Kind::Preempt { job, .. }
        | Kind::Complete { job, .. } => Some(job),
        _ => None,
    }
}

/// A guard is 32 bytes at the low end of a stack.
fn is_guard(run: &Run, address: &Value) -> bool {
    let address = address.as_u64().expect("the address is known");
    (run.stack()..run.stack() + 32).contains(&address)
}

#[test]
fn a_guarded_stack_that_overflows() {
    if !has_qemu() {
        return;
    }
    let run = run("overflow");
    let fault = run.expect("stack overflow", FAULT);
    assert!(is_guard(&run, &fault["address"]), "{fault}");
    // There was no room to save where it was; but the stack shows which function was called.
    assert_eq!(fault["pc"], Value::Null);
    assert!(
        run.is_in("14flyball_faults2go", &fault["caller"]),
        "{fault}"
    );
}

#[test]
fn a_guarded_stack_that_overflows_with_interrupts_masked() {
    if !has_qemu() {
        return;
    }
    let run = run("overflow-in-call");
    let fault = run.expect("stack overflow", FAULT);
    assert!(is_guard(&run, &fault["address"]), "{fault}");
}

#[test]
fn a_stack_without_its_canary_is_noticed_at_the_next_switch() {
    if !has_qemu() {
        return;
    }
    let run = run("overflow-unguarded");
    // It has gone wrong at 8.3 ms, and at 9 ms another thread is to run.
    let fault = run.expect("stack overflow", 9_000_000);
    let low = fault["address"].as_u64().unwrap();
    assert!((low - run.stack()).is_multiple_of(32) && low - run.stack() <= 32);
    assert!(fault["pc"].is_u64(), "{fault}");
}

/// Handlers of interrupts share the main stack. No thread is blamed, and what lies below is as it
/// was: else there would be no report.
#[test]
fn a_main_stack_that_overflows() {
    if !has_qemu() {
        return;
    }
    let ended = cargo("run", "fault-overflow-main");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("no thread at "), "{said}");
    assert!(said.contains("stack overflow, address 0x2000"), "{said}");
}

#[test]
fn a_division_by_zero() {
    if !has_qemu() {
        return;
    }
    let run = run("division");
    let fault = run.expect("division by zero", FAULT);
    assert_eq!(fault["address"], Value::Null);
    let [first, second] = run.instruction(&fault["pc"]);
    assert_eq!((first & 0xFFF0, second & 0xF0F0), (0xFB90, 0xF0F0), "sdiv");
}

#[test]
fn a_read_of_what_is_not_there() {
    if !has_qemu() {
        return;
    }
    let run = run("nothing");
    let fault = run.expect("access to where nothing is", FAULT);
    assert_eq!(fault["address"], 0xFFFF_FFF0_u32);
    let [first, second] = run.instruction(&fault["pc"]);
    // `ldr rt, [rn]`, short or long; or `ldr rt, [rn, #-16]`.
    let is_load = first & 0xF800 == 0x6800 || first & 0xFF70 == 0xF850;
    assert!(is_load, "{first:04x} {second:04x}");
}

#[test]
fn a_panic() {
    if !has_qemu() {
        return;
    }
    let run = run("panic");
    let fault = run.expect("panic", FAULT);
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("panic.rs:13"), "{message}");
    assert!(message.ends_with("there is no fuel left"), "{message}");
}

#[test]
fn the_depth_of_a_stack_and_a_report_that_nobody_takes() {
    if !has_qemu() {
        return;
    }
    let ended = cargo("run", "high-water");
    let said = String::from_utf8_lossy(&ended.stderr);
    let out = String::from_utf8_lossy(&ended.stdout);
    let [before, after, later, other] = out.lines().collect::<Vec<_>>()[..] else {
        panic!("{out}{said}");
    };
    let words = |text: &str| -> u32 {
        let number = text.strip_prefix("Some(").and_then(|t| t.strip_suffix(')'));
        number.expect("the stack is painted").parse().unwrap()
    };
    // At least the 16 words of the first frame; 2,000 bytes are 500 words.
    assert!((16..300).contains(&words(before)), "{out}");
    let deeper = words(after) - words(before);
    assert!((450..600).contains(&deeper), "{out}");
    assert_eq!((later, other), (after, "None"));
    assert_eq!(ended.status.code(), Some(1));
    assert!(said.contains("thread 0 (diver) at "), "{said}");
    assert!(said.contains("division by zero, pc 0x"), "{said}");
}

/// A thread that ends while no other one can run leaves the processor asleep on its stack.
#[test]
fn a_thread_begins_in_the_place_of_one_that_has_ended() {
    if !has_qemu() {
        return;
    }
    let ended = cargo("run", "again");
    let out = String::from_utf8_lossy(&ended.stdout);
    let expected = "thread 0 begins\nthread 0 ends\nthread 1 begins\nthread 1 ends\nthread 2 begins\n\
                    thread 2 ends\n";
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(
        (out.as_ref(), ended.status.code()),
        (expected, Some(0)),
        "{said}"
    );
}

/// Two schedules are not compared if one of them ended before its time.
#[test]
fn a_comparison_is_refused() {
    if !has_qemu() {
        return;
    }
    let (folder, _) = image("division");
    let output = flyball(&folder, &["compare", "--policy", "fp"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("task \"faulty\" failed: division by zero at 8.3"),
        "{said}"
    );
}
