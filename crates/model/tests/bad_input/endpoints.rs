//! Sources and sinks, and lengths that follow the clock.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// A queue, another one that releases jobs, and a task that uses both.
const HEAD: &str = r#"schema = 1
[[queue]]
name = "samples"
capacity = 4
[[queue]]
name = "events"
capacity = 4
[[task]]
name = "filter"
behaviour = [{ receive = "samples" }, { compute = "1ms" }]
[[task]]
name = "handler"
sporadic = "10ms"
released_by = "events"
wcet = "1ms"
[[source]]
queue = "events"
every = "10ms"
"#;

/// What follows, from line 19 on.
const ENDPOINTS: &[Case] = &[
    case(
        "[[source]]\nevery = \"1ms\"",
        "19:1",
        Kind::Missing,
        "source 2",
        "missing key `queue`",
        "add `queue = …`, the queue that it puts messages into",
    ),
    case(
        "[[sink]]\nqueue = \"sample\"\nevery = \"1ms\"",
        "20:9",
        Kind::UnknownName,
        "sink 1: queue",
        r#"there is no queue "sample""#,
        r#"did you mean "samples"?"#,
    ),
    case(
        "[[sink]]\nqueue = \"samples\"",
        "19:1",
        Kind::Missing,
        "sink 1",
        "missing key `every`",
        "add `every = …`, the time from one instant to the next",
    ),
    case(
        "[[sink]]\nqueue = \"samples\"\nevery = { uniform = [\"0ms\", \"1ms\"] }",
        "21:9",
        Kind::OutOfRange,
        "sink 1: every",
        "the time from one instant to the next may be zero",
        "write a time above zero",
    ),
    case(
        "[[sink]]\nqueue = \"samples\"\nevery = \"1ms\"\ncount = 0",
        "22:9",
        Kind::OutOfRange,
        "sink 1: count",
        "expected a whole number from 1 to 65535, found 0",
        "",
    ),
    case(
        "[[sink]]\nqueue = \"samples\"\nevery = \"1ms\"\nperiod = \"1ms\"",
        "22:1",
        Kind::UnknownKey,
        "sink 1",
        "unknown key \"period\"",
        "the keys here are `queue`, `gauge`, `every`, `count` and `phase`",
    ),
    case(
        "[[sink]]\nqueue = \"events\"\nevery = \"1ms\"",
        "19:1",
        Kind::Inconsistent,
        "sink 1",
        r#"the messages of its queue release jobs of task "handler""#,
        "let the sink take from a queue of its own",
    ),
    case(
        "[[gauge]]\nname = \"g\"\ncapacity = 4\nkind = \"stock\"\n[[sink]]\nqueue = \"samples\"\ngauge = \"g\"\nevery = \"1ms\"",
        "24:1",
        Kind::Inconsistent,
        "sink 1",
        "it has a queue and a gauge",
        "leave one of them out, or write a table for each",
    ),
    case(
        "[[sink]]\ngauge = \"samples\"\nevery = \"1ms\"",
        "20:9",
        Kind::WrongType,
        "sink 1: gauge",
        r#""samples" is a queue, and this needs a gauge"#,
        "name one that is declared with `[[gauge]]`",
    ),
    case(
        "[[gauge]]\nname = \"g\"\ncapacity = 4",
        "19:1",
        Kind::Missing,
        "gauge 1",
        "missing key `kind`",
        "add `kind = …`, \"backlog\", which a task lowers as it works, or \"stock\", which it raises",
    ),
    case(
        "[[gauge]]\nname = \"g\"\ncapacity = 0\nkind = \"stock\"",
        "21:12",
        Kind::OutOfRange,
        "gauge 1: capacity",
        "expected a whole number from 1 to 65535, found 0",
        "",
    ),
    case(
        "[sink]\nqueue = \"samples\"",
        "19:1",
        Kind::WrongType,
        "sink",
        "expected `[[sink]]` in double brackets, found a table",
        "write `[[sink]]` once for each sink",
    ),
];

#[test]
fn endpoints() {
    check(ENDPOINTS, Format::Toml, |text| format!("{HEAD}{text}"));
}

/// What a step computes, in line 4.
const CYCLES: &[Case] = &[
    case(
        r#"{ cycle = [], every = "30s" }"#,
        "4:36",
        Kind::OutOfRange,
        r#"task "a": behaviour: step 1: compute: cycle"#,
        "there is nothing to choose from",
        r#"write times, and for how long each of them is valid, as in `{ cycle = ["1ms", "3ms"], every = "30s" }`"#,
    ),
    case(
        r#"{ cycle = ["1ms"] }"#,
        "4:26",
        Kind::Missing,
        r#"task "a": behaviour: step 1: compute"#,
        "missing key `every`",
        "add `every = …`, for how long each of them is valid",
    ),
    case(
        r#"{ cycle = ["1ms"], every = "0s" }"#,
        "4:53",
        Kind::OutOfRange,
        r#"task "a": behaviour: step 1: compute: every"#,
        "each length has to be valid for some time",
        "write a time above zero",
    ),
    case(
        r#"{ one_of = ["1ms"], every = "1s" }"#,
        "4:46",
        Kind::Inconsistent,
        r#"task "a": behaviour: step 1: compute: every"#,
        "only the lengths of a `cycle` follow the clock, and this one is `one_of`",
        "leave out `every`",
    ),
];

#[test]
fn cycles() {
    check(CYCLES, Format::Toml, |length| {
        format!("schema = 1\n[[task]]\nname = \"a\"\nbehaviour = [{{ compute = {length} }}]")
    });
}

/// The text that says where a set was published.
const REFERENCES: &[Case] = &[case(
    "source = \"a book\"\nreference = \"a book\"",
    "3:13",
    Kind::Inconsistent,
    "reference",
    "`source` says already where the set was published",
    "leave out one of them",
)];

#[test]
fn references() {
    check(REFERENCES, Format::Toml, |text| {
        format!("schema = 1\n{text}\n[[task]]\nname = \"a\"\nwcet = \"1ms\"")
    });
}
