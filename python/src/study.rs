//! Studies and simulations.

use crate::again::again;
use crate::call::{Call, call};
use crate::error::{self, InputError, type_name};
use crate::overheads::{Overheads, charges};
use crate::policy::{self, Policies};
use crate::results::{Made, PolicyResult, Study};
use crate::taskset::TaskSet;
use flyball::Registry;
use flyball::analysis::Fit;
use flyball::model::{self, Jitter, MOST_CPUS, parse_duration};
use flyball::study::{Charges, Effort, Progress, StudyOptions};
use flyball::trace::Duration;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::LazyLock;

/// All policies.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

/// All policies.
pub(crate) fn registry() -> &'static Registry {
    &REGISTRY
}

/// A length of time: whole nanoseconds, or a text such as "5ms".
pub(crate) struct Length(pub(crate) Duration);

impl<'py> FromPyObject<'_, 'py> for Length {
    type Error = PyErr;

    fn extract(found: Borrowed<'_, 'py, PyAny>) -> PyResult<Length> {
        if let Ok(text) = found.cast::<PyString>() {
            let length = parse_duration(text.to_str()?);
            return length.map(Length).map_err(|error| {
                InputError::new_err(format!(
                    "{:?} {error}; {}",
                    text.to_string(),
                    error.remedy()
                ))
            });
        }
        let is_whole =
            found.is_instance_of::<PyInt>() || found.hasattr("__index__").unwrap_or(false);
        if !is_whole || found.is_instance_of::<PyBool>() || found.is_instance_of::<PyFloat>() {
            let what = type_name(&found);
            return Err(InputError::new_err(format!(
                "expected whole nanoseconds, or a text such as \"5ms\", found {what}"
            )));
        }
        let nanos: u64 = found.extract().map_err(|_| {
            InputError::new_err("a length of time is from 0 to 2^64 − 2 nanoseconds")
        })?;
        Ok(Length(Duration::from_nanos(nanos)))
    }
}

/// One of several names.
pub(crate) fn choose<T: Copy>(what: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, found)) = all.iter().find(|(known, _)| *known == name) {
        return Ok(*found);
    }
    let known = error::known(name, all.iter().map(|(known, _)| *known));
    Err(InputError::new_err(format!(
        "{what}: there is no {name:?}{known}"
    )))
}

fn fit(name: &str) -> PyResult<Fit> {
    choose("partition", name, &Fit::ALL.map(|fit| (fit.name(), fit)))
}

fn jitter(name: &str) -> PyResult<Jitter> {
    choose(
        "jitter",
        name,
        &[("random", Jitter::Random), ("worst", Jitter::Worst)],
    )
}

/// One name, or several.
#[derive(FromPyObject, IntoPyObjectRef)]
pub(crate) enum Names {
    One(String),
    Several(Vec<String>),
}

/// The names, which may not be none.
pub(crate) fn names(names: Option<Names>) -> PyResult<Vec<String>> {
    match names {
        None => Ok(Vec::new()),
        Some(Names::One(name)) => Ok(vec![name]),
        Some(Names::Several(names)) if names.is_empty() => {
            let what = "policies: expected at least one name; leave them out for all that fit";
            Err(InputError::new_err(what))
        }
        Some(Names::Several(names)) => Ok(names),
    }
}

/// What functions with a platform are told alike.
pub(crate) struct Asked<'a> {
    pub(crate) cpus: Option<i64>,
    pub(crate) cluster: Option<i64>,
    pub(crate) partition: Option<&'a str>,
    pub(crate) until: Option<Length>,
    pub(crate) seed: u64,
    pub(crate) jitter: Option<&'a str>,
    pub(crate) stop_at_miss: bool,
    pub(crate) keep: Option<usize>,
    pub(crate) overheads: Option<Charges>,
}

impl Asked<'_> {
    /// The same for the laboratory, with its defaults for the rest.
    pub(crate) fn options(self, policies: Vec<String>) -> PyResult<StudyOptions> {
        if self.until.as_ref().is_some_and(|until| until.0.is_zero()) {
            return Err(InputError::new_err("until: expected a time above zero"));
        }
        Ok(StudyOptions {
            policies,
            cpus: count("cpus", self.cpus)?,
            cluster: count("cluster", self.cluster)?,
            fit: self.partition.map(fit).transpose()?,
            until: self.until.map(|until| until.0),
            stop_at_miss: self.stop_at_miss,
            seed: self.seed,
            jitter: self.jitter.map(jitter).transpose()?,
            keep: self.keep.unwrap_or(usize::MAX),
            overheads: self.overheads,
            ..StudyOptions::default()
        })
    }
}

/// A number of CPUs.
pub(crate) fn count(what: &str, number: Option<i64>) -> PyResult<Option<u8>> {
    let Some(number) = number else {
        return Ok(None);
    };
    let allowed = 1..=MOST_CPUS;
    let found = u8::try_from(number).ok().filter(|it| allowed.contains(it));
    found.map(Some).ok_or_else(|| {
        InputError::new_err(format!(
            "{what}: expected a number from 1 to {MOST_CPUS}, found {number}"
        ))
    })
}

/// How far it has come, in thousandths.
pub(crate) fn thousandths(at: Progress<'_>) -> u64 {
    let until = at.until.as_nanos().max(1);
    let part = u128::from(at.now.as_nanos()) * 1000 / u128::from(until);
    let all = (at.number as u128 * 1000 + part.min(1000)) / at.of.max(1) as u128;
    u64::try_from(all).unwrap_or(1000)
}

