//! Schedules by hand, from the rules of `kernel/sched.c` of Linux 2.6.8 and 2.6.11. Times are in
//! milliseconds.

use super::world::{CPU, Script, Step, run, switches, units};
use LinuxVersion::{V2_6_8, V2_6_11};
use Step::{Run, Sleep, Wait, Yield};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Boxed, Encode, Group, Grouping, LinuxClass, LinuxO1, LinuxRules, LinuxTask,
    LinuxVersion, Parameter, Policy, Ready, Refused, Stop, StrictLists, TaskId, Usage,
};

fn rules(version: LinuxVersion, hz: u32) -> LinuxRules {
    LinuxRules { version, hz }
}

fn script(nice: i8, steps: &[Step]) -> Script {
    Script {
        task: LinuxTask::normal(nice),
        begin: 0,
        steps: steps.to_vec(),
    }
}

/// A task that computes without end.
fn hog(nice: i8) -> Script {
    script(nice, &[Run(1_000_000)])
}

fn real_time(class: LinuxClass, steps: &[Step]) -> Script {
    let task = LinuxTask { nice: 0, class };
    Script {
        task,
        ..script(0, steps)
    }
}

/// Which task ran from when on, at 100 Hz.
fn runs(version: LinuxVersion, scripts: &[Script], end: u64) -> Vec<(u64, Option<usize>)> {
    let (schedule, _) = run::<Bitmap<Level, Boxed>>(rules(version, 100), scripts, end);
    switches(&schedule)
}

/// The average of sleep of task 0 in microseconds, and its level, at the end.
fn state(rules: LinuxRules, scripts: &[Script], end: u64) -> (u64, u8) {
    let (_, policy) = run::<Bitmap<Level, Boxed>>(rules, scripts, end);
    let sleep = policy.average_sleep(TaskId(0)).as_nanos() / 1000;
    (sleep, policy.level(TaskId(0)))
}

/// 2.6.8: 10 + 190 · (19 − nice) ÷ 39 ms. 2.6.11: (20 − nice) · 20 ms or · 5 ms, and at least 5 ms or
/// a tick.
#[test]
fn slices() {
    let nice = [-20, -1, 0, 1, 10, 19];
    let slices = |version, hz| nice.map(|nice| rules(version, hz).slice(LinuxTask::normal(nice)));
    assert_eq!(slices(V2_6_8, 1000), [200, 107, 102, 97, 53, 10]);
    assert_eq!(slices(V2_6_8, 100), [20, 10, 10, 9, 5, 1]);
    assert_eq!(slices(V2_6_11, 1000), [800, 420, 100, 95, 50, 5]);
    assert_eq!(slices(V2_6_11, 100), [80, 42, 10, 9, 5, 1]);
}

/// A task that has had its slice waits for all others to have theirs, whatever its level. Levels are
/// 125, 125 and 139.
#[test]
fn arrays_are_swapped() {
    let scripts = [hog(0), hog(0), hog(19)];
    let round = |begin: u64, last: u64| {
        [
            (begin, Some(0)),
            (begin + 100, Some(1)),
            (begin + 200, Some(2)),
        ]
        .into_iter()
        .chain([(begin + 200 + last, Some(0))])
        .collect::<Vec<_>>()
    };
    assert_eq!(runs(V2_6_11, &scripts, 211), round(0, 10));
    assert_eq!(runs(V2_6_8, &scripts, 211), round(0, 10));
    let (schedule, _) = run::<Bitmap<Level, Boxed>>(rules(V2_6_11, 1000), &scripts, 411);
    assert_eq!(switches(&schedule)[..4], round(0, 5));
    assert_eq!(switches(&schedule)[3..6], round(205, 5)[..3]);
}

/// −20 has 800 ms at level 105, and at 2.6.8 only 200 ms.
#[test]
fn nice_values_are_shares() {
    let scripts = [hog(-20), hog(0)];
    let expected = |slice| vec![(0, Some(0)), (slice, Some(1)), (slice + 100, Some(0))];
    assert_eq!(runs(V2_6_11, &scripts, 901), expected(800));
    assert_eq!(runs(V2_6_8, &scripts, 301), expected(200));
}

