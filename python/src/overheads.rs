//! Overheads that were measured: files of them, and what is charged of one.

use crate::again::{self, Reduced};
use crate::columns::{Columns, integers, lengths, texts};
use crate::error::{self, InputError};
use crate::study::choose;
use flyball::Failure;
use flyball::model::{self, Cost, OverheadFile, Statistic, read_overheads};
use flyball::study::{Charges, NoDelay};
use flyball::trace::Duration;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// What a kernel's work costs under each policy, and what a preemption does to a working set, as `flyball overheads --out` writes it.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Overheads {
    file: OverheadFile,
    /// Its file, for messages.
    name: String,
}

/// What messages call overheads that are not from a file.
const NO_FILE: &str = "overheads";

/// What is charged, of the arguments of a function.
pub(crate) fn charges(
    overheads: Option<&Bound<'_, Overheads>>,
    charge: Option<&str>,
    working_set: Option<i64>,
) -> PyResult<Option<Charges>> {
    let Some(overheads) = overheads else {
        let alone = [
            ("charge", charge.is_some()),
            ("working_set", working_set.is_some()),
        ];
        return match alone.into_iter().find(|(_, is_there)| *is_there) {
            None => Ok(None),
            Some((name, _)) => Err(InputError::new_err(format!(
                "{name}: it says what of overheads is charged; give them with overheads=…"
            ))),
        };
    };
    let overheads = overheads.get();
    let all = Statistic::ALL.map(|statistic| (statistic.name(), statistic));
    let statistic = charge
        .map(|name| choose("charge", name, &all))
        .transpose()?;
    let working_set = working_set.map(|bytes| {
        usize::try_from(bytes)
            .ok()
            .filter(|&bytes| bytes > 0)
            .ok_or_else(|| {
                InputError::new_err(format!(
                    "working_set: expected a number of bytes above zero, found {bytes}"
                ))
            })
    });
    let charges = Charges::new(overheads.file.clone(), statistic, working_set.transpose()?);
    charges.map(Some).map_err(|no_delay| {
        let failure = Failure::file(Path::new(&overheads.name), no_delay, Some(NoDelay::REMEDY));
        error::failure(&failure)
    })
}

/// The costs of overheads, by name.
fn costs(overheads: &model::Overheads) -> [(&'static str, &Cost); 8] {
    let model::Overheads {
        release,
        call,
        scheduling,
        context_switch,
        tick,
        control,
        ipi,
        cache,
    } = overheads;
    [
        ("release", release),
        ("call", call),
        ("scheduling", scheduling),
        ("context_switch", context_switch),
        ("tick", tick),
        ("control", control),
        ("ipi", ipi),
        ("cache", cache),
    ]
}

#[pymethods]
impl Overheads {
    /// Reads a file of overheads.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Overheads> {
        let file = read_overheads(&path).map_err(|error| error::model(&error))?;
        let name = model::printable(&path.to_string_lossy()).into_owned();
        Ok(Overheads { file, name })
    }

    /// Reads overheads from a text. `name` stands for the file in messages.
    #[staticmethod]
    #[pyo3(signature = (text, *, name=NO_FILE))]
    fn parse(text: &str, name: &str) -> PyResult<Overheads> {
        let file = OverheadFile::read(text, name).map_err(|error| error::model(&error))?;
        let name = model::printable(name).into_owned();
        Ok(Overheads { file, name })
    }

    /// They as TOML, from which `parse` makes them again.
    fn to_toml(&self) -> String {
        self.file.to_toml()
    }

    /// The processor on which they were measured.
    #[getter]
    fn processor(&self) -> &str {
        &self.file.provenance.processor
    }

    /// Its operating system; empty: there was none.
    #[getter]
    fn system(&self) -> &str {
        &self.file.provenance.system
    }

    /// How they were measured.
    #[getter]
    fn method(&self) -> &str {
        &self.file.provenance.method
    }

    /// The policies whose overheads are known.
    #[getter]
    fn policies(&self) -> Vec<&str> {
        self.file.policies()
    }

    /// A row for each cost that was measured: of a policy with a queue, with so many tasks.
    #[getter]
    fn costs(&self) -> PyResult<Columns> {
        let all = || {
            self.file.entries.iter().flat_map(|entry| {
                costs(&entry.overheads)
                    .into_iter()
                    .flat_map(move |(what, cost)| {
                        let points = cost.points().iter();
                        points.map(move |&(tasks, cost)| (entry, what, tasks, cost))
                    })
            })
        };
        Columns::new([
            (
                "policy",
                texts(all().map(|(it, ..)| Some(it.policy.as_str()))),
            ),
            (
                "queue",
                texts(all().map(|(it, ..)| Some(it.queue.as_str()))),
            ),
            (
                "statistic",
                texts(all().map(|(it, ..)| Some(it.statistic.name()))),
            ),
            ("what", texts(all().map(|(_, what, ..)| Some(what)))),
            (
                "tasks",
                integers(all().map(|(_, _, tasks, _)| Some(tasks.into()))),
            ),
            ("cost_ns", lengths(all().map(|(.., cost)| Some(cost)))),
        ])
    }

    /// A row for each delay of a job that was measured: after a preemption or a migration, by its working set in bytes.
    #[getter]
    fn delays(&self) -> PyResult<Columns> {
        let all = || {
            let delays = self.file.delays.iter();
            delays.flat_map(|it| {
                it.by_working_set
                    .points()
                    .iter()
                    .map(move |point| (it, point))
            })
        };
        let delay = |(_, &(_, delay)): (_, &(u32, Duration))| Some(delay);
        Columns::new([
            ("after", texts(all().map(|(it, _)| Some(it.after.name())))),
            (
                "statistic",
                texts(all().map(|(it, _)| Some(it.statistic.name()))),
            ),
            (
                "working_set",
                integers(all().map(|(_, &(bytes, _))| Some(bytes.into()))),
            ),
            ("delay_ns", lengths(all().map(delay))),
        ])
    }

    fn __repr__(&self) -> String {
        format!(
            "<Overheads of {:?}: {}>",
            self.file.provenance.processor,
            self.file.policies().join(", ")
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.costs()?.html(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let parse = py.get_type::<Overheads>().getattr("parse")?;
        again::of_text(parse, self.to_toml(), &self.name)
    }
}
