//! Which task runs in which cluster of CPUs, each of which has a kernel of its own.

use crate::error::SimError;
use flyball_model::{Step, TaskSet, Trigger};

/// The numbers of the tasks of each cluster of `size` CPUs, in the order of the task set. The CPU
/// that a task is assigned to is any of its cluster.
pub(crate) fn by_cluster(
    set: &TaskSet,
    cpus: u8,
    size: usize,
) -> Result<Vec<Vec<usize>>, SimError> {
    let clusters = usize::from(cpus.max(1)).div_ceil(size);
    let mut tasks = vec![Vec::new(); clusters];
    for (number, task) in set.tasks.iter().enumerate() {
        let cpu = match task.cpu {
            Some(cpu) => cpu,
            None if clusters == 1 => 0,
            None => {
                return Err(SimError::NoCpu {
                    task: task.name.clone(),
                });
            }
        };
        let cluster = tasks.get_mut(usize::from(cpu) / size);
        let Some(tasks) = cluster.filter(|_| cpu < cpus.max(1)) else {
            return Err(SimError::NoSuchCpu {
                task: task.name.clone(),
                cpu,
                cpus,
            });
        };
        tasks.push(number);
    }
    if clusters > 1 {
        refuse_shared(set, size)?;
    }
    Ok(tasks)
}

/// A kernel's objects belong to it: nothing can be used from two clusters.
fn refuse_shared(set: &TaskSet, size: usize) -> Result<(), SimError> {
    let mut mutexes = vec![None; set.mutexes.len()];
    let mut semaphores = vec![None; set.semaphores.len()];
    let mut queues = vec![None; set.queues.len()];
    for task in &set.tasks {
        // A job takes the message that releases it as if it received it.
        let taken = task.trigger().map(|trigger| match trigger {
            Trigger::Queue(n) => Step::Receive(n),
            Trigger::Semaphore(n) => Step::Wait(n),
        });
        let mut steps: Vec<&Step> = task.behaviour.iter().chain(&taken).collect();
        while let Some(step) = steps.pop() {
            let (user, name) = match step {
                Step::Lock(n) | Step::Unlock(n) => {
                    let n = usize::from(*n);
                    (&mut mutexes[n], &set.mutexes[n].name)
                }
                Step::Wait(n) | Step::Signal(n) => {
                    let n = usize::from(*n);
                    (&mut semaphores[n], &set.semaphores[n].name)
                }
                Step::Send(n) | Step::Receive(n) => {
                    let n = usize::from(*n);
                    (&mut queues[n], &set.queues[n].name)
                }
                Step::Repeat { body, .. } => {
                    steps.extend(body);
                    continue;
                }
                Step::Compute(_) | Step::Suspend(_) | Step::Yield => continue,
            };
            let cluster = task.cpu.map(|cpu| usize::from(cpu) / size);
            if *user.get_or_insert(cluster) != cluster {
                return Err(SimError::SharedAcrossCpus {
                    resource: name.clone(),
                });
            }
        }
    }
    Ok(())
}
