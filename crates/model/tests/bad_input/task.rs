//! Tasks, without what they do.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// What stands below `schema = 1`, `[[task]]` and `name = "nav"`.
const TASKS: &[Case] = &[
    case(
        "",
        "2:1",
        Kind::Missing,
        r#"task "nav""#,
        "neither `wcet` nor `behaviour` says what a job does",
        r#"add the worst-case execution time, as in `wcet = "1ms"`"#,
    ),
    case(
        r#"period = "10ms""#,
        "2:1",
        Kind::Missing,
        r#"task "nav""#,
        "neither `wcet` nor `behaviour` says what a job does",
        r#"add the worst-case execution time, as in `wcet = "1ms"`"#,
    ),
    case(
        "wcet = \"1ms\"\nspeed = 2",
        "5:1",
        Kind::Inconsistent,
        r#"task "nav": speed"#,
        "the platform has no operating points",
        r#"add them, as in `[platform.speeds]` with `frequencies = ["104MHz", "208MHz"]`"#,
    ),
    case(
        "wcet = \"1ms\"\nspeed = 2\n[platform.speeds]\nfrequencies = [\"1MHz\", \"2MHz\"]",
        "5:1",
        Kind::OutOfRange,
        r#"task "nav": speed"#,
        "there is no operating point 2: they are 0 to 1",
        "0 is the slowest one",
    ),
    case(
        "wcet = \"1ms\"\nstalls = 1.5",
        "5:10",
        Kind::OutOfRange,
        r#"task "nav": stalls"#,
        "expected a part of the time from 0 to 1, such as 0.25, found 1.5",
        "it may have six digits behind the point",
    ),
    case(
        "wcet = 10",
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found 10"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"wcet = "10""#,
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found "10""#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"wcet = "ten""#,
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found "ten""#,
        r#"write a number and a unit, as in "1.5ms""#,
    ),
    case(
        r#"wcet = "1h""#,
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found "1h""#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"wcet = "-1ms""#,
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": wcet"#,
        r#""-1ms" is below zero"#,
        "leave out the minus sign; no length of time is below zero",
    ),
    case(
        r#"wcet = "0.5ns""#,
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": wcet"#,
        r#""0.5ns" is not a whole number of nanoseconds"#,
        "time is counted in whole nanoseconds; round it to one",
    ),
    case(
        r#"wcet = "20000000000s""#,
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": wcet"#,
        r#""20000000000s" is too long"#,
        "the longest time is about 584 years (18446744073 s)",
    ),
    case(
        r#"wcet = "0ms""#,
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": wcet"#,
        "a worst-case execution time of zero does nothing",
        r#"write at least "1ns""#,
    ),
    case(
        "wcet = true",
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found true"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"wcet = ["1ms"]"#,
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found a list"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        "wcet = 1.5",
        "4:8",
        Kind::WrongType,
        r#"task "nav": wcet"#,
        r#"expected a time such as "10ms" or "250us", found 1.5"#,
        "the units are ns, us, ms, s and min",
    ),
    case(
        r#"period = "0ms"
wcet = "1ms""#,
        "4:10",
        Kind::OutOfRange,
        r#"task "nav": period"#,
        "a period of zero would release jobs without end",
        r#"write at least "1ns""#,
    ),
    case(
        r#"sporadic = "0"
wcet = "1ms""#,
        "4:12",
        Kind::OutOfRange,
        r#"task "nav": sporadic"#,
        "a separation of zero would release jobs without end",
        r#"write at least "1ns""#,
    ),
    case(
        r#"period = "-5ms"
wcet = "1ms""#,
        "4:10",
        Kind::OutOfRange,
        r#"task "nav": period"#,
        r#""-5ms" is below zero"#,
        "leave out the minus sign; no length of time is below zero",
    ),
    case(
        r#"period = "10ms"
sporadic = "10ms"
wcet = "1ms""#,
        "5:12",
        Kind::Inconsistent,
        r#"task "nav": sporadic"#,
        "a task is either periodic or sporadic, not both",
        "leave out `period` or `sporadic`",
    ),
    case(
        r#"wcet = "1ms"
jitter = "10us""#,
        "5:10",
        Kind::Inconsistent,
        r#"task "nav": jitter"#,
        "a task that arrives once has no release jitter",
        "say when it arrives, as `phase`, or give it a `period`",
    ),
    case(
        r#"period = "10ms"
wcet = "1ms"
bcet = "2ms""#,
        "6:8",
        Kind::Inconsistent,
        r#"task "nav": bcet"#,
        "the best-case execution time, 2ms, is above the worst case, 1ms",
        "lower it, or raise `wcet`",
    ),
    case(
        r#"period = "10ms"
bcet = "2ms"
behaviour = [{ compute = "3ms" }]"#,
        "5:8",
        Kind::Inconsistent,
        r#"task "nav": bcet"#,
        "the behaviour says how long a job computes",
        r#"leave out `bcet`, or write `{ compute = { uniform = ["1ms", "2ms"] } }`"#,
    ),
    case(
        r#"period = "10ms"
gap = "10ms"
wcet = "1ms""#,
        "5:7",
        Kind::Inconsistent,
        r#"task "nav": gap"#,
        "only a sporadic task has a gap between arrivals",
        "write the least separation as `sporadic`, or leave out `gap`",
    ),
    case(
        r#"sporadic = "10ms"
gap = { uniform = ["5ms", "20ms"] }
wcet = "1ms""#,
        "5:7",
        Kind::Inconsistent,
        r#"task "nav": gap"#,
        "the shortest gap, 5ms, is below the least separation, 10ms",
        "raise `gap`, or lower `sporadic`",
    ),
    case(
        r#"period = "10ms"
wcet = "11ms""#,
        "5:8",
        Kind::Inconsistent,
        r#"task "nav": wcet"#,
        "the worst-case execution time, 11ms, is above the deadline, which is the period, 10ms",
        "lower it, raise the period, or give a later `deadline`",
    ),
    case(
        r#"period = "10ms"
deadline = "3ms"
wcet = "5ms""#,
        "5:12",
        Kind::Inconsistent,
        r#"task "nav": deadline"#,
        "the deadline, 3ms, is below the worst-case execution time, 5ms",
        "no job could meet it; raise it, or lower `wcet`",
    ),
    case(
        r#"period = "10ms"
deadline = "0"
wcet = "5ms""#,
        "5:12",
        Kind::OutOfRange,
        r#"task "nav": deadline"#,
        "a deadline of zero cannot be met",
        r#"write at least "1ns""#,
    ),
    case(
        r#"period = "10ms"
behaviour = [{ compute = "6ms" }, { compute = "5ms" }]"#,
        "5:13",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "the worst-case execution time, 11ms, is above the deadline, which is the period, 10ms",
        "lower it, raise the period, or give a later `deadline`",
    ),
    case(
        r#"period = "10ms"
wcet = "5ms"
behaviour = [{ compute = "6ms" }]"#,
        "6:13",
        Kind::Inconsistent,
        r#"task "nav": behaviour"#,
        "computes up to 6ms, more than the `wcet` of 5ms",
        "raise `wcet`, or leave it out: it is then taken from the behaviour",
    ),
    case(
        r#"dedline = "10ms""#,
        "4:1",
        Kind::UnknownKey,
        r#"task "nav""#,
        r#"unknown key "dedline""#,
        "did you mean `deadline`?",
    ),
    case(
        r#"period = "10ms"
wcet = "1ms"
priority = 256"#,
        "6:12",
        Kind::OutOfRange,
        r#"task "nav": priority"#,
        "expected a whole number from 0 to 255, found 256",
        "",
    ),
    case(
        "priority = -1",
        "4:12",
        Kind::OutOfRange,
        r#"task "nav": priority"#,
        "expected a whole number from 0 to 255, found -1",
        "",
    ),
    case(
        "nice = -21",
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": nice"#,
        "expected a whole number from -20 to 19, found -21",
        "",
    ),
    case(
        r#"priority = "high""#,
        "4:12",
        Kind::WrongType,
        r#"task "nav": priority"#,
        r#"expected a whole number from 0 to 255, found "high""#,
        "",
    ),
    case(
        "group = 8",
        "4:9",
        Kind::OutOfRange,
        r#"task "nav": group"#,
        "expected a whole number from 0 to 7, found 8",
        "",
    ),
    case(
        "program = \"\"",
        "4:11",
        Kind::OutOfRange,
        r#"task "nav": program"#,
        "\"\" is no name",
        "write at least one character",
    ),
    case(
        "device = 3",
        "4:10",
        Kind::WrongType,
        r#"task "nav": device"#,
        "expected a text in quotes, found 3",
        "",
    ),
    case(
        r#"period = "10ms"
wcet = "1ms"
cpu = 1"#,
        "6:7",
        Kind::OutOfRange,
        r#"task "nav": cpu"#,
        "there is no CPU 1: the platform has one CPU, number 0",
        "raise `cpus` of `[platform]` to at least 2",
    ),
    case(
        "cpu = 128",
        "4:7",
        Kind::OutOfRange,
        r#"task "nav": cpu"#,
        "expected a whole number from 0 to 127, found 128",
        "",
    ),
    case(
        r#"period = "10ms"
wcet = "1ms"
cpus = [0, 3]"#,
        "6:12",
        Kind::OutOfRange,
        r#"task "nav": cpus"#,
        "there is no CPU 3: the platform has one CPU, number 0",
        "raise `cpus` of `[platform]` to at least 4",
    ),
    case(
        r#"period = "10ms"
wcet = "1ms"
cpu = 0
cpus = [0]"#,
        "7:8",
        Kind::Inconsistent,
        r#"task "nav": cpus"#,
        "a task is bound to one CPU or may run on several, not both",
        "leave out `cpu` or `cpus`",
    ),
    case(
        "cpus = [0, 2, 0]",
        "4:15",
        Kind::Inconsistent,
        r#"task "nav": cpus"#,
        "CPU 0 is in the list twice",
        "",
    ),
    case(
        "cpus = []",
        "4:8",
        Kind::OutOfRange,
        r#"task "nav": cpus"#,
        "the list is empty, so that the task could run nowhere",
        "leave out `cpus` if the task may run on all CPUs",
    ),
    case(
        "cpus = 2",
        "4:8",
        Kind::WrongType,
        r#"task "nav": cpus"#,
        "expected a list in square brackets, found 2",
        "",
    ),
    case(
        "cpus = [128]",
        "4:9",
        Kind::OutOfRange,
        r#"task "nav": cpus"#,
        "expected a whole number from 0 to 127, found 128",
        "",
    ),
    case(
        r#"on_miss = "skipp""#,
        "4:11",
        Kind::UnknownName,
        r#"task "nav": on_miss"#,
        r#"expected "continue", "skip", "abort" or "latest", found "skipp""#,
        r#"did you mean "skip"?"#,
    ),
    case(
        r#"on_miss = "x""#,
        "4:11",
        Kind::UnknownName,
        r#"task "nav": on_miss"#,
        r#"expected "continue", "skip", "abort" or "latest", found "x""#,
        "",
    ),
    case(
        "phase = -3",
        "4:9",
        Kind::WrongType,
        r#"task "nav": phase"#,
        r#"expected a time such as "10ms" or "250us", found -3"#,
        "the units are ns, us, ms, s and min",
    ),
];

