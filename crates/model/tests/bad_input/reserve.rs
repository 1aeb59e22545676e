//! What tasks ask to have reserved.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// What stands below `schema = 1`, `[[task]]` and `name = "nav"`.
const RESERVATIONS: &[Case] = &[
    case(
        "reserve = 0.2",
        "4:11",
        Kind::WrongType,
        r#"task "nav": reserve"#,
        "expected a table, found 0.2",
        "write `share` or `period` or both, as in `reserve = { share = 0.2, period = \"30ms\" }`",
    ),
    case(
        "reserve = {}",
        "4:11",
        Kind::Missing,
        r#"task "nav": reserve"#,
        "neither `share` nor `period` says what is reserved",
        "write one of them or both, as in `reserve = { share = 0.2, period = \"30ms\" }`",
    ),
    case(
        "reserve = { shar = 0.2 }",
        "4:13",
        Kind::UnknownKey,
        r#"task "nav": reserve"#,
        "unknown key \"shar\"",
        "did you mean `share`?",
    ),
    case(
        "reserve = { budget = 1 }",
        "4:13",
        Kind::UnknownKey,
        r#"task "nav": reserve"#,
        "unknown key \"budget\"",
        "the keys here are `share` and `period`",
    ),
    case(
        "reserve = { share = 0 }",
        "4:21",
        Kind::OutOfRange,
        r#"task "nav": reserve: share"#,
        "a share of zero reserves nothing",
        "write a part of a CPU above zero, or leave it out",
    ),
    case(
        "reserve = { share = 1.5 }",
        "4:21",
        Kind::OutOfRange,
        r#"task "nav": reserve: share"#,
        "expected a part of a CPU from 0 to 1, such as 0.25, found 1.5",
        "it may have six digits behind the point",
    ),
    case(
        "reserve = { share = \"much\" }",
        "4:21",
        Kind::WrongType,
        r#"task "nav": reserve: share"#,
        "expected a part of a CPU from 0 to 1, such as 0.25, found \"much\"",
        "it may have six digits behind the point",
    ),
    case(
        "reserve = { period = 30 }",
        "4:22",
        Kind::WrongType,
        r#"task "nav": reserve: period"#,
        "expected a time such as \"10ms\" or \"250us\", found 30",
        "the units are ns, us, ms, s and min",
    ),
    case(
        "reserve = { share = 0.2, period = \"0s\" }",
        "4:35",
        Kind::OutOfRange,
        r#"task "nav": reserve: period"#,
        "in a period of zero there is no time to reserve",
        "write at least \"1ns\", or leave it out",
    ),
    case(
        "reserv = { share = 0.2 }",
        "4:1",
        Kind::UnknownKey,
        r#"task "nav""#,
        "unknown key \"reserv\"",
        "did you mean `reserve`?",
    ),
];

#[test]
fn reservations() {
    check(RESERVATIONS, Format::Toml, |text| {
        format!("schema = 1\n[[task]]\nname = \"nav\"\n{text}")
    });
}
