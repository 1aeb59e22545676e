//! Task sets for several CPUs that do not say where tasks run.

use crate::assigned::Assigned;
use crate::error::StudyError;
use crate::note::{AboutPolicy, Note, Way};
use crate::recurring::{asking, recurring};
use crate::registry::Entry;
use crate::semi;
use crate::theory::{self, Cluster, Effort, OneCpu, Theory};
use flyball_analysis::affinity::{self, Infeasible};
use flyball_analysis::any_partition::MOST_TASKS;
use flyball_analysis::partitioned::ONE_OF_MANY;
use flyball_analysis::{
    Answer, Fit, NoRoom, Sequence, SporadicTask, Stop, Utilisation, WorkLimit, any_partition, gedf,
    overloaded, partition_groups,
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
/// given, or else by the policy's settings, and with a test of one CPU or of one cluster. Where
/// neither says how, and that finds no room, by the other fits, and then in any way at all that
/// there is for one CPU each, if there are few tasks, which share nothing and may run anywhere. Tasks
/// that share mutexes, semaphores or queues stay together, as these belong to one kernel. Tasks that
/// do not come again go with those, or where the fewest tasks are.
///
/// # Errors
/// [`StudyError::NoRoom`] if no way was found.
pub fn assigned<'a>(
    set: &'a TaskSet,
    entry: &Entry,
    values: &Values,
    fit: Option<Fit>,
) -> Result<Assigned<'a>, StudyError> {
    refuse_affinities(set, entry, values)?;
    if let Theory::Split(splitter) = entry.theory
        && set.platform.cpus > 1
    {
        return semi::assigned(set, splitter);
    }
    let size = entry.cluster(values, set);
    let is_assigned = set.tasks.iter().any(|task| task.cpu.is_some()) && set.limited().is_none();
    if size >= set.platform.cpus || is_assigned {
        return Ok(Assigned::as_it_is(set));
    }
    let told = fit.unwrap_or_else(|| named(Fit::ALL, Fit::name, values.text(PARTITION)));
    let sequence = named(Sequence::ALL, Sequence::name, values.text(SEQUENCE));
    let mut clusters: Vec<Cluster> = theory::clusters(set, size).collect();
    let recurring = Recurring::of(set);
    let place = |fit, holds: &dyn Fn(usize, &[usize]) -> Answer| {
        recurring.by_fit((fit, sequence), clusters.len(), holds)
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
    let spread = || place(Fit::Worst, &room);
    let mut instead_of = None;
    let found = match (size, entry.theory) {
        (1, theory) => {
            let says = |key| {
                let settings = set.policies.get(entry.name);
                settings.is_some_and(|settings| settings.values.contains_key(key))
            };
            let is_told = fit.is_some() || says(PARTITION) || says(SEQUENCE);
            recurring.one_cpu_each(set, theory, (told, sequence), is_told)
        }
        (_, Theory::GlobalDeadline) => {
            let limit = recurring.each_of_many(clusters.len());
            let hold =
                |cluster, here: &[usize]| recurring.hold_globally(here, cpus(cluster), limit);
            place(told, &hold).or_else(|none| {
                instead_of = Some((told, none.stopped));
                spread()
            })
        }
        _ => spread(),
    };
    let no_room = |tasks, stopped| StudyError::NoRoom {
        tasks,
        fit: told,
        cluster: size,
        stopped,
    };
    let Places { way, each, never } = found.map_err(|none| {
        let group = recurring.group(none.task);
        no_room(names(set, group), none.stopped)
    })?;
    let mut set = set.clone();
    for cluster in &mut clusters {
        cluster.tasks.clear();
    }
    for (&number, place) in recurring.numbers.iter().zip(each) {
        clusters[place].tasks.push(number);
    }
    for group in &recurring.all {
        let is_there = |number| clusters.iter().position(|it| it.tasks.contains(number));
        let allows = |place: &usize| {
            let cpus = &clusters[*place].cpus;
            let allows = |task: &usize| cpus.clone().any(|cpu| set.tasks[*task].allows(cpu));
            group.iter().all(allows)
        };
        let fewest = || {
            let places = (0..clusters.len()).filter(allows);
            places.min_by_key(|&place| clusters[place].tasks.len())
        };
        let found = group.iter().find_map(is_there).or_else(fewest);
        let place = found.ok_or_else(|| no_room(names(&set, group), None))?;
        let others = group.iter().filter(|it| !recurring.numbers.contains(it));
        clusters[place].tasks.extend(others);
    }
    for cluster in &clusters {
        for &number in &cluster.tasks {
            set.tasks[number].cpu = Some(cluster.cpus.start);
        }
    }
    let clusters = clusters.iter();
    let clusters = clusters.map(|it| (it.cpus.clone(), names(&set, &it.tasks)));
    let note = AboutPolicy::Assigned {
        way,
        instead_of,
        size,
        clusters: clusters.collect(),
    };
    Ok(Assigned {
        set: Cow::Owned(set),
        note: Some(note),
        never,
    })
}

