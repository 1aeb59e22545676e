//! The platform, and settings of policies.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// What stands below `schema = 1`.
const TABLES: &[Case] = &[
    case(
        "platform = 1",
        "2:12",
        Kind::WrongType,
        "platform",
        "expected a table, found 1",
        "",
    ),
    case(
        "[platform]\ncpus = 0",
        "3:8",
        Kind::OutOfRange,
        "platform: cpus",
        "expected a whole number from 1 to 128, found 0",
        "",
    ),
    case(
        "[platform]\ncpus = 129",
        "3:8",
        Kind::OutOfRange,
        "platform: cpus",
        "expected a whole number from 1 to 128, found 129",
        "",
    ),
    case(
        r#"[platform]
cpus = "2""#,
        "3:8",
        Kind::WrongType,
        "platform: cpus",
        r#"expected a whole number from 1 to 128, found "2""#,
        "",
    ),
    case(
        "[platform]\ncpus = 1.5",
        "3:8",
        Kind::WrongType,
        "platform: cpus",
        "expected a whole number from 1 to 128, found 1.5",
        "",
    ),
    case(
        r#"[platform]
tick = "0""#,
        "3:8",
        Kind::OutOfRange,
        "platform: tick",
        "a tick of no length would come without end",
        "leave `tick` out for a kernel without a periodic tick",
    ),
    case(
        "[platform]\ntick = 1",
        "3:8",
        Kind::WrongType,
        "platform: tick",
        r#"expected a time such as "10ms" or "250us", found 1"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        "[platform]\ncores = 2",
        "3:1",
        Kind::UnknownKey,
        "platform",
        r#"unknown key "cores""#,
        "the keys here are `cpus`, `tick`, `overheads` and `jitter`",
    ),
    case(
        r#"[platform.overheads]
switch = "1us""#,
        "3:1",
        Kind::UnknownKey,
        "platform: overheads",
        r#"unknown key "switch""#,
        "the keys here are `release`, `call`, `scheduling`, `context_switch`, `tick`, `ipi` and `cache`",
    ),
    case(
        "[platform.overheads]\nrelease = 3",
        "3:11",
        Kind::WrongType,
        "platform: overheads: release",
        r#"expected a time such as "10ms" or "250us", found 3"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        "[platform.overheads]\nscheduling = {}",
        "3:14",
        Kind::OutOfRange,
        "platform: overheads: scheduling",
        "the table of costs is empty",
        "leave it out where the work is free of charge",
    ),
    case(
        r#"[platform.overheads]
scheduling = { 0 = "1us" }"#,
        "3:16",
        Kind::OutOfRange,
        "platform: overheads: scheduling",
        r#"expected a number of tasks from 1 on, found "0""#,
        r#"write costs by task count, as in `{ 5 = "1us", 15 = "2us" }`"#,
    ),
    case(
        r#"[platform.overheads]
scheduling = { 5 = "1us", 05 = "2us" }"#,
        "3:27",
        Kind::Duplicate,
        "platform: overheads: scheduling",
        "there is a cost for 5 tasks already",
        "leave one of them out",
    ),
    case(
        r#"[platform.overheads]
scheduling = { five = "1us" }"#,
        "3:16",
        Kind::OutOfRange,
        "platform: overheads: scheduling",
        r#"expected a number of tasks from 1 on, found "five""#,
        r#"write costs by task count, as in `{ 5 = "1us", 15 = "2us" }`"#,
    ),
    case(
        r#"[platform.overheads]
scheduling = { 5 = "1" }"#,
        "3:20",
        Kind::WrongType,
        "platform: overheads: scheduling: 5",
        r#"expected a time such as "10ms" or "250us", found "1""#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"[platform.overheads]
scheduling = { 4294967296 = "1us" }"#,
        "3:16",
        Kind::OutOfRange,
        "platform: overheads: scheduling",
        r#"expected a number of tasks from 1 on, found "4294967296""#,
        r#"write costs by task count, as in `{ 5 = "1us", 15 = "2us" }`"#,
    ),
    case(
        "[policies]\nrr = 3",
        "3:6",
        Kind::WrongType,
        "policies: rr",
        "expected a table, found 3",
        "",
    ),
    case(
        "[policies.rr]\nquantum = [1]",
        "3:11",
        Kind::WrongType,
        "policies: rr: quantum",
        "expected a time, a number, true, false or a text, found a list",
        "a table of numbers is a list of its rows: [[0, 1], [1, 0]]",
    ),
    case(
        "[policies.dss]\ncosts = [[0, 1], [-1, 0]]",
        "3:19",
        Kind::OutOfRange,
        "policies: dss: costs",
        "expected a whole number from 0 to 4294967295, found -1",
        "",
    ),
    case(
        "[policies.dss]\ncosts = [[0, 1], 1]",
        "3:18",
        Kind::WrongType,
        "policies: dss: costs",
        "expected a list in square brackets, found 1",
        "",
    ),
    case(
        "[policies.rr]\nquantum = { a = 1 }",
        "3:11",
        Kind::WrongType,
        "policies: rr: quantum",
        "expected a time, a number, true, false or a text, found a table",
        "",
    ),
    case(
        "[policies.rr]\ngain = inf",
        "3:8",
        Kind::WrongType,
        "policies: rr: gain",
        "expected a time, a number, true, false or a text, found inf",
        "",
    ),
    case(
        "[policies.rr]\ngain = nan",
        "3:8",
        Kind::WrongType,
        "policies: rr: gain",
        "expected a time, a number, true, false or a text, found nan",
        "",
    ),
    case(
        "[policies.rr]\nstart = 1979-05-27",
        "3:9",
        Kind::WrongType,
        "policies: rr: start",
        "expected a time, a number, true, false or a text, found a date or time of day",
        "",
    ),
    case(
        "[policies.rr]\nn = 9223372036854775808",
        "3:5",
        Kind::OutOfRange,
        "policies: rr: n",
        "9223372036854775808 does not fit into 64 bits",
        "",
    ),
    case(
        "policies = 1",
        "2:12",
        Kind::WrongType,
        "policies",
        "expected a table, found 1",
        "",
    ),
    case(
        r#"[policies."r r"]
"a\u001b" = []"#,
        "3:13",
        Kind::WrongType,
        r#"policies: "r r": "a\u{1b}""#,
        "expected a time, a number, true, false or a text, found a list",
        "a table of numbers is a list of its rows: [[0, 1], [1, 0]]",
    ),
];

#[test]
fn tables() {
    check(TABLES, Format::Toml, |text| format!("schema = 1\n{text}"));
}
