//! Servers that a task set declares, on one CPU: each holds its own tasks, whatever all others do.
//!
//! A server has each budget by its deadline if all servers of the CPU together ask for no more than there
//! is: budget ÷ deadline each (`theory/servers.rs` says why not a staircase). Under fixed priorities it has it
//! within its response time among the servers. Then its tasks are tested
//! with that alone, first come, first served ([`flyball_analysis::supply`]). A task that computes for more
//! than it declares, or once and without end, is in the way of its own server only. Nothing is known of
//! the tasks of such a server, and of tasks without one.

use super::blocking;
use super::cover::overruns;
use super::guarantee::Guarantee;
use super::one_cpu::{Analysed, OneCpu};
use super::proof::Effort;
use crate::reason::{Because, Obstacle};
use flyball_analysis::supply::{Rule, server_responses};
use flyball_analysis::{
    Answer, Level, Outcome, Reason, Response, SporadicTask, Strength, Supply, Utilisation, Verdict,
    WorkLimit, fixed_priority,
};
use flyball_model::{Arrival, Server, Task, TaskSet};
use flyball_trace::Duration;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Servers that give so much.
pub(super) struct Declared {
    pub(super) guarantee: Guarantee,
}

/// What is found of the tasks of one CPU.
struct Found {
    /// How long jobs take at most.
    responses: Vec<Response>,
    /// Tasks of which nothing is known, as what they do is up to them.
    free: Vec<String>,
    /// The first reason why others are not proven to be in time.
    doubt: Option<Reason>,
}

/// What the server asks for, as a task that has it all by its deadline.
pub(crate) fn density(server: &Server) -> Option<SporadicTask> {
    SporadicTask::new(server.budget, server.deadline, server.deadline).ok()
}

/// What the servers of these numbers ask for.
pub(crate) fn asked(set: &TaskSet, is_here: impl Fn(u16) -> bool) -> Vec<SporadicTask> {
    let servers = set.servers.iter().zip(0..);
    let here = servers.filter(|&(_, number)| is_here(number));
    here.filter_map(|(server, _)| density(server)).collect()
}

/// Whether what the task declares says nothing about what it computes.
pub(crate) fn is_free(task: &Task) -> bool {
    overruns(task) || task.arrival == Arrival::Once
}

/// The servers of these numbers, as tasks.
pub(crate) fn reservations(
    set: &TaskSet,
    is_here: impl Fn(u16) -> bool,
) -> Vec<(u16, SporadicTask)> {
    let servers = set.servers.iter().zip(0..);
    let servers = servers.filter(|&(_, number)| is_here(number));
    let task = |(server, number): (&Server, u16)| {
        let task = SporadicTask::new(server.budget, server.period, server.deadline);
        Some((number, task.ok()?))
    };
    servers.filter_map(task).collect()
}

/// These servers, which are those of a CPU, with the time by which each is sure to have a
/// budget as deadline; those that are not sure to are left out.
///
/// # Errors
/// [`Reason`] why none is sure to.
pub(crate) fn granted(
    rule: Rule,
    tasks: Vec<(u16, SporadicTask)>,
    limit: WorkLimit,
) -> Result<BTreeMap<u16, SporadicTask>, Reason> {
    if !matches!(rule, Rule::Polling | Rule::Deferrable | Rule::Sporadic) {
        let dense = |(_, task): &(u16, SporadicTask)| {
            SporadicTask::new(task.wcet(), task.deadline(), task.deadline()).ok()
        };
        let utilisation = Utilisation::of(&tasks.iter().filter_map(dense).collect::<Vec<_>>());
        if utilisation.cmp_one() == Ordering::Greater {
            let bound = "budget to deadline";
            return Err(Reason::AboveBound { bound, utilisation });
        }
        return Ok(tasks.into_iter().collect());
    }
    // Under fixed priorities, by deadlines. Of equals the other one may be ahead.
    let by_rule: Vec<_> = tasks.iter().map(|&(_, task)| (rule, task)).collect();
    let granted = tasks
        .iter()
        .enumerate()
        .filter_map(|(place, (number, task))| {
            let level = |(other, (_, it)): (usize, &(u16, SporadicTask))| {
                Level(match it.deadline() <= task.deadline() {
                    _ if other == place => 1,
                    true => 2,
                    false => 0,
                })
            };
            let levels: Vec<_> = tasks.iter().enumerate().map(level).collect();
            let responses = server_responses(&by_rule, &levels, limit).ok()?;
            let response = responses[place].bound().filter(|it| *it <= task.period())?;
            let granted = SporadicTask::new(task.wcet(), task.period(), response);
            Some((*number, granted.ok()?))
        });
    Ok(granted.collect())
}

