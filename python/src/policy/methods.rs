//! The methods of an object that is a policy.

use pyo3::prelude::*;

/// The methods of an object, but for `decide`.
pub(super) struct Methods {
    pub(super) ready: Option<Py<PyAny>>,
    pub(super) stopped: Option<Py<PyAny>>,
    pub(super) pick: Option<Py<PyAny>>,
    pub(super) admit: Option<Py<PyAny>>,
    pub(super) retire: Option<Py<PyAny>>,
    pub(super) alarm: Option<Py<PyAny>>,
    pub(super) next_alarm: Option<Py<PyAny>>,
    pub(super) ended: Option<Py<PyAny>>,
    pub(super) compare: Option<Py<PyAny>>,
    pub(super) inherit: Option<Py<PyAny>>,
}

impl Methods {
    /// Those of `object`, and its method `decide`, if it has that.
    ///
    /// # Errors
    /// It has no `decide`, and not the methods that a policy needs.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<(Methods, Option<Py<PyAny>>)> {
        let find = |name: &str| Ok::<_, PyErr>(object.getattr_opt(name)?.map(Bound::unbind));
        let decide = find("decide")?;
        let need = |name: &str| match decide {
            Some(_) => Ok(None),
            None => object.getattr(name).map(|it| Some(it.unbind())),
        };
        let methods = Methods {
            ready: need("ready")?,
            stopped: need("stopped")?,
            pick: need("pick")?,
            admit: find("admit")?,
            retire: find("retire")?,
            alarm: find("alarm")?,
            next_alarm: find("next_alarm")?,
            ended: find("ended")?,
            compare: find("compare")?,
            inherit: find("inherit")?,
        };
        Ok((methods, decide))
    }
}
