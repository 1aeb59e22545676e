//! Published experiments, done again: what the work claims, beside what is found here.
//!
//! A [`Work`] is a list of [`Plan`]s, and each plan is a function from a [`Setup`] to an
//! [`Experiment`]. To add an experiment, write such a function and put it into the work's list; to
//! add a work, put it into [`ALL`].
//!
//! | to find | look in |
//! |---|---|
//! | benchmarks whose load grows until a deadline is missed | [`hartstone`] |
//! | shares of several CPUs, with tasks that come and go | [`multicore_shares`] |

pub mod dss;
pub mod epos;
pub mod epos_study;
pub mod hartstone;
pub mod miosix;
pub mod multicore_shares;
pub mod period;
pub mod soos;
mod work;

pub use work::{Plan, Setup, Size, Unknown, Work};

use flyball_measure::bench::{Bench, BenchError, Stage};
use flyball_report::reproduction::{Experiment, Reproduction};
use std::path::Path;

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
    /// See [`Setup::programs`].
    pub programs: Option<&'a Path>,
}

/// All works, in the order in which they are listed.
pub const ALL: [&Work; 6] = [
    &miosix::WORK,
    &soos::WORK,
    &dss::WORK,
    &period::WORK,
    &epos::WORK,
    &epos_study::WORK,
];

/// The work of that name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Work, Unknown> {
    let mut all = ALL.into_iter();
    let found = all.find(|work| work.name == name);
    found.ok_or_else(|| Unknown::Work(name.to_owned()))
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
    let plans = if extent.programs.is_some() {
        work.programs
    } else {
        work.plans
    };
    let plans: Vec<_> = plans.iter().filter(is_wanted).collect();
    let mut experiments = Vec::with_capacity(plans.len());
    for (number, plan) in plans.iter().enumerate() {
        let stage = Stage {
            name: plan.name,
            number,
            of: plans.len(),
        };
        // Even where all is measured, the simulator, which the user can interrupt, is told.
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
            programs: extent.programs,
        })?;
        experiments.push(Experiment {
            name: plan.name.to_owned(),
            title: plan.title.to_owned(),
            on_machine,
            ..experiment
        });
    }
    if machine.is_some() && !experiments.iter().any(|done| done.on_machine) {
        let is_simulated = !experiments.iter().any(|done| done.on_host);
        let what = if is_simulated {
            "Nothing of this ran on the machine: all of it was simulated."
        } else {
            "Nothing of this ran on the machine."
        };
        notes.push(what.into());
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
