//! Task sets that run on a machine instead of in a simulation.
//!
//! Running them is not this crate's work; here is what comes before it (which settings, for how
//! long) and after it (what the schedule says about the set).

use flyball_analysis::Fit;
use flyball_catalogue::{Origin, Placement, Written};
use flyball_model::behaviour::count;
use flyball_model::{Overheads, Setting, Step, Task, TaskSet, Value};
use flyball_policy::Subtask;
use flyball_sim::SimError;
use flyball_study::Recorder;
use flyball_study::StudyError;
use flyball_study::Values;
use flyball_study::assigned;
use flyball_study::horizon::{MOST_JOBS, horizon};
use flyball_study::message_paths;
use flyball_study::note::Note;
use flyball_study::reason::Obstacle;
use flyball_study::registry::{Entry, Registry};
use flyball_study::results::{Simulated, Study};
use flyball_study::semi;
use flyball_study::theory::{Effort, Findings, Theory};
use flyball_study::verdict::weigh_measured;
use flyball_study::{Observed, report};
use flyball_trace::{Duration, Event, Sink, Time};

/// A task set that is to run on a machine under one policy.
pub struct Measurement<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) values: Values,
    pub(crate) file: String,
    pub(crate) set: TaskSet,
    pub(crate) theory: Result<Findings, Obstacle>,
    pub(crate) until: Duration,
    pub(crate) notes: Vec<Note>,
    subtasks: Vec<Vec<Subtask>>,
    scheduler: Box<dyn Written>,
}

/// Budgets are longer by so much on machines for the end of a job, and for each of its calls: what the
/// kernel does there is on the budget.
const CALL: Duration = Duration::from_micros(6);
/// More calls than these are left to the `allowance` of the set.
const MOST_CALLS: u64 = 19;
/// At least by so much where all CPUs share a kernel, for whose lock jobs wait, too.
const SHARED: Duration = Duration::from_micros(50);
/// And by so much for each instant at which the kernel may interrupt a job for another task: when that
/// is released, and when it has suspended itself for long enough.
const INTERRUPT: Duration = Duration::from_micros(2);

/// Makes budgets longer, where a policy has such and the set does not say by how much.
fn allow(entry: &Entry, set: &mut TaskSet) {
    let has = |name| entry.settings().iter().any(|setting| setting.name == name);
    let is_call = |step: &Step| {
        !matches!(
            step,
            Step::Compute(_) | Step::Overrun { .. } | Step::Stalling { .. } | Step::Result(_)
        )
    };
    let calls = set.tasks.iter().map(|it| count(&it.behaviour, &is_call));
    let calls = calls.fold(0, u64::max).min(MOST_CALLS);
    let job = match entry.placement {
        Placement::Global => SHARED.max(CALL * (calls + 1)),
        _ => CALL * (calls + 1),
    };
    let allowances = [
        ("allowance", Value::Duration(job)),
        ("interrupts", Value::Decimal(interrupts(&set.tasks))),
    ];
    for (name, value) in allowances.into_iter().filter(|&(name, _)| has(name)) {
        let policy = set.policies.entry(entry.name.to_owned()).or_default();
        let values = policy.values.entry(name.to_owned());
        values.or_insert(Setting { value, place: None });
    }
}

/// The part of the CPU that interrupts may take at most, rounded up to millionths.
fn interrupts(tasks: &[Task]) -> String {
    let is_suspension = |step: &Step| matches!(step, Step::Suspend(_));
    let part = |task: &Task| {
        let period = task.arrival.period()?.as_nanos();
        let times = count(&task.behaviour, &is_suspension).saturating_add(1);
        let millionths = (INTERRUPT * times).as_nanos().saturating_mul(1_000_000);
        Some(millionths.div_ceil(period))
    };
    let all: u64 = tasks.iter().filter_map(part).fold(0, u64::saturating_add);
    format!("0.{:06}", all.min(999_999))
}

/// What happened on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured<'a> {
    /// The first events, in order; time zero is when the set started.
    pub events: &'a [Event],
    /// Until when that is all that happened.
    pub end: Time,
    /// How many later events are not known.
    pub dropped: u64,
}

