//! Tables, column by column, in the memory layout of Apache Arrow: other libraries take them as they are, without a copy.

mod pickled;

use crate::again::Reduced;
use crate::error::{self, InputError};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Int16Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, PrimitiveArray,
    RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::ArrowError;
use flyball::model;
use flyball::trace::Duration;
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// How many rows are shown.
const SHOWN: usize = 10;

/// A table of columns. Times are whole nanoseconds, in columns whose names end in `_ns`.
///
/// It has the Arrow PyCapsule interface: `polars.DataFrame(columns)`, `pyarrow.table(columns)`, `pandas.DataFrame.from_arrow(columns)`
/// and DuckDB take it as it is.
#[pyclass(frozen, module = "flyball")]
pub(crate) struct Columns {
    batch: RecordBatch,
}

/// What could not become columns.
pub(crate) fn fault(error: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!(
        "this is a fault in Flyball; please report it: {error}"
    ))
}

/// A number as columns have it; missing, if it is too large for that.
pub(crate) fn whole(number: u64) -> Option<i64> {
    i64::try_from(number).ok()
}

/// Numbers of which some may be missing.
pub(crate) fn integers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// Lengths of time of which some may be missing, or without end, which is missing, too.
pub(crate) fn lengths(values: impl Iterator<Item = Option<Duration>>) -> ArrayRef {
    integers(values.map(|it| {
        it.filter(|&it| it < Duration::MAX)
            .and_then(|it| i64::try_from(it.as_nanos()).ok())
    }))
}

/// Decimals of which some may be missing.
pub(crate) fn decimals(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

/// Flags of which some may be missing.
pub(crate) fn flags(values: impl Iterator<Item = Option<bool>>) -> ArrayRef {
    Arc::new(values.collect::<BooleanArray>())
}

/// Texts of which some may be missing.
pub(crate) fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

impl Columns {
    /// These columns, which are equally long.
    pub(crate) fn new<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<Columns> {
        Columns::of(
            columns
                .into_iter()
                .map(|(name, column)| (name.to_owned(), column)),
        )
    }

    pub(crate) fn of(columns: impl Iterator<Item = (String, ArrayRef)>) -> PyResult<Columns> {
        // Whether something may be missing is the same for all results of a kind.
        let columns = columns.map(|(name, column)| (name, column, true));
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| fault(&error))?;
        Ok(Columns { batch })
    }

    /// The tasks of a set.
    pub(crate) fn of_tasks(set: &model::TaskSet) -> PyResult<Columns> {
        let tasks = || set.tasks.iter();
        Columns::new([
            ("task", texts(tasks().map(|task| Some(task.name.as_str())))),
            (
                "period_ns",
                lengths(tasks().map(|task| task.arrival.period())),
            ),
            ("deadline_ns", lengths(tasks().map(|task| task.deadline))),
            ("wcet_ns", lengths(tasks().map(|task| Some(task.wcet)))),
            ("phase_ns", lengths(tasks().map(|task| Some(task.phase)))),
            ("jitter_ns", lengths(tasks().map(|task| Some(task.jitter)))),
            (
                "priority",
                integers(tasks().map(|task| task.priority.map(i64::from))),
            ),
            ("cpu", integers(tasks().map(|task| task.cpu.map(i64::from)))),
        ])
    }

    /// A value as Python has it.
    fn value<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if column.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        if let Some(texts) = column.as_any().downcast_ref::<StringArray>() {
            return Ok(texts.value(row).into_pyobject(py)?.into_any());
        }
        if let Some(flags) = column.as_any().downcast_ref::<BooleanArray>() {
            return Ok(flags.value(row).into_pyobject(py)?.to_owned().into_any());
        }
        macro_rules! numbers {
            ($($kind:ty),*) => {$(
                if let Some(numbers) = column.as_any().downcast_ref::<PrimitiveArray<$kind>>() {
                    return Ok(numbers.value(row).into_pyobject(py)?.into_any());
                }
            )*};
        }
        numbers!(
            arrow_array::types::Int64Type,
            arrow_array::types::UInt32Type,
            arrow_array::types::UInt8Type,
            arrow_array::types::Float64Type
        );
        macro_rules! dictionaries {
            ($($kind:ty),*) => {$(
                if let Some(named) = column.as_any().downcast_ref::<DictionaryArray<$kind>>() {
                    let number = usize::try_from(named.keys().value(row)).unwrap_or(usize::MAX);
                    return Columns::value(py, named.values(), number);
                }
            )*};
        }
        dictionaries!(Int16Type, Int32Type);
        Err(PyRuntimeError::new_err(
            "this is a fault in Flyball: a column of an unknown kind",
        ))
    }

    fn list<'py>(py: Python<'py>, column: &dyn Array) -> PyResult<Bound<'py, PyList>> {
        let values = (0..column.len()).map(|row| Columns::value(py, column, row));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    /// The first rows as texts, the names of the columns above them.
    fn shown(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        let rows = self.batch.num_rows().min(SHOWN);
        let mut all = vec![self.column_names()];
        for row in 0..rows {
            let cells = self.batch.columns().iter().map(|column| {
                let value = Columns::value(py, column, row)?;
                Ok(if value.is_none() {
                    "–".to_owned()
                } else {
                    value.str()?.to_string()
                })
            });
            all.push(cells.collect::<PyResult<_>>()?);
        }
        Ok(all)
    }
}

