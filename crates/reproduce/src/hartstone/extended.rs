//! The extended benchmark: for a while, more is asked for than there is (thesis, 4.4).
//!
//! ```text
//!   48 %   ┌──────┐
//!  ────────┘ 120 %└────────────── 48 % ─────────────
//!  0      30 s   45 s                            120 s
//! ```
//!
//! | test | 48 % | overload | by the authors' set-up |
//! |---|---|---|---|
//! | 1 | task 5 at 64 Hz | at 333 Hz | 115 % (116 % with whole milliseconds) |
//! | 2 | frequencies × 1.2 | × 3.125 | 125 % |
//! | 3 | one kilo-whet more each | eleven more | 125 % |
//! | 4 | a sixth task | fifteen tasks | 120 % |
//!
//! The text says 120 %, and the authors' programs what the last column says (the comment of one of
//! them says 118 % for test 3). [`Overload::Stated`] is what the text says.

use super::workload::{BASELINE, Importance, KILO_WHET, Setup, Test, main_thread};
use flyball_model::{Task, TaskSet};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// When the overload begins, when it ends, and when the experiment ends.
pub const PHASES: [Duration; 3] = [
    Duration::from_secs(30),
    Duration::from_secs(45),
    Duration::from_secs(120),
];

/// How much the overload is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overload {
    /// As in the authors' programs.
    #[default]
    Authors,
    /// 120 %, and 48 % before and after it, as the text says.
    Stated,
}

/// How important the tasks are, in the authors' programs; those of test 4 that come later too, of
/// which all but the first have no more than 1.
pub fn importance(test: Test) -> &'static [u16] {
    match test {
        Test::Frequency => &[1, 1, 1, 1, 125],
        Test::Frequencies => &[1, 2, 10, 10, 10],
        Test::Workloads => &[10, 10, 10, 10, 1],
        Test::Tasks => &[1, 1, 100, 100, 100, 100, 100],
    }
}

/// The tasks, in the overload or not, the main thread first.
pub fn tasks(test: Test, overload: Overload, setup: Setup, in_overload: bool) -> Vec<Task> {
    let [start, end, all] = PHASES;
    let stated = overload == Overload::Stated;
    let mut tasks = vec![main_thread(&[
        start,
        end.saturating_sub(start),
        all.saturating_sub(end),
    ])];
    let pick = |calm: u64, busy: u64| if in_overload { busy } else { calm };
    for (name, (frequency, load)) in (1..).zip(BASELINE) {
        // In thousandths of a hertz.
        let frequency = match (test, name) {
            (Test::Frequency, 5) => 1_000 * pick(64, if stated { 352 } else { 333 }),
            (Test::Frequencies, _) => frequency * pick(1_200, if stated { 3_000 } else { 3_125 }),
            _ => frequency * 1_000,
        };
        let more = match (test, stated) {
            (Test::Workloads, false) => KILO_WHET * pick(1, 11),
            // 62 jobs a second take 8 % or 80 % more of it.
            (Test::Workloads, true) => Duration::from_nanos(pick(8, 80) * 1_000_000_000 / 6_200),
            _ => Duration::ZERO,
        };
        tasks.push(setup.task(name, frequency, KILO_WHET * load + more));
    }
    if test == Test::Tasks {
        let (frequency, load) = BASELINE[2];
        let more = if in_overload { 6..=15 } else { 6..=6 };
        tasks.extend(more.map(|name| setup.task(name, 1_000 * frequency, KILO_WHET * load)));
    }
    let important = tasks.iter_mut().skip(1);
    match setup.importance {
        Importance::Authors => {
            for (task, &importance) in important.zip(importance(test)) {
                task.importance = Some(importance);
            }
        }
        Importance::Frequency(power) => {
            // The tasks that are added are copies of task 3.
            let frequencies = BASELINE.map(|(frequency, _)| frequency);
            let more = std::iter::repeat(frequencies[2]);
            for (task, frequency) in important.zip(frequencies.into_iter().chain(more)) {
                let importance = frequency.saturating_pow(power.into());
                task.importance = Some(u16::try_from(importance).unwrap_or(u16::MAX));
            }
        }
    }
    tasks
}

/// The whole experiment.
pub fn modes(test: Test, overload: Overload, setup: Setup) -> Modes {
    let tasks = |in_overload| tasks(test, overload, setup, in_overload);
    let set = TaskSet {
        name: format!("Hartstone, extended, {}", test.number()),
        tasks: tasks(false),
        ..TaskSet::default()
    };
    let [start, end, _] = PHASES;
    Modes::from(set)
        .then(start, tasks(true))
        .then(end, tasks(false))
}
