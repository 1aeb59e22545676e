//! Images: built by cargo, run by the emulator.

use crate::error::BenchError;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The target, as its folder is called.
const TRIPLE: &str = "thumbv7m-none-eabi";
/// An image that does not end by itself is ended after so many seconds.
const PATIENCE: &str = "300";

fn apps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps")
}

/// Builds the images of a package.
pub(crate) fn build(package: &str, profile: &str, features: &[&str]) -> Result<(), BenchError> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--target-dir", "target"])
        .args(["--package", package, "--profile", profile])
        .args(["--features", &features.join(",")])
        .current_dir(apps());
    // The images have settings of their own.
    for foreign in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(foreign);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            cargo.env_remove(name);
        }
    }
    eprintln!("building {package} {}", features.join(" "));
    output(cargo, "cargo", &format!("building {package}")).map(drop)
}

/// Whether there is an emulator, and a tool chain for the images.
#[cfg(test)]
pub(crate) fn can_be_run() -> bool {
    let says = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    says("qemu-system-arm", &["--version"]).is_ok()
        && says("rustc", &["--print", "target-libdir", "--target", TRIPLE])
            .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// Where a built image is.
pub(crate) fn path(name: &str, profile: &str) -> PathBuf {
    apps().join("target").join(TRIPLE).join(profile).join(name)
}

/// Runs an image with a command line, an instruction taking 2^`shift` ns. Returns what it printed.
pub(crate) fn run(name: &str, shift: u32, words: &[&str]) -> Result<String, BenchError> {
    let words = words.iter().map(|word| format!(",arg={word}"));
    let semihosting = format!(
        "enable=on,target=native,arg={name}{}",
        words.collect::<String>()
    );
    let mut emulator = Command::new("timeout");
    // Without `sleep=off` runs differ. A polite request to end is not always heard.
    emulator
        .args(["-k", "5", PATIENCE, "qemu-system-arm"])
        .args(["-M", "mps2-an385", "-nodefaults", "-nic", "none"])
        .args(["-display", "none", "-monitor", "none", "-serial", "none"])
        .args(["-semihosting-config", &semihosting])
        .args(["-icount", &format!("shift={shift},sleep=off")])
        .arg("-kernel")
        .arg(path(name, "release"));
    output(emulator, "timeout", &format!("{semihosting}: running it"))
}

/// What a program prints, if it ends well.
fn output(mut command: Command, program: &'static str, what: &str) -> Result<String, BenchError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| BenchError::Start { program, error })?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(BenchError::Failed {
        what: what.to_owned(),
        said: format!("{printed}{said}"),
    })
}
