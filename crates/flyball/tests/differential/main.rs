//! Random sets whose jobs wait for each other, on the emulated board and in the simulation: the same
//! events in the same order, and jobs complete at nearly the same instants.
//!
//! Left out are sets whose order is not [settled](margin); they are counted, and they are the fewer
//! ones. `SOAK=10` takes ten times as many sets.

#[path = "../common/mod.rs"]
mod common;
mod margin;
mod sets;

use common::{has_qemu, has_riscv};
use flyball_board::Machine;
use flyball_lab::{Entry, Measured, Measurement, Registry, SideBySide};
use flyball_model::{Format, Overheads, TaskSet, read_str};
use flyball_sim::Options;
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId};
use margin::is_settled;
use sets::{
    five_halves, four_cpus, four_cpus_with_affinities, four_times_one_cpu, handed_over, random_set,
};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// What is compared.
#[derive(Clone, Copy)]
struct Case {
    policy: &'static str,
    machine: Machine,
    /// The set of a number.
    set: fn(u64) -> String,
    /// How many sets.
    sets: u64,
    /// How long each runs.
    until: Duration,
    /// By how much the simulation may be off in each passage.
    doubt: Duration,
}

impl Case {
    /// One CPU.
    fn board(policy: &'static str) -> Case {
        Case {
            policy,
            machine: Machine::CortexM3,
            set: random_set,
            sets: 50,
            until: Duration::from_millis(61),
            doubt: Duration::from_micros(1),
        }
    }

    /// Four CPUs, which wait for each other at the kernel's lock where they share one; that the
    /// simulation does not know.
    fn four_cpus(policy: &'static str, set: fn(u64) -> String) -> Case {
        Case {
            policy,
            machine: Machine::Riscv,
            set,
            sets: 30,
            until: Duration::from_millis(100),
            doubt: Duration::from_micros(4),
        }
    }
}

/// What has been seen.
#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    left_out: u64,
    /// Of these, those of which it was seen only when they had run.
    hairs: u64,
    events: usize,
    /// Sets in which somebody waits for a mutex, semaphore or queue.
    blocking: u64,
    inheriting: u64,
    missing: u64,
    /// Sets in which a turn is over and somebody else takes over.
    turns: u64,
    /// Sets in which a job goes on on another CPU than the one it was preempted on.
    migrating: u64,
}

/// A set on the board, and its simulation with the overheads that were measured there.
fn run(case: &Case, registry: &Registry, set: &TaskSet, seed: u64) -> SideBySide {
    let (file, until) = ("random.toml", Some(case.until));
    let measurement = Measurement::new(
        registry,
        case.policy,
        file,
        set.clone(),
        until,
        case.until,
        None,
    )
    .expect("a random set fits every policy");
    let options = flyball::board_options(&measurement, seed);
    let mut watch = |_| ControlFlow::Continue(());
    let recording = flyball_board::run(case.machine, measurement.set(), &options, &mut watch)
        .unwrap_or_else(|error| panic!("{error}"));
    let measured = Measured {
        events: &recording.events,
        end: recording.end,
        dropped: recording.dropped,
    };
    measurement
        .beside(&measured, seed)
        .expect("a random set can be simulated")
}

/// What the board's kernel does to time, as one set has shown.
struct Board {
    overheads: Overheads,
    /// How long a turn was meant to be, and was.
    quantum: Option<(Duration, Duration)>,
}

impl Board {
    fn seen(case: &Case, entry: &Entry, registry: &Registry, set: &TaskSet) -> Board {
        let side = run(case, registry, set, 0);
        let values = entry.values("random.toml", set).expect("it has a quantum");
        Board {
            overheads: side.overheads,
            quantum: values.quantum().zip(side.quantum),
        }
    }
}

/// Whether the order of a set is settled, if the kernel's work takes about as long as it did before.
fn is_fair(case: &Case, entry: &Entry, set: &TaskSet, board: &Board, seed: u64) -> bool {
    let mut set = set.clone();
    set.platform.overheads = board.overheads.clone();
    let mut values = entry.values("random.toml", &set).expect("it has a quantum");
    if let (Some(quantum), Some((meant, was))) = (values.quantum(), board.quantum) {
        values = values.with_quantum((quantum + was).saturating_sub(meant));
    }
    let options = Options {
        until: case.until,
        stop_at_miss: false,
        seed,
    };
    is_settled(entry, &values, &set, &options, case.doubt)
}

