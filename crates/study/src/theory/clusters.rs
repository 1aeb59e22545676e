//! Clusters that are asked for more than they have: no policy serves that.

use crate::reason::Because;
use crate::recurring::{asking, hopeless, recurring};
use flyball_analysis::{
    SporadicTask, Utilisation, Verdict, WorkLimit, edf_demand, gedf, overloaded,
};
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

/// Says so if in some interval jobs of these tasks that may all arrive at its beginning have to
/// compute for longer than the CPUs of the cluster can (Baker and Cirinei, RTSS 2006); with one
/// CPU, EDF is asked, which is optimal there. `None` also where that is not known.
pub(super) fn too_dense(set: &TaskSet, cluster: &Cluster, limit: WorkLimit) -> Option<Because> {
    let (tasks, known) = by_the_clock(set, &cluster.tasks);
    if let Some((task, says)) = hopeless(&known) {
        let task = Some(set.tasks[tasks[task]].name.clone());
        return Some(Because::Test { says, task });
    }
    if !set.may_coincide(&tasks) {
        return None;
    }
    if cluster.cpus.len() == 1 {
        return match edf_demand::test(&known, limit).verdict {
            Verdict::Fails(says) => Some(Because::Test { says, task: None }),
            Verdict::Holds | Verdict::Unknown(_) => None,
        };
    }
    let known = gedf::Set::of(&known).ok()?;
    let cpus = cluster.cpus.len().try_into().ok()?;
    gedf::is_infeasible(&known, cpus, limit).then(|| Because::TooDense(cluster.cpus.clone()))
}

/// Says so if the tasks of a cluster that have deadlines ask for more than all of it, or one of
/// them for more than the one CPU that it can have at a time.
pub(super) fn overload(set: &TaskSet, cluster: &Cluster) -> Option<Because> {
    let (tasks, known) = by_the_clock(set, &cluster.tasks);
    let cpus = cluster.cpus.len();
    let is_all = cpus == 1 || cpus == usize::from(set.platform.cpus);
    let too_much = |utilisation| Because::Overload {
        utilisation,
        cpus,
        cluster: (!is_all).then(|| cluster.cpus.clone()),
    };
    if cpus == 1 {
        return overloaded(&known).then(|| too_much(Utilisation::of(&known)));
    }
    let alone = |task: &SporadicTask| overloaded(std::slice::from_ref(task));
    if let Some(which) = known.iter().position(alone) {
        return Some(Because::Alone(set.tasks[tasks[which]].name.clone()));
    }
    let utilisation = Utilisation::of(&known);
    let is_too_much = utilisation.cmp_cpus(cpus.try_into().ok()?).is_gt();
    is_too_much.then(|| too_much(utilisation))
}

/// What is certain to be asked for, or may be: of the tasks that come as often as their periods
/// say. Those that release others may do so more seldom.
fn by_the_clock(set: &TaskSet, tasks: &[usize]) -> (Vec<usize>, Vec<SporadicTask>) {
    let known = tasks.iter().filter_map(|&number| {
        let task = set
            .tasks
            .get(number)
            .filter(|task| task.trigger().is_none())?;
        Some((number, asking(task)?.ok()?))
    });
    known.unzip()
}

/// Those of the tasks that come again, as the analyses know them.
pub(crate) fn with_deadlines(
    set: &TaskSet,
    tasks: &[usize],
) -> impl Iterator<Item = (usize, SporadicTask)> {
    tasks
        .iter()
        .filter_map(|&number| Some((number, recurring(set.tasks.get(number)?)?.ok()?)))
}
