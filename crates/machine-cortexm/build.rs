//! Tells the linker where the board has its memory.

use std::{env, fs, path::PathBuf};

const MEMORY: &str = "MEMORY {
  FLASH : ORIGIN = 0x00000000, LENGTH = 4M
  RAM : ORIGIN = 0x20000000, LENGTH = 4M
}
";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("memory.x"), MEMORY).expect("the folder can be written");
    fs::write(out.join("device.x"), "").expect("the folder can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
}
