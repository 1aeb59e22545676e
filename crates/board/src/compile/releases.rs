//! Jobs that no clock of the kernel's releases: sporadic ones, and those that are late by their jitter.

use crate::{BoardError, Machine, Options};
use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_model::{Task, TaskSet};
use flyball_script::image::{self, JobRelease, TaskContents};
use flyball_trace::Time;

/// Whether jobs of a task are released when the image says so.
pub(super) fn are_listed(task: &Task) -> bool {
    !task.comes_with_the_clock() && task.trigger().is_none()
}

/// The releases of such jobs until the end, those of each cluster together and in the order in which
/// a simulation makes them. `tasks` are those of the set.
pub(super) fn releases(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
    (tasks, cluster): (&[TaskContents], u8),
) -> Result<Vec<JobRelease>, BoardError> {
    let most = machine.limits().bytes / JobRelease::SIZE;
    let (lateness, end) = (Lateness::of(set), Time::ZERO + options.until);
    let mut releases = Vec::new();
    for ((number, task), row) in (0..).zip(&set.tasks).zip(tasks) {
        if row.task.arrival != image::Arrival::Listed {
            continue;
        }
        let start = Time::ZERO + task.phase;
        let arrivals = Arrivals::of(task, usize::from(number), start, lateness, options.seed);
        let jobs = arrivals.into_iter().flatten();
        let jobs = jobs.take_while(|job| job.release < end);
        releases.extend(jobs.take(most + 1).map(|job| JobRelease {
            at: job.release.since(Time::ZERO),
            arrival: job.arrival.since(Time::ZERO),
            task: number,
        }));
        if releases.len() > most {
            return Err(BoardError::TooMany {
                machine: machine.name(),
                what: "or more jobs that are sporadic or have jitter until the end",
                found: releases.len(),
                most,
            });
        }
    }
    let place = |release: &JobRelease| {
        let cpu = tasks[usize::from(release.task)].task.cpu;
        (cpu / cluster, release.at, release.task)
    };
    releases.sort_by_key(place);
    Ok(releases)
}

#[cfg(test)]
mod tests;
