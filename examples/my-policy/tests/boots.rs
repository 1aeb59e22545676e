//! The policy boots from a crate outside of the checkout, by the commands of
//! `docs/your-own-policy.md`.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const SET: &str = r#"
schema = 1
[[task]]
name = "control"
period = "4ms"
wcet = "1ms"
[[task]]
name = "batch"
period = "20ms"
wcet = "7ms"
"#;

/// Whether the emulators are there. `./x test` installs them, and says so by a variable.
fn has_qemu() -> bool {
    let starts = |program| Command::new(program).arg("--version").output().is_ok();
    let has = starts("qemu-system-arm") && starts("qemu-system-riscv64");
    assert!(
        has || std::env::var_os("FLYBALL_REQUIRE_QEMU").is_none(),
        "QEMU is not installed"
    );
    if !has {
        eprintln!("skipped: QEMU is not installed");
    }
    has
}

/// A crate outside of the checkout, made as the document says.
fn outside() -> TempDir {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("src")).expect("the folder can be made");
    for file in ["src/lib.rs", "src/main.rs"] {
        fs::copy(here.join(file), at(file)).expect("it can be copied");
    }
    let manifest = fs::read_to_string(here.join("Cargo.toml")).expect("it can be read");
    let crates = here.join("../../crates");
    let crates = crates.canonicalize().expect("it is there");
    let crates = crates.to_str().expect("paths here are UTF-8");
    fs::write(at("Cargo.toml"), manifest.replace("../../crates", crates)).expect("it fits");
    // What is downloaded already is enough.
    fs::copy(here.join("../../Cargo.lock"), at("Cargo.lock")).expect("it can be copied");
    fs::write(at("set.toml"), SET).expect("it fits");
    folder
}

/// Runs the command there; returns what it prints as JSON.
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/outside");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--"])
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        panic!("{arguments:?}: {error}\n{said}")
    })
}

#[test]
fn on_both_machines() {
    if !has_qemu() {
        return;
    }
    let folder = outside();
    for machine in ["cortex-m3", "riscv"] {
        let arguments = ["--machine", machine, "--policy", "sjf", "--until", "20ms"];
        let json = |command: &str| {
            let arguments = [&[command, "set.toml", "--json"], &arguments[..]].concat();
            json(folder.path(), &arguments)
        };
        // Not preempted, "batch" runs from 1 to 8 ms, and a job of "control" is late.
        let ran = json("run");
        assert_eq!(ran["simulated"]["misses"], 1, "{ran}");
        let compared = json("compare");
        let policies = compared["policies"].as_array().expect("a list of policies");
        assert_eq!(policies.len(), 1, "{compared}");
        assert_eq!(policies[0]["policy"], "sjf");
        assert_eq!(policies[0]["same_order"], true, "{compared}");
    }
}
