//! What a published work is: a list of plans, each a function from a [`Setup`] to an
//! [`Experiment`].

use flyball_measure::bench::{Bench, BenchError};
use flyball_report::reproduction::Experiment;
use flyball_study::StudyError;
use std::fmt;
use std::path::Path;

/// A published work whose experiments can be done again.
#[derive(Debug)]
pub struct Work {
    /// Its short name, as on the command line.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What concerns all experiments.
    pub notes: &'static [&'static str],
    /// Its experiments.
    pub plans: &'static [Plan],
    /// Its experiments with real programs in C, which are done instead where [`Setup::programs`] says a folder.
    pub programs: &'static [Plan],
    /// Whether they go on after an interruption, see [`Setup::keep`].
    pub goes_on: bool,
}

/// An experiment that can be done.
#[derive(Debug)]
pub struct Plan {
    /// Its short name: letters, digits and dashes.
    pub name: &'static str,
    /// What it is called, and where the work has it.
    pub title: &'static str,
    /// What a machine has to have for it, as [`Bench::has`] is asked: policies, or a supervisor;
    /// none: it is always simulated.
    pub on_machine: &'static [&'static str],
    /// Does it. Name, title and whether it ran on the machine are filled in by the caller.
    pub run: fn(&mut Setup<'_>) -> Result<Experiment, BenchError>,
}

/// What there is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// A work of this name.
    Work(String),
    /// Experiments with real programs in this work.
    Programs(&'static str),
    /// An experiment of this name.
    Experiment {
        /// The name.
        name: String,
        /// In which work.
        work: &'static str,
        /// Which there are.
        known: Vec<&'static str>,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Work(name) => {
                let known: Vec<_> = crate::ALL.iter().map(|work| work.name).collect();
                let known = known.join(", ");
                write!(f, "there is no reproduction \"{name}\"; there are: {known}")
            }
            Unknown::Programs(work) => write!(f, "{work} has no experiments with real programs"),
            Unknown::Experiment { name, work, known } => {
                let known = known.join(", ");
                write!(
                    f,
                    "there is no experiment \"{name}\" in {work}; there are: {known}"
                )
            }
        }
    }
}

impl std::error::Error for Unknown {}

impl Work {
    /// Checks that it has the experiments of these names: those with real programs, or the others.
    ///
    /// # Errors
    /// [`Unknown`], of the first that it does not have.
    pub fn check(&self, only: &[impl AsRef<str>], programs: bool) -> Result<(), Unknown> {
        if programs && self.programs.is_empty() {
            return Err(Unknown::Programs(self.name));
        }
        let plans = if programs { self.programs } else { self.plans };
        let is_known = |name: &&str| plans.iter().any(|plan| plan.name == *name);
        let mut only = only.iter().map(AsRef::as_ref);
        match only.find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => Err(Unknown::Experiment {
                name: name.to_owned(),
                work: self.name,
                known: plans.iter().map(|plan| plan.name).collect(),
            }),
        }
    }
}

/// What an experiment is done with.
pub struct Setup<'a> {
    /// Runs task sets.
    pub bench: &'a mut dyn Bench,
    /// The folder with the authors' measurements, if the user has it.
    pub data: Option<&'a Path>,
    /// How large experiments are that can be done in several sizes.
    pub size: Size,
    /// A folder for what experiments find on the way, from which they go on after an interruption.
    pub keep: Option<&'a Path>,
    /// Whether every test is asked by itself, too, where a union of them would do.
    pub each_test: bool,
    /// The folder in which programs in C are built.
    pub programs: Option<&'a Path>,
}

impl<'a> Setup<'a> {
    /// The folder in which programs in C are built.
    ///
    /// # Errors
    /// There is none.
    pub fn programs(&self) -> Result<&'a Path, BenchError> {
        let missing = || StudyError::Bench("there is no folder for programs in C".into());
        self.programs.ok_or_else(|| missing().into())
    }
}

/// How large an experiment is, if it can be done in several sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Size {
    /// As small as can be: whether it works at all. Its verdicts mean little.
    Sample,
    /// Minutes.
    #[default]
    Short,
    /// The authors' own.
    Full,
}

impl Size {
    /// What belongs to it, of sample, short and full.
    pub fn of<T: Copy>(self, [sample, short, full]: [T; 3]) -> T {
        match self {
            Size::Sample => sample,
            Size::Short => short,
            Size::Full => full,
        }
    }
}
