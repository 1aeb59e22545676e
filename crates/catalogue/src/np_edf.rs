//! Non-preemptive EDF.

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size};
use crate::settings::{Values, without_settings};
use flyball_policy::{
    Deadline, EarliestDeadline, Heap, NonPreemptive, Nothing, Ranked, Storage, Time,
};

/// Non-preemptive EDF. Not sustainable: a job that ends early may let another one begin that is in
/// the way of a job with an earlier deadline.
#[derive(Clone, Copy, Default, Debug)]
pub struct NpEdf;

without_settings!(NpEdf);

impl Scheduler for NpEdf {
    const NAME: &'static str = "np-edf";
    const MEMORYLESS: bool = true;
    const PROFILE: Profile = Profile::ranked::<Heap<Time, Nothing>, Time>(
        "Jeffay, Stanat and Martel, \"On non-preemptive scheduling of periodic and sporadic tasks\", \
         RTSS 1991",
    );
    type Params = Deadline;
    type Policy<S: Storage, C: Storage> = NonPreemptive<Ranked<EarliestDeadline, S::Sorted<Time>>>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        NonPreemptive::new(Ranked::new(EarliestDeadline, size.tasks))
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Deadline, Missing> {
        Ok(Deadline(task.deadline_or_never()))
    }
}
