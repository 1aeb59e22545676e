//! Sweeps: many random task sets, and how many of them each test accepts.

use crate::again::{Reduced, refused};
use crate::call::{Call, call};
use crate::columns::{Columns, Kind, decimals, integers, of_csv, texts};
use crate::error::{self, InputError};
use crate::figure::{Figure, write_all};
use crate::policy::Policies;
use flyball::json::sweep as document;
use flyball::model;
use flyball::report::json;
use flyball::report::reproduction::{self, gallery};
use flyball::sweep::{Options, Outcome, Results, Shard, SweepError, figure};
use flyball::{Failure, Registry, printed};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What messages call a study that is not from a file.
const NO_FILE: &str = "study";

/// The most threads, as for the command.
const MOST_THREADS: u16 = 4096;

/// What a sweep did, and what is in its folder. `str` of it is what the command prints.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Sweep {
    study: model::Study,
    folder: PathBuf,
    outcome: Outcome,
    results: Option<Arc<Results>>,
}

/// What sweeps have found, as far as they are finished.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct SweepResults {
    results: Arc<Results>,
    folders: Vec<PathBuf>,
}

fn failure(error: SweepError) -> PyErr {
    error::failure(&Failure::from(error))
}

/// The number of a weighted schedulability, one row each.
fn weighted(numbers: &[document::Number]) -> PyResult<Columns> {
    let all = || numbers.iter();
    let caps = |number: usize| i64::try_from(number).ok();
    Columns::new([
        (
            "scenario",
            texts(all().map(|it| Some(it.scenario.as_str()))),
        ),
        ("test", texts(all().map(|it| Some(it.test.as_str())))),
        ("overheads", texts(all().map(|it| it.overheads.as_deref()))),
        (
            "working_set",
            integers(all().map(|it| it.working_set.map(i64::from))),
        ),
        (
            "caps_finished",
            integers(all().map(|it| caps(it.caps.finished))),
        ),
        ("caps_of", integers(all().map(|it| caps(it.caps.of)))),
        ("weighted", decimals(all().map(|it| it.weighted))),
        ("low", decimals(all().map(|it| it.low))),
        ("high", decimals(all().map(|it| it.high))),
    ])
}

impl Sweep {
    fn document(&self) -> document::Sweep {
        let results = self.results.as_deref();
        printed::sweep_document(&self.study, &self.folder, &self.outcome, results)
    }
}

#[pymethods]
impl Sweep {
    /// The study's name.
    #[getter]
    fn name(&self) -> &str {
        &self.study.name
    }

    /// The folder of the results.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Units of the shard, or of all, that were finished before.
    #[getter]
    fn finished_before(&self) -> usize {
        self.outcome.before
    }

    /// Units that were finished now.
    #[getter]
    fn finished_now(&self) -> usize {
        self.outcome.finished
    }

    /// Files that were damaged, and were computed again, in sentences.
    #[getter]
    fn damaged(&self) -> Vec<String> {
        let damaged = self.outcome.damaged.iter();
        damaged.map(ToString::to_string).collect()
    }

    /// All that is finished in the folder; None: nothing is, as no unit is of this shard.
    #[getter]
    fn results(&self) -> Option<SweepResults> {
        let results = self.results.clone();
        results.map(|results| SweepResults {
            results,
            folders: vec![self.folder.clone()],
        })
    }

    /// The same document as `flyball sweep --json` prints.
    fn json(&self) -> String {
        json::text(&self.document())
    }

    fn __str__(&self) -> String {
        let results = self.results.as_deref();
        printed::sweep(&self.study, &self.folder, &self.outcome, results)
    }