#[pymethods]
impl Columns {
    /// The names of the columns.
    #[getter]
    pub(crate) fn column_names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// A column as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let Some(column) = self.batch.column_by_name(name) else {
            let names = self.column_names();
            let known = error::known(name, names.iter().map(String::as_str));
            return Err(PyKeyError::new_err(format!(
                "there is no column {name:?}{known}"
            )));
        };
        Columns::list(py, column)
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// All columns as lists, by name.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, column) in self.column_names().iter().zip(self.batch.columns()) {
            all.set_item(name, Columns::list(py, column)?)?;
        }
        Ok(all)
    }

    /// How many bytes the columns take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    /// A frame of pandas. `unit`: times in "s", "ms" or "us" instead, as decimals, in columns whose names end so.
    #[pyo3(signature = (unit=None))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Columns>,
        unit: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frames = slf.py().import("flyball._frames")?;
        frames.call_method1("to_pandas", (slf, unit))
    }

    /// A frame of polars. `unit`: as for `to_pandas`.
    #[pyo3(signature = (unit=None))]
    fn to_polars<'py>(
        slf: &Bound<'py, Columns>,
        unit: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frames = slf.py().import("flyball._frames")?;
        frames.call_method1("to_polars", (slf, unit))
    }

    /// Writes the columns as a Parquet file, with polars or pyarrow.
    fn to_parquet(slf: &Bound<'_, Columns>, path: PathBuf) -> PyResult<()> {
        let frames = slf.py().import("flyball._frames")?;
        frames.call_method1("to_parquet", (slf, path)).map(drop)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may leave such a wish unfulfilled.
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(reader)),
            c"arrow_array_stream",
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema =
            FFI_ArrowSchema::try_from(&*self.batch.schema()).map_err(|error| fault(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The memory of the columns, with their names.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let columns = self.batch.columns().iter();
        let kept: Vec<_> = columns
            .map(|it| pickled::keep(py, it))
            .collect::<PyResult<_>>()?;
        let restored = py.get_type::<Columns>().getattr("_restored")?;
        Ok((restored, (self.column_names(), kept).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restored(names: Vec<String>, kept: Vec<Bound<'_, PyAny>>) -> PyResult<Columns> {
        let columns: Vec<_> = kept.iter().map(pickled::restore).collect::<PyResult<_>>()?;
        Columns::of(names.into_iter().zip(columns))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rows = self.shown(py)?;
        let width = |column: usize| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.batch.num_columns()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            for (cell, width) in row.iter().zip(&widths) {
                // Writing to a string cannot fail.
                let _ = write!(text, "{cell:>width$}  ");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        let more = self.batch.num_rows().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(text, "… and {more} rows more");
        }
        text.pop();
        Ok(text)
    }

    pub(crate) fn _repr_html_(slf: PyRef<'_, Columns>) -> PyResult<String> {
        slf.html(slf.py())
    }
}

impl Columns {
    /// The first rows as a table of HTML.
    pub(crate) fn html(&self, py: Python<'_>) -> PyResult<String> {
        let escape = |text: &str| {
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
        };
        let mut text = String::from("<table>");
        for (number, row) in self.shown(py)?.iter().enumerate() {
            let cell = if number == 0 { "th" } else { "td" };
            text += "<tr>";
            for value in row {
                // A sentence wants room; notebooks put cells to the right, and make them narrow.
                let style = if value.len() > 40 {
                    " style=\"text-align:left;min-width:24em\""
                } else {
                    ""
                };
                // Writing to a string cannot fail.
                let _ = write!(text, "<{cell}{style}>{}</{cell}>", escape(value));
            }
            text += "</tr>";
        }
        let more = self.batch.num_rows().saturating_sub(SHOWN);
        text += "</table>";
        if more > 0 {
            let _ = write!(text, "<p>… and {more} rows more</p>");
        }
        Ok(text)
    }
}

/// What a column of a table in CSV has.
pub(crate) enum Kind {
    Text,
    Whole,
    Decimal,
    Flag,
}

/// Columns of a text in CSV whose columns are known: numbers are whole.
pub(crate) fn of_csv(text: &str, kind: impl Fn(&str) -> Kind) -> PyResult<Columns> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let refuse = |error: csv::Error| InputError::new_err(error.to_string());
    let names: Vec<String> = reader
        .headers()
        .map_err(refuse)?
        .iter()
        .map(str::to_owned)
        .collect();
    let rows = reader
        .records()
        .collect::<Result<Vec<_>, _>>()
        .map_err(refuse)?;
    let columns = names.into_iter().enumerate().map(|(place, name)| {
        let cells = || {
            rows.iter()
                .map(|row| row.get(place).filter(|cell| !cell.is_empty()))
        };
        let column: ArrayRef = match kind(&name) {
            Kind::Flag => flags(cells().map(|cell| cell.map(|it| it == "true"))),
            Kind::Text => texts(cells()),
            Kind::Decimal => decimals(cells().map(|cell| cell.and_then(|it| it.parse().ok()))),
            Kind::Whole => integers(cells().map(|cell| cell.and_then(|it| it.parse().ok()))),
        };
        (name, column)
    });
    Columns::of(columns)
}
