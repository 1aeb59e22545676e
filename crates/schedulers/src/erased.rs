//! A scheduler whose type has been forgotten.

use crate::reads::{Read, reads};
use crate::recorder::{Recorder, Watch};
use crate::settings::Values;
use flyball_catalogue::{Facts, Profile, Scheduler, Setting, Sustainable, Written};
use flyball_model::TaskSet;
use flyball_policy::{Boxed, Policy};
use flyball_sim::{Called, Modes, Options, Outcome, SimError, simulate_modes};

/// The schedulers of one policy.
pub struct Schedulers {
    /// What the policy can be told.
    pub settings: Vec<Setting>,
    /// What each task can tell it.
    pub task_settings: &'static [Setting],
    /// How it works and where it was published.
    pub profile: Profile,
    pub(crate) scheduler: Box<dyn Erased>,
    /// The scheduler where tasks may run on some CPUs only, if it is another one then.
    pub(crate) affine: Option<Box<dyn Erased>>,
    /// Schedulers that schedule alike, by what the setting `queue` says.
    pub(crate) queues: Vec<(&'static str, Box<dyn Erased>)>,
}

impl Schedulers {
    /// One scheduler, for all sets.
    pub fn of<S: Scheduler + 'static>() -> Schedulers {
        Schedulers {
            settings: S::SETTINGS.to_vec(),
            task_settings: S::TASK_SETTINGS,
            profile: S::PROFILE,
            scheduler: of::<S>(),
            affine: None,
            queues: Vec::new(),
        }
    }

    /// A scheduler that `make` configures for each task set, with these settings.
    ///
    /// # Errors
    /// `make` says why the values do not go together.
    pub fn by<S: Scheduler + 'static>(
        settings: Vec<Setting>,
        make: impl Fn(&Values, &TaskSet) -> Result<S, &'static str> + Send + Sync + 'static,
    ) -> Schedulers {
        Schedulers {
            settings,
            task_settings: S::TASK_SETTINGS,
            profile: S::PROFILE,
            scheduler: Box::new(Made(make)),
            affine: None,
            queues: Vec::new(),
        }
    }

    /// Whether values go together.
    ///
    /// # Errors
    /// Says why they do not.
    pub fn check(&self, values: &Values, set: &TaskSet) -> Result<(), &'static str> {
        self.scheduler.check(values, set)
    }

    /// How many CPUs share a kernel; 1 if the values do not go together.
    pub fn cluster(&self, values: &Values) -> usize {
        self.scheduler.cluster(values)
    }

    /// Whether the policy knows of tasks that may run on some CPUs only.
    pub fn knows_affinities(&self) -> bool {
        self.affine.is_some()
    }

    /// What it reads from a task, beside where that may run; nothing, where it cannot be made with
    /// its settings at their defaults.
    pub fn reads(&self) -> Vec<Read> {
        let values = Values::new("", "", &self.settings, None).unwrap_or_default();
        let scheduler = self.scheduler.written(&values, &TaskSet::default());
        scheduler.map_or_else(|_| Vec::new(), |scheduler| reads(&*scheduler))
    }

    /// What a schedule of `set` says about jobs that ask for less.
    pub fn sustainable(&self, set: &TaskSet) -> Sustainable {
        match &self.affine {
            Some(affine) if set.limited().is_some() => affine.sustainable(),
            _ => self.scheduler.sustainable(),
        }
    }

    /// Whether the policy hears of what jobs say of themselves when they end.
    pub fn takes_results(&self) -> bool {
        self.scheduler.takes_results()
    }

    /// Whether the policy is told how many messages queues hold.
    pub fn takes_levels(&self) -> bool {
        self.scheduler.takes_levels()
    }

    /// Whether the policy is told which task waits for which.
    pub fn takes_waits(&self) -> bool {
        self.scheduler.takes_waits()
    }

    /// Whether the task set says all that the policy has to know, which the set calls `policy`, and
    /// where tasks run.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn fits(&self, policy: &str, values: &Values, set: &TaskSet) -> Result<(), SimError> {
        self.scheduler.fits(policy, values, set)
    }

    /// The configured scheduler, for an image.
    ///
    /// # Errors
    /// Says why the values do not go together.
    pub fn written(
        &self,
        values: &Values,
        set: &TaskSet,
    ) -> Result<Box<dyn Written>, &'static str> {
        self.chosen(values, set).written(values, set)
    }

    /// Simulates a task set that may change while it runs, and that calls the policy `policy`.
    ///
    /// # Errors
    /// [`SimError`].
    pub fn simulate(
        &self,
        policy: &str,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError> {
        self.chosen(values, modes.all())
            .simulate(policy, values, modes, options, recorder, watch)
    }

    /// The scheduler for a task set with such settings.
    fn chosen(&self, values: &Values, set: &TaskSet) -> &dyn Erased {
        let queue = values.text("queue");
        let queued = self.queues.iter().find(|(name, _)| *name == queue);
        match (&self.affine, queued) {
            (Some(affine), _) if set.limited().is_some() => &**affine,
            (_, Some((_, queued))) => &**queued,
            _ => &*self.scheduler,
        }
    }
}