/// What there is to say of tasks that may run on some CPUs only, if there are any: whether any
/// scheduler could hold them.
pub(crate) fn affinities(set: &TaskSet) -> Option<Note> {
    set.tasks.iter().find(|task| task.cpus.is_some())?;
    // Tasks that others release may come more seldom than their separations allow.
    let known = set.tasks.iter().enumerate().filter_map(|(number, task)| {
        let known = task.trigger().is_none().then(|| asking(task)).flatten()?;
        Some((number, known.ok()?))
    });
    let (numbers, tasks) = known.unzip();
    let recurring = Recurring {
        numbers,
        tasks,
        all: Vec::new(),
        groups: Vec::new(),
    };
    let cpus = usize::from(set.platform.cpus.max(1));
    let allowed = |&number: &usize| {
        let task: &Task = &set.tasks[number];
        let allows = |&cpu: &usize| u8::try_from(cpu).is_ok_and(|cpu| task.allows(cpu));
        (0..cpus).filter(allows).collect()
    };
    let allowed: Vec<Vec<usize>> = recurring.numbers.iter().map(allowed).collect();
    let name = |task: usize| set.tasks[recurring.numbers[task]].name.clone();
    let implicit =
        |task: &SporadicTask| task.deadline().saturating_sub(task.jitter()) >= task.period();
    Some(match affinity::test(&recurring.tasks, &allowed, cpus) {
        Ok(()) if !set.has_events() && recurring.tasks.iter().all(implicit) => Note::Feasible,
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

/// Where tasks run, and how these places were found; with `never`, in none do they all hold.
struct Places {
    way: Way,
    each: Vec<usize>,
    never: bool,
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

/// The names of the tasks with these numbers.
fn names(set: &TaskSet, tasks: &[usize]) -> Vec<String> {
    let name = |&task: &usize| set.tasks[task].name.clone();
    tasks.iter().map(name).collect()
}

/// The tasks that come again, and their numbers.
struct Recurring {
    numbers: Vec<usize>,
    tasks: Vec<SporadicTask>,
    /// The numbers of the set's tasks that have to be together; and the positions of those that are
    /// here.
    all: Vec<Vec<usize>>,
    groups: Vec<Vec<usize>>,
}

impl Recurring {
    fn of(set: &TaskSet) -> Recurring {
        let known = set
            .tasks
            .iter()
            .enumerate()
            .filter_map(|(number, task)| Some((number, recurring(task)?.ok()?)));
        let (numbers, tasks): (Vec<usize>, _) = known.unzip();
        let position = |number: &usize| numbers.binary_search(number).ok();
        let all = set.groups();
        let here = |group: &Vec<usize>| group.iter().filter_map(position).collect();
        let groups = all.iter().map(here).collect();
        Recurring {
            numbers,
            tasks,
            all,
            groups,
        }
    }

    /// The numbers of a task and of those that have to be with it.
    fn group(&self, task: usize) -> &[usize] {
        let number = self.numbers[task];
        let group = self.all.iter().find(|group| group.contains(&number));
        group.map_or(&[], Vec::as_slice)
    }

    fn these(&self, here: &[usize]) -> Vec<SporadicTask> {
        here.iter().map(|&task| self.tasks[task]).collect()
    }

    /// Whether the last of these, which is about to be placed, may run on a CPU, and so may those
    /// that have to be with it.
    fn may_run(&self, set: &TaskSet, here: &[usize], cpu: usize) -> bool {
        let allows = |&task: &usize| u8::try_from(cpu).is_ok_and(|cpu| set.tasks[task].allows(cpu));
        let last = here.last();
        last.is_none_or(|&task| self.group(task).iter().all(allows))
    }

    /// Whether one CPU holds with these.
    fn hold(&self, set: &TaskSet, theory: Theory, here: &[usize]) -> Answer {
        let known = self.these(here);
        match theory {
            Theory::OneCpu(theory) => {
                let numbers: Vec<_> = here.iter().map(|&task| self.numbers[task]).collect();
                theory.accepts(set, &numbers, &known, Effort::FULL.verdict)
            }
            Theory::None
            | Theory::Global
            | Theory::GlobalDeadline
            | Theory::GlobalServers
            | Theory::GlobalFixed(_)
            | Theory::Fair
            | Theory::Split(_) => Answer::accepts_if(!overloaded(&known)),
        }
    }

    /// A place for each by a fit.
    fn by_fit(
        &self,
        (fit, sequence): (Fit, Sequence),
        places: usize,
        holds: &dyn Fn(usize, &[usize]) -> Answer,
    ) -> Result<Places, NoRoom> {
        Ok(Places {
            way: Way::Fit(fit, sequence),
            each: partition_groups(
                &self.tasks,
                self.groups.clone(),
                places,
                fit,
                sequence,
                holds,
            )?,
            never: false,
        })
    }

    /// A CPU for each, by the fit; if it is not `told` and finds no room, by others, and at last in
    /// any way that there is.
    fn one_cpu_each(
        &self,
        set: &TaskSet,
        theory: Theory,
        (fit, sequence): (Fit, Sequence),
        told: bool,
    ) -> Result<Places, NoRoom> {
        let cpus = usize::from(set.platform.cpus);
        let is_limited = set.limited().is_some();
        let holds = |cpu, here: &[usize]| {
            if !is_limited || self.may_run(set, here, cpu) {
                self.hold(set, theory, here)
            } else {
                Answer::Rejects
            }
        };
        let by = |fit| self.by_fit((fit, sequence), cpus, &holds);
        let none = match by(fit) {
            Err(none) if !told => none,
            found => return found,
        };
        if let Some(found) = [Fit::Best, Fit::Worst]
            .into_iter()
            .find_map(|fit| by(fit).ok())
        {
            return Ok(found);
        }
        let Theory::OneCpu(theory) = theory else {
            return Err(none);
        };
        let are_bound = self.groups.iter().any(|group| group.len() > 1);
        if are_bound || is_limited || self.tasks.len() > MOST_TASKS {
            return Err(none);
        }
        let found = self.in_any_way(set, theory, cpus);
        let found = found.map_err(|stop| NoRoom {
            stopped: Some(stop),
            ..none
        })?;
        match found {
            Some(each) => Ok(Places {
                way: Way::Any,
                each,
                never: false,
            }),
            // To see what happens, tasks are spread whether there is room or not.
            None if self.is_refuted(set, theory) => Ok(Places {
                never: true,
                ..self.by_fit((Fit::Worst, sequence), cpus, &|_, _| Answer::Accepts)?
            }),
            None => Err(none),
        }
    }

    /// A CPU for each, out of so many that are alike, if there is any way.
    fn in_any_way(
        &self,
        set: &TaskSet,
        theory: &dyn OneCpu,
        cpus: usize,
    ) -> Result<Option<Vec<usize>>, Stop> {
        let are_alike = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|it| &set.tasks[self.numbers[it]]);
            one.priority == other.priority
        };
        any_partition(&self.tasks, cpus, are_alike, |here| {
            let numbers: Vec<_> = here.iter().map(|&task| self.numbers[task]).collect();
            theory.accepts(set, &numbers, &self.these(here), ONE_OF_MANY)
        })
    }

    /// Whether a CPU misses a deadline if a test of one CPU rejects any tasks on it.
    fn is_refuted(&self, set: &TaskSet, theory: &dyn OneCpu) -> bool {
        set.may_coincide(&self.numbers)
            && theory.is_exact(set, &self.numbers)
            && theory::check_set(set, false).is_ok()
            && theory::without_mutexes(set, &self.numbers).is_ok()
    }

    /// How much work each test may be where all are asked of each task in each of so many clusters:
    /// together as much as one test of a whole set.
    fn each_of_many(&self, clusters: usize) -> WorkLimit {
        let calls = self.tasks.len() * clusters * gedf::Test::ALL.len();
        let Effort { verdict, probe, .. } = Effort::FULL;
        WorkLimit::min(verdict.divided(calls), probe)
    }

    /// Whether global EDF on so many CPUs is known to hold with these.
    fn hold_globally(&self, here: &[usize], cpus: u32, limit: WorkLimit) -> Answer {
        match gedf::Set::of(&self.these(here)) {
            Ok(known) => {
                let accepted = gedf::accepted_by(&gedf::Test::ALL, &known, cpus, limit);
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