/// How long jobs of these tasks take in a server that gives so much, and serves them in order.
pub(crate) fn served(
    supply: Option<Supply>,
    tasks: &[SporadicTask],
    limit: WorkLimit,
) -> Vec<Response> {
    let same = vec![Level(0); tasks.len()];
    let known = supply
        .and_then(|supply| fixed_priority::response_times_on(supply, tasks, &same, limit).ok());
    // Otherwise nothing is known of the server, or its times do not fit together.
    known.unwrap_or_else(|| vec![Response::Unbounded; tasks.len()])
}

/// O(tasks × servers), and the tests of all servers.
fn find(
    guarantee: Guarantee,
    set: &TaskSet,
    jobs: &[usize],
    tasks: &[SporadicTask],
    limit: WorkLimit,
) -> Found {
    let mut found = Found {
        responses: vec![Response::Unbounded; jobs.len()],
        free: Vec::new(),
        doubt: None,
    };
    // The positions of each server's tasks.
    let mut members: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (position, &job) in jobs.iter().enumerate() {
        match set.tasks[job].server {
            Some(server) => members.entry(server).or_default().push(position),
            None => found.free.push(set.tasks[job].name.clone()),
        }
    }
    let cpu = jobs.first().and_then(|&job| set.tasks[job].cpu);
    let is_here = |number: u16| {
        let mut tasks = set.tasks.iter().filter(|it| it.server == Some(number));
        tasks.any(|it| it.cpu == cpu)
    };
    let granted = guarantee
        .among()
        .map(|rule| granted(rule, reservations(set, is_here), limit));
    let granted = match granted {
        None => return found,
        Some(Ok(granted)) => granted,
        Some(Err(doubt)) => {
            found.doubt = Some(doubt);
            return found;
        }
    };
    for (number, positions) in members {
        let inside = set.tasks.iter().filter(|it| it.server == Some(number));
        let free: Vec<_> = inside.filter(|it| is_free(it)).collect();
        if !free.is_empty() {
            found.free.extend(free.iter().map(|it| it.name.clone()));
            continue;
        }
        let inside: Vec<_> = positions.iter().map(|&it| tasks[it]).collect();
        let supply = granted.get(&number).and_then(|granted| {
            let server = set.servers.get(usize::from(number))?;
            guarantee.in_order(set, server, granted)
        });
        let responses = served(supply, &inside, limit);
        let is_late = |&(place, response): &(usize, &Response)| {
            let task: &SporadicTask = &inside[place];
            response.is_within(task.deadline().min(task.period())) != Some(true)
        };
        if let Some((place, &response)) = responses.iter().enumerate().find(is_late) {
            found.doubt = found.doubt.or(Some(Reason::Late {
                task: positions[place],
                response,
                deadline: inside[place].deadline().min(inside[place].period()),
                blocking: Duration::ZERO,
            }));
            continue;
        }
        for (&position, response) in positions.iter().zip(responses) {
            found.responses[position] = response;
        }
    }
    found
}

impl OneCpu for Declared {
    fn name(&self) -> &'static str {
        "budgets of servers"
    }

    fn because(&self) -> Because {
        Because::Served
    }

    fn accepts(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: &[SporadicTask],
        limit: WorkLimit,
    ) -> Answer {
        if self.guarantee.check(set).is_err() {
            return Answer::Rejects;
        }
        let found = find(self.guarantee, set, jobs, tasks, limit);
        Answer::accepts_if(found.doubt.is_none() && found.free.is_empty())
    }

    fn knows_overruns(&self) -> bool {
        true
    }

    fn analyse(
        &self,
        set: &TaskSet,
        jobs: &[usize],
        tasks: Vec<SporadicTask>,
        effort: Effort,
    ) -> Result<Analysed, Obstacle> {
        blocking::none(set, jobs)?;
        self.guarantee.check(set)?;
        let found = find(self.guarantee, set, jobs, &tasks, effort.verdict);
        Ok(Analysed {
            outcome: Outcome {
                verdict: found.doubt.map_or(Verdict::Holds, Verdict::Unknown),
                strength: Strength::Sufficient,
            },
            definite: false,
            about_some: (!found.free.is_empty()).then_some(Because::Isolated(found.free)),
            responses: found.responses,
            slacks: vec![None; jobs.len()],
            breakdown: None,
        })
    }

    /// In a server it is in the way of that server's tasks only, and otherwise of none.
    fn is_last(&self, _: &TaskSet, _: usize, _: &[usize]) -> bool {
        true
    }
}
