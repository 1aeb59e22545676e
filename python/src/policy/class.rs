//! Policies that are classes of Python.
//!
//! Each cluster of CPUs has an object of the class ([`Object`]).

use super::fault::{self, Told};
use super::object::Object;
use flyball::catalogue::scheduler::Size;
use flyball::catalogue::{Configured, Facts, Missing, Scheduler, Shape, Values};
use flyball::policy::Storage;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::sync::Arc;

/// A class, and what its objects are made with.
pub(crate) struct Class {
    pub(crate) type_object: Arc<Py<PyType>>,
    pub(crate) settings: Py<PyDict>,
    pub(crate) cluster: usize,
    pub(crate) told: Told,
}

impl Configured for Class {
    fn new(_: &dyn Values, _: &[Facts]) -> Result<Class, &'static str> {
        Err("a policy in Python is made of what Python says")
    }

    fn parse(_: &mut &[u8]) -> Option<Class> {
        None
    }
}

impl Scheduler for Class {
    const NAME: &'static str = "a class in Python";
    const SHAPE: Shape = Shape::Several;
    type Params = u32;
    type Policy<S: Storage, C: Storage> = Object;

    fn cluster(&self) -> usize {
        self.cluster
    }

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Object {
        let object = self.told.call("__init__", None, |py| {
            let settings = self.settings.bind(py).copy()?;
            let object = self.type_object.bind(py).call1((size.cpus, settings))?;
            Ok(object.unbind())
        });
        Object::of(object, self.told.clone(), size)
    }

    fn params(&self, _: &Facts, values: &dyn Values) -> Result<u32, Missing> {
        let number = self.told.tasks.number(values.task());
        number.ok_or(Missing::Other("is none that Python knows of"))
    }

    fn during<R>(&self, simulation: impl FnOnce() -> R) -> R {
        fault::attached(simulation)
    }

    fn pause(&self) {
        fault::pause();
    }
}
