//! Random task sets.

use crate::error;
use crate::study::{Length, count};
use crate::taskset::TaskSet;
use flyball::Failure;
use flyball::model::generate::{Deadlines, Options, Phases, generate as random};
use pyo3::prelude::*;

/// What messages call a random set.
const NO_FILE: &str = "random task set";

/// Makes a random task set: utilisations by UUniFast-Discard, periods log-uniform. The same arguments make the same set everywhere, the one
/// that `flyball generate` makes.
///
/// `utilisation`: of the whole set, in CPUs. `periods`: the shortest and the longest. `granularity`: all periods are multiples of it.
/// `constrained`: deadlines before the periods, uniform from C + (T − C)·X to T, with X from 0 to 1. `phases`: random ones.
#[pyfunction]
#[pyo3(signature = (tasks=10, utilisation=0.7, *, cpus=1, periods=None, granularity=None, constrained=None, phases=false, seed=1))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn generate(
    tasks: i64,
    utilisation: f64,
    cpus: i64,
    periods: Option<(Length, Length)>,
    granularity: Option<Length>,
    constrained: Option<f64>,
    phases: bool,
    seed: u64,
) -> PyResult<TaskSet> {
    let usual = Options::default();
    let shortest = periods.as_ref().map(|(shortest, _)| shortest.0);
    let longest = periods.as_ref().map(|(_, longest)| longest.0);
    let options = Options {
        // None at all is refused as too few.
        tasks: usize::try_from(tasks).unwrap_or(0),
        utilisation,
        shortest_period: shortest.unwrap_or(usual.shortest_period),
        longest_period: longest.unwrap_or(usual.longest_period),
        granularity: granularity.map_or(usual.granularity, |it| it.0),
        deadlines: constrained.map_or(Deadlines::Implicit, |from| Deadlines::Constrained { from }),
        phases: if phases { Phases::Random } else { Phases::Zero },
        cpus: count("cpus", Some(cpus))?.unwrap_or(1),
        seed,
        ..usual
    };
    let set = random(&options).map_err(|error| error::failure(&Failure::from(error)))?;
    let set = flyball::model::TaskSet {
        name: options.title(),
        ..set
    };
    Ok(TaskSet::of(set, NO_FILE))
}
