//! Clusters that are asked for more than they have: no policy serves that.

use flyball_analysis::{SporadicTask, Utilisation, overloaded};
use flyball_model::{Task, TaskSet};
use std::fmt;
use std::ops::Range;

/// CPUs that share a kernel, and the numbers of the tasks on them.
pub(crate) struct Cluster {
    pub(crate) cpus: Range<u8>,
    pub(crate) tasks: Vec<usize>,
}

impl fmt::Display for Cluster {
    /// The CPUs, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cpus.len() {
            1 => write!(f, "CPU {}", self.cpus.start),
            _ => write!(f, "CPUs {}–{}", self.cpus.start, self.cpus.end - 1),
        }
    }
}

/// The clusters of `size` CPUs, of which the last may be smaller. Where there is one, all tasks are
/// its.
pub(crate) fn clusters(set: &TaskSet, size: u8) -> impl Iterator<Item = Cluster> {
    let (all, size) = (set.platform.cpus.max(1), size.max(1));
    (0..all).step_by(size.into()).map(move |first| {
        let cpus = first..first.saturating_add(size).min(all);
        let is_here =
            |task: &Task| cpus.len() == usize::from(all) || cpus.contains(&task.cpu.unwrap_or(0));
        Cluster {
            tasks: (0..set.tasks.len())
                .filter(|&task| is_here(&set.tasks[task]))
                .collect(),
            cpus,
        }
    })
}

/// Says so if the tasks of a cluster that have deadlines ask for more than all of it, or one of
/// them for more than the one CPU that it can have at a time.
pub(super) fn overload(set: &TaskSet, cluster: &Cluster) -> Option<String> {
    let (tasks, known): (Vec<_>, Vec<_>) = with_deadlines(set, &cluster.tasks).unzip();
    let cpus = cluster.cpus.len();
    if cpus == 1 {
        return overloaded(&known).then(|| too_much(&Utilisation::of(&known)));
    }
    let alone = |task: &SporadicTask| overloaded(std::slice::from_ref(task));
    if let Some(which) = known.iter().position(alone) {
        let name = &set.tasks[tasks[which]].name;
        return Some(format!("\"{name}\" asks for more than a whole CPU"));
    }
    let utilisation = Utilisation::of(&known);
    let is_too_much = utilisation.cmp_cpus(cpus.try_into().ok()?).is_gt();
    is_too_much.then(|| {
        if cpus == usize::from(set.platform.cpus) {
            format!("The tasks ask for {utilisation} of {cpus} CPUs")
        } else {
            format!("The tasks on {cluster} ask for {utilisation} of {cpus} CPUs")
        }
    })
}

/// Those of the tasks that have deadlines and come again, as the analyses know them.
pub(crate) fn with_deadlines(
    set: &TaskSet,
    tasks: &[usize],
) -> impl Iterator<Item = (usize, SporadicTask)> {
    tasks.iter().filter_map(|&number| {
        let task = set.tasks.get(number)?;
        let (deadline, period) = (task.deadline?, task.arrival.period()?);
        Some((number, SporadicTask::new(task.wcet, period, deadline).ok()?))
    })
}

/// In a sentence that a utilisation is above one.
pub(super) fn too_much(utilisation: &Utilisation) -> String {
    let shown = utilisation.to_string();
    if shown == "1.0000" {
        "The tasks ask for a little more than the whole CPU".into()
    } else {
        format!("The tasks ask for {shown} of the CPU")
    }
}
