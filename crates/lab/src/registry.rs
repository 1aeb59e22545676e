//! Which policies there are.
//!
//! An [`Entry`] is a policy with a name: what it is, what it can be told, what theory knows about
//! it, and how it is made. A user's own policy becomes one of them by an entry of its own:
//!
//! ```
//! # use flyball_lab::{Entry, Registry, Theory};
//! # use flyball_sim::schedulers::Edf;
//! let registry = Registry::standard()
//!     .with(Entry::new("mine", "My own policy", "like EDF, but mine", |_| Edf));
//! assert!(registry.find("mine").is_ok());
//! ```

use crate::error::LabError;
use crate::recorder::Recorder;
use crate::settings::{Parameter, Values, unknown_policy};
use crate::several::CLUSTER;
use crate::theory::{Findings, Obstacle, Theory, analyse_clusters};
use flyball_model::{ModelError, TaskSet};
use flyball_policy::Words;
use flyball_sim::schedulers::{Dm, Edf, Fifo, Fp, FpRr, Llf, Rm, Rr};
use flyball_sim::{Modes, Options, Outcome, Scheduler, SimError, Sustainable, simulate_modes};
use flyball_trace::{Duration, Time};
use std::ops::ControlFlow;

/// Told how far a simulation has come; may end it.
pub type Watch<'a> = dyn FnMut(Time) -> ControlFlow<()> + 'a;

