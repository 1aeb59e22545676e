//! Columns as pickle keeps them: their memory as it is.

use super::fault;
use crate::error::InputError;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// What columns have.
fn kinds() -> [DataType; 8] {
    let named = |width| DataType::Dictionary(Box::new(width), Box::new(DataType::Utf8));
    [
        DataType::Boolean,
        DataType::Float64,
        DataType::Int64,
        DataType::UInt32,
        DataType::UInt8,
        DataType::Utf8,
        named(DataType::Int16),
        named(DataType::Int32),
    ]
}

/// The memory of a column: what it has, how many rows, which are there (None: all), the rest, and the names that numbers stand for.
type Kept<'py> = (
    String,
    usize,
    Option<Bound<'py, PyBytes>>,
    Vec<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyTuple>>,
);

/// A column for pickle.
pub(super) fn keep<'py>(py: Python<'py>, column: &dyn Array) -> PyResult<Bound<'py, PyTuple>> {
    let data = column.to_data();
    if data.offset() != 0 {
        return Err(fault(&ArrowError::InvalidArgumentError(
            "a part of a column".into(),
        )));
    }
    let names = data.child_data().first();
    let kept: Kept<'_> = (
        data.data_type().to_string(),
        data.len(),
        data.nulls().map(|rows| PyBytes::new(py, rows.validity())),
        data.buffers()
            .iter()
            .map(|it| PyBytes::new(py, it))
            .collect(),
        names
            .map(|it| keep(py, &make_array(it.clone())))
            .transpose()?,
    );
    kept.into_pyobject(py)
}

/// The column that pickle has kept.
///
/// # Errors
/// It is none.
pub(super) fn restore(kept: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (kind, rows, present, memory, names): Kept<'_> = kept.extract()?;
    let bytes = |it: &Bound<'_, PyBytes>| Buffer::from(it.as_bytes());
    let no = |why: String| InputError::new_err(format!("no column: {why}"));
    let kind = kinds().into_iter().find(|it| it.to_string() == kind);
    let names = names.map(|it| restore(&it)).transpose()?;
    let data = ArrayData::try_new(
        kind.ok_or_else(|| no("of an unknown kind".into()))?,
        rows,
        present.as_ref().map(bytes),
        0,
        memory.iter().map(bytes).collect(),
        names.iter().map(Array::to_data).collect(),
    );
    data.map(make_array).map_err(|error| no(error.to_string()))
}