/// A task that yields is behind all others, and keeps what is left of its slice.
#[test]
fn a_task_that_yields_expires() {
    let scripts = [script(0, &[Run(30), Yield]), hog(19), hog(19)];
    let expected = [
        (0, Some(0)),
        (30, Some(1)),
        (40, Some(2)),
        (50, Some(0)),
        (80, Some(1)),
    ];
    for version in [V2_6_8, V2_6_11] {
        assert_eq!(runs(version, &scripts, 81), expected);
    }
}

/// 50 ms are worth ten times as much at first, and six times from 480 ms on; running costs all of it, or
/// as many parts of it as there is bonus. More than 790 ms are 900 ms.
#[test]
fn sleep_is_bonus() {
    let steps = [
        Run(10),
        Sleep(50),
        Run(20),
        Sleep(50),
        Run(70),
        Sleep(30),
        Run(1),
        Sleep(791),
        Run(1),
    ];
    let scripts = [script(0, &steps)];
    let states = |version| {
        [5, 60, 80, 130, 200, 230, 1022].map(|end| state(rules(version, 100), &scripts, end + 1))
    };
    let old = [
        (0, 125),
        (500_000, 120),
        (480_000, 120),
        (780_000, 118),
        (710_000, 118),
        (800_000, 117),
        (900_000, 116),
    ];
    assert_eq!(states(V2_6_8), old);
    let new = [
        (0, 125),
        (500_000, 120),
        (496_000, 120),
        (796_000, 118),
        (786_000, 118),
        (876_000, 117),
        (900_000, 116),
    ];
    assert_eq!(states(V2_6_11), new);
}

/// Ready since 10, and the CPU is free at 100: 90 ms count in full after an interrupt, and 38 parts of
/// 128 of them after a task. Slept for 5 ms, which are worth 50.
#[test]
fn waiting_is_sleep() {
    for (wait, expected) in [(Sleep(5), 50_000 + 900_000), (Wait(5), 50_000 + 267_187)] {
        let scripts = [script(19, &[Run(5), wait]), {
            let mut other = hog(0);
            other.begin = 5;
            other
        }];
        let (sleep, _) = state(rules(V2_6_11, 100), &scripts, 105);
        assert_eq!(sleep, expected, "{wait:?}");
    }
}

/// A task that has slept for long, and one that only computes.
fn interactive_and_hog(nice: i8) -> [Script; 2] {
    [script(nice, &[Run(10), Sleep(1200), Run(100_000)]), hog(0)]
}

/// Task 0 wakes with 900 ms, which are bonus 9. At the end of its slices 810, 760, 660 and 600 ms are left of
/// it: bonus 8, 7, 6, and 118 is the last level that is interactive.
#[test]
fn an_interactive_task_stays_active() {
    let expected = [
        (0, Some(0)),
        (10, Some(1)),
        (1210, Some(0)),
        (1610, Some(1)),
        (1710, Some(0)),
    ];
    let scripts = interactive_and_hog(0);
    assert_eq!(runs(V2_6_8, &scripts, 1711), expected);
    let charges = [1211, 1311, 1411, 1611].map(|end| state(rules(V2_6_8, 100), &scripts, end));
    let levels = charges.map(|(_, level)| level);
    assert_eq!(levels, [116, 117, 118, 119]);
}

/// 2.6.11 charges an eighth or a seventh for long, so the bonus lasts; 100 ms of sleep for 100 ms of
/// running at bonus 1.
#[test]
fn a_bonus_lasts_longer_without_credit() {
    let scripts = interactive_and_hog(0);
    let (schedule, _) = run::<Bitmap<Level, Boxed>>(rules(V2_6_11, 100), &scripts, 4000);
    let until = |version| {
        let runs = runs(version, &scripts, 4000);
        runs[3].0
    };
    assert_eq!((until(V2_6_8), until(V2_6_11)), (1610, 2910));
    assert_eq!(schedule[2909], Some(0));
}

