//! Task sets that change while they run, on the emulated board and in the simulation: the same
//! events in the same order.
//!
//! Some are made by hand, for what happens at the edges; the others are random (`SOAK=10` takes ten
//! times as many). Of these, those are left out whose order depends on what the kernel's work
//! costs: they are simulated with half of it and with twice as much.

use crate::common;

use common::has_qemu;
use flyball_board::{BoardError, Machine};
use flyball_measure::costs::Kernel;
use flyball_model::random::Random;
use flyball_model::{
    Arrival, Cost, Length, Mutex, OnMiss, Overheads, Protocol, Queue, Semaphore, Step, Task,
    TaskSet,
};
use flyball_reproduce::hartstone::workload::tasks;
use flyball_reproduce::hartstone::{Contender, Setup, Test};
use flyball_sim::{Modes, Options};
use flyball_study::compare::{Comparison, compare};
use flyball_study::{Recorder, Registry};
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
        // Every other one at an instant at which a job is released.
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
    measured_on(Machine::CortexM3, policy, modes, until)
}

fn measured_on(machine: Machine, policy: &str, modes: &Modes, until: Duration) -> Trace {
    use flyball_trace::Sink;
    let registry = Registry::standard();
    let entry = registry.find(policy).unwrap();
    let values = entry.values("changing", modes.all()).unwrap();
    let scheduler = entry.written(&values, modes.all()).unwrap();
    let options = flyball_board::Options {
        until,
        cluster: 1,
        ..flyball_board::Options::of(&*scheduler)
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let recording = flyball_board::run_modes(machine, modes, &options, &mut go_on).unwrap();
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
    let soak: Option<u64> = std::env::var("SOAK").ok().and_then(|n| n.parse().ok());
    let sets = SETS * soak.unwrap_or(1);
    while compared < sets {
        seed += 1;
        let modes = changing(seed);
        let simulate = |halves| simulated(policy, &modes, overheads(halves), UNTIL);
        let simulation = simulate(2);
        let is_settled = [1, 4].map(|halves| compare(&simulation, &simulate(halves), 1));
        if !is_settled.iter().all(Comparison::is_same_order) {
            left_out += 1;
            assert!(left_out <= 10 * sets, "{policy}: {compared} compared");
            continue;
        }
        let machine = measured(policy, &modes, UNTIL);
        let found = compare(&simulation, &machine, 1);
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

/// On both machines: the same events in the same order, to the end.
fn assert_same(what: &str, policy: &str, modes: &Modes, until: Duration) {
    for (machine, kernel) in [
        (Machine::CortexM3, Kernel::CORTEX_M3),
        (Machine::CortexM3At62, Kernel::CORTEX_M3_62),
    ] {
        let simulation = simulated(policy, modes, kernel.overheads(policy), until);
        let measured = measured_on(machine, policy, modes, until);
        let found = compare(&simulation, &measured, 1);
        let name = machine.name();
        if let Some(difference) = found.difference {
            let (simulated, measured) = (difference.simulated, difference.measured);
            panic!("{what}, {name}: simulated {simulated}\n     measured {measured}");
        }
        let [simulated, released] = [&simulation, &measured].map(|trace| {
            let releases = trace.events.iter().filter_map(|event| match event.kind {
                Kind::Release { deadline, .. } => Some(deadline),
                _ => None,
            });
            releases.collect::<Vec<_>>()
        });
        assert_eq!(simulated, released, "{what}, {name}: to the nanosecond");
        for is in [
            |kind: &Kind| matches!(kind, Kind::Start { .. }),
            |kind: &Kind| matches!(kind, Kind::Exit { .. }),
            |kind: &Kind| matches!(kind, Kind::Complete { .. }),
        ] {
            assert_eq!(
                count(&simulation, is),
                count(&measured, is),
                "{what}, {name}"
            );
        }
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn of(tasks: Vec<Task>) -> Modes {
    let resource = |name: &str| name.to_owned();
    Modes::from(TaskSet {
        name: "changing".to_owned(),
        tasks,
        mutexes: vec![Mutex {
            name: resource("mutex"),
            protocol: Protocol::Inherit,
        }],
        semaphores: vec![Semaphore {
            name: resource("semaphore"),
            initial: 0,
        }],
        queues: vec![Queue {
            name: resource("queue"),
            capacity: 1,
            gauge: None,
        }],
        ..TaskSet::default()
    })
}

fn does(name: &str, period: u64, behaviour: Vec<Step>) -> Task {
    Task {
        behaviour,
        ..Task::periodic(name, ms(period), ms(1))
    }
}

fn compute(ms: u64) -> Step {
    Step::Compute(Length::Fixed(Duration::from_millis(ms)))
}

/// A task that ends may own a mutex, and leaves it to the task that waits for it; a task that waits
/// itself ends afterwards, if ever.
#[test]
fn who_ends_may_own_something_or_wait() {
    if !has_qemu() {
        return;
    }
    let owner = does("owner", 20, vec![Step::Lock(0), compute(1)]);
    let waiter = does(
        "waiter",
        50,
        vec![compute(2), Step::Lock(0), compute(1), Step::Unlock(0)],
    );
    let modes = of(vec![owner, waiter.clone()]).then(ms(35), vec![waiter]);
    assert_same("owner", "edf", &modes, ms(200));

    let reader = does("reader", 20, vec![compute(1), Step::Receive(0), compute(1)]);
    let taker = does("taker", 30, vec![compute(1), Step::Wait(0), compute(1)]);
    let sender = does(
        "sender",
        40,
        vec![compute(2), Step::Send(0), Step::Signal(0)],
    );
    let modes = of(vec![reader.clone(), taker, sender.clone()])
        .then(ms(25), vec![sender])
        .then(ms(90), vec![reader]);
    assert_same("reader", "edf", &modes, ms(200));
}

/// At the first instant and at the last one, at the same instant and at that of a release or just
/// behind it: there are no half changes.
#[test]
fn changes_come_at_any_instant() {
    if !has_qemu() {
        return;
    }
    let a = |wcet| Task::periodic("a", ms(10), ms(wcet));
    let b = Task::periodic("b", ms(15), ms(2));
    let us = Duration::from_micros;
    for at in [
        ms(0),
        us(1),
        us(5),
        us(20),
        ms(40),
        ms(40) + us(1),
        ms(40) + us(12),
        ms(60),
        ms(100),
    ] {
        let modes = of(vec![a(1), b.clone()]).then(at, vec![a(3)]);
        assert_same(&format!("at {at}"), "rm", &modes, ms(100));
    }
    for at in [ms(0), ms(40), ms(45), ms(60), ms(100)] {
        let modes = of(vec![a(1)])
            .then(at, vec![a(2), b.clone()])
            .then(at, vec![a(3), b.clone()]);
        assert_same(&format!("twice at {at}"), "rm", &modes, ms(100));
    }
}

#[test]
fn who_is_gone_or_always_late_changes_there_as_here() {
    if !has_qemu() {
        return;
    }
    let other = Task::periodic("other", ms(7), ms(1));
    let once = |on_miss, wcet, importance| Task {
        arrival: Arrival::Once,
        on_miss,
        importance: Some(importance),
        ..Task::periodic("once", ms(10), ms(wcet))
    };
    for (on_miss, wcet) in [(OnMiss::Continue, 2), (OnMiss::Abort, 20)] {
        let modes = of(vec![once(on_miss, wcet, 1), other.clone()])
            .then(ms(50), vec![once(on_miss, wcet, 2), other.clone()])
            .then(ms(60), vec![other.clone()]);
        assert_same("once", "edf", &modes, ms(100));
    }
    let late = |lengths: [u64; 2]| Task {
        on_miss: OnMiss::Abort,
        behaviour: lengths
            .map(|n| {
                Step::Compute(Length::Uniform {
                    min: ms(n),
                    max: ms(n + 1),
                })
            })
            .into(),
        ..Task::periodic("late", ms(10), ms(20))
    };
    for end in [vec![other.clone()], vec![late([1, 2]), other.clone()]] {
        let modes = of(vec![late([3, 9]), other.clone()])
            .then(ms(35), vec![late([2, 9]), other.clone()])
            .then(ms(75), end);
        assert_same("late", "edf", &modes, ms(150));
    }
}

/// As many as the board holds, one after the other; and one more, even though others have ended by
/// then.
#[test]
fn as_many_begin_as_there_is_room_for() {
    if !has_qemu() {
        return;
    }
    let task = |n: u64| Task::periodic(n.to_string(), ms(40), ms(1));
    let with = |many: u64| {
        (1..many).fold(of(vec![task(0)]), |modes, n| {
            modes.then(ms(5 * n), vec![task(n - 1), task(n)])
        })
    };
    let most = Machine::CortexM3.limits().tasks as u64;
    assert_same("many", "edf", &with(most), ms(300));
    let options = flyball_board::Options {
        until: ms(300),
        ..flyball_board::Options::of(&flyball_catalogue::Edf)
    };
    let mut go_on = |_| ControlFlow::Continue(());
    let more = flyball_board::run_modes(Machine::CortexM3, &with(most + 1), &options, &mut go_on);
    assert!(matches!(more, Err(BoardError::TooMany { .. })), "{more:?}");
}

/// Hartstone's tests 2 and 3: simulation with what the kernel is known to spend says which job
/// misses its deadline first. (In test 1 the CPU comes to be asked for exactly all of its time, in
/// test 4 tasks come that are released together; where a hair decides it may be an iteration before
/// or after.)
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
