//! A policy's settings: what it can be told, and what a task set tells it.
//!
//! A task set sets them in a table of the policy's name:
//!
//! ```toml
//! [policies.rr]
//! quantum = "5ms"
//! ```

use flyball_model::{Kind, ModelError, Place, Setting, Settings, Value};
use flyball_trace::Duration;
use std::collections::BTreeMap;

/// One setting that a policy has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// Its value where a task set says nothing. Its kind is the kind that is asked for.
    pub default: Value,
}

impl Parameter {
    /// A length of time, not zero.
    pub const fn duration(name: &'static str, about: &'static str, default: Duration) -> Parameter {
        Parameter {
            name,
            about,
            default: Value::Duration(default),
        }
    }

    /// A whole number, not negative.
    pub const fn integer(name: &'static str, about: &'static str, default: u32) -> Parameter {
        Parameter {
            name,
            about,
            default: Value::Integer(default as i64),
        }
    }

    /// Whether `value` will do.
    fn takes(&self, value: &Value) -> Result<(), String> {
        match (&self.default, value) {
            (Value::Duration(_), Value::Duration(Duration::ZERO)) => {
                Err("expected a time above zero, found 0".to_owned())
            }
            (Value::Integer(_), Value::Integer(n)) if *n < 0 || *n > i64::from(u32::MAX) => Err(
                format!("expected a number from 0 to {}, found {n}", u32::MAX),
            ),
            (Value::Duration(_), Value::Duration(_))
            | (Value::Integer(_), Value::Integer(_))
            | (Value::Decimal(_), Value::Decimal(_) | Value::Integer(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Text(_), Value::Text(_)) => Ok(()),
            (Value::Duration(_), _) => Err(format!(
                "expected a time such as \"10ms\", found {}",
                show(value)
            )),
            (Value::Integer(_), _) => {
                Err(format!("expected a whole number, found {}", show(value)))
            }
            (Value::Decimal(_), _) => Err(format!("expected a number, found {}", show(value))),
            (Value::Bool(_), _) => Err(format!("expected true or false, found {}", show(value))),
            (Value::Text(_), _) => Err(format!("expected a text, found {}", show(value))),
        }
    }
}

/// A value as a user would write it, without quotes.
pub fn show(value: &Value) -> String {
    match value {
        Value::Duration(length) => length.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Decimal(text) | Value::Text(text) => text.clone(),
        Value::Bool(yes) => yes.to_string(),
    }
}

/// The settings of a policy, complete: what a task set says, and the defaults for the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// Fills in `settings` for a policy with these parameters.
    ///
    /// # Errors
    /// [`ModelError`] with the place, for a setting that the policy does not have or that has the
    /// wrong kind.
    pub fn new(
        file: &str,
        policy: &str,
        parameters: &[Parameter],
        settings: Option<&Settings>,
    ) -> Result<Values, ModelError> {
        let mut values: BTreeMap<_, _> = parameters
            .iter()
            .map(|parameter| (parameter.name, parameter.default.clone()))
            .collect();
        for (key, Setting { value, place }) in settings.iter().flat_map(|s| &s.values) {
            let wrong = |kind, message, help| ModelError {
                kind,
                file: Some(file.to_owned()),
                place: *place,
                field: Some(format!("policies.{policy}: {key}")),
                message,
                help: Some(help),
                excerpt: None,
            };
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == key) else {
                let message = "the policy has no such setting".to_owned();
                return Err(wrong(Kind::UnknownKey, message, known(policy, parameters)));
            };
            parameter
                .takes(value)
                .map_err(|message| wrong(Kind::WrongType, message, parameter.about.to_owned()))?;
            values.insert(parameter.name, value.clone());
        }
        Ok(Values(values))
    }

    /// A setting that is a length of time. Zero if there is none of that name and kind, which is a
    /// fault of the policy's entry.
    pub fn duration(&self, name: &str) -> Duration {
        match self.0.get(name) {
            Some(Value::Duration(length)) => *length,
            _ => Duration::ZERO,
        }
    }

    /// The setting by which a policy says how often it interrupts a job, if it has one.
    pub fn quantum(&self) -> Option<Duration> {
        Some(self.duration("quantum")).filter(|quantum| !quantum.is_zero())
    }

    /// The same, but that the policy interrupts a job this often, if ever.
    #[must_use]
    pub fn with_quantum(mut self, quantum: Duration) -> Values {
        if self.quantum().is_some() {
            self.0.insert("quantum", Value::Duration(quantum));
        }
        self
    }

    /// A setting that is a whole number. Zero if there is none of that name and kind.
    pub fn integer(&self, name: &str) -> u32 {
        match self.0.get(name) {
            Some(Value::Integer(n)) => u32::try_from(*n).unwrap_or(0),
            _ => 0,
        }
    }

    /// All settings, as a user would write them.
    pub fn shown(&self) -> Vec<(String, String)> {
        self.0
            .iter()
            .map(|(&name, value)| (name.to_owned(), show(value)))
            .collect()
    }
}

fn known(policy: &str, parameters: &[Parameter]) -> String {
    let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
    match names[..] {
        [] => format!("\"{policy}\" has no settings"),
        _ => format!("\"{policy}\" has: {}", names.join(", ")),
    }
}

/// A fault of the task set's file that concerns a policy's table as a whole.
pub(crate) fn unknown_policy(
    file: &str,
    name: &str,
    place: Option<Place>,
    known: &[&str],
) -> ModelError {
    ModelError {
        kind: Kind::UnknownName,
        file: Some(file.to_owned()),
        place,
        field: Some(format!("policies.{name}")),
        message: format!("there is no policy \"{name}\""),
        help: Some(format!("there are: {}", known.join(", "))),
        excerpt: None,
    }
}
