//! The first interval in which LOAD, FFDBF or BAR finds too much work.

use super::{Explanation, Share, real, share, utilisation};
use crate::Stop;
use crate::gedf::{Set, Task};
use crate::work::Meter;
use core::cmp::Reverse;
use std::collections::BinaryHeap;

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
                own: true,
                interval: length,
                work: sum.ceil() as u128,
                room: (slope * real(length)).floor() as u128,
            }));
        }
    }
    Err(Stop::TimeRange)
}

pub(super) fn load(
    set: &Set,
    mu: f64,
    densest: f64,
    meter: &mut Meter,
) -> Result<Option<Explanation>, Stop> {
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

pub(super) fn forced(
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

pub(super) fn bar(set: &Set, cpus: u32, meter: &mut Meter) -> Result<Option<Explanation>, Stop> {
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
                    own: true,
                    interval: length,
                    work,
                    room,
                }));
            }
        }
    }
    Err(Stop::TimeRange)
}
