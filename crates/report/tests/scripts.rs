//! The page's scripts, where there is Node.js to run them.
//!
//! `page.rs` of the crate `flyball` goes further and operates a page in a browser.

use std::path::Path;
use std::process::Command;

/// Runs `node`, or returns `None` where there is none.
fn node(arguments: &[&str]) -> Option<std::process::Output> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    match Command::new("node")
        .current_dir(folder)
        .args(arguments)
        .output()
    {
        Ok(output) => Some(output),
        Err(error) => {
            println!("not checked, as node cannot be run: {error}");
            None
        }
    }
}

#[test]
fn the_scripts_do_what_they_should() {
    if let Some(output) = node(&["tests/scripts.mjs"]) {
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
    }
}
