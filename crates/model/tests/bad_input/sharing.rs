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
[[task]]
name = "nav"
behaviour = [
"#;

/// Steps, one a line; the first one is line 14.
const STEPS: &[Case] = &[
    case(
        r#"{ lock = "buz" },"#,
        "14:10",
        Kind::UnknownName,
        r#"task "nav": behaviour: step 1: lock"#,
        r#"there is no mutex "buz""#,
        r#"did you mean "bus"?"#,
    ),
    case(
        r#"{ lock = "start" },"#,
        "14:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: lock"#,
        r#""start" is a semaphore, and this needs a mutex"#,
        "name one that is declared with `[[mutex]]`",
    ),
    case(
        r#"{ wait = "samples" },"#,
        "14:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: wait"#,
        r#""samples" is a queue, and this needs a semaphore"#,
        "name one that is declared with `[[semaphore]]`",
    ),
    case(
        r#"{ send = "bus" },"#,
        "14:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: send"#,
        r#""bus" is a mutex, and this needs a queue"#,
        "name one that is declared with `[[queue]]`",
    ),
    case(
        r#"{ signal = "go" },"#,
        "14:12",
        Kind::UnknownName,
        r#"task "nav": behaviour: step 1: signal"#,
        r#"there is no semaphore "go""#,
        r#"declare it with `[[semaphore]]` and `name = "go"`"#,
    ),
    case(
        "{ lock = 3 },",
        "14:10",
        Kind::WrongType,
        r#"task "nav": behaviour: step 1: lock"#,
        "expected a text in quotes, found 3",
        "",
    ),
    case(
        r#"{ lock = "bus" },
{ compute = "1ms" },"#,
        "14:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "the mutex is still locked at the end of the job",
        "add an `unlock` step for it",
    ),
    case(
        r#"{ unlock = "bus" },"#,
        "14:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 1: unlock"#,
        "the job does not hold this mutex",
        "lock it first, or leave this step out",
    ),
    case(
        r#"{ lock = "bus" },
{ lock = "bus" },"#,
        "15:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 2: lock"#,
        "the job holds this mutex already, since line 14",
        "a mutex cannot be locked twice; it would wait for itself",
    ),
    case(
        r#"{ lock = "bus" },
{ lock = "log" },
{ unlock = "bus" },
{ unlock = "log" },"#,
        "16:12",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 3: unlock"#,
        "the mutex locked in line 15 has to be unlocked first",
        "unlock in the opposite order of locking",
    ),
    case(
        r#"{ lock = "bus" },
{ unlock = "bus" },
{ unlock = "bus" },"#,
        "16:12",
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
        "15:10",
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
        "16:12",
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
        "16:10",
        Kind::Inconsistent,
        r#"task "nav": behaviour: step 2: do: step 1: lock"#,
        "the job holds this mutex already, since line 14",
        "a mutex cannot be locked twice; it would wait for itself",
    ),
    case(
        r#"{ lock = "bus" },
{ repeat = "forever", do = [
{ compute = "1ms" },
] },"#,
        "14:10",
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
