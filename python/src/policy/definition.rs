//! What a policy that is written in Python says of itself.

use super::class::Class;
use super::fault::{Fault, Told};
use super::key::{GlobalKey, Key, OneKey};
use super::task::Tasks;
use crate::error::{InputError, type_name};
use flyball::catalogue::settings::Kind;
use flyball::catalogue::{Placement, Scheduler, Setting};
use flyball::model::{TaskSet, parse_duration};
use flyball::trace::Duration;
use flyball::{Entry, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyType};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What it says.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    title: &'static str,
    about: &'static str,
    is_global: bool,
    settings: Vec<Setting>,
    source: Source,
}

enum Source {
    /// A class.
    Class(Arc<Py<PyType>>),
    /// A function that says how urgent a job is.
    Key(Arc<Py<PyAny>>),
}

/// A text for as long as the program runs. Each is kept once, however often it is asked for.
fn lasting(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = kept.get(text) {
        return kept;
    }
    let text: &'static str = Box::leak(text.into());
    kept.insert(text);
    text
}

/// Whether this stands for one policy, and not for several.
pub(crate) fn is_one(policy: &Bound<'_, PyAny>) -> bool {
    let is_key = || policy.hasattr("key").unwrap_or(false);
    policy.is_instance_of::<PyString>() || policy.is_instance_of::<PyType>() || is_key()
}

pub(crate) fn no_policy(found: &Bound<'_, PyAny>) -> PyErr {
    InputError::new_err(format!(
        "expected the name of a policy, a class with `ready`, `stopped` and `pick`, or what flyball.by_key makes, found {}",
        type_name(found)
    ))
}

/// An attribute that is a text; None: there is none, or it is empty.
fn text(policy: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<String>> {
    let Some(found) = policy.getattr_opt(name)?.filter(|it| !it.is_none()) else {
        return Ok(None);
    };
    let found: String = found.extract().map_err(|_| {
        InputError::new_err(format!(
            "{name}: expected a text, found {}",
            type_name(&found)
        ))
    })?;
    Ok(Some(found).filter(|text| !text.is_empty()))
}

impl Definition {
    pub(crate) fn of(policy: &Bound<'_, PyAny>) -> PyResult<Definition> {
        let source = if let Ok(class) = policy.cast::<PyType>() {
            let has = |method| {
                let found = class.getattr_opt(method)?.filter(PyAnyMethods::is_callable);
                let Some(found) = found else {
                    return Ok(false);
                };
                let lacks = found.getattr_opt("__isabstractmethod__")?;
                Ok::<_, PyErr>(!lacks.map_or(Ok(false), |it| it.is_truthy())?)
            };
            let decides = has("decide")?;
            for method in ["ready", "stopped", "pick"] {
                if !decides && !has(method)? {
                    return Err(InputError::new_err(format!(
                        "{}: a policy needs a method `{method}`; there have to be `ready`, `stopped` and `pick`, or `decide`",
                        class.name()?
                    )));
                }
            }
            Source::Class(Arc::new(class.clone().unbind()))
        } else {
            let key = policy.getattr_opt("key")?.filter(PyAnyMethods::is_callable);
            let key = key.ok_or_else(|| no_policy(policy))?;
            Source::Key(Arc::new(key.unbind()))
        };
        let own = text(policy, "name")?.or(text(policy, "__name__")?);
        let name = own.ok_or_else(|| InputError::new_err("a policy needs a `name`"))?;
        let doc = text(policy, "__doc__")?.unwrap_or_default();
        let about = doc.lines().map(str::trim).find(|line| !line.is_empty());
        let placement = text(policy, "placement")?;
        let is_global = match placement.as_deref().unwrap_or("assigned") {
            "assigned" => false,
            "global" => true,
            other => {
                return Err(InputError::new_err(format!(
                    "{name}: placement: expected \"assigned\" or \"global\", found {other:?}"
                )));
            }
        };
        Ok(Definition {
            name: lasting(&name),
            title: lasting(&text(policy, "title")?.unwrap_or_else(|| name.clone())),
            about: lasting(about.unwrap_or("written in Python")),
            is_global,
            settings: match policy.getattr_opt("settings")? {
                Some(settings) if matches!(source, Source::Class(_)) => {
                    settings_of(&name, &settings)?
                }
                _ => Vec::new(),
            },
            source,
        })
    }

    /// The same for the laboratory.
    pub(crate) fn entry(self, fault: Arc<Fault>) -> Entry {
        let name = self.name;
        match self.source {
            Source::Class(ref class) => {
                let class = Arc::clone(class);
                let settings = self.settings.clone();
                let cluster = if self.is_global { usize::MAX } else { 1 };
                self.made(move |values, tasks, py| {
                    Ok(Class {
                        type_object: Arc::clone(&class),
                        settings: values_of(py, &settings, values)?,
                        cluster,
                        told: Told {
                            name,
                            tasks,
                            fault: Arc::clone(&fault),
                        },
                    })
                })
            }
            Source::Key(ref function) => {
                let function = Arc::clone(function);
                let key = move |tasks| Key {
                    function: Arc::clone(&function),
                    told: Told {
                        name,
                        tasks,
                        fault: Arc::clone(&fault),
                    },
                };
                if self.is_global {
                    self.made(move |_, tasks, _| Ok(GlobalKey(key(tasks))))
                } else {
                    self.made(move |_, tasks, _| Ok(OneKey(key(tasks))))
                }
            }
        }
    }

    fn made<S: Scheduler + 'static>(
        &self,
        make: impl Fn(&Values, Tasks, Python<'_>) -> PyResult<S> + Send + Sync + 'static,
    ) -> Entry {
        let make = move |values: &Values, set: &TaskSet| {
            let made = Python::attach(|py| make(values, Tasks::of(py, set)?, py));
            made.map_err(|_| "Python has no memory for its tasks and settings")
        };
        let mut entry =
            Entry::new::<S>(self.title, self.about).made_by(self.settings.clone(), make);
        entry.name = self.name;
        entry.placement = if self.is_global {
            Placement::Global
        } else {
            Placement::Assigned
        };
        entry
    }
}

/// The settings of a class: a default for each, which says of what kind it is.
fn settings_of(policy: &str, found: &Bound<'_, PyAny>) -> PyResult<Vec<Setting>> {
    let wrong =
        |name: &str, what: &str| InputError::new_err(format!("{policy}: settings: {name}{what}"));
    let settings = found
        .cast::<PyDict>()
        .map_err(|_| wrong("", "expected a dict of names and defaults"))?;
    let setting = |(name, default): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name
            .extract()
            .map_err(|_| wrong("", "expected names that are texts"))?;
        let kind = kind_of(&default).ok_or_else(|| {
            wrong(&name, ": expected True, a whole number from 0, a float from 0, a time such as \"5ms\", or a list of words")
        })?;
        Ok(Setting {
            name: lasting(&name),
            about: "",
            kind,
        })
    };
    settings.iter().map(setting).collect()
}

