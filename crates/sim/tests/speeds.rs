//! Operating points: how long computations take, what changes cost, and what energy that is.

use flyball_catalogue::Dss;
use flyball_catalogue::sorting::{By, Sorting};
use flyball_model::{Cost, Format, Overheads, Step, TaskSet, read_str};
use flyball_policy::{Design, Sorts};
use flyball_sim::{Options, Outcome, simulate};
use flyball_trace::{Cause, Duration, Event, Kind, Speed, TaskId, Time};
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Fixed priorities with the speeds that tasks ask for.
fn pinned(design: Option<Design>) -> Dss {
    Dss {
        sorting: Sorting {
            by: By::Speed,
            design,
            costs: None,
            sorts: Sorts::ALWAYS,
        },
        quantum: us(10_000),
    }
}

fn run(set: &TaskSet, design: Option<Design>, until: Duration) -> (Vec<Event>, Outcome) {
    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(until);
    let outcome = simulate(set, &pinned(design), &options, &mut events).unwrap();
    (events, outcome)
}

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "speeds.toml").unwrap()
}

/// Two tasks on a CPU that has half of its frequency, too. A change takes 1 ms.
const TWO: &str = r#"
    schema = 1
    [platform.speeds]
    frequencies = ["100MHz", "200MHz"]
    transition = "1ms"
    power = ["1W", "3W"]
    stalled = ["0.5W", "1W"]
    idle = "100mW"
    [[task]]
    name = "slow"
    period = "100ms"
    wcet = "10ms"
    stalls = 0.5
    speed = 0
    priority = 1
    [[task]]
    name = "fast"
    period = "100ms"
    phase = "5ms"
    wcet = "4ms"
    priority = 2
"#;

