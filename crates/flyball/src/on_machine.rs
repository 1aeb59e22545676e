//! A task set on a machine under several policies, and the simulation of just that beside it.

use crate::failure::Failure;
use crate::schedule::task_name;
use flyball_board::{BoardError, Machine, Options, Phase};
use flyball_catalogue::Origin;
use flyball_measure::Measurement;
use flyball_model::TaskSet;
use flyball_study::note::{AboutPolicy, ByPolicy};
use flyball_study::results::Measured;
use flyball_study::{Entry, Fit, Registry, SideBySide, StudyError, StudyOptions};
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// Told again and again what is done, if it asks; the work ends if it breaks.
pub type Watch<'w> = dyn FnMut(&dyn Fn() -> String) -> ControlFlow<()> + 'w;

/// What the user asks for.
#[derive(Clone, Copy)]
pub(crate) struct MachineOptions<'a> {
    pub(crate) machine: Machine,
    /// None: all that the machine has and that fit.
    pub(crate) policies: &'a [String],
    /// `None`: for as long as a simulation, or as the machine's patience lasts.
    pub(crate) until: Option<Duration>,
    pub(crate) seed: u64,
    /// Where tasks run under partitioned policies, if none says it.
    pub(crate) fit: Option<Fit>,
}

/// The policies that a machine can run: all that it has CPUs for, and whose source is known.
pub(crate) fn runs_on(machine: Machine, registry: &Registry) -> impl Iterator<Item = &Entry> {
    registry
        .iter()
        .filter(move |entry| entry.origin != Origin::Unknown && machine.runs(entry.placement))
}

/// The policy of that name, unless the machine has too few CPUs for it. `file`: of the task set.
pub(crate) fn find<'a>(
    registry: &'a Registry,
    machine: Machine,
    file: &str,
    policy: &str,
) -> Result<&'a Entry, Failure> {
    let entry = registry.find(policy);
    let entry = entry.map_err(|error| Failure::lab(file, error))?;
    if machine.runs(entry.placement) {
        return Ok(entry);
    }
    let known: Vec<_> = runs_on(machine, registry).map(|entry| entry.name).collect();
    Err(Failure::Usage(format!(
        "machine {} has no policy \"{}\"; it has: {}",
        machine.name(),
        entry.name,
        known.join(", ")
    )))
}

/// How a machine is to run a task set, with random numbers from `seed`.
pub fn board_options<'a>(measurement: &'a Measurement<'_>, seed: u64) -> Options<'a> {
    Options {
        policy: measurement.policy(),
        scheduler: measurement.scheduler(),
        origin: measurement.origin(),
        until: measurement.until(),
        seed,
        cluster: measurement.cluster(),
        subtasks: measurement.subtasks(),
    }
}

/// Runs `set`, which messages call `file`, on the kernel on a machine under each policy that `options` name, or all that fit, and puts
/// the simulation of just that beside it. `set` is put on the platform of the options.
///
/// # Errors
/// [`Failure`], if a policy is unknown or not of this machine, or the set does not run there.
pub fn compare(
    registry: &Registry,
    machine: Machine,
    file: &str,
    set: &mut TaskSet,
    options: &StudyOptions,
    watch: &mut Watch<'_>,
) -> Result<Measured, Failure> {
    options.on_platform(registry, set);
    for policy in &options.policies {
        if find(registry, machine, file, policy)?.origin == Origin::Unknown {
            let error = BoardError::NoImage {
                machine: machine.name(),
                policy: policy.clone(),
                known: machine.policies().collect(),
            };
            return Err(Failure::target(file, error));
        }
    }
    let asked = MachineOptions {
        machine,
        policies: &options.policies,
        until: options.until,
        seed: options.seed,
        fit: options.fit,
    };
    measure(registry, &asked, file, set, watch)
}

/// Runs a task set under each policy that was asked for and that the machine has.
pub(crate) fn measure(
    registry: &Registry,
    asked: &MachineOptions<'_>,
    file: &str,
    set: &TaskSet,
    watch: &mut Watch<'_>,
) -> Result<Measured, Failure> {
    let machine = asked.machine;
    let mut measured = Measured {
        machine: machine.name().to_owned(),
        title: machine.title().to_owned(),
        ..Measured::default()
    };
    let mut left_out = ByPolicy::default();
    for entry in runs_on(machine, registry) {
        let policy = entry.name;
        let all = asked.policies.is_empty();
        let is_asked_for = if all {
            !entry
                .is_another(file, set)
                .map_err(|error| Failure::lab(file, error))?
        } else {
            asked.policies.iter().any(|name| entry.is_called(name))
        };
        if !is_asked_for {
            continue;
        }
        let (set, until, patience) = (set.clone(), asked.until, machine.patience());
        match Measurement::new(registry, policy, file, set, until, patience, asked.fit) {
            Ok(measurement) => {
                let beside = beside(&measurement, asked, file, watch)?;
                measured.policies.push((policy.to_owned(), beside));
            }
            // A policy that was not asked for need not fit.
            Err(
                error @ (StudyError::Sim(_)
                | StudyError::NoRoom { .. }
                | StudyError::Affinity { .. }),
            ) if all => {
                left_out.add(policy, AboutPolicy::LeftOut(error.to_string()));
            }
            Err(error) => return Err(Failure::lab(file, error)),
        }
    }
    measured.notes.extend(left_out.notes());
    Ok(measured)
}

fn beside(
    measurement: &Measurement<'_>,
    asked: &MachineOptions<'_>,
    file: &str,
    watch: &mut Watch<'_>,
) -> Result<SideBySide, Failure> {
    let options = board_options(measurement, asked.seed);
    let mut watch = |phase| {
        watch(&|| match phase {
            Phase::Building => format!("building the image for {}", options.policy),
            Phase::Running => format!("{} for {} on the board", options.policy, options.until),
        })
    };
    let recording = flyball_board::run(asked.machine, measurement.set(), &options, &mut watch)
        .map_err(|error| Failure::target(file, error))?;
    if let Some(fault) = recording.fault {
        let error = BoardError::Fault {
            task: task_name(measurement.set(), fault.task),
            fault: Box::new(fault),
        };
        return Err(Failure::target(file, error));
    }
    let measured = flyball_measure::Measured {
        events: &recording.events,
        end: recording.end,
        dropped: recording.dropped,
    };
    measurement
        .beside(&measured, asked.seed)
        .map_err(|error| Failure::lab(file, error))
}