fn kind_of(default: &Bound<'_, PyAny>) -> Option<Kind> {
    if default.is_instance_of::<PyBool>() {
        return Some(Kind::Switch(default.extract().ok()?));
    }
    if default.is_instance_of::<PyInt>() {
        let default = default.extract().ok()?;
        return Some(Kind::Integer { default, least: 0 });
    }
    if default.is_instance_of::<PyFloat>() {
        let number: f64 = default.extract().ok()?;
        let is_plain = number.is_finite() && number.is_sign_positive();
        return is_plain.then(|| Kind::Decimal(lasting(&format!("{number}"))));
    }
    if let Ok(text) = default.cast::<PyString>() {
        let default = parse_duration(text.to_str().ok()?).ok()?;
        return Some(Kind::Duration {
            default,
            may_be_zero: true,
        });
    }
    let words: Vec<String> = default.cast::<PyList>().ok()?.extract().ok()?;
    let words: Vec<&'static str> = words.iter().map(|word| lasting(word)).collect();
    // As many as there are lists in the program, and classes are few.
    (!words.is_empty()).then(|| Kind::Choice(words.leak()))
}

/// The values of settings, for Python.
fn values_of(py: Python<'_>, settings: &[Setting], values: &Values) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    for &Setting { name, kind, .. } in settings {
        match kind {
            Kind::Duration { .. } | Kind::OptionalDuration(_) => {
                let length = values.optional_duration(name).map(Duration::as_nanos);
                dict.set_item(name, length)?;
            }
            Kind::Decimal(_) => dict.set_item(name, f64::from(values.millionths(name)) / 1e6)?,
            Kind::Switch(_) => dict.set_item(name, values.switch(name))?,
            Kind::Choice(_) => dict.set_item(name, values.text(name))?,
            Kind::Integer { .. } => dict.set_item(name, values.integer(name))?,
            // No kind of a class's.
            Kind::Costs(_) => {}
        }
    }
    Ok(dict.unbind())
}