/// Task 1 has expired at 1310 and has a better nice value than the interactive task 0. So this expires at
/// the end of its slice, which is 75 ms in whole ticks, and task 2 has its own before the arrays are swapped.
#[test]
fn a_better_nice_value_does_not_wait() {
    let [interactive, hog_0] = interactive_and_hog(5);
    let scripts = [interactive, hog_0, hog(10)];
    let runs = runs(V2_6_11, &scripts, 1431);
    let expected = [(1310, Some(0)), (1380, Some(2)), (1430, Some(0))];
    assert_eq!(runs[runs.len() - 3..], expected);
}

/// Three interactive tasks keep the CPU, and a fourth one waits. With four tasks ready, slices that end
/// 4010 ms after the first one that did are followed by a swap. Some of them end before the fourth task
/// last ran, and those after may take 300 ms and the sleep between them.
#[test]
fn tasks_do_not_starve_in_the_expired_array() {
    let busy = |begin| Script {
        begin,
        ..script(0, &[Run(30), Sleep(20)])
    };
    let scripts = [busy(0), busy(7), busy(13), hog(0)];
    for version in [V2_6_8, V2_6_11] {
        let runs = runs(version, &scripts, 20_000);
        let begins = runs.iter().filter(|run| run.1 == Some(3)).map(|run| run.0);
        let begins: Vec<u64> = begins.collect();
        let longest = begins.windows(2).map(|two| two[1] - two[0]).max();
        assert!(
            (3_800..4_700).contains(&longest.unwrap()),
            "{version:?} {begins:?}"
        );
    }
}

/// Both wake at level 116 with bonus 9. Bonus 8 makes turns of 20 ms of those of 10 ms; task 1, which has
/// waited for 10 ms, has it later. Only 2.6.8 lowers the level of task 0 with the bonus, at 1240, so task 1
/// keeps the CPU at 1250.
#[test]
fn interactive_tasks_take_turns() {
    let one = || script(0, &[Run(10), Sleep(1200), Run(100_000)]);
    let mut scripts = [one(), one()];
    scripts[1].steps[1] = Sleep(1190);
    let first = [1210, 1220, 1230, 1240];
    for (version, next) in [
        (V2_6_8, [1270, 1290, 1310].as_slice()),
        (V2_6_11, &[1250, 1270, 1280, 1300, 1310]),
    ] {
        let runs = runs(version, &scripts, 1311);
        let turns = first
            .iter()
            .chain(next)
            .zip([Some(0), Some(1)].into_iter().cycle());
        let expected: Vec<_> = turns.map(|(&at, task)| (at, task)).collect();
        assert_eq!(runs[3..], expected, "{version:?}");
    }
}

/// A hundred and one decisions at which there is no sleep to use up: then sleep is worth at most a slice.
#[test]
fn little_credit() {
    let with = |yields: usize| {
        let mut steps = [Run(1), Yield].repeat(yields);
        steps.extend([Sleep(50), Run(10)]);
        let end = u64::try_from(yields).unwrap() + 51;
        [V2_6_8, V2_6_11].map(|version| state(rules(version, 100), &[script(0, &steps)], end).0)
    };
    assert_eq!(with(99), [500_000, 500_000]);
    assert_eq!(with(101), [100_000, 500_000]);
}

/// A hundred and one long sleeps: then running costs a ninth, as always in 2.6.11.
#[test]
fn much_credit() {
    let with = |sleeps: usize| {
        let mut steps = [Run(1), Sleep(1200)].repeat(sleeps);
        steps.extend([Run(9), Sleep(1)]);
        let end = u64::try_from(sleeps).unwrap() * 1201 + 10;
        [V2_6_8, V2_6_11].map(|version| state(rules(version, 1000), &[script(0, &steps)], end).0)
    };
    // 1020 − 102 ms.
    assert_eq!(with(102), [917_000, 899_000]);
    assert_eq!(with(10), [909_000, 899_000]);
}

