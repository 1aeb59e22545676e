//! Which task runs in which cluster of CPUs, each of which has a kernel of its own.

use crate::error::SimError;
use flyball_model::{Task, TaskSet};

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
    // A kernel's objects belong to it: nothing can be used from two clusters.
    let cluster = |task: &Task| task.cpu.map(|cpu| usize::from(cpu) / size);
    match set.shared_across(cluster).filter(|_| clusters > 1) {
        Some(object) => Err(SimError::SharedAcrossCpus {
            resource: set.object_name(object).to_owned(),
        }),
        None => Ok(tasks),
    }
}
