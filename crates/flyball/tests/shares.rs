//! I+PI in overload on the emulated board: the CPU is divided by share times importance, whatever
//! the kernel's work takes.

use crate::common;

use common::has_qemu;
use flyball_board::{Machine, run};
use flyball_measure::{Measured, Measurement};
use flyball_model::random::Random;
use flyball_model::{Format, TaskSet, read_str};
use flyball_study::Registry;
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Kind};
use std::fmt::Write;
use std::ops::ControlFlow;

/// How long each set runs.
const UNTIL: Duration = Duration::from_secs(2);

/// How much of all CPU time more or less a task may have had than it should.
const PRECISION: f64 = 1e-5;

/// Three to seven tasks that never have enough, and what share of the CPU each is to get.
fn overload(seed: u64) -> (TaskSet, Vec<f64>) {
    let mut random = Random::new(seed, 0);
    let mut number = |least: u64, most: u64| {
        let length = Duration::from_nanos;
        random.uniform(length(least), length(most)).as_nanos()
    };
    let nominal = number(500, 6_000);
    let mut text = format!(
        "schema = 1\n[policies.ipi]\nnominal = \"{nominal}us\"\nshortest = \"0s\"\nlongest = \"1s\"\n"
    );
    let mut weights = Vec::new();
    let tasks = number(3, 7);
    for task in 0..tasks {
        // Together they ask for more than there is.
        let share = number(40, 90);
        let importance = number(1, 5);
        let part = number(100, 3_000);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nname = \"t{task}\"\nshare = 0.{share:02}\nimportance = {importance}\n\
             behaviour = [{{ repeat = \"forever\", do = [{{ compute = \"{part}us\" }}] }}]\n"
        );
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        weights.push((share * importance) as f64);
    }
    let whole: f64 = weights.iter().sum();
    let set = read_str(&text, Format::Toml, "overload.toml")
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    (set, weights.iter().map(|weight| weight / whole).collect())
}

/// Which part of the CPU time that tasks had in whole rounds, each of them had: the first task's
/// turn begins a round.
fn parts(trace: &Trace) -> Vec<f64> {
    let mut times = vec![Duration::ZERO; trace.header.tasks.len()];
    let mut whole_rounds = times.clone();
    let mut running = None;
    for event in &trace.events {
        match event.kind {
            Kind::Dispatch { task, .. } => {
                if task.index() == 0 {
                    whole_rounds.clone_from(&times);
                }
                running = Some((task, event.time));
            }
            Kind::Preempt { .. } => {
                if let Some((task, since)) = running.take() {
                    times[task.index()] += event.time.since(since);
                }
            }
            _ => {}
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "some seconds")]
    let times = whole_rounds.iter().map(|time| time.as_nanos() as f64);
    let whole: f64 = times.clone().sum();
    times.map(|time| time / whole).collect()
}

#[test]
fn tasks_get_their_shares() {
    if !has_qemu() {
        return;
    }
    let registry = Registry::standard();
    for machine in [Machine::CortexM3, Machine::CortexM3At62] {
        for seed in 1..=12 {
            let (set, expected) = overload(seed);
            let file = "overload.toml";
            let measurement =
                Measurement::new(&registry, "ipi", file, set, Some(UNTIL), UNTIL, None)
                    .expect("it fits the policy");
            let options = flyball::board_options(&measurement, seed);
            let mut watch = |_| ControlFlow::Continue(());
            let recording = run(machine, measurement.set(), &options, &mut watch)
                .unwrap_or_else(|error| panic!("{error}"));
            let measured = Measured {
                events: &recording.events,
                end: recording.end,
                dropped: recording.dropped,
            };
            let side = measurement
                .beside(&measured, seed)
                .expect("it can be simulated");
            for trace in [&side.simulated, &side.measured] {
                for (task, (had, expected)) in parts(trace).iter().zip(&expected).enumerate() {
                    let name = machine.name();
                    assert!(
                        (had - expected).abs() < PRECISION,
                        "{name}, seed {seed}, task {task}: {had}, not {expected}"
                    );
                }
            }
        }
    }
}
