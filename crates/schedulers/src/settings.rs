//! A policy's settings: what it can be told, and what a task set tells it.
//!
//! A task set sets them in a table of the policy's name:
//!
//! ```toml
//! [policies.rr]
//! quantum = "5ms"
//! ```
//!
//! A task sets its own in such a table, too: `[task.policies.rr]`.

use crate::quantum::QUANTUM;
use flyball_catalogue::Setting;
use flyball_catalogue::settings::Kind;
use flyball_catalogue::task_table::millionths;
use flyball_model::{Kind as ErrorKind, ModelError, Place, Settings, Speeds, Task, Value, closest};
use flyball_policy::Costs;
use flyball_trace::Duration;
use std::collections::BTreeMap;

/// The value of a setting where a task set says nothing, if it has one then. Its kind is the kind
/// that is asked for.
pub fn default(setting: &Setting) -> Option<Value> {
    Some(match setting.kind {
        Kind::Duration { default, .. } => Value::Duration(default),
        Kind::Decimal(default) => Value::Decimal(default.to_owned()),
        Kind::Switch(default) => Value::Bool(default),
        Kind::Choice(choices) => Value::Text(choices.first().copied().unwrap_or("").to_owned()),
        Kind::Integer { default, .. } => Value::Integer(default.into()),
        Kind::OptionalDuration(_) | Kind::Costs(_) => return None,
    })
}

/// What holds where a task set says nothing, in words where that is no value.
pub fn otherwise(setting: &Setting) -> String {
    match setting.kind {
        Kind::OptionalDuration(words) | Kind::Costs(words) => words.to_owned(),
        _ => default(setting).as_ref().map(show).unwrap_or_default(),
    }
}

/// What sort of value a setting has, in a word; a part of the contract of JSON.
pub const fn type_of(setting: &Setting) -> &'static str {
    match setting.kind {
        Kind::Duration { .. } | Kind::OptionalDuration(_) => "time",
        Kind::Decimal(_) => "decimal",
        Kind::Switch(_) => "switch",
        Kind::Choice(_) => "word",
        Kind::Integer { .. } => "integer",
        Kind::Costs(_) => "table",
    }
}

/// Which values a setting may have, in words.
pub fn allowed(setting: &Setting) -> String {
    match setting.kind {
        Kind::Duration {
            may_be_zero: false, ..
        } => "above \"0\"".into(),
        Kind::Duration { .. } | Kind::OptionalDuration(_) => "\"0\" or more".into(),
        Kind::Decimal(_) => "0 or more, such as 0.5".into(),
        Kind::Switch(_) => "true, false".into(),
        Kind::Choice(choices) => {
            let quoted = choices.iter().map(|choice| format!("\"{choice}\""));
            quoted.collect::<Vec<_>>().join(", ")
        }
        Kind::Integer { least, .. } => format!("{least} or more"),
        Kind::Costs(_) => "1 to 8 rows and as many columns, such as [[0, 9], [7, 0]]".into(),
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
            let meant = closest(text, choices.iter().copied());
            let meant = meant.map(|meant| format!(" (did you mean \"{meant}\"?)"));
            let (choices, meant) = (choices.join(", "), meant.unwrap_or_default());
            Err(format!(
                "expected one of: {choices}; found \"{text}\"{meant}"
            ))
        }
        (Kind::Integer { least, .. }, Value::Integer(n))
            if !u32::try_from(*n).is_ok_and(|n| n >= least) =>
        {
            Err(format!(
                "expected a number from {least} to {}, found {n}",
                u32::MAX
            ))
        }
        (Kind::Decimal(_), Value::Decimal(_) | Value::Integer(_))
            if show(value).starts_with('-') =>
        {
            let found = show(value);
            Err(format!("expected a number, 0 or more, found {found}"))
        }
        (Kind::Costs(_), Value::Table(rows)) => {
            Costs::new(rows).map(drop).map_err(|bad| bad.to_string())
        }
        (Kind::Duration { .. } | Kind::OptionalDuration(_), Value::Duration(_))
        | (Kind::Integer { .. }, Value::Integer(_))
        | (Kind::Decimal(_), Value::Decimal(_) | Value::Integer(_))
        | (Kind::Switch(_), Value::Bool(_))
        | (Kind::Choice(_), Value::Text(_)) => Ok(()),
        (Kind::Duration { .. } | Kind::OptionalDuration(_), _) => Err(format!(
            "expected a time such as \"10ms\", found {}",
            show(value)
        )),
        (Kind::Integer { .. }, _) => Err(format!("expected a whole number, found {}", show(value))),
        (Kind::Decimal(_), _) => Err(format!("expected a number, found {}", show(value))),
        (Kind::Switch(_), _) => Err(format!("expected true or false, found {}", show(value))),
        (Kind::Choice(_), _) => Err(format!("expected a text, found {}", show(value))),
        (Kind::Costs(_), _) => Err(format!(
            "expected a table such as [[0, 9], [7, 0]], found {}",
            show(value)
        )),
    }
}

