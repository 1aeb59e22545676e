//! Why results are what they are, as values. The crate `flyball-report` makes sentences of them.
//!
//! Names are those of the task set, so a value can be understood without it.

use flyball_analysis::charged::NoSet;
use flyball_analysis::gedf::Explanation;
use flyball_analysis::{InvalidTask, LevelMismatch, Reason, SporadicTask, Stop, Utilisation};
use flyball_model::End;
use flyball_trace::{Duration, Time};
use std::ops::Range;

/// What a verdict is concluded from: a schedule, and what theory says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What was seen in the schedule.
    pub seen: Seen,
    /// Whether a machine made the schedule, instead of the simulator.
    pub measured: bool,
    /// What theory says, or why it says nothing.
    pub theory: Result<Statement, Obstacle>,
}

/// What theory says of a task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Whether all deadlines are met; `None`: the tests cannot tell.
    pub holds: Option<bool>,
    /// Why.
    pub because: Because,
}

/// What was seen in a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A job is the first that misses its deadline.
    Miss {
        /// The job's task.
        task: String,
        /// The job's number.
        job: u32,
        /// When the miss is noticed.
        at: Time,
    },
    /// A source finds a queue full, or a sink finds too few messages in it.
    Glitch {
        /// Which of the two.
        end: End,
        /// The queue.
        queue: String,
        /// When.
        at: Time,
    },
    /// Deadlines are missed, and it is not known which.
    Misses,
    /// Tasks wait for each other.
    Deadlock {
        /// The task that closes the circle.
        task: String,
        /// The mutex that it waits for.
        mutex: String,
        /// Since when.
        at: Time,
    },
    /// No deadline is missed, and the schedule repeats itself.
    Repeats {
        /// Why that is no proof for jobs that compute for less or come later, if it is none.
        doubt: Option<Doubt>,
    },
    /// No deadline is missed.
    NoMiss {
        /// For how long.
        length: Duration,
        /// Whether each job computed for as long as it may.
        is_worst: bool,
    },
}

/// Why a set that holds with the times that were simulated may not hold with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The policy is not known to be sustainable.
    Policy,
    /// The jobs of this task may come later.
    Sporadic(String),
    /// The kernel's own work takes time.
    Overheads,
    /// This task does more than to compute.
    Does(String, Uncovered),
    /// A job of this task may have to wait for the one before it.
    Overlap(String),
}

/// What a task does that tests do not cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncovered {
    /// It uses a mutex.
    Mutex,
    /// It computes for another time than it declares.
    Overruns,
    /// It suspends itself.
    Suspends,
    /// It uses a semaphore.
    Semaphore,
    /// It uses a queue.
    Queue,
    /// It yields.
    Yields,
    /// Its jobs may arrive between the budgets of its server.
    Between,
    /// Its jobs say something of themselves when they end, and the policy acts on it.
    Results,
    /// Its jobs are released with jitter.
    Jitter,
    /// Its jobs are released by messages or signals.
    Event,
    /// It may run on some CPUs only.
    SomeCpus,
}

