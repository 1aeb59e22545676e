//! `./x install` puts a command into a folder that needs the checkout no longer.

use crate::common;

use common::{has_qemu, has_riscv};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn checkout() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("it is there")
}

/// `./x` with these arguments, which takes the command that the tests are about for the built one.
fn x(arguments: &[&str]) -> Output {
    let mut x = Command::new(checkout().join("x"));
    x.args(arguments)
        .env("FLYBALL_COMMAND", env!("CARGO_BIN_EXE_flyball"))
        .env_remove("FLYBALL_SOURCES");
    x.output().expect("./x starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A prefix with an installed command, and a folder to work in.
struct Installed {
    prefix: TempDir,
    work: TempDir,
}

impl Installed {
    fn new() -> Installed {
        let folder = || TempDir::new().expect("there is room for a temporary folder");
        let installed = Installed {
            prefix: folder(),
            work: folder(),
        };
        let output = x(&["install", installed.root()]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        installed.forget_the_checkout();
        installed
    }

    fn root(&self) -> &str {
        self.prefix.path().to_str().expect("paths here are UTF-8")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.prefix.path().join(name)
    }

    /// The command as if it had been built in a checkout that has been moved away: that folder's name
    /// in it becomes that of one which is not there.
    fn forget_the_checkout(&self) {
        let file = self.file("bin/flyball");
        let mut command = fs::read(&file).expect("it is there");
        let known = text(checkout().as_os_str().as_encoded_bytes());
        let moved = known.replace(|c: char| c != '/', "_");
        let places: Vec<_> = text_places(&command, known.as_bytes());
        assert!(!places.is_empty(), "a command knows where it was built");
        for place in places {
            command[place..place + known.len()].copy_from_slice(moved.as_bytes());
        }
        common::write_program(&file, &command);
    }

    /// Runs the installed command where there is no other program than the emulators.
    fn flyball(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let programs = self.work.path().join("programs");
        if fs::create_dir(&programs).is_ok() {
            let path = std::env::var_os("PATH").expect("there is a search path");
            for emulator in ["qemu-system-arm", "qemu-system-riscv64"] {
                let mut found = std::env::split_paths(&path).map(|folder| folder.join(emulator));
                if let Some(found) = found.find(|path| path.is_file()) {
                    symlink(found, programs.join(emulator)).expect("it can be linked");
                }
            }
        }
        let output = Command::new(self.file("bin/flyball"))
            .args(arguments)
            .current_dir(self.work.path())
            .env("PATH", programs)
            .env_remove("FLYBALL_SOURCES")
            .env_remove("FLYBALL_IMAGES")
            .output()
            .expect("the command starts");
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        (output.status.code(), printed, said)
    }
}

/// Where `word` stands in `bytes`.
fn text_places(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(word.len()).enumerate();
    windows
        .filter(|(_, window)| *window == word)
        .map(|(place, _)| place)
        .collect()
}

/// All at once, as an installation takes its time.
#[test]
fn an_installed_command_needs_no_checkout() {
    if !has_qemu() || !has_riscv() {
        return;
    }
    let installed = Installed::new();
    let example = |name: &str| text(installed.file(name).as_os_str().as_encoded_bytes());

    let gap = example("share/flyball/examples/gap.toml");
    let (code, printed, said) = installed.flyball(&["study", &gap]);
    assert_eq!(code, Some(0), "{said}");
    assert!(printed.contains("Generic Avionics Platform"), "{printed}");
    assert!(
        installed
            .work
            .path()
            .join("flyball-report/gap.html")
            .is_file()
    );

    let cnc = example("share/flyball/examples/cnc.toml");
    let run = [
        "run",
        cnc.as_str(),
        "--policy",
        "edf",
        "--until",
        "20ms",
        "--machine",
    ];
    for machine in ["cortex-m3", "lm3s6965", "riscv"] {
        let (code, printed, said) = installed.flyball(&[&run[..], &[machine]].concat());
        assert_eq!(code, Some(0), "{machine}: {said}");
        assert!(printed.contains("0 missed"), "{machine}: {printed}");
    }

    let page = |name: &str| fs::read_to_string(installed.file("share/man/man1").join(name));
    let command = page("flyball.1").expect("there is a page");
    assert!(command.contains("scheduling laboratory"), "{command}");
    let study = page("flyball-study.1").expect("each command has a page");
    assert!(study.contains("no\\-report"), "{study}");
    for (file, word) in [
        ("share/bash-completion/completions/flyball", "complete -F"),
        ("share/zsh/site-functions/_flyball", "#compdef flyball"),
        (
            "share/fish/vendor_completions.d/flyball.fish",
            "complete -c flyball",
        ),
    ] {
        let script = fs::read_to_string(installed.file(file)).expect("it is there");
        assert!(
            script.contains(word) && script.contains("simulate"),
            "{file}"
        );
    }

    let (code, _, said) = installed.flyball(&["new", "installed", "--machine", "cortex-m3"]);
    assert_eq!(code, Some(0), "{said}");
    let app = installed.work.path().join("installed");
    let manifest = fs::read_to_string(app.join("Cargo.toml")).expect("it is there");
    let path = format!("path = \"{}\"", example("share/flyball/crates/app"));
    assert!(manifest.contains(&path), "{manifest}");
    let cargo = Command::new("cargo")
        .args(["run", "--offline", "--quiet"])
        .current_dir(&app)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("new"),
        )
        .output()
        .expect("cargo starts");
    let (printed, said) = (text(&cargo.stdout), text(&cargo.stderr));
    assert_eq!(cargo.status.code(), Some(0), "{printed}{said}");
    assert!(printed.contains("0 deadlines missed"), "{printed}");

    // What others have put there stays, and what is installed again is as before.
    let foreign = installed.file("share/man/man1/flyball-tricks.1");
    fs::write(&foreign, "").expect("it can be written");
    let before = files(installed.prefix.path());
    let output = x(&["install", installed.root()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(files(installed.prefix.path()), before);
    // The checkout is not needed for that, either.
    let uninstall = || {
        let mut x = Command::new(installed.file("share/flyball/x"));
        x.args(["uninstall", installed.root()])
            .output()
            .expect("it starts")
    };
    let output = uninstall();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(files(installed.prefix.path()), 1);
    assert!(foreign.is_file());
}

/// What is not ours is neither overwritten nor removed; an option is no folder.
#[test]
fn what_others_have_installed_stays() {
    let folder = TempDir::new().expect("there is room for a temporary folder");
    let root = folder.path().to_str().expect("paths here are UTF-8");
    fs::create_dir(folder.path().join("bin")).expect("it can be made");
    fs::write(folder.path().join("bin/flyball"), "theirs").expect("it can be written");
    for (arguments, word) in [
        (["install", root], "./x has not put it there"),
        (["uninstall", root], "there is no installation"),
        (["install", "--help"], ""),
        (["uninstall", "--help"], ""),
    ] {
        let output = x(&arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    assert_eq!(files(folder.path()), 1);
}

/// How many files are in a folder and in those within.
fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("it can be read");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths
        .map(|path| if path.is_dir() { files(&path) } else { 1 })
        .sum()
}

/// A user who may not write there is told so before anything is built.
#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = TempDir::new().expect("there is room for a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    for prefix in [
        "/proc/flyball",
        file.to_str().expect("paths here are UTF-8"),
    ] {
        let output = x(&["install", prefix]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{prefix}: {said}");
        assert_eq!(
            said,
            format!(
                "error: {prefix}/bin cannot be written; choose a folder of your own: ./x install FOLDER\n"
            )
        );
    }
}

/// A command without its sources says how to get them.
#[test]
fn a_command_alone_says_how_to_get_the_rest() {
    let folder = TempDir::new().expect("there is room for a temporary folder");
    let gap = text(
        checkout()
            .join("examples/gap.toml")
            .as_os_str()
            .as_encoded_bytes(),
    );
    let run = [
        "run",
        gap.as_str(),
        "--policy",
        "edf",
        "--machine",
        "cortex-m3",
    ];
    for arguments in [&["new", "my-app"][..], &run] {
        let output = Command::new(env!("CARGO_BIN_EXE_flyball"))
            .args(arguments)
            .current_dir(folder.path())
            .env("FLYBALL_SOURCES", folder.path())
            .env_remove("FLYBALL_IMAGES")
            .output()
            .expect("the command starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        for part in [
            "expected Flyball's sources in",
            "./x install",
            "FLYBALL_SOURCES",
        ] {
            assert!(said.contains(part), "{arguments:?}: {said}");
        }
    }
}