/// A value as a user would write it, without quotes.
pub fn show(value: &Value) -> String {
    match value {
        Value::Duration(length) => length.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Decimal(text) | Value::Text(text) => text.clone(),
        Value::Bool(yes) => yes.to_string(),
        Value::Table(rows) => format!("{rows:?}"),
    }
}

/// The settings of a policy, complete: what a task set says, and the defaults for the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    settings: BTreeMap<&'static str, Value>,
    transitions: Option<Costs>,
    /// Of operating points, in hertz.
    frequencies: Vec<u64>,
    tick: Option<Duration>,
}

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
        let task = None;
        let checked = Table { file, policy, task }.checked(known, settings)?;
        let defaults = known
            .iter()
            .filter_map(|setting| Some((setting.name, default(setting)?)));
        Ok(Values {
            settings: defaults.chain(checked).collect(),
            transitions: None,
            frequencies: Vec::new(),
            tick: None,
        })
    }

    /// A setting that is a length of time. Zero if there is none of that name and kind, which is a
    /// fault of the policy.
    pub fn duration(&self, name: &str) -> Duration {
        self.optional_duration(name).unwrap_or_default()
    }

    /// A setting that is a length of time, if a task set says one.
    pub fn optional_duration(&self, name: &str) -> Option<Duration> {
        match self.settings.get(name) {
            Some(Value::Duration(length)) => Some(*length),
            _ => None,
        }
    }

    /// The setting by which a policy says how often it interrupts a job, if it has one.
    pub fn quantum(&self) -> Option<Duration> {
        Some(self.duration(QUANTUM)).filter(|quantum| !quantum.is_zero())
    }

    /// The setting by which a policy says how long its slots are that begin with the first job, if it
    /// has such.
    pub fn slot(&self) -> Option<Duration> {
        self.optional_duration("slot")
    }

    /// The setting by which a policy without a quantum says how short the bursts are that it gives,
    /// if it has one; no shorter than a microsecond.
    pub fn shortest_burst(&self) -> Option<Duration> {
        let shortest = self.optional_duration("shortest")?;
        Some(shortest.max(Duration::from_micros(1)))
    }

    /// The same, on a platform with this tick.
    #[must_use]
    pub fn with_tick(self, tick: Option<Duration>) -> Values {
        Values { tick, ..self }
    }

    /// The same, on CPUs with these operating points.
    #[must_use]
    pub fn with_speeds(self, speeds: Option<&Speeds>) -> Values {
        let row = |row: &Vec<Duration>| {
            let nanos = |time: &Duration| u32::try_from(time.as_nanos()).unwrap_or(u32::MAX);
            row.iter().map(nanos).collect()
        };
        let rows = |speeds: &Speeds| {
            speeds
                .transitions()
                .iter()
                .map(row)
                .collect::<Vec<Vec<u32>>>()
        };
        // It is square, and staying is free, as that of the platform is.
        let transitions = speeds.and_then(|speeds| Costs::new(&rows(speeds)).ok());
        let frequencies = speeds.map_or(&[][..], Speeds::frequencies);
        Values {
            transitions,
            frequencies: frequencies.iter().map(|it| it.as_hertz()).collect(),
            ..self
        }
    }

    /// The same, but that the policy interrupts a job this often, if ever.
    #[must_use]
    pub fn with_quantum(mut self, quantum: Duration) -> Values {
        if self.quantum().is_some() {
            self.settings.insert(QUANTUM, Value::Duration(quantum));
        }
        self
    }

    /// A setting that is a whole number. Zero if there is none of that name and kind.
    pub fn integer(&self, name: &str) -> u32 {
        match self.settings.get(name) {
            Some(Value::Integer(n)) => u32::try_from(*n).unwrap_or(0),
            _ => 0,
        }
    }

    /// A setting that is a number with a fraction, rounded to millionths. Zero if there is none of
    /// that name and kind.
    pub fn millionths(&self, name: &str) -> u32 {
        self.settings.get(name).and_then(millionths).unwrap_or(0)
    }

    /// A setting that is yes or no. No if there is none of that name and kind.
    pub fn switch(&self, name: &str) -> bool {
        matches!(self.settings.get(name), Some(Value::Bool(true)))
    }

    /// A setting that is a word. Empty if there is none of that name and kind.
    pub fn text(&self, name: &str) -> &str {
        match self.settings.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// A setting that is a table of costs, if a task set says one.
    pub fn costs(&self, name: &str) -> Option<Costs> {
        match self.settings.get(name) {
            Some(Value::Table(rows)) => Costs::new(rows).ok(),
            _ => None,
        }
    }

    /// All settings, as a user would write them.
    pub fn shown(&self) -> Vec<(String, String)> {
        self.settings
            .iter()
            .map(|(&name, value)| (name.to_owned(), show(value)))
            .collect()
    }
}

