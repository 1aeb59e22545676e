//! What releases jobs does not fit together.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// Two queues, a semaphore, and a task that sends to one of them.
const HEAD: &str = r#"schema = 1
[[mutex]]
name = "bus"
[[semaphore]]
name = "start"
initial = 1
[[queue]]
name = "samples"
capacity = 4
[[queue]]
name = "results"
capacity = 4
[[task]]
name = "adc"
period = "10ms"
behaviour = [{ compute = "1ms" }, { send = "samples" }, { signal = "start" }]
[[task]]
name = "filter"
"#;

/// The rest of the second task, which begins in line 19, and perhaps more tasks.
const TASKS: &[Case] = &[
    case(
        "released_by = \"sample\"\nsporadic = \"10ms\"\nwcet = \"1ms\"",
        "19:15",
        Kind::UnknownName,
        r#"task "filter": released_by"#,
        r#"there is no queue and no semaphore "sample""#,
        r#"did you mean "samples"?"#,
    ),
    case(
        "released_by = \"bus\"\nsporadic = \"10ms\"\nwcet = \"1ms\"",
        "19:15",
        Kind::WrongType,
        r#"task "filter": released_by"#,
        r#""bus" is a mutex, which releases no jobs"#,
        "name a queue or a semaphore",
    ),
    case(
        "released_by = \"samples\"\nwcet = \"1ms\"",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        "nothing says how far apart jobs are at least",
        "add the least separation, as in `sporadic = \"10ms\"`",
    ),
    case(
        "released_by = \"samples\"\nperiod = \"10ms\"\nwcet = \"1ms\"",
        "20:10",
        Kind::Inconsistent,
        r#"task "filter": period"#,
        "a periodic task is released by the clock",
        "write the least separation as `sporadic`, or leave out `released_by`",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\ngap = \"12ms\"\nwcet = \"1ms\"",
        "21:7",
        Kind::Inconsistent,
        r#"task "filter": gap"#,
        "messages or signals say when jobs come, and how far apart",
        "leave out `gap` or `released_by`",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\njitter = \"1ms\"\nwcet = \"1ms\"",
        "21:10",
        Kind::Inconsistent,
        r#"task "filter": jitter"#,
        "a message or a signal releases its job at once, without jitter",
        "leave out `jitter` or `released_by`",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"0ms\"\nwcet = \"1ms\"",
        "20:12",
        Kind::OutOfRange,
        r#"task "filter": sporadic"#,
        "a separation of zero would release jobs without end",
        "write at least \"1ns\"",
    ),
    case(
        "released_by = \"start\"\nsporadic = \"10ms\"\nwcet = \"1ms\"",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        "a semaphore that releases jobs begins at zero",
        "leave out its `initial`",
    ),
    case(
        "released_by = \"results\"\nsporadic = \"10ms\"\nwcet = \"1ms\"",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        "no task sends to it, so no job would ever be released",
        "add a `send` or `signal` step to another task, or a `[[source]]`",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\n\
         behaviour = [{ receive = \"samples\" }, { compute = \"1ms\" }]",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        "its jobs have their message or signal already as they begin",
        "leave out the step that receives it or waits for it",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\nwcet = \"1ms\"\n[[task]]\n\
         name = \"thief\"\nbehaviour = [{ repeat = 3, do = [{ receive = \"samples\" }] }]",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        r#"task "thief" takes from it, too"#,
        "send what another task is to take by a queue or semaphore of its own",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\nwcet = \"1ms\"\n[[task]]\n\
         name = \"other\"\nreleased_by = \"samples\"\nsporadic = \"10ms\"\nwcet = \"1ms\"",
        "24:15",
        Kind::Inconsistent,
        r#"task "other": released_by"#,
        r#"it releases jobs of task "filter" already"#,
        "give each task a queue or semaphore of its own",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\n\
         behaviour = [{ compute = \"1ms\" }, { send = \"samples\" }]",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        r#"its jobs release each other in a circle: "filter""#,
        "let the clock release one of them",
    ),
    case(
        "released_by = \"samples\"\nsporadic = \"10ms\"\n\
         behaviour = [{ compute = \"1ms\" }, { send = \"results\" }]\n[[task]]\n\
         name = \"control\"\nreleased_by = \"results\"\nsporadic = \"10ms\"\n\
         behaviour = [{ compute = \"1ms\" }, { send = \"samples\" }]",
        "19:15",
        Kind::Inconsistent,
        r#"task "filter": released_by"#,
        r#"its jobs release each other in a circle: "filter", "control""#,
        "let the clock release one of them",
    ),
];

#[test]
fn triggers_that_do_not_fit_are_refused() {
    check(TASKS, Format::Toml, |rest| format!("{HEAD}{rest}\n"));
}