#[test]
fn tasks() {
    check(TASKS, Format::Toml, |text| {
        format!(
            r#"schema = 1
[[task]]
name = "nav"
{text}"#
        )
    });
}

/// What stands below `schema = 1`.
const NAMES: &[Case] = &[
    case(
        r#"[[task]]
name = "nav"
period = "1ms"
wcet = "1us"
[[task]]
name = "nav"
period = "1ms"
wcet = "1us""#,
        "7:8",
        Kind::Duplicate,
        r#"task "nav": name"#,
        r#""nav" is there already"#,
        "the first one is in line 3; rename one of them",
    ),
    case(
        r#"[[task]]
period = "1ms"
wcet = "1us"
[[task]]
name = "T1"
period = "1ms"
wcet = "1us""#,
        "6:8",
        Kind::Duplicate,
        r#"task "T1": name"#,
        r#""T1" is there already"#,
        "the first one is in line 2; rename one of them",
    ),
    case(
        r#"[[task]]
name = "T2"
period = "1ms"
wcet = "1us"
[[task]]
period = "1ms"
wcet = "1us""#,
        "6:1",
        Kind::Duplicate,
        "task 2: name",
        r#""T2" is there already"#,
        "the first one is in line 3; rename one of them",
    ),
    case(
        "[[task]]\nname = 3",
        "3:8",
        Kind::WrongType,
        "task 1: name",
        "expected a text in quotes, found 3",
        "",
    ),
    case(
        r#"[[task]]
name = """#,
        "3:8",
        Kind::OutOfRange,
        r#"task "": name"#,
        r#""" is no name"#,
        "write at least one character",
    ),
    case(
        r#"[[task]]
nmae = "x""#,
        "3:1",
        Kind::UnknownKey,
        "task 1",
        r#"unknown key "nmae""#,
        "did you mean `name`?",
    ),
    case(
        "[[task]]\nname = \"x\"\npolicies = 3",
        "4:12",
        Kind::WrongType,
        r#"task "x": policies"#,
        "expected a table, found 3",
        "",
    ),
    case(
        "[[task]]\nname = \"x\"\npolicies.rr = 3",
        "4:15",
        Kind::WrongType,
        r#"task "x": policies: rr"#,
        "expected a table, found 3",
        "",
    ),
    case(
        "[[task]]\nname = \"x\"\n[task.policies.rr]\nquantum = [1]",
        "5:11",
        Kind::WrongType,
        r#"task "x": policies: rr: quantum"#,
        "expected a time, a number, true, false or a text, found a list",
        "a table of numbers is a list of its rows: [[0, 1], [1, 0]]",
    ),
    case(
        "[[task]]\nname = \"x\"\n[task.polices.rr]\nquantum = \"1ms\"",
        "4:7",
        Kind::UnknownKey,
        r#"task "x""#,
        r#"unknown key "polices""#,
        "did you mean `policies`?",
    ),
    case(
        "task = [1]",
        "2:9",
        Kind::WrongType,
        "task 1",
        "expected a table, found 1",
        "",
    ),
];

#[test]
fn names() {
    check(NAMES, Format::Toml, |text| format!("schema = 1\n{text}"));
}
