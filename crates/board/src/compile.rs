//! How a task set becomes data for a board.
//!
//! The board has no random numbers: every length that a job draws is drawn here, from the same
//! stream and in the same order as in a simulation with the same seed.

use crate::{BoardError, Machine, Options};
use flyball_catalogue::{Facts, Shape, TaskTable};
use flyball_model::{Arrival, Protocol, Share, Slowdown, Speeds, Task, TaskSet, Trigger};
use flyball_policy::Subtask;
use flyball_script::Op;
use flyball_script::image::{self, Common, Contents, TaskContents};
use flyball_sim::may_be_split;
use flyball_sim::modes::{ChangeKind, Modes};
use flyball_sim::program::{Program, Script};
use flyball_trace::Duration;
use interrupts::are_listed;

mod interrupts;

/// What the board is told about a task set.
///
/// # Errors
/// As [`changing`].
pub fn contents(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
) -> Result<Contents, BoardError> {
    changing(machine, &set.clone().into(), options)
}

/// Why a machine, whose processor has one operating point, cannot run a set with several under the policy; `None`: it
/// can.
fn one_point(options: &Options<'_>) -> Option<&'static str> {
    if options.scheduler.reads_counters() {
        Some(
            "its processor counts no cycles, instructions and requests to memory, and the policy chooses operating \
             points by them",
        )
    } else if options.scheduler.scales() {
        Some(
            "each computation is as long there as at its task's own operating point, and the policy changes the point \
             of the CPU",
        )
    } else {
        None
    }
}

/// What the board is told about a task set that changes while it runs.
///
/// # Errors
/// [`BoardError::Unsupported`], [`BoardError::Missing`], [`BoardError::TooMany`],
/// [`BoardError::TooFar`] or [`BoardError::TooLarge`].
pub fn changing(
    machine: Machine,
    modes: &Modes,
    options: &Options<'_>,
) -> Result<Contents, BoardError> {
    let set = modes.all();
    let points = set.platform.speeds.as_ref();
    if points.is_some_and(|points| !points.clocks().is_empty()) {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: None,
            what: "each of its CPUs has an operating point of its own: leave out `clocks`, or simulate the set".into(),
        });
    }
    check(machine, set, options)?;
    if set.platform.speeds.is_some()
        && let Some(why) = one_point(options)
    {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: None,
            what: format!("{why}: leave out `[platform.speeds]`, or simulate the set"),
        });
    }
    let cpus = set.platform.cpus.max(1);
    let cluster = options.cluster.clamp(1, cpus);
    for task in &set.tasks {
        if cluster > 1 {
            check_affinity(machine, task, cpus, options)?;
        }
    }
    let tasks = set.tasks.iter().enumerate();
    let tasks = tasks.map(|(number, task)| compile(machine, set, task, number, options));
    let tasks = tasks.collect::<Result<Vec<_>, BoardError>>()?;
    let mut settings = Vec::new();
    options
        .scheduler
        .emit_settings(&mut |part| settings.extend(part));
    let (new_modes, changes) = changes(machine, modes, options, &tasks)?;
    let interrupts = interrupts::interrupts(machine, set, options, (&tasks, cluster))?;
    let inherits = |protocol| match protocol {
        Protocol::Inherit => true,
        Protocol::None => false,
    };
    Ok(Contents {
        common: Common {
            start: machine.start(),
            end: machine.start() + options.until,
            tick: set.platform.tick.unwrap_or_default(),
            instruction: machine.instruction(),
            cpus,
            cluster,
            shape: options.scheduler.shape().to_byte(),
        },
        scheduler: options.scheduler.name().to_owned(),
        settings,
        controller: Vec::new(),
        mutexes: set
            .mutexes
            .iter()
            .map(|mutex| inherits(mutex.protocol))
            .collect(),
        semaphores: set
            .semaphores
            .iter()
            .map(|semaphore| semaphore.initial)
            .collect(),
        queues: (set.queues.iter())
            .map(|queue| (queue.capacity, queue.gauge))
            .collect(),
        tasks,
        new_modes,
        changes,
        interrupts,
        transitions: speeds(set, options)
            .map_or_else(Vec::new, |speeds| speeds.transitions().to_vec()),
    })
}

/// The operating points among which the policy chooses, if it does.
fn speeds<'a>(set: &'a TaskSet, options: &Options<'_>) -> Option<&'a Speeds> {
    let speeds = set.platform.speeds.as_ref();
    speeds.filter(|_| options.scheduler.chooses_speeds())
}