/// Studies `set`, and says how far it has come.
fn run(
    py: Python<'_>,
    set: &TaskSet,
    asked: Asked<'_>,
    policies: Policies,
    tests: Option<Effort>,
    made: Made,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Study> {
    let (file, inner) = (set.file.clone(), model::TaskSet::clone(&set.set));
    let Policies {
        registry,
        names,
        fault,
    } = policies;
    let options = StudyOptions {
        tests,
        ..asked.options(names)?
    };
    let seen = fault.clone();
    let work = move |shared: &Call| {
        let is_broken = || fault.as_ref().is_some_and(|fault| fault.is_set());
        let mut watch = |at: Progress<'_>| {
            if is_broken() {
                return ControlFlow::Break(());
            }
            shared.tell(thousandths(at))
        };
        flyball::study::study(&registry, &file, inner, &options, &mut watch)
    };
    let found = call(py, progress, work)?;
    if let Some(error) = seen.and_then(|fault| fault.exception(py)) {
        return Err(error);
    }
    let study = found.map_err(|error| error::study(&set.file, error))?;
    Ok(Study {
        study: study.into(),
        made,
    })
}

/// Which scheduler holds a task set? Analyses and simulates it under `policies`, or all that fit.
///
/// `cpus`, `cluster`, `partition`, `jitter`: the platform, instead of the set's. `until`: simulate for so long, instead of
/// as long as it takes to know. `overheads`, `charge`, `working_set`: the kernel's work that is charged, instead of the platform's. `seed`: what random numbers come from. `keep`: how many events of each simulation are kept; None is
/// all. `progress` is called with thousandths now and then.
#[pyfunction]
#[pyo3(signature = (set, policies=None, *, cpus=None, cluster=None, partition=None, until=None, seed=0, jitter=None, stop_at_miss=false, overheads=None, charge=None, working_set=None, keep=200_000, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn study(
    py: Python<'_>,
    set: &Bound<'_, TaskSet>,
    policies: Option<&Bound<'_, PyAny>>,
    cpus: Option<i64>,
    cluster: Option<i64>,
    partition: Option<&str>,
    until: Option<Length>,
    seed: u64,
    jitter: Option<&str>,
    stop_at_miss: bool,
    overheads: Option<&Bound<'_, Overheads>>,
    charge: Option<&str>,
    working_set: Option<i64>,
    keep: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Study> {
    let policies = policies.map(policy::listed).transpose()?;
    let made = Made::Study(again!(
        py,
        "study",
        (set, policies),
        cpus,
        cluster,
        partition,
        until,
        seed,
        jitter,
        stop_at_miss,
        overheads,
        charge,
        working_set,
        keep
    ));
    let asked = Asked {
        cpus,
        cluster,
        partition,
        until,
        seed,
        jitter,
        stop_at_miss,
        keep,
        overheads: charges(overheads, charge, working_set)?,
    };
    let (policies, tests) = (Policies::of(policies.as_ref())?, Some(Effort::FULL));
    run(
        py,
        set.get(),
        asked,
        policies,
        tests,
        made,
        progress.as_ref(),
    )
}

/// What happens under a policy? As `study`, of one policy and with little work for tests; `tests=False`: with none but those
/// that divide tasks among CPUs. All events are kept unless `keep` says how many.
#[pyfunction]
#[pyo3(signature = (set, policy, *, cpus=None, cluster=None, partition=None, until=None, seed=0, jitter=None, stop_at_miss=false, overheads=None, charge=None, working_set=None, tests=true, keep=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn simulate(
    py: Python<'_>,
    set: &Bound<'_, TaskSet>,
    policy: &Bound<'_, PyAny>,
    cpus: Option<i64>,
    cluster: Option<i64>,
    partition: Option<&str>,
    until: Option<Length>,
    seed: u64,
    jitter: Option<&str>,
    stop_at_miss: bool,
    overheads: Option<&Bound<'_, Overheads>>,
    charge: Option<&str>,
    working_set: Option<i64>,
    tests: bool,
    keep: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PolicyResult> {
    let made = Made::Result(again!(
        py,
        "simulate",
        (set, policy),
        cpus,
        cluster,
        partition,
        until,
        seed,
        jitter,
        stop_at_miss,
        overheads,
        charge,
        working_set,
        tests,
        keep
    ));
    let asked = Asked {
        cpus,
        cluster,
        partition,
        until,
        seed,
        jitter,
        stop_at_miss,
        keep,
        overheads: charges(overheads, charge, working_set)?,
    };
    let (policies, tests) = (Policies::one(policy)?, tests.then_some(Effort::SMALL));
    let study = run(
        py,
        set.get(),
        asked,
        policies,
        tests,
        made,
        progress.as_ref(),
    )?;
    Ok(study.result(0))
}

/// The names of all policies.
#[pyfunction]
pub(crate) fn policies() -> Vec<&'static str> {
    registry().iter().map(|entry| entry.name).collect()
}

/// The `flyball` command with these arguments, the first of which is its name. Returns the exit code. It is the process's
/// business from then on what Ctrl-C does.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| {
        let code = flyball::main_of(registry(), arguments);
        // What cannot be printed any more is lost.
        let _ = std::io::stdout().flush();
        // One of them is it.
        (0..=u8::MAX)
            .find(|&number| ExitCode::from(number) == code)
            .unwrap_or(u8::MAX)
    })
}
