//! What the tests on the emulated board have in common.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether there is an emulator of a Cortex-M3, and a tool chain for it.
#[allow(dead_code, reason = "not every test is on this machine")]
pub(crate) fn has_qemu() -> bool {
    has("qemu-system-arm", "thumbv7m-none-eabi")
}

/// Whether there is an emulator of RISC-V, and a tool chain for it.
#[allow(dead_code, reason = "not every test is on this machine")]
pub(crate) fn has_riscv() -> bool {
    has("qemu-system-riscv64", "riscv64gc-unknown-none-elf")
}

/// Writes a program that a test starts. Another process writes it: while this one has a file open for writing, tests
/// beside this may start programs, which hold it open for a moment, and so long it would not start ("text file busy").
#[allow(dead_code, reason = "not every test writes one")]
pub(crate) fn write_program(path: &Path, contents: &[u8]) {
    let mut shell = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut input = shell.stdin.take().expect("it is piped");
    input.write_all(contents).expect("it can be written");
    drop(input);
    assert!(shell.wait().expect("it was started").success());
}

fn has(emulator: &str, target: &str) -> bool {
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let folder = ["--print", "target-libdir", "--target", target];
    let missing = if run(emulator, &["--version"]).is_err() {
        emulator.to_owned()
    } else if !run("rustc", &folder).is_ok_and(|folder| Path::new(&folder).is_dir()) {
        format!("the Rust target {target}")
    } else {
        return true;
    };
    assert!(
        std::env::var_os("FLYBALL_REQUIRE_QEMU").is_none(),
        "{missing} is not installed, and FLYBALL_REQUIRE_QEMU is set"
    );
    eprintln!("skipped: {missing} is not installed");
    false
}
