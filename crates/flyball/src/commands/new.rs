//! `flyball new PATH`: makes a crate for an application, or for a policy, from templates.

mod name;

use crate::args::{NewArgs, Place};
use crate::failure::Failure;
use crate::output;
use flyball_board::sources::{REMEDY, Sources};
use flyball_catalogue::{Shape, entries, path};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{self, ExitCode};

/// A file of a crate: its path there, and its template.
type File = (&'static str, &'static str);

/// The files of an application.
const APPLICATION: [File; 8] = [
    (
        "Cargo.toml",
        include_str!("../../templates/app/manifest.toml"),
    ),
    (
        ".cargo/config.toml",
        include_str!("../../templates/app/config.toml"),
    ),
    (
        "rust-toolchain.toml",
        include_str!("../../templates/app/rust-toolchain.toml"),
    ),
    (".gitignore", include_str!("../../templates/app/gitignore")),
    ("README.md", include_str!("../../templates/app/README.md")),
    ("src/lib.rs", include_str!("../../templates/app/lib.rs")),
    ("src/main.rs", include_str!("../../templates/app/main.rs")),
    (
        "tests/deadlines.rs",
        include_str!("../../templates/app/deadlines.rs"),
    ),
];

/// The files of a policy.
const POLICY: [File; 8] = [
    (
        "Cargo.toml",
        include_str!("../../templates/policy/manifest.toml"),
    ),
    (
        "rust-toolchain.toml",
        include_str!("../../templates/app/rust-toolchain.toml"),
    ),
    (".gitignore", include_str!("../../templates/app/gitignore")),
    (
        "README.md",
        include_str!("../../templates/policy/README.md"),
    ),
    ("set.toml", include_str!("../../templates/policy/set.toml")),
    ("src/lib.rs", include_str!("../../templates/policy/lib.rs")),
    (
        "src/main.rs",
        include_str!("../../templates/policy/main.rs"),
    ),
    (
        "tests/command.rs",
        include_str!("../../templates/policy/command.rs"),
    ),
];

pub(crate) fn run(args: &NewArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let name = name::of(&args.path)?;
    let scheduler = scheduler(&args.scheduler)?;
    let sources = sources(args)?;
    // The versions of other crates that Flyball is tested with.
    let lock = if args.policy {
        Path::new(&sources).join("Cargo.lock")
    } else {
        Path::new(&sources).join("apps/Cargo.lock")
    };
    let lock = fs::read_to_string(&lock).map_err(|error| Failure::file(&lock, error, None))?;
    let (called, templates) = if args.policy {
        ("my-policy", POLICY)
    } else {
        ("my-app", APPLICATION)
    };
    let mut files = Vec::new();
    for (file, template) in templates {
        let text = filled(template, args.machine, scheduler);
        let text = text
            .replace(&called.replace('-', "_"), &name.replace('-', "_"))
            .replace(called, &name)
            .replace("FLYBALL/", &format!("{sources}/"));
        files.push((file, text));
    }
    files.push(("Cargo.lock", lock));
    write(&args.path, &files)?;
    let shown = args.path.display();
    output::note(
        quiet,
        &if args.policy {
            format!("Made the policy `{name}`. Next: cd {shown} && cargo run -- study set.toml")
        } else {
            let place = args.machine.title();
            format!("Made the application `{name}`. Next, on {place}: cd {shown} && cargo run")
        },
    );
    Ok(ExitCode::SUCCESS)
}

/// The path of the scheduler's type, as an application names it.
fn scheduler(name: &str) -> Result<&'static str, Failure> {
    let found = path(&name.to_ascii_lowercase(), Shape::One);
    let found = found.and_then(|path| path.strip_prefix("flyball_catalogue::"));
    found.ok_or_else(|| {
        let known = entries().filter(|entry| entry.placement.is_assigned());
        let known: Vec<_> = known.map(|entry| entry.name).collect();
        Failure::Usage(format!(
            "--scheduler: there is no policy \"{name}\" for one CPU; expected one of {}",
            known.join(", ")
        ))
    })
}

/// Where Flyball's sources are, as an absolute path that can stand in a manifest.
fn sources(args: &NewArgs) -> Result<String, Failure> {
    let named = args.sources.clone();
    let found = named.map_or_else(Sources::find, |folder| Sources::new(folder, "--sources"));
    let folder = found.folder()?;
    let text = folder.to_str().map(str::to_owned);
    text.filter(|text| !text.contains(['\'', '"', '\\']) && !text.contains(char::is_control))
        .ok_or_else(|| {
            let what = "expected a path without quotes, backslashes and control characters";
            Failure::file(&folder, what, Some(REMEDY))
        })
}

/// A template with what is special about a machine and a scheduler. What the user has named freely
/// is filled in after that, so nothing in it is taken for a place to fill.
fn filled(template: &str, machine: Place, scheduler: &str) -> String {
    let (feature, board) = machine.board();
    template
        .replace("catalogue::Edf;", &format!("catalogue::{scheduler};"))
        .replace("QEMU_BOARD", board)
        .replace("BOARD", feature)
        .replace("TARGET", machine.target())
        .replace("RUST_VERSION", env!("CARGO_PKG_RUST_VERSION"))
        .replace("CHANNEL", concat!(env!("CARGO_PKG_RUST_VERSION"), ".0"))
        .replace("PLACE", machine.title())
}

/// Writes the files into the folder `path`, which is empty or not there. All of them or, if that
/// fails, none.
fn write(path: &Path, files: &[(&str, String)]) -> Result<(), Failure> {
    let help = Some("choose another folder");
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => {}
        Ok(false) => {
            let what = "is not empty; expected a new folder, or an empty one";
            return Err(Failure::file(path, what, help));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            let what = format!("expected a new folder, or an empty one: {error}");
            return Err(Failure::file(path, what, help));
        }
    }
    let failed = |error: io::Error| {
        let what = format!("the folder cannot be made: {error}");
        Failure::file(path, what, help)
    };
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed)?;
    // Beside it first, so that a crate is there as a whole or not at all.
    let draft = parent.join(format!(".flyball-new-{}", process::id()));
    let written = write_all(&draft, files).and_then(|()| fs::rename(&draft, path));
    written.map_err(|error| {
        // If the draft cannot be removed either, there is nothing more to be done.
        let _ = fs::remove_dir_all(&draft);
        failed(error)
    })
}

fn write_all(folder: &Path, files: &[(&str, String)]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (name, text) in files {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}
