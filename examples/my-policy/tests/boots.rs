//! The policy boots, from a crate outside of the checkout, by the commands of `docs/your-own-policy.md`.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

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

/// The crate as a user has it: somewhere else, with paths to the checkout.
fn copy_to(folder: &Path) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = here.join("../../crates");
    let crates = crates.canonicalize().expect("the crates are there");
    let workspace = fs::read_to_string(here.join("../../Cargo.toml")).expect("it can be read");
    // As the checkout is built, so that nothing is compiled twice.
    let profiles = workspace
        .find("[profile.")
        .map_or("", |at| &workspace[at..]);
    let manifest = fs::read_to_string(here.join("Cargo.toml")).expect("it can be read");
    let manifest = manifest.replace("../../crates", &crates.display().to_string());
    let manifest = format!("{manifest}\n[workspace]\n\n{profiles}");
    fs::create_dir_all(folder.join("src")).expect("there is room");
    fs::write(folder.join("Cargo.toml"), manifest).expect("it can be written");
    for file in ["src/lib.rs", "src/main.rs"] {
        fs::copy(here.join(file), folder.join(file)).expect("it can be copied");
    }
    let lock = here.join("../../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("it can be copied");
    fs::write(folder.join("set.toml"), SET).expect("it can be written");
}

fn cargo_run(folder: &Path, arguments: &[&str]) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_my-policy"));
    let target = binary.ancestors().nth(2).expect("it is in target/debug");
    Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--target-dir"])
        .arg(target)
        .arg("--")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("cargo starts")
}

#[test]
fn from_outside_of_the_checkout_on_both_machines() {
    if !has_qemu() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let folder = folder.path().join("my-policy");
    copy_to(&folder);
    for machine in ["cortex-m3", "riscv"] {
        let arguments = ["--machine", machine, "--policy", "sjf", "--until", "20ms"];
        let json = |command: &str| {
            let output = cargo_run(
                &folder,
                &[&[command, "set.toml", "--json"], &arguments[..]].concat(),
            );
            serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|error| {
                let said = String::from_utf8_lossy(&output.stderr);
                panic!("{command} on {machine}: {error}\n{said}")
            })
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
