//! What a reader should know about a study, as values. The crate `flyball-report` makes sentences
//! of them.

use flyball_analysis::{Fit, Sequence, Stop, Utilisation};
use flyball_trace::Duration;
use std::ops::Range;

/// What a reader should know about a study, about its measurement, or about one policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// This is true of these policies, by name.
    Policies(Vec<String>, AboutPolicy),
    /// This is true of the policy whose report has the note.
    Policy(AboutPolicy),
    /// The overheads were charged that this processor has, as this statistic of what was measured.
    Charged {
        /// The processor's name.
        processor: String,
        /// The statistic's name.
        statistic: &'static str,
    },
    /// Charts and traces have this many first events, the numbers are of all.
    FirstEvents(usize),
    /// No slack was searched for, as there are more tasks than this.
    NoSlacks(usize),
    /// Work is sporadic, random or endless and does not repeat itself: so long was simulated.
    DoesNotRepeat(Duration),
    /// The release jitter of this task is not below its period: several jobs may come at once.
    LongJitter(String),
    /// Jobs of this task say something of themselves when they end, and not all policies of the
    /// study hear of it.
    ResultsUnheard {
        /// The task's name.
        task: String,
        /// All policies that do, by name, whether they are of the study or not.
        heard_by: Vec<String>,
    },
    /// Endless tasks pass messages on, and no device and no arrival of jobs gives them a rate.
    NothingDrives {
        /// One of their queues, by name.
        queue: String,
    },
    /// A queue holds one message, so a policy that looks at levels cannot tell how far it swings.
    OneMessage {
        /// The queue's name.
        queue: String,
    },
    /// A task is tied to a gauge whose level never changes, so nothing is known of its rate.
    NoReadings {
        /// The gauge's name.
        gauge: String,
        /// The task's name.
        task: String,
    },
    /// The servers of a CPU ask for more than it has.
    ServersAskTooMuch {
        /// The CPU.
        cpu: u8,
        /// The first server that is too much beside those before it, by name.
        server: String,
        /// What it asks for.
        asked: Utilisation,
        /// What those before it ask for: no more than the CPU.
        taken: Utilisation,
    },
    /// The hyperperiod is longer than the simulation.
    LongHyperperiod {
        /// How long it is; `None`: longer than a [`Duration`] can be.
        length: Option<Duration>,
        /// How long the simulation is.
        simulated: Duration,
    },
    /// The tasks' affinities allow a scheduler that meets all deadlines.
    Feasible,
    /// The tasks' affinities ask no CPUs for more than there is of them. That is necessary, and no
    /// more.
    NotOverloaded,
    /// This task asks for more than a whole CPU.
    TooLarge(String),
    /// These tasks may run on these CPUs only, and ask for more than there is of them.
    Overloaded {
        /// The tasks, by name.
        tasks: Vec<String>,
        /// The CPUs.
        cpus: Vec<usize>,
        /// What the tasks ask for.
        utilisation: Utilisation,
    },
    /// A board has overheads of its own, so those of the file are ignored.
    OverheadsIgnored,
    /// What theory says takes the kernel's work to be free, which it is not on a board.
    KernelNotFree,
    /// The machine ran for a shorter time than a simulation would.
    ShortRun {
        /// How long it ran.
        ran: Duration,
        /// How long a simulation would be.
        whole: Duration,
    },
    /// A policy that was asked for has no image for the machine.
    NotMeasured {
        /// The policy's name.
        policy: String,
        /// The machine's name.
        machine: &'static str,
    },
    /// The machine had no room for later events.
    EventsLost {
        /// When there was no more room.
        after: Duration,
        /// How many events are not known.
        lost: u64,
    },
}

/// What a reader should know about a policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AboutPolicy {
    /// It was left out; the error says why.
    LeftOut(String),
    /// Tasks were assigned to clusters of CPUs.
    Assigned {
        /// How a place was searched for.
        way: Way,
        /// The fit that was to be taken, but found no places that sufficient tests accept, and why
        /// one stopped before that, if one did.
        instead_of: Option<(Fit, Option<Stop>)>,
        /// How many CPUs a cluster has.
        size: u8,
        /// The clusters' CPUs, and the names of the tasks on them.
        clusters: Vec<(Range<u8>, Vec<String>)>,
    },
    /// These tasks were split; maybe none.
    Split(Vec<SplitNote>),
    /// A server is hurt by critical sections of tasks that are not its own.
    Shares(Shared),
    /// So are others, with so many mutexes.
    SharesMore(usize),
}

/// A mutex that a task of a server shares with tasks that are not of that server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// The task's name.
    pub task: String,
    /// The name of its server; `None`: it has one of its own.
    pub server: Option<String>,
    /// The mutex's name.
    pub mutex: String,
    /// The names of the others whose critical sections may be in its way.
    pub owners: Vec<String>,
    /// How often a job locks the mutex; `None`: again and again, without end.
    pub locks: Option<u64>,
    /// What that does to the server.
    pub harm: Harm,
}

/// What critical sections of other tasks do to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    /// They use its budget while its task waits.
    Budget {
        /// How much of it each section uses at most; `None`: that is not known, as it contains others or
        /// has no end.
        section: Option<Duration>,
        /// Whether there is at most one each time that the task locks the mutex. If not, how many
        /// there may be is not known.
        is_once: bool,
        /// Whether the owner may pause in a section: then the task waits for longer, and that uses nothing.
        pauses: bool,
    },
    /// Its task waits until the owner has had enough budgets of its own.
    Wait {
        /// For how long, each time; `None`: that is not known.
        longest: Option<Duration>,
    },
}

/// How tasks were assigned to CPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Each got a place that the fit names, and they came in this order.
    Fit(Fit, Sequence),
    /// By trying all ways.
    Any,
}

impl Way {
    /// Its name: `first-fit` and so on, or `all-ways`.
    pub const fn name(self) -> &'static str {
        match self {
            Way::Fit(fit, _) => fit.name(),
            Way::Any => "all-ways",
        }
    }
}

/// How a task was split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitNote {
    /// The task's name.
    pub task: String,
    /// Of each subtask: its execution time, the window for it, and its CPU.
    pub subtasks: Vec<(Duration, Duration, usize)>,
}

/// Notes about some policies and not about others, in the order in which they came up.
#[derive(Default)]
pub struct ByPolicy(Vec<(AboutPolicy, Vec<String>)>);

impl ByPolicy {
    /// Adds a note about a policy.
    pub fn add(&mut self, policy: &str, note: AboutPolicy) {
        match self.0.iter_mut().find(|(other, _)| *other == note) {
            Some((_, policies)) => policies.push(policy.to_owned()),
            None => self.0.push((note, vec![policy.to_owned()])),
        }
    }

    /// Returns each note once, with the policies that it is about.
    pub fn notes(self) -> Vec<Note> {
        let notes = self.0.into_iter();
        notes
            .map(|(note, policies)| Note::Policies(policies, note))
            .collect()
    }
}
