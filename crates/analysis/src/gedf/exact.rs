//! Does it hold? Global EDF exactly, for small sets: all arrivals that sporadic tasks can have are
//! tried.
//!
//! A state is, for each task, how much its job has still to compute (c) and how long it is until it
//! may arrive again (r). The job's deadline is r − (T − D) away. In each unit of time an adversary
//! lets some of the tasks arrive that may, then the m jobs with the earliest deadlines compute for
//! a unit; of equal deadlines the one that arrived first, and of those the first in the set, as in
//! the kernel. The set fails if a state can be reached in which a job has more to compute than
//! time.
//!
//! There are very many states, and two kinds of them need not be looked at:
//!
//! * A state that another one *covers*: one where each job has at least as much to compute until
//!   the same deadline, and each task without a job may arrive at least as early, be it that it has
//!   a job in the other state. If the covered state can lead to a miss, so can the other one: the
//!   adversary does the same there. Then the same jobs and more are to be done by the same
//!   deadlines, and under a policy with preemption and fixed priorities of jobs no job completes
//!   any earlier if others compute longer (Ha and Liu, "Validating timing constraints in
//!   multiprocessor and distributed real-time systems", ICDCS 1994). With equal c this is the
//!   idle-task simulation relation of Geeraerts, Goossens and Lindström, "Multiprocessor
//!   schedulability of arbitrary-deadline sporadic tasks: complexity and antichain algorithm",
//!   Real-Time Systems 49(2), 2013; that less to compute may be covered by more is ours.
//! * A state without jobs: the first state, in which every task may arrive, covers it.
//!
//! Source: Baker and Cirinei, "Brute-force determination of multiprocessor schedulability for sets
//! of sporadic hard-deadline tasks", OPODIS 2007, for the states and the adversary.
//!
//! *Exact* is meant for arrivals, and preemptions, at multiples of a unit. With a smaller unit a
//! set may fail that holds with a larger one: of three tasks (C, T, D) = (1, 2, 2), (1, 1, 1), (1,
//! 2, 1) on two CPUs none is late as long as they arrive at whole units, and the second one is if
//! the third one comes half a unit after both others. A miss is a miss with any unit.
//!
//! Complexity: exponential in the number of tasks, and in the lengths of periods. Five tasks with
//! periods of up to ten units take some milliseconds.

use super::{Set, Task};
use crate::work::Meter;
use crate::{Stop, WorkLimit};
use core::cmp::Reverse;

/// The most tasks.
pub const MOST_TASKS: usize = 16;

/// What is true of a set under global EDF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// No job ever misses its deadline.
    Holds,
    /// With these arrivals a job does.
    Fails(Counterexample),
    /// The search had to stop.
    Stopped(Stop),
}

/// Arrivals that make a job miss its deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// When which task arrives, in the order of time.
    pub arrivals: Vec<(u64, usize)>,
    /// The task whose job is late.
    pub task: usize,
    /// The deadline that it misses.
    pub deadline: u64,
}

/// The largest time of which all times of `set` are multiples: a unit for [`exact`].
pub fn common_unit(set: &Set) -> u64 {
    let all = set.tasks().iter();
    let times = all.flat_map(|task| [task.wcet, task.period, task.deadline]);
    times.fold(0, gcd).max(1)
}

