//! By how much critical sections of other tasks hurt a server, as notes say, against simulation.

use crate::common;

use flyball_model::random::Random;
use flyball_model::{Arrival, Length, Mutex, Protocol, Settings, Step, Task, TaskSet, Value};
use flyball_study::note::{AboutPolicy, Harm, Note, Shared};
use flyball_study::results::PolicyReport;
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::{Duration, Kind, Object, Time};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What a study says of mutexes under a policy, and the rest of its report.
fn studied(set: &TaskSet, policy: &str) -> (Vec<Shared>, PolicyReport) {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(ms(3_000)),
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let study = study(
        &Registry::standard(),
        "set",
        set.clone(),
        &options,
        &mut watch,
    );
    let mut study = study.unwrap();
    let shared = study.notes.into_iter().filter_map(|note| match note {
        Note::Policies(_, AboutPolicy::Shares(shared)) => Some(shared),
        _ => None,
    });
    (shared.collect(), study.policies.remove(0))
}

/// With a setting of a policy.
fn with(mut set: TaskSet, policy: &str, setting: &str, value: Value) -> TaskSet {
    let settings: &mut Settings = set.policies.entry(policy.to_owned()).or_default();
    settings.values.insert(setting.to_owned(), value.into());
    set
}

/// With hard servers under `cbs`.
fn hard(set: TaskSet) -> TaskSet {
    with(set, "cbs", "mode", Value::Text("hard".to_owned()))
}

/// Draws whole numbers.
struct Draw(Random);

impl Draw {
    fn up_to(&mut self, from: u64, to: u64) -> u64 {
        let [from, to] = [from, to].map(Duration::from_nanos);
        self.0.uniform(from, to).as_nanos()
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.up_to(1, many) == 1
    }

    /// Computes for up to so long.
    fn compute(&mut self, most: u64) -> Step {
        let max = self.up_to(1, most);
        if self.one_in(2) {
            return Step::Compute(Length::Fixed(ms(max)));
        }
        let (min, max) = (ms(self.up_to(0, max)), ms(max));
        Step::Compute(Length::Uniform { min, max })
    }

    fn section(&mut self, mutex: u16, most: u64) -> [Step; 3] {
        [Step::Lock(mutex), self.compute(most), Step::Unlock(mutex)]
    }
}

/// Up to six tasks, each of which has up to two sections of mutexes that one other task uses, and may have a
/// task in the background as that other one. `pads`: what each declares beyond what it computes. Some that use
/// no mutex compute for more than they declare.
fn pairs(draw: &mut Draw, protocol: Protocol) -> TaskSet {
    // As many servers as there are.
    let mut set = with(
        TaskSet::default(),
        "sched-deadline",
        "limit",
        Value::Integer(0),
    );
    for number in 0..draw.up_to(2, 5) {
        let period = [40, 50, 80, 100, 200][usize::try_from(draw.up_to(0, 4)).unwrap()];
        let mut task = Task::periodic(format!("t{number}"), ms(period), ms(1));
        task.phase = ms(draw.up_to(0, period));
        task.behaviour = vec![Step::Compute(Length::Fixed(ms(1)))];
        if draw.one_in(3) {
            let gap = Length::Uniform {
                min: ms(period),
                max: ms(2 * period),
            };
            task.arrival = Arrival::Sporadic {
                separation: ms(period),
                gap,
            };
        }
        set.tasks.push(task);
    }
    let tasks = u64::try_from(set.tasks.len()).unwrap();
    for mutex in 0..u16::try_from(draw.up_to(1, 3)).unwrap() {
        let name = format!("m{mutex}");
        set.mutexes.push(Mutex { name, protocol });
        let first = draw.up_to(0, tasks - 1);
        let second = (first + draw.up_to(1, tasks - 1)) % tasks;
        for task in [first, second] {
            let section = draw.section(mutex, 5);
            let task = &mut set.tasks[usize::try_from(task).unwrap()];
            if draw.one_in(4) {
                let (times, body) = (Some(2), section.into());
                task.behaviour.push(Step::Repeat { times, body });
            } else {
                task.behaviour.extend(section);
            }
        }
    }
    set
}

/// What the steps of a task add up to, with so much more declared than computed.
fn declare(task: &mut Task, more: Duration) {
    let whole = flyball_model::behaviour::demand(&task.behaviour).unwrap();
    task.wcet = whole.compute + more;
    if let Some(Step::Compute(Length::Fixed(actual))) = task.behaviour.first().cloned() {
        task.behaviour[0] = Step::Overrun {
            declared: Length::Fixed(actual + more),
            actual: Length::Fixed(actual),
        };
    }
}

/// A task that computes for three times what it declares.
fn hog(draw: &mut Draw) -> Task {
    let (period, wcet) = (draw.up_to(20, 60), draw.up_to(1, 5));
    let mut hog = Task::periodic("hog", ms(period), ms(wcet));
    let [declared, actual] = [wcet, 3 * wcet].map(|length| Length::Fixed(ms(length)));
    hog.behaviour = vec![Step::Overrun { declared, actual }];
    hog
}

/// Budget ÷ deadline of all servers, in millionths, rounded up.
fn density(set: &TaskSet) -> u64 {
    let part = |task: &Task| {
        let deadline = task.deadline.or(task.arrival.period()).unwrap();
        (task.wcet.as_nanos() * 1_000_000).div_ceil(deadline.as_nanos())
    };
    set.tasks.iter().map(part).sum()
}

