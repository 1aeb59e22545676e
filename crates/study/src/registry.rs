//! Which policies there are, for the laboratory: those of the catalogue, and a user's own.
//!
//! An [`Entry`] is a scheduler with a name, and with what theory knows about it. A user's own
//! policy becomes one of them by an entry of its own:
//!
//! ```
//! # use flyball_study::{Entry, Registry};
//! # use flyball_catalogue::Edf as MyScheduler;
//! let registry = Registry::standard()
//!     .with(Entry::new::<MyScheduler>("My own policy", "like EDF, but mine"));
//! assert!(registry.find("edf").is_ok());
//! ```

mod described;

use crate::error::StudyError;
use crate::reason::Obstacle;
use crate::theory::{Effort, Findings, Theory, analyse_clusters};
use flyball_catalogue::{Origin, Placement, Scheduler, Setting, Shape, Sustainable, Written};
use flyball_model::{ModelError, Settings, Task, TaskSet};
pub use flyball_schedulers::Watch;
use flyball_schedulers::settings::{check_task, show, unknown_policy};
use flyball_schedulers::{CLUSTER, Recorder, Schedulers, Values, listed, quantum};
use flyball_sim::{Modes, Options, Outcome, SimError};
use flyball_trace::Duration;

/// A policy with a name.
pub struct Entry {
    /// Its name on the command line and in task sets.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What is known about it.
    pub theory: Theory,
    /// Where tasks run.
    pub placement: Placement,
    /// It is another policy under a name that says more, and only studied if it is asked for.
    pub alias: bool,
    /// Another name by which it is found.
    pub also: Option<&'static str>,
    /// Where its source is.
    pub origin: Origin,
    /// What tells it from another policy of its name, such as a checksum of its source, if it does not
    /// come with Flyball: results that are kept in files are this one's then.
    pub source: Option<String>,
    schedulers: Schedulers,
}