/// By hand. "slow" takes 1.5 times 10 ms at half of the frequency:
///
/// ```text
///  0         1                 5     6         10    11               22
///  | change  | slow, 4 of 15   | ch. | fast, 4 | ch. | slow, 11 of 15 |
///  --------- at 100 MHz -------|-- 200 MHz ----|------ 100 MHz -------
/// ```
#[test]
fn computations_and_changes_take_their_time() {
    let (events, outcome) = run(&read(TWO), None, us(100_000));
    let at = |us| Time::ZERO + self::us(us);
    let told = events.iter().filter_map(|event| match event.kind {
        Kind::Speed { speed } => Some((event.time, "speed", u16::from(speed.0))),
        Kind::Complete { task, .. } => Some((event.time, "complete", task.0)),
        Kind::Overhead { cause, length } => {
            assert_eq!((cause, length), (Cause::Speed, us(1_000)));
            Some((event.time, "changes", 0))
        }
        _ => None,
    });
    let expected = [
        (at(0), "speed", 0),
        (at(0), "changes", 0),
        (at(5_000), "speed", 1),
        (at(5_000), "changes", 0),
        (at(10_000), "complete", 1),
        (at(10_000), "speed", 0),
        (at(10_000), "changes", 0),
        (at(22_000), "complete", 0),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let used = outcome.speeds.unwrap();
    let cpu = &used.cpus[0];
    assert_eq!((cpu.adjustments, cpu.changing), (3, us(3_000)));
    // A change counts as time at the faster point: 0 to 1, 5 to 10, 10 to 11.
    assert_eq!(cpu.at, [us(93_000), us(7_000)]);
    // 15 ms, of which 5 wait for memory: 10 ms at 1 W and 5 ms at 0.5 W.
    let joules = |task| used.of_task(TaskId(task)).joules();
    assert!((joules(0) - 12.5e-3).abs() < 1e-12, "{}", joules(0));
    // 4 ms at 3 W.
    assert!((joules(1) - 12e-3).abs() < 1e-12, "{}", joules(1));
    // The changes: 3 ms at 3 W. The rest of 100 ms idles: 78 ms at 0.1 W.
    let (busy, all) = used.energy().unwrap();
    assert!((busy.joules() - 33.5e-3).abs() < 1e-12, "{busy}");
    assert!((all.joules() - 41.3e-3).abs() < 1e-12, "{all}");
}

/// The kernel's work is slower at a lower frequency, too: 3 us at half of it are 6.
#[test]
fn the_kernel_is_as_slow_as_the_cpu() {
    let mut set = read(TWO);
    set.platform.overheads = Overheads {
        scheduling: Cost::fixed(us(3)),
        context_switch: Cost::fixed(us(5)),
        ..Overheads::default()
    };
    let (events, _) = run(&set, None, us(8_000));
    let told = events.iter().filter_map(|event| match event.kind {
        Kind::Overhead { cause, length } => Some((cause, length)),
        _ => None,
    });
    let expected = [
        // Decided at 200 MHz, changed to 100 MHz, and back.
        (Cause::Scheduling, us(3)),
        (Cause::Speed, us(1_000)),
        (Cause::ContextSwitch, us(10)),
        (Cause::Scheduling, us(6)),
        (Cause::Speed, us(1_000)),
        (Cause::ContextSwitch, us(5)),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

/// A step may wait for memory for another part of its time than the others.
#[test]
fn steps_differ() {
    let text = TWO.replace(
        "wcet = \"10ms\"",
        "behaviour = [{ compute = \"4ms\", stalls = 1 }, { compute = \"4ms\" }]",
    );
    let set = read(
        &text
            .replace("transition = \"1ms\"", "")
            .replace("5ms\"\n    wcet", "50ms\"\n    wcet"),
    );
    let (events, _) = run(&set, None, us(40_000));
    let done = events
        .iter()
        .find(|event| matches!(event.kind, Kind::Complete { .. }));
    // 4 ms, which do not get longer, and 1.5 times 4 ms.
    assert_eq!(done.unwrap().time, Time::ZERO + us(10_000));
}

/// Without operating points nothing is known of speeds, and `stalls` says nothing.
#[test]
fn without_points_nothing_changes() {
    let (_, tasks) = TWO.split_once("idle = \"100mW\"").unwrap();
    let text = format!("schema = 1\n{}", tasks.replace("speed = 0", ""));
    let mut set = read(&text);
    let before = run_at_top(&set);
    for task in &mut set.tasks {
        task.stalls = flyball_model::Share::default();
    }
    assert_eq!(before, run_at_top(&set));
}

fn run_at_top(set: &TaskSet) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut scheduler = pinned(None);
    scheduler.sorting.by = By::Group;
    let outcome = simulate(set, &scheduler, &Options::until(us(200_000)), &mut events).unwrap();
    assert_eq!(outcome.speeds, None);
    events
}

/// A set for two or three points of 1, 2 and 4 MHz, and the same with times that are those at the
/// points that its tasks ask for.
fn sets() -> impl Strategy<Value = (TaskSet, TaskSet)> {
    let task = (0_u8..3, 0_u32..=4, 1_u64..6, 1_u64..5, 0_u8..2);
    prop::collection::vec(task, 1..5).prop_map(|tasks| {
        let head = "schema = 1\n";
        let points = "[platform.speeds]\nfrequencies = [\"1MHz\", \"2MHz\", \"4MHz\"]\n";
        let (mut with, mut without) = (format!("{head}{points}"), head.to_owned());
        for (speed, quarters, period, wcet, priority) in tasks {
            // (1 - stalls) * 4 / f + stalls, in quarters.
            let slowdown = (4 - u64::from(quarters)) * (4 >> speed) + u64::from(quarters);
            let rest = format!("period = \"{}us\"\npriority = {priority}\n", period * 40);
            let stalls = f64::from(quarters) / 4.0;
            let task = [
                format!(
                    "[[task]]\nwcet = \"{wcet}us\"\nspeed = {speed}\nstalls = {stalls}\n{rest}"
                ),
                format!("[[task]]\nwcet = \"{}ns\"\n{rest}", wcet * slowdown * 250),
            ];
            with.push_str(&task[0]);
            without.push_str(&task[1]);
        }
        (read(&with), read(&without))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 256 }, ..ProptestConfig::default() })]

    /// Where changes are free, and every task has a speed of its own, the schedule is that of the set
    /// whose execution times are those at these speeds.
    #[test]
    fn a_slower_cpu_is_as_good_as_longer_times((with, without) in sets(), sorted in any::<bool>()) {
        let design = sorted.then_some(Design::StrictLists);
        // Without points all tasks are in one group, so only what is unsorted is the same.
        let design = design.filter(|_| with.tasks.iter().all(|task| task.speed == with.tasks[0].speed));
        let (mut events, outcome) = run(&with, design, us(2_000));
        events.retain(|event| !matches!(event.kind, Kind::Speed { .. }));
        let mut expected: Vec<Event> = Vec::new();
        let mut scheduler = pinned(None);
        scheduler.sorting.by = By::Group;
        simulate(&without, &scheduler, &Options::until(us(2_000)), &mut expected).unwrap();
        prop_assert_eq!(events, expected);
        let used = outcome.speeds.unwrap();
        let all: Duration = used.cpus[0].at.iter().copied().sum();
        prop_assert_eq!(all, us(2_000));
    }
}

/// Each change of speed is an event, and they are counted.
#[test]
fn changes_are_counted() {
    let (events, outcome) = run(&read(TWO), Some(Design::StrictLists), us(1_000_000));
    let changes = events.iter().filter_map(|event| match event.kind {
        Kind::Speed { speed } => Some(speed),
        _ => None,
    });
    let changes: Vec<Speed> = changes.collect();
    assert!(changes.windows(2).all(|two| two[0] != two[1]));
    assert_eq!(changes.len() as u64, outcome.speeds.unwrap().adjustments());
    assert!(matches!(read(TWO).tasks[0].behaviour[0], Step::Compute(_)));
}
