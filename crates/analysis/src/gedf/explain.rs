//! Why a test does not accept a set: which task, which interval, and by how much. And how long jobs can take in a set
//! that holds.
//!
//! The tests proper know whether, as fast as they can. Here the formulas are evaluated as the literature has them, for
//! people, so what comes out is rounded: work up, and what would be fine down.
//!
//! Complexity: O(n²) for GFB, BAK and BCL, O(n³) for BAK05, pseudo-polynomial for all others.

use super::{Answer, Set, Task, Test, test};
use crate::work::Meter;
use crate::{Stop, WorkLimit};
use core::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// Response times cannot be bounded by the deadlines, for many windows in many rounds.
    NoBound,
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

/// Why `which` does not accept `set` on so many CPUs; `None` if it does. The test takes at most `limit` steps, and finding
/// the reason as many again.
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
    let found = match which {
        Test::Gfb => Ok(Some(share(Share::Densities, densities(tasks).sum(), mu))),
        Test::Bak => Ok(worst(tasks, |k| bak(tasks, k, m))),
        Test::Bak05 => Ok(worst(tasks, |k| bak05(tasks, k, m))),
        Test::Bcl => Ok(bcl(tasks, cpus)),
        Test::Bcli => in_rounds(tasks, cpus, false, &mut meter),
        Test::Rta => in_rounds(tasks, cpus, true, &mut meter),
        Test::Load => load(set, mu, densest, &mut meter),
        Test::FfDbf => forced(set, cpus, densest, &mut meter),
        Test::Bar => bar(set, cpus, &mut meter),
        Test::Rtalc => Ok(Some(Explanation::NoBound)),
    };
    Some(match found {
        Ok(Some(explanation)) => explanation,
        // Nothing has been found that is as certain as the test itself, which has another arithmetic.
        Ok(None) => Explanation::Stopped(Stop::WorkLimit),
        Err(stop) => Explanation::Stopped(stop),
    })
}

