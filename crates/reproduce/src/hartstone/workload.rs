//! The PH series: five periodic tasks with harmonic frequencies, and four ways to ask for more.
//!
//! | task | frequency | kilo-whets a period | a second |
//! |---|---|---|---|
//! | 1 | 2 Hz | 32 | 64 |
//! | 2 | 4 Hz | 16 | 64 |
//! | 3 | 8 Hz | 8 | 64 |
//! | 4 | 16 Hz | 4 | 64 |
//! | 5 | 32 Hz | 2 | 64 |
//!
//! A kilo-whet is a thousand Whetstone instructions, and how many of them a machine does in a
//! second is what the series measured once. The thesis has it take 1.25 ms, so that the baseline
//! takes 40 % of the CPU.

use flyball_model::{Arrival, Length, OnMiss, Share, Step, Task, TaskSet};
use flyball_trace::Duration;

/// How long a kilo-whet takes (thesis, 4.3).
pub const KILO_WHET: Duration = Duration::from_micros(1_250);

/// The baseline: frequencies in hertz, and kilo-whets a period.
pub const BASELINE: [(u64, u64); 5] = [(2, 32), (4, 16), (8, 8), (16, 4), (32, 2)];

/// Where the series were published.
pub(super) const SOURCE: &str = "Weiderman and Kamenoff, Real-Time Systems 4(4), 1992";

/// How the load grows from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Test {
    /// Task 5 becomes more frequent. The series' name for it is Experiment 1.
    Frequency,
    /// All tasks become more frequent: by 10 % of the baseline each time.
    Frequencies,
    /// All jobs become longer: by a kilo-whet each time.
    Workloads,
    /// There are more tasks: a copy of task 3 each time.
    Tasks,
}

/// The rules that hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// The thesis's: in test 1 task 5 becomes more frequent by 8 Hz.
    #[default]
    Thesis,
    /// The series': by the frequency of task 4 (in PH 16 Hz, which is the least that keeps
    /// frequencies harmonic).
    Original,
}

/// How a frequency becomes a period.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Periods {
    /// To the nearest nanosecond.
    #[default]
    Exact,
    /// Whole milliseconds, rounded down, as on a board whose tick is one: 62 ms and 31 ms for 16 Hz
    /// and 32 Hz. (The thesis's board had such a tick.)
    Milliseconds,
}

/// How important the tasks are in an overload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Importance {
    /// As in the authors' programs: [`importance`](super::extended::importance).
    #[default]
    Authors,
    /// The more often a task comes, the more: the frequency that it has in the baseline, in hertz,
    /// to this power. 0: all alike.
    Frequency(u8),
}

/// What does not belong to a test itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The rules that hold.
    pub rules: Rules,
    /// How periods are rounded.
    pub periods: Periods,
    /// What a thread does that is late: [`OnMiss::Latest`] is what the authors' threads do.
    pub on_miss: OnMiss,
    /// How important the tasks are; the series has no overload, and makes no use of it.
    pub importance: Importance,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            rules: Rules::Thesis,
            periods: Periods::Exact,
            on_miss: OnMiss::Latest,
            importance: Importance::Authors,
        }
    }
}

impl Setup {
    /// The `name`-th task, which computes for `load` in every period of a frequency in thousandths
    /// of a hertz.
    pub(super) fn task(self, name: usize, frequency: u64, load: Duration) -> Task {
        let period = self.periods.period(frequency, 1_000);
        Task {
            on_miss: self.on_miss,
            ..Task::periodic(name.to_string(), period, load)
        }
    }
}

impl Test {
    /// All four.
    pub const ALL: [Test; 4] = [
        Test::Frequency,
        Test::Frequencies,
        Test::Workloads,
        Test::Tasks,
    ];

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

impl Periods {
    /// The period of a frequency of `numerator / denominator` hertz, neither of which is zero.
    pub fn period(self, numerator: u64, denominator: u64) -> Duration {
        let billions = denominator * 1_000_000_000;
        match self {
            Periods::Exact => Duration::from_nanos((billions + numerator / 2) / numerator),
            Periods::Milliseconds => Duration::from_millis(billions / numerator / 1_000_000),
        }
    }
}

/// The main thread: it sleeps so long each time.
pub(super) fn main_thread(sleep: &[Duration]) -> Task {
    let naps = sleep.iter().map(|&nap| Step::Suspend(Length::Fixed(nap)));
    endless("main", naps.collect())
}

/// A thread that does this again and again, and needs 5 %.
pub(super) fn endless(name: &str, body: Vec<Step>) -> Task {
    Task {
        arrival: Arrival::Once,
        deadline: None,
        share: Some(Share::from_millionths(50_000)),
        behaviour: vec![Step::Repeat { times: None, body }],
        ..Task::periodic(name, Duration::ZERO, Duration::ZERO)
    }
}

/// The tasks of an iteration of a test, the main thread first. Iteration 0 is the baseline.
///
/// ```
/// use flyball_reproduce::hartstone::{Setup, Test, workload::tasks};
/// use flyball_trace::Duration;
///
/// let tasks = tasks(Test::Frequency, 4, Setup::default());
/// // 32 Hz and four times 8 Hz.
/// assert_eq!(tasks[5].arrival.period(), Some(Duration::from_nanos(15_625_000)));
/// ```
pub fn tasks(test: Test, iteration: u32, setup: Setup) -> Vec<Task> {
    let baseline = BASELINE.map(|(frequency, load)| (frequency, KILO_WHET * load));
    grown(baseline, test, iteration, setup)
}

/// The same from another baseline: frequencies in hertz, which rise, and what a job computes.
pub(super) fn grown(
    baseline: [(u64, Duration); 5],
    test: Test,
    iteration: u32,
    setup: Setup,
) -> Vec<Task> {
    let i = u64::from(iteration);
    let mut tasks = vec![main_thread(&[Duration::from_secs(1)])];
    let step = match setup.rules {
        Rules::Thesis => 8,
        Rules::Original => baseline[3].0,
    };
    for (name, (frequency, load)) in (1..).zip(baseline) {
        // In thousandths of a hertz.
        let frequency = match (test, name) {
            (Test::Frequency, 5) => 1_000 * (frequency + step * i),
            (Test::Frequencies, _) => 100 * frequency * (10 + i),
            _ => 1_000 * frequency,
        };
        let load = match test {
            Test::Workloads => load + KILO_WHET * i,
            _ => load,
        };
        tasks.push(setup.task(name, frequency, load));
    }
    if test == Test::Tasks {
        let (frequency, load) = baseline[2];
        let more = (6..).take(iteration as usize);
        tasks.extend(more.map(|name| setup.task(name, 1_000 * frequency, load)));
    }
    tasks
}

/// An iteration of a test as a task set of its own, all of whose tasks start together.
pub fn task_set(test: Test, iteration: u32, setup: Setup) -> TaskSet {
    TaskSet {
        name: format!("Hartstone PH {}, iteration {iteration}", test.number()),
        source: Some(SOURCE.to_owned()),
        tasks: tasks(test, iteration, setup),
        ..TaskSet::default()
    }
}
