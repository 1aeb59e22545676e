//! Why a test does not accept a set: which task, which interval, and by how much.
//!
//! The tests proper know whether, as fast as they can. Here the formulas are evaluated as the
//! literature has them, for people, so what comes out is rounded.
//!
//! Complexity: O(n²) for GFB, BAK and BCL, O(n³) for BAK05, pseudo-polynomial for all others.

mod intervals;
#[cfg(test)]
mod tests;

use super::rounds::Outcome;
use super::{Answer, Set, Task, Test, bcli, rta, rtalc, test};
use crate::{Stop, WorkLimit};

/// What is asked for in the long run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// The sum of the utilisations, C/T.
    Utilisation,
    /// The sum of the densities, C/D.
    Densities,
    /// The largest demand of an interval, relative to its length.
    Load,
    /// The largest density.
    LargestDensity,
}

/// Why a test does not accept a set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Explanation {
    /// The task at this position has a deadline beyond its period, which the tests do not cover.
    LateDeadline(usize),
    /// The task at this position cannot compute in time even if it is alone.
    TooLong(usize),
    /// No response time within its deadline is found for the task at this position, for many
    /// windows in many rounds.
    NoBound(usize),
    /// The test is for two CPUs or more.
    OneCpu,
    /// Too much is asked for in the long run.
    Share {
        /// Of what.
        what: Share,
        /// How much there is, in CPUs.
        share: f64,
        /// Up to where the test accepts, in CPUs.
        bound: f64,
    },
    /// Too much is asked for in an interval.
    Window {
        /// The position of the task whose job it is about; `None` if it is about all.
        task: Option<usize>,
        /// Whether that task's own work is counted, too.
        own: bool,
        /// The interval's length, in units.
        interval: u64,
        /// What can be asked for in it, in units of CPU time.
        work: u128,
        /// The most that the test accepts. (Both may be shown alike, as they are rounded.)
        room: u128,
    },
    /// The test was not done when it had to stop, or its reason was not found in time.
    Stopped(Stop),
}

/// Why `which` does not accept `set` on so many CPUs; `None` if it does. The test takes at most
/// `limit` steps, and finding the reason as many again.
pub fn explain(which: Test, set: &Set, cpus: u32, limit: WorkLimit) -> Option<Explanation> {
    match test(which, set, cpus, limit) {
        Answer::Accepts => return None,
        Answer::Stopped(stop) => return Some(Explanation::Stopped(stop)),
        Answer::Rejects => {}
    }
    let tasks = set.tasks();
    let find = |is_it: fn(&Task) -> bool| tasks.iter().position(is_it);
    if let Some(task) = find(|task| task.wcet > task.deadline) {
        return Some(Explanation::TooLong(task));
    }
    if let Some(task) = find(|task| task.deadline > task.period) {
        return Some(Explanation::LateDeadline(task));
    }
    let m = f64::from(cpus);
    if set.demands_more_than(cpus) {
        return Some(share(Share::Utilisation, utilisation(tasks), m));
    }
    let densest = densities(tasks).fold(0.0, f64::max);
    let mu = m - (m - 1.0) * densest;
    let mut meter = limit.meter();
    let found =
        match which {
            Test::Gfb => Ok(Some(share(Share::Densities, densities(tasks).sum(), mu))),
            Test::Bak => Ok(worst(tasks, |k| bak(tasks, k, m))),
            Test::Bak05 => meter
                .spend(tasks.len().saturating_pow(3))
                .map(|()| worst(tasks, |k| bak05(tasks, k, m))),
            Test::Bcl => Ok(bcl(tasks, cpus)),
            Test::Bcli => bcli::outcome(set, cpus, &mut meter)
                .map(|outcome| latest(tasks, cpus, &outcome, false)),
            Test::Rta => rta::outcome(set, cpus, &mut meter)
                .map(|outcome| latest(tasks, cpus, &outcome, true)),
            Test::Load => intervals::load(set, mu, densest, &mut meter),
            Test::FfDbf => intervals::forced(set, cpus, densest, &mut meter),
            Test::Bar => intervals::bar(set, cpus, &mut meter),
            Test::Rtalc => rtalc::outcome(set, cpus, &mut meter)
                .map(|outcome| outcome.late.first().copied().map(Explanation::NoBound)),
        };
    Some(match found {
        Ok(Some(explanation)) => explanation,
        // Nothing has been found that is as certain as the test itself, which has another
        // arithmetic.
        Ok(None) => Explanation::Stopped(Stop::WorkLimit),
        Err(stop) => Explanation::Stopped(stop),
    })
}

fn share(what: Share, share: f64, bound: f64) -> Explanation {
    Explanation::Share { what, share, bound }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn real(time: u64) -> f64 {
    time as f64
}

fn utilisation(tasks: &[Task]) -> f64 {
    let of = |task: &Task| real(task.wcet) / real(task.period);
    tasks.iter().map(of).sum()
}

fn densities(tasks: &[Task]) -> impl Iterator<Item = f64> {
    let of = |task: &Task| real(task.wcet) / real(task.deadline);
    tasks.iter().map(of)
}

/// The task with the largest excess of the first number over the second, both parts of its
/// deadline.
fn worst(tasks: &[Task], of: impl Fn(&Task) -> (f64, f64)) -> Option<Explanation> {
    let all = tasks.iter().enumerate().map(|(place, k)| (place, k, of(k)));
    let (place, k, (work, room)) =
        all.max_by(|(.., a), (.., b)| (a.0 - a.1).total_cmp(&(b.0 - b.1)))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates"
    )]
    let units = |part: f64| (part * real(k.deadline)).round() as u128;
    Some(Explanation::Window {
        task: Some(place),
        own: true,
        interval: k.deadline,
        work: units(work),
        room: units(room),
    })
}