    fn __repr__(&self) -> String {
        let Outcome {
            before, finished, ..
        } = self.outcome;
        format!(
            "<Sweep {:?}: {} units are finished, {finished} of them now>",
            self.study.name,
            before + finished
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        weighted(&self.document().weighted)?.html(py)
    }

    fn __reduce__(&self) -> PyResult<String> {
        refused(
            &self.__repr__(),
            "it is what one call has done; pickle its `results`, which are read from the folder again",
        )
    }
}

#[pymethods]
impl SweepResults {
    /// The study's name.
    #[getter]
    fn name(&self) -> &str {
        &self.results.study().name
    }

    /// How many units are finished.
    #[getter]
    fn finished(&self) -> usize {
        self.results.finished().0
    }

    /// How many there are.
    #[getter]
    fn units(&self) -> usize {
        self.results.finished().1
    }

    /// A row for each scenario, cap and test: how many sets it accepted, which part, and the 95 % interval of that.
    #[getter]
    fn ratios(&self) -> PyResult<Columns> {
        of_csv(&figure::ratio_table(&self.results), |name| match name {
            "scenario" | "test" => Kind::Text,
            "sets" | "accepted" | "unknown" => Kind::Whole,
            _ => Kind::Decimal,
        })
    }

    /// A row for each scenario, test and variant of overheads: the accepted part of all utilisation, 0 to 1, and its 95 % interval; missing
    /// where there are not yet sets of all caps.
    #[getter]
    fn weighted(&self) -> PyResult<Columns> {
        let nothing = Outcome::default();
        let study = self.results.study();
        let found = printed::sweep_document(study, Path::new(""), &nothing, Some(&self.results));
        weighted(&found.weighted)
    }

    /// A row for each scenario, cap, policy and measure of a study that simulates: how many sets were simulated and how many the policy
    /// refused, sum, mean and its 95 % interval, least and most, in how many sets it is not zero, and how much it is per job.
    #[getter]
    fn simulated(&self) -> PyResult<Columns> {
        of_csv(
            &figure::simulated::table(&self.results),
            |name| match name {
                "scenario" | "policy" | "measure" | "unit" => Kind::Text,
                "sets" | "refused" | "sum" | "min" | "max" | "not_zero" => Kind::Whole,
                _ => Kind::Decimal,
            },
        )
    }

    /// The figures of `flyball plot`.
    #[getter]
    fn figures(&self) -> Vec<Figure> {
        figure::all(&self.results).into_iter().map(Figure).collect()
    }

    /// The figure of that name.
    fn figure(&self, name: &str) -> PyResult<Figure> {
        let all = figure::all(&self.results);
        let known = error::known(name, all.iter().map(|it| it.name.as_str()));
        let mut all = all.into_iter();
        let found = all.find(|it| it.name == name).map(Figure);
        found.ok_or_else(|| PyKeyError::new_err(format!("there is no figure {name:?}{known}")))
    }

    /// The page of `flyball plot`, with all figures.
    fn html(&self) -> String {
        gallery::html(&figure::gallery(&self.results))
    }

    /// Writes what `flyball plot` writes into a folder: a page, tables, figures.
    #[pyo3(signature = (folder="flyball-plots".into()))]
    fn save(&self, folder: PathBuf) -> PyResult<Vec<PathBuf>> {
        let mut files = vec![("report.html".to_owned(), self.html().into_bytes())];
        let tables = figure::tables(&self.results).into_iter();
        files.extend(tables.map(|(name, text)| (name.to_owned(), text.into_bytes())));
        let figures = figure::all(&self.results);
        files.extend(figures.iter().flat_map(reproduction::Figure::files));
        write_all(&folder, files)
    }

    fn __repr__(&self) -> String {
        let (finished, of) = self.results.finished();
        let name = &self.results.study().name;
        format!("<SweepResults of {name:?}: {finished} of {of} units>")
    }

    fn _repr_html_(&self) -> String {
        self.html()
    }

    /// They are read from their folders again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let plot = py.import("flyball._flyball")?.getattr("plot")?;
        Ok((plot, PyTuple::new(py, &self.folders)?))
    }
}

