//! Task sets for several CPUs that do not say where tasks run.

use crate::error::StudyError;
use crate::note::{AboutPolicy, Note};
use crate::registry::Entry;
use crate::semi;
use crate::theory::{self, Cluster, PROBE, Theory};
use flyball_analysis::affinity::{self, Infeasible};
use flyball_analysis::{
    Answer, Fit, Sequence, SporadicTask, Stop, Utilisation, gedf, overloaded, partition,
};
use flyball_model::{Task, TaskSet};
use flyball_schedulers::Values;
use flyball_schedulers::{PARTITION, SEQUENCE};
use std::borrow::Cow;

/// Whether the policy lets tasks run where they may not.
///
/// # Errors
/// [`StudyError::Affinity`].
pub(crate) fn refuse_affinities(
    set: &TaskSet,
    entry: &Entry,
    values: &Values,
) -> Result<(), StudyError> {
    let moves = entry.cluster(values, set) > 1 || matches!(entry.theory, Theory::Split(_));
    match set.limited().filter(|_| moves && !entry.knows_affinities()) {
        Some(task) => Err(StudyError::Affinity {
            task: task.name.clone(),
        }),
        None => Ok(()),
    }
}

/// Gives each task of `set` a CPU if the policy needs that and no task has one: by `fit` if that is
/// given, or else by the policy's settings, and with a test of one CPU or of one cluster. Tasks
/// that do not come again go where the fewest tasks are. Says what it did.
///
/// # Errors
/// [`StudyError::NoRoom`].
pub fn assigned<'a>(
    set: &'a TaskSet,
    entry: &Entry,
    values: &Values,
    fit: Option<Fit>,
) -> Result<(Cow<'a, TaskSet>, Option<AboutPolicy>), StudyError> {
    refuse_affinities(set, entry, values)?;
    if let Theory::Split(splitter) = entry.theory
        && set.platform.cpus > 1
    {
        return semi::assigned(set, splitter);
    }
    let size = entry.cluster(values, set);
    let is_assigned = set.tasks.iter().any(|task| task.cpu.is_some()) && set.limited().is_none();
    if size >= set.platform.cpus || is_assigned {
        return Ok((Cow::Borrowed(set), None));
    }
    let fit = fit.unwrap_or_else(|| named(Fit::ALL, Fit::name, values.text(PARTITION)));
    let sequence = named(Sequence::ALL, Sequence::name, values.text(SEQUENCE));
    let mut clusters: Vec<Cluster> = theory::clusters(set, size).collect();
    let recurring = Recurring::of(set);
    let place = |fit, holds: &dyn Fn(usize, &[usize]) -> Answer| {
        partition(&recurring.tasks, clusters.len(), fit, sequence, holds)
    };
    let cpus = |cluster: usize| {
        clusters.get(cluster).map_or(0, |cluster| {
            u32::from(cluster.cpus.end - cluster.cpus.start)
        })
    };
    let room =
        |cluster, here: &[usize]| Answer::accepts_if(recurring.have_room(here, cpus(cluster)));
    // A queue of several CPUs has no exact test. Where there is no sufficient one, or it does not
    // do, the tasks are spread: a cluster that is asked for all of its CPUs seldom holds.
    let spread = || (Fit::Worst, place(Fit::Worst, &room));
    let (fit, places) = match (size, entry.theory) {
        (1, theory) => {
            let holds = |cpu, here: &[usize]| {
                if recurring.may_run(set, here, cpu) {
                    recurring.hold(set, theory, here)
                } else {
                    Answer::Rejects
                }
            };
            (fit, place(fit, &holds))
        }
        (_, Theory::GlobalDeadline) => {
            match place(fit, &|cluster, here| {
                recurring.hold_globally(here, cpus(cluster))
            }) {
                Ok(places) => (fit, Ok(places)),
                Err(_) => spread(),
            }
        }
        _ => spread(),
    };
    let places = places.map_err(|none| StudyError::NoRoom {
        task: set.tasks[recurring.numbers[none.task]].name.clone(),
        fit,
        cluster: size,
        stopped: none.stopped,
    })?;
    let mut set = set.clone();
    for cluster in &mut clusters {
        cluster.tasks.clear();
    }
    for (&number, place) in recurring.numbers.iter().zip(places) {
        clusters[place].tasks.push(number);
    }
    for number in 0..set.tasks.len() {
        if !recurring.numbers.contains(&number)
            && let Some(fewest) = clusters
                .iter_mut()
                .filter(|cluster| {
                    cluster
                        .cpus
                        .clone()
                        .any(|cpu| set.tasks[number].allows(cpu))
                })
                .min_by_key(|cluster| cluster.tasks.len())
        {
            fewest.tasks.push(number);
        }
    }
    for cluster in &clusters {
        for &number in &cluster.tasks {
            set.tasks[number].cpu = Some(cluster.cpus.start);
        }
    }
    let name = |&number: &usize| set.tasks[number].name.clone();
    let clusters = clusters.iter().map(|cluster| {
        let tasks = cluster.tasks.iter().map(name).collect();
        (cluster.cpus.clone(), tasks)
    });
    let note = AboutPolicy::Assigned {
        fit,
        sequence,
        size,
        clusters: clusters.collect(),
    };
    Ok((Cow::Owned(set), Some(note)))
}

