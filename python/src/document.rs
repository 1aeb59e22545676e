//! Task sets that Python describes, as the document that a file would hold: so one reader checks both.
//!
//! Times are whole nanoseconds, or texts as in files. The keys whose numbers are times are known here.

use crate::error::{InputError, type_name};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};
use toml::{Table, Value};

/// Keys whose values are lengths of time, or have some in them.
const TIMES: [&str; 27] = [
    "period",
    "sporadic",
    "gap",
    "wcet",
    "bcet",
    "deadline",
    "phase",
    "jitter",
    "compute",
    "actual",
    "suspend",
    "uniform",
    "one_of",
    "empirical",
    "cycle",
    "every",
    "normal",
    "within",
    "budget",
    "tick",
    "release",
    "call",
    "scheduling",
    "context_switch",
    "ipi",
    "quantum",
    "transition",
];

/// How deep objects may be in each other. Behaviours nest no deeper than that either.
const DEEPEST: usize = 64;

/// Where an object is, for messages: `task 2: wcet`.
pub(crate) struct At<'a> {
    outer: Option<&'a At<'a>>,
    here: String,
    depth: usize,
}

impl<'a> At<'a> {
    pub(crate) fn root() -> At<'static> {
        At {
            outer: None,
            here: String::new(),
            depth: 0,
        }
    }

    fn within(&'a self, here: String) -> At<'a> {
        At {
            outer: Some(self),
            here,
            depth: self.depth + 1,
        }
    }

    fn path(&self) -> String {
        match self.outer {
            Some(outer) if !outer.here.is_empty() => format!("{}: {}", outer.path(), self.here),
            _ => self.here.clone(),
        }
    }

    pub(crate) fn error(&self, what: &str) -> PyErr {
        match self.path().as_str() {
            "" => InputError::new_err(what.to_owned()),
            path => InputError::new_err(format!("{path}: {what}")),
        }
    }
}

/// A mapping as a table. Keys whose value is `None` are left out.
pub(crate) fn table(mapping: &Bound<'_, PyAny>, at: &At<'_>) -> PyResult<Table> {
    let Ok(mapping) = mapping.cast::<PyMapping>() else {
        let what = format!(
            "expected a mapping of keys to values, found {}",
            type_name(mapping)
        );
        return Err(at.error(&what));
    };
    let mut table = Table::new();
    for item in mapping.items()?.iter() {
        let (key, found): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let Ok(key) = key.cast::<PyString>().map(ToString::to_string) else {
            return Err(at.error(&format!("keys are text, found {}", type_name(&key))));
        };
        if found.is_none() {
            continue;
        }
        let is_time = TIMES.contains(&key.as_str());
        let here = at.within(key.clone());
        table.insert(key, value(&found, is_time, &here)?);
    }
    Ok(table)
}

/// A list of tables, for example of tasks.
pub(crate) fn tables(list: &Bound<'_, PyAny>, what: &str, at: &At<'_>) -> PyResult<Value> {
    let items = list
        .try_iter()
        .map_err(|_| at.error(&format!("expected a list, found {}", type_name(list))))?;
    let mut all = Vec::new();
    for (number, item) in items.enumerate() {
        let here = at.within(format!("{what} {}", number + 1));
        all.push(Value::Table(table(&item?, &here)?));
    }
    Ok(Value::Array(all))
}

fn value(found: &Bound<'_, PyAny>, is_time: bool, at: &At<'_>) -> PyResult<Value> {
    if at.depth > DEEPEST {
        return Err(at.error(&format!("more than {DEEPEST} levels within each other")));
    }
    if let Ok(text) = found.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if found.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(found.extract()?));
    }
    if found.is_instance_of::<PyInt>() || is_index(found) {
        let number: i64 = found
            .extract()
            .map_err(|_| at.error("the number is too large"))?;
        return Ok(if is_time {
            Value::String(format!("{number}ns"))
        } else {
            Value::Integer(number)
        });
    }
    if found.is_instance_of::<PyFloat>() {
        if is_time {
            return Err(
                at.error("expected whole nanoseconds, or a text such as \"5ms\", found a float")
            );
        }
        return Ok(Value::Float(found.extract()?));
    }
    if found.is_instance_of::<PyDict>() || found.cast::<PyMapping>().is_ok() {
        return Ok(Value::Table(table(found, at)?));
    }
    let Ok(items) = found.try_iter() else {
        return Err(at.error(&format!(
            "expected a text, a number, a list or a mapping, found {}",
            type_name(found)
        )));
    };
    let mut all = Vec::new();
    for (number, item) in items.enumerate() {
        let here = at.within((number + 1).to_string());
        all.push(value(&item?, is_time, &here)?);
    }
    Ok(Value::Array(all))
}

/// Whether it is a whole number of another library, such as NumPy.
fn is_index(found: &Bound<'_, PyAny>) -> bool {
    !found.is_instance_of::<PyFloat>() && found.hasattr("__index__").unwrap_or(false)
}
