//! The five series: what each adds to PH, and what its experiments change.
//!
//! **Structure as published; baseline numbers of PN, AH, SH and SA are ours, since the published
//! ones were not at hand. No result of these may be compared with published ones**, nor may one of
//! experiments 5 and 6.
//!
//! Published and known (the paper's abstract): the kinds of tasks, namely periodic, aperiodic
//! (sporadic) and synchronisation (server), with execution times and deadlines; the five series;
//! and that an experiment changes the number of tasks, execution times, blocking times or deadlines
//! until a deadline is missed. Ours:
//!
//! * **PN**: 2, 3, 7, 13 and 31 Hz, the largest primes not above PH's frequencies. Each task asks
//!   for 64 kilo-whets a second, as there.
//! * **AH**: PH; a sporadic task with a hard deadline (2 kilo-whets, 125 ms to 250 ms apart at
//!   random, due after 125 ms); and one in the background that computes without end and deadline.
//! * **SH**: PH; in the middle of each periodic job a server does a kilo-whet of it, for one job at
//!   a time. It is a mutex with priority inheritance.
//! * **SA**: AH and SH.
//!
//! | experiment | what changes from one iteration to the next | series |
//! |---|---|---|
//! | 1 to 4 | what PH's [`Test`]s change of the periodic tasks | all |
//! | 5 | deadlines of periodic tasks come closer by a twentieth of the period | all |
//! | 6 | the server takes a kilo-whet longer for task 1, the slowest | SH, SA |
//!
//! In experiment 6 hardly more is asked for, but what the server does for task 1 the others are
//! blocked for:
//!
//! ```text
//!                     released ↓                ↓ due
//!  task 5  ▇▇__________________.............▇▇▇________
//!  task 1  __▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇░░░░░░░░░░░░░░░░___▇▇▇▇▇▇▇▇    . blocked, ░ served
//! ```

use super::workload::{self, BASELINE, KILO_WHET, Setup, Test};
use flyball_model::{Arrival, Length, Mutex, Protocol, Step, Task, TaskSet};
use flyball_trace::Duration;
use std::fmt;

/// Which tasks there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Series {
    /// Periodic tasks with harmonic frequencies.
    PH,
    /// Periodic tasks with frequencies that are not harmonic.
    PN,
    /// PH with aperiodic processing.
    AH,
    /// PH with synchronisation.
    SH,
    /// PH with aperiodic processing and synchronisation.
    SA,
}

/// What grows from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Growth {
    /// What a test of the PH series changes.
    Test(Test),
    /// How close deadlines are: by a twentieth of the period each time, down to what a job
    /// computes.
    Deadlines,
    /// What the server computes for task 1: by a kilo-whet each time. Without a server nothing
    /// grows.
    Blocking,
}

/// An experiment of a series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Experiment {
    /// Which tasks there are.
    pub series: Series,
    /// What grows.
    pub growth: Growth,
}

/// What is to be said wherever a result of PN, AH, SH or SA is.
pub const OURS: &str = "structure as published; baseline numbers are ours, since the published ones were \
                        not at hand; no result may be compared with published ones";

/// The server, as steps count mutexes.
const SERVER: u16 = 0;

impl Series {
    /// All five, in the order of the paper.
    pub const ALL: [Series; 5] = [Series::PH, Series::PN, Series::AH, Series::SH, Series::SA];

    /// Its name: two letters.
    pub const fn name(self) -> &'static str {
        match self {
            Series::PH => "PH",
            Series::PN => "PN",
            Series::AH => "AH",
            Series::SH => "SH",
            Series::SA => "SA",
        }
    }

    /// What the letters stand for.
    pub const fn title(self) -> &'static str {
        match self {
            Series::PH => "periodic tasks, harmonic frequencies",
            Series::PN => "periodic tasks, nonharmonic frequencies",
            Series::AH => "periodic tasks with aperiodic processing",
            Series::SH => "periodic tasks with synchronisation",
            Series::SA => "periodic tasks with aperiodic processing and synchronisation",
        }
    }

    /// Its experiments, in the order of their numbers.
    pub fn experiments(self) -> Vec<Experiment> {
        let tests = Test::ALL.map(Growth::Test).into_iter();
        tests
            .chain([Growth::Deadlines])
            .chain(self.has_server().then_some(Growth::Blocking))
            .map(|growth| Experiment {
                series: self,
                growth,
            })
            .collect()
    }

    /// Frequencies in hertz, and what a job computes; PN's to the nearest nanosecond.
    fn baseline(self) -> [(u64, Duration); 5] {
        match self {
            Series::PN => [2, 3, 7, 13, 31].map(|frequency| {
                let second = (KILO_WHET * 64).as_nanos();
                let load = Duration::from_nanos((second + frequency / 2) / frequency);
                (frequency, load)
            }),
            _ => BASELINE.map(|(frequency, load)| (frequency, KILO_WHET * load)),
        }
    }

    fn has_server(self) -> bool {
        matches!(self, Series::SH | Series::SA)
    }

    fn has_aperiodic(self) -> bool {
        matches!(self, Series::AH | Series::SA)
    }
}