/// Whether the schedules part where a turn ends just when a job is released: turns add up, so after some
/// hundred of them nobody knows which comes first.
fn hangs_by_a_hair(side: &SideBySide, doubt: Duration) -> bool {
    side.comparison.difference.is_some_and(|difference| {
        let (here, there) = (difference.simulated, difference.measured);
        let apart = here.time.since(there.time).max(there.time.since(here.time));
        let one = |event: &Event| matches!(event.kind, Kind::Release { .. });
        let other = |event: &Event| matches!(event.kind, Kind::BurstEnd { .. });
        apart < doubt && (one(&here) && other(&there) || other(&here) && one(&there))
    })
}

fn assert_same(side: &SideBySide, of: &str) {
    let found = &side.comparison;
    if let Some(difference) = found.difference {
        let (simulated, measured) = (difference.simulated, difference.measured);
        panic!("{of}: simulated {simulated}\n     measured {measured}");
    }
    // Neither goes on for much longer than the other: what happens at the very end may be in one only.
    for trace in [&side.simulated, &side.measured] {
        let compared = |event: &&Event| {
            !matches!(
                event.kind,
                Kind::Overhead { .. } | Kind::Tick | Kind::Start { .. }
            )
        };
        let events = trace.events.iter().filter(compared).count();
        assert!(found.agree + 8 >= events, "{of}: {events} events");
    }
    assert!(found.completions.iter().any(|task| task.jobs > 0), "{of}");
    assert_eq!(found.notable(), 0, "{of}: {:?}", found.completions);
}

fn differential(case: &Case) -> Tally {
    let policy = case.policy;
    let mut tally = Tally::default();
    let has_it = match case.machine {
        Machine::Riscv => has_riscv(),
        Machine::CortexM3 | Machine::CortexM3At62 | Machine::Lm3s6965 => has_qemu(),
    };
    if !has_it {
        return tally;
    }
    let soak: Option<u64> = std::env::var("SOAK").ok().and_then(|n| n.parse().ok());
    let sets = case.sets * soak.unwrap_or(1);
    let registry = Registry::standard();
    let entry = registry.find(policy).expect("it is one of ours");
    // What the kernel spends today is not for a test to know.
    let first = read(&(case.set)(0));
    let board = Board::seen(case, entry, &registry, &first);
    let mut seed = 0;
    while tally.compared < sets {
        seed += 1;
        let text = (case.set)(seed);
        let set = read(&text);
        if !is_fair(case, entry, &set, &board, seed) {
            tally.left_out += 1;
            assert!(tally.left_out <= sets, "{tally:?}");
            continue;
        }
        let side = run(case, &registry, &set, seed);
        if hangs_by_a_hair(&side, case.doubt) {
            tally.left_out += 1;
            tally.hairs += 1;
            assert!(tally.hairs <= 2, "{tally:?}");
            continue;
        }
        assert_same(&side, &format!("{policy}, seed {seed}:\n{text}\n"));
        tally.count(&side);
    }
    eprintln!("{policy}: {tally:?}");
    // Half are taken at least.
    assert!(tally.left_out <= tally.compared, "{tally:?}");
    assert!(tally.events as u64 >= tally.compared * 100, "{tally:?}");
    tally
}

/// One CPU, and jobs that wait for each other.
fn on_board(policy: &'static str) -> Tally {
    let tally = differential(&Case::board(policy));
    assert!(tally.missing > 0, "{tally:?}");
    assert!(tally.left_out * 4 <= tally.compared * 3, "{tally:?}");
    assert!(tally.blocking * 5 >= tally.compared * 3, "{tally:?}");
    tally
}

impl Tally {
    fn count(&mut self, side: &SideBySide) {
        let any = |is: fn(&Kind) -> bool| {
            let events = side.measured.events.iter();
            u64::from(events.map(|event| event.kind).any(|kind| is(&kind)))
        };
        self.compared += 1;
        self.events += side.comparison.agree;
        self.blocking += any(|kind| {
            use flyball_trace::Object::{Mutex, Queue, Semaphore};
            matches!(
                kind,
                Kind::Block {
                    on: Mutex(_) | Semaphore(_) | Queue(_),
                    ..
                }
            )
        });
        self.inheriting += any(|kind| matches!(kind, Kind::Inherit { from: Some(_), .. }));
        self.missing += any(|kind| matches!(kind, Kind::Miss { .. }));
        self.turns += any(|kind| matches!(kind, Kind::BurstEnd { .. }));
        let mut last = HashMap::new();
        let mut migrates = |event: &Event| match event.kind {
            Kind::Dispatch { task, job } => last
                .insert((task, job), event.cpu)
                .is_some_and(|cpu| cpu != event.cpu),
            _ => false,
        };
        self.migrating += u64::from(side.measured.events.iter().any(&mut migrates));
    }
}

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "random.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Priorities make tasks wait for less urgent ones that hold a mutex, and these inherit.
fn with_inheritance(policy: &'static str) {
    let tally = on_board(policy);
    assert!(tally.inheriting * 20 >= tally.compared, "{tally:?}");
}

