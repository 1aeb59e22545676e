//! Servers that a set declares, against simulation: a task that has a bound keeps it, whatever others do.

use crate::common;

use flyball_model::random::Random;
use flyball_model::{
    Arrival, Length, Location, Server, ServerMode, Settings, Step, Task, TaskSet, Value,
};
use flyball_study::results::PolicyReport;
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// The policies with servers that a set may declare, and of which something is known of them.
const POLICIES: [&str; 8] = [
    "cbs",
    "sched-deadline",
    "grub",
    "iris",
    "bids",
    "polling",
    "deferrable",
    "sporadic",
];

/// A tenth of a millisecond.
fn units(units: u64) -> Duration {
    Duration::from_micros(100 * units)
}

fn studied(set: &TaskSet, policy: &str) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(units(10_000)),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let set = with(set.clone(), "sched-deadline", "limit", Value::Integer(0));
    let study = study(&Registry::standard(), "set", set, &options, &mut watch);
    study.unwrap().policies.remove(0)
}

fn with(mut set: TaskSet, policy: &str, setting: &str, value: Value) -> TaskSet {
    let settings: &mut Settings = set.policies.entry(policy.to_owned()).or_default();
    settings.values.insert(setting.to_owned(), value.into());
    set
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
}

/// A task of a server whose jobs compute for up to `wcet`, and come at `period` or later.
fn task(draw: &mut Draw, name: String, period: u64, wcet: u64) -> Task {
    let mut task = Task::periodic(name, units(period), units(wcet));
    if draw.one_in(2) {
        let min = units(draw.up_to(0, wcet));
        let max = units(wcet);
        task.behaviour = vec![Step::Compute(Length::Uniform { min, max })];
    }
    if draw.one_in(2) {
        let gap = Length::Uniform {
            min: units(period),
            max: units(period + draw.up_to(1, period)),
        };
        task.arrival = Arrival::Sporadic {
            separation: units(period),
            gap,
        };
    }
    task.phase = units(draw.up_to(0, 1) * draw.up_to(0, period));
    task
}

/// Up to four servers with up to five tasks each, from large ones down to those that use a small part of a budget; some
/// servers have a task that computes for more than it declares, and one may have a task without end.
/// `modes`: servers may be hard or soft.
fn random_set(draw: &mut Draw, modes: bool) -> TaskSet {
    let mut set = TaskSet::default();
    let servers = draw.up_to(2, 4);
    for number in 0..servers {
        let period = draw.up_to(20, 120);
        let budget = draw.up_to(2, 3 * period / 2 / servers);
        let deadline = period - draw.up_to(0, 1) * draw.up_to(0, (period - budget) / 2);
        let mode = [None, Some(ServerMode::Hard), Some(ServerMode::Soft)];
        set.servers.push(Server {
            name: format!("s{number}"),
            budget: units(budget),
            period: units(period),
            deadline: units(deadline),
            mode: mode[usize::try_from(draw.up_to(0, 2 * u64::from(modes))).unwrap()],
            alpha: None,
            cpu: None,
            location: Location::default(),
        });
        let tasks = draw.up_to(1, 5);
        for place in 0..tasks {
            let most = (budget / tasks).max(1) * draw.up_to(1, 2);
            let wcet = draw.up_to(1, most);
            // Together they ask for a half to all of the server.
            let shortest = (wcet * tasks * period).div_ceil(budget);
            let period = shortest + draw.up_to(0, shortest) + draw.up_to(0, 4) * period;
            let mut task = task(draw, format!("t{number}{place}"), period, wcet);
            if draw.one_in(12) {
                let declared = Length::Fixed(units(wcet));
                let actual = Length::Fixed(units(3 * wcet));
                task.behaviour = vec![Step::Overrun { declared, actual }];
            }
            task.server = u16::try_from(number).ok();
            set.tasks.push(task);
        }
    }
    if draw.one_in(2) {
        let mut endless = Task::periodic("endless", units(1), units(9_000));
        (endless.arrival, endless.deadline) = (Arrival::Once, None);
        endless.server = u16::try_from(draw.up_to(0, servers - 1)).ok();
        set.tasks.push(endless);
    }
    set
}

/// What was seen of the tasks under a policy.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// How many have a bound.
    bounded: u32,
    /// How many jobs of the others were late.
    late: u64,
    /// The longest response time, in percent of its bound.
    nearest: u64,
}