/// Why a test says what it says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Because {
    /// No test was asked.
    #[default]
    Nothing,
    /// Every task's longest response time is within its deadline.
    InTime,
    /// In no interval do jobs ask for more than its length.
    Demand,
    /// The same beside a job that began before and is not preempted.
    DemandBeside,
    /// The same of the jobs and the parts of jobs on each CPU.
    DemandOfParts,
    /// In each interval jobs leave as much time as a window is long.
    DemandAndWindow,
    /// Each server has its budgets by their deadlines, and that is enough for its tasks.
    Served,
    /// Whatever these tasks do, the servers of the others have their budgets by their deadlines.
    Isolated(Vec<String>),
    /// These sufficient tests accept the tasks of the clusters. None is needed where no task has
    /// a deadline.
    AcceptedBy(Vec<&'static str>),
    /// Under proportionate fairness the tasks ask for no more than all CPUs.
    Slots {
        /// The length of a slot.
        quantum: Duration,
        /// How many CPUs there are.
        cpus: u8,
        /// Whether times had to be rounded to whole slots.
        rounded: bool,
    },
    /// A test rejects the tasks, or cannot tell.
    Test {
        /// Why.
        says: Reason,
        /// The task that this is about, if it is about one.
        task: Option<String>,
    },
    /// This task asks for more than a whole CPU.
    Alone(String),
    /// However tasks are divided among the CPUs, some CPU does not hold its own.
    NoPartition,
    /// There is an interval in which the jobs ask for more than all of these CPUs.
    TooDense(Range<u8>),
    /// What a test from elsewhere says, in its own words: a sentence without a full stop.
    Own(&'static str),
    /// The tasks ask for more than there is.
    Overload {
        /// What they ask for.
        utilisation: Utilisation,
        /// Of how many CPUs.
        cpus: usize,
        /// Which CPUs these are, unless they are all.
        cluster: Option<Range<u8>>,
    },
}

/// Why theory has nothing to say of a task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// There is no test for the policy.
    NoTest,
    /// No test was asked.
    NotAsked,
    /// The platform has overheads.
    Overheads,
    /// The platform has a periodic tick.
    Tick,
    /// Sources and sinks may overrun queues, or find them empty.
    Endpoints,
    /// This task does what is not covered.
    Does(String, Uncovered),
    /// This task has a deadline and a single job.
    SingleJob(String),
    /// This task has no period, and may keep the CPU from tasks that have one.
    Background(String),
    /// This task has no period, and there are mutexes.
    MutexBeside(String),
    /// Tasks use mutexes under EDF.
    MutexUnderEdf,
    /// This mutex has no protocol, so it can block without bound.
    NoProtocol(String),
    /// Tasks of equal priorities use mutexes.
    MutexAmongEquals,
    /// This task has nested critical sections.
    Nested(String),
    /// A blocking time is out of range.
    Blocking(InvalidTask),
    /// A time of this task is out of range.
    Invalid(String, InvalidTask),
    /// There are not as many levels as tasks.
    Levels(LevelMismatch),
    /// The tests for a queue of several CPUs are for tasks that may run on all of them.
    GlobalOnSome,
    /// The tests for a queue of several CPUs do not take such times.
    GlobalInvalid(InvalidTask),
    /// None of the policy's sufficient tests accepts the tasks; and why one stopped, if one did.
    NoneAccepts(Option<Stop>),
    /// Fairness is for tasks that come again.
    FairOnce,
    /// In whole slots the tasks ask for more than there is.
    Slots {
        /// The length of a slot.
        quantum: Duration,
        /// How many CPUs there are.
        cpus: u8,
    },
    /// No place is found for this task, whole or in parts; and why a test stopped, if one did.
    NoPlace(String, Option<Stop>),
    /// A job of this task may be released a tick late, which leaves it no time.
    LateByTick(String, Duration),
    /// What a test from elsewhere does not cover, in its own words: a sentence without a full stop.
    Own(String),
}

/// The name of the test of what the tasks ask for, which no policy passes that is asked for too much.
pub(crate) const UTILISATION: &str = "utilisation";
/// The same of intervals.
pub(crate) const DEMAND: &str = "demand";

/// Why no policy can hold a set, whatever the tests say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPolicy {
    /// This task, by its place in the assessment, cannot be in time even alone.
    Alone(usize),
    /// The tasks ask for more than all CPUs.
    Overload,
    /// Jobs ask for more than there is in an interval; and what the test of one CPU says of it.
    Interval(Option<Reason>),
}

impl NoPolicy {
    /// The name of the test that says so.
    pub fn test(&self) -> &'static str {
        match self {
            NoPolicy::Alone(_) | NoPolicy::Overload => UTILISATION,
            NoPolicy::Interval(_) => DEMAND,
        }
    }
}

/// Why a test does not accept a set. Tasks are named by their places in the assessment.
#[derive(Clone, PartialEq, Debug)]
pub enum WhyNot {
    /// The test stopped.
    Stopped(Stop),
    /// The test stopped at this task, which has a time that it does not count, or has one with the
    /// kernel's work.
    TooLong(usize, SporadicTask),
    /// There is no set to ask about.
    NoSet(NoSet),
    /// What a test of global EDF says.
    Explained(Explanation),
    /// A task by itself, or all together, ask for more than there is.
    Overload,
    /// With the priorities that are given, this task is not sure to be in time.
    NotSure(usize),
    /// With no priorities that were tried are all tasks sure to be in time.
    NoPriorities,
    /// The policy has slots, and the platform a tick.
    SlotsAndTicks,
    /// In whole slots of this length the tasks ask for more than there is.
    Slots(Duration),
    /// However tasks are divided, the test of some CPU rejects its own.
    NoPartition,
    /// There is no room for this task, with what it pays for alone.
    NoRoom(usize, Option<SporadicTask>),
}

/// Which of the kernel's work is charged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChargedWork {
    /// None.
    Nothing,
    /// All of it.
    All,
    /// All but the part of this name.
    AllBut(&'static str),
}
