//! Policies that are written in Python: as a class ([`class`]), or as a function that says how urgent a job is ([`key`]).
//!
//! Each simulation makes its own: its tasks as Python sees them ([`task`]), and objects of the class ([`object`]). The first thing that
//! goes wrong in one ends the call ([`fault`]).

mod class;
mod definition;
mod fault;
mod instant;
mod key;
mod methods;
mod object;
mod task;

pub(crate) use fault::{Fault, PolicyError};
pub(crate) use task::Task;

use crate::error::InputError;
use definition::Definition;
use flyball::Registry;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// The policies of one call.
pub(crate) struct Policies {
    /// All that there are.
    pub(crate) registry: Registry,
    /// Those that were asked for, by name; none: all that fit.
    pub(crate) names: Vec<String>,
    /// What went wrong in one that is written in Python, if there is any such policy.
    pub(crate) fault: Option<Arc<Fault>>,
}

impl Policies {
    /// A policy, or several, or all if there is nothing: names, classes, and what `flyball.by_key` makes.
    pub(crate) fn of(asked: Option<&Bound<'_, PyAny>>) -> PyResult<Policies> {
        let mut policies = Policies {
            registry: Registry::standard(),
            names: Vec::new(),
            fault: None,
        };
        let Some(asked) = asked else {
            return Ok(policies);
        };
        if definition::is_one(asked) {
            policies.add(asked)?;
            return Ok(policies);
        }
        for policy in asked.try_iter().map_err(|_| definition::no_policy(asked))? {
            policies.add(&policy?)?;
        }
        if policies.names.is_empty() {
            let what = "policies: expected at least one name; leave them out for all that fit";
            return Err(InputError::new_err(what));
        }
        Ok(policies)
    }

    /// One policy.
    pub(crate) fn one(asked: &Bound<'_, PyAny>) -> PyResult<Policies> {
        if definition::is_one(asked) {
            Policies::of(Some(asked))
        } else {
            Err(definition::no_policy(asked))
        }
    }

    fn add(&mut self, policy: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(name) = policy.cast::<PyString>() {
            self.names.push(name.to_str()?.to_owned());
            return Ok(());
        }
        let definition = Definition::of(policy)?;
        let name = definition.name;
        if self.registry.find(name).is_ok() {
            return Err(InputError::new_err(format!(
                "there is a policy {name:?} already; give yours another name"
            )));
        }
        let fault = self.fault.get_or_insert_default();
        let entry = definition.entry(Arc::clone(fault));
        self.registry.add(entry);
        self.names.push(name.to_owned());
        Ok(())
    }
}

/// Does `work` so that calls of Python from its thread are fast, if there are policies that may have a fault: the interpreter
/// knows the thread until the work ends.
pub(crate) fn around<T: Send>(fault: Option<&Fault>, work: impl FnOnce() -> T + Send) -> T {
    match fault {
        Some(_) => Python::attach(|py| py.detach(work)),
        None => work(),
    }
}
