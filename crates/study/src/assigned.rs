//! A task set whose tasks have their CPUs.

use crate::note::AboutPolicy;
use flyball_model::TaskSet;
use std::borrow::Cow;

/// A task set with a CPU for each task.
pub struct Assigned<'a> {
    /// The set.
    pub set: Cow<'a, TaskSet>,
    /// What was done.
    pub note: Option<AboutPolicy>,
    /// However tasks are divided, some CPU does not hold its own: this division is one of many, to
    /// see what happens.
    pub never: bool,
}

impl<'a> Assigned<'a> {
    pub(crate) fn as_it_is(set: &'a TaskSet) -> Assigned<'a> {
        Assigned {
            set: Cow::Borrowed(set),
            note: None,
            never: false,
        }
    }
}
