//! What came out of a study.

mod policy;

pub(crate) use policy::PolicyResult;

use crate::again::{Again, Reduced};
use crate::columns::{Columns, Kind, integers, of_csv, texts};
use crate::error;
use crate::taskset::TaskSet;
use arrow_array::BooleanArray;
use flyball::report::write::write_atomically;
use flyball::report::{csv, html, json, words};
use flyball::study::results;
use pyo3::exceptions::{PyKeyError, PyOSError};
use pyo3::prelude::*;
use std::fmt::Write;
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
