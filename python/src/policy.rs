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
use pyo3::types::{PyList, PyString};
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
        Policies::all(asked, Policies::add)
    }

    /// One policy.
    pub(crate) fn one(asked: &Bound<'_, PyAny>) -> PyResult<Policies> {
        if definition::is_one(asked) {
            Policies::of(Some(asked))
        } else {
            Err(definition::no_policy(asked))
        }
    }

    /// All that come with Flyball, and these that are written in Python, with checksums of their sources: for what is kept in files.
    pub(crate) fn with_sources(asked: Option<&Bound<'_, PyAny>>) -> PyResult<Policies> {
        Policies::all(asked, |policies, policy| {
            if policy.is_instance_of::<PyString>() {
                let what = "policies: expected those that are written in Python; the study names the others";
                return Err(InputError::new_err(what));
            }
            let sources = policy.py().import("flyball._source")?;
            let source = sources.call_method1("checksum", (policy,))?.extract()?;
            policies.add_own(policy, Some(source))
        })
    }

    fn all(
        asked: Option<&Bound<'_, PyAny>>,
        add: fn(&mut Policies, &Bound<'_, PyAny>) -> PyResult<()>,
    ) -> PyResult<Policies> {
        let mut policies = Policies {
            registry: Registry::standard(),
            names: Vec::new(),
            fault: None,
        };
        let Some(asked) = asked else {
            return Ok(policies);
        };
        if definition::is_one(asked) {
            add(&mut policies, asked)?;
            return Ok(policies);
        }
        for policy in asked.try_iter().map_err(|_| definition::no_policy(asked))? {
            add(&mut policies, &policy?)?;
        }
        if policies.names.is_empty() {
            let what = "policies: expected at least one name; leave them out for all that fit";
            return Err(InputError::new_err(what));
        }
        Ok(policies)
    }

    fn add(&mut self, policy: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(name) = policy.cast::<PyString>() {
            self.names.push(name.to_str()?.to_owned());
            return Ok(());
        }
        self.add_own(policy, None)
    }

    fn add_own(&mut self, policy: &Bound<'_, PyAny>, source: Option<String>) -> PyResult<()> {
        let definition = Definition::of(policy)?;
        let name = definition.name;
        if self.registry.find(name).is_ok() {
            return Err(InputError::new_err(format!(
                "there is a policy {name:?} already; give yours another name"
            )));
        }
        let fault = self.fault.get_or_insert_default();
        let mut entry = definition.entry(Arc::clone(fault));
        entry.source = source;
        self.registry.add(entry);
        self.names.push(name.to_owned());
        Ok(())
    }
}

/// What stands for policies, so that it can be looked at more than once.
pub(crate) fn listed<'py>(asked: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if definition::is_one(asked) || asked.try_iter().is_err() {
        return Ok(asked.clone());
    }
    let all = asked.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(asked.py(), all)?.into_any())
}
