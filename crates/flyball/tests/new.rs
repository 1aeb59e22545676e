//! `flyball new` makes crates that build, run and pass their tests, outside of the checkout.

use crate::common;
use crate::made;

use common::{has_qemu, has_riscv};
use made::{edit, flyball, made, name, target};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const ARM: &str = "thumbv7m-none-eabi";
const RISCV: &str = "riscv64gc-unknown-none-elf";

/// Runs cargo in a crate, with what is downloaded already. All applications share a target folder.
fn cargo(path: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    cargo_in(&target(), path, arguments)
}

/// The same with a target folder of one's own.
fn cargo_in(target: &Path, path: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let (command, options) = arguments.split_first().expect("there is a command");
    // What waits for ever is ended, and an emulator that does is killed.
    let output = Command::new("timeout")
        .args(["-k", "5", "600", "cargo", command, "--offline", "--quiet"])
        .args(options)
        .current_dir(path)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .expect("`timeout` and `cargo` are there");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Runs an application with these options, and checks what it says and its schedule.
fn runs(path: &Path, options: &[&str]) {
    let name = name(path);
    let trace = format!("{name}.fbtrace");
    let written = path.join(&trace);
    let _ = fs::remove_file(&written);
    let arguments = [&["run", "--features", "trace"], options].concat();
    let (code, printed, said) = cargo(path, &arguments);
    assert_eq!(code, Some(0), "{options:?}: {printed}{said}");
    assert!(printed.contains("samples: 5, mean 93\n"), "{printed}");
    assert!(printed.contains("0 deadlines missed"), "{printed}");
    let inspect = ["inspect", trace.as_str(), "--trace", "a.pftrace"];
    let output = flyball(path, &[&inspect[..], &["--json"]].concat());
    let numbers: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    assert_eq!(numbers["name"], name);
    assert_eq!(
        (&numbers["misses"], &numbers["dropped"]),
        (&0.into(), &0.into())
    );
    let tasks = numbers["tasks"].as_array().expect("a list of tasks");
    let tasks: Vec<_> = tasks
        .iter()
        .map(|task| (task["name"].as_str(), task["completed"].as_u64()))
        .collect();
    let expected = [(Some("sample"), Some(100)), (Some("report"), Some(20))];
    assert_eq!(tasks, expected, "{options:?}");
    assert!(path.join("a.pftrace").is_file(), "the trace for Perfetto");
}

/// In debug and in release, with nothing but what the crate's own files say.
fn runs_on(target: &str) {
    let (_folder, path) = made(&["my-app"]);
    runs(&path, &["--target", target]);
    runs(&path, &["--target", target, "--release"]);
    let (code, printed, said) = cargo(&path, &["test", "--target", target]);
    assert_eq!(code, Some(0), "{printed}{said}");
    assert!(printed.contains("all deadlines are met"), "{printed}");
}

#[test]
fn an_application_runs_on_the_host() {
    runs_on("host-tuple");
}

#[test]
fn an_application_runs_on_the_board() {
    if has_qemu() {
        runs_on(ARM);
    }
}

#[test]
fn an_application_runs_on_riscv() {
    if has_riscv() {
        runs_on(RISCV);
    }
}

/// Plain `cargo run` and `cargo test` are on the machine that was asked for.
#[test]
fn a_board_can_be_the_usual_machine() {
    if has_qemu() {
        for machine in ["cortexm", "lm3s6965", "netduinoplus2"] {
            let (_folder, path) = made(&["my-app", "--machine", machine]);
            runs(&path, &["--release"]);
            let (code, printed, said) = cargo(&path, &["test"]);
            assert_eq!(code, Some(0), "{machine}: {printed}{said}");
        }
    }
}

/// The tests of a new application find a deadline that is missed.
#[test]
fn its_test_fails_where_it_should() {
    let (_folder, path) = made(&["my-app"]);
    let short = "compute(Duration::from_millis(15))";
    edit(&path, "src/lib.rs", short, &short.replace("15", "60"));
    let (code, printed, said) = cargo(&path, &["test"]);
    assert_eq!(code, Some(101), "{printed}");
    assert!(said.contains("no deadline is missed"), "{said}");
}

/// The compiler or the kernel says why an application cannot run.
#[test]
fn what_cannot_run_says_why() {
    let init = "    init: init,";
    let cases = [
        (
            "src/lib.rs",
            "Task<1024>",
            "Task<0>",
            "a stack is too small",
        ),
        (
            "src/main.rs",
            init,
            "    init: init,\n    timing: flyball_app::Timing::Tick(Duration::ZERO),",
            "timing: a tick of zero",
        ),
        (
            "src/main.rs",
            init,
            "    init: init,\n    cpus: 2,",
            "this machine has one CPU",
        ),
        (
            "src/lib.rs",
            "periodic(10, 2, 2)",
            "periodic(0, 2, 2)",
            "the application cannot start: a length of time",
        ),
        (
            "src/lib.rs",
            "facts.priority = Some(priority)",
            "let _ = priority",
            "task \"sample\" has no `priority`, which policy fp needs",
        ),
    ];
    for (file, from, to, expected) in cases {
        let (_folder, path) = made(&["app", "--scheduler", "fp"]);
        edit(&path, file, from, to);
        let (code, printed, said) = cargo(&path, &["run"]);
        assert!(
            matches!(code, Some(1 | 101)),
            "{to}: {code:?}: {printed}{said}"
        );
        assert!((printed + &said).contains(expected), "{to}: {said}");
    }
}

/// The compiler refuses a board whose clock stands still.
#[test]
fn a_board_with_a_clock_of_zero_is_refused() {
    if !has_qemu() {
        return;
    }
    let (_folder, path) = made(&["app"]);
    edit(
        &path,
        "src/main.rs",
        "    machine: machine,",
        "    machine: machine,\n    board: Stopped,",
    );
    let board = "
use app_NUMBER::machine::board::{Board, Timer, mps2_an385::Mps2An385 as Whole};

/// A board whose clock stands still.
struct Stopped;

// SAFETY: all but the length of a tick is another board's.
unsafe impl Board for Stopped {
    const TICK_NS: u32 = 0;
    const LINES: u16 = Whole::LINES;
    const TIMER_LINES: [u16; 2] = Whole::TIMER_LINES;
    const LOADED: core::ops::Range<usize> = Whole::LOADED;
    const SPARE: core::ops::Range<usize> = Whole::SPARE;
    fn init() {
        Whole::init();
    }
    fn counter() -> u32 {
        Whole::counter()
    }
    fn one_shot(timer: Timer, ticks: u32) {
        Whole::one_shot(timer, ticks);
    }
    fn clear(timer: Timer) {
        Whole::clear(timer);
    }
}
";
    let board = board.replace("app_NUMBER", &name(&path).replace('-', "_"));
    edit(
        &path,
        "src/main.rs",
        "\nfn init()",
        &format!("{board}\nfn init()"),
    );
    let (code, _, said) = cargo(&path, &["check", "--target", ARM]);
    assert_eq!(code, Some(101), "{said}");
    assert!(said.contains("TICK_NS of a board is zero"), "{said}");
}

/// Each policy of the catalogue for one CPU, under a name that is no word of the templates.
#[test]
fn an_application_has_any_policy() {
    let entries = flyball::catalogue::entries();
    let names = entries.filter(|entry| entry.placement.is_assigned());
    for policy in names.map(|entry| entry.name) {
        let (_folder, path) = made(&["my_app2", "--scheduler", policy]);
        let (code, printed, said) = cargo(&path, &["run", "--features", "trace"]);
        assert_eq!(code, Some(0), "{policy}: {printed}{said}");
        let trace = format!("{}.fbtrace", name(&path));
        let output = flyball(&path, &["inspect", &trace, "--json"]);
        let numbers: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        assert_eq!(numbers["policy"], policy);
        assert_eq!(numbers["tasks"][0]["completed"], 100, "{policy}");
    }
}

/// The command with the policy among the others, built as the checkout's tests are.
#[test]
fn a_policy_has_the_whole_command() {
    let (_folder, path) = made(&["shortest", "--policy"]);
    let manifest = path.join("Cargo.toml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("it is there");
    let (_, profile) = workspace.split_once("[profile.dev]").expect("it has one");
    let text = fs::read_to_string(&manifest).expect("it is there");
    let (text, _) = text.split_once("[profile.dev]").expect("it has one, too");
    fs::write(&manifest, format!("{text}[profile.dev]{profile}")).expect("it can be written");
    // `target/debug/deps/all-…`
    let test = std::env::current_exe().expect("a test is a file");
    let target = test.ancestors().nth(3).expect("it is in a target folder");
    let (code, printed, said) = cargo_in(target, &path, &["test"]);
    assert_eq!(code, Some(0), "{printed}{said}");
    assert!(printed.contains("1 passed"), "{printed}");
    // It boots without the standard library.
    if has_qemu() {
        let build = ["build", "--no-default-features", "--lib", "--target", ARM];
        let (code, _, said) = cargo(&path, &build);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// What is refused with exit code 2 leaves no trace in the folder, and says what was expected.
#[test]
fn bad_input_writes_nothing() {
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let full = folder.path().join("full");
    fs::create_dir(&full).expect("it can be made");
    fs::write(full.join("file"), "").expect("it can be written");
    let cases: [(&[&str], &str); 12] = [
        (&["2nd"], "expected a letter at its beginning"),
        (&["My-App"], "expected small letters"),
        (&["while"], "no word of Rust"),
        (&["flyball-app"], "Flyball's own crates"),
        (&[".."], "expected a folder with a name"),
        (
            &["full"],
            "full: is not empty; expected a new folder, or an empty one",
        ),
        (&["full/file"], "expected a new folder, or an empty one"),
        (&["full/file/app"], "expected a new folder, or an empty one"),
        (&["/proc/app"], "/proc/app: the folder cannot be made"),
        (&["app", "--machine", "z80"], "cortex-m3"),
        (
            &["app", "--scheduler", "g-edf"],
            "expected one of fp, fp-rr",
        ),
        (
            &["app", "--sources", "full"],
            "expected Flyball's sources in full (--sources), and there is no apps/Cargo.toml",
        ),
    ];
    for (arguments, expected) in cases {
        let output = flyball(folder.path(), &[&["new"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let left = |path: &Path| fs::read_dir(path).expect("it is there").count();
    assert_eq!((left(folder.path()), left(&full)), (1, 1));
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    fs::create_dir(folder.path().join("app")).expect("it can be made");
    let output = flyball(folder.path(), &["new", "app"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(folder.path().join("app/src/main.rs").is_file());
}

/// The sources are those that an environment variable names, if no argument does.
#[test]
fn sources_are_named_by_the_environment() {
    let folder = tempfile::tempdir().expect("there is room for a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_flyball"))
        .args(["new", "app"])
        .current_dir(folder.path())
        .env("FLYBALL_SOURCES", "/nowhere")
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("in /nowhere (FLYBALL_SOURCES)"), "{said}");
    assert!(said.contains("./x install"), "{said}");
}
