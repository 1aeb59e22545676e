//! Task sets.

use crate::again::{self, Reduced};
use crate::columns::Columns;
use crate::document::{At, table, tables};
use crate::error::{self, InputError};
use flyball::model::{self, Format, read_file, read_str, to_csv, to_toml};
use flyball::report::words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use toml::Value;

/// What messages call a set that is not from a file.
const NO_FILE: &str = "task set";

/// A platform, the tasks on it, and what they share. It does not change.
///
/// `TaskSet(tasks, *, cpus=None, name=None, **tables)` builds one in code: each task is a mapping with the keys of a task
/// in a file (docs/task-set-format.md), and so are the other tables (`platform`, `mutex`, `server`, `policies`, …). Times are whole
/// nanoseconds, or texts such as "5ms".
#[pyclass(frozen, eq, module = "flyball")]
#[derive(Clone)]
pub(crate) struct TaskSet {
    pub(crate) set: Arc<model::TaskSet>,
    /// Its file, for messages.
    pub(crate) file: String,
}

impl PartialEq for TaskSet {
    fn eq(&self, other: &TaskSet) -> bool {
        to_toml(&self.set) == to_toml(&other.set)
    }
}

impl TaskSet {
    pub(crate) fn of(set: model::TaskSet, file: &str) -> TaskSet {
        TaskSet {
            set: Arc::new(set.with_printable_names()),
            file: model::printable(file).into_owned(),
        }
    }

    fn read(text: &str, format: Format, file: &str) -> PyResult<TaskSet> {
        let set = read_str(text, format, file).map_err(|error| error::model(&error))?;
        Ok(TaskSet::of(set, file))
    }
}

#[pymethods]
impl TaskSet {
    #[new]
    #[pyo3(signature = (tasks, *, cpus=None, name=None, **tables_and_texts))]
    fn new(
        tasks: &Bound<'_, PyAny>,
        cpus: Option<i64>,
        name: Option<&str>,
        tables_and_texts: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<TaskSet> {
        let at = At::root();
        let mut document = match tables_and_texts {
            Some(others) => table(others.as_any(), &at)?,
            None => toml::Table::new(),
        };
        if document.contains_key("task") {
            return Err(InputError::new_err(
                "tasks are the first argument; leave out `task`",
            ));
        }
        document.insert("schema".into(), Value::Integer(model::SCHEMA));
        document.insert("task".into(), tables(tasks, "task", &at)?);
        if let Some(name) = name {
            document.insert("name".into(), Value::String(name.into()));
        }
        if let Some(cpus) = cpus {
            let platform = document
                .entry("platform")
                .or_insert_with(|| Value::Table(toml::Table::new()));
            if let Some(platform) = platform.as_table_mut() {
                platform.insert("cpus".into(), Value::Integer(cpus));
            }
        }
        // Tables with text keys, texts, numbers and lists always have a TOML form, or the error says what is in the way.
        let text =
            toml::to_string(&document).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let set = read_str(&text, Format::Toml, NO_FILE).map_err(|mut error| {
            // The caller never saw that text; the field says which value it is.
            (error.file, error.place, error.excerpt) = (None, None, None);
            error::model(&error)
        })?;
        Ok(TaskSet::of(set, NO_FILE))
    }

    /// Reads a task set from a file, .toml or .csv.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<TaskSet> {
        let set = read_file(&path).map_err(|error| error::model(&error))?;
        Ok(TaskSet::of(set, &path.to_string_lossy()))
    }

    /// Reads a task set from a text in TOML, or in CSV. `name` stands for the file in messages.
    #[staticmethod]
    #[pyo3(signature = (text, format="toml", *, name=NO_FILE))]
    fn parse(text: &str, format: &str, name: &str) -> PyResult<TaskSet> {
        let format = match format {
            "toml" => Format::Toml,
            "csv" => Format::Csv,
            other => {
                return Err(InputError::new_err(format!(
                    "there is no format {other:?}; there are: toml, csv"
                )));
            }
        };
        TaskSet::read(text, format, name)
    }

    /// The set as TOML, from which `parse` makes it again.
    fn to_toml(&self) -> String {
        to_toml(&self.set)
    }

    /// The set as CSV, which holds periodic tasks that only compute.
    fn to_csv(&self) -> PyResult<String> {
        to_csv(&self.set).map_err(|error| error::model(&error))
    }

    /// The set's name.
    #[getter]
    fn name(&self) -> &str {
        &self.set.name
    }

    /// The file that it was read from, as it was named, or "task set".
    #[getter]
    fn file(&self) -> &str {
        &self.file
    }

    /// How many CPUs the platform has.
    #[getter]
    fn cpus(&self) -> u8 {
        self.set.platform.cpus
    }

    /// What all tasks together ask of a CPU: 1.0 is all of one.
    #[getter]
    fn utilisation(&self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "millionths of at most some thousands of CPUs"
        )]
        let ppm = words::utilisation(&self.set).parts_per_million() as f64;
        ppm / 1e6
    }

    /// The tasks' names.
    #[getter]
    fn task_names(&self) -> Vec<String> {
        self.set
            .tasks
            .iter()
            .map(|task| task.name.clone())
            .collect()
    }

    /// The tasks as columns: name, period_ns, deadline_ns, wcet_ns, phase_ns, jitter_ns, priority, cpu.
    #[getter]
    fn tasks(&self) -> PyResult<Columns> {
        Columns::of_tasks(&self.set)
    }

    fn __len__(&self) -> usize {
        self.set.tasks.len()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        to_toml(&self.set).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let tasks = self.set.tasks.len();
        let (cpus, name) = (self.set.platform.cpus, &self.set.name);
        let [many_tasks, many_cpus] =
            [tasks, usize::from(cpus)].map(|n| if n == 1 { "" } else { "s" });
        let asks = words::utilisation_of(&self.set);
        format!(
            "<TaskSet {name:?}: {tasks} task{many_tasks}, {cpus} CPU{many_cpus}, utilisation {asks}>"
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.tasks()?.html(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let parse = py.get_type::<TaskSet>().getattr("parse")?;
        again::of_text(parse, to_toml(&self.set), &self.file)
    }
}