/// What there is to say of tasks that may run on some CPUs only, if there are any: whether any
/// scheduler could hold them.
pub(crate) fn affinities(set: &TaskSet) -> Option<Note> {
    set.tasks.iter().find(|task| task.cpus.is_some())?;
    let recurring = Recurring::of(set);
    let cpus = usize::from(set.platform.cpus.max(1));
    let allowed = |&number: &usize| {
        let task: &Task = &set.tasks[number];
        let allows = |&cpu: &usize| u8::try_from(cpu).is_ok_and(|cpu| task.allows(cpu));
        (0..cpus).filter(allows).collect()
    };
    let allowed: Vec<Vec<usize>> = recurring.numbers.iter().map(allowed).collect();
    let name = |task: usize| set.tasks[recurring.numbers[task]].name.clone();
    let implicit = |task: &SporadicTask| task.deadline() >= task.period();
    Some(match affinity::test(&recurring.tasks, &allowed, cpus) {
        Ok(()) if recurring.tasks.iter().all(implicit) => Note::Feasible,
        Ok(()) => Note::NotOverloaded,
        Err(Infeasible::Alone { task }) => Note::TooLarge(name(task)),
        Err(Infeasible::Together {
            tasks,
            cpus,
            utilisation,
        }) => Note::Overloaded {
            tasks: tasks.into_iter().map(name).collect(),
            cpus,
            utilisation,
        },
    })
}

/// The one of that name; the first where there is none.
fn named<T: Copy + Default, const N: usize>(
    all: [T; N],
    name: impl Fn(T) -> &'static str,
    text: &str,
) -> T {
    let named = all.into_iter().find(|&one| name(one) == text);
    named.unwrap_or_default()
}

/// The tasks that come again, and their numbers.
struct Recurring {
    numbers: Vec<usize>,
    tasks: Vec<SporadicTask>,
}

impl Recurring {
    fn of(set: &TaskSet) -> Recurring {
        let known = set.tasks.iter().enumerate().filter_map(|(number, task)| {
            let period = task.arrival.period()?;
            let deadline = task.deadline.unwrap_or(period);
            Some((number, SporadicTask::new(task.wcet, period, deadline).ok()?))
        });
        let (numbers, tasks) = known.unzip();
        Recurring { numbers, tasks }
    }

    fn these(&self, here: &[usize]) -> Vec<SporadicTask> {
        here.iter().map(|&task| self.tasks[task]).collect()
    }

    /// Whether the last of these, which is about to be placed, may run on a CPU.
    fn may_run(&self, set: &TaskSet, here: &[usize], cpu: usize) -> bool {
        let last = here.last().map(|&task| &set.tasks[self.numbers[task]]);
        last.is_none_or(|task| u8::try_from(cpu).is_ok_and(|cpu| task.allows(cpu)))
    }

    /// Whether one CPU holds with these.
    fn hold(&self, set: &TaskSet, theory: Theory, here: &[usize]) -> Answer {
        let known = self.these(here);
        match theory {
            Theory::OneCpu(theory) => {
                let numbers: Vec<_> = here.iter().map(|&task| self.numbers[task]).collect();
                theory.accepts(set, &numbers, &known)
            }
            Theory::None
            | Theory::Global
            | Theory::GlobalDeadline
            | Theory::Fair
            | Theory::Split(_) => Answer::accepts_if(!overloaded(&known)),
        }
    }

    /// Whether global EDF on so many CPUs is known to hold with these.
    fn hold_globally(&self, here: &[usize], cpus: u32) -> Answer {
        match gedf::Set::of(&self.these(here)) {
            Ok(known) => {
                let accepted = gedf::accepted_by(&gedf::Test::ALL, &known, cpus, PROBE);
                Answer::from(accepted.map(|by| by.is_some()))
            }
            Err(_) => Answer::Stopped(Stop::TimeRange),
        }
    }

    /// Whether these ask for no more than so many CPUs, and none of them for more than one.
    fn have_room(&self, here: &[usize], cpus: u32) -> bool {
        let known = self.these(here);
        !known
            .iter()
            .any(|task| overloaded(std::slice::from_ref(task)))
            && Utilisation::of(&known).cmp_cpus(cpus).is_le()
    }
}
