//! The name of a new crate.

use crate::failure::Failure;
use std::path::Path;

/// What cargo or the compiler takes for something else.
const TAKEN: [&str; 60] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// The name of the crate in the folder `path`: its last part.
pub(super) fn of(path: &Path) -> Result<String, Failure> {
    let name = path.file_name().and_then(|name| name.to_str());
    let refused = |what: &str| {
        let help = "choose a name like my-app";
        Failure::file(path, what, Some(help))
    };
    let name =
        name.ok_or_else(|| refused("expected a folder with a name, of which it is the last part"))?;
    match fault(name) {
        None => Ok(name.to_owned()),
        Some(what) => Err(refused(&format!(
            "\"{name}\" is no name for a crate: {what}"
        ))),
    }
}

/// Why a crate cannot have this name.
fn fault(name: &str) -> Option<&'static str> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !name.chars().all(is_plain) {
        return Some("expected small letters from a to z, digits, - and _");
    }
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Some("expected a letter at its beginning");
    }
    if name.len() > 64 {
        return Some("expected 64 letters at most");
    }
    if TAKEN.contains(&name) {
        return Some("expected a name that is no word of Rust or cargo");
    }
    if name.replace('_', "-").starts_with("flyball") {
        return Some("expected one that does not begin like Flyball's own crates");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_crates() {
        for name in ["a", "my-app", "my_app2", "f1y"] {
            assert_eq!(fault(name), None, "{name}");
        }
        for name in [
            "",
            "My-App",
            "2nd",
            "-a",
            "a b",
            "ä",
            "a.b",
            "fn",
            "while",
            "test",
            "flyball-app",
            "flyball_app",
        ] {
            assert!(fault(name).is_some(), "{name}");
        }
        assert!(fault(&"a".repeat(65)).is_some());
        assert!(of(Path::new("..")).is_err() && of(Path::new("/")).is_err());
    }
}
