//! What a task of a file says to a policy, in the table `[task.policies.NAME]`.

use crate::settings::{Defaults, Setting, Values};
use flyball_model::{Settings, Task, Value};
use flyball_policy::{Costs, Duration};

/// What a task says to a policy, and the defaults for the rest. A value of the wrong kind counts as
/// none: the code that knows all policies has refused it, with its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct TaskTable<'a> {
    task: &'a str,
    defaults: Defaults,
    settings: Option<&'a Settings>,
}

impl<'a> TaskTable<'a> {
    /// What `task` says to the policy that task sets call `policy`, where a task can tell it what
    /// is in `known`.
    pub fn of(task: &'a Task, policy: &str, known: &'static [Setting]) -> TaskTable<'a> {
        TaskTable {
            task: &task.name,
            defaults: Defaults(known),
            settings: task.policies.get(policy),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let setting = self.settings?.values.get(name)?;
        Some(&setting.value)
    }
}

impl Values for TaskTable<'_> {
    fn task(&self) -> &str {
        self.task
    }

    fn duration(&self, name: &str) -> Duration {
        self.optional_duration(name)
            .unwrap_or_else(|| self.defaults.duration(name))
    }

    fn optional_duration(&self, name: &str) -> Option<Duration> {
        match self.get(name) {
            Some(Value::Duration(length)) => Some(*length),
            _ => None,
        }
    }

    fn integer(&self, name: &str) -> u32 {
        match self.get(name) {
            Some(Value::Integer(n)) => u32::try_from(*n).unwrap_or(0),
            _ => self.defaults.integer(name),
        }
    }

    fn millionths(&self, name: &str) -> u32 {
        let read = self.get(name).and_then(millionths);
        read.unwrap_or_else(|| self.defaults.millionths(name))
    }

    fn switch(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Bool(yes)) => *yes,
            _ => self.defaults.switch(name),
        }
    }

    fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => self.defaults.text(name),
        }
    }

    fn costs(&self, name: &str) -> Option<Costs> {
        match self.get(name) {
            Some(Value::Table(rows)) => Costs::new(rows).ok(),
            _ => None,
        }
    }
}

/// A number with a fraction, rounded to millionths; `None`: the value is no number.
pub fn millionths(value: &Value) -> Option<u32> {
    let number = match value {
        Value::Decimal(text) => text.replace('_', "").parse().unwrap_or(0.0),
        Value::Integer(n) => u32::try_from(*n).map_or(0.0, f64::from),
        _ => return None,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of a float saturates"
    )]
    #[expect(clippy::cast_sign_loss, reason = "the same")]
    let millionths = (number * 1e6_f64).round() as u32;
    Some(millionths)
}
