//! What happens by no clock of the kernel's: sporadic jobs, those that are late by their jitter, and the
//! messages of sources and sinks.

use crate::{BoardError, Machine, Options};
use flyball_model::arrivals::{Arrivals, Lateness};
use flyball_model::{End, Task, TaskSet};
use flyball_script::image::{self, Brings, Interrupt, TaskContents, Transfer};
use flyball_trace::Time;

/// Whether jobs of a task are released when the image says so.
pub(super) fn are_listed(task: &Task) -> bool {
    !task.comes_with_the_clock() && task.trigger().is_none()
}

/// The interrupts until the end, those of each cluster together and in the order in which
/// a simulation makes them. `tasks` are those of the set.
pub(super) fn interrupts(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
    (tasks, cluster): (&[TaskContents], u8),
) -> Result<Vec<Interrupt>, BoardError> {
    let most = machine.limits().bytes / Interrupt::SIZE;
    let (lateness, end) = (Lateness::of(set), Time::ZERO + options.until);
    let mut interrupts = Vec::new();
    let too_many = |found| BoardError::TooMany {
        machine: machine.name(),
        what: if set.endpoints.is_empty() {
            "or more jobs that are sporadic or have jitter until the end"
        } else {
            "or more jobs and messages that come by no clock of the kernel's until the end"
        },
        found,
        most,
    };
    for ((number, task), row) in (0..).zip(&set.tasks).zip(tasks) {
        if row.task.arrival != image::Arrival::Listed {
            continue;
        }
        let start = Time::ZERO + task.phase;
        let arrivals = Arrivals::of(task, usize::from(number), start, lateness, options.seed);
        let jobs = arrivals.into_iter().flatten();
        let jobs = jobs.take_while(|job| job.release < end);
        interrupts.extend(jobs.take(most + 1).map(|job| Interrupt {
            at: job.release.since(Time::ZERO),
            brings: Brings::Job {
                task: number,
                arrival: job.arrival.since(Time::ZERO),
            },
        }));
        if interrupts.len() > most {
            return Err(too_many(interrupts.len()));
        }
    }
    for (number, endpoint) in set.endpoints.iter().enumerate() {
        let user = set.user_of(endpoint.queue);
        let user = user.and_then(|task| tasks.get(task));
        let transfer = Transfer {
            queue: endpoint.queue,
            count: endpoint.count,
            cpu: user.map_or(0, |row| row.task.cpu),
        };
        let brings = match endpoint.end {
            End::Source => Brings::Messages(transfer),
            End::Sink => Brings::Taker(transfer),
        };
        let instants = endpoint.instants(number, options.seed);
        let instants = instants.take_while(|&at| at < end).take(most + 1);
        interrupts.extend(instants.map(|at| Interrupt {
            at: at.since(Time::ZERO),
            brings,
        }));
        if interrupts.len() > most {
            return Err(too_many(interrupts.len()));
        }
    }
    // At one instant jobs come in the order of their tasks, and then endpoints in theirs.
    interrupts.sort_by_key(|it| match it.brings {
        Brings::Job { task, .. } => {
            let cpu = tasks[usize::from(task)].task.cpu;
            (cpu / cluster, it.at, u32::from(task))
        }
        Brings::Messages(transfer) | Brings::Taker(transfer) => {
            (transfer.cpu / cluster, it.at, u32::MAX)
        }
    });
    Ok(interrupts)
}

#[cfg(test)]
mod tests;
