//! Ctrl-C at any moment of a long command: it ends soon, with exit code 130, and leaves nothing
//! half-written behind.

#![cfg(unix)]

use crate::common;

use flyball_model::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Commands that take seconds, in a folder with `large.toml`, `long.toml`, `sets.csv` and
/// `study.toml`.
const COMMANDS: [&[&str]; 9] = [
    &["analyse", "large.toml", "--cpus", "64"],
    &["analyse", "--corpus", "sets.csv", "--out", "out"],
    &["study", "large.toml", "--cpus", "16", "--out", "out"],
    &["study", "long.toml", "--until", "6000min", "--no-report"],
    &[
        "simulate",
        "long.toml",
        "-p",
        "rm,edf",
        "--until",
        "6000min",
    ],
    &["sweep", "study.toml", "--out", "sweep"],
    &["reproduce", "epos-study", "--out", "out"],
    &["reproduce", "miosix", "--out", "out"],
    &["overheads", "--report", "out"],
];

/// Commands that need emulators, and wait for other programs.
const ON_MACHINES: [&[&str]; 3] = [
    &[
        "run",
        "long.toml",
        "-m",
        "cortex-m3",
        "-p",
        "edf",
        "--until",
        "30s",
        "--trace",
        "out.txt",
    ],
    &["compare", "long.toml", "-p", "rm,edf", "--until", "20s"],
    &[
        "study",
        "long.toml",
        "--machine",
        "cortex-m3",
        "-p",
        "rm,edf",
        "--until",
        "20s",
        "--out",
        "out",
    ],
];

/// So long may a command go on, on a machine that does other things, too.
const SOON: Duration = Duration::from_secs(5);

fn flyball(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
    command.current_dir(folder).args(args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn prepare(folder: &Path) {
    let made = |args: &[&str]| assert!(flyball(folder, args).status().unwrap().success());
    made(&[
        "generate",
        "--tasks",
        "300",
        "--utilisation",
        "14",
        "--out",
        "large.toml",
    ]);
    made(&[
        "generate",
        "--tasks",
        "20",
        "--utilisation",
        "0.95",
        "--out",
        "long.toml",
    ]);
    let study = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/studies/which-test.toml"
    );
    fs::copy(study, folder.join("study.toml")).unwrap();
    let mut corpus = String::from("set,m,cap,wcet_us,period_us,deadline_us\n");
    let mut random = Random::new(1, 0);
    let mut draw = |from, to| {
        let [from, to] = [from, to].map(flyball_trace::Duration::from_nanos);
        random.uniform(from, to).as_nanos()
    };
    for set in 0..20_000 {
        for _ in 0..40 {
            let period = draw(10_000, 1_000_000);
            let wcet = draw(1, period / 3);
            writeln!(corpus, "{set},8,0,{wcet},{period},{period}").unwrap();
        }
    }
    fs::write(folder.join("sets.csv"), corpus).unwrap();
}

/// How long the command went on after Ctrl-C at that moment; `None`: it had ended before.
fn interrupt(folder: &Path, args: &[&str], moment: flyball_trace::Duration) -> Option<Duration> {
    let mut child = flyball(folder, args).spawn().unwrap();
    thread::sleep(Duration::from_nanos(moment.as_nanos()));
    if child.try_wait().unwrap().is_some() {
        return None;
    }
    let asked = Instant::now();
    let mut kill = Command::new("kill");
    kill.args(["-INT", &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let took = asked.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    if matches!(output.status.code(), Some(0 | 1)) {
        // It had ended by itself meanwhile.
        return None;
    }
    // Before the command has begun, the signal itself ends it, which shells call 130.
    let code = output
        .status
        .code()
        .or(output.status.signal().map(|it| 128 + it));
    assert_eq!(code, Some(130), "{args:?} after {moment}: {said}");
    assert!(took < SOON, "{args:?} after {moment}: {took:?}");
    Some(took)
}

#[test]
fn every_long_command_ends_soon() {
    let soak = std::env::var("SOAK")
        .ok()
        .and_then(|soak| soak.parse().ok());
    let moments = 2 * soak.unwrap_or(1);
    let mut random = Random::new(0, 0);
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let on_machines: &[&[&str]] = if common::has_qemu() {
        &ON_MACHINES
    } else {
        &[]
    };
    for args in COMMANDS.iter().chain(on_machines) {
        let [from, mut to] = [10, 1_500].map(flyball_trace::Duration::from_millis);
        let mut all = Vec::new();
        while all.len() < moments {
            let moment = random.uniform(from, to);
            if let Some(took) = interrupt(folder.path(), args, moment) {
                all.push(took);
            } else {
                // What it wrote is whole.
                let _ = fs::remove_dir_all(folder.path().join("out"));
                let _ = fs::remove_file(folder.path().join("out.txt"));
                let _ = fs::remove_file(folder.path().join("out"));
                to = moment;
            }
            assert!(to > from * 10, "{args:?} is no long command");
        }
        all.sort_unstable();
        let (median, longest) = (all[all.len() / 2], all[all.len() - 1]);
        eprintln!("{args:?}: {moments} times, the median took {median:?}, the longest {longest:?}");
        let is_there = |name| folder.path().join(name).exists();
        assert!(
            !is_there("out") && !is_there("out.txt"),
            "{args:?}: what it wrote is not whole"
        );
    }
}
