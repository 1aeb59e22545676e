//! What came out of a study.

use crate::again::{Again, Reduced};
use crate::call::call;
use crate::columns::{Columns, Kind, integers, of_csv, texts};
use crate::error::{self, InputError};
use crate::study::Length;
use crate::taskset::TaskSet;
use crate::{events, schedule};
use arrow_array::BooleanArray;
use flyball::report::gantt::{self, ChartStyle, Glyphs, Paint};
use flyball::report::write::write_atomically;
use flyball::report::{csv, html, json, perfetto, words};
use flyball::study::results;
use flyball::trace::Time;
use pyo3::exceptions::{PyKeyError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A task set, and what became of it under each policy.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Study {
    pub(crate) study: Arc<results::Study>,
    pub(crate) made: Made,
}

/// What made a study.
#[derive(Clone)]
pub(crate) enum Made {
    /// A call that gave the study.
    Study(Again),
    /// A call that gave the result of its only policy.
    Result(Again),
}

/// What became of a task set under one policy.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct PolicyResult {
    study: Arc<results::Study>,
    made: Made,
    number: usize,
}

impl Study {
    pub(crate) fn result(&self, number: usize) -> PolicyResult {
        PolicyResult {
            study: Arc::clone(&self.study),
            made: self.made.clone(),
            number,
        }
    }

    fn sentences(&self) -> Vec<String> {
        self.study.notes.iter().map(words::note).collect()
    }
}

/// What columns of a study's table have.
fn kind(name: &str) -> Kind {
    match name {
        "policy" | "proof" | "task" | "verdict" => Kind::Text,
        "holds" => Kind::Flag,
        _ => Kind::Whole,
    }
}

#[pymethods]
impl Study {
    /// The names of the policies, in the order in which they were looked at.
    #[getter]
    fn policies(&self) -> Vec<String> {
        self.study
            .policies
            .iter()
            .map(|it| it.policy.clone())
            .collect()
    }

    /// The task set.
    #[getter]
    fn task_set(&self) -> TaskSet {
        TaskSet {
            set: Arc::new(self.study.set.clone()),
            file: self.study.file.clone(),
        }
    }

    /// What there is to know about all of it, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.sentences()
    }

    /// The names of the policies under which it holds, whatever the set allows.
    #[getter]
    fn holding(&self) -> Vec<String> {
        let holding = self
            .study
            .policies
            .iter()
            .filter(|it| it.verdict.holds() == Some(true));
        holding.map(|it| it.policy.clone()).collect()
    }

    /// A row for each policy and task: the same columns as the report's CSV file.
    #[getter]
    fn tasks(&self) -> PyResult<Columns> {
        of_csv(&csv::to_csv(&self.study), kind)
    }

    /// A row for each policy: its verdict, what proves it, why, and what the simulation counted. `breakdown_ppm`: by how much all
    /// execution times may grow together, in millionths.
    #[getter]
    fn verdicts(&self) -> PyResult<Columns> {
        let all = || self.study.policies.iter();
        let reasons: Vec<String> = all().map(|it| words::verdict(&it.verdict)).collect();
        let count = |of: fn(&results::PolicyReport) -> u64| {
            integers(all().map(|it| i64::try_from(of(it)).ok()))
        };
        let holds: BooleanArray = all().map(|it| it.verdict.holds()).collect();
        Columns::new([
            ("policy", texts(all().map(|it| Some(it.policy.as_str())))),
            (
                "verdict",
                texts(all().map(|it| Some(it.verdict.schedulable.name()))),
            ),
            ("holds", Arc::new(holds)),
            ("proof", texts(all().map(|it| it.verdict.proof.as_deref()))),
            ("misses", count(|it| it.simulated.misses)),
            ("preemptions", count(|it| it.simulated.preemptions)),
            ("migrations", count(|it| it.summary.job_migrations())),
            (
                "context_switches",
                count(|it| it.simulated.context_switches),
            ),
            (
                "breakdown_ppm",
                integers(all().map(|it| {
                    it.breakdown
                        .and_then(|found| i64::try_from(found.factor_ppm).ok())
                })),
            ),
            ("reason", texts(reasons.iter().map(|it| Some(it.as_str())))),
        ])
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.verdicts()?.html(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        match &self.made {
            Made::Study(again) => Ok(again.reduced(py)),
            Made::Result(_) => {
                let study = py
                    .import("operator")?
                    .call_method1("attrgetter", ("study",))?;
                Ok((study, (self.result(0),).into_pyobject(py)?))
            }
        }
    }

    /// The same document as `flyball study --json` prints.
    fn json(&self) -> String {
        json::text(&json::study(&self.study))
    }

    /// The report: a page of HTML that needs nothing else.
    fn html(&self) -> String {
        html::html(&self.study)
    }

    /// Writes the report.
    fn save_html(&self, path: PathBuf) -> PyResult<()> {
        write(&path, self.html().as_bytes())
    }

    fn __len__(&self) -> usize {
        self.study.policies.len()
    }

    /// What became of it under a policy, by name or number.
    fn __getitem__(&self, policy: &Bound<'_, PyAny>) -> PyResult<PolicyResult> {
        let all = &self.study.policies;
        if let Ok(number) = policy.extract::<isize>() {
            let place = if number < 0 {
                number.checked_add_unsigned(all.len())
            } else {
                Some(number)
            };
            let place = place
                .and_then(|place| usize::try_from(place).ok())
                .filter(|&place| place < all.len());
            return match place {
                Some(place) => Ok(self.result(place)),
                None => Err(pyo3::exceptions::PyIndexError::new_err(format!(
                    "there are {} policies",
                    all.len()
                ))),
            };
        }
        let name: String = policy.extract()?;
        let place = all
            .iter()
            .position(|it| it.policy.eq_ignore_ascii_case(&name));
        let place = place.ok_or_else(|| {
            let known = error::known(&name, all.iter().map(|it| it.policy.as_str()));
            PyKeyError::new_err(format!("{name:?} was not studied{known}"))
        })?;
        Ok(self.result(place))
    }

    fn __repr__(&self) -> String {
        let mut text = format!("<Study of {:?}>", self.study.set.name);
        let width = self
            .study
            .policies
            .iter()
            .map(|it| it.policy.len())
            .max()
            .unwrap_or(0);
        for report in &self.study.policies {
            let verdict = report.verdict.schedulable.words();
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n{:width$}  {verdict}: {}",
                report.policy,
                words::verdict(&report.verdict)
            );
        }
        text
    }
}

