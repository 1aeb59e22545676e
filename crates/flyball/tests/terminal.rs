//! What a terminal of 80 columns shows, and names and pipes that would do something to it.

use assert_cmd::Command;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_flyball");

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let path = path.join(name);
    path.to_str().expect("paths here are UTF-8").to_owned()
}

/// What the command shows on a terminal of so many columns; `None` where there is no program that
/// makes one.
fn on_terminal(columns: u32, folder: &Path, args: &str) -> Option<String> {
    let command = format!("stty cols {columns} rows 50; {BINARY} {args}");
    let output = std::process::Command::new("script")
        .current_dir(folder)
        .env("LANG", "C.UTF-8")
        .env_remove("LC_ALL")
        .env("TERM", "xterm")
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // What progress has shown is over-written in its line.
    let lines = text.lines().map(|line| line.rsplit('\r').next());
    let lines: Vec<_> = lines.flatten().collect();
    Some(anstream::adapter::strip_str(&lines.join("\n")).to_string())
}

/// A set with long names, many tasks, and several CPUs.
fn wide(folder: &Path) -> PathBuf {
    let task = |number: u32| {
        format!(
            "[[task]]\nname = \"a task of some subsystem, number {number}\"\nperiod = \"{}ms\"\n\
             wcet = \"1234567ns\"\npriority = {number}\n",
            10 + 7 * number
        )
    };
    let tasks: String = (1..=14).map(task).collect();
    let path = folder.join("wide.toml");
    let head = "schema = 1\n[platform]\ncpus = 2\n[platform.overheads]\nrelease = \"1us\"\n";
    fs::write(&path, format!("{head}{tasks}")).expect("a temporary file can be written");
    path
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let folder = TempDir::new().unwrap();
    wide(folder.path());
    let gap = example("gap.toml");
    let sweep = example("studies/eight-cpus.toml");
    let shown = |args: &str| on_terminal(80, folder.path(), args);
    let mut commands: Vec<String> = [
        "study wide.toml --no-report --until 1s",
        "simulate wide.toml -p g-edf,p-rm --until 1s --trace out.pftrace",
        "analyse wide.toml",
        "policies",
        "policies ipi",
        "policies g-edf",
        "reproduce",
        "reproduce miosix --only shares --no-report",
        "inspect out.g-edf.pftrace",
    ]
    .map(str::to_owned)
    .into();
    commands.push(format!("study {gap} --no-report --until 1s"));
    commands.push(format!("simulate {gap} -p rm --until 1s"));
    commands.push(format!("sweep {sweep} --out swept --shard 1/100"));
    for args in commands {
        let Some(text) = shown(&args) else {
            eprintln!("skipped: there is no `script`");
            return;
        };
        assert!(text.lines().count() > 5, "{args}: {text}");
        for line in text.lines() {
            let width = textwrap::core::display_width(line);
            assert!(width <= 80, "{args}: {width} columns:\n{line}\n\n{text}");
        }
    }
}

#[test]
fn what_there_is_no_room_for_is_said_and_shown_if_asked_for() {
    let folder = TempDir::new().unwrap();
    wide(folder.path());
    let args = "simulate wide.toml -p g-edf --until 1s --no-chart";
    let Some(narrow) = on_terminal(80, folder.path(), args) else {
        eprintln!("skipped: there is no `script`");
        return;
    };
    assert!(narrow.contains("No room for "), "{narrow}");
    assert!(narrow.contains("see --wide or --json"), "{narrow}");
    let head = |text: &str| {
        let mut lines = text.lines().map(str::to_owned);
        lines
            .find(|line| line.starts_with("TASK "))
            .unwrap_or_default()
    };
    assert!(!head(&narrow).contains("P50"), "{narrow}");
    let wide = on_terminal(80, folder.path(), &format!("{args} --wide")).unwrap_or_default();
    let piped = Command::new(BINARY)
        .current_dir(folder.path())
        .args(args.split(' '))
        .output()
        .expect("the command starts");
    let piped = String::from_utf8_lossy(&piped.stdout).into_owned();
    for whole in [wide, piped] {
        assert!(!whole.contains("No room for"), "{whole}");
        assert!(head(&whole).contains("P50"), "{whole}");
    }
}

/// Names that turn the direction of writing, in a task, in the set, and in the file's own name.
#[test]
fn names_do_nothing_to_a_terminal_or_a_page() {
    let folder = TempDir::new().unwrap();
    let file = "set\u{202e}.toml";
    let text = "schema = 1\nname = \"safe \\u202Elmot\"\n[[task]]\nname = \"radar\\u2067x\"\n\
                period = \"5ms\"\nwcet = \"1ms\"\n[[task]]\nname = \"nav\"\nperiod = \"9ms\"\n\
                wcet = \"9ms\"\n";
    fs::write(folder.path().join(file), text).unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(BINARY)
            .current_dir(folder.path())
            .args(args)
            .output()
            .expect("the command starts");
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).expect("output is UTF-8")
    };
    let acts = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut seen = 0;
    for args in [
        &["study", file, "--traces", "--out", "out"][..],
        &["study", file, "--no-report", "--json"],
        &["simulate", file, "-p", "edf", "--trace", "t.txt"],
        &["simulate", file, "-p", "edf", "--trace", "t.pftrace"],
        &["inspect", "t.pftrace"],
        &["analyse", file],
        &["analyse", "no\u{202e}such.toml"],
    ] {
        let text = run(args);
        assert!(!text.contains(acts), "{args:?}: {text:?}");
        seen += u32::from(text.contains("radar\\u{2067}x") || text.contains("radar\\\\u{2067}x"));
    }
    assert!(seen >= 5, "{seen}");
    for file in fs::read_dir(folder.path().join("out")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(acts));
    }
}

/// The user is told, may give up, and gets the study if something comes.
#[test]
fn a_pipe_says_what_it_waits_for() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no `mkfifo`");
        return;
    }
    let study = || {
        std::process::Command::new(BINARY)
            .args(["study", "--no-report", "-p", "edf"])
            .arg(&pipe)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts")
    };
    let waiting = study();
    let set = fs::read(example("cnc.toml")).unwrap();
    // Blocks until the study has opened the pipe.
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    writer.write_all(&set).unwrap();
    drop(writer);
    let output = waiting.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("pipe.toml is a pipe: waiting for a program to write into it"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    // Nothing comes, and the user gives up.
    let mut waiting = study();
    let said = waiting.stderr.take().expect("it is a pipe");
    let first = BufReader::new(said).lines().next();
    let first = first.expect("it says something").expect("it is UTF-8");
    assert!(first.contains("waiting for a program"), "{first}");
    let pid = waiting.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
}
