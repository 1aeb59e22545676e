//! The policy does what it should: `cargo test`.

use std::process::Command;

/// Simulates `set.toml`; returns the exit code and what it prints.
fn simulate(policy: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_my-policy"))
        .args(["simulate", "set.toml", "--no-chart", "--policy", policy])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the command starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), printed)
}

/// "quick" disturbs "urgent", which has the nearer deadline. Under EDF no deadline is missed.
#[test]
fn the_shortest_job_comes_first() {
    let (code, printed) = simulate("sjf");
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("Shortest job first"), "{printed}");
    let (code, printed) = simulate("edf");
    assert_eq!(code, Some(0), "{printed}");
}