impl flyball_catalogue::Values for Values {
    fn duration(&self, name: &str) -> Duration {
        Values::duration(self, name)
    }

    fn optional_duration(&self, name: &str) -> Option<Duration> {
        Values::optional_duration(self, name)
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

    fn costs(&self, name: &str) -> Option<Costs> {
        Values::costs(self, name)
    }

    fn transitions(&self) -> Option<Costs> {
        self.transitions
    }

    fn tick(&self) -> Option<Duration> {
        self.tick
    }

    fn frequencies(&self) -> &[u64] {
        &self.frequencies
    }
}

/// A table of a policy in a file: that of a task, if there is one.
#[derive(Clone, Copy)]
struct Table<'a> {
    file: &'a str,
    policy: &'a str,
    task: Option<&'a Task>,
}

impl Table<'_> {
    /// The field of the table, for messages.
    fn field(self) -> String {
        let policy = self.policy;
        match self.task {
            Some(task) => format!("task {:?}: policies.{policy}", task.name),
            None => format!("policies.{policy}"),
        }
    }

    /// The values of `settings`, of which all are `known`.
    ///
    /// # Errors
    /// [`ModelError`] with the place, for one that is not known or has the wrong kind.
    fn checked(
        self,
        known: &[Setting],
        settings: Option<&Settings>,
    ) -> Result<Vec<(&'static str, Value)>, ModelError> {
        let settings = settings.iter().flat_map(|settings| &settings.values);
        let read = settings.map(|(key, found)| {
            let wrong = |kind, message, help| ModelError {
                kind,
                file: Some(self.file.to_owned()),
                place: found.place,
                field: Some(format!("{}: {key}", self.field())),
                message,
                help: Some(help),
                excerpt: None,
            };
            let Some(setting) = known.iter().find(|setting| setting.name == key) else {
                let of_tasks = if self.task.is_some() {
                    " for tasks"
                } else {
                    ""
                };
                let message = format!("the policy has no such setting{of_tasks}");
                let help = list(self.policy, of_tasks, known);
                return Err(wrong(ErrorKind::UnknownKey, message, help));
            };
            check(setting, &found.value).map_err(|message| {
                wrong(ErrorKind::WrongType, message, setting.about.to_owned())
            })?;
            Ok((setting.name, found.value.clone()))
        });
        read.collect()
    }
}

/// Checks what a task says to a policy to which a task can tell what is in `known`.
///
/// # Errors
/// As [`Values::new`].
pub fn check_task(
    file: &str,
    policy: &str,
    known: &[Setting],
    task: &Task,
) -> Result<(), ModelError> {
    let table = Table {
        file,
        policy,
        task: Some(task),
    };
    table.checked(known, task.policies.get(policy)).map(drop)
}

fn list(policy: &str, of_tasks: &str, known: &[Setting]) -> String {
    let names: Vec<_> = known.iter().map(|setting| setting.name).collect();
    match names[..] {
        [] => format!("\"{policy}\" has no settings{of_tasks}"),
        _ => format!("\"{policy}\" has{of_tasks}: {}", names.join(", ")),
    }
}

/// A fault of the task set's file that concerns a policy's table as a whole, which is that of
/// `task` if there is one.
pub fn unknown_policy(
    file: &str,
    name: &str,
    task: Option<&Task>,
    place: Option<Place>,
    known: &[&str],
) -> ModelError {
    let policy = name;
    let table = Table { file, policy, task };
    ModelError {
        kind: ErrorKind::UnknownName,
        file: Some(file.to_owned()),
        place,
        field: Some(table.field()),
        message: format!("there is no policy \"{name}\""),
        help: Some(format!("there are: {}", known.join(", "))),
        excerpt: None,
    }
}
