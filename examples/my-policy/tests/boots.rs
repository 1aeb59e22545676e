//! The policy boots from a crate outside of the checkout, by the commands of
//! `docs/your-own-policy.md`.

use serde_json::Value;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Where the libraries are that the checkout's tests were built with.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    // `target/debug/deps/boots`.
    let target = test.ancestors().nth(3).expect("it is in a target folder");
    target.to_owned()
}

/// How to compile: libraries as the checkout does, so that those that it has are used, and the rest
/// quickly.
fn profile(root: &Path) -> String {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("it can be read");
    let (_, profile) = manifest.split_once("[profile.dev]").expect("it has one");
    let mut profile = format!("\n[profile.dev]{profile}\nflyball.opt-level = 0\n");
    for folder in fs::read_dir(root.join("crates")).expect("they can be listed") {
        let name = folder.expect("it can be read").file_name();
        let name = name.to_str().expect("names here are UTF-8");
        if name != "flyball" && !profile.contains(&format!("flyball-{name}.opt-level")) {
            profile.push_str(&format!("flyball-{name}.opt-level = 0\n"));
        }
    }
    profile
}

/// A crate outside of the checkout, made as the document says. It has the same place in each run,
/// so that a second run compiles nothing.
fn outside() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..");
    let mut hasher = DefaultHasher::new();
    here.hash(&mut hasher);
    let name = format!("flyball-outside-{:x}", hasher.finish());
    let folder = std::env::temp_dir().join(name);
    let at = |name: &str| folder.join(name);
    fs::create_dir_all(at("src")).expect("the folder can be made");
    for file in ["src/lib.rs", "src/main.rs"] {
        fs::copy(here.join(file), at(file)).expect("it can be copied");
    }
    let manifest = fs::read_to_string(here.join("Cargo.toml")).expect("it can be read");
    let crates = root.join("crates").canonicalize().expect("it is there");
    let crates = crates.to_str().expect("paths here are UTF-8");
    // Another name, as the checkout has a program of this one.
    let manifest = manifest
        .replace("../../crates", crates)
        .replace("name = \"my-policy\"", "name = \"outside\"")
        + "\n[lib]\nname = \"my_policy\"\n"
        + &profile(&root);
    fs::write(at("Cargo.toml"), manifest).expect("it fits");
    // What is downloaded already is enough.
    fs::copy(root.join("Cargo.lock"), at("Cargo.lock")).expect("it can be copied");
    fs::write(at("set.toml"), SET).expect("it fits");
    folder
}

/// Runs the command there; returns what it prints as JSON.
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--"])
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
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
            json(&folder, &arguments)
        };
        // Not preempted, "batch" runs from 1 to 8 ms, and a job of "control" is late.
        let ran = json("run");
        assert_eq!(ran["policies"][0]["simulated"]["misses"], 1, "{ran}");
        let compared = json("compare");
        let policies = compared["policies"].as_array().expect("a list of policies");
        assert_eq!(policies.len(), 1, "{compared}");
        assert_eq!(policies[0]["policy"], "sjf");
        assert_eq!(policies[0]["same_order"], true, "{compared}");
    }
}