impl Entry {
    /// A scheduler under its own name, without theory; see [`Entry::with_theory`].
    pub fn new<S: Scheduler + 'static>(title: &'static str, about: &'static str) -> Entry {
        Entry {
            name: S::NAME,
            title,
            about,
            theory: Theory::None,
            placement: match S::SHAPE {
                Shape::One => Placement::Assigned,
                Shape::Several | Shape::Affine => Placement::Global,
            },
            alias: false,
            also: None,
            origin: Origin::Unknown,
            source: None,
            schedulers: Schedulers::of::<S>(),
        }
    }

    /// A scheduler that `make` configures for each task set, with what this `entry` of the same scheduler says of it: for
    /// policies of another language, of which there may be many of one type.
    #[must_use]
    pub fn made_by<S: Scheduler + 'static>(
        self,
        settings: Vec<Setting>,
        make: impl Fn(&Values, &TaskSet) -> Result<S, &'static str> + Send + Sync + 'static,
    ) -> Entry {
        let schedulers = Schedulers::by(settings, make);
        Entry { schedulers, ..self }
    }

    /// A policy of the catalogue; `None` if the catalogue lists a scheduler that it does not have,
    /// which a test refutes.
    fn of(entry: &'static flyball_catalogue::Entry) -> Option<Entry> {
        Some(Entry {
            name: entry.name,
            title: entry.title,
            about: entry.about,
            theory: Theory::of(entry),
            placement: entry.placement,
            alias: entry.alias,
            also: entry.also,
            origin: Origin::Catalogue,
            source: None,
            schedulers: listed(entry)?,
        })
    }

    /// What it can be told.
    pub fn settings(&self) -> &[Setting] {
        &self.schedulers.settings
    }

    /// What each task can tell it.
    pub fn task_settings(&self) -> &'static [Setting] {
        self.schedulers.task_settings
    }

    /// Whether this is a name of the policy, in upper or lower case.
    pub fn is_called(&self, name: &str) -> bool {
        let mut names = [self.name].into_iter().chain(self.also);
        names.any(|own| own.eq_ignore_ascii_case(name))
    }

    /// How long the time slices of a task are, if it has any.
    pub fn slice_of(&self, values: &Values, task: &Task) -> Option<Duration> {
        quantum::of_task(self.name, values, task)
    }

    /// The shortest time slice of any task; `None`: nothing interrupts a job after some time.
    pub fn shortest_slice(&self, values: &Values, set: &TaskSet) -> Option<Duration> {
        quantum::shortest(self.name, values, set)
    }

    /// How long a job runs at least before the policy ends its burst; `None`: as long as it likes.
    pub fn shortest_burst(&self, values: &Values, set: &TaskSet) -> Option<Duration> {
        self.shortest_slice(values, set)
            .or_else(|| values.shortest_burst())
    }

    /// Makes the policy's time slices as long as `slice`; those of tasks that say their own change
    /// by as much.
    #[must_use]
    pub fn with_slice(&self, values: &Values, set: &mut TaskSet, slice: Duration) -> Values {
        quantum::with_slice(self.name, values, set, slice)
    }

    /// This is known about the policy.
    #[must_use]
    pub fn with_theory(mut self, theory: Theory) -> Entry {
        self.theory = theory;
        self
    }

    /// An image of the scheduler can be built, from this source.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Entry {
        self.origin = origin;
        self
    }

    /// How many of a task set's CPUs share a kernel: 1 is partitioned scheduling, all is global
    /// scheduling, and what lies between is clustered.
    pub fn cluster(&self, values: &Values, set: &TaskSet) -> u8 {
        let cpus = set.platform.cpus.max(1);
        let size = self.schedulers.cluster(values);
        // Larger than any platform is all of it.
        u8::try_from(size).map_or(cpus, |size| size.clamp(1, cpus))
    }

    /// Whether it is another of the policies by another name, or on the CPUs of this set: all of
    /// them on one, and clustered ones where a cluster is all there is, or one CPU. A study of all
    /// policies has each of them once.
    ///
    /// # Errors
    /// As [`Entry::values`].
    pub fn is_another(&self, file: &str, set: &TaskSet) -> Result<bool, StudyError> {
        if self.alias || self.placement.is_assigned() {
            return Ok(self.alias);
        }
        let cluster = self.cluster(&self.values(file, set)?, set);
        let is_clustered = self.placement == Placement::Clustered;
        let cpus = set.platform.cpus;
        Ok(cpus <= 1 || is_clustered && (cluster == 1 || cluster == cpus))
    }

    /// Whether the policy hears of what jobs say of themselves when they end.
    pub fn takes_results(&self) -> bool {
        self.schedulers.takes_results()
    }

    /// Whether the policy is told how many messages queues hold.
    pub fn takes_levels(&self) -> bool {
        self.schedulers.takes_levels()
    }

    /// Whether the policy is told which task waits for which, and lets the owner of a mutex run in the
    /// place of those that wait for it.
    pub fn takes_waits(&self) -> bool {
        self.schedulers.takes_waits()
    }

    /// What theory proves about a task set under the policy, with so much work.
    ///
    /// # Errors
    /// [`Obstacle`] if the set has something that the theory does not cover.
    pub fn analyse(
        &self,
        values: &Values,
        set: &TaskSet,
        effort: Effort,
    ) -> Result<Findings, Obstacle> {
        let cluster = match self.theory {
            // Jobs go from CPU to CPU, though each has a kernel of its own.
            Theory::Split(_) => set.platform.cpus,
            _ => self.cluster(values, set),
        };
        analyse_clusters(self.theory, set, cluster, values.quantum(), effort)
    }

    /// Whether the policy knows of tasks that may run on some CPUs only.
    pub(crate) fn knows_affinities(&self) -> bool {
        self.schedulers.knows_affinities()
    }

    /// The policy's settings for a task set.
    ///
    /// # Errors
    /// [`ModelError`] if the task set, or one of its tasks, sets something that the policy does not
    /// have, or that does not go together.
    pub fn values(&self, file: &str, set: &TaskSet) -> Result<Values, ModelError> {
        let settings = set.policies.get(self.name);
        let values = Values::new(file, self.name, self.settings(), settings)?;
        let values = values
            .with_speeds(set.platform.speeds.as_ref())
            .with_tick(set.platform.tick);
        for task in &set.tasks {
            check_task(file, self.name, self.task_settings(), task)?;
        }
        let check = self.schedulers.check(&values, set);
        check.map_err(|why| ModelError {
            kind: flyball_model::Kind::OutOfRange,
            file: Some(file.to_owned()),
            place: settings.and_then(|settings| settings.place),
            field: Some(format!("policies.{}", self.name)),
            message: why.to_owned(),
            help: None,
            excerpt: None,
        })?;
        Ok(values)
    }

    /// The policy's settings as a user would write them, and those of the first eight tasks that
    /// have any.
    pub fn shown(&self, values: &Values, set: &TaskSet) -> Vec<(String, String)> {
        const MOST_TASKS: usize = 8;
        let tables = set.tasks.iter().filter_map(|task| {
            let table = task.policies.get(self.name)?;
            Some((&task.name, &table.values))
        });
        let of_tasks = tables.take(MOST_TASKS).flat_map(|(task, table)| {
            let shown = |(key, found): (&String, &flyball_model::Setting)| {
                (format!("{task}: {key}"), show(&found.value))
            };
            table.iter().map(shown).collect::<Vec<_>>()
        });
        values.shown().into_iter().chain(of_tasks).collect()
    }

    /// Whether the task set says all that the policy has to know, and where tasks run.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn fits(&self, values: &Values, set: &TaskSet) -> Result<(), SimError> {
        self.schedulers.fits(self.name, values, set)
    }

    /// The configured scheduler, for an image.
    ///
    /// # Errors
    /// Says why the values do not go together; those that [`Entry::values`] returned do.
    pub fn written(
        &self,
        values: &Values,
        set: &TaskSet,
    ) -> Result<Box<dyn Written>, &'static str> {
        self.schedulers.written(values, set)
    }

    /// What a schedule of `set` under the policy says about jobs that ask for less. Nothing, where
    /// tasks are split.
    pub fn sustainable(&self, set: &TaskSet) -> Sustainable {
        match self.theory {
            Theory::Split(_) => Sustainable::NO,
            _ => self.schedulers.sustainable(set),
        }
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
        if let Theory::Split(splitter) = self.theory {
            return crate::semi::simulate(splitter, modes, options, recorder, watch);
        }
        self.schedulers
            .simulate(self.name, values, modes, options, recorder, watch)
    }
}