#[test]
fn real_time_is_first() {
    let scripts = [
        hog(-20),
        real_time(LinuxClass::RoundRobin(50), &[Run(250), Sleep(1000)]),
        real_time(LinuxClass::RoundRobin(50), &[Run(250), Sleep(1000)]),
        real_time(LinuxClass::Fifo(60), &[Run(300), Sleep(1000)]),
        real_time(LinuxClass::Fifo(40), &[Run(30), Sleep(1000)]),
    ];
    let expected = [
        (0, Some(3)),
        (300, Some(1)),
        (400, Some(2)),
        (500, Some(1)),
        (600, Some(2)),
        (700, Some(1)),
        (750, Some(2)),
        (800, Some(4)),
        (830, Some(0)),
    ];
    for version in [V2_6_8, V2_6_11] {
        assert_eq!(runs(version, &scripts, 831), expected);
    }
}

fn used() -> Usage {
    Usage::default()
}

/// Three hogs, of which the first has expired.
fn expired<Q>() -> LinuxO1<Q>
where
    Q: flyball_policy::Queue<Level, Storage = Boxed>,
{
    let mut policy = LinuxO1::<Q>::new(rules(V2_6_11, 100), 4);
    for task in 0..3 {
        let task = TaskId(task);
        policy.admit(task, LinuxTask::normal(0), units(0)).unwrap();
        let why = Ready::Released { release: units(0) };
        let _ = policy.ready(CPU, task, why, units(0));
    }
    assert_eq!(policy.pick(CPU, units(0)).unwrap().task, TaskId(0));
    for tick in 1..=10 {
        assert_eq!(policy.next_alarm(CPU), Some(units(tick * 10)));
        let resched = policy.alarm(CPU, units(tick * 10));
        assert_eq!(resched.includes(CPU), tick == 10);
    }
    let _ = policy.stopped(CPU, TaskId(0), used(), Stop::Preempted, units(100));
    assert_eq!(policy.pick(CPU, units(100)).unwrap().task, TaskId(1));
    policy
}

/// An owner does not expire while a task waits for it.
#[test]
fn a_task_that_inherits_is_active() {
    let mut policy = expired::<Bitmap<Level, Boxed>>();
    let urgent = LinuxTask {
        nice: 0,
        class: LinuxClass::Fifo(1),
    };
    policy.admit(TaskId(3), urgent, units(100)).unwrap();
    assert!(
        policy
            .inherit(TaskId(0), Some(TaskId(3)), units(100))
            .includes(CPU)
    );
    assert_eq!((policy.level(TaskId(0)), policy.level(TaskId(3))), (98, 98));
    assert!(policy.compare(TaskId(0), TaskId(1)).is_lt());
    let _ = policy.stopped(CPU, TaskId(1), used(), Stop::Preempted, units(101));
    assert_eq!(policy.pick(CPU, units(101)).unwrap().task, TaskId(0));
    for tick in 11..=20 {
        let _ = policy.alarm(CPU, units(tick * 10));
    }
    let _ = policy.stopped(CPU, TaskId(0), used(), Stop::Yielded, units(200));
    assert_eq!(policy.pick(CPU, units(200)).unwrap().task, TaskId(0));
    assert!(
        policy.inherit(TaskId(0), None, units(201)).includes(CPU) || policy.level(TaskId(0)) == 125
    );
    let _ = policy.stopped(CPU, TaskId(0), used(), Stop::Blocked, units(202));
    assert_eq!(policy.pick(CPU, units(202)).unwrap().task, TaskId(1));
}

/// Both arrays know the groups of tasks, and the CPU's.
#[test]
fn arrays_are_sorted_by_group() {
    let mut policy = expired::<StrictLists<Level, Boxed>>();
    policy
        .admit(TaskId(3), LinuxTask::normal(0), units(100))
        .unwrap();
    let _ = policy.regroup(TaskId(3), Group(1), units(100));
    let _ = policy.regroup(TaskId(1), Group(1), units(100));
    let _ = policy.ready(CPU, TaskId(3), Ready::Unblocked, units(100));
    // Before task 2, which came before it.
    let _ = policy.stopped(CPU, TaskId(1), used(), Stop::Blocked, units(150));
    assert_eq!(policy.pick(CPU, units(150)).unwrap().task, TaskId(3));
    assert_eq!(policy.group(TaskId(3)), Group(1));
    let _ = policy.stopped(CPU, TaskId(3), used(), Stop::Completed, units(151));
    assert_eq!(policy.pick(CPU, units(151)).unwrap().task, TaskId(2));
}

