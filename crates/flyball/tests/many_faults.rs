//! A task that does what no task may, on several emulated CPUs: the command says which one it was
//! and why.
//!
//! The image is `faulty` of `apps/stress`: its tasks 1 to 3 go wrong 200 µs into their third jobs.

use crate::common;

use assert_cmd::Command;
use common::has_riscv;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::{fs, process};
use tempfile::TempDir;

/// What is said about the fault of the task of that number, which comes before the others'.
fn fault(number: usize) -> Value {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps");
    let built = process::Command::new("cargo")
        .args([
            "build",
            "--release",
            "--quiet",
            "--package",
            "flyball-stress",
            "--bin",
            "faulty",
        ])
        .args([
            "--target",
            "riscv64gc-unknown-none-elf",
            "--target-dir",
            "target",
        ])
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(&apps)
        .status();
    assert!(built.is_ok_and(|status| status.success()));
    let folder = TempDir::new().unwrap();
    let image = apps.join("target/riscv64gc-unknown-none-elf/release/faulty");
    fs::copy(image, folder.path().join("runner")).unwrap();
    let mut tasks = String::new();
    for task in 0..4 {
        let phase = if task == number || task == 0 { 0 } else { 3 };
        // Writing to a string cannot fail.
        let _ = write!(
            tasks,
            "[[task]]\nname = \"t{task}\"\nperiod = \"4ms\"\nphase = \"{phase}ms\"\n\
             wcet = \"500us\"\npriority = {}\n",
            9 - task
        );
    }
    let set = folder.path().join("set.toml");
    fs::write(&set, format!("schema = 1\n[platform]\ncpus = 2\n{tasks}")).unwrap();
    let output = Command::cargo_bin("flyball")
        .unwrap()
        .env("FLYBALL_IMAGES", folder.path())
        .args([
            "run",
            "--machine",
            "riscv",
            "--policy",
            "g-fp",
            "--until",
            "40ms",
            "--json",
        ])
        .arg(&set)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| {
        panic!(
            "{error}: {said} {}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let fault = report["fault"].clone();
    assert_eq!(fault["task"], format!("t{number}"), "{fault}");
    // Two jobs of it before, and others' that are more urgent.
    let at = fault["time_ns"].as_u64().unwrap();
    assert!((8_200_000..13_000_000).contains(&at), "{fault}");
    fault
}

#[test]
fn a_panic() {
    if has_riscv() {
        let fault = fault(1);
        assert_eq!(fault["cause"], "panic");
        assert!(
            fault["message"].as_str().unwrap().contains("no fuel left"),
            "{fault}"
        );
    }
}

#[test]
fn a_read_of_nothing() {
    if has_riscv() {
        let fault = fault(2);
        assert_eq!(fault["cause"], "access to where nothing is");
        assert_eq!(fault["address"], 0x10);
    }
}

/// It is noticed in the kernel, with the lock of the CPUs in the hand.
#[test]
fn a_stack_that_is_too_small() {
    if has_riscv() {
        assert_eq!(fault(3)["cause"], "stack overflow");
    }
}
