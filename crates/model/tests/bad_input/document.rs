//! Whole documents, and what tasks share.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// Whole files.
const DOCUMENTS: &[Case] = &[
    case(
        "",
        "",
        Kind::Missing,
        "",
        "the file is empty",
        "begin it with `schema = 1`, and add tasks with `[[task]]`",
    ),
    case(
        "  \n\n",
        "",
        Kind::Missing,
        "",
        "the file is empty",
        "begin it with `schema = 1`, and add tasks with `[[task]]`",
    ),
    case(
        "name = 'x'\n[[task]]",
        "1:1",
        Kind::Missing,
        "",
        "missing key `schema`",
        "begin the file with `schema = 1`",
    ),
    case(
        "schema = 2\nnew_key = 1",
        "1:10",
        Kind::Schema,
        "schema",
        "the format has version 1, the file version 2",
        "a newer version of this program may read it",
    ),
    case(
        r#"schema = "1""#,
        "1:10",
        Kind::WrongType,
        "schema",
        r#"expected a whole number, found "1""#,
        "",
    ),
    case(
        "schema = 1",
        "",
        Kind::Missing,
        "",
        "there are no tasks",
        r#"add one: `[[task]]`, then `period = "10ms"` and `wcet = "1ms"`"#,
    ),
    case(
        "schema = 1\ntask = []",
        "",
        Kind::Missing,
        "",
        "there are no tasks",
        r#"add one: `[[task]]`, then `period = "10ms"` and `wcet = "1ms"`"#,
    ),
    case(
        "schema = 1\n[[task]\nname = 1",
        "2:8",
        Kind::Syntax,
        "",
        "not TOML: unclosed array table, expected `]`",
        "the rules of TOML are at https://toml.io",
    ),
    case(
        "schema = 1\nschema = 1",
        "2:1",
        Kind::Syntax,
        "",
        "not TOML: duplicate key",
        "the rules of TOML are at https://toml.io",
    ),
    case(
        r#"schema = 1
name = "open"#,
        "2:13",
        Kind::Syntax,
        "",
        r#"not TOML: invalid basic string, expected `"`"#,
        "the rules of TOML are at https://toml.io",
    ),
    case(
        "\u{feff}schema = 3",
        "1:10",
        Kind::Schema,
        "schema",
        "the format has version 1, the file version 3",
        "a newer version of this program may read it",
    ),
    case(
        "schema = 99999999999999999999",
        "1:10",
        Kind::OutOfRange,
        "schema",
        "99999999999999999999 does not fit into 64 bits",
        "",
    ),
    case(
        r#"schema = 1
task = [{ period = "1ms", wcet = "2ms" }]"#,
        "2:34",
        Kind::Inconsistent,
        "task 1: wcet",
        "the worst-case execution time, 2ms, is above the deadline, which is the period, 1ms",
        "lower it, raise the period, or give a later `deadline`",
    ),
];

#[test]
fn documents() {
    check(DOCUMENTS, Format::Toml, str::to_owned);
}