/// The set with as much more declared of each task as the notes say that others use of its budget, in
/// percent.
fn padded(set: &TaskSet, percent: u64) -> TaskSet {
    let mut padded = set.clone();
    let (shared, _) = studied(set, "cbs");
    for task in &mut padded.tasks {
        let of_others = shared.iter().filter(|it| it.task == task.name).map(|it| {
            let Harm::Budget {
                section: Some(section),
                is_once: true,
                pauses: false,
            } = it.harm
            else {
                panic!("two tasks use it: {it:?}");
            };
            section * it.locks.unwrap()
        });
        let of_others: Duration = of_others.sum();
        declare(
            task,
            Duration::from_nanos(of_others.as_nanos() * percent / 100),
        );
    }
    padded
}

/// A server whose budget has room for what the notes say is enough for its task, beside tasks that
/// compute for more than they declare; one with less room is not.
#[test]
fn budgets_with_room_for_the_sections_of_others_are_enough() {
    let (mut held, mut late, mut late_with_less) = (0, 0, 0);
    for seed in 0..common::config(150).cases {
        let mut draw = Draw(Random::new(0x1c, seed.into()));
        let mut set = pairs(&mut draw, Protocol::Inherit);
        if draw.one_in(2) {
            set.tasks.push(hog(&mut draw));
        }
        let whole = padded(&set, 100);
        if density(&whole) > 1_000_000 {
            continue;
        }
        let without = padded(&set, 0);
        for (set, without) in [
            (whole.clone(), without.clone()),
            (hard(whole), hard(without)),
        ] {
            for policy in ["cbs", "sched-deadline", "grub", "iris", "bids"] {
                let (_, report) = studied(&set, policy);
                for task in &report.tasks {
                    if task.name == "hog" {
                        late += task.measured.misses;
                        continue;
                    }
                    held += 1;
                    assert_eq!(task.measured.misses, 0, "{seed}, {policy}, {}", task.name);
                }
            }
            let (_, report) = studied(&without, "cbs");
            let others = report.tasks.iter().filter(|task| task.name != "hog");
            late_with_less += others.map(|task| task.measured.misses).sum::<u64>();
        }
    }
    assert!(
        held > 500 && late > 500 && late_with_less > 100,
        "{held} {late} {late_with_less}"
    );
}

/// How long each wait of each task for each mutex took, by their names.
fn waits(set: &TaskSet, report: &PolicyReport) -> Vec<(String, String, Duration)> {
    let mut since: BTreeMap<usize, Time> = BTreeMap::new();
    let mut found = Vec::new();
    assert_eq!(report.trace.header.dropped, 0);
    for event in &report.trace.events {
        match event.kind {
            Kind::Block {
                task,
                on: Object::Mutex(_),
                ..
            } => {
                since.insert(task.index(), event.time);
            }
            Kind::Lock { task, mutex } => {
                if let Some(since) = since.remove(&task.index()) {
                    let mutex = &set.mutexes[usize::from(mutex)].name;
                    let task = &set.tasks[task.index()].name;
                    found.push((task.clone(), mutex.clone(), event.time.since(since)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Without inheritance a task waits for no longer than the notes say, while others compute for more than they
/// declare, and in some schedules for almost as long.
#[test]
fn waits_without_inheritance_are_bounded_by_the_owners_server() {
    let policies = [
        "cbs",
        "sched-deadline",
        "iris",
        "polling",
        "deferrable",
        "sporadic",
    ];
    let mut bounded = [0; 6];
    let mut nearest = [0; 6];
    for seed in 0..common::config(150).cases {
        let mut draw = Draw(Random::new(0x1d, seed.into()));
        let mut set = pairs(&mut draw, Protocol::None);
        for task in &mut set.tasks {
            // The first step computes for longer than it declares, or what follows does.
            declare(task, Duration::ZERO);
            let less = Duration::from_nanos(task.wcet.as_nanos() * draw.up_to(3, 10) / 10);
            task.wcet = less.max(Duration::from_millis(1));
            if let Some(Step::Overrun { declared, .. }) = task.behaviour.first_mut() {
                *declared = Length::Fixed(ms(1));
            }
        }
        set.tasks.push(hog(&mut draw));
        if draw.one_in(2) {
            // The CPU never idles.
            let mut endless = Task::periodic("endless", ms(1), ms(9_000));
            (endless.arrival, endless.deadline) = (Arrival::Once, None);
            set.tasks.push(endless);
        }
        let set = hard(set);
        for (number, policy) in policies.into_iter().enumerate() {
            let (shared, report) = studied(&set, policy);
            for (task, mutex, wait) in waits(&set, &report) {
                let of = |it: &&Shared| (&*it.task, &*it.mutex) == (&*task, &*mutex);
                let Some(Harm::Wait { longest }) = shared.iter().find(of).map(|it| it.harm) else {
                    panic!("{seed}, {policy}: {shared:?}");
                };
                let Some(longest) = longest else { continue };
                assert!(
                    wait <= longest,
                    "{seed}, {policy}: {task}, {mutex}: {wait}, {longest}"
                );
                bounded[number] += 1;
                let part = wait.as_nanos() * 100 / longest.as_nanos();
                nearest[number] = part.max(nearest[number]);
            }
        }
    }
    assert!(
        bounded.iter().all(|&many| many > 200) && nearest.iter().all(|&part| part > 40),
        "{bounded:?} {nearest:?}"
    );
}
