//! Images that measure, for the board that all figures are of.

use crate::error::BenchError;
use flyball_board::image::{self, Build, Size};
use std::ops::ControlFlow;

/// Builds the images of a package.
pub(crate) fn build(package: &str, profile: &str, features: &[&str]) -> Result<(), BenchError> {
    eprintln!("building {package} {}", features.join(" "));
    let build = Build {
        package,
        image: None,
        profile,
        features,
    };
    Ok(build.make(&mut |_| ControlFlow::Continue(()))?)
}

/// How large a built image is.
pub(crate) fn size(name: &str, profile: &str) -> Result<Size, BenchError> {
    Ok(image::size(&image::find(name, profile)?)?)
}

/// Runs an image with a command line, an instruction taking 2^`shift` ns. Returns what it printed.
pub(crate) fn run(name: &str, shift: u32, words: &[&str]) -> Result<String, BenchError> {
    let elf = image::find(name, "release")?;
    Ok(image::run(&elf, shift, words, &mut |_| {
        ControlFlow::Continue(())
    })?)
}

/// Whether there is an emulator, and a tool chain for the images.
#[cfg(test)]
pub(crate) fn can_be_run() -> bool {
    use std::{path::Path, process::Command};
    let says = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let libraries = ["--print", "target-libdir", "--target", "thumbv7m-none-eabi"];
    says("qemu-system-arm", &["--version"]).is_ok()
        && says("rustc", &libraries).is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}
