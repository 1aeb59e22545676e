//! Ctrl-C at any moment of a long command: it ends soon, with exit code 130, and leaves nothing
//! half-written behind.

#![cfg(unix)]

mod common;

use flyball_model::random::Random;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A command that takes seconds, in a folder with `large.toml`, `long.toml` and `study.toml`.
const COMMANDS: [&[&str]; 9] = [
    &["analyse", "large.toml", "--cpus", "64"],
    &["study", "large.toml", "--cpus", "16", "--out", "out"],
    &["study", "long.toml", "--until", "6000min", "--no-report"],
    &[
        "simulate",
        "long.toml",
        "--policy",
        "edf",
        "--until",
        "6000min",
    ],
    &["sweep", "study.toml", "--out", "sets"],
    &["reproduce", "epos-study", "--out", "out"],
    &["reproduce", "miosix", "--out", "out"],
    &["overheads", "--report", "out"],
    ON_MACHINE,
];

/// Needs an emulator.
const ON_MACHINE: &[&str] = &["compare", "long.toml", "-p", "rm,edf", "--until", "3s"];

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
    let mut all = Vec::new();
    let has_machine = common::has_qemu();
    for args in COMMANDS {
        if args == ON_MACHINE && !has_machine {
            continue;
        }
        let mut caught = 0;
        for _ in 0..moments {
            let until = random.uniform(
                flyball_trace::Duration::from_millis(300),
                flyball_trace::Duration::from_millis(1_500),
            );
            let mut child = flyball(folder.path(), args).spawn().unwrap();
            thread::sleep(Duration::from_nanos(until.as_nanos()));
            if child.try_wait().unwrap().is_some() {
                continue;
            }
            caught += 1;
            let asked = Instant::now();
            let kill = Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status();
            assert!(kill.unwrap().success());
            let output = child.wait_with_output().unwrap();
            let took = asked.elapsed();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(130),
                "{args:?} after {until}: {said}"
            );
            assert!(took < SOON, "{args:?} after {until}: {took:?}");
            all.push(took);
        }
        assert!(caught > 0, "{args:?} is no long command");
    }
    all.sort_unstable();
    let (median, longest) = (all[all.len() / 2], all[all.len() - 1]);
    eprintln!(
        "of {} the median took {median:?}, the longest {longest:?}",
        all.len()
    );
    assert!(
        !folder.path().join("out").exists(),
        "a report that is not whole"
    );
}
