//! The supervisor of several CPUs on an emulated machine, where it is a thread of the real kernel,
//! beside the simulation of the same scenarios.

use flyball_board::Machine;
use flyball_measure::bench::{
    Bench, BenchError, RunResult, SUPERVISOR, Stage, SupervisedTrial, Trial,
};
use flyball_policy::i_plus_pi::{Fraction, Round};
use flyball_policy::supervisor::{Observation, Settings};
use flyball_report::reproduction::{self, Verdict};
use flyball_reproduce::multicore_shares::{Actor, Does, Sample, Scenario, SharesOverTime};
use flyball_reproduce::{Setup, Size, miosix};
use flyball_trace::Duration;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};

/// The emulated machine, which boots for each trial.
struct Riscv;

impl Bench for Riscv {
    fn machine(&self) -> Option<reproduction::Machine> {
        Some(reproduction::Machine {
            name: Machine::Riscv.name().to_owned(),
            title: Machine::Riscv.title().to_owned(),
        })
    }

    fn has(&self, policy: &str) -> bool {
        policy == SUPERVISOR || Machine::Riscv.policies().any(|name| name == policy)
    }

    fn longest(&self) -> Duration {
        Machine::Riscv.limits().time
    }

    fn begin(&mut self, _: Stage) -> Result<(), BenchError> {
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), BenchError> {
        Ok(())
    }

    fn run(&mut self, _: &Trial) -> Result<RunResult, BenchError> {
        unreachable!("all trials here have a supervisor")
    }

    fn supervise(
        &mut self,
        trial: &SupervisedTrial,
        see: &mut dyn FnMut(Observation),
    ) -> Result<(), BenchError> {
        let seen = flyball_board::supervise(
            Machine::Riscv,
            &trial.set,
            &trial.scheduler,
            (&trial.plan, &trial.changes),
            trial.until(),
            &mut |_| ControlFlow::Continue(()),
        );
        let seen = seen.map_err(|error| BenchError::Machine(Box::new(error)))?;
        seen.into_iter().for_each(see);
        Ok(())
    }
}

/// Whether there is an emulator. Where there has to be one, its absence is a failure.
fn has_riscv() -> bool {
    let mut emulator = Command::new("qemu-system-riscv64");
    let version = emulator.arg("--version").stdout(Stdio::null()).status();
    let mut compiler = Command::new("rustc");
    compiler.args(["--target", "riscv64gc-unknown-none-elf"]);
    let libraries = compiler.args(["--print", "target-libdir"]).output();
    let has_target = libraries
        .is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir());
    let found = version.is_ok_and(|status| status.success()) && has_target;
    let required = std::env::var_os("FLYBALL_REQUIRE_QEMU").is_some();
    assert!(
        found || !required,
        "there is no emulator, or no Rust for it"
    );
    found
}

