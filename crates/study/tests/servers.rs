//! A server for each task: what theory says, and what is simulated.

use crate::common;

use flyball_analysis::WorkLimit;
use flyball_model::random::Random;
use flyball_model::{
    Arrival, Cost, Length, Location, Mutex, Protocol, Server, Step, Task, TaskSet, Value,
};
use flyball_study::budgets::budgets;
use flyball_study::reason::{Because, Seen};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// Those whose servers are scheduled by deadlines, and enforce their budgets.
const POLICIES: [&str; 5] = ["cbs", "sched-deadline", "grub", "iris", "bids"];
/// The same by fixed priorities.
const FIXED: [&str; 3] = ["polling", "deferrable", "sporadic"];

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Under `sched-deadline` with all sets, whatever they ask for.
fn studied(set: &TaskSet, policy: &str) -> PolicyReport {
    let mut set = set.clone();
    let settings = set.policies.entry("sched-deadline".to_owned()).or_default();
    let unlimited = Value::Integer(0).into();
    settings.values.insert("limit".to_owned(), unlimited);
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(ms(2_000)),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let study = study(&Registry::standard(), "set", set, &options, &mut watch);
    study.unwrap().policies.remove(0)
}

/// With hard servers under `cbs`, soft ones under `bids`, and Linux's under `grub`.
fn hard(mut set: TaskSet) -> TaskSet {
    let text = "[policies.cbs]\nmode = \"hard\"\n[policies.bids]\nmode = \"soft\"\n[policies.grub]\nvariant = \"linux\"\n[[task]]\nperiod = \"1ms\"\nwcet = \"1ms\"";
    let text = format!("schema = 1\n{text}");
    let read = flyball_model::read_str(&text, flyball_model::Format::Toml, "hard").unwrap();
    set.policies = read.policies;
    set
}

/// Up to six tasks with deadlines within their periods, some of them sporadic; `hogs`: some of them
/// compute for more than they declare.
fn random_set(random: &mut Random, hogs: bool) -> TaskSet {
    let mut draw = |from, to| {
        let [from, to] = [from, to].map(Duration::from_nanos);
        random.uniform(from, to).as_nanos()
    };
    let mut set = TaskSet::default();
    for number in 0..draw(2, 6) {
        let period = [4, 5, 8, 10, 20, 25][usize::try_from(draw(0, 5)).unwrap()];
        let wcet = draw(1, (period / 2).max(1));
        let mut task = Task::periodic(format!("t{number}"), ms(period), ms(wcet));
        task.deadline = Some(ms(draw(wcet, period)));
        task.phase = ms(draw(0, 1) * draw(0, period));
        if draw(0, 2) == 0 {
            let gap = Length::Uniform {
                min: ms(period),
                max: ms(2 * period),
            };
            task.arrival = Arrival::Sporadic {
                separation: ms(period),
                gap,
            };
        }
        if hogs && draw(0, 2) == 0 {
            let declared = Length::Fixed(ms(wcet));
            let actual = Length::Uniform {
                min: ms(1),
                max: ms(3 * wcet),
            };
            task.behaviour = vec![Step::Overrun { declared, actual }];
        }
        set.tasks.push(task);
    }
    set
}

/// As long as no task computes for more than it declares the schedule is that of EDF.
#[test]
fn sets_without_overruns_hold_as_under_edf() {
    let mut seen = [0; 2];
    for seed in 0..common::config(150).cases {
        let set = random_set(&mut Random::new(0x5e, seed.into()), false);
        let edf = studied(&set, "edf");
        if edf.verdict.proof.as_deref() == Some("simulation") && edf.verdict.holds() == Some(true) {
            // Budgets are remembered, so that a schedule of servers that repeats itself proves nothing.
            continue;
        }
        for set in [set.clone(), hard(set)] {
            for policy in POLICIES.into_iter().chain(["tbs"]) {
                let report = studied(&set, policy);
                let verdict = |report: &PolicyReport| report.verdict.schedulable;
                assert_eq!(verdict(&report), verdict(&edf), "{seed}, {policy}");
                let bounds = |report: &PolicyReport| -> Vec<_> {
                    let bounds = report.tasks.iter().map(|task| task.response_bound);
                    bounds.collect()
                };
                if edf.verdict.holds() == Some(true) {
                    assert_eq!(bounds(&report), bounds(&edf), "{seed}, {policy}");
                }
            }
        }
        seen[usize::from(edf.verdict.holds() == Some(true))] += 1;
    }
    assert!(seen.iter().all(|&seen| seen > 10), "{seen:?}");
}