/// What stands below `schema = 1`.
const TABLES: &[Case] = &[
    case(
        "tasks = 3",
        "2:1",
        Kind::UnknownKey,
        "",
        r#"unknown key "tasks""#,
        "did you mean `task`?",
    ),
    case(
        r#"nam = "x""#,
        "2:1",
        Kind::UnknownKey,
        "",
        r#"unknown key "nam""#,
        "did you mean `name`?",
    ),
    case(
        "name = 3",
        "2:8",
        Kind::WrongType,
        "name",
        "expected a text in quotes, found 3",
        "",
    ),
    case(
        r#"source = ["x"]"#,
        "2:11",
        Kind::WrongType,
        "source 1",
        "expected a table, found \"x\"",
        "",
    ),
    case(
        "task = 3",
        "2:8",
        Kind::WrongType,
        "task",
        "expected `[[task]]` in double brackets, found 3",
        "write `[[task]]` once for each task",
    ),
    case(
        r#"[task]
name = "a""#,
        "2:1",
        Kind::WrongType,
        "task",
        "expected `[[task]]` in double brackets, found a table",
        "write `[[task]]` once for each task",
    ),
    case(
        r#"[[mutex]]
protocol = "none""#,
        "2:1",
        Kind::Missing,
        "mutex 1",
        "missing key `name`",
        "add `name = …`, by which steps refer to it",
    ),
    case(
        r#"[[mutex]]
name = "m"
protocol = "inherited""#,
        "4:12",
        Kind::UnknownName,
        "mutex 1: protocol",
        r#"expected "inherit" or "none", found "inherited""#,
        r#"did you mean "inherit"?"#,
    ),
    case(
        r#"[[mutex]]
name = "m"
[[mutex]]
name = "m""#,
        "5:8",
        Kind::Duplicate,
        "mutex 2: name",
        r#""m" is there already"#,
        "the first one is in line 3; rename one of them",
    ),
    case(
        r#"[[mutex]]
name = """#,
        "3:8",
        Kind::OutOfRange,
        "mutex 1: name",
        r#""" is no name"#,
        "write at least one character",
    ),
    case(
        r#"[[mutex]]
name = " m""#,
        "3:8",
        Kind::OutOfRange,
        "mutex 1: name",
        r#"" m" begins or ends with a space, or has a control character in it"#,
        "use plain text",
    ),
    case(
        r#"[[mutex]]
name = "a\u0007""#,
        "3:8",
        Kind::OutOfRange,
        "mutex 1: name",
        r#""a\u{7}" begins or ends with a space, or has a control character in it"#,
        "use plain text",
    ),
    case(
        r#"[[mutex]]
name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx""#,
        "3:8",
        Kind::OutOfRange,
        "mutex 1: name",
        r#""xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is longer than 100 characters"#,
        "choose a shorter name",
    ),
    case(
        r#"[[semaphore]]
name = "s"
initial = -1"#,
        "4:11",
        Kind::OutOfRange,
        "semaphore 1: initial",
        "expected a whole number from 0 to 4294967295, found -1",
        "",
    ),
    case(
        r#"[[semaphore]]
name = "s"
initial = 4294967296"#,
        "4:11",
        Kind::OutOfRange,
        "semaphore 1: initial",
        "expected a whole number from 0 to 4294967295, found 4294967296",
        "",
    ),
    case(
        r#"[[semaphore]]
name = "s"
value = 1"#,
        "4:1",
        Kind::UnknownKey,
        "semaphore 1",
        r#"unknown key "value""#,
        "the keys here are `name` and `initial`",
    ),
    case(
        r#"[[queue]]
name = "q""#,
        "2:1",
        Kind::Missing,
        "queue 1",
        "missing key `capacity`",
        "add `capacity = …`, the number of messages that it holds",
    ),
    case(
        r#"[[queue]]
name = "q"
capacity = 0"#,
        "4:12",
        Kind::OutOfRange,
        "queue 1: capacity",
        "expected a whole number from 1 to 65535, found 0",
        "",
    ),
    case(
        r#"[[queue]]
name = "q"
capacity = 65536"#,
        "4:12",
        Kind::OutOfRange,
        "queue 1: capacity",
        "expected a whole number from 1 to 65535, found 65536",
        "",
    ),
    case(
        r#"[[queue]]
name = "q"
capacity = 40000
[[queue]]
name = "r"
capacity = 30000"#,
        "7:12",
        Kind::TooMany,
        "queue 2",
        "all queues together hold at most 65535 messages",
        "make the queues smaller",
    ),
    case(
        r#"[mutex]
name = "m""#,
        "2:1",
        Kind::WrongType,
        "mutex",
        "expected `[[mutex]]` in double brackets, found a table",
        "write `[[mutex]]` once for each mutex",
    ),
    case(
        r#"source = "x"
name = 1"#,
        "3:8",
        Kind::WrongType,
        "name",
        "expected a text in quotes, found 1",
        "",
    ),
    case(
        "source = 1",
        "2:10",
        Kind::WrongType,
        "source",
        "expected a text in quotes, found 1",
        "",
    ),
];

#[test]
fn tables() {
    check(TABLES, Format::Toml, |text| format!("schema = 1\n{text}"));
}