/// There are ticks while a task runs that takes notice of them.
#[test]
fn ticks_are_for_tasks_with_slices() {
    let mut policy = expired::<Bitmap<Level, Boxed>>();
    assert_eq!(policy.next_alarm(CPU), Some(units(110)));
    let urgent = LinuxTask {
        nice: 0,
        class: LinuxClass::Fifo(1),
    };
    assert!(
        policy
            .adjust(TaskId(1), urgent, units(100))
            .unwrap()
            .includes(CPU)
    );
    let _ = policy.stopped(CPU, TaskId(1), used(), Stop::Preempted, units(100));
    assert_eq!(policy.pick(CPU, units(100)).unwrap().task, TaskId(1));
    assert!(!policy.has_alarms());
    for (task, time) in [(1, 137), (2, 138), (0, 139)] {
        let task = TaskId(task);
        let _ = policy.stopped(CPU, task, used(), Stop::Blocked, units(time));
        let next = policy.pick(CPU, units(time));
        let alarm = next.map(|_| units(140));
        assert_eq!(policy.next_alarm(CPU), alarm);
    }
}

#[test]
fn what_linux_does_not_have_is_refused() {
    let mut policy = LinuxO1::<Bitmap<Level, Boxed>>::new(rules(V2_6_11, 100), 2);
    let refused = Err(Refused::Invalid(Parameter::Priority));
    let mut admit =
        |task, nice, class| policy.admit(TaskId(task), LinuxTask { nice, class }, units(0));
    for nice in [-21, 20] {
        assert_eq!(admit(0, nice, LinuxClass::Normal), refused);
    }
    for priority in [0, 100, 255] {
        assert_eq!(admit(0, 0, LinuxClass::Fifo(priority)), refused);
        assert_eq!(admit(0, 0, LinuxClass::RoundRobin(priority)), refused);
    }
    assert_eq!(admit(0, -20, LinuxClass::Fifo(99)), Ok(()));
    assert_eq!(admit(0, 0, LinuxClass::Normal), Err(Refused::Member));
    assert_eq!(admit(2, 0, LinuxClass::Normal), Err(Refused::Full));
    let task = LinuxTask::normal(0);
    assert_eq!(
        policy.adjust(TaskId(1), task, units(0)).map(|_| ()),
        Err(Refused::NotAdmitted)
    );
    // One word has the levels from 224 on.
    let mut small = LinuxO1::<Bitmap<Level, Boxed, 1>>::new(rules(V2_6_11, 100), 2);
    assert_eq!(small.admit(TaskId(0), task, units(0)), refused);
}

fn emitted(value: &impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.emit(&mut |part| bytes.extend(part));
    bytes
}

#[test]
fn bytes() {
    let classes = [
        LinuxClass::Normal,
        LinuxClass::Fifo(1),
        LinuxClass::RoundRobin(99),
    ];
    for (nice, class) in [-20, 0, 19].into_iter().zip(classes) {
        let task = LinuxTask { nice, class };
        let bytes = emitted(&task);
        assert_eq!(LinuxTask::parse(&mut &bytes[..]), Some(task));
    }
    for bytes in [[0, 1, 0], [1, 0, 0], [2, 100, 0], [3, 1, 0], [0, 0, 20]] {
        assert_eq!(LinuxTask::parse(&mut &bytes[..]), None);
    }
    for version in [V2_6_8, V2_6_11] {
        let bytes = emitted(&rules(version, 250));
        assert_eq!(
            LinuxRules::parse(&mut &bytes[..]),
            Some(rules(version, 250))
        );
    }
    let slow = emitted(&rules(V2_6_8, 99));
    assert_eq!(LinuxRules::parse(&mut &slow[..]), None);
}
