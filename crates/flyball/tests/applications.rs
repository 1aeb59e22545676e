//! The example applications print what they should, as processes and on the emulated board.

use crate::common;

use common::{has_qemu, has_riscv};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const EXAMPLES: [&str; 11] = [
    "blink",
    "producer_consumer",
    "control_loop",
    "sensor",
    "events",
    "workers",
    "own_policy",
    "servers",
    "audio_rr",
    "audio_fp",
    "audio_pp",
];

fn apps() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../apps")
}

/// How the examples are built that users run.
const RELEASE: [&str; 1] = ["--release"];

/// Runs an example, built for `target` with such options, and returns its exit code and what it
/// printed.
fn run(example: &str, target: &str, options: &[&str]) -> (Option<i32>, String) {
    let mut arguments = vec!["run", "--quiet", "--package", "flyball-examples"];
    arguments.extend(["--target", target]);
    arguments.extend(options);
    arguments.extend(["--bin", example]);
    cargo(&arguments)
}

/// Runs cargo on the images.
fn cargo(arguments: &[&str]) -> (Option<i32>, String) {
    // What waits for ever is ended, and an emulator that does is killed.
    let output = Command::new("timeout")
        .args(["-k", "5", "600", "cargo"])
        .args(arguments)
        .current_dir(apps())
        .output()
        .expect("`timeout` and `cargo` are there");
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    (output.status.code(), printed)
}

fn expected(example: &str) -> String {
    let file = apps().join(format!("examples/expected/{example}.txt"));
    fs::read_to_string(file).expect("it says what to expect")
}

fn print_what_they_should(target: &str, options: &[&str]) {
    for example in EXAMPLES {
        assert_eq!(
            run(example, target, options),
            (Some(0), expected(example)),
            "{example}"
        );
    }
}

/// Where arithmetic is checked.
#[test]
fn on_the_host() {
    print_what_they_should("host-tuple", &[]);
}

#[test]
fn on_the_board() {
    if has_qemu() {
        print_what_they_should("thumbv7m-none-eabi", &RELEASE);
    }
}

/// The stacks that no application chooses are deep enough for a compiler that saves no room.
#[test]
fn on_the_board_without_optimisation() {
    if !has_qemu() {
        return;
    }
    let options = [
        "--config",
        "profile.dev.opt-level=0",
        "--target-dir",
        "target/unoptimised",
    ];
    let ran = run("blink", "thumbv7m-none-eabi", &options);
    assert_eq!(ran, (Some(0), expected("blink")));
}

/// By the commands of `apps/README.md`. All of them in soak runs.
fn on_another_board(board: &str) {
    if !has_qemu() {
        return;
    }
    let few = ["blink", "control_loop"];
    let soaks = std::env::var_os("SOAK").is_some();
    for example in if soaks { &EXAMPLES[..] } else { &few } {
        let ran = cargo(&[board, example]);
        assert_eq!(ran, (Some(0), expected(example)), "{example}");
    }
}

#[test]
fn on_the_second_board() {
    on_another_board("lm3s6965");
}

#[test]
fn on_a_cortex_m4() {
    on_another_board("netduinoplus2");
}

/// One of them has four CPUs there.
#[test]
fn on_several_cpus() {
    if has_riscv() {
        print_what_they_should("riscv64gc-unknown-none-elf", &RELEASE);
    }
}

#[test]
fn all_examples_are_among_them() {
    let folder = fs::read_dir(apps().join("examples/src/bin")).expect("there are examples");
    let mut found: Vec<String> = folder
        .map(|entry| entry.expect("it can be read").file_name())
        .map(|name| name.to_string_lossy().replace(".rs", ""))
        .collect();
    found.sort();
    let mut expected = EXAMPLES.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn the_readme_shows_what_is_built() {
    let root = apps().join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("it is there");
    let source = read("apps/examples/src/bin/blink.rs");
    assert!(read("README.md").contains(&format!("```rust\n{source}```\n")));
}
