//! Steps that use what tasks share.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// What stands above the steps: every sort of resource.
const HEAD: &str = r#"schema = 1
[[mutex]]
name = "bus"
[[mutex]]
name = "log"
[[semaphore]]
name = "start"
[[queue]]
name = "samples"
capacity = 4
[[gauge]]
name = "frames"
capacity = 9
kind = "stock"
[[task]]
name = "nav"
behaviour = [
"#;

/// Steps, one a line; the first one is line 18.
const STEPS: &[Case] = &[
    case(
        r#"{ send = "frames" },"#,
        "18:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: send"#,
        r#""frames" is a gauge, and this needs a queue"#,
        "name one that is declared with `[[queue]]`",
    ),
    case(
        r#"{ raise = "samples" },"#,
        "18:11",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: raise"#,
        r#""samples" is a queue, and this needs a gauge"#,
        "name one that is declared with `[[gauge]]`",
    ),
    case(
        r#"{ lower = "frames", by = 0 },"#,
        "18:26",
        Kind::OutOfRange,
        r#"task "nav": behaviour: step 1: by"#,
        "expected a whole number from 1 to 65535, found 0",
        "",
    ),
    case(
        "{ by = 3 },",
        "18:3",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "`by` without `raise` or `lower`",
        r#"write `{ raise = "GAUGE", by = 3 }`"#,
    ),
    case(
        r#"{ lock = "buz" },"#,
        "18:10",
        Kind::UnknownName,
        r#"task "nav": behaviour: step 1: lock"#,
        r#"there is no mutex "buz""#,
        r#"did you mean "bus"?"#,
    ),
    case(
        r#"{ lock = "start" },"#,
        "18:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: lock"#,
        r#""start" is a semaphore, and this needs a mutex"#,
        "name one that is declared with `[[mutex]]`",
    ),
    case(
        r#"{ wait = "samples" },"#,
        "18:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: wait"#,
        r#""samples" is a queue, and this needs a semaphore"#,
        "name one that is declared with `[[semaphore]]`",
    ),
    case(
        r#"{ send = "bus" },"#,
        "18:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: send"#,
        r#""bus" is a mutex, and this needs a queue"#,
        "name one that is declared with `[[queue]]`",
    ),
    case(
        r#"{ signal = "go" },"#,
        "18:12",
        Kind::UnknownName,
        r#"task "nav": behaviour: step 1: signal"#,
        r#"there is no semaphore "go""#,
        r#"declare it with `[[semaphore]]` and `name = "go"`"#,
    ),
    case(
        "{ lock = 3 },",
        "18:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: lock"#,
        "expected a text in quotes, found 3",
        "",
    ),
    case(
        r#"{ lock = "bus" },
{ compute = "1ms" },"#,
        "18:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "the mutex is still locked at the end of the job",
        "add an `unlock` step for it",
    ),
    case(
        r#"{ unlock = "bus" },"#,
        "18:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: unlock"#,
        "the job does not hold this mutex",
        "lock it first, or leave this step out",
    ),
    case(
        r#"{ lock = "bus" },
{ lock = "bus" },"#,
        "19:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 2: lock"#,
        "the job holds this mutex already, since line 18",
        "a mutex cannot be locked twice; it would wait for itself",
    ),
    case(
        r#"{ lock = "bus" },
{ lock = "log" },
{ unlock = "bus" },
{ unlock = "log" },"#,
        "20:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 3: unlock"#,
        "the mutex locked in line 19 has to be unlocked first",
        "unlock in the opposite order of locking",
    ),
    case(
        r#"{ lock = "bus" },
{ unlock = "bus" },
{ unlock = "bus" },"#,
        "20:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 3: unlock"#,
        "the job does not hold this mutex",
        "lock it first, or leave this step out",
    ),
    case(
        r#"{ repeat = 2, do = [
{ lock = "bus" },
] },
{ unlock = "bus" },"#,
        "19:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1"#,
        "the mutex is still locked at the end of the round",
        "add an `unlock` step for it",
    ),
    case(
        r#"{ lock = "bus" },
{ repeat = 2, do = [
{ unlock = "bus" },
] },"#,
        "20:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 2: do: step 1: unlock"#,
        "the mutex was locked outside of this repetition",
        "lock and unlock it both inside or both outside",
    ),
    case(
        r#"{ lock = "bus" },
{ repeat = 2, do = [
{ lock = "bus" },
{ unlock = "bus" },
] },
{ unlock = "bus" },"#,
        "20:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 2: do: step 1: lock"#,
        "the job holds this mutex already, since line 18",
        "a mutex cannot be locked twice; it would wait for itself",
    ),
    case(
        r#"{ lock = "bus" },
{ repeat = "forever", do = [
{ compute = "1ms" },
] },"#,
        "18:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "the mutex is still locked at the end of the job",
        "add an `unlock` step for it",
    ),
];

#[test]
fn steps() {
    check(STEPS, Format::Toml, |steps| format!("{HEAD}{steps}\n]\n"));
}
