//! A policy's settings: what it can be told, and what a task set tells it.
//!
//! A task set sets them in a table of the policy's name:
//!
//! ```toml
//! [policies.rr]
//! quantum = "5ms"
//! ```

use flyball_catalogue::Setting;
use flyball_catalogue::settings::Kind;
use flyball_model::{Kind as ErrorKind, ModelError, Place, Settings, Value};
use flyball_trace::Duration;
use std::collections::BTreeMap;

/// The value of a setting where a task set says nothing. Its kind is the kind that is asked for.
pub fn default(setting: &Setting) -> Value {
    match setting.kind {
        Kind::Duration { default, .. } => Value::Duration(default),
        Kind::Decimal(default) => Value::Decimal(default.to_owned()),
        Kind::Switch(default) => Value::Bool(default),
        Kind::Choice(choices) => Value::Text(choices.first().copied().unwrap_or("").to_owned()),
        Kind::Integer(default) => Value::Integer(default.into()),
    }
}

/// Whether a setting may have this value.
fn check(setting: &Setting, value: &Value) -> Result<(), String> {
    match (setting.kind, value) {
        (
            Kind::Duration {
                may_be_zero: false, ..
            },
            Value::Duration(Duration::ZERO),
        ) => Err("expected a time above zero, found 0".to_owned()),
        (Kind::Choice(choices), Value::Text(text)) if !choices.contains(&text.as_str()) => {
            let choices = choices.join(", ");
            Err(format!("expected one of: {choices}; found \"{text}\""))
        }
        (Kind::Integer(_), Value::Integer(n)) if u32::try_from(*n).is_err() => Err(format!(
            "expected a number from 0 to {}, found {n}",
            u32::MAX
        )),
        (Kind::Duration { .. }, Value::Duration(_))
        | (Kind::Integer(_), Value::Integer(_))
        | (Kind::Decimal(_), Value::Decimal(_) | Value::Integer(_))
        | (Kind::Switch(_), Value::Bool(_))
        | (Kind::Choice(_), Value::Text(_)) => Ok(()),
        (Kind::Duration { .. }, _) => Err(format!(
            "expected a time such as \"10ms\", found {}",
            show(value)
        )),
        (Kind::Integer(_), _) => Err(format!("expected a whole number, found {}", show(value))),
        (Kind::Decimal(_), _) => Err(format!("expected a number, found {}", show(value))),
        (Kind::Switch(_), _) => Err(format!("expected true or false, found {}", show(value))),
        (Kind::Choice(_), _) => Err(format!("expected a text, found {}", show(value))),
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
    /// Fills in `settings` for a policy that has these.
    ///
    /// # Errors
    /// [`ModelError`] with the place, for a setting that the policy does not have or that has the
    /// wrong kind.
    pub fn new(
        file: &str,
        policy: &str,
        known: &[Setting],
        settings: Option<&Settings>,
    ) -> Result<Values, ModelError> {
        let mut values: BTreeMap<_, _> = known
            .iter()
            .map(|setting| (setting.name, default(setting)))
            .collect();
        for (key, found) in settings.iter().flat_map(|s| &s.values) {
            let wrong = |kind, message, help| ModelError {
                kind,
                file: Some(file.to_owned()),
                place: found.place,
                field: Some(format!("policies.{policy}: {key}")),
                message,
                help: Some(help),
                excerpt: None,
            };
            let Some(setting) = known.iter().find(|setting| setting.name == key) else {
                let message = "the policy has no such setting".to_owned();
                return Err(wrong(ErrorKind::UnknownKey, message, list(policy, known)));
            };
            check(setting, &found.value).map_err(|message| {
                wrong(ErrorKind::WrongType, message, setting.about.to_owned())
            })?;
            values.insert(setting.name, found.value.clone());
        }
        Ok(Values(values))
    }

    /// A setting that is a length of time. Zero if there is none of that name and kind, which is a
    /// fault of the policy.
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

impl flyball_catalogue::Values for Values {
    fn duration(&self, name: &str) -> Duration {
        Values::duration(self, name)
    }

    fn integer(&self, name: &str) -> u32 {
        Values::integer(self, name)
    }

    fn millionths(&self, name: &str) -> u32 {
        Values::millionths(self, name)
    }

    fn switch(&self, name: &str) -> bool {
        Values::switch(self, name)
    }

    fn text(&self, name: &str) -> &str {
        Values::text(self, name)
    }
}

fn list(policy: &str, known: &[Setting]) -> String {
    let names: Vec<_> = known.iter().map(|setting| setting.name).collect();
    match names[..] {
        [] => format!("\"{policy}\" has no settings"),
        _ => format!("\"{policy}\" has: {}", names.join(", ")),
    }
}

/// A fault of the task set's file that concerns a policy's table as a whole.
pub fn unknown_policy(file: &str, name: &str, place: Option<Place>, known: &[&str]) -> ModelError {
    ModelError {
        kind: ErrorKind::UnknownName,
        file: Some(file.to_owned()),
        place,
        field: Some(format!("policies.{name}")),
        message: format!("there is no policy \"{name}\""),
        help: Some(format!("there are: {}", known.join(", "))),
        excerpt: None,
    }
}
