//! Task sets that change while they run, on the emulated board and in the simulation: the same events
//! in the same order.
//!
//! Sets are random. Left out are those whose order depends on what the kernel's work costs: they are
//! simulated with half of it and with twice as much.

mod common;

use common::has_qemu;
use flyball_lab::costs::Kernel;
use flyball_lab::hartstone::workload::tasks;
use flyball_lab::hartstone::{Contender, Setup, Test};
use flyball_lab::{Recorder, Registry};
use flyball_model::random::Random;
use flyball_model::{Cost, OnMiss, Overheads, Task, TaskSet};
use flyball_report::compare::{Comparison, compare};
use flyball_sim::{Modes, Options};
use flyball_target::{Machine, Words};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Event, Kind};
use std::ops::ControlFlow;

const UNTIL: Duration = Duration::from_millis(200);

/// How many sets are compared under each policy.
const SETS: u64 = 8;

struct Numbers(Random);

impl Numbers {
    fn us(&mut self, least: u64, most: u64) -> Duration {
        let us = Duration::from_micros;
        self.0.uniform(us(least), us(most))
    }

    fn index(&mut self, below: u64) -> usize {
        let number = self
            .0
            .uniform(Duration::ZERO, Duration::from_nanos(below - 1));
        usize::try_from(number.as_nanos()).unwrap()
    }

    /// A task, which asks for a quarter of the CPU or so.
    fn task(&mut self, name: usize) -> Task {
        let choices = [
            OnMiss::Continue,
            OnMiss::Skip,
            OnMiss::Latest,
            OnMiss::Abort,
        ];
        let period = self.us(5_000, 20_000);
        let wcet = self.us(period.as_nanos() / 10_000, period.as_nanos() / 2_200);
        Task {
            // The same always for a name.
            on_miss: choices[name % 4],
            importance: Some(1),
            ..Task::periodic(name.to_string(), period, wcet)
        }
    }
}

/// Four tasks; at each change some become others, one may end, and one may begin.
fn changing(seed: u64) -> Modes {
    let mut numbers = Numbers(Random::new(seed, 1));
    let mut tasks: Vec<Task> = (0..4).map(|name| numbers.task(name)).collect();
    let mut modes = Modes::from(TaskSet {
        name: format!("changing {seed}"),
        tasks: tasks.clone(),
        ..TaskSet::default()
    });
    let mut name = 4;
    for change in 1..=3 {
        // Every other one at an instant at which somebody is released.
        let at = match seed % 2 {
            0 => {
                let period = tasks[0].arrival.period().unwrap();
                period * (change * UNTIL.as_nanos() / 4 / period.as_nanos()).max(1)
            }
            _ => Duration::from_millis(50) * change + numbers.us(0, 20_000),
        };
        for task in &mut tasks {
            if numbers.index(2) == 0 {
                *task = numbers.task(task.name.parse().unwrap());
            }
        }
        if numbers.index(2) == 0 && tasks.len() > 2 {
            tasks.remove(numbers.index(tasks.len() as u64));
        }
        if numbers.index(3) > 0 {
            tasks.push(numbers.task(name));
            name += 1;
        }
        modes = modes.then(at, tasks.clone());
    }
    modes
}

/// What the kernel's work costs on the board, or about so; in halves of it.
fn overheads(halves: u64) -> Overheads {
    let cost = |ns: u64| Cost::fixed(Duration::from_nanos(ns * halves / 2));
    Overheads {
        release: cost(610),
        call: cost(490),
        scheduling: cost(500),
        context_switch: cost(240),
        ..Overheads::default()
    }
}

fn simulated(policy: &str, modes: &Modes, overheads: Overheads, until: Duration) -> Trace {
    let registry = Registry::standard();
    let entry = registry.find(policy).unwrap();
    let modes = modes.clone().with_overheads(overheads);
    let values = entry.values("changing", modes.all()).unwrap();
    let mut recorder = Recorder::new(modes.all(), 1, policy, usize::MAX);
    let mut go_on = |_| ControlFlow::Continue(());
    let options = Options::until(until);
    let ran = entry.simulate_modes(&values, &modes, &options, &mut recorder, &mut go_on);
    recorder.finish(ran.unwrap().ended).1
}

