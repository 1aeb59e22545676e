//! Random sets whose jobs wait for each other, on the emulated board and in the simulation: the
//! same events in the same order, and jobs complete at nearly the same instants.
//!
//! Where the schedules of a set part there is a [reason](flyball_study::compare::Parting), which is checked;
//! such sets are counted, and they are the fewer ones. `SOAK=1` takes 30 sets each, `SOAK=10` ten times as
//! many. `POLICIES=pd2,pf` takes only these policies.
//!
//! | to find | look in |
//! |---|---|
//! | which policies are compared, and on which sets | [`catalogue`] |
//! | the sets | [`sets`] |
//! | jobs that messages and signals release | [`events`] |
//! | jobs that are released with jitter | [`jitter`] |
//! | by how much instants may differ | [`margin`] |

mod catalogue;
use crate::common;
mod events;
mod jitter;
mod margin;
mod pipelines;
mod sets;

use common::{has_qemu, has_riscv};
use flyball_board::Machine;
use flyball_measure::{Measured, Measurement};
use flyball_model::{Format, TaskSet, read_str};
use flyball_study::compare::is_compared;
use flyball_study::{Registry, SideBySide, Theory};
use flyball_trace::{CpuId, Duration, Event, Kind, TaskId};
use sets::{eight_cpus, four_cpus_with_affinities, handed_over};
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;

/// What is compared.
#[derive(Clone, Copy)]
struct Case<'a> {
    policy: &'a str,
    machine: Machine,
    /// The set of a number.
    set: fn(u64) -> String,
    /// How many sets.
    sets: u64,
    /// How long each runs.
    until: Duration,
}

impl Case<'_> {
    /// Several CPUs, which wait for each other at the kernel's lock where they share one; that the
    /// simulation does not know.
    fn several_cpus(policy: &str, set: fn(u64) -> String, few: u64) -> Case<'_> {
        Case {
            policy,
            machine: Machine::Riscv,
            set,
            sets: count(few),
            until: Duration::from_millis(60),
        }
    }
}

/// What has been seen.
#[derive(Default, Debug)]
struct Tally {
    /// Sets that are scheduled as in their simulation.
    compared: u64,
    /// Those of them that are so where the simulation follows each entry of the machine's kernel.
    followed: u64,
    /// Sets whose schedules part.
    parted: u64,
    /// Those that part for no reason, or whose jobs are done at other times: which, and how.
    wrong: Vec<String>,
    events: usize,
    /// Sets in which a task waits for a mutex, semaphore or queue.
    blocking: u64,
    inheriting: u64,
    missing: u64,
    /// Sets in which a time slice is over.
    slices: u64,
    /// Sets in which a job goes on on another CPU than the one it was preempted on.
    migrating: u64,
    /// Sets in which a message or a signal releases a job.
    released: u64,
}

/// A set on the board, and its simulation with the overheads that were measured there.
fn run(case: &Case<'_>, registry: &Registry, set: TaskSet, seed: u64) -> SideBySide {
    let (file, until) = ("random.toml", Some(case.until));
    let measurement = Measurement::new(registry, case.policy, file, set, until, case.until, None)
        .expect("a random set fits every policy");
    let options = flyball::board_options(&measurement, seed);
    let mut watch = |_| ControlFlow::Continue(());
    let recording = flyball_board::run(case.machine, measurement.set(), &options, &mut watch)
        .unwrap_or_else(|error| {
            let text = flyball_model::to_toml(measurement.set());
            panic!("{}, seed {seed}: {error}\n{text}", case.policy)
        });
    let measured = Measured {
        events: &recording.events,
        end: recording.end,
        dropped: recording.dropped,
    };
    measurement
        .beside(&measured, seed)
        .expect("a random set can be simulated")
}

/// Whether both schedules are the same, but for small differences in time.
///
/// # Errors
/// How they differ.
fn same(side: &SideBySide) -> Result<(), String> {
    let found = &side.comparison;
    if let Some(difference) = found.difference {
        let (simulated, measured) = (difference.simulated, difference.measured);
        return Err(format!("simulated {simulated}\n     measured {measured}"));
    }
    // Neither goes on for much longer than the other: what happens at the very end may be in one
    // only.
    for trace in [&side.simulated, &side.measured] {
        let events = trace.events.iter().filter(|event| is_compared(event));
        let events = events.count();
        if found.agree + 8 < events {
            return Err(format!("{} of {events} events", found.agree));
        }
    }
    let is_late = found.notable() > 0 && !margin::adds_up(side);
    if is_late || found.completions.iter().all(|task| task.jobs == 0) {
        return Err(format!("{:?}", found.completions));
    }
    Ok(())
}

/// Compares the case's sets. Where a set's schedules part there has to be a reason.
///
/// # Panics
/// If a set is not scheduled as in its simulation for another reason.
fn differential(case: &Case<'_>) -> Tally {
    let tally = tally(case);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    tally
}