/// What policies may read about the tasks of a set.
fn facts(set: &TaskSet) -> Vec<Facts> {
    let facts = |task| Facts::of(set, task);
    set.tasks.iter().map(facts).collect()
}

/// What can be done with a scheduler whose type is not known.
pub(crate) trait Erased: Send + Sync {
    /// Whether values go together.
    ///
    /// # Errors
    /// Says why they do not.
    fn check(&self, values: &Values, set: &TaskSet) -> Result<(), &'static str>;

    /// How many CPUs share a kernel; 1 if the values do not go together.
    fn cluster(&self, values: &Values) -> usize;

    /// [`Scheduler::SUSTAINABLE`].
    fn sustainable(&self) -> Sustainable;

    /// [`Wants::results`](flyball_policy::Wants::results) of the policy.
    fn takes_results(&self) -> bool;

    /// [`Wants::levels`](flyball_policy::Wants::levels) of the policy.
    fn takes_levels(&self) -> bool;

    /// [`Wants::waits`](flyball_policy::Wants::waits) of the policy.
    fn takes_waits(&self) -> bool;

    /// As [`flyball_sim::fits`].
    fn fits(&self, policy: &str, values: &Values, set: &TaskSet) -> Result<(), SimError>;

    /// As [`simulate_modes`].
    fn simulate(
        &self,
        policy: &str,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError>;

    /// The configured scheduler, for an image.
    fn written(&self, values: &Values, set: &TaskSet) -> Result<Box<dyn Written>, &'static str>;
}

/// A scheduler by the function that configures it.
struct Made<F>(F);

/// A scheduler that configures itself.
pub(crate) fn of<S: Scheduler + 'static>() -> Box<dyn Erased> {
    by::<S>(|values, tasks| S::new(values, tasks))
}

/// A scheduler that is configured by this function, from what policies may read about tasks.
pub(crate) fn by<S: Scheduler + 'static>(
    make: fn(&Values, &[Facts]) -> Result<S, &'static str>,
) -> Box<dyn Erased> {
    Box::new(Made(move |values: &Values, set: &TaskSet| {
        make(values, &facts(set))
    }))
}

impl<F, S> Erased for Made<F>
where
    F: Fn(&Values, &TaskSet) -> Result<S, &'static str> + Send + Sync,
    S: Scheduler + 'static,
{
    fn check(&self, values: &Values, set: &TaskSet) -> Result<(), &'static str> {
        self.0(values, set).map(drop)
    }

    fn cluster(&self, values: &Values) -> usize {
        let made = self.0(values, &TaskSet::default());
        made.map_or(1, |scheduler| scheduler.cluster())
    }

    fn sustainable(&self) -> Sustainable {
        S::SUSTAINABLE
    }

    fn takes_results(&self) -> bool {
        <S::Policy<Boxed, Boxed> as Policy>::WANTS.results
    }

    fn takes_levels(&self) -> bool {
        <S::Policy<Boxed, Boxed> as Policy>::WANTS.levels
    }

    fn takes_waits(&self) -> bool {
        <S::Policy<Boxed, Boxed> as Policy>::WANTS.waits
    }

    fn fits(&self, policy: &str, values: &Values, set: &TaskSet) -> Result<(), SimError> {
        let scheduler = self.0(values, set).map_err(SimError::Settings)?;
        flyball_sim::fits(set, Called::by(policy, &scheduler))
    }

    fn simulate(
        &self,
        policy: &str,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError> {
        let scheduler = self.0(values, modes.all()).map_err(SimError::Settings)?;
        let called = Called::by(policy, &scheduler);
        let watch = |now| {
            scheduler.pause();
            watch(now)
        };
        scheduler.during(|| simulate_modes(modes, called, options, recorder, watch))
    }

    fn written(&self, values: &Values, set: &TaskSet) -> Result<Box<dyn Written>, &'static str> {
        Ok(Box::new(self.0(values, set)?))
    }
}