/// Mode changes: the rows of new modes behind those of `tasks`, and the table of changes.
fn changes(
    machine: Machine,
    modes: &Modes,
    options: &Options<'_>,
    tasks: &[TaskContents],
) -> Result<(Vec<TaskContents>, Vec<image::Change>), BoardError> {
    if let Some(task) = modes.impossible() {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: Some(task.name.clone()),
            what: "changes of sporadic tasks, and of how a task arrives, where it is and what happens when \
                   it is late, are not supported"
                .into(),
        });
    }
    let mut all = modes.all().tasks.iter();
    if let Some(task) = all.find(|task| are_listed(task) && !modes.changes().is_empty()) {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: Some(task.name.clone()),
            what: "sporadic jobs and jitter are not supported in sets that change while they run"
                .into(),
        });
    }
    if !machine.changes() && !modes.changes().is_empty() {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: None,
            what: "task sets that change while they run are not supported".into(),
        });
    }
    let (mut new_modes, mut changes) = (Vec::new(), Vec::new());
    let too_many = || BoardError::TooLarge {
        most: machine.limits().bytes,
    };
    let short = |number: usize| u16::try_from(number).map_err(|_| too_many());
    for change in modes.changes() {
        for (number, kind) in &change.tasks {
            let kind = match kind {
                ChangeKind::Start(_) => image::ChangeKind::Start,
                ChangeKind::Stop => image::ChangeKind::Stop,
                ChangeKind::NewMode(task) => {
                    new_modes.push(compile(machine, modes.all(), task, *number, options)?);
                    image::ChangeKind::NewMode(short(tasks.len() + new_modes.len() - 1)?)
                }
            };
            changes.push(image::Change {
                at: change.at,
                task: short(*number)?,
                kind,
            });
        }
    }
    Ok((new_modes, changes))
}

/// The same as bytes for the board's memory.
///
/// # Errors
/// [`BoardError::TooLarge`].
pub fn blob(machine: Machine, contents: &Contents) -> Result<Vec<u8>, BoardError> {
    let most = machine.limits().bytes;
    contents
        .to_bytes()
        .filter(|bytes| bytes.len() <= most)
        .ok_or(BoardError::TooLarge { most })
}

/// Refuses what the machine has no room for.
fn check(machine: Machine, set: &TaskSet, options: &Options<'_>) -> Result<(), BoardError> {
    let limits = machine.limits();
    if options.until > limits.time {
        return Err(BoardError::TooFar {
            machine: machine.name(),
            until: options.until,
            most: limits.time,
        });
    }
    let queues = set.queues.iter().filter(|queue| queue.gauge.is_none());
    let messages = queues.map(|queue| usize::from(queue.capacity));
    let counts = [
        ("CPUs", usize::from(set.platform.cpus), limits.cpus),
        ("tasks", set.tasks.len(), limits.tasks),
        ("mutexes", set.mutexes.len(), limits.mutexes),
        ("semaphores", set.semaphores.len(), limits.semaphores),
        ("queues", set.queues.len(), limits.queues),
        ("messages in all queues", messages.sum(), limits.messages),
        ("released jobs that may wait", waiting(set), limits.waiting),
    ];
    for (what, found, most) in counts {
        if found > most {
            return Err(BoardError::TooMany {
                machine: machine.name(),
                what,
                found,
                most,
            });
        }
    }
    Ok(())
}

/// How many released jobs may wait for earlier ones of their tasks, while no deadline is missed, of
/// tasks whose jobs the clock does not release.
fn waiting(set: &TaskSet) -> usize {
    let jobs = |task: &Task, separation: Duration| {
        let deadline = task.deadline.unwrap_or(separation);
        let jobs = deadline.as_nanos().div_ceil(separation.as_nanos().max(1));
        // Too many, anyway: no machine has room for so many.
        usize::try_from(jobs).unwrap_or(usize::MAX)
    };
    let of = |task: &Task| match task.arrival {
        Arrival::Event {
            by: Trigger::Queue(queue),
            ..
        } => usize::from(set.queues[usize::from(queue)].capacity),
        Arrival::Event { separation, .. } => jobs(task, separation),
        _ if are_listed(task) => {
            let gap = task.arrival.period().unwrap_or_default();
            // One of them is the one that the task works on.
            jobs(task, gap).saturating_sub(1)
        }
        _ => 0,
    };
    set.tasks.iter().map(of).fold(0, usize::saturating_add)
}

