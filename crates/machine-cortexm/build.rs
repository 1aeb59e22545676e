//! Tells the linker where the chosen board has its memory. Where an application brings a board of
//! its own it brings its `memory.x`, too, as is usual with `cortex-m-rt`.
//!
//! The script `link.x` of `cortex-m-rt` is linked like a library, so every program that has this
//! crate is linked by it, and needs no `-Tlink.x`. With that as well it would be there twice.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let is_chosen = |feature| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    // What is chosen has precedence over the default.
    let board = match () {
        () if is_chosen("NETDUINOPLUS2") => Some("netduinoplus2"),
        () if is_chosen("LM3S6965") => Some("lm3s6965"),
        () if is_chosen("MPS2_AN385") => Some("mps2-an385"),
        () => None,
    };
    if let Some(board) = board {
        fs::copy(format!("memory/{board}.x"), out.join("memory.x")).expect("files can be copied");
    }
    fs::write(out.join("device.x"), "").expect("the folder can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-lib=dylib:+verbatim=link.x");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=memory");
}
