//! Random sets whose jobs wait for each other, on the emulated board and in the simulation: the same
//! events in the same order, and jobs complete at nearly the same instants.
//!
//! Left out are sets whose order is not [settled](margin); they are counted, and they are the fewer
//! ones. `SOAK=10` takes ten times as many sets.

#[path = "../common/mod.rs"]
mod common;
mod margin;
mod sets;

use common::has_qemu;
use flyball_lab::{Entry, Measured, Measurement, Registry, SideBySide};
use flyball_model::{Format, Overheads, TaskSet, read_str};
use flyball_sim::Options;
use flyball_target::Machine;
use flyball_trace::{Duration, Event, Kind};
use margin::is_settled;
use sets::random_set;
use std::ops::ControlFlow;

/// How long each set runs.
const UNTIL: Duration = Duration::from_millis(61);

/// How many sets are compared under each policy.
const SETS: u64 = 50;

/// What has been seen.
#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    left_out: u64,
    events: usize,
    /// Sets in which somebody waits for a mutex, semaphore or queue.
    blocking: u64,
    inheriting: u64,
    missing: u64,
    /// Sets in which a turn is over and somebody else takes over.
    turns: u64,
}

/// A set on the board, and its simulation with the overheads that were measured there.
fn run(entry: &Entry, registry: &Registry, set: &TaskSet, seed: u64) -> SideBySide {
    let (file, until) = ("random.toml", Some(UNTIL));
    let measurement = Measurement::new(registry, entry.name, file, set.clone(), until, UNTIL)
        .expect("a random set fits every policy");
    let options = flyball_target::Options {
        policy: measurement.policy(),
        settings: measurement.settings(),
        until: measurement.until(),
        seed,
        cluster: measurement.cluster(),
    };
    let mut watch = |_| ControlFlow::Continue(());
    let recording = flyball_target::run(Machine::CortexM3, measurement.set(), &options, &mut watch)
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
    fn seen(entry: &Entry, registry: &Registry, set: &TaskSet) -> Board {
        let side = run(entry, registry, set, 0);
        let values = entry.values("random.toml", set).expect("it has a quantum");
        Board {
            overheads: side.overheads,
            quantum: values.quantum().zip(side.quantum),
        }
    }
}

/// Whether the order of a set is settled, if the kernel's work takes about as long as it did before.
fn is_fair(entry: &Entry, set: &TaskSet, board: &Board, seed: u64) -> bool {
    let mut set = set.clone();
    set.platform.overheads = board.overheads.clone();
    let mut values = entry.values("random.toml", &set).expect("it has a quantum");
    if let (Some(quantum), Some((meant, was))) = (values.quantum(), board.quantum) {
        values = values.with_quantum((quantum + was).saturating_sub(meant));
    }
    let options = Options {
        until: UNTIL,
        stop_at_miss: false,
        seed,
    };
    is_settled(entry, &values, &set, &options)
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

fn differential(policy: &str) -> Tally {
    let mut tally = Tally::default();
    if !has_qemu() {
        return tally;
    }
    let soak: Option<u64> = std::env::var("SOAK").ok().and_then(|n| n.parse().ok());
    let sets = SETS * soak.unwrap_or(1);
    let registry = Registry::standard();
    let entry = registry.find(policy).expect("it is one of ours");
    // What the kernel spends today is not for a test to know.
    let first = read(&random_set(0));
    let board = Board::seen(entry, &registry, &first);
    let mut seed = 0;
    while tally.compared < sets {
        seed += 1;
        let text = random_set(seed);
        let set = read(&text);
        if !is_fair(entry, &set, &board, seed) {
            tally.left_out += 1;
            assert!(tally.left_out <= sets, "{tally:?}");
            continue;
        }
        let side = run(entry, &registry, &set, seed);
        assert_same(&side, &format!("{policy}, seed {seed}:\n{text}\n"));
        tally.count(&side);
    }
    eprintln!("{policy}: {tally:?}");
    // Four out of seven are taken at least, and most of these have what the test is about.
    assert!(tally.left_out * 4 <= tally.compared * 3, "{tally:?}");
    assert!(tally.blocking * 5 >= tally.compared * 3, "{tally:?}");
    assert!(tally.missing > 0, "{tally:?}");
    assert!(tally.events as u64 >= tally.compared * 100, "{tally:?}");
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
    }
}

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "random.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Priorities make tasks wait for less urgent ones that hold a mutex, and these inherit.
fn with_inheritance(policy: &str) {
    let tally = differential(policy);
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

#[test]
fn round_robin() {
    let tally = differential("rr");
    assert!(tally.turns * 2 >= tally.compared, "{tally:?}");
}

/// Each burst is computed from times that were measured, so the board's and the simulation's differ by
/// some tenths of a microsecond; what is settled, comes in the same order all the same.
#[test]
fn i_plus_pi() {
    let tally = differential("ipi");
    assert!(tally.turns * 2 >= tally.compared, "{tally:?}");
}
