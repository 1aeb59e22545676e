//! At which operating points a set still holds: by hand, and against simulations.

use crate::common::{config, misses};
use flyball_catalogue::sorting::{By, Sorting};
use flyball_catalogue::{Dss, Edf, Fp};
use flyball_model::{Frequency, Share, Speeds, Task, TaskSet};
use flyball_policy::Sorts;
use flyball_study::{Effort, Registry, Slowest, slowest};
use flyball_trace::{Duration, Speed};
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Points at these frequencies, between which each change takes so long.
pub(crate) fn points(mhz: &[u64], change: impl Fn(usize, usize) -> Duration) -> Speeds {
    let frequencies = mhz
        .iter()
        .filter_map(|mhz| Frequency::hertz(mhz * 1_000_000));
    let row = |from| {
        let change = |to| {
            if from == to {
                Duration::ZERO
            } else {
                change(from, to)
            }
        };
        (0..mhz.len()).map(change).collect()
    };
    let transition = (0..mhz.len()).map(row).collect();
    Speeds::new(frequencies.collect(), transition, None).unwrap()
}

/// Tasks of 2 us in 10 us, at 1 and 2 MHz.
pub(crate) fn of_two(tasks: usize, change: Duration) -> TaskSet {
    let mut set = TaskSet {
        tasks: (0..tasks)
            .map(|number| Task::periodic(number.to_string(), us(10), us(2)))
            .collect(),
        ..TaskSet::default()
    };
    set.platform.speeds = Some(points(&[1, 2], |_, _| change));
    set
}

fn under(policy: &str, set: &TaskSet) -> Option<Slowest> {
    let found = slowest(&Registry::standard(), "", set, Effort::FULL);
    found.into_iter().find(|it| it.policy == policy)
}

#[test]
fn points_are_as_slow_as_execution_times_allow() {
    let slow = Speed(0);
    let fast = Speed(1);
    // At 1 MHz two tasks ask for 8 us in 10 us, and three for 12 us.
    let two = under("edf", &of_two(2, us(0))).unwrap();
    assert_eq!((two.all, two.each), (slow, Some(vec![slow; 2])));
    let three = under("edf", &of_two(3, us(0))).unwrap();
    assert_eq!((three.all, three.each), (fast, Some(vec![slow; 3])));
    // If one waits for memory all the time it takes no longer, and the others ask for 4 us each.
    let mut set = of_two(3, us(0));
    set.tasks[0].stalls = Share::ONE;
    assert_eq!(under("edf", &set).unwrap().all, slow);
    // 4 us, 2 us and 2 us, with three changes for each job: 8.9 us or 10.7 us.
    for (change, each) in [(100, slow), (300, fast)] {
        let found = under("edf", &of_two(3, Duration::from_nanos(change))).unwrap();
        assert_eq!((found.all, found.each), (fast, Some(vec![each; 3])));
    }
}

#[test]
fn nothing_is_said_of_what_is_not_known() {
    // It does not hold even at the fastest point.
    assert_eq!(under("edf", &of_two(6, us(0))), None);
    let mut set = of_two(2, us(0));
    set.platform.speeds = None;
    assert_eq!(under("edf", &set), None);
    // Jobs that do more than compute may make the CPU change its point more often.
    let mut set = of_two(2, us(1));
    set.tasks[0].behaviour.push(flyball_model::Step::Yield);
    assert_eq!(under("edf", &set).and_then(|it| it.each), None);
    // Fixed priorities that are not there.
    assert_eq!(under("fp", &set), None);
}

/// Up to four tasks at 1, 2 and 4 MHz, with changes up to 0.6 us.
pub(crate) fn sets() -> impl Strategy<Value = TaskSet> {
    let task = (0..6_usize, 1_u64..3_000, 0_u32..=4);
    let change = prop::collection::vec(0_u64..600, 9);
    (prop::collection::vec(task, 1..5), change).prop_map(|(tasks, change)| {
        let tasks = tasks.into_iter().enumerate();
        let tasks = tasks
            .map(|(number, (period, wcet, quarters))| {
                let period = us([8, 10, 12, 15, 20, 24][period]);
                let mut task =
                    Task::periodic(number.to_string(), period, Duration::from_nanos(wcet));
                task.priority = Some(100 - u8::try_from(number).unwrap());
                task.stalls = Share::from_millionths(quarters * 250_000);
                task
            })
            .collect();
        let mut set = TaskSet {
            tasks,
            ..TaskSet::default()
        };
        let change = |from, to| Duration::from_nanos(change[from * 3 + to]);
        set.platform.speeds = Some(points(&[1, 2, 4], change));
        set
    })
}

proptest! {
    #![proptest_config(config(200))]

    /// The simulation knows changes as they are, and what tasks take at each point.
    #[test]
    fn no_deadline_is_missed_at_the_slowest_points(set in sets()) {
        let end = us(240);
        if let Some(found) = under("edf", &set) {
            let speeds = set.platform.speeds.clone().unwrap();
            let slowed = set.slowed(&speeds, |_| found.all);
            prop_assert!(!misses(&slowed, &Edf, end));
            if let Some(slower) = found.all.0.checked_sub(1) {
                let slowed = set.slowed(&speeds, |_| Speed(slower));
                prop_assert!(misses(&slowed, &Edf, end), "{found:?}");
            }
        }
        let Some(found) = under("fp", &set) else {
            return Ok(());
        };
        prop_assert!(!misses(&set, &Fp, end));
        for (task, speed) in found.each.unwrap().into_iter().enumerate() {
            let mut set = set.clone();
            set.tasks[task].speed = Some(speed);
            let sorting = Sorting { by: By::Speed, design: None, costs: None, sorts: Sorts::ALWAYS };
            let dss = Dss { sorting, quantum: us(1_000) };
            prop_assert!(!misses(&set, &dss, end), "{task} {speed:?}");
        }
    }
}
