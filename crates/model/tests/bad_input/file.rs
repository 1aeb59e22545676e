//! Files that cannot be read, and files that are too much.

use flyball_model::{Format, Kind, ModelError, read_file, read_str};
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Reads a file of that name and content, and what is said about it without the folder's name.
fn read(name: &str, content: &[u8]) -> (ModelError, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let error = read_file(&path).unwrap_err();
    let headline = error
        .headline()
        .replace(&format!("{}/", folder.path().display()), "");
    (error, headline)
}

#[test]
fn files_that_are_not_there() {
    let error = read_file("no/such.toml").unwrap_err();
    assert_eq!((error.kind, error.place), (Kind::Io, None));
    let expected = "no/such.toml: there is no such file\n  \
                    |\n  \
                    = help: check the spelling; the path starts from the current folder";
    assert_eq!(
        error.to_string().replace("\n |\n = ", "\n  |\n  = "),
        expected
    );
}

#[test]
fn folders() {
    let folder = TempDir::with_suffix(".toml").unwrap();
    for path in [folder.path(), folder.path().parent().unwrap()] {
        let error = read_file(path).unwrap_err();
        assert_eq!(error.kind, Kind::Io);
        assert_eq!(error.message, "this is a folder, not a file");
        let help = "name a file in it that ends in `.toml` or `.csv`";
        assert_eq!(error.help.as_deref(), Some(help));
    }
}

#[test]
fn unknown_formats() {
    let (error, headline) = read("set.json", b"{}");
    assert_eq!(error.kind, Kind::Format);
    assert_eq!(headline, "set.json: the file's format is not known");
    assert_eq!(
        error.help.as_deref(),
        Some("the name of a task set ends in `.toml` or `.csv`")
    );
    assert_eq!(read("set", b"").0.kind, Kind::Format);
}

#[test]
fn empty_files() {
    let (error, headline) = read("set.toml", b"\n");
    assert_eq!(
        (error.kind, headline.as_str()),
        (Kind::Missing, "set.toml: the file is empty")
    );
    let (error, headline) = read("set.csv", b"");
    assert_eq!(
        (error.kind, headline.as_str()),
        (Kind::Missing, "set.csv: the file is empty")
    );
}

#[test]
fn other_encodings() {
    let (error, headline) = read("set.toml", b"schema = 1\nname = \"ab\xe4\"\n");
    assert_eq!(error.kind, Kind::Encoding);
    assert_eq!(headline, "set.toml:2:11: not text in UTF-8: byte 0xe4");
    assert_eq!(error.help.as_deref(), Some("save the file as UTF-8"));
    let (error, headline) = read("set.csv", b"\xff\xfen\0a\0m\0e\0");
    assert_eq!(headline, "set.csv: not text in UTF-8: byte 0xff");
    let help = "this looks like UTF-16; save the file as UTF-8";
    assert_eq!(error.help.as_deref(), Some(help));
}

/// A file without end is not read without end either.
#[cfg(unix)]
#[test]
fn files_that_are_too_large() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("endless.csv");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let error = read_file(&path).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (Kind::TooMany, "the file is larger than 64 MiB")
    );
    assert_eq!(
        error.help.as_deref(),
        Some("split the set into several files")
    );
}

fn many(rows: usize, format: Format) -> String {
    let mut text = String::from(match format {
        Format::Toml => "schema = 1\n",
        Format::Csv => "name,period,wcet\n",
    });
    for row in 0..rows {
        match format {
            Format::Toml => writeln!(
                text,
                "[[task]]\nname = \"task {row}\"\nperiod = \"1s\"\nwcet = \"1us\""
            ),
            Format::Csv => writeln!(text, "task {row},1s,1us"),
        }
        .unwrap();
    }
    text
}