/// Whether `set` holds on so many CPUs if jobs arrive at multiples of `unit`, of which all its
/// times are multiples, too ([`common_unit`]; it is stopped at once if not). It takes at most
/// `limit` steps, and tasks with deadlines up to their periods, at most [`MOST_TASKS`].
pub fn exact(set: &Set, cpus: u32, unit: u64, limit: WorkLimit) -> Truth {
    let tasks = set.tasks();
    if unit == 0 || !common_unit(set).is_multiple_of(unit) {
        return Truth::Stopped(Stop::WorkLimit);
    }
    let is_short = |task: &Task| task.period / unit < u64::from(u16::MAX);
    if tasks.len() > MOST_TASKS || !tasks.iter().all(is_short) {
        return Truth::Stopped(Stop::WorkLimit);
    }
    if let Some(task) = tasks.iter().position(|task| task.wcet > task.deadline) {
        return Truth::Fails(Counterexample {
            arrivals: vec![(0, task)],
            task,
            deadline: tasks[task].deadline,
        });
    }
    if tasks.iter().any(|task| task.deadline > task.period) {
        return Truth::Stopped(Stop::WorkLimit);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it has been checked")]
    let units = |time: u64| (time / unit) as u16;
    let known = tasks.iter().map(|task| ScaledTask {
        c: units(task.wcet),
        t: units(task.period),
        early: units(task.period) - units(task.deadline),
    });
    let mut search = Search {
        tasks: known.collect(),
        cpus: cpus as usize,
        nodes: Vec::new(),
        open: Vec::new(),
        frontier: Vec::new(),
        meter: limit.meter(),
    };
    match search.run() {
        Ok(None) => Truth::Holds,
        Ok(Some(mut found)) => {
            for (time, _) in &mut found.arrivals {
                *time *= unit;
            }
            found.deadline *= unit;
            Truth::Fails(found)
        }
        Err(stop) => Truth::Stopped(stop),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A task in units.
struct ScaledTask {
    c: u16,
    t: u16,
    /// T − D.
    early: u16,
}

/// A task in a state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Row {
    /// What is left to compute.
    c: u16,
    /// Until it may arrive again.
    r: u16,
}

type State = [Row; MOST_TASKS];

/// How a state was reached.
struct Node {
    parent: Option<u32>,
    /// The tasks that arrived in the parent's state, before the unit of time.
    arrived: u16,
}

struct Search {
    tasks: Vec<ScaledTask>,
    cpus: usize,
    nodes: Vec<Node>,
    /// States that are still to be looked at, with their nodes.
    open: Vec<(State, u32)>,
    /// States that no other one covers.
    frontier: Vec<State>,
    meter: Meter,
}

impl Search {
    /// The first miss that is found.
    fn run(&mut self) -> Result<Option<Counterexample>, Stop> {
        self.add(State::default(), None, 0)?;
        while let Some((state, node)) = self.open.pop() {
            // Something may have come that covers it.
            if self.is_covered(&state, true)? {
                continue;
            }
            let free = (0..self.tasks.len()).filter(|&i| state[i] == Row::default());
            let free = free.fold(0_u16, |mask, i| mask | 1 << i);
            // All subsets; the fullest is looked at first, as the last one that is added.
            let mut arrived = 0_u16;
            loop {
                if let Some(task) = self.step(&state, node, arrived)? {
                    return Ok(Some(self.tell(node, arrived, task)));
                }
                if arrived == free {
                    break;
                }
                arrived = (arrived.wrapping_sub(free)) & free;
            }
        }
        Ok(None)
    }

    /// Lets these arrive and a unit of time pass; returns a task that cannot be in time any more,
    /// if there is one.
    fn step(&mut self, state: &State, node: u32, arrived: u16) -> Result<Option<usize>, Stop> {
        self.meter.spend(self.tasks.len())?;
        let mut next = *state;
        let mut ready: Vec<usize> = Vec::with_capacity(self.tasks.len());
        for (i, task) in self.tasks.iter().enumerate() {
            if arrived & 1 << i != 0 {
                next[i] = Row {
                    c: task.c,
                    r: task.t,
                };
            }
            if next[i].c > 0 {
                ready.push(i);
            }
        }
        if ready.is_empty() {
            return Ok(None);
        }
        ready.sort_unstable_by_key(|&i| {
            let task = &self.tasks[i];
            // Of equal deadlines, the one that is relatively longer belongs to the job that arrived
            // first.
            let deadline = task.t - task.early;
            (next[i].r - task.early, Reverse(deadline), i)
        });
        for (place, &i) in ready.iter().enumerate() {
            let Row { c, r } = next[i];
            let c = if place < self.cpus { c - 1 } else { c };
            if c > r - 1 - self.tasks[i].early {
                return Ok(Some(i));
            }
            next[i].c = c;
        }
        for row in &mut next[..self.tasks.len()] {
            row.r = row.r.saturating_sub(1);
        }
        if next.iter().any(|row| row.c > 0) && !self.is_covered(&next, false)? {
            self.add(next, Some(node), arrived)?;
        }
        Ok(None)
    }

    /// Whether a state that was found covers this one; `other`: another one than itself.
    fn is_covered(&mut self, state: &State, other: bool) -> Result<bool, Stop> {
        let (tasks, count) = (self.tasks.len(), self.frontier.len());
        self.meter.spend(count / 8)?;
        let mut all = self.frontier.iter();
        Ok(all.any(|by| covers(&by[..tasks], &state[..tasks]) && !(other && by == state)))
    }

    fn add(&mut self, state: State, parent: Option<u32>, arrived: u16) -> Result<(), Stop> {
        let tasks = self.tasks.len();
        self.frontier
            .retain(|old| !covers(&state[..tasks], &old[..tasks]));
        self.frontier.push(state);
        let node = u32::try_from(self.nodes.len()).map_err(|_| Stop::WorkLimit)?;
        self.nodes.push(Node { parent, arrived });
        self.open.push((state, node));
        Ok(())
    }

    /// The arrivals that lead to a node, and those after it.
    fn tell(&self, node: u32, arrived: u16, task: usize) -> Counterexample {
        let mut masks = vec![arrived];
        let mut next = &self.nodes[node as usize];
        while let Some(parent) = next.parent {
            masks.push(next.arrived);
            next = &self.nodes[parent as usize];
        }
        masks.reverse();
        let mut arrivals = Vec::new();
        for (time, mask) in (0_u64..).zip(&masks) {
            let here = (0..self.tasks.len()).filter(|i| mask & 1 << i != 0);
            arrivals.extend(here.map(|i| (time, i)));
        }
        let own = arrivals.iter().rev().find(|(_, i)| *i == task);
        let known = &self.tasks[task];
        let deadline = own.map_or(0, |(time, _)| time + u64::from(known.t - known.early));
        Counterexample {
            arrivals,
            task,
            deadline,
        }
    }
}

/// Whether a state covers another one: see the module's documentation.
fn covers(by: &[Row], state: &[Row]) -> bool {
    by.iter().zip(state).all(|(a, b)| {
        if b.c > 0 {
            a.r == b.r && a.c >= b.c
        } else {
            a.r <= b.r
        }
    })
}

#[cfg(test)]
mod tests;