/// Whatever the others do, a task that has a bound is never late.
#[test]
fn tasks_are_isolated_from_those_that_overrun() {
    let (mut proven, mut late, mut late_under_edf) = (0, 0, 0);
    for seed in 0..common::config(400).cases {
        let set = random_set(&mut Random::new(0x5f, seed.into()), true);
        let edf = studied(&set, "edf");
        for set in [set.clone(), hard(set)] {
            for policy in POLICIES.into_iter().chain(FIXED) {
                let report = studied(&set, policy);
                for (number, task) in report.tasks.iter().enumerate() {
                    let Some(bound) = task.response_bound else {
                        late += task.measured.misses;
                        continue;
                    };
                    proven += 1;
                    late_under_edf += edf.tasks[number].measured.misses;
                    assert_eq!(task.measured.misses, 0, "{seed}, {policy}, {number}");
                    assert!(
                        task.measured.response.max() <= Some(bound),
                        "{seed}, {policy}, {number}"
                    );
                }
            }
        }
    }
    assert!(
        proven > 500 && late > 500 && late_under_edf > 500,
        "{proven} {late} {late_under_edf}"
    );
}

/// Up to three servers with up to four tasks each, of which some compute for more than they declare, and
/// one may compute for ever; and some tasks without a server.
fn set_with_servers(random: &mut Random) -> TaskSet {
    let mut draw = |from: u64, to: u64| {
        let [from, to] = [from, to].map(Duration::from_nanos);
        random.uniform(from, to).as_nanos()
    };
    let mut set = TaskSet::default();
    for number in 0..draw(1, 3) {
        let period = draw(3, 10);
        let budget = draw(1, period.div_ceil(3));
        let deadline = period - draw(0, 1) * draw(0, period - budget);
        set.servers.push(Server {
            name: format!("s{number}"),
            budget: ms(budget),
            period: ms(period),
            deadline: ms(deadline),
            mode: None,
            alpha: None,
            cpu: None,
            location: Location::default(),
        });
        for task in 0..draw(1, 4) {
            let wcet = draw(1, 3);
            let period = (period * wcet * draw(2, 6)).div_ceil(budget) + draw(0, 9);
            let name = format!("t{number}{task}");
            let mut task = Task::periodic(name, ms(period), ms(wcet));
            task.phase = ms(draw(0, 1) * draw(0, period));
            if draw(0, 9) == 0 {
                let (declared, actual) = (Length::Fixed(ms(wcet)), Length::Fixed(ms(3 * wcet)));
                task.behaviour = vec![Step::Overrun { declared, actual }];
            }
            task.server = u16::try_from(number).ok().filter(|_| draw(0, 19) > 0);
            set.tasks.push(task);
        }
    }
    if draw(0, 3) == 0 {
        let mut endless = Task::periodic("endless", ms(1), ms(900));
        (endless.arrival, endless.deadline) = (Arrival::Once, None);
        endless.server = u16::try_from(draw(0, 2)).ok();
        endless.server = endless
            .server
            .filter(|&it| usize::from(it) < set.servers.len());
        set.tasks.push(endless);
    }
    set
}

/// Whatever the tasks of other servers do, and those that have none, a task that has a bound is in time.
#[test]
fn servers_are_isolated_from_each_other() {
    let (mut proven, mut whole, mut late) = (0, 0, 0);
    for seed in 0..common::config(400).cases {
        let set = set_with_servers(&mut Random::new(0x60, seed.into()));
        for set in [set.clone(), hard(set)] {
            for policy in ["cbs", "sched-deadline", "polling", "deferrable"] {
                let report = studied(&set, policy);
                whole += u32::from(report.verdict.holds() == Some(true));
                for (number, task) in report.tasks.iter().enumerate() {
                    let Some(bound) = task.response_bound else {
                        late += task.measured.misses;
                        continue;
                    };
                    proven += 1;
                    let seen = task.measured.response.max().unwrap_or_default();
                    assert!(seen <= bound, "{seed}, {policy}, {number}: {seen} {bound}");
                    let misses = task.measured.misses;
                    assert_eq!(misses, 0, "{seed}, {policy}, {number}");
                }
            }
        }
    }
    let seen = (proven, whole, late);
    assert!(proven > 1_000 && whole > 100 && late > 500, "{seen:?}");
}

