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
    /// Of a text: what it may be; anything if there is nothing here.
    pub choices: &'static [&'static str],
    /// Of a length of time: whether it may be zero.
    pub may_be_zero: bool,
}

impl Parameter {
    const fn new(name: &'static str, about: &'static str, default: Value) -> Parameter {
        Parameter {
            name,
            about,
            default,
            choices: &[],
            may_be_zero: false,
        }
    }

    /// A length of time, not zero.
    pub const fn duration(name: &'static str, about: &'static str, default: Duration) -> Parameter {
        Parameter::new(name, about, Value::Duration(default))
    }

    /// A length of time.
    pub const fn duration_or_zero(
        name: &'static str,
        about: &'static str,
        default: Duration,
    ) -> Parameter {
        let mut parameter = Parameter::duration(name, about, default);
        parameter.may_be_zero = true;
        parameter
    }

    /// A number with a fraction, written as `default` is.
    pub fn decimal(name: &'static str, about: &'static str, default: &str) -> Parameter {
        Parameter::new(name, about, Value::Decimal(default.to_owned()))
    }

    /// Yes or no.
    pub const fn switch(name: &'static str, about: &'static str, default: bool) -> Parameter {
        Parameter::new(name, about, Value::Bool(default))
    }

    /// One of some words, of which the first is the default.
    pub fn choice(
        name: &'static str,
        about: &'static str,
        choices: &'static [&'static str],
    ) -> Parameter {
        let default = choices.first().copied().unwrap_or_default().to_owned();
        Parameter {
            choices,
            ..Parameter::new(name, about, Value::Text(default))
        }
    }

    /// A whole number, not negative.
    pub const fn integer(name: &'static str, about: &'static str, default: u32) -> Parameter {
        Parameter::new(name, about, Value::Integer(default as i64))
    }

    /// Whether `value` will do.
    fn takes(&self, value: &Value) -> Result<(), String> {
        match (&self.default, value) {
            (Value::Duration(_), Value::Duration(Duration::ZERO)) if !self.may_be_zero => {
                Err("expected a time above zero, found 0".to_owned())
            }
            (Value::Text(_), Value::Text(text))
                if !self.choices.is_empty() && !self.choices.contains(&text.as_str()) =>
            {
                let choices = self.choices.join(", ");
                Err(format!("expected one of: {choices}; found \"{text}\""))
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

    /// A setting that is a number with a fraction, rounded to millionths. Zero if there is none of
    /// that name and kind.
    pub fn millionths(&self, name: &str) -> u32 {
        let number = match self.0.get(name) {
            Some(Value::Decimal(text)) => text.replace('_', "").parse().unwrap_or(0.0),
            Some(Value::Integer(n)) => u32::try_from(*n).map_or(0.0, f64::from),
            _ => 0.0,
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a cast of a float saturates"
        )]
        #[expect(clippy::cast_sign_loss, reason = "the same")]
        let millionths = (number * 1e6_f64).round() as u32;
        millionths
    }

    /// A setting that is yes or no. No if there is none of that name and kind.
    pub fn switch(&self, name: &str) -> bool {
        matches!(self.0.get(name), Some(Value::Bool(true)))
    }

    /// A setting that is a word. Empty if there is none of that name and kind.
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
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
