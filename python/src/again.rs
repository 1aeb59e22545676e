//! Results are pickled as the call that made them: the same call gives the same result.

use crate::study::Length;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyInt, PyTuple};
use std::sync::Arc;

/// A call of one of the package's functions, as what pickle takes: `functools.partial`.
#[derive(Clone)]
pub(crate) struct Again(Arc<Py<PyAny>>);

/// What an object is made of again: a function and its arguments.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// The call `function(arguments..., names = values...)` of a function of the package: of the variables of these names.
macro_rules! again {
    ($py:expr, $function:literal, ($($argument:expr),*) $(, $name:ident)*) => {{
        let names = pyo3::types::PyDict::new($py);
        $(pyo3::types::PyDictMethods::set_item(&names, stringify!($name), &$name)?;)*
        let function = $py.import("flyball._flyball")?.getattr($function)?;
        $crate::again::Again::of(&function, ($(&$argument,)*), &names)?
    }};
}
pub(crate) use again;

impl Again {
    pub(crate) fn of<'py, A>(
        function: &Bound<'py, PyAny>,
        arguments: A,
        names: &Bound<'py, PyDict>,
    ) -> PyResult<Again>
    where
        A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    {
        let py = function.py();
        let own = PyTuple::new(py, [function])?;
        let all = own
            .as_sequence()
            .concat(arguments.into_pyobject(py)?.as_sequence())?
            .to_tuple()?;
        let partial = py.import("functools")?.getattr("partial")?;
        Ok(Again(Arc::new(partial.call(all, Some(names))?.unbind())))
    }

    /// That call.
    pub(crate) fn reduced<'py>(&self, py: Python<'py>) -> Reduced<'py> {
        (self.0.bind(py).clone(), PyTuple::empty(py))
    }
}

/// The call `function(text, name=name)`, which makes something of a text again.
pub(crate) fn of_text<'py>(
    function: Bound<'py, PyAny>,
    text: String,
    name: &str,
) -> PyResult<Reduced<'py>> {
    let py = function.py();
    let again = Again::of(&function, (text,), &[("name", name)].into_py_dict(py)?)?;
    Ok(again.reduced(py))
}

/// `what` is not pickled, for this reason.
pub(crate) fn refused(what: &str, why: &str) -> PyResult<String> {
    Err(PyTypeError::new_err(format!(
        "{what} is not pickled: {why}"
    )))
}

/// As whole nanoseconds.
impl<'py> IntoPyObject<'py> for &Length {
    type Target = PyInt;
    type Output = Bound<'py, PyInt>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        self.0.as_nanos().into_pyobject(py)
    }
}