fn measured(policy: &str, modes: &Modes, until: Duration) -> Trace {
    use flyball_trace::Sink;
    let registry = Registry::standard();
    let entry = registry.find(policy).unwrap();
    let values = entry.values("changing", modes.all()).unwrap();
    let settings: Words = entry.words(&values);
    let options = flyball_target::Options {
        policy: entry.name,
        settings,
        until,
        seed: 0,
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let recording =
        flyball_target::run_modes(Machine::CortexM3, modes, &options, &mut go_on).unwrap();
    assert_eq!((&recording.fault, recording.dropped), (&None, 0));
    let mut recorder = Recorder::new(modes.all(), 1, policy, usize::MAX);
    for &event in &recording.events {
        recorder.record(event);
    }
    recorder.finish(recording.end).1
}

fn count(trace: &Trace, is: fn(&Kind) -> bool) -> usize {
    trace.events.iter().filter(|event| is(&event.kind)).count()
}

fn differential(policy: &str) {
    if !has_qemu() {
        return;
    }
    let (mut seed, mut compared, mut left_out) = (0, 0, 0);
    let (mut ended, mut missed) = (0, 0);
    while compared < SETS {
        seed += 1;
        let modes = changing(seed);
        let simulate = |halves| simulated(policy, &modes, overheads(halves), UNTIL);
        let simulation = simulate(2);
        let is_settled = [1, 4].map(|halves| compare(&simulation, &simulate(halves)));
        if !is_settled.iter().all(Comparison::is_same_order) {
            left_out += 1;
            assert!(left_out <= 10 * SETS, "{policy}: {compared} compared");
            continue;
        }
        let machine = measured(policy, &modes, UNTIL);
        let found = compare(&simulation, &machine);
        if let Some(difference) = found.difference {
            let (simulated, measured) = (difference.simulated, difference.measured);
            panic!("{policy}, set {seed}: simulated {simulated}\n     measured {measured}");
        }
        // All that is new has begun, and as many have ended.
        for is in [
            |kind: &Kind| matches!(kind, Kind::Start { .. }),
            |kind: &Kind| matches!(kind, Kind::Exit { .. }),
        ] {
            assert_eq!(count(&simulation, is), count(&machine, is), "set {seed}");
        }
        ended += count(&machine, |kind| matches!(kind, Kind::Exit { .. }));
        missed += count(&machine, |kind| matches!(kind, Kind::Miss { .. }));
        compared += 1;
    }
    eprintln!("{policy}: {compared} compared, {left_out} left out; {ended} ended, {missed} misses");
    assert!(
        ended > 0 && missed > 0,
        "{policy}: {ended} ended, {missed} misses"
    );
}

#[test]
fn rate_monotonic() {
    differential("rm");
}

#[test]
fn earliest_deadline_first() {
    differential("edf");
}

#[test]
fn round_robin() {
    differential("rr");
}

#[test]
fn i_plus_pi() {
    differential("ipi");
}

/// Hartstone's tests 2 and 3: simulation with what the kernel is known to spend says which job misses its
/// deadline first. (In test 1 the CPU comes to be asked for exactly all of its time, in test 4 tasks come
/// that are released together; where a hair decides it may be an iteration before or after.)
#[test]
fn hartstone_misses_first_what_it_was_predicted_to_miss() {
    if !has_qemu() {
        return;
    }
    let seconds = Duration::from_secs;
    for contender in [
        Contender::rr(),
        Contender::ipi(Duration::from_micros(300)),
        Contender::ipi(Duration::from_millis(1)),
    ] {
        for test in [Test::Frequencies, Test::Workloads] {
            let setup = Setup::default();
            let mut modes = Modes::from(TaskSet {
                name: "Hartstone".to_owned(),
                tasks: tasks(test, 0, setup),
                ..TaskSet::default()
            });
            for iteration in 1..=14 {
                let start = seconds(u64::from(iteration) + 1);
                modes = modes.then(start, tasks(test, iteration, setup));
            }
            let policy = contender.policy;
            let modes = modes.with_settings(policy, &contender.settings);
            let until = seconds(16);
            let costs = Kernel::CORTEX_M3.overheads(policy);
            let [predicted, found] = [
                simulated(policy, &modes, costs, until),
                measured(policy, &modes, until),
            ]
            .map(|trace| {
                let misses = |event: &&Event| matches!(event.kind, Kind::Miss { .. });
                *trace.events.iter().find(misses).expect("somebody is late")
            });
            assert_eq!(predicted.kind, found.kind, "{contender}, {test:?}");
            let [early, late] = [predicted, found].map(|event| event.time);
            assert!(late.max(early).since(late.min(early)) < Duration::from_micros(2));
        }
    }
}