/// The most tasks that there may be are read, and one more is refused, in time that grows with the
/// file and not with its square: that would be a billion steps here.
#[test]
fn as_many_tasks_as_there_may_be() {
    for (format, line) in [(Format::Toml, 2 + 4 * 65_535), (Format::Csv, 2 + 65_535)] {
        let start = Instant::now();
        assert_eq!(
            read_str(&many(65_535, format), format, "x")
                .unwrap()
                .tasks
                .len(),
            65_535
        );
        let error = read_str(&many(65_536, format), format, "x").unwrap_err();
        assert_eq!(error.kind, Kind::TooMany);
        assert_eq!(
            error.message,
            "too many tasks: at most 65,535 (this is number 65536)"
        );
        assert_eq!(
            error.help.as_deref(),
            Some("split the set into several files")
        );
        assert_eq!(error.place.map(|at| at.line), Some(line));
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn a_million_tasks_are_refused_quickly() {
    for format in [Format::Toml, Format::Csv] {
        let text = many(1_000_000, format);
        let start = Instant::now();
        assert_eq!(
            read_str(&text, format, "x").unwrap_err().kind,
            Kind::TooMany
        );
        println!("{format:?}: {} bytes in {:?}", text.len(), start.elapsed());
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
    }
}

/// Only headers of tasks are counted as tasks before the file is parsed, not what looks like one.
#[test]
fn headers_in_texts_are_no_tasks() {
    let text = format!(
        "schema = 1\nsource = \"\"\"\n{}\"\"\"\n[[task]]\nperiod = \"1s\"\nwcet = \"1us\"",
        "[[task]]\n".repeat(65_536)
    );
    assert_eq!(read_str(&text, Format::Toml, "x").unwrap().tasks.len(), 1);
}

/// Tasks in another notation are counted all the same.
#[test]
fn too_many_tasks_in_braces() {
    let text = "{ period = \"1s\", wcet = \"1us\" },\n".repeat(65_536);
    let error = read_str(&format!("schema = 1\ntask = [\n{text}]"), Format::Toml, "x").unwrap_err();
    assert_eq!(
        error.headline(),
        "x:65538:1: too many tasks: at most 65,535 (this is number 65536)"
    );
}

#[test]
fn too_many_words() {
    let text = format!("schema = 1\nname = [{}]", "1,".repeat(5_000_000));
    let error = read_str(&text, Format::Toml, "x").unwrap_err();
    assert_eq!(
        (error.kind, error.place.map(|at| at.line)),
        (Kind::TooMany, Some(2))
    );
    assert_eq!(
        error.message,
        "the file has more than 10000000 words and signs"
    );
}

#[test]
fn too_many_resources() {
    let mut text = String::from("schema = 1\n");
    for number in 0..=65_535 {
        write!(text, "[[mutex]]\nname = \"m{number}\"\n").unwrap();
    }
    let error = read_str(&text, Format::Toml, "x").unwrap_err();
    assert_eq!(error.kind, Kind::TooMany);
    assert_eq!(
        error.headline(),
        "x:131072:1: mutex 65536: too many: at most 65535"
    );
}

#[test]
fn too_many_locks_at_once() {
    let mut text = String::from("schema = 1\n");
    for number in 0..65 {
        write!(text, "[[mutex]]\nname = \"m{number}\"\n").unwrap();
    }
    text += "[[task]]\nbehaviour = [";
    for number in 0..65 {
        write!(text, "{{ lock = \"m{number}\" }}, ").unwrap();
    }
    let error = read_str(&format!("{text}]"), Format::Toml, "x").unwrap_err();
    assert_eq!(error.kind, Kind::TooMany);
    assert_eq!(error.message, "a job may hold 64 mutexes at once, not more");
    assert_eq!(
        error.field.as_deref(),
        Some("task 1: behaviour: step 65: lock")
    );
}

/// Everything in one line of some megabytes: no step may count its column from the line's start.
#[test]
fn one_very_long_line() {
    let mut text = String::from("schema = 1\npolicies = { p = { ");
    for number in 0..100_000 {
        write!(text, "k{number} = {number}, ").unwrap();
    }
    let whole = format!("{text} }} }}\n[[task]]\nperiod = \"1ms\"\nwcet = \"1us\"");
    let start = Instant::now();
    let set = read_str(&whole, Format::Toml, "x").unwrap();
    let last = &set.policies["p"].values["k99999"];
    assert_eq!(last.place.map(|at| at.line), Some(2));
    assert_eq!(
        last.place.map(|at| at.column as usize),
        whole.find("k99999").map(|at| at - 10)
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

/// However deep the nesting is.
#[test]
fn deep_nesting_is_refused_before_the_stack_ends() {
    for open in ["[", "{a=", "[[", "{a.b.c=["] {
        let text = format!("schema = 1\ntask = {}", open.repeat(200_000));
        let error = read_str(&text, Format::Toml, "x").unwrap_err();
        assert_eq!(error.kind, Kind::Syntax);
    }
}