/// All policies, in the order in which they are listed and studied.
pub struct Registry(Vec<Entry>);

impl Registry {
    /// The policies that come with Flyball: those of the catalogue.
    pub fn standard() -> Registry {
        Registry(flyball_catalogue::entries().filter_map(Entry::of).collect())
    }

    /// These policies and one more. An entry of the same name is replaced.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Registry {
        self.add(entry);
        self
    }

    /// One more. An entry of the same name is replaced.
    pub fn add(&mut self, entry: Entry) {
        self.0.retain(|other| other.name != entry.name);
        self.0.push(entry);
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The entry of that name, in upper or lower case.
    ///
    /// # Errors
    /// [`StudyError::UnknownPolicy`].
    pub fn find(&self, name: &str) -> Result<&Entry, StudyError> {
        self.0
            .iter()
            .find(|entry| entry.is_called(name))
            .ok_or_else(|| StudyError::UnknownPolicy {
                name: name.to_owned(),
                known: self.0.iter().map(|entry| entry.name.to_owned()).collect(),
            })
    }

    /// Clusters have `cluster` CPUs each under all policies that know clusters, whatever the set
    /// said.
    pub fn set_cluster(&self, set: &mut TaskSet, cluster: u8) {
        for entry in &self.0 {
            if entry.placement == Placement::Clustered {
                let settings = set.policies.entry(entry.name.to_owned()).or_default();
                let size = flyball_model::Value::Integer(cluster.into()).into();
                settings.values.insert(CLUSTER.to_owned(), size);
            }
        }
    }

    /// Checks the settings that a task set and its tasks have for policies, all of them.
    ///
    /// # Errors
    /// [`ModelError`] for the first that is wrong.
    pub fn check_settings(&self, file: &str, set: &TaskSet) -> Result<(), ModelError> {
        let find = |name: &str, task, settings: &Settings| {
            let is_it = |entry: &&Entry| entry.name == name || entry.also == Some(name);
            self.0.iter().find(is_it).ok_or_else(|| {
                let known: Vec<_> = self.0.iter().map(|entry| entry.name).collect();
                unknown_policy(file, name, task, settings.place, &known)
            })
        };
        for (name, settings) in &set.policies {
            let entry = find(name, None, settings)?;
            // Policies with another name have no settings, so none is looked for under it.
            Values::new(file, name, entry.settings(), Some(settings))?;
            entry.values(file, set)?;
        }
        for task in &set.tasks {
            for (name, settings) in &task.policies {
                let entry = find(name, Some(task), settings)?;
                check_task(file, name, entry.task_settings(), task)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_of_the_catalogue_is_there_and_may_be_shared_by_threads() {
        fn may_be_shared<T: Send + Sync>(_: &T) {}
        let registry = Registry::standard();
        may_be_shared(&registry);
        let names: Vec<_> = registry.iter().map(|entry| entry.name).collect();
        let catalogue: Vec<_> = flyball_catalogue::entries()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(names, catalogue);
    }

    #[test]
    fn a_policy_is_found_by_its_other_name_under_which_it_has_no_settings() {
        let registry = Registry::standard();
        let found = registry.find("EDF-CD").map(|entry| entry.name);
        assert_eq!(found.ok(), Some("c=d"));
        for entry in registry.iter().filter(|entry| entry.also.is_some()) {
            assert!(entry.settings().is_empty() && entry.task_settings().is_empty());
        }
    }
}