impl Growth {
    /// Its experiment's number, from 1.
    pub fn number(self) -> usize {
        match self {
            Growth::Test(test) => test.number(),
            Growth::Deadlines => Test::ALL.len() + 1,
            Growth::Blocking => Test::ALL.len() + 2,
        }
    }
}

impl Experiment {
    /// The tasks of an iteration: the main thread first, the periodic ones, and then those without
    /// a period. Iteration 0 is the baseline.
    pub fn tasks(self, iteration: u32, setup: Setup) -> Vec<Task> {
        let Experiment { series, growth } = self;
        let (test, more) = match growth {
            Growth::Test(test) => (test, iteration),
            // All tests have the same baseline.
            Growth::Deadlines | Growth::Blocking => (Test::Tasks, 0),
        };
        let steps = |of| {
            if growth == of {
                u64::from(iteration)
            } else {
                0
            }
        };
        let mut tasks = workload::grown(series.baseline(), test, more, setup);
        for (number, task) in tasks.iter_mut().enumerate().skip(1) {
            if series.has_server() {
                let longer = u64::from(number == 1) * steps(Growth::Blocking);
                serve(task, KILO_WHET * longer);
            }
            approach(task, steps(Growth::Deadlines));
        }
        if series.has_aperiodic() {
            tasks.extend([sporadic(setup), background()]);
        }
        tasks
    }

    /// An iteration as a task set of its own, all of whose tasks start together.
    pub fn task_set(self, iteration: u32, setup: Setup) -> TaskSet {
        if let (Series::PH, Growth::Test(test)) = (self.series, self.growth) {
            return workload::task_set(test, iteration, setup);
        }
        let server = self.series.has_server().then(|| Mutex {
            name: "server".to_owned(),
            protocol: Protocol::Inherit,
        });
        TaskSet {
            name: format!("Hartstone {self}, iteration {iteration}"),
            source: Some(format!("{}; {OURS}", workload::SOURCE)),
            tasks: self.tasks(iteration, setup),
            mutexes: server.into_iter().collect(),
            ..TaskSet::default()
        }
    }
}

impl From<Test> for Experiment {
    /// The PH series'.
    fn from(test: Test) -> Experiment {
        Experiment {
            series: Series::PH,
            growth: Growth::Test(test),
        }
    }
}

impl fmt::Display for Experiment {
    /// `SH 6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.series.name(), self.growth.number())
    }
}

/// Has the server do a kilo-whet of each job, and `more` that the job did not have to do.
fn serve(task: &mut Task, more: Duration) {
    let compute = |length| Step::Compute(Length::Fixed(length));
    let own = task.wcet.saturating_sub(KILO_WHET);
    let before = Duration::from_nanos(own.as_nanos() / 2);
    task.wcet += more;
    task.behaviour = vec![
        compute(before),
        Step::Lock(SERVER),
        compute(KILO_WHET + more),
        Step::Unlock(SERVER),
        compute(own.saturating_sub(before)),
    ];
}

/// Brings the deadline of a periodic task closer by so many twentieths of the period.
fn approach(task: &mut Task, twentieths: u64) {
    task.deadline = task.arrival.period().map(|period| {
        let closer = period.as_nanos() * twentieths / 20;
        let deadline = period.saturating_sub(Duration::from_nanos(closer));
        // A task that asks for more than its period is late anyhow, and keeps its deadline.
        deadline.max(task.wcet.min(period))
    });
}

fn sporadic(setup: Setup) -> Task {
    let separation = Duration::from_millis(125);
    Task {
        arrival: Arrival::Sporadic {
            separation,
            gap: Length::Uniform {
                min: separation,
                max: separation * 2,
            },
        },
        on_miss: setup.on_miss,
        ..Task::periodic("sporadic", separation, KILO_WHET * 2)
    }
}

fn background() -> Task {
    let compute = Step::Compute(Length::Fixed(KILO_WHET));
    Task {
        wcet: Duration::MAX,
        ..workload::endless("background", vec![compute])
    }
}