/// With the smallest budget the tasks of a server are proven to be in time, whatever the others do, and
/// with one that is a hundredth smaller they are not.
#[test]
fn smallest_budgets_are_enough_and_no_more() {
    let (mut enough, mut too_little) = (0, 0);
    for seed in 0..common::config(100).cases {
        let set = set_with_servers(&mut Random::new(0x61, seed.into()));
        let found = budgets(&set, WorkLimit::default());
        for server in &found.servers {
            for (period, least) in &server.needs {
                let Some(&budget) = least.proven() else {
                    continue;
                };
                let mut set = set.clone();
                // The others run where this one does not.
                let number = u16::try_from(server.server).unwrap();
                for task in &mut set.tasks {
                    task.server = task.server.filter(|&it| it == number);
                }
                let it = &mut set.servers[server.server];
                if it.deadline == it.period {
                    it.deadline = *period;
                }
                (it.budget, it.period) = (budget, *period);
                it.deadline = it.deadline.min(*period);
                let report = studied(&set, "cbs");
                for (number, _) in &server.tasks {
                    let task = &report.tasks[*number];
                    assert!(task.response_bound.is_some(), "{seed} {number}");
                    assert_eq!(task.measured.misses, 0, "{seed} {number}");
                    enough += 1;
                }
                let less = budget.as_nanos() - budget.as_nanos().div_ceil(100);
                set.servers[server.server].budget = Duration::from_nanos(less.max(1));
                let is_smaller = less > 0 && budgets_hold(&set, server.server);
                assert!(!is_smaller, "{seed}: {budget} is not the smallest");
                too_little += 1;
            }
        }
    }
    assert!(enough > 100 && too_little > 50, "{enough} {too_little}");
}

/// Of what tests do not cover no bound and no budget is told: waiting, mutexes, the kernel's work, a tick, and
/// tasks that have no CPU yet.
#[test]
fn of_what_is_not_covered_nothing_is_told() {
    type Change = fn(&mut TaskSet);
    const CHANGES: [Change; 5] = [
        |set| {
            let wait = Step::Suspend(Length::Fixed(ms(1)));
            set.tasks[0].behaviour.push(wait);
        },
        |set| {
            let name = "bus".to_owned();
            let protocol = Protocol::Inherit;
            set.mutexes.push(Mutex { name, protocol });
            set.tasks[0].behaviour.insert(0, Step::Lock(0));
            set.tasks[0].behaviour.push(Step::Unlock(0));
        },
        |set| set.platform.overheads.call = Cost::fixed(Duration::from_nanos(1)),
        |set| set.platform.tick = Some(ms(1)),
        |set| set.platform.cpus = 2,
    ];
    let mut set = TaskSet::default();
    for (number, name) in (0..).zip(["s0", "s1"]) {
        set.servers.push(Server {
            name: name.to_owned(),
            budget: ms(2),
            period: ms(5),
            deadline: ms(5),
            mode: None,
            alpha: None,
            cpu: None,
            location: Location::default(),
        });
        let mut task = Task::periodic(name, ms(20), ms(2));
        task.server = Some(number);
        set.tasks.push(task);
    }
    let found = budgets(&set, WorkLimit::default());
    let bound = |it: &(usize, Option<Duration>)| it.1.is_some();
    assert!(found.servers.iter().all(|it| it.tasks.iter().all(bound)));
    assert!(found.servers.iter().all(|it| !it.needs.is_empty()));
    for (number, change) in CHANGES.into_iter().enumerate() {
        let mut set = set.clone();
        change(&mut set);
        let found = budgets(&set, WorkLimit::default());
        let told = found.servers.iter().any(|it| it.tasks.iter().any(bound));
        assert!(!told, "{number}");
        // A budget is enough wherever the server comes to be.
        let needs = found.servers.iter().any(|it| !it.needs.is_empty());
        assert_eq!(needs, set.platform.cpus > 1, "{number}");
    }
}

