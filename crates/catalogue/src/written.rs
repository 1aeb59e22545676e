//! A scheduler as it is written into an image.

use crate::facts::{Facts, Missing};
use crate::scheduler::{Scheduler, Shape};
use crate::settings::{Setting, Values};
use flyball_policy::{Encode, Inline, Policy};

/// A configured scheduler whose type is not known, for the writer of an image.
pub trait Written {
    /// [`Scheduler::NAME`].
    fn name(&self) -> &'static str;

    /// [`Scheduler::SHAPE`].
    fn shape(&self) -> Shape;

    /// [`TASK_SETTINGS`](crate::Configured::TASK_SETTINGS).
    fn task_settings(&self) -> &'static [Setting];

    /// Whether the policy chooses at which operating points CPUs run.
    fn chooses_speeds(&self) -> bool;

    /// [`Scheduler::SCALES`].
    fn scales(&self) -> bool;

    /// Whether the policy decides by what the processor's counters count.
    fn reads_counters(&self) -> bool;

    /// Writes the settings, as [`Encode::emit`] does.
    fn emit_settings(&self, put: &mut dyn FnMut(&[u8]));

    /// Writes what a task tells the policy.
    ///
    /// # Errors
    /// As [`Scheduler::params`]; nothing has been written then.
    fn emit_params(
        &self,
        task: &Facts,
        values: &dyn Values,
        put: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Missing>;
}

impl<S: Scheduler> Written for S {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn shape(&self) -> Shape {
        S::SHAPE
    }

    fn task_settings(&self) -> &'static [Setting] {
        S::TASK_SETTINGS
    }

    fn chooses_speeds(&self) -> bool {
        // The size of the tables does not matter, but that there are some.
        <S::Policy<Inline<2>, Inline<2>> as Policy>::WANTS.speeds
    }

    fn scales(&self) -> bool {
        S::SCALES
    }

    fn reads_counters(&self) -> bool {
        <S::Policy<Inline<2>, Inline<2>> as Policy>::WANTS.counts
    }

    fn emit_settings(&self, put: &mut dyn FnMut(&[u8])) {
        self.emit(put);
    }

    fn emit_params(
        &self,
        task: &Facts,
        values: &dyn Values,
        put: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Missing> {
        self.params(task, values)?.emit(put);
        Ok(())
    }
}

/// Where the source of a scheduler is, for an image of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// In the catalogue: the images of all machines have it.
    Catalogue,
    /// In a crate of the user's.
    Crate {
        /// The folder of the crate, which is `no_std` without its default features:
        /// `env!("CARGO_MANIFEST_DIR")` there.
        folder: &'static str,
        /// The name of its package: `env!("CARGO_PKG_NAME")` there.
        package: &'static str,
        /// The path of the scheduler's type, for example `my_policy::MyScheduler`.
        path: &'static str,
    },
    /// Not known, so it cannot be booted.
    Unknown,
}