/// The same, where the sets that are scheduled otherwise are [listed](Tally::wrong).
fn tally(case: &Case<'_>) -> Tally {
    let policy = case.policy;
    let mut tally = Tally::default();
    let has_it = match case.machine {
        Machine::Riscv => has_riscv(),
        Machine::CortexM3 | Machine::CortexM3At62 | Machine::Lm3s6965 => has_qemu(),
    };
    if !has_it {
        return tally;
    }
    let registry = Registry::standard();
    let entry = registry.find(policy).expect("it is one of ours");
    for seed in 1..=case.sets {
        let mut text = (case.set)(seed);
        let has_quantum = entry.settings().iter().any(|known| known.name == "quantum");
        if has_quantum && !matches!(entry.theory, Theory::Fair) {
            let settings = format!("schema = 1\n{}", sets::quantum(policy, seed));
            text = text.replacen("schema = 1\n", &settings, 1);
        }
        if entry.settings().iter().any(|known| known.name == "window") {
            let settings = format!("schema = 1\n{}", sets::window(policy, seed));
            text = text.replacen("schema = 1\n", &settings, 1);
        }
        let mut of_tasks = entry.task_settings().iter();
        if of_tasks.any(|known| known.name == "quantum") {
            text = sets::time_slices(policy, seed, &text);
        }
        if entry.reads().iter().any(|read| read.key == "group") {
            text = sets::groups(seed, &text);
        }
        let side = run(case, &registry, read(&text), seed);
        let of = format!("{policy}, seed {seed}");
        if side.comparison.is_same_order() {
            if let Err(why) = same(&side) {
                tally.wrong.push(format!("{of}: {why}\n{text}"));
            }
            tally.count(&side);
        } else if side.is_same_order() {
            tally.followed += 1;
            tally.count(&side);
        } else {
            let found = &side.comparison;
            let reason = side.reason;
            eprintln!("{of}: {reason:?} {:?} {:?}", found.difference, found.hair);
            if reason.is_none() {
                let difference = found.difference;
                let why = format!("{of} parts, for no reason: {difference:?}\n{text}");
                tally.wrong.push(why);
            }
            tally.parted += 1;
            tally.events += found.agree;
        }
    }
    eprintln!("{policy}: {tally}");
    assert!(tally.events as u64 >= case.sets * 50, "{policy}: {tally:?}");
    tally
}

/// How many sets there are where a quick test takes `few`: `SOAK=n` takes 30 n.
fn count(few: u64) -> u64 {
    let soak = std::env::var("SOAK")
        .ok()
        .and_then(|n| n.parse::<u64>().ok());
    soak.map_or(few, |soak| 30 * soak)
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = self.compared + self.parted;
        let (same, followed) = (self.compared, self.followed);
        let (parted, wrong) = (self.parted, self.wrong.len());
        write!(
            f,
            "{sets} sets, {same} the same, {followed} of them entry by entry, {parted} part, {wrong} wrong"
        )
    }
}

impl Tally {
    fn count(&mut self, side: &SideBySide) {
        let any = |is: fn(&Kind) -> bool| {
            let events = side.measured.events.iter();
            u64::from(events.map(|event| event.kind).any(|kind| is(&kind)))
        };
        self.compared += 1;
        self.events += side.agree();
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
        self.released += any(|kind| matches!(kind, Kind::Arrive { by: Some(_), .. }));
        self.slices += any(|kind| matches!(kind, Kind::BurstEnd { .. }));
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

/// Jobs run on any CPU that they may have. A job may be told to go to a CPU while it still runs on
/// another, which has to let it go first.
#[test]
fn tasks_with_affinities_agree() {
    for policy in ["g-edf", "g-fp"] {
        let tally = differential(&Case::several_cpus(policy, four_cpus_with_affinities, 6));
        assert!(tally.parted <= tally.compared, "{tally:?}");
        assert!(tally.migrating * 2 >= tally.compared, "{tally:?}");
    }
}

/// Mutexes that tasks on eight CPUs share, and wait for most of the time. In most sets two calls on
/// different CPUs come within a few microseconds of each other sooner or later, and the schedules
/// part there: that each of them parts by such a hair is what is tested.
#[test]
fn mutexes_on_eight_cpus_agree_but_for_hairs() {
    for policy in ["g-edf", "g-fp"] {
        let case = Case {
            until: Duration::from_millis(40),
            ..Case::several_cpus(policy, eight_cpus, 4)
        };
        let tally = differential(&case);
        assert!(
            tally.blocking + tally.parted >= case.sets / 2 || tally.compared == 0,
            "{tally:?}"
        );
    }
}

/// A CPU that has to wait for a task which still runs on another is told when that one has let it
/// go.
#[test]
fn a_cpu_waits_for_a_task_that_another_lets_go() {
    if !has_riscv() {
        return;
    }
    let case = Case::several_cpus("g-edf", handed_over, 1);
    let side = run(&case, &Registry::standard(), read(&handed_over(0)), 0);
    same(&side).expect("it is handed over");
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
