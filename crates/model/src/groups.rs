//! What tasks have in common, by which policies may put them into groups.

use crate::taskset::{Task, TaskSet};

/// The largest number of a group.
pub const LAST_GROUP: u8 = 7;

/// To which group a task belongs, in each of three ways. Which of them counts is up to the policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Groups {
    /// The group that the task names by its number, at most [`LAST_GROUP`]; 0 where it names none.
    pub number: u8,
    /// The program whose code the task shares with others, by its place in the task set's table.
    pub program: Option<u16>,
    /// The device that the task needs, by its place in the task set's table.
    pub device: Option<u16>,
}

impl TaskSet {
    /// The program that a task names.
    pub fn program_of(&self, task: &Task) -> Option<&str> {
        named(&self.programs, task.groups.program)
    }

    /// The device that a task names.
    pub fn device_of(&self, task: &Task) -> Option<&str> {
        named(&self.devices, task.groups.device)
    }
}

fn named(names: &[String], number: Option<u16>) -> Option<&str> {
    names.get(usize::from(number?)).map(String::as_str)
}