/// A page in a frame of its own, as high as a chart of so many rows.
fn frame(page: &str, rows: usize) -> String {
    let height = (240 + 36 * rows).min(720);
    let page = page.replace('&', "&amp;").replace('"', "&quot;");
    format!("<iframe srcdoc=\"{page}\" style=\"border:0;width:100%;height:{height}px\"></iframe>")
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &std::path::Path, bytes: &[u8]) -> PyResult<()> {
    write_atomically(path, bytes).map_err(|error| {
        PyOSError::new_err(format!(
            "{}: cannot be written: {}",
            path.display(),
            error.error
        ))
    })
}

impl PolicyResult {
    fn report(&self) -> &results::PolicyReport {
        // Only numbers of policies that the study has become results.
        &self.study.policies[self.number]
    }

    /// What a chart shows from one instant to another.
    fn window(&self, from: Option<Length>, to: Option<Length>) -> PyResult<Range<Time>> {
        let at = |length: Length| Time::ZERO + length.0;
        let from = from.map_or(Time::ZERO, at);
        let to = to.map_or_else(|| self.report().trace.end(), at);
        if from < to {
            return Ok(from..to);
        }
        Err(InputError::new_err(format!(
            "the chart ends at {to}, which is not after its beginning at {from}"
        )))
    }
}

#[pymethods]
impl PolicyResult {
    /// The policy's name.
    #[getter]
    fn policy(&self) -> &str {
        &self.report().policy
    }

    /// Its name in words.
    #[getter]
    fn title(&self) -> &str {
        &self.report().title
    }