/// How long jobs can take from their arrival to their end, at most, under global EDF on so many CPUs, by RTA: in the order
/// of the tasks. `None` if RTA does not accept the set, as then nothing is known of any task, or if it is not done after
/// `limit` steps.
pub fn response_times(set: &Set, cpus: u32, limit: WorkLimit) -> Option<Vec<u64>> {
    if !set.is_eligible(cpus) {
        return None;
    }
    let tasks = set.tasks();
    let mut meter = limit.meter();
    let slacks = slacks(tasks, cpus, true, &mut meter).ok()??;
    let left = tasks.iter().zip(slacks);
    Some(left.map(|(task, slack)| task.deadline - slack).collect())
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

/// The task with the largest excess of the first number over the second, both parts of its deadline.
fn worst(tasks: &[Task], of: impl Fn(&Task) -> (f64, f64)) -> Option<Explanation> {
    let all = tasks.iter().enumerate().map(|(place, k)| (place, k, of(k)));
    let (place, k, (work, room)) =
        all.max_by(|(.., a), (.., b)| (a.0 - a.1).total_cmp(&(b.0 - b.1)))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates"
    )]
    let units = |part: f64| (part * real(k.deadline)) as u128;
    Some(Explanation::Window {
        task: Some(place),
        interval: k.deadline,
        work: units(work) + 1,
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

/// The same of his 2005 test, with the best λ for the task.
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
    // Where both are equal the work may be harmless; the one with more, if there is one, is the reason.
    let (k, (work, room)) = all.max_by(|(a, x), (b, y)| {
        excess(*x, tasks[*a].deadline).total_cmp(&excess(*y, tasks[*b].deadline))
    })?;
    Some(Explanation::Window {
        task: Some(k),
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

/// The response time of τ_k by RTA or by BCLI, if it is within the deadline.
fn response(
    tasks: &[Task],
    k: usize,
    slacks: &[u64],
    (cpus, of_window): (u32, bool),
    meter: &mut Meter,
) -> Result<Option<u64>, Stop> {
    let Task { wcet, deadline, .. } = tasks[k];
    let mut response = if of_window { wcet } else { deadline };
    while response <= deadline {
        meter.spend(tasks.len())?;
        let (work, _) = interference(tasks, k, slacks, response, of_window);
        let next = u128::from(wcet) + work / u128::from(cpus);
        let next = u64::try_from(next).map_err(|_| Stop::TimeRange)?;
        if next == response || !of_window {
            return Ok(Some(next).filter(|&next| next <= deadline));
        }
        response = next;
    }
    Ok(None)
}

/// What others do in the way of τ_k within a response time, and R − C_k + 1.
fn interference(
    tasks: &[Task],
    k: usize,
    slacks: &[u64],
    response: u64,
    of_window: bool,
) -> (u128, u64) {
    let most = response - tasks[k].wcet + 1;
    let work = others(tasks, k).map(|(i, task)| {
        let mut work = before(task, tasks[k].deadline, slacks[i]).min(most);
        if of_window {
            work = work.min(within(task, response, slacks[i]));
        }
        u128::from(work)
    });
    (work.sum(), most)
}

/// The slack of all tasks at the end of all rounds, if nobody is late.
fn slacks(
    tasks: &[Task],
    cpus: u32,
    of_window: bool,
    meter: &mut Meter,
) -> Result<Option<Vec<u64>>, Stop> {
    let (slacks, late) = rounds(tasks, cpus, of_window, meter)?;
    Ok(late.is_empty().then_some(slacks))
}

/// The slack of all tasks at the end of all rounds, and who is late.
fn rounds(
    tasks: &[Task],
    cpus: u32,
    of_window: bool,
    meter: &mut Meter,
) -> Result<(Vec<u64>, Vec<usize>), Stop> {
    let mut slacks = vec![0; tasks.len()];
    loop {
        let (mut late, mut is_better) = (Vec::new(), false);
        for (k, task) in tasks.iter().enumerate() {
            match response(tasks, k, &slacks, (cpus, of_window), meter)? {
                Some(response) => {
                    let slack = task.deadline - response;
                    is_better |= slack > slacks[k];
                    slacks[k] = slacks[k].max(slack);
                }
                None => late.push(k),
            }
        }
        if !is_better {
            return Ok((slacks, late));
        }
    }
}

fn in_rounds(
    tasks: &[Task],
    cpus: u32,
    of_window: bool,
    meter: &mut Meter,
) -> Result<Option<Explanation>, Stop> {
    let (slacks, late) = rounds(tasks, cpus, of_window, meter)?;
    let at_deadline = |&k: &usize| {
        let deadline = tasks[k].deadline;
        let (work, most) = interference(tasks, k, &slacks, deadline, of_window);
        (k, work, u128::from(cpus) * u128::from(most) - 1)
    };
    let all = late.iter().map(at_deadline);
    let worst = all.max_by(|a, b| {
        let excess =
            |&(k, work, room): &(usize, u128, u128)| excess((work, room), tasks[k].deadline);
        excess(a).total_cmp(&excess(b))
    });
    Ok(worst.map(|(k, work, room)| Explanation::Window {
        task: Some(k),
        interval: tasks[k].deadline,
        work,
        room,
    }))
}

/// All D_i + j T_i of the tasks, from the first one on, each once.
struct Steps<'t> {
    tasks: &'t [Task],
    next: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'t> Steps<'t> {
    fn new(tasks: &'t [Task]) -> Steps<'t> {
        let first = tasks.iter().enumerate();
        Steps {
            tasks,
            next: first
                .map(|(place, task)| Reverse((task.deadline, place)))
                .collect(),
        }
    }
}

impl Iterator for Steps<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let &Reverse((step, _)) = self.next.peek()?;
        while let Some(&Reverse((same, place))) = self.next.peek()
            && same == step
        {
            self.next.pop();
            let later = step.checked_add(self.tasks[place].period)?;
            self.next.push(Reverse((later, place)));
        }
        Some(step)
    }
}

fn dbf(task: &Task, length: u64) -> u128 {
    length.checked_sub(task.deadline).map_or(0, |after| {
        (u128::from(after / task.period) + 1) * u128::from(task.wcet)
    })
}

/// The first interval in which the demand is above a line, at a step of the demand.
fn first_above(
    tasks: &[Task],
    slope: f64,
    demand: impl Fn(&Task, u64) -> f64,
    meter: &mut Meter,
) -> Result<Option<Explanation>, Stop> {
    for length in Steps::new(tasks) {
        meter.spend(tasks.len())?;
        let sum: f64 = tasks.iter().map(|task| demand(task, length)).sum();
        if sum > slope * real(length) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it saturates"
            )]
            return Ok(Some(Explanation::Window {
                task: None,
                interval: length,
                work: sum.ceil() as u128,
                room: (slope * real(length)).floor() as u128,
            }));
        }
    }
    Err(Stop::TimeRange)
}