fn boot(scenario: &Scenario) -> SharesOverTime {
    scenario
        .run(&mut Riscv)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The share of a task is measured over so many periods, the last ones.
const WINDOW: usize = 40;

/// The samples of a task in the window.
fn window(out: &SharesOverTime, task: usize) -> impl Iterator<Item = Sample> {
    let from = out.migrations.len() - WINDOW;
    let samples = out.tasks[task][from..].iter();
    samples.map(|sample| sample.expect("it was there"))
}

/// By how much a task's error over the window can differ from zero, in millionths of a CPU, where
/// the set points of each CPU add up to what it has: what the control law says.
///
/// A task gets σ of its CPU in every round of I+PI. A period of length T that cuts a round at its
/// ends has up to a burst b = σR more or less of it, which disturbs the deficit: D' = (1 − g)D + n
/// with |n| ≤ b/(T − R), as a period on a machine is short by at most a round. So |D| ≤ |n|/g, and
/// the error over N periods, which is the difference of two deficits over N, is at most 2|n|/gN.
/// All of that holds for the simulation as well. On a machine the supervisor has a place in the
/// round, with a share of 5 %, which it needs once a period; all tasks lack their parts of that.
fn bound(scenario: &Scenario, out: &SharesOverTime, task: usize) -> i64 {
    const NOMINAL: i64 = 4_000;
    const ONE: i64 = 1_000_000;
    let tasks = out.tasks.len();
    let last = out.migrations.len() - 1;
    let cpu = |task: usize| out.tasks[task][last].map(|sample| sample.cpu);
    let neighbours = (0..tasks).filter(|&other| cpu(other) == cpu(task)).count();
    // The supervisor may be one, too. Times are in microseconds.
    let round = |members: usize| NOMINAL * (i64::try_from(members).unwrap() + 1);
    let period = i64::try_from(scenario.period.as_nanos() / 1_000).unwrap();
    let set_point = window(out, task).map(|sample| sample.set_point).max();
    let set_point = set_point.unwrap();
    let burst = set_point * round(neighbours) / ONE;
    let disturbance = burst * ONE / (period - round(neighbours));
    let gain = |x: i64| x * (1 << 24) / i64::from(scenario.supervisor.gain.bits());
    let first = (0..tasks).filter(|&task| cpu(task) == Some(0)).count();
    let supervisor = round(first) * 5 / 105 * ONE / period;
    let lacks = supervisor * set_point / (ONE * i64::from(scenario.cpus));
    2 * gain(disturbance) / i64::try_from(WINDOW).unwrap() + lacks
}

/// What a CPU has is divided: nothing more, and the kernel's work takes less than a hundredth, as
/// bursts are at least 200 µs long and an entry takes some 2 µs.
fn audit(scenario: &Scenario, out: &SharesOverTime) {
    assert_eq!(out.refused, 0);
    assert_eq!(out.migrations.len(), scenario.periods as usize);
    let most = u32::from(scenario.supervisor.moves);
    assert!(out.migrations.iter().all(|&moves| moves <= most));
    let whole = 1_000_000 * i64::from(scenario.cpus);
    for period in 1..out.migrations.len() {
        let samples = out.tasks.iter().filter_map(|task| task[period]);
        let set_points: i64 = samples.clone().map(|sample| sample.set_point).sum();
        assert!(
            (whole * 99 / 100..=whole).contains(&set_points),
            "{period}: {set_points}"
        );
        for cpu in 0..scenario.cpus {
            let here = samples.clone().filter(|sample| sample.cpu == cpu);
            let got: i64 = here.map(|sample| sample.got).sum();
            // Tasks are read one after the other, within 100 µs of 250 ms.
            assert!(got <= 1_000_400, "{period}: {got} on CPU {cpu}");
        }
    }
}

/// Whether a machine and the simulation agree on each task's set points and error.
fn compare(
    scenario: &Scenario,
    simulated: &SharesOverTime,
    booted: &SharesOverTime,
) -> Result<(), String> {
    let tasks = scenario.actors.len();
    let sum = |out: &SharesOverTime, period: usize| -> i64 {
        let samples = out.tasks.iter().filter_map(|task| task[period]);
        samples.map(|sample| sample.set_point).sum()
    };
    let from = booted.migrations.len() - WINDOW;
    for task in 0..tasks {
        let pairs = window(simulated, task).zip(window(booted, task));
        for (period, (ours, theirs)) in (from..).zip(pairs) {
            // Of what the kernels of the machine leave each task has the same part. Each number is
            // rounded down once to 2⁻²⁴ and once to millionths, and so are the terms of the sums.
            let (all, rest) = (sum(simulated, period), sum(booted, period));
            let expected = ours.set_point * rest / all;
            let rounding = 3 + i64::try_from(2 * tasks).unwrap();
            if (theirs.set_point - expected).abs() > rounding {
                let found = theirs.set_point;
                return Err(format!(
                    "task {task}, period {period}: set point {found}, not {expected}"
                ));
            }
        }
        let last = booted.migrations.len() - 1;
        let error = |out: &SharesOverTime| out.error(task, last, WINDOW).expect("it was there");
        let (ours, theirs) = (error(simulated), error(booted));
        let most = bound(scenario, simulated, task) + bound(scenario, booted, task);
        println!("task {task}: errors {ours} and {theirs}, which may differ by {most} millionths");
        if (ours - theirs).abs() > most {
            return Err(format!(
                "task {task}: errors {ours} and {theirs}, more than {most} apart"
            ));
        }
    }
    Ok(())
}

/// The same scenario, simulated and booted: half, 30 and 20 % for each of two CPUs, all on the
/// first one at the beginning.
#[test]
fn a_machine_does_what_is_simulated() {
    if !has_riscv() {
        return;
    }
    let tasks = [50, 30, 20, 50, 30, 20].map(|percent| Actor::steady(percent, 0));
    let scenario = Scenario::new(2, tasks.to_vec(), 60);
    let simulated = scenario.simulate().unwrap();
    let booted = boot(&scenario);
    audit(&scenario, &booted);
    compare(&scenario, &simulated, &booted).unwrap();
    // A machine that does not move tasks is noticed.
    let mut fixed = scenario.clone();
    fixed.supervisor.moves = 0;
    let difference = compare(&scenario, &simulated, &boot(&fixed));
    assert!(difference.is_err());
}

/// Four CPUs and as many tasks as have to be exchanged until they are where they belong.
#[test]
fn four_cpus_of_a_machine_are_divided() {
    if !has_riscv() {
        return;
    }
    let tasks = [50, 30, 20].repeat(4);
    let tasks = tasks.into_iter().map(|percent| Actor::steady(percent, 0));
    let scenario = Scenario::new(4, tasks.collect(), 64);
    let booted = boot(&scenario);
    audit(&scenario, &booted);
    assert!(booted.migrations.iter().sum::<u32>() >= 9);
    compare(&scenario, &scenario.simulate().unwrap(), &booted).unwrap();
}

/// Threads that run, wait and are ready are moved thousands of times, up to eight in 20 ms, and
/// none is lost on the way.
#[test]
fn moved_threads_go_on() {
    if !has_riscv() {
        return;
    }
    let tasks = [60, 20, 13].repeat(4);
    let tasks = tasks.into_iter().map(|percent| Actor::steady(percent, 0));
    let mut scenario = Scenario::new(4, tasks.collect(), 300);
    for actor in scenario.actors.iter_mut().skip(2).step_by(3) {
        actor.does = Does::Waits {
            computes: Duration::from_millis(3),
            waits: Duration::from_micros(300),
        };
    }
    scenario.period = Duration::from_millis(20);
    scenario.scheduler.round = Round::PerTask(Duration::from_micros(500));
    scenario.supervisor = Settings {
        hysteresis: Fraction::percent(1),
        dwell: 0,
        moves: 8,
        ..Settings::default()
    };
    let booted = boot(&scenario);
    assert_eq!(booted.refused, 0);
    let moves = booted.migrations.iter().sum::<u32>();
    assert!(moves > 1_000, "{moves}");
    let from = booted.migrations.len() - WINDOW;
    for (number, task) in booted.tasks.iter().enumerate() {
        let got = task[from..]
            .iter()
            .map(|sample| sample.map_or(0, |sample| sample.got));
        let got = got.sum::<i64>() / i64::try_from(WINDOW).unwrap();
        // Together they want 93 % of the machine, and so may have a little more.
        let Some(Sample { set_point, .. }) = task[from] else {
            panic!("task {number} is gone")
        };
        println!("task {number}: {got} of {set_point}");
        assert!(
            (got - set_point).abs() < set_point / 10,
            "{number}: {got} of {set_point}"
        );
    }
}

/// The experiment says on the machine what it says of the simulation: from the worst start, and
/// with tasks that come, leave, wait and change their minds.
#[test]
fn the_experiment_holds_on_a_machine() {
    if !has_riscv() {
        return;
    }
    assert!(
        miosix::multicore::PLAN
            .on_machine
            .iter()
            .all(|policy| Riscv.has(policy))
    );
    let mut setup = Setup {
        bench: &mut Riscv,
        data: None,
        size: Size::Short,
        keep: None,
        each_test: false,
        programs: None,
    };
    let experiment = (miosix::multicore::PLAN.run)(&mut setup).unwrap();
    assert_eq!(experiment.claims.len(), 6);
    for claim in &experiment.claims {
        println!("{}: {}", claim.text, claim.ours);
        assert!(claim.ours.contains("simulated"));
        assert_eq!(claim.verdict, Verdict::Holds, "{claim:?}");
    }
}