fn see(seen: &mut Seen, set: &TaskSet, policy: &str, seed: u32) {
    let report = studied(set, policy);
    for task in &report.tasks {
        let Some(bound) = task.response_bound else {
            seen.late += task.measured.misses;
            continue;
        };
        seen.bounded += 1;
        let longest = task.measured.response.max().unwrap_or_default();
        let name = &task.name;
        assert!(
            longest <= bound && task.measured.misses == 0,
            "{seed}, {policy}, {name}: {longest}, {bound}\n{set:#?}"
        );
        let part = longest.as_nanos() * 100 / bound.as_nanos();
        seen.nearest = seen.nearest.max(part);
    }
}

#[test]
fn tasks_of_declared_servers_keep_their_bounds_whatever_others_do() {
    let mut seen = [Seen::default(); POLICIES.len()];
    for seed in 0..common::config(300).cases {
        let mut draw = Draw(Random::new(0xdec, seed.into()));
        let set = random_set(&mut draw, false);
        for (policy, seen) in POLICIES.into_iter().zip(&mut seen) {
            see(seen, &set, policy, seed);
        }
        // Of these each server says itself whether it is hard.
        let set = random_set(&mut draw, true);
        for policy in ["cbs", "bids"] {
            let place = POLICIES.iter().position(|&it| it == policy).unwrap();
            see(&mut seen[place], &set, policy, seed);
        }
    }
    let enough = |it: &Seen| it.bounded > 100 && it.late > 100 && it.nearest > 40;
    assert!(seen.iter().all(enough), "{seen:#?}");
}

/// A server with 2 ms in 5, and a task that asks for them each 20 ms.
fn one_server() -> TaskSet {
    let mut set = TaskSet::default();
    set.servers.push(Server {
        name: "s".to_owned(),
        budget: units(20),
        period: units(50),
        deadline: units(50),
        mode: None,
        alpha: None,
        cpu: None,
        location: Location::default(),
    });
    let mut task = Task::periodic("t", units(200), units(20));
    task.server = Some(0);
    set.tasks.push(task);
    set
}

fn bound(set: &TaskSet, policy: &str) -> Option<u64> {
    let bound = studied(set, policy).tasks[0].response_bound?;
    Some(bound.as_nanos() / units(10).as_nanos())
}

#[test]
fn a_bound_is_a_blackout_and_the_budget() {
    let bounds = POLICIES.map(|policy| (policy, bound(&one_server(), policy)));
    let wanted = [
        ("cbs", Some(5)),
        ("sched-deadline", Some(5)),
        ("grub", Some(5)),
        ("iris", Some(5)),
        // 2 P − Q.
        ("bids", Some(8 + 2)),
        // The budget's response time is 2 ms.
        ("polling", Some(5 + 2 - 2 + 2)),
        ("deferrable", Some(5 - 2 + 2)),
        ("sporadic", Some(2 * 5 + 2 - 2 + 2)),
    ];
    assert_eq!(bounds, wanted);
}

#[test]
fn of_other_servers_nothing_is_proven() {
    let set = one_server();
    for policy in ["tbs", "soos", "g-cbs", "g-sched-deadline"] {
        assert_eq!(bound(&set, policy), None, "{policy}");
    }
    let text = |text: &str| Value::Text(text.to_owned());
    let linux = with(set.clone(), "grub", "variant", text("linux"));
    assert_eq!(bound(&linux, "grub"), None);
    let published = with(set.clone(), "grub", "variant", text("published"));
    assert_eq!(bound(&published, "grub"), Some(5));
    // Soft servers of BIDS may wait for an instant that nothing bounds.
    let soft = with(set.clone(), "bids", "mode", text("soft"));
    assert_eq!(bound(&soft, "bids"), None);
    let mut mixed = soft;
    mixed.servers[0].mode = Some(ServerMode::Hard);
    assert_eq!(bound(&mixed, "bids"), Some(10));
    // Nor is it known when a server comes after a result.
    let mut results = set.clone();
    let compute = Step::Compute(Length::Fixed(units(20)));
    results.tasks[0].behaviour = vec![compute, Step::Result(vec![0, 1])];
    assert_eq!(bound(&results, "bids"), None);
    assert_eq!(bound(&results, "cbs"), Some(5));
    // Together they ask for more than there is.
    let mut much = set;
    much.servers.push(Server {
        name: "much".to_owned(),
        budget: units(31),
        ..much.servers[0].clone()
    });
    let mut task = Task::periodic("u", units(200), units(20));
    task.server = Some(1);
    much.tasks.push(task);
    for policy in POLICIES {
        assert_eq!(bound(&much, policy), None, "{policy}");
    }
}