fn load(set: &Set, mu: f64, densest: f64, meter: &mut Meter) -> Result<Option<Explanation>, Stop> {
    let tasks = set.tasks();
    let ceiling = mu.ceil();
    let bound = (mu - (ceiling - 1.0) * densest).max(ceiling - 1.0 - (ceiling - 2.0) * densest);
    let used = utilisation(tasks);
    if set.is_implicit() || used > bound {
        return Ok(Some(share(Share::Load, used, bound)));
    }
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    first_above(tasks, bound, |task, length| dbf(task, length) as f64, meter)
}

fn forced(
    set: &Set,
    cpus: u32,
    densest: f64,
    meter: &mut Meter,
) -> Result<Option<Explanation>, Stop> {
    let (tasks, m) = (set.tasks(), f64::from(cpus));
    let bound = ((m - utilisation(tasks)) / (m - 1.0) - 0.1).min(1.0);
    if cpus < 2 {
        return Ok(Some(Explanation::OneCpu));
    }
    if densest > bound {
        return Ok(Some(share(Share::LargestDensity, densest, bound)));
    }
    let demand = |task: &Task, length: u64| {
        let (jobs, rest) = (length / task.period, length % task.period);
        let early = real(task.deadline.saturating_sub(rest));
        real(jobs) * real(task.wcet) + (real(task.wcet) - early * densest).max(0.0)
    };
    first_above(tasks, m - (m - 1.0) * densest, demand, meter)
}