#[test]
fn fixed_priorities() {
    with_inheritance("fp");
}

#[test]
fn rate_monotonic() {
    with_inheritance("rm");
}

#[test]
fn deadline_monotonic() {
    with_inheritance("dm");
}

#[test]
fn earliest_deadline_first() {
    with_inheritance("edf");
}

/// All jobs run where there is room.
#[test]
fn global_edf_on_four_cpus() {
    let tally = differential(&Case::four_cpus("g-edf", four_cpus));
    assert!(tally.missing > 0, "{tally:?}");
    assert!(tally.migrating * 2 >= tally.compared, "{tally:?}");
    assert!(tally.inheriting * 20 >= tally.compared, "{tally:?}");
}

#[test]
fn global_fixed_priorities_on_four_cpus() {
    let tally = differential(&Case::four_cpus("g-fp", four_cpus));
    assert!(tally.missing > 0, "{tally:?}");
    assert!(tally.migrating * 2 >= tally.compared, "{tally:?}");
}

/// Jobs run on any CPU that they may have. A job may be told to go to a CPU while it still runs on another,
/// which has to let it go first.
fn with_affinities(policy: &'static str, sets: u64) {
    let case = Case {
        sets,
        ..Case::four_cpus(policy, four_cpus_with_affinities)
    };
    let tally = differential(&case);
    assert!(tally.missing > 0, "{tally:?}");
    assert!(tally.migrating * 2 >= tally.compared, "{tally:?}");
}

#[test]
fn global_edf_with_affinities() {
    with_affinities("g-edf", 30);
}

#[test]
fn global_fixed_priorities_with_affinities() {
    with_affinities("g-fp", 15);
}

/// A CPU that has to wait for a task which still runs on another is told when that one has let it go.
#[test]
fn a_cpu_waits_for_a_task_that_another_lets_go() {
    if !has_riscv() {
        return;
    }
    let case = Case::four_cpus("g-edf", handed_over);
    let side = run(&case, &Registry::standard(), &read(&handed_over(0)), 0);
    assert_same(&side, "handed over");
    let mut events = side.measured.events.iter();
    let mut next = |is: &dyn Fn(&Event) -> bool| {
        let found = events.find(|event| is(event));
        found.unwrap_or_else(|| panic!("{:?}", side.measured.events))
    };
    next(&|event| matches!(event.kind, Kind::Release { task: id, .. } if id == TaskId(3)));
    let idle = next(&|event| event.cpu == CpuId(1) && event.kind == Kind::Idle);
    let leaves =
        next(&|event| matches!(event.kind, Kind::Preempt { task: id, .. } if id == TaskId(1)));
    let goes_on =
        next(&|event| matches!(event.kind, Kind::Dispatch { task: id, .. } if id == TaskId(1)));
    assert_eq!((leaves.cpu, goes_on.cpu), (CpuId(2), CpuId(1)));
    // By an interrupt, and not by whatever happens next anyway.
    assert!(goes_on.time.since(idle.time) < Duration::from_micros(10));
}

/// Each CPU has its own tasks, and its own kernel.
#[test]
fn partitioned_edf_on_four_cpus() {
    let tally = differential(&Case::four_cpus("edf", four_times_one_cpu));
    assert!(tally.missing > 0, "{tally:?}");
    assert_eq!(tally.migrating, 0, "{tally:?}");
}

/// Each CPU has its own kernel, and some jobs go from one to another, by messages.
fn split(policy: &'static str) {
    let tally = differential(&Case::four_cpus(policy, five_halves));
    assert_eq!(tally.missing, 0, "{tally:?}");
    // A job that is done early enough does not come to its second part.
    assert!(tally.migrating * 10 >= tally.compared * 9, "{tally:?}");
}

#[test]
fn windows_on_four_cpus() {
    split("edf-wm");
}

#[test]
fn no_slack_on_four_cpus() {
    split("c=d");
}

#[test]
fn round_robin() {
    let tally = on_board("rr");
    assert!(tally.turns * 2 >= tally.compared, "{tally:?}");
}

/// Each burst is computed from times that were measured, so the board's and the simulation's differ by
/// some tenths of a microsecond; what is settled, comes in the same order all the same.
#[test]
fn i_plus_pi() {
    let tally = on_board("ipi");
    assert!(tally.turns * 2 >= tally.compared, "{tally:?}");
}
