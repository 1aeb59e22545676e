//! What the tests on the emulated board have in common.

use std::path::Path;

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

fn has(emulator: &str, target: &str) -> bool {
    let run = |program: &str, args: &[&str]| {
        let output = std::process::Command::new(program).args(args).output();
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
