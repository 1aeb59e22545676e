//! Which task runs on which CPU, where each CPU has a kernel of its own (partitioned scheduling).

use crate::error::SimError;
use flyball_model::{Step, TaskSet};

/// The numbers of the tasks of each CPU, in the order of the task set.
pub(crate) fn by_cpu(set: &TaskSet, cpus: u8) -> Result<Vec<Vec<usize>>, SimError> {
    let mut tasks = vec![Vec::new(); usize::from(cpus.max(1))];
    for (number, task) in set.tasks.iter().enumerate() {
        let cpu = match task.cpu {
            Some(cpu) => cpu,
            None if cpus <= 1 => 0,
            None => {
                return Err(SimError::NoCpu {
                    task: task.name.clone(),
                });
            }
        };
        let Some(tasks) = tasks.get_mut(usize::from(cpu)) else {
            return Err(SimError::NoSuchCpu {
                task: task.name.clone(),
                cpu,
                cpus,
            });
        };
        tasks.push(number);
    }
    if cpus > 1 {
        refuse_shared(set)?;
    }
    Ok(tasks)
}

/// A kernel's objects belong to it: nothing can be used from two CPUs.
fn refuse_shared(set: &TaskSet) -> Result<(), SimError> {
    let mut mutexes = vec![None; set.mutexes.len()];
    let mut semaphores = vec![None; set.semaphores.len()];
    let mut queues = vec![None; set.queues.len()];
    for task in &set.tasks {
        let mut steps: Vec<&Step> = task.behaviour.iter().collect();
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
            if *user.get_or_insert(task.cpu) != task.cpu {
                return Err(SimError::SharedAcrossCpus {
                    resource: name.clone(),
                });
            }
        }
    }
    Ok(())
}