/// A study from a file; or from a text, which has a line break in it.
fn study_of(registry: &Registry, study: &Bound<'_, PyAny>) -> PyResult<model::Study> {
    if let Ok(text) = study.cast::<PyString>() {
        let text = text.to_str()?;
        if text.contains('\n') {
            return flyball::sweep::parse(registry, text, NO_FILE).map_err(failure);
        }
    }
    let path: PathBuf = study.extract().map_err(|_| {
        let what = error::type_name(study);
        InputError::new_err(format!(
            "study: expected a path, or a text of several lines, found {what}"
        ))
    })?;
    flyball::sweep::read(registry, &path).map_err(failure)
}

/// How many random task sets does each test accept? Makes a study, on all cores. What is finished is kept in the folder `out`, and the same
/// call goes on after an interruption.
///
/// `study`: the path of a study, or its text (docs/sweep.md). `threads`: instead of one for each core. `shard`: this part of it only ("1/4",
/// "2/4", …), as on another machine. `policies`: those written in Python that the study names in `[simulate]`; what is kept is for the source that
/// they have now. `progress` is called with thousandths now and then.
#[pyfunction]
#[pyo3(signature = (study, *, out="flyball-sweep".into(), threads=None, shard=None, policies=None, progress=None))]
pub(crate) fn sweep(
    py: Python<'_>,
    study: &Bound<'_, PyAny>,
    out: PathBuf,
    threads: Option<i64>,
    shard: Option<&str>,
    policies: Option<&Bound<'_, PyAny>>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Sweep> {
    let allowed = 1..=MOST_THREADS;
    let threads = threads.map(|number| {
        let found = u16::try_from(number).ok().filter(|it| allowed.contains(it));
        found.map(usize::from).ok_or_else(|| {
            InputError::new_err(format!(
                "threads: expected a number from 1 to {MOST_THREADS}, found {number}"
            ))
        })
    });
    let shard = shard.map(|text| {
        let shard: Result<Shard, _> = text.parse();
        shard.map_err(|error| InputError::new_err(format!("shard: {error}, found {text:?}")))
    });
    let Policies {
        registry,
        names,
        fault,
    } = Policies::with_sources(policies)?;
    let options = Options {
        threads: threads.transpose()?,
        shard: shard.transpose()?,
    };
    let study = study_of(&registry, study)?;
    let simulated = study.simulate.as_ref().map_or(&[][..], |it| &it.policies);
    if let Some(name) = names.iter().find(|name| !simulated.contains(name)) {
        return Err(InputError::new_err(format!(
            "policies: the study does not name {name:?} in `[simulate]`"
        )));
    }
    let seen = fault.clone();
    let work = move |shared: &Call| {
        let is_broken = || fault.as_ref().is_some_and(|fault| fault.is_set());
        let outcome = flyball::sweep::sweep(&registry, &study, &out, &options, &|progress| {
            let done = progress.judged.saturating_mul(1000) / progress.of.max(1);
            shared.tell(done).is_continue() && !is_broken()
        })?;
        let results = Results::so_far(&out)?.map(Arc::new);
        Ok(Sweep {
            study,
            folder: out,
            outcome,
            results,
        })
    };
    let found = call(py, progress.as_ref(), work)?;
    match seen.and_then(|fault| fault.exception(py)) {
        Some(error) => Err(error),
        None => found.map_err(failure),
    }
}

/// What sweeps have found, from the folders of their results: of one study, which may be its shards. It has the figures of `flyball plot`.
#[pyfunction]
#[pyo3(signature = (*folders))]
pub(crate) fn plot(folders: Vec<PathBuf>) -> PyResult<SweepResults> {
    if folders.is_empty() {
        return Err(InputError::new_err(
            "expected at least one folder of results",
        ));
    }
    let all: Vec<&Path> = folders.iter().map(AsRef::as_ref).collect();
    let results = Results::read(&all).map_err(failure)?;
    Ok(SweepResults {
        results: Arc::new(results),
        folders,
    })
}
