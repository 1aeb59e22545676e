//! Servers, and the tasks that run in them.

use super::{Case, case, check};
use flyball_model::{Format, Kind};

/// Keys of a server, one a line; the first one is line 7.
const KEYS: &[Case] = &[
    case(
        "period = \"10ms\"",
        "5:1",
        Kind::Missing,
        "server 1",
        "missing key `budget`",
        "add `budget = …`, how much CPU time its tasks get in a period",
    ),
    case(
        "budget = \"0\"\nperiod = \"10ms\"",
        "7:10",
        Kind::Inconsistent,
        "server 1: budget",
        "a server without a budget would never run",
        "write a time above zero",
    ),
    case(
        "budget = \"11ms\"\nperiod = \"10ms\"",
        "7:10",
        Kind::Inconsistent,
        "server 1: budget",
        "the budget, 11ms, is above the period, 10ms",
        "lower it, or raise `period`",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\ndeadline = \"5ms\"",
        "7:10",
        Kind::Inconsistent,
        "server 1: budget",
        "the budget, 6ms, is above the deadline, 5ms",
        "lower it, or raise `deadline`",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\ndeadline = \"11ms\"",
        "9:12",
        Kind::Inconsistent,
        "server 1: deadline",
        "the deadline, 11ms, is above the period, 10ms",
        "lower it, or leave it out: then it is the period",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\nmode = \"firm\"",
        "9:8",
        Kind::UnknownName,
        "server 1: mode",
        "expected \"hard\" or \"soft\", found \"firm\"",
        "",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\nalpha = 1000.5",
        "9:9",
        Kind::OutOfRange,
        "server 1: alpha",
        "expected a number of periods from 0 to 1000, such as 0.5, found 1000.5",
        "it may have six digits behind the point",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\nalpha = -1",
        "9:9",
        Kind::OutOfRange,
        "server 1: alpha",
        "expected a number of periods from 0 to 1000, such as 0.5, found -1",
        "it may have six digits behind the point",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\nalpha = \"much\"",
        "9:9",
        Kind::WrongType,
        "server 1: alpha",
        "expected a number of periods from 0 to 1000, such as 0.5, found \"much\"",
        "it may have six digits behind the point",
    ),
    case(
        "budget = \"6ms\"\nperiod = \"10ms\"\ncpu = 2",
        "9:7",
        Kind::OutOfRange,
        "server 1: cpu",
        "there is no CPU 2: the platform has CPUs 0 to 1",
        "raise `cpus` of `[platform]` to at least 3",
    ),
];

#[test]
fn keys() {
    check(KEYS, Format::Toml, |keys| {
        let task = "[[task]]\nname = \"nav\"\nperiod = \"10ms\"\nwcet = \"1ms\"\n";
        let head = "schema = 1\n[platform]\ncpus = 2\n\n[[server]]\nname = \"video\"\n";
        format!("{head}{keys}\n\n{task}")
    });
}

/// Tasks beside a server on CPU 1 and one that has none; the first line is line 17.
const TASKS: &[Case] = &[
    case(
        "server = \"vidoe\"",
        "17:10",
        Kind::UnknownName,
        "task \"nav\": server",
        "there is no server \"vidoe\"",
        "did you mean \"video\"?",
    ),
    case(
        "server = \"bus\"",
        "17:10",
        Kind::WrongType,
        "task \"nav\": server",
        "\"bus\" is a mutex, and this needs a server",
        "name one that is declared with `[[server]]`",
    ),
    case(
        "server = \"video\"\ncpu = 0",
        "17:10",
        Kind::Inconsistent,
        "task \"nav\": server",
        "the server is on CPU 1, where the task may not run",
        "put all tasks of a server on one CPU",
    ),
    case(
        "server = \"audio\"\ncpu = 0\n[[task]]\nname = \"x\"\nperiod = \"1s\"\nwcet = \"1ms\"\ncpus = [1]\nserver = \"audio\"",
        "24:10",
        Kind::Inconsistent,
        "task \"x\": server",
        "task \"nav\" is on CPU 0, where the task may not run",
        "put all tasks of a server on one CPU",
    ),
];

#[test]
fn tasks() {
    check(TASKS, Format::Toml, |task| {
        let head = "schema = 1\nplatform.cpus = 2\nmutex = [{ name = \"bus\" }]\n[[server]]\n\
                    name = \"video\"\nbudget = \"1ms\"\nperiod = \"9ms\"\ncpu = 1\n\
                    [[server]]\nname = \"audio\"\nbudget = \"1ms\"\nperiod = \"9ms\"\n\
                    [[task]]\nname = \"nav\"\nperiod = \"10ms\"\nwcet = \"1ms\"\n";
        format!("{head}{task}\n")
    });
}