type Run =
    dyn Fn(&Values, &Modes, &Options, &mut Recorder, &mut Watch<'_>) -> Result<Outcome, SimError>;

/// Says why settings do not go together.
type Check = dyn Fn(&Values) -> Result<(), String>;

/// The settings for an image.
type Tell = dyn Fn(&Values) -> Words;

/// How many CPUs share a kernel.
type Size = dyn Fn(&Values) -> usize;

type Fits = dyn Fn(&Values, &TaskSet) -> Result<(), SimError>;

/// A policy with a name.
pub struct Entry {
    /// Its name on the command line and in task sets.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it can be told.
    pub parameters: Vec<Parameter>,
    /// What is known about it.
    pub theory: Theory,
    /// It is another policy where there is one CPU, and not studied there unless it is asked for.
    pub several: bool,
    /// It is another policy under a name that says more, and only studied if it is asked for.
    pub alias: bool,
    run: Box<Run>,
    /// What its schedules say about jobs that ask for less.
    sustainable: Sustainable,
    /// How it is simulated where tasks may run on some CPUs only, if it is another one then, and what
    /// its schedules say about jobs that ask for less.
    affine: Option<(Box<Run>, Sustainable)>,
    fits: Box<Fits>,
    cluster: Box<Size>,
    check: Box<Check>,
    words: Box<Tell>,
}

impl Entry {
    /// A policy without settings and without theory; see [`Entry::with_parameter`] and
    /// [`Entry::with_theory`]. `make` makes its scheduler from its settings.
    pub fn new<S: Scheduler + 'static>(
        name: &'static str,
        title: &'static str,
        about: &'static str,
        make: impl Fn(&Values) -> S + Clone + 'static,
    ) -> Entry {
        let (make_again, make_for_size) = (make.clone(), make.clone());
        Entry {
            name,
            title,
            about,
            parameters: Vec::new(),
            theory: Theory::None,
            several: false,
            alias: false,
            check: Box::new(|_| Ok(())),
            words: Box::new(|values| values.quantum().map_or(Words::NONE, Words::of_quantum)),
            run: Box::new(move |values, modes, options, recorder, watch| {
                simulate_modes(modes, &make(values), options, recorder, watch)
            }),
            sustainable: S::SUSTAINABLE,
            affine: None,
            fits: Box::new(move |values, set| flyball_sim::fits(set, &make_again(values))),
            cluster: Box::new(move |values| make_for_size(values).cluster()),
        }
    }

    /// The policy can be told this.
    #[must_use]
    pub fn with_parameter(mut self, parameter: Parameter) -> Entry {
        self.parameters.push(parameter);
        self
    }

    /// Settings have to go together, each of which would do: `check` says why they do not.
    #[must_use]
    pub fn with_check(mut self, check: impl Fn(&Values) -> Result<(), String> + 'static) -> Entry {
        self.check = Box::new(check);
        self
    }

    /// An image of the policy is told its settings in these words; otherwise only the quantum, if it has
    /// one.
    #[must_use]
    pub fn with_words(mut self, words: impl Fn(&Values) -> Words + 'static) -> Entry {
        self.words = Box::new(words);
        self
    }

    /// This is known about the policy.
    #[must_use]
    pub fn with_theory(mut self, theory: Theory) -> Entry {
        self.theory = theory;
        self
    }

    /// The policy is for several CPUs, and nothing new on one.
    #[must_use]
    pub fn for_several_cpus(mut self) -> Entry {
        self.several = true;
        self
    }

    /// The policy is another one under a name that says more.
    #[must_use]
    pub fn as_alias(mut self) -> Entry {
        self.alias = true;
        self
    }

    /// How many of a task set's CPUs share a kernel: 1 is partitioned scheduling, all is global
    /// scheduling, and what lies between is clustered.
    pub fn cluster(&self, values: &Values, set: &TaskSet) -> u8 {
        let cpus = set.platform.cpus.max(1);
        let size = (self.cluster)(values).clamp(1, cpus.into());
        u8::try_from(size).unwrap_or(cpus)
    }

    /// Whether it is another of the policies by another name, or on the CPUs of this set: all of them on
    /// one, and clustered ones where a cluster is all there is, or one CPU. Whoever wants all policies wants
    /// them once.
    ///
    /// # Errors
    /// As [`Entry::values`].
    pub fn is_another(&self, file: &str, set: &TaskSet) -> Result<bool, LabError> {
        if self.alias || !self.several {
            return Ok(self.alias);
        }
        let cluster = self.cluster(&self.values(file, set)?, set);
        let is_clustered = self.parameters.iter().any(|known| known.name == CLUSTER);
        let cpus = set.platform.cpus;
        Ok(cpus <= 1 || is_clustered && (cluster == 1 || cluster == cpus))
    }

    /// What theory proves about a task set under the policy.
    ///
    /// # Errors
    /// [`Obstacle`] if the set has something that the theory does not cover.
    pub fn analyse(&self, values: &Values, set: &TaskSet) -> Result<Findings, Obstacle> {
        let cluster = match self.theory {
            // Jobs go from CPU to CPU, though each has a kernel of its own.
            Theory::Split(_) => set.platform.cpus,
            _ => self.cluster(values, set),
        };
        analyse_clusters(self.theory, set, cluster, values.quantum())
    }

    /// The policy is simulated in a way of its own.
    #[must_use]
    pub(crate) fn simulated_by(
        mut self,
        run: impl Fn(&Modes, &Options, &mut Recorder, &mut Watch<'_>) -> Result<Outcome, SimError>
        + 'static,
    ) -> Entry {
        self.run = Box::new(move |_, modes, options, recorder, watch| {
            run(modes, options, recorder, watch)
        });
        self.sustainable = Sustainable::NO;
        self
    }

    /// Where tasks may run on some CPUs only the policy is made in another way.
    #[must_use]
    pub(crate) fn with_affinities<S: Scheduler + 'static>(
        mut self,
        make: impl Fn(&Values) -> S + 'static,
    ) -> Entry {
        let run: Box<Run> = Box::new(move |values, modes, options, recorder, watch| {
            simulate_modes(modes, &make(values), options, recorder, watch)
        });
        self.affine = Some((run, S::SUSTAINABLE));
        self
    }

    /// Whether the policy knows of tasks that may run on some CPUs only.
    pub(crate) fn knows_affinities(&self) -> bool {
        self.affine.is_some()
    }

    /// If its setting `queue` is this one, the policy is made in another way. It schedules alike.
    #[must_use]
    pub(crate) fn with_queue<S: Scheduler + 'static>(
        mut self,
        queue: &'static str,
        make: impl Fn(&Values) -> S + 'static,
    ) -> Entry {
        let run = self.run;
        self.run = Box::new(move |values, modes, options, recorder, watch| {
            if values.text("queue") == queue {
                simulate_modes(modes, &make(values), options, recorder, watch)
            } else {
                run(values, modes, options, recorder, watch)
            }
        });
        self
    }

    /// The policy's settings for a task set.
    ///
    /// # Errors
    /// [`ModelError`] if the task set sets something that the policy does not have, or that does not
    /// go together.
    pub fn values(&self, file: &str, set: &TaskSet) -> Result<Values, ModelError> {
        let settings = set.policies.get(self.name);
        let values = Values::new(file, self.name, &self.parameters, settings)?;
        (self.check)(&values).map_err(|why| ModelError {
            kind: flyball_model::Kind::OutOfRange,
            file: Some(file.to_owned()),
            place: settings.and_then(|settings| settings.place),
            field: Some(format!("policies.{}", self.name)),
            message: why,
            help: None,
            excerpt: None,
        })?;
        Ok(values)
    }

    /// Whether the task set says all that the policy has to know, and where tasks run.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn fits(&self, values: &Values, set: &TaskSet) -> Result<(), SimError> {
        (self.fits)(values, set)
    }

    /// The settings as an image of the policy is told them.
    pub fn words(&self, values: &Values) -> Words {
        (self.words)(values)
    }

    /// Simulates a task set under the policy.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn simulate(
        &self,
        values: &Values,
        set: &TaskSet,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError> {
        self.simulate_modes(values, &set.clone().into(), options, recorder, watch)
    }

    /// Simulates a task set that changes while it runs.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn simulate_modes(
        &self,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError> {
        let affine = self.affine.as_ref();
        let affine = affine.filter(|_| modes.all().limited().is_some());
        let run = affine.map_or(&self.run, |(run, _)| run);
        run(values, modes, options, recorder, watch)
    }

    /// What a schedule of `set` under the policy says about jobs that ask for less.
    pub fn sustainable(&self, set: &TaskSet) -> Sustainable {
        let affine = self.affine.as_ref().filter(|_| set.limited().is_some());
        affine.map_or(self.sustainable, |(_, sustainable)| *sustainable)
    }
}

