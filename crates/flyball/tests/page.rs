//! Reports in a browser: `page.mjs` beside this file operates them.
//!
//! Skipped where Node.js, playwright-core or Chromium is missing, unless `FLYBALL_REQUIRE_BROWSER` is
//! set. `./x test` installs them, and sets it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// One browser at a time, since each has to draw within some seconds.
static BROWSER: Mutex<()> = Mutex::new(());

/// Names of browsers that playwright-core drives.
const BROWSERS: [&str; 3] = ["chromium", "chromium-headless-shell", "google-chrome"];

/// Runs Node.js, which finds what `./x test` has put into the target folder.
fn node(arguments: &[&str]) -> Result<Output, String> {
    let modules = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../browser/node_modules");
    let output = Command::new("node")
        .args(arguments)
        .env("NODE_PATH", modules)
        .output();
    output.map_err(|error| format!("node: {error}"))
}

/// Returns the path of a browser, or what is missing.
fn browser() -> Result<PathBuf, String> {
    let output = node(&["--eval", "require('playwright-core')"])?;
    if !output.status.success() {
        return Err("there is no playwright-core".into());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .flat_map(|folder| BROWSERS.map(|name| folder.join(name)))
        .find(|path| path.is_file())
        .ok_or_else(|| format!("there is none of {}", BROWSERS.join(", ")))
}

fn flyball(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_flyball"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the command starts");
    // That some policy does not hold the set is no error.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
}

/// Writes a report about a task set, and operates it.
fn operate(file: impl FnOnce(&Path) -> String, options: &[&str]) {
    let browser = match browser() {
        Ok(browser) => browser,
        Err(missing) => {
            let required = std::env::var_os("FLYBALL_REQUIRE_BROWSER").is_some();
            assert!(!required, "FLYBALL_REQUIRE_BROWSER is set, and {missing}");
            eprintln!("skipped: {missing}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let file = file(folder.path());
    // A test that failed has left nothing behind.
    let _one = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
    let study = ["study", &file, "--quiet", "--until", "2s", "--out", "."];
    flyball(folder.path(), &[&study, options].concat());
    let report = folder
        .path()
        .join(Path::new(&file).with_extension("html").file_name().unwrap());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page.mjs");
    let [browser, report] = [&browser, &report].map(|path| path.to_str().unwrap());
    let output = node(&[script, browser, report]).unwrap();
    let [text, errors] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    println!("{text}");
    assert!(output.status.success(), "{text}{errors}");
}

#[test]
fn one_policy_on_one_cpu() {
    let gap = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gap.toml");
    operate(|_| gap.into(), &["--policy", "rm"]);
}

#[test]
fn servers_and_their_budgets() {
    let servers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/servers.toml");
    operate(|_| servers.into(), &["--policy", "cbs,polling"]);
}

#[test]
fn every_policy_with_many_tasks_on_many_cpus() {
    let generated = |folder: &Path| {
        let size = ["--tasks", "60", "--cpus", "8", "--utilisation", "6.5"];
        let file = "sixty.toml";
        flyball(
            folder,
            &[&["generate", "--quiet", "--out", file], &size[..]].concat(),
        );
        file.into()
    };
    operate(generated, &[]);
}
