//! Servers: CPU time that is kept for some tasks, whatever the others do.

use crate::settings::Location;
use crate::taskset::{Task, TaskSet};
use flyball_trace::Duration;

/// A budget of CPU time in every period, for the tasks that name the server. Policies without servers
/// do not look at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// Its name, unique among servers.
    pub name: String,
    /// How much CPU time there is in a period: more than zero, at most the deadline.
    pub budget: Duration,
    /// The period.
    pub period: Duration,
    /// How long after a budget's release it has to be available at the latest; at most the period.
    pub deadline: Duration,
    /// What happens when the budget is used up; `None`: what the policy does otherwise.
    pub mode: Option<ServerMode>,
    /// By how many periods the server comes later for each step of a job's result, in millionths, up to a
    /// thousand periods; `None`: what the policy does otherwise.
    pub alpha: Option<u32>,
    /// The CPU that the server belongs to, and its tasks with it.
    pub cpu: Option<u8>,
    /// Where the server stands.
    pub location: Location,
}

/// What happens when a server's budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerMode {
    /// Its tasks wait for the next budget.
    Hard,
    /// The next budget comes at once, and with it a later deadline.
    Soft,
}

impl TaskSet {
    /// The name of the server that a task runs in, under policies that have servers: the task's own name
    /// if it names none.
    pub fn server_name<'a>(&'a self, task: &'a Task) -> &'a str {
        self.server_of(task)
            .map_or(&task.name, |(_, server)| &server.name)
    }

    /// The server of a task, and its number; `None`: it names none.
    pub fn server_of(&self, task: &Task) -> Option<(u16, &Server)> {
        let number = task.server?;
        Some((number, self.servers.get(usize::from(number))?))
    }
}