/// What can be asked for in the window of Baker's 2003 test, and its bound.
fn bak(tasks: &[Task], k: &Task, m: f64) -> (f64, f64) {
    let lambda = real(k.wcet) / real(k.deadline);
    let beta = |task: &Task| {
        let u = real(task.wcet) / real(task.period);
        let early = real(task.period - task.deadline) / real(k.deadline);
        let carried = (real(task.wcet) - lambda * real(task.period)) / real(k.deadline);
        let more = if u > lambda { carried } else { 0.0 };
        (u * (1.0 + early) + more).min(1.0)
    };
    let sum = tasks.iter().map(beta).sum();
    (sum, m * (1.0 - lambda) + lambda)
}

/// The same of Baker's 2005 test, with the best λ for the task.
fn bak05(tasks: &[Task], k: &Task, m: f64) -> (f64, f64) {
    let own = real(k.wcet) / real(k.deadline);
    let utilisations = tasks.iter().map(|task| real(task.wcet) / real(task.period));
    let choices = utilisations.filter(|&u| u > own).chain([own]);
    let with = |lambda: f64| {
        let beta = |task: &Task| {
            let u = real(task.wcet) / real(task.period);
            let all = if u <= lambda {
                let shorter = u * (1.0 - real(task.deadline) / real(k.deadline));
                u.max(shorter + real(task.wcet) / real(k.deadline))
            } else if lambda >= real(task.wcet) / real(task.deadline) {
                u
            } else {
                u + (real(task.wcet) - lambda * real(task.deadline)) / real(k.deadline)
            };
            all.min(1.0 - lambda)
        };
        (tasks.iter().map(beta).sum::<f64>(), m * (1.0 - lambda))
    };
    let all = choices.map(with);
    all.min_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)))
        .unwrap_or((0.0, 0.0))
}

/// E_i: the work of a task in a window that ends with another one's deadline.
fn before(task: &Task, window: u64, slack: u64) -> u64 {
    let rest = (window % task.period).saturating_sub(slack);
    window / task.period * task.wcet + rest.min(task.wcet)
}

/// W_i: its work in any window.
fn within(task: &Task, window: u64, slack: u64) -> u64 {
    let reach = window + (task.deadline - task.wcet - slack);
    reach / task.period * task.wcet + (reach % task.period).min(task.wcet)
}

fn bcl(tasks: &[Task], cpus: u32) -> Option<Explanation> {
    let window = |k: usize| {
        let Task { wcet, deadline, .. } = tasks[k];
        let slack = deadline - wcet;
        let work =
            others(tasks, k).map(|(_, task)| u128::from(before(task, deadline, 0).min(slack)));
        (work.sum(), u128::from(cpus) * u128::from(slack))
    };
    let all = (0..tasks.len()).map(|k| (k, window(k)));
    // Where both are equal the work may be harmless; the one with more, if there is one, is the
    // reason.
    let (k, (work, room)) = all.max_by(|(a, x), (b, y)| {
        excess(*x, tasks[*a].deadline).total_cmp(&excess(*y, tasks[*b].deadline))
    })?;
    Some(Explanation::Window {
        task: Some(k),
        own: false,
        interval: tasks[k].deadline,
        work,
        room,
    })
}

#[expect(clippy::cast_precision_loss, reason = "only the largest is sought")]
fn excess((work, room): (u128, u128), deadline: u64) -> f64 {
    (work as f64 - room as f64) / deadline as f64
}

fn others(tasks: &[Task], k: usize) -> impl Iterator<Item = (usize, &Task)> {
    tasks.iter().enumerate().filter(move |(i, _)| *i != k)
}

/// What others do in the way of τ_k up to its deadline, and for what there is room, with slacks: by
/// RTA or by BCLI.
fn interference(
    tasks: &[Task],
    k: usize,
    cpus: u32,
    slacks: &[u64],
    of_window: bool,
) -> (u128, u128) {
    let Task { wcet, deadline, .. } = tasks[k];
    let most = deadline - wcet + 1;
    let work = others(tasks, k).map(|(i, task)| {
        let mut work = before(task, deadline, slacks[i]).min(most);
        if of_window {
            work = work.min(within(task, deadline, slacks[i]));
        }
        u128::from(work)
    });
    (work.sum(), u128::from(cpus) * u128::from(most) - 1)
}

/// The task that is late by most at the end of all rounds of RTA, or else of BCLI.
fn latest(tasks: &[Task], cpus: u32, outcome: &Outcome, of_window: bool) -> Option<Explanation> {
    let at_deadline = |&k: &usize| (k, interference(tasks, k, cpus, &outcome.slacks, of_window));
    let all = outcome.late.iter().map(at_deadline);
    let (k, (work, room)) = all.max_by(|&(a, x), &(b, y)| {
        excess(x, tasks[a].deadline).total_cmp(&excess(y, tasks[b].deadline))
    })?;
    Some(Explanation::Window {
        task: Some(k),
        own: false,
        interval: tasks[k].deadline,
        work,
        room,
    })
}