impl<'a> Measurement<'a> {
    /// Looks at `set`, read from `file`, before it runs under `policy`: for `until`, or else for as
    /// long as a simulation would, but no longer than `patience`. Where tasks run is decided by
    /// `fit`, or by the policy's settings, if no task says it.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn new(
        registry: &'a Registry,
        policy: &str,
        file: &str,
        mut set: TaskSet,
        until: Option<Duration>,
        patience: Duration,
        fit: Option<Fit>,
    ) -> Result<Measurement<'a>, StudyError> {
        registry.check_settings(file, &set)?;
        let entry = registry.find(policy)?;
        allow(entry, &mut set);
        let values = entry.values(file, &set)?;
        let mut notes = Vec::new();
        let assigned = assigned(&set, entry, &values, fit)?;
        notes.extend(assigned.note.map(Note::Policy));
        set = assigned.set.into_owned();
        entry.fits(&values, &set)?;
        if !set.platform.overheads.are_free() {
            notes.push(Note::OverheadsIgnored);
            set.platform.overheads = Overheads::default();
        }
        let subtasks = match entry.theory {
            Theory::Split(splitter) => {
                semi::subtasks(&set, splitter).map_err(|none| semi::no_room(&set, none))?
            }
            _ => Vec::new(),
        };
        let theory = entry.analyse(&values, &set, Effort::FULL);
        if theory.is_ok() {
            notes.push(Note::KernelNotFree);
        }
        let until = until.unwrap_or_else(|| {
            let slice = entry.shortest_burst(&values, &set);
            let whole = horizon(
                &set,
                theory.as_ref().is_ok_and(Findings::is_decided),
                slice,
                MOST_JOBS,
            )
            .until;
            if whole > patience {
                notes.push(Note::ShortRun {
                    ran: patience,
                    whole,
                });
            }
            whole.min(patience)
        });
        let scheduler = entry.written(&values, &set).map_err(SimError::Settings)?;
        Ok(Measurement {
            entry,
            scheduler,
            values,
            file: file.to_owned(),
            set,
            theory,
            until,
            notes,
            subtasks,
        })
    }

    /// The task set, as far as it concerns the machine.
    pub fn set(&self) -> &TaskSet {
        &self.set
    }

    /// The policy's name.
    pub fn policy(&self) -> &'static str {
        self.entry.name
    }

    /// The configured scheduler, for an image.
    pub fn scheduler(&self) -> &dyn Written {
        &*self.scheduler
    }

    /// Where the scheduler's source is.
    pub fn origin(&self) -> Origin {
        self.entry.origin
    }

    /// How many CPUs share their tasks.
    pub fn cluster(&self) -> u8 {
        self.entry.cluster(&self.values, &self.set)
    }

    /// The subtasks of each task, if the policy splits tasks between CPUs; nothing if it does not.
    pub fn subtasks(&self) -> &[Vec<Subtask>] {
        &self.subtasks
    }

    /// For how long it is to run.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// What the schedule says about the set: a study of one policy.
    pub fn conclude(mut self, measured: &Measured<'_>) -> Study {
        let cpus = self.set.platform.cpus;
        let mut recorder = Recorder::new(&self.set, cpus, self.entry.name, usize::MAX);
        recorder.follow_paths(message_paths(&self.set));
        measured
            .events
            .iter()
            .for_each(|&event| recorder.record(event));
        let length = measured.end.since(Time::ZERO);
        if measured.dropped > 0 {
            self.notes.push(Note::EventsLost {
                after: length,
                lost: measured.dropped,
            });
        }
        let verdict = weigh_measured(&self.set, &self.theory, recorder.first_miss(), length);
        let group_changes = recorder.group_changes();
        let (summary, mut trace) = recorder.finish(measured.end);
        trace.header.dropped = measured.dropped;
        let simulated = Simulated {
            until: length,
            jobs: summary.jobs(),
            misses: summary.misses(),
            preemptions: summary.preemptions(),
            context_switches: summary.context_switches(),
            group_changes,
        };
        let observed = Observed {
            verdict,
            simulated,
            speeds: None,
            summary,
            trace,
        };
        let report = report(
            self.entry,
            &self.values,
            &self.set,
            self.theory,
            observed,
            Effort::FULL.slacks,
            self.notes,
        );
        Study {
            file: self.file,
            set: self.set,
            cpus,
            policies: vec![report],
            notes: Vec::new(),
            measured: None,
        }
    }
}
