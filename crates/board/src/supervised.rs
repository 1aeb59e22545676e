//! Tasks under a supervisor of several CPUs.

use crate::elf::{self, Kind};
use crate::{BoardError, Machine, Options, Watch, compile, emulator};
use flyball_catalogue::Ipi;
use flyball_model::{Arrival, Task, TaskSet};
use flyball_policy::Encode;
use flyball_policy::supervisor::{Observation, Plan, RequirementChange};
use flyball_script::image::Brings;
use flyball_trace::Duration;

/// Runs tasks for so long on a machine with several CPUs, each with an I+PI of its own. A thread on
/// the first CPU is their supervisor: it has a place in the round of the I+PI there, behind the
/// tasks of that CPU. Changes are in the order of time. Returns what it sees at the ends of
/// periods.
///
/// # Errors
/// [`BoardError`]; [`BoardError::Unsupported`] if the machine has one CPU.
pub fn supervise(
    machine: Machine,
    set: &TaskSet,
    scheduler: &Ipi,
    (plan, changes): (&Plan, &[RequirementChange]),
    until: Duration,
    watch: &mut Watch<'_>,
) -> Result<Vec<Observation>, BoardError> {
    if !machine.supervises() {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: None,
            what: "a supervisor of several CPUs is not supported".into(),
        });
    }
    let mut set = set.clone();
    // Its thread is the last one. What it does is not in its row, and its share is the usual one of
    // a task with a single job.
    let without_end = Duration::from_secs(1_000_000);
    set.tasks.push(Task {
        arrival: Arrival::Once,
        deadline: None,
        cpu: Some(0),
        ..Task::periodic("supervisor", without_end, without_end)
    });
    let options = Options {
        until,
        ..Options::of(scheduler)
    };
    let mut contents = compile::contents(machine, &set, &options)?;
    let mut put = |part: &[u8]| contents.controller.extend(part);
    plan.emit(&mut put);
    for change in changes {
        change.emit(&mut put);
    }
    if let Some(interrupt) = contents.interrupts.first() {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: match interrupt.brings {
                Brings::Job { task, .. } => Some(set.tasks[usize::from(task)].name.clone()),
                _ => None,
            },
            what: "sporadic jobs, jitter, sources and sinks are not supported under a supervisor"
                .into(),
        });
    }
    let blob = compile::blob(machine, &contents)?;
    let elf = elf::find(machine, &options, Kind::Supervised, watch)?;
    let output = emulator::run(machine, contents.common.cpus, &elf, &blob, watch)?;
    if let Some(said) = output.fault {
        return Err(BoardError::Board(said));
    }
    let bytes = output.observations.ok_or(BoardError::NoObservations)?;
    read(&bytes).ok_or(BoardError::NoObservations)
}

fn read(mut bytes: &[u8]) -> Option<Vec<Observation>> {
    let mut seen = Vec::new();
    while !bytes.is_empty() {
        seen.push(Observation::parse(&mut bytes)?);
    }
    Some(seen)
}
