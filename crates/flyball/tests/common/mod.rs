//! What the tests on the emulated board have in common.

use std::path::Path;

/// Whether there is an emulator, and a tool chain for what it emulates.
pub(crate) fn has_qemu() -> bool {
    let run = |program: &str, args: &[&str]| {
        let output = std::process::Command::new(program).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let target = ["--print", "target-libdir", "--target", "thumbv7m-none-eabi"];
    let missing = if run("qemu-system-arm", &["--version"]).is_err() {
        "qemu-system-arm"
    } else if !run("rustc", &target).is_ok_and(|folder| Path::new(&folder).is_dir()) {
        "the Rust target thumbv7m-none-eabi"
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