fn bar(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Option<Explanation>, Stop> {
    let tasks = set.tasks();
    if !set.leaves_something_of(cpus) {
        let m = f64::from(cpus);
        return Ok(Some(share(Share::Utilisation, utilisation(tasks), m)));
    }
    for length in Steps::new(tasks) {
        for (place, k) in tasks.iter().enumerate() {
            if length < k.deadline {
                continue;
            }
            meter.spend(tasks.len())?;
            let most = u128::from(length - k.wcet + 1);
            let mut more = Vec::with_capacity(tasks.len());
            let mut sum = 0;
            for (i, task) in tasks.iter().enumerate() {
                let count = |work: u128| {
                    if i == place {
                        (work - u128::from(k.wcet)).min(u128::from(length - k.deadline))
                    } else {
                        work.min(most)
                    }
                };
                let carried = u128::from(length / task.period) * u128::from(task.wcet)
                    + u128::from((length % task.period).min(task.wcet));
                let plain = count(dbf(task, length));
                sum += plain;
                more.push(count(carried) - plain);
            }
            more.sort_unstable_by(|a, b| b.cmp(a));
            let work = sum + more.iter().take(cpus as usize - 1).sum::<u128>();
            let room = u128::from(cpus) * u128::from(length - k.wcet);
            if work > room {
                return Ok(Some(Explanation::Window {
                    task: Some(place),
                    interval: length,
                    work,
                    room,
                }));
            }
        }
    }
    Err(Stop::TimeRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: WorkLimit = WorkLimit::steps(1_000_000);

    fn set(tasks: &[(u64, u64, u64)]) -> Set {
        let task = |&(wcet, period, deadline): &(u64, u64, u64)| Task {
            wcet,
            period,
            deadline,
        };
        Set::new(tasks.iter().map(task).collect()).unwrap()
    }

    fn said(which: Test, set: &Set, cpus: u32) -> Explanation {
        explain(which, set, cpus, LIMIT).unwrap()
    }

    #[test]
    fn what_no_test_takes_is_said_of_the_task() {
        assert_eq!(
            said(Test::Rta, &set(&[(1, 4, 4), (5, 9, 4)]), 2),
            Explanation::TooLong(1)
        );
        assert_eq!(
            said(Test::Rta, &set(&[(1, 4, 4), (5, 9, 10)]), 2),
            Explanation::LateDeadline(1)
        );
        let full = set(&[(4, 4, 4), (4, 4, 4), (1, 4, 4)]);
        let expected = Explanation::Share {
            what: Share::Utilisation,
            share: 2.25,
            bound: 2.0,
        };
        assert_eq!(said(Test::Bar, &full, 2), expected);
    }

    /// Dhall's effect: two short jobs, and one that takes nearly all of a longer period.
    #[test]
    fn dhall() {
        let dhall = set(&[(2, 10, 10), (2, 10, 10), (10, 11, 11)]);
        // 14.4/11 of densities; 2 − 10/11 is the bound.
        let Explanation::Share { share, bound, .. } = said(Test::Gfb, &dhall, 2) else {
            panic!("no share");
        };
        assert!((share - 14.4 / 11.0).abs() < 1e-12 && (bound - 12.0 / 11.0).abs() < 1e-12);
        // The long one has a slack of 1, in which each of the others may be in its way.
        for which in [Test::Bcl, Test::Rta] {
            let expected = Explanation::Window {
                task: Some(2),
                interval: 11,
                work: if which == Test::Bcl { 2 } else { 4 },
                room: if which == Test::Bcl { 2 } else { 3 },
            };
            assert_eq!(said(which, &dhall, 2), expected);
        }
        assert_eq!(response_times(&dhall, 2, LIMIT), None);
        assert_eq!(explain(Test::Rta, &dhall, 3, LIMIT), None);
        assert_eq!(response_times(&dhall, 3, LIMIT), Some(vec![2, 2, 10]));
    }

    /// The example in the documentation of [`gedf`](super::super).
    #[test]
    fn bounds_by_hand() {
        let tasks = [(75, 100, 100), (75, 100, 100), (5, 50, 50), (5, 50, 50)];
        // A light one: 5 + ⌊((R − 4) + (R − 4) + min(5, R − 4))/3⌋ = 10. A heavy one: at R = 85 the other heavy one counts
        // R − 74 = 11 and each light one 10, so 75 + ⌊31/3⌋ = 85. Slack changes nothing of that.
        let bounds = response_times(&set(&tasks), 3, LIMIT).unwrap();
        assert_eq!(bounds, [85, 85, 10, 10]);
    }

    /// Whoever does not accept has a reason, which has more work than room.
    #[cfg(not(miri))]
    #[test]
    fn there_is_a_reason() {
        use proptest::prelude::*;
        let task = (1..20_u64, 0..10_u64, 0..10_u64)
            .prop_map(|(wcet, more, late)| (wcet, wcet + more + late, wcet + more));
        let sets = proptest::collection::vec(task, 1..8);
        proptest!(|(tasks in sets, cpus in 2..4_u32)| {
            let set = set(&tasks);
            for which in Test::ALL {
                let accepts = test(which, &set, cpus, LIMIT).accepts();
                match explain(which, &set, cpus, LIMIT) {
                    None => prop_assert!(accepts),
                    Some(Explanation::Share { share, bound, .. }) => {
                        prop_assert!(!accepts && share > bound - 1e-9);
                    }
                    Some(Explanation::Window { work, room, .. }) => {
                        prop_assert!(!accepts && work + 1 >= room, "{which} {work} {room}");
                    }
                    Some(Explanation::NoBound) => prop_assert!(!accepts && which == Test::Rtalc),
                    Some(other) => prop_assert!(false, "{which}: {other:?}"),
                }
            }
            let accepts = test(Test::Rta, &set, cpus, LIMIT).accepts();
            let bounds = response_times(&set, cpus, LIMIT);
            prop_assert_eq!(bounds.is_some(), accepts);
            for (bound, task) in bounds.iter().flatten().zip(set.tasks()) {
                prop_assert!((task.wcet..=task.deadline).contains(bound));
            }
        });
    }
}
