//! Exceptions.

use flyball::Failure;
use flyball::model::{ModelError, closest};
use flyball::study::StudyError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};

create_exception!(
    flyball,
    InputError,
    PyValueError,
    "A task set, an option or a name that cannot be used. It says where, what was expected, and what to do."
);

/// Something is wrong with a task set or a file.
pub(crate) fn model(error: &ModelError) -> PyErr {
    InputError::new_err(error.to_string())
}

/// A study of the task set that is called `file` cannot be made.
pub(crate) fn study(file: &str, error: StudyError) -> PyErr {
    failure(&Failure::lab(file, error))
}

/// What the command would fail with.
pub(crate) fn failure(failure: &Failure) -> PyErr {
    if failure.is_interrupted() {
        PyKeyboardInterrupt::new_err(())
    } else if failure.is_fault() {
        PyRuntimeError::new_err(failure.to_string())
    } else {
        InputError::new_err(failure.to_string())
    }
}

/// What kind of object it is, as messages say it: `float`.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name();
    name.map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// What there is besides a wrong name, and which of it may be meant: ` (did you mean "edf"?); there are: edf, rm`.
pub(crate) fn known<'a>(wrong: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let meant = closest(wrong, names.clone());
    let meant = meant.map_or_else(String::new, |meant| format!(" (did you mean {meant:?}?)"));
    format!(
        "{meant}; there are: {}",
        names.collect::<Vec<_>>().join(", ")
    )
}
