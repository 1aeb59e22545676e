//! Published works, done again.

use crate::again::{Again, Reduced, again};
use crate::call::{Call, call};
use crate::columns::{Columns, Kind, of_csv, texts};
use crate::error::{self, InputError};
use crate::figure::{Figure, write_all};
use crate::study::{Names, names, registry};
use flyball::Failure;
use flyball::measure::bench::{BenchError, Simulator};
use flyball::report::json;
use flyball::report::reproduction::json::document;
use flyball::report::reproduction::{self, page, table};
use flyball::reproduce::{self as works, Extent, Size, Unknown};
use flyball::study::{Progress, StudyError};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// What became of a published work's claims. `str` of it is what the command prints.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Reproduction(reproduction::Reproduction, Again);

impl Reproduction {
    fn all_figures(&self) -> impl Iterator<Item = &reproduction::Figure> + Clone {
        let experiments = self.0.experiments.iter();
        experiments.flat_map(|experiment| &experiment.figures)
    }
}

#[pymethods]
impl Reproduction {
    /// The work's short name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is about.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Where it was published.
    #[getter]
    fn source(&self) -> &str {
        &self.0.source
    }

    /// How many claims hold.
    #[getter]
    fn holds(&self) -> usize {
        self.0.tally().holds
    }

    /// How many differ.
    #[getter]
    fn differs(&self) -> usize {
        self.0.tally().differs
    }

    /// How many are not comparable.
    #[getter]
    fn not_comparable(&self) -> usize {
        self.0.tally().not_comparable
    }

    /// A row for each claim: `experiment`, `claim`, `place`, `criterion`, `published`, `ours`, `verdict` ("holds", "differs", "not
    /// comparable"), `reason`.
    #[getter]
    fn claims(&self) -> PyResult<Columns> {
        of_csv(&table::claims(&self.0), |_| Kind::Text)
    }

    /// All figures.
    #[getter]
    fn figures(&self) -> Vec<Figure> {
        self.all_figures().cloned().map(Figure).collect()
    }

    /// The figure of that name.
    fn figure(&self, name: &str) -> PyResult<Figure> {
        let found = self.all_figures().find(|it| it.name == name);
        let known = || error::known(name, self.all_figures().map(|it| it.name.as_str()));
        let missing = || PyKeyError::new_err(format!("there is no figure {name:?}{}", known()));
        found.cloned().map(Figure).ok_or_else(missing)
    }

    /// The same document as `flyball reproduce --json` prints.
    fn json(&self) -> String {
        json::text(&document(&self.0))
    }

    /// The report, one page.
    fn html(&self) -> String {
        page::html(&self.0)
    }

    /// Writes what `flyball reproduce` writes into a folder: the report, the claims, the figures.
    fn save(&self, folder: PathBuf) -> PyResult<Vec<PathBuf>> {
        let mut files = vec![
            ("report.html".to_owned(), self.html().into_bytes()),
            ("claims.csv".to_owned(), table::claims(&self.0).into_bytes()),
        ];
        files.extend(self.all_figures().flat_map(reproduction::Figure::files));
        write_all(&folder, files)
    }

    fn __str__(&self) -> String {
        flyball::printed::reproduction(&self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        self.1.reduced(py)
    }

    fn __repr__(&self) -> String {
        let tally = self.0.tally();
        format!(
            "<Reproduction of {:?}: {} hold, {} differ, {} are not comparable>",
            self.0.name, tally.holds, tally.differs, tally.not_comparable
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.claims()?.html(py)
    }
}

/// The works that `reproduce` knows, a row for each experiment: `name`, `title`, `source`, `experiment`.
#[pyfunction]
pub(crate) fn reproductions() -> PyResult<Columns> {
    let all = || {
        let works = works::ALL.into_iter();
        works.flat_map(|work| work.plans.iter().map(move |plan| (work, plan)))
    };
    Columns::new([
        ("name", texts(all().map(|(work, _)| Some(work.name)))),
        ("title", texts(all().map(|(work, _)| Some(work.title)))),
        ("source", texts(all().map(|(work, _)| Some(work.source)))),
        ("experiment", texts(all().map(|(_, plan)| Some(plan.name)))),
    ])
}

/// Do a published work's claims hold here? Does its experiments again, in the simulator.
///
/// `only`: these experiments. `full`: as large as the authors' own, where the usual ones are shorter; with `out`, what is finished is kept there,
/// and the same call goes on after an interruption. `each_test`: each test by itself, too, where the union of all would do. `data`: a
/// folder with the authors' own measurements. `out`: the report goes there; None: nothing is written. `progress` is called with thousandths
/// now and then.
#[pyfunction]
#[pyo3(signature = (name, *, only=None, full=false, each_test=false, data=None, out=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn reproduce(
    py: Python<'_>,
    name: &str,
    only: Option<Names>,
    full: bool,
    each_test: bool,
    data: Option<PathBuf>,
    out: Option<PathBuf>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Reproduction> {
    let again = again!(py, "reproduce", (name), only, full, each_test, data);
    let unknown = |unknown: Unknown| InputError::new_err(unknown.to_string());
    let work = works::find(name).map_err(unknown)?;
    let only = names(only)?;
    work.check(&only, false).map_err(unknown)?;
    if let Some(folder) = data.as_deref().filter(|folder| !folder.is_dir()) {
        let failure = Failure::file(folder, "is not a folder", None);
        return Err(error::failure(&failure));
    }
    let keep = out.as_ref().filter(|_| work.goes_on && full);
    let keep = keep.map(|out| out.join("results"));
    let registry = registry();
    let doing = move |shared: &Call| {
        let mut watch = |at: Progress<'_>| shared.tell(crate::study::thousandths(at));
        let mut simulator = Simulator::new(registry, &mut watch);
        let only: Vec<&str> = only.iter().map(String::as_str).collect();
        let extent = Extent {
            data: data.as_deref(),
            size: if full { Size::Full } else { Size::Short },
            keep: keep.as_deref(),
            each_test,
            programs: None,
        };
        works::reproduce(work, &only, &mut simulator, None, extent)
            // Errors of boards cannot go from thread to thread.
            .map_err(|error| match error {
                BenchError::Lab(error) => error,
                BenchError::Machine(error) => StudyError::Bench(error.to_string()),
            })
    };
    let done = call(py, progress.as_ref(), doing)?;
    let done = Reproduction(done.map_err(|error| error::study(work.name, error))?, again);
    if let Some(out) = out {
        done.save(out)?;
    }
    Ok(done)
}