/// All policies, in the order in which they are listed and studied.
pub struct Registry(Vec<Entry>);

impl Registry {
    /// The policies that come with Flyball.
    pub fn standard() -> Registry {
        let period =
            |task: &flyball_model::Task| task.arrival.period().map_or(u64::MAX, Duration::as_nanos);
        let deadline =
            |task: &flyball_model::Task| task.deadline.map_or(u64::MAX, Duration::as_nanos);
        let priority =
            |task: &flyball_model::Task| u64::MAX - u64::from(task.priority.unwrap_or(0));
        let quantum = |about| Parameter::duration("quantum", about, Duration::from_millis(10));
        Registry(
            vec![
                Entry::new(
                    "fp",
                    "Fixed priorities",
                    "the largest `priority` first",
                    |_| Fp,
                )
                .with_theory(Theory::FixedPriority(priority)),
                Entry::new(
                    "fp-rr",
                    "Fixed priorities, round robin among equals",
                    "the largest `priority` first; equals take turns, as with SCHED_RR",
                    |values| FpRr {
                        quantum: values.duration("quantum"),
                    },
                )
                .with_parameter(quantum("how long a turn is")),
                Entry::new("rm", "Rate monotonic", "the shortest period first", |_| Rm)
                    .with_theory(Theory::FixedPriority(period)),
                Entry::new(
                    "dm",
                    "Deadline monotonic",
                    "the shortest relative deadline first",
                    |_| Dm,
                )
                .with_theory(Theory::FixedPriority(deadline)),
                Entry::new(
                    "edf",
                    "Earliest deadline first",
                    "the nearest absolute deadline first",
                    |_| Edf,
                )
                .with_theory(Theory::EarliestDeadline),
                Entry::new(
                    "llf",
                    "Least laxity first",
                    "the job that could wait the shortest time, compared once a quantum",
                    |values| Llf {
                        quantum: values.duration("quantum"),
                    },
                )
                .with_parameter(Parameter::duration(
                    "quantum",
                    "how long a job runs before laxities are compared again",
                    Duration::from_millis(1),
                )),
                Entry::new("rr", "Round robin", "everyone takes turns", |values| Rr {
                    quantum: values.duration("quantum"),
                })
                .with_parameter(quantum("how long a turn is")),
                Entry::new(
                    "fifo",
                    "First in, first out",
                    "whoever became ready first, to the end",
                    |_| Fifo,
                ),
                crate::ipi::entry(),
            ]
            .into_iter()
            .chain(crate::several::entries())
            .collect(),
        )
    }

    /// These policies and one more. An entry of the same name is replaced.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Registry {
        self.0.retain(|other| other.name != entry.name);
        self.0.push(entry);
        self
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The entry of that name.
    ///
    /// # Errors
    /// [`LabError::UnknownPolicy`].
    pub fn find(&self, name: &str) -> Result<&Entry, LabError> {
        self.0
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| LabError::UnknownPolicy {
                name: name.to_owned(),
                known: self.0.iter().map(|entry| entry.name.to_owned()).collect(),
            })
    }

    /// Clusters have `cluster` CPUs each under all policies that know clusters, whatever the set said.
    pub fn set_cluster(&self, set: &mut TaskSet, cluster: u8) {
        for entry in &self.0 {
            if entry.parameters.iter().any(|known| known.name == CLUSTER) {
                let settings = set.policies.entry(entry.name.to_owned()).or_default();
                let size = flyball_model::Value::Integer(cluster.into()).into();
                settings.values.insert(CLUSTER.to_owned(), size);
            }
        }
    }

    /// Checks the settings that a task set has for policies, all of them.
    ///
    /// # Errors
    /// [`ModelError`] for the first that is wrong.
    pub fn check_settings(&self, file: &str, set: &TaskSet) -> Result<(), ModelError> {
        for (name, settings) in &set.policies {
            let Some(entry) = self.0.iter().find(|entry| entry.name == name) else {
                let known: Vec<_> = self.0.iter().map(|entry| entry.name).collect();
                return Err(unknown_policy(file, name, settings.place, &known));
            };
            entry.values(file, set)?;
        }
        Ok(())
    }
}
