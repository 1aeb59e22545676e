//! Files of the studying, measuring and reproducing crates do not import each other in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path within the crate.
type Module = Vec<String>;

/// The files of a crate, by module. A `mod.rs` is the module of its folder.
fn files(folder: &Path, path: &Module, found: &mut BTreeMap<Module, PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let file = entry.expect("the folder can be read").path();
        let name = file.file_stem().and_then(|name| name.to_str());
        let name = name.expect("names are plain").to_owned();
        let inside = || path.iter().cloned().chain([name.clone()]).collect();
        if file.is_dir() {
            files(&file, &inside(), found);
        } else if ["mod", "lib"].contains(&name.as_str()) {
            found.insert(path.clone(), file);
        } else {
            found.insert(inside(), file);
        }
    }
}

/// All paths that begin with `crate` or `super` in what a file has before its tests, with braces
/// spread out.
fn paths(text: &str) -> Vec<Module> {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let code: String = code.collect::<Vec<_>>().join("\n");
    let code = code.split("#[cfg(test)]\nmod").next().unwrap_or("");
    let mut found = Vec::new();
    let words = |text: &str| -> Module {
        let words = text.split("::").map(|word| word.trim().to_owned());
        words.filter(|word| !word.is_empty()).collect()
    };
    let begins = code
        .match_indices("crate::")
        .chain(code.match_indices("super::"));
    for (at, _) in begins {
        let rest = &code[at..];
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let path = words(&rest[..end]);
        if rest[end..].starts_with('{') {
            // Only the first names within matter: deeper ones are of the same files.
            let mut depth = 0;
            let mut name = String::new();
            for c in rest[end..].chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => {
                        found.push([path.clone(), words(&name)].concat());
                        name.clear();
                    }
                    c if depth == 1 => name.push(c),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            found.push([path, words(&name)].concat());
        } else {
            found.push(path);
        }
    }
    found
}

/// Which files of a crate a file imports.
fn imports(module: &Module, text: &str, files: &BTreeMap<Module, PathBuf>) -> BTreeSet<Module> {
    let mut imported = BTreeSet::new();
    for path in paths(text) {
        let up = path.iter().take_while(|word| *word == "super").count();
        let base = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            _ => module[..module.len().saturating_sub(up)].to_vec(),
        };
        let mut path = [&base[..], &path[up.max(1)..]].concat();
        while !files.contains_key(&path) && path.pop().is_some() {}
        if path != *module {
            imported.insert(path);
        }
    }
    imported
}

/// The modules that `from` reaches by imports.
fn reached(from: &Module, graph: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    reached
}

#[test]
fn no_file_imports_itself_by_others() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["study", "measure", "reproduce"] {
        let mut found = BTreeMap::new();
        files(&crates.join(name).join("src"), &Vec::new(), &mut found);
        assert!(found.len() > 10, "{name} has files");
        let mut graph = BTreeMap::new();
        for (module, file) in &found {
            if module.iter().any(|word| word == "tests") {
                continue;
            }
            let text = fs::read_to_string(file).expect("the file can be read");
            graph.insert(module.clone(), imports(module, &text, &found));
        }
        let edges: usize = graph.values().map(BTreeSet::len).sum();
        assert!(edges > found.len() / 2, "{name}: {edges} imports");
        for module in graph.keys() {
            let reached = reached(module, &graph);
            assert!(
                !reached.contains(module),
                "{name}: {} is in a circle",
                module.join("::")
            );
        }
    }
}

#[test]
fn a_circle_is_found() {
    let module = |text: &str| -> Module { text.split("::").map(str::to_owned).collect() };
    let texts = [
        ("a", "use crate::b::{One, c::Two};"),
        (
            "b",
            "use super::d;\n#[cfg(test)]\nmod tests { use crate::a; }",
        ),
        ("b::c", "fn f() { crate::a::g() }"),
        ("d", "// crate::a"),
    ];
    let files: BTreeMap<_, _> = texts.map(|(name, _)| (module(name), PathBuf::new())).into();
    let graph: BTreeMap<_, _> = texts
        .map(|(name, text)| (module(name), imports(&module(name), text, &files)))
        .into();
    let circle = |name: &str| reached(&module(name), &graph).contains(&module(name));
    assert_eq!(
        ["a", "b", "b::c", "d"].map(circle),
        [true, false, true, false]
    );
}
