//! Puts the linker's script where the linker finds it. It is linked like a library, so every program
//! that has this crate is linked by it, and needs no `-Triscv.x`.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::copy("riscv.x", folder.join("riscv.x"))?;
    println!("cargo::rustc-link-search={}", folder.display());
    println!("cargo::rustc-link-lib=dylib:+verbatim=riscv.x");
    println!("cargo::rerun-if-changed=riscv.x");
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
