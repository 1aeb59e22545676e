//! What the emulated board is worth: how long an instruction takes, and for how long it can run.

use crate::common;

use common::has_qemu;
use flyball_board::{Machine, Options, Recording, run};
use flyball_catalogue::Edf;
use flyball_model::{Task, TaskSet};
use flyball_trace::{Duration, Event, Kind, TaskId, Time};
use std::ops::ControlFlow;

fn record(machine: Machine, task: Task, until: Duration) -> Recording {
    record_all(machine, vec![task], until)
}

fn record_all(machine: Machine, tasks: Vec<Task>, until: Duration) -> Recording {
    let set = TaskSet {
        tasks,
        ..TaskSet::default()
    };
    let options = Options {
        until,
        ..Options::of(&Edf)
    };
    run(machine, &set, &options, &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The times from the dispatch of each job, which nothing interrupts, to its completion.
fn runs(recording: &Recording) -> Vec<Duration> {
    let mut runs = Vec::new();
    let mut began = Time::ZERO;
    for event in &recording.events {
        match event.kind {
            Kind::Dispatch { .. } => began = event.time,
            Kind::Complete { .. } => runs.push(event.time.since(began)),
            _ => {}
        }
    }
    runs
}

/// A job computes for as long as it says, however fast the board is, and the kernel's work takes as
/// many times longer as an instruction does.
#[test]
fn computations_take_as_long_on_a_slower_board() {
    if !has_qemu() {
        return;
    }
    let ns = Duration::from_nanos;
    for length in [1_250_000, 777_777] {
        let mut worked = Vec::new();
        for machine in [Machine::CortexM3, Machine::CortexM3At62, Machine::Lm3s6965] {
            let task = Task::periodic("a", Duration::from_millis(5), ns(length));
            let recording = record(machine, task, Duration::from_millis(99));
            let runs = runs(&recording);
            assert_eq!(runs.len(), 20, "{}", machine.name());
            for run in runs {
                let more = run.as_nanos().checked_sub(length);
                let more = more.unwrap_or_else(|| panic!("{}: only {run}", machine.name()));
                // The way from the dispatch to the job, where its thread starts at first, and from
                // its end into the kernel.
                let instructions = more / machine.instruction().as_nanos();
                assert!(instructions < 1_200, "{}: {run}", machine.name());
                worked.push((machine, more));
            }
        }
        let mean = |of: Machine| {
            let all = worked.iter().filter(|(machine, _)| *machine == of);
            all.map(|(_, more)| more).sum::<u64>() / 20
        };
        let (fast, slow) = (mean(Machine::CortexM3), mean(Machine::CortexM3At62));
        assert!(
            (fast * 14..fast * 18).contains(&slow),
            "{fast} ns and {slow} ns"
        );
    }
}

/// Each job is released on time, but for what the timer takes. Returns how many there are.
fn releases(recording: &Recording, period: Duration) -> u32 {
    let mut released = 0;
    for event in &recording.events {
        if let Kind::Release { job, .. } = event.kind {
            released += 1;
            assert_eq!(job, released);
            let late = event.time.since(Time::ZERO + period * u64::from(job - 1));
            assert!(
                late < Duration::from_micros(1),
                "job {job} is released {late} late"
            );
        }
    }
    released
}

/// The counters of the boards have 32 bits. They go round several times, while nothing happens for
/// long, and all releases are on time.
#[test]
fn a_run_is_longer_than_its_counter() {
    if !has_qemu() {
        return;
    }
    let (s, until) = (Duration::from_secs, Duration::from_secs(1_000));
    for machine in [Machine::CortexM3, Machine::Lm3s6965, Machine::Riscv] {
        for period in [s(7), s(190)] {
            let task = Task::periodic("a", period, Duration::from_millis(1));
            let recording = record(machine, task, until);
            assert_eq!(recording.length(), until, "{}", machine.name());
            let jobs = 1_000_u64.div_ceil(period.as_nanos() / 1_000_000_000);
            assert_eq!(u64::from(releases(&recording, period)), jobs);
            let completed = runs(&recording).len() as u64;
            assert_eq!(completed, jobs, "{}", machine.name());
        }
    }
}

/// More events than the board has memory for, and none is lost. The host takes the trace in no
/// time.
#[test]
fn a_long_schedule_is_whole() {
    /// What fits into 12 MB.
    const MEMORY: usize = (12 << 20) / 24;
    if !has_qemu() {
        return;
    }
    let us = Duration::from_micros;
    let until = Duration::from_secs(3);
    let recording = record(Machine::CortexM3, Task::periodic("a", us(10), us(1)), until);
    assert_eq!(recording.dropped, 0);
    assert_eq!(recording.length(), until);
    assert!(recording.events.len() > 2 * MEMORY);
    assert!(recording.events.is_sorted_by_key(|event| event.time));
    assert_eq!(releases(&recording, us(10)), 300_000);
}

/// A board that hands over its trace every 512 events loses some 80 instructions by that, wherever
/// in a job it happens: no job takes longer than another by more than that and a tick of 20 ns.
#[test]
fn a_trace_that_is_handed_over_often_takes_no_time() {
    /// What fits into the board's buffer.
    const MEMORY: usize = 512;
    if !has_qemu() {
        return;
    }
    let us = Duration::from_micros;
    let until = Duration::from_millis(200);
    let often = Task::periodic("a", us(10), us(1));
    // Five events a job of the other one, so that the 512th is now this and now that.
    let long = Task::periodic("b", Duration::from_secs(1), Duration::from_millis(500));
    let recording = record_all(Machine::Lm3s6965, vec![often, long], until);
    assert_eq!(recording.dropped, 0);
    assert_eq!(recording.length(), until);
    assert!(recording.events.len() > 100 * MEMORY);
    assert!(recording.events.is_sorted_by_key(|event| event.time));
    let mut lengths = Vec::new();
    let mut released = Time::ZERO;
    let is_often = |event: &&Event| event.kind.task() == Some(TaskId(0));
    for event in recording.events.iter().filter(is_often) {
        match event.kind {
            Kind::Release { .. } => released = event.time,
            Kind::Complete { .. } => lengths.push(event.time.since(released).as_nanos()),
            _ => {}
        }
    }
    assert_eq!(lengths.len(), 20_000);
    // In the first one a thread begins.
    let (least, most) = (lengths[1..].iter().min(), lengths[1..].iter().max());
    let apart = most.zip(least).map(|(most, least)| most - least);
    assert!(apart.is_some_and(|apart| apart <= 100), "{apart:?} ns");
}