    /// "holds", "exact-times" (with exactly the simulated execution times and arrivals), "does-not-hold" or "not-known".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.report().verdict.schedulable.name()
    }

    /// Whether all deadlines are met for ever, whatever the set allows; None: that is not known.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.report().verdict.holds()
    }

    /// What proves it: the name of a test, or "simulation".
    #[getter]
    fn proof(&self) -> Option<&str> {
        self.report().verdict.proof.as_deref()
    }

    /// Why that is so, in a sentence.
    #[getter]
    fn reason(&self) -> String {
        words::verdict(&self.report().verdict)
    }

    /// By how much all execution times may grow together: 1.25 is by a quarter; None: not known.
    #[getter]
    fn breakdown(&self) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "factors are far below 2^52 millionths"
        )]
        let factor = |it: results::Breakdown| it.factor_ppm as f64 / 1e6;
        self.report().breakdown.map(factor)
    }

    /// For how long it was simulated, in nanoseconds.
    #[getter]
    fn until_ns(&self) -> u64 {
        self.report().simulated.until.as_nanos()
    }

    /// Jobs completed in the simulation.
    #[getter]
    fn jobs_completed(&self) -> u64 {
        self.report().simulated.jobs
    }

    /// Deadlines missed in the simulation.
    #[getter]
    fn misses(&self) -> u64 {
        self.report().simulated.misses
    }

    /// How often a running job lost the CPU to another one.
    #[getter]
    fn preemptions(&self) -> u64 {
        self.report().simulated.preemptions
    }

    /// How often a CPU began to run another task than the one it had run last.
    #[getter]
    fn context_switches(&self) -> u64 {
        self.report().simulated.context_switches
    }

    /// How often a job went on on another CPU.
    #[getter]
    fn migrations(&self) -> u64 {
        self.report().summary.job_migrations()
    }

    /// What there is to know, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.report().notes.iter().map(words::note).collect()
    }

    /// The study that it is a part of.
    #[getter]
    fn study(&self) -> Study {
        Study {
            study: Arc::clone(&self.study),
            made: self.made.clone(),
        }
    }

    /// The same document as `flyball simulate --json` prints, of the whole study.
    fn json(&self) -> String {
        json::text(&json::study(&self.study))
    }

    /// What happened, event by event.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Columns> {
        let (study, number) = (Arc::clone(&self.study), self.number);
        call(py, None, move |_| {
            events::events(&study.policies[number].trace)
        })?
    }

    /// What became of each job.
    #[getter]
    fn jobs(&self) -> PyResult<Columns> {
        schedule::jobs(&self.report().trace)
    }

    /// When tasks ran, and where.
    #[getter]
    fn segments(&self) -> PyResult<Columns> {
        schedule::segments(&self.report().trace)
    }

    /// How many events were not kept.
    #[getter]
    fn events_dropped(&self) -> u64 {
        self.report().trace.header.dropped
    }

    /// The schedule as a chart of text, from one instant to another.
    #[pyo3(signature = (from_=None, to=None, *, columns=100))]
    fn chart(&self, from_: Option<Length>, to: Option<Length>, columns: usize) -> PyResult<String> {
        let style = ChartStyle {
            width: columns,
            glyphs: Glyphs::Unicode,
            paint: Paint::plain(),
        };
        let window = self.window(from_, to)?;
        Ok(gantt::chart(&self.report().trace, window, &style))
    }

    /// The schedule from `from_` to `to` as a picture (SVG); without both what the report shows at first: some slices from the
    /// beginning, or around the first miss. `width` is in pixels, from 300 on.
    #[pyo3(signature = (from_=None, to=None, *, width=960))]
    fn svg(&self, from_: Option<Length>, to: Option<Length>, width: u32) -> PyResult<String> {
        let window = match (from_, to) {
            (None, None) => None,
            (from, to) => Some(self.window(from, to)?),
        };
        Ok(gantt::svg(&self.report().trace, window, width))
    }

    /// For notebooks: the report's chart, to zoom into and to point at, a picture of its beginning, and a chart of text.
    #[pyo3(signature = (include=None, exclude=None))]
    fn _repr_mimebundle_<'py>(
        &self,
        py: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Notebooks choose among what is there.
        let _ = (include, exclude);
        let bundle = PyDict::new(py);
        bundle.set_item("text/plain", self.__repr__())?;
        if !self.report().trace.events.is_empty() {
            let rows = self.report().trace.header.tasks.len() + usize::from(self.study.cpus);
            bundle.set_item("image/svg+xml", self.svg(None, None, 960)?)?;
            let page = html::schedule(&self.study, self.number);
            bundle.set_item("text/html", frame(&page, rows))?;
        }
        Ok(bundle)
    }

    /// The schedule for Perfetto.
    fn perfetto<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &perfetto::to_perfetto(&self.report().trace))
    }

    /// The schedule as compact records (.fbtrace), as `flyball inspect` reads them.
    fn records<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.report().trace.to_bytes())
    }

    /// Writes the schedule: .pftrace for Perfetto, .fbtrace as compact records.
    fn save_trace(&self, path: PathBuf) -> PyResult<()> {
        let trace = &self.report().trace;
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("pftrace") => perfetto::to_perfetto(trace),
            Some("fbtrace") => trace.to_bytes(),
            _ => {
                let what = format!(
                    "{}: the name of a trace ends in .pftrace or .fbtrace",
                    path.display()
                );
                return Err(InputError::new_err(what));
            }
        };
        write(&path, &bytes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        match &self.made {
            Made::Result(again) => Ok(again.reduced(py)),
            Made::Study(_) => {
                let item = py.import("operator")?.getattr("getitem")?;
                Ok((item, (self.study(), self.number).into_pyobject(py)?))
            }
        }
    }

    fn __repr__(&self) -> String {
        let report = self.report();
        format!("<{}: {}>", report.policy, words::verdict(&report.verdict))
    }
}