/// Whether all tasks of a server are proven to be in time.
fn budgets_hold(set: &TaskSet, number: usize) -> bool {
    let found = budgets(set, WorkLimit::default());
    let mut servers = found.servers.iter();
    let server = servers.find(|it| it.server == number).unwrap();
    server.tasks.iter().all(|(_, bound)| bound.is_some())
}

#[test]
fn a_study_says_which_task_cannot_hurt_the_others() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("control", ms(5), ms(2)));
    set.tasks.push(Task::periodic("hog", ms(10), ms(3)));
    let (declared, actual) = (Length::Fixed(ms(3)), Length::Fixed(ms(7)));
    set.tasks[1].behaviour = vec![Step::Overrun { declared, actual }];
    let report = studied(&set, "cbs");
    assert_eq!(report.verdict.schedulable, Schedulable::Not);
    let evidence = report.verdict.evidence.unwrap();
    assert!(matches!(evidence.seen, Seen::Miss { .. }));
    let theory = evidence.theory.unwrap();
    assert_eq!(
        (theory.holds, theory.because),
        (None, Because::Isolated(vec!["hog".into()]))
    );
    assert_eq!(report.tasks[0].response_bound, Some(ms(5)));
    assert_eq!(report.tasks[1].response_bound, None);
    // Together they declare more than the CPU: nothing is proven of the others.
    set.tasks[0] = Task::periodic("control", ms(5), ms(4));
    assert_eq!(studied(&set, "cbs").tasks[0].response_bound, None);
}

/// By fixed priorities it is that of deadline monotonic priorities, if jobs arrive when their servers
/// have budgets.
#[test]
fn sets_without_overruns_hold_as_under_deadline_monotonic_priorities() {
    let (mut seen, mut sporadic) = ([0; 2], 0);
    for seed in 0..common::config(150).cases {
        let set = random_set(&mut Random::new(0x60, seed.into()), false);
        let dm = studied(&set, "dm");
        if dm.verdict.proof.as_deref() == Some("simulation") {
            continue;
        }
        for policy in FIXED {
            let report = studied(&set, policy);
            let is_periodic = |task: &Task| matches!(task.arrival, Arrival::Periodic { .. });
            if policy != "sporadic" && !set.tasks.iter().all(is_periodic) {
                assert_ne!(report.verdict.holds(), Some(true), "{seed}, {policy}");
                sporadic += 1;
                continue;
            }
            let verdict = report.verdict.schedulable;
            assert_eq!(verdict, dm.verdict.schedulable, "{seed}, {policy}");
            seen[usize::from(dm.verdict.holds() == Some(true))] += 1;
        }
    }
    let enough = seen.iter().all(|&seen| seen > 10) && sporadic > 10;
    assert!(enough, "{seen:?}, {sporadic}");
}

/// What a server does after a result is no more that of EDF.
#[test]
fn nothing_is_proven_of_servers_that_heed_results() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("a", ms(5), ms(2)));
    assert_eq!(studied(&set, "bids").verdict.holds(), Some(true));
    let compute = Step::Compute(Length::Fixed(ms(2)));
    set.tasks[0].behaviour = vec![compute, Step::Result(vec![0, 1])];
    assert_eq!(studied(&set, "cbs").verdict.holds(), Some(true));
    let report = studied(&set, "bids");
    assert_ne!(report.verdict.holds(), Some(true));
    assert!(report.tasks[0].measured.misses > 0);
}

/// Budgets are not enforced, so a task that overruns makes another one late, and that is seen.
#[test]
fn a_total_bandwidth_server_isolates_nothing() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("control", ms(12), ms(2)));
    set.tasks.push(Task::periodic("hog", ms(10), ms(3)));
    let (declared, actual) = (Length::Fixed(ms(3)), Length::Fixed(ms(12)));
    set.tasks[1].behaviour = vec![Step::Overrun { declared, actual }];
    let report = studied(&set, "tbs");
    assert!(report.tasks[0].measured.misses > 0);
    assert_eq!(report.tasks[0].response_bound, None);
    assert_eq!(studied(&set, "cbs").tasks[0].measured.misses, 0);
}
