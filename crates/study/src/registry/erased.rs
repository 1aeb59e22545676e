//! A scheduler whose type has been forgotten.

use super::Watch;
use crate::recorder::Recorder;
use crate::settings::Values;
use flyball_catalogue::{Facts, Scheduler, Sustainable, Written};
use flyball_model::TaskSet;
use flyball_sim::{Modes, Options, Outcome, SimError, simulate_modes};

/// What can be done with a scheduler whose type is not known.
pub(super) trait Erased: Send + Sync {
    /// Whether values go together.
    ///
    /// # Errors
    /// Says why they do not.
    fn check(&self, values: &Values, tasks: &[Facts]) -> Result<(), &'static str>;

    /// How many CPUs share a kernel; 1 if the values do not go together.
    fn cluster(&self, values: &Values) -> usize;

    /// [`Scheduler::SUSTAINABLE`].
    fn sustainable(&self) -> Sustainable;

    /// As [`flyball_sim::fits`].
    fn fits(&self, values: &Values, set: &TaskSet) -> Result<(), SimError>;

    /// As [`simulate_modes`].
    fn simulate(
        &self,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError>;

    /// The configured scheduler, for an image.
    fn written(&self, values: &Values, tasks: &[Facts]) -> Result<Box<dyn Written>, &'static str>;
}

/// A scheduler by the function that configures it.
pub(super) struct Made<S>(fn(&Values, &[Facts]) -> Result<S, &'static str>);

impl<S: Scheduler + 'static> Made<S> {
    /// A scheduler that is configured by this function.
    pub(super) fn by(make: fn(&Values, &[Facts]) -> Result<S, &'static str>) -> Box<dyn Erased> {
        Box::new(Made(make))
    }

    fn make(&self, values: &Values, set: &TaskSet) -> Result<S, SimError> {
        self.0(values, &super::facts(set)).map_err(SimError::Settings)
    }
}

impl Made<()> {
    /// A scheduler that configures itself.
    pub(super) fn of<S: Scheduler + 'static>() -> Box<dyn Erased> {
        Made::<S>::by(|values, tasks| S::new(values, tasks))
    }
}

impl<S: Scheduler + 'static> Erased for Made<S> {
    fn check(&self, values: &Values, tasks: &[Facts]) -> Result<(), &'static str> {
        self.0(values, tasks).map(drop)
    }

    fn cluster(&self, values: &Values) -> usize {
        self.0(values, &[]).map_or(1, |scheduler| scheduler.cluster())
    }

    fn sustainable(&self) -> Sustainable {
        S::SUSTAINABLE
    }

    fn fits(&self, values: &Values, set: &TaskSet) -> Result<(), SimError> {
        flyball_sim::fits(set, &self.make(values, set)?)
    }

    fn simulate(
        &self,
        values: &Values,
        modes: &Modes,
        options: &Options,
        recorder: &mut Recorder,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, SimError> {
        let scheduler = self.make(values, modes.all())?;
        simulate_modes(modes, &scheduler, options, recorder, watch)
    }

    fn written(&self, values: &Values, tasks: &[Facts]) -> Result<Box<dyn Written>, &'static str> {
        Ok(Box::new(self.0(values, tasks)?))
    }
}
