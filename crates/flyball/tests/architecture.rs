//! The arrows of ARCHITECTURE.md: what a crate needs is on a floor below its own.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The floor of each crate, by its name without `flyball-`, as the drawing has it.
fn floors() -> HashMap<String, u32> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = fs::read_to_string(file).expect("it is there");
    let drawing = text.split("```floors").nth(1).expect("there is a drawing");
    let drawing = drawing.split("```").next().expect("the drawing ends");
    let mut floors = HashMap::new();
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        // What comes behind the names is for the reader.
        let names = line.split("   ·").next().unwrap_or(line);
        let mut words = names.split_whitespace();
        let floor = words.next().and_then(|word| word.parse().ok());
        let floor = floor.unwrap_or_else(|| panic!("no floor in {line:?}"));
        for name in words {
            let before = floors.insert(name.to_owned(), floor);
            assert_eq!(before, None, "{name} is on two floors");
        }
    }
    floors
}

/// The crates of a workspace that stand in `crates/`, each with what it needs of Flyball's.
fn crates(workspace: &Path) -> Vec<(String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(workspace)
        .output()
        .expect("cargo starts");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let short = |name: &Value| {
        let name = name.as_str().expect("a package has a name");
        let ours = name.strip_prefix("flyball-");
        ours.or((name == "flyball").then_some(name))
            .map(str::to_owned)
    };
    let packages = metadata["packages"].as_array().expect("there are packages");
    let in_crates = packages.iter().filter(|package| {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        manifest.contains("/crates/")
    });
    let with_needs = in_crates.filter_map(|package| {
        let needs = package["dependencies"].as_array()?.iter();
        // Tests may reach up: `kind` is null for what the crate itself needs.
        let needs = needs.filter(|need| need["kind"].is_null());
        let needs = needs.filter_map(|need| short(&need["name"])).collect();
        Some((short(&package["name"])?, needs))
    });
    with_needs.collect()
}

#[test]
fn arrows_point_down() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let floors = floors();
    let floor = |name: &str| {
        let floor = floors.get(name);
        *floor.unwrap_or_else(|| panic!("{name} is not in ARCHITECTURE.md's drawing"))
    };
    let mut seen = crates(&top);
    seen.extend(crates(&top.join("apps")));
    let mut names: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut drawn: Vec<&str> = floors.keys().map(String::as_str).collect();
    drawn.sort_unstable();
    assert_eq!(names, drawn, "the drawing has the crates that there are");
    for (name, needs) in &seen {
        for need in needs {
            assert!(floor(need) < floor(name), "{name} needs {need}");
        }
    }
}

/// A crate's tests are one program where `tests/main.rs` names them; a file that it does not name
/// would never be compiled.
#[test]
fn no_file_of_tests_is_left_out() {
    let mut programs = 0;
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in fs::read_dir(crates).expect("it can be read") {
        let tests = entry.expect("it can be read").path().join("tests");
        let Ok(main) = fs::read_to_string(tests.join("main.rs")) else {
            continue;
        };
        programs += 1;
        for entry in fs::read_dir(&tests).expect("it can be read") {
            let file = entry.expect("it can be read").path();
            let name = file.file_stem().and_then(|name| name.to_str());
            let name = name.expect("names are plain");
            let is_part = name == "main" || main.contains(&format!("\nmod {name};\n"));
            let is_code =
                file.extension().is_some_and(|end| end == "rs") || file.join("mod.rs").exists();
            assert!(is_part || !is_code, "{} is not run", file.display());
        }
    }
    assert_eq!(programs, 9);
}
