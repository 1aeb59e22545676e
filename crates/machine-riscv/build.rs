//! Puts the linker's script where the linker finds it.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::copy("riscv.x", folder.join("riscv.x"))?;
    println!("cargo::rustc-link-search={}", folder.display());
    println!("cargo::rerun-if-changed=riscv.x");
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
