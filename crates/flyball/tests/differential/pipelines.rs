//! Pipelines with sources and sinks, on machines and in the simulation.

use crate::differential::sets::Numbers;
use crate::differential::{Case, count, differential};
use flyball_board::Machine;
use flyball_trace::Duration;
use std::fmt::Write;

/// A source, two to four stages with queues between them, a sink, a task that tries a queue of its own with
/// another source and is released by the clock, and one that only computes. Of every third set messages
/// release the jobs of the first stage.
fn pipeline(seed: u64) -> String {
    pipeline_of(seed, seed.is_multiple_of(3))
}

/// The same, and messages release no jobs: of a task that may come every millisecond no share would be left.
fn endless_pipeline(seed: u64) -> String {
    pipeline_of(seed, false)
}

/// The same beside a server that a semaphore wakes, and of whose requests a gauge tells; another gauge that a device
/// lowers, and one that a device raises.
fn gauged_pipeline(seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 12);
    let [every, phase, raised] = [(); 3].map(|()| numbers.number(3_000_000, 9_000_000));
    let (capacity, by) = (numbers.number(2, 9), numbers.number(1, 3));
    let objects = format!(
        "[[source]]\ngauge = \"fed\"\nevery = \"{raised}ns\"\ncount = {by}\n\
         [[sink]]\ngauge = \"drawn\"\nevery = \"{every}ns\"\nphase = \"{phase}ns\"\n\
         [[semaphore]]\nname = \"some\"\n\
         [[gauge]]\nname = \"requests\"\ncapacity = {capacity}\nkind = \"backlog\"\n\
         [[gauge]]\nname = \"fed\"\ncapacity = {capacity}\nkind = \"backlog\"\n\
         [[gauge]]\nname = \"drawn\"\ncapacity = {capacity}\nkind = \"stock\"\n"
    );
    let tasks = format!(
        "[[task]]\nname = \"driver\"\nperiod = \"{every}ns\"\npriority = 19\n\
         behaviour = [{{ compute = \"60us\" }}, {{ raise = \"requests\", by = {by} }}, {{ signal = \"some\" }}]\n\
         [[task]]\nname = \"server\"\npriority = 3\n\
         behaviour = [{{ repeat = \"forever\", do = [{{ wait = \"some\" }}, {{ compute = \"400us\" }}, \
         {{ lower = \"requests\", by = {by} }}, {{ lower = \"fed\" }}, {{ raise = \"drawn\" }}] }}]\n"
    );
    endless_pipeline(seed).replacen("schema = 1\n", &format!("schema = 1\n{objects}"), 1) + &tasks
}

/// The same with a task that runs the controllers of reservations.
fn controlled_pipeline(seed: u64) -> String {
    let every = Numbers::new(seed, 11).number(3, 12);
    let settings = format!(
        "[policies.pp]\ncontroller = \"thread\"\ninterval = \"{every}ms\"\nstart = \"30ms\"\n"
    );
    let control = format!(
        "[[task]]\nname = \"control\"\nperiod = \"{every}ms\"\npriority = 21\n\
         behaviour = [{{ compute = \"100us\" }}, \"control\"]\n"
    );
    endless_pipeline(seed).replacen("schema = 1\n", &format!("schema = 1\n{settings}"), 1)
        + &control
}

fn pipeline_of(seed: u64, releases: bool) -> String {
    let mut numbers = Numbers::new(seed, 10);
    let stages = numbers.number(2, 4);
    let mut text = String::from("schema = 1\n");
    let every = numbers.number(4_000_000, 9_000_000);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "[[source]]\nqueue = \"q0\"\nevery = {{ uniform = [\"{every}ns\", \"{}ns\"] }}\ncount = {}\nphase = \"{}ns\"",
        every + numbers.number(1, 2_000_000),
        numbers.number(1, 3),
        numbers.number(0, 2_000_000),
    );
    let _ = writeln!(
        text,
        "[[source]]\nqueue = \"own\"\nevery = \"{}ns\"\n[[queue]]\nname = \"own\"\ncapacity = 2",
        numbers.number(3_000_000, 9_000_000),
    );
    let _ = writeln!(
        text,
        "[[sink]]\nqueue = \"q{stages}\"\nevery = \"{}ns\"\nphase = \"{}ns\"",
        numbers.number(1_000_000, 6_000_000),
        numbers.number(0, 9_000_000),
    );
    for queue in 0..=stages {
        let capacity = numbers.number(2, 9);
        let _ = writeln!(
            text,
            "[[queue]]\nname = \"q{queue}\"\ncapacity = {capacity}"
        );
    }
    for stage in 0..stages {
        let (compute, next) = (numbers.number(100_000, 700_000), stage + 1);
        let longer = compute + numbers.number(50_000, 400_000);
        let compute = format!("{{ cycle = [\"{compute}ns\", \"{longer}ns\"], every = \"17ms\" }}");
        let send = numbers.of(&["send", "try_send"]);
        let is_released = stage == 0 && releases;
        let steps = format!("{{ compute = {compute} }}, {{ {send} = \"q{next}\" }}");
        let body = if is_released {
            format!(
                "released_by = \"q0\"\nsporadic = \"1ms\"\ndeadline = \"50ms\"\nbehaviour = [{steps}]"
            )
        } else {
            format!(
                "behaviour = [{{ repeat = \"forever\", do = [{{ receive = \"q{stage}\" }}, {steps}] }}]"
            )
        };
        let priority = numbers.number(1, 20);
        let _ = writeln!(
            text,
            "[[task]]\nname = \"s{stage}\"\npriority = {priority}\n{body}"
        );
    }
    for (name, steps) in [
        (
            "tries",
            "{ try_receive = \"own\" }, { compute = \"300us\" }",
        ),
        ("computes", "{ compute = \"900us\" }"),
    ] {
        let (period, priority) = (numbers.number(4_000_000, 9_000_000), numbers.number(1, 20));
        let _ = writeln!(
            text,
            "[[task]]\nname = \"{name}\"\nperiod = \"{period}ns\"\npriority = {priority}\nbehaviour = [{steps}]"
        );
    }
    text
}

#[test]
fn pipelines_agree() {
    let board = |policy, machine| Case {
        policy,
        machine,
        set: pipeline,
        sets: count(5),
        until: Duration::from_millis(53),
    };
    let cases = [
        board("fp", Machine::CortexM3),
        board("fifo", Machine::CortexM3),
        board("fp", Machine::Riscv),
        Case {
            set: endless_pipeline,
            sets: count(15),
            ..board("pp", Machine::CortexM3)
        },
        Case {
            set: endless_pipeline,
            sets: count(15),
            ..board("pp", Machine::Riscv)
        },
        Case {
            set: gauged_pipeline,
            ..board("pp", Machine::CortexM3)
        },
        Case {
            set: gauged_pipeline,
            ..board("fp", Machine::Riscv)
        },
        Case {
            set: controlled_pipeline,
            ..board("pp", Machine::CortexM3)
        },
        Case {
            set: controlled_pipeline,
            ..board("pp", Machine::Riscv)
        },
    ];
    // Much happens, so some instants are microseconds apart.
    for case in cases {
        let tally = differential(&case);
        assert!(tally.blocking > 0, "{tally:?}");
        assert!(tally.parted * 5 <= case.sets, "{}: {tally}", case.policy);
    }
}