fn compile(
    machine: Machine,
    set: &TaskSet,
    task: &Task,
    number: usize,
    options: &Options<'_>,
) -> Result<TaskContents, BoardError> {
    let (arrival, period) = match &task.arrival {
        Arrival::Periodic { period } if !are_listed(task) => (image::Arrival::Periodic, *period),
        Arrival::Periodic { period: gap }
        | Arrival::Sporadic {
            separation: gap, ..
        } => (image::Arrival::Listed, *gap),
        Arrival::Event { by, separation } => match by {
            Trigger::Queue(queue) => (image::Arrival::Message(*queue), *separation),
            Trigger::Semaphore(semaphore) => (image::Arrival::Signal(*semaphore), *separation),
        },
        Arrival::Once => (image::Arrival::Once, Duration::ZERO),
    };
    // It always runs at its operating point. A board has one, so it computes for as long as it would
    // there, and if the policy chooses none for as long as at the fastest.
    let pace = |stalls| {
        speeds(set, options).map_or(Slowdown::NONE, |speeds| {
            speeds.slowdown(speeds.of(task), stalls)
        })
    };
    let script = Script::new(&task.behaviour, task.stalls).at(pace);
    let operations = script.operations;
    let depth = machine.limits().depth;
    let is_too_deep =
        |op: &Op| matches!(op, Op::Begin { counter, .. } if usize::from(*counter) >= depth);
    if operations.iter().any(is_too_deep) {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: Some(task.name.clone()),
            what: format!("more than {depth} repetitions inside each other are not supported"),
        });
    }
    let facts = Facts::of(set, task);
    Ok(TaskContents {
        task: image::Task {
            arrival,
            on_miss: match task.on_miss {
                flyball_model::OnMiss::Continue => image::OnMiss::Continue,
                flyball_model::OnMiss::Skip => image::OnMiss::Skip,
                flyball_model::OnMiss::Abort => image::OnMiss::Abort,
                flyball_model::OnMiss::Latest => image::OnMiss::Latest,
            },
            period,
            phase: task.phase,
            deadline: task.deadline.unwrap_or(Duration::MAX),
            cpu: task.cpu.unwrap_or(0),
            ..image::Task::default()
        },
        params: params(task, &facts, options)?,
        operations,
        lengths: lengths(machine, task, number, options, pace)?,
        subtasks: subtasks(machine, (task, facts), number, options)?,
    })
}

/// What a task of these facts tells the policy.
fn params(task: &Task, facts: &Facts, options: &Options<'_>) -> Result<Vec<u8>, BoardError> {
    let mut bytes = Vec::new();
    let table = TaskTable::of(task, options.policy, options.scheduler.task_settings());
    options
        .scheduler
        .emit_params(facts, &table, &mut |part| bytes.extend(part))
        .map_err(|missing| BoardError::Missing {
            task: task.name.clone(),
            missing,
        })?;
    Ok(bytes)
}

/// Refuses a task that may run on some of `cpus` CPUs only, if the scheduler does not know of such.
fn check_affinity(
    machine: Machine,
    task: &Task,
    cpus: u8,
    options: &Options<'_>,
) -> Result<(), BoardError> {
    let knows = options.cluster >= cpus && options.scheduler.shape() == Shape::Affine;
    if knows || !task.is_limited(cpus) {
        return Ok(());
    }
    Err(BoardError::Unsupported {
        machine: machine.name(),
        task: Some(task.name.clone()),
        what: format!(
            "to keep it to some CPUs under {} is not supported",
            options.policy
        ),
    })
}

/// The subtasks of a task that is split.
fn subtasks(
    machine: Machine,
    (task, facts): (&Task, Facts),
    number: usize,
    options: &Options<'_>,
) -> Result<Vec<(Subtask, Vec<u8>)>, BoardError> {
    let subtasks = options.subtasks.get(number).map_or(&[][..], Vec::as_slice);
    if subtasks.len() < 2 {
        return Ok(Vec::new());
    }
    if !machine.splits() || options.cluster > 1 || !may_be_split(task) {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: Some(task.name.clone()),
            what: "to split it between CPUs is not supported".into(),
        });
    }
    let with_params = |subtask: &Subtask| {
        // A split task has a deadline for each subtask.
        let mut facts = facts;
        facts.deadline = Some(subtask.until).filter(|&until| until < Duration::MAX);
        Ok((*subtask, params(task, &facts, options)?))
    };
    subtasks.iter().map(with_params).collect()
}

/// The random lengths that a task can need until the end.
fn lengths(
    machine: Machine,
    task: &Task,
    number: usize,
    options: &Options<'_>,
    pace: impl Fn(Share) -> Slowdown,
) -> Result<Vec<Duration>, BoardError> {
    const SIZE: usize = size_of::<u64>();
    let limits = machine.limits();
    let most = limits.bytes / SIZE;
    // One more for the job that begins at the start, and one for a subtask of a period.
    let jobs = task.arrival.period().map_or(1, |period| {
        (options.until.as_nanos() / period.as_nanos().max(1)).saturating_add(2)
    });
    // A job may go on for ever; but each of its lengths takes as long as it says, so those that add
    // up to the whole time are enough.
    let until = match task.arrival {
        Arrival::Once => options.until,
        _ => Duration::MAX,
    };
    let program = Program::new(task, number, options.seed);
    let lengths = program.lengths(jobs, until, most + 1, pace);
    if lengths.len() > most {
        return Err(BoardError::TooLarge { most: limits.bytes });
    }
    Ok(lengths)
}

#[cfg(test)]
mod tests;
