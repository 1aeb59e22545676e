//! Published experiments, done again: what the work claims, beside what is found here.
//!
//! A [`Work`] is a list of [`Plan`]s, and each plan is a function from a [`Setup`] to an
//! [`Experiment`]. To add an experiment, write such a function and put it into the work's list; to add a
//! work, put it into [`ALL`].

pub mod epos;
pub mod epos_study;
pub mod miosix;

use crate::bench::{Bench, BenchError, Stage};
use flyball_report::reproduction::{Experiment, Reproduction};
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
}

/// An experiment that can be done.
#[derive(Debug)]
pub struct Plan {
    /// Its short name: letters, digits and dashes.
    pub name: &'static str,
    /// What it is called, and where the work has it.
    pub title: &'static str,
    /// The policies that a machine has to have for it; none: it is always simulated.
    pub on_machine: &'static [&'static str],
    /// Does it. Name, title and whether it ran on the machine are filled in by whoever calls this.
    pub run: fn(&mut Setup<'_>) -> Result<Experiment, BenchError>,
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

/// How much is done, and with what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent<'a> {
    /// See [`Setup::data`].
    pub data: Option<&'a Path>,
    /// See [`Setup::size`].
    pub size: Size,
    /// See [`Setup::keep`].
    pub keep: Option<&'a Path>,
    /// See [`Setup::each_test`].
    pub each_test: bool,
}

/// All works, in the order in which they are listed.
pub const ALL: [&Work; 3] = [&miosix::WORK, &epos::WORK, &epos_study::WORK];

/// The work of that name.
pub fn find(name: &str) -> Option<&'static Work> {
    ALL.into_iter().find(|work| work.name == name)
}

/// Does the experiments of a work that `only` names, or all if it names none: those that can on
/// `machine`, the others with `simulator`.
///
/// # Errors
/// [`BenchError`] of the first trial that cannot be run.
pub fn reproduce(
    work: &Work,
    only: &[&str],
    simulator: &mut dyn Bench,
    mut machine: Option<&mut dyn Bench>,
    extent: Extent<'_>,
) -> Result<Reproduction, BenchError> {
    let mut notes: Vec<String> = work.notes.iter().map(|&note| note.to_owned()).collect();
    let is_wanted = |plan: &&Plan| only.is_empty() || only.contains(&plan.name);
    let plans: Vec<_> = work.plans.iter().filter(is_wanted).collect();
    let mut experiments = Vec::with_capacity(plans.len());
    for (number, plan) in plans.iter().enumerate() {
        let stage = Stage {
            name: plan.name,
            number,
            of: plans.len(),
        };
        // Even where all is measured, the one whom the user can interrupt is told.
        simulator.begin(stage)?;
        let missing = machine.as_deref().and_then(|machine| {
            let mut policies = plan.on_machine.iter();
            policies.find(|policy| !machine.has(policy))
        });
        if let Some(missing) = missing {
            notes.push(format!(
                "\"{}\" was simulated: the machine has no image for {missing}.",
                plan.name
            ));
        }
        let on_machine = !plan.on_machine.is_empty() && missing.is_none();
        let (bench, on_machine): (&mut dyn Bench, bool) = match &mut machine {
            Some(machine) if on_machine => (&mut **machine, true),
            _ => (&mut *simulator, false),
        };
        if on_machine {
            bench.begin(stage)?;
        }
        let experiment = (plan.run)(&mut Setup {
            bench,
            data: extent.data,
            size: extent.size,
            keep: extent.keep,
            each_test: extent.each_test,
        })?;
        experiments.push(Experiment {
            name: plan.name.to_owned(),
            title: plan.title.to_owned(),
            on_machine,
            ..experiment
        });
    }
    if machine.is_some() && !experiments.iter().any(|done| done.on_machine) {
        notes.push("Nothing of this ran on the machine: all of it was simulated.".into());
    }
    Ok(Reproduction {
        name: work.name.to_owned(),
        title: work.title.to_owned(),
        source: work.source.to_owned(),
        machine: machine.and_then(|machine| machine.machine()),
        notes,
        experiments,
    })
}
