//! Windows of deadlines: what is promised of them, by hand and against simulations.

use crate::common::{config, misses};
use flyball_catalogue::sorting::{By, Sorting};
use flyball_catalogue::{DssEdf, Scheduler};
use flyball_model::{Frequency, Groups, Share, Speeds, Step, Task, TaskSet, Value};
use flyball_policy::{Design, Sorts};
use flyball_study::{Effort, Registry, largest_window};
use flyball_trace::{Duration, Speed};
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

fn ns(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn dss_edf(by: By, window: Duration) -> DssEdf {
    let sorting = Sorting {
        by,
        design: Some(Design::StrictLists),
        costs: None,
        sorts: Sorts::ALWAYS,
    };
    DssEdf { sorting, window }
}

fn largest(set: &TaskSet) -> Option<Duration> {
    largest_window(set, Effort::FULL.verdict)
}

/// What theory says for certain of the set with this window.
fn holds(set: &TaskSet, window: Duration) -> Option<bool> {
    let registry = Registry::standard();
    let entry = registry.find(DssEdf::NAME).unwrap();
    let mut set = set.clone();
    let settings = set.policies.entry(DssEdf::NAME.to_owned()).or_default();
    let value = Value::Duration(window).into();
    settings.values.insert("window".to_owned(), value);
    let values = entry.values("", &set).unwrap();
    let findings = entry.analyse(&values, &set, Effort::FULL).ok()?;
    findings.holds.filter(|_| findings.is_decided())
}

fn task(group: u8, phase: u64, wcet: u64, deadline: u64) -> Task {
    let mut task = Task::periodic(format!("{group}"), us(1_000), us(wcet));
    task.phase = us(phase);
    task.deadline = Some(us(deadline));
    task.groups.number = group;
    task
}

fn of(tasks: Vec<Task>) -> TaskSet {
    let mut set = TaskSet {
        tasks,
        ..TaskSet::default()
    };
    for (number, task) in set.tasks.iter_mut().enumerate() {
        task.name = number.to_string();
    }
    set
}

#[test]
fn a_longer_window_is_not_known_to_hold_and_may_be_late() {
    // The example of the policy's documentation: each interval leaves 10 us.
    let set = of(vec![
        task(0, 0, 10, 50),
        task(1, 0, 20, 40),
        task(2, 10, 10, 20),
    ]);
    assert_eq!(largest(&set), Some(us(10)));
    assert_eq!(holds(&set, us(10)), Some(true));
    let longer = us(10) + ns(1);
    assert_eq!(holds(&set, longer), None);
    assert!(!misses(&set, &dss_edf(By::Group, us(10)), us(3_000)));
    // All deadlines from 25 us on are in the first window of 50 us, and group 0 comes first.
    let mut tasks = vec![task(0, 0, 1, 25)];
    tasks.extend([task(0, 0, 10, 50), task(0, 0, 20, 40), task(2, 10, 10, 20)]);
    let long = of(tasks);
    assert!(misses(&long, &dss_edf(By::Group, us(50)), us(3_000)));
    assert_eq!(holds(&long, us(50)), None);
    assert!(!misses(&long, &dss_edf(By::Group, us(0)), us(3_000)));
}

#[test]
fn what_no_policy_holds_is_late_with_any_window() {
    let set = of(vec![task(0, 0, 10, 15), task(1, 0, 10, 15)]);
    assert_eq!(largest(&set), None);
    for window in [0, 5, 1_000] {
        assert_eq!(holds(&set, us(window)), Some(false));
    }
}

#[test]
fn nothing_is_said_of_what_is_not_covered() {
    let mut set = of(vec![task(0, 0, 10, 50)]);
    assert_eq!(largest(&set), Some(us(40)));
    set.tasks[0].behaviour.push(Step::Yield);
    assert_eq!(largest(&set), None);
    // On two CPUs the one that leaves less counts, and each task has to say where it is.
    let mut set = of(vec![task(0, 0, 10, 50), task(0, 0, 10, 30)]);
    set.platform.cpus = 2;
    assert_eq!(largest(&set), None);
    for (cpu, task) in (0..).zip(&mut set.tasks) {
        task.cpu = Some(cpu);
    }
    assert_eq!(largest(&set), Some(us(20)));
    assert_eq!(largest(&of(Vec::new())), None);
}

/// Points at 1 and 2 MHz.
fn points(change: Duration) -> Speeds {
    let frequencies = [1, 2].map(|mhz| Frequency::hertz(mhz * 1_000_000).unwrap());
    let transition = vec![vec![us(0), change], vec![change, us(0)]];
    Speeds::new(frequencies.into(), transition, None).unwrap()
}

#[test]
fn times_are_those_of_the_points_with_three_changes_a_job() {
    let mut set = of(vec![task(0, 0, 10, 50), task(1, 0, 10, 50)]);
    set.tasks[0].speed = Some(Speed(0));
    set.platform.speeds = Some(points(us(2)));
    // 20 and 10, and three changes for each.
    assert_eq!(largest(&set), Some(us(50 - 30 - 2 * 6)));
    assert_eq!(holds(&set, us(8)), Some(true));
    assert_eq!(holds(&set, us(9)), None);
    // If no task leaves the fastest point there are no changes.
    set.tasks[0].speed = None;
    assert_eq!(largest(&set), Some(us(30)));
    // At its point a task asks for too much, though not at the fastest one.
    set.tasks[0].speed = Some(Speed(0));
    set.tasks[0].deadline = Some(us(19));
    assert_eq!(holds(&set, us(0)), Some(false));
    // Jobs that do more than compute may make the CPU change more often, unless that is free.
    set.tasks[0].deadline = Some(us(50));
    set.tasks[1].behaviour.push(Step::Result(Vec::new()));
    assert_eq!(largest(&set), Some(us(8)));
    set.tasks[1].behaviour.push(Step::Yield);
    assert_eq!(largest(&set), None);
}

fn sets() -> impl Strategy<Value = TaskSet> {
    let task = (
        0..6_usize,
        1_u64..4_000,
        (0_u64..100, 0_u8..8),
        0_u32..=4,
        (0..2_u8, 0_u64..24_000),
    );
    prop::collection::vec(task, 1..7).prop_map(|tasks| {
        let tasks = tasks.into_iter().map(
            |(period, wcet, (percent, group), quarters, (speed, phase))| {
                let period = us([8, 10, 12, 15, 20, 24][period]);
                let mut task = Task::periodic(String::new(), period, ns(wcet));
                task.deadline = Some(ns(wcet + period.as_nanos() * percent / 100));
                task.groups = Groups {
                    number: group,
                    ..Groups::default()
                };
                task.stalls = Share::from_millionths(quarters * 250_000);
                task.phase = ns(phase);
                task.speed = Some(Speed(speed));
                task
            },
        );
        of(tasks.collect())
    })
}

proptest! {
    #![proptest_config(config(200))]

    /// With the largest window no job is late, and beyond it nothing is promised.
    #[test]
    fn no_deadline_is_missed_in_the_largest_window(set in sets(), part in 1_u64..=4, change in 0_u64..100) {
        let end = us(480);
        if let Some(window) = largest(&set) {
            prop_assert_eq!(holds(&set, window), Some(true));
            prop_assert_eq!(holds(&set, window + ns(1)), None);
            for window in [window, ns(window.as_nanos() / part)] {
                prop_assert!(!misses(&set, &dss_edf(By::Group, window), end), "{}", window);
            }
        }
        let mut set = set;
        set.platform.speeds = Some(points(ns(change)));
        if let Some(window) = largest(&set) {
            prop_assert_eq!(holds(&set, window), Some(true));
            for by in [By::Speed, By::Group] {
                prop_assert!(!misses(&set, &dss_edf(by, window), end), "{}", window);
            }
        }
    }
}

/// The documented example: how often the CPU changes its point by deadline alone, and in the longest window.
#[test]
fn the_example_changes_seldom() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/windows.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let set = flyball_model::read_str(&text, flyball_model::Format::Toml, file).unwrap();
    let ms = Duration::from_millis;
    assert_eq!(largest(&set), Some(ns(16_838_437)));
    assert_eq!(holds(&set, ms(15)), Some(true));
    assert_eq!(holds(&set, ms(17)), None);
    let changes = |window| {
        let options = flyball_sim::Options::until(Duration::from_secs(8));
        let policy = dss_edf(By::Speed, window);
        let run = flyball_sim::simulate(&set, &policy, &options, &mut flyball_trace::NoTrace);
        let run = run.unwrap();
        assert_eq!(run.misses, 0);
        run.speeds.unwrap().cpus[0].adjustments
    };
    assert_eq!(
        [0, 5, 10, 15].map(|window| changes(ms(window))),
        [600, 400, 200, 200]
    );
}
