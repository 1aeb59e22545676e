//! Runs task sets on the real kernel on an emulated board, and reads the schedule back.
//!
//! A simulation drives the kernel with a clock that the simulator keeps; here the same kernel runs
//! as machine code, with threads, a timer and interrupts, and its own work takes time. The board is
//! emulated (by QEMU), and its clock counts instructions, so a run is the same each time.
//!
//! One image a machine is built from `apps/`, which has every policy of the catalogue. The task set
//! is data that is loaded into the board's memory beside it, with the policy's name and settings,
//! so nothing is compiled for a task set. A scheduler of the user's own gets an image of its own.
//! At its end the image writes what happened into a file of the host; so it does if a thread does
//! what no thread may, and says so.
//!
//! ```no_run
//! use flyball_model::{Task, TaskSet};
//! use flyball_board::{Machine, Options, run};
//! use flyball_catalogue::Edf;
//! use flyball_trace::Duration;
//! use std::ops::ControlFlow;
//!
//! let ms = Duration::from_millis;
//! let set = TaskSet { tasks: vec![Task::periodic("a", ms(4), ms(1))], ..TaskSet::default() };
//! let options = Options { until: ms(50), ..Options::of(&Edf) };
//! let recording = run(Machine::CortexM3, &set, &options, &mut |_| ControlFlow::Continue(()))?;
//! println!("{} events", recording.events.len());
//! # Ok::<(), flyball_board::BoardError>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | which machines there are, and what they can hold | [`machine`] |
//! | how a task set becomes data for a board | [`compile`] |
//! | how an application of the user's own is run | [`application`] |
//! | where the images are, and how they are built | [`elf`] |
//! | how images that measure are built, run and weighed | [`image`] |
//! | where Flyball's sources are | [`sources`] |
//! | how the emulator is run | [`emulator`] |
//! | how the schedule is read back | [`recording`] |
//! | what the kernel does, in instructions | [`counts`] |
//! | what a supervisor of several CPUs sees | [`supervise`] |
//! | why a board went no further | [`mod@fault`] |

pub mod application;
mod child;
pub mod compile;
pub mod counts;
pub mod elf;
pub mod emulator;
mod error;
pub mod fault;
mod generated;
pub mod image;
pub mod machine;
pub mod program;
pub mod recording;
pub mod sources;
mod supervised;

pub use counts::{Counts, Lengths};
pub use error::BoardError;
pub use fault::Fault;
pub use flyball_policy::Subtask;
pub use machine::{Limits, Machine};
pub use recording::Recording;
pub use sources::Sources;
pub use supervised::supervise;

use flyball_catalogue::{Origin, Shape, Written};
use flyball_model::TaskSet;
use flyball_sim::Modes;
use flyball_trace::Duration;
use std::ops::ControlFlow;

/// What is to be run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The policy's name, as on the command line.
    pub policy: &'a str,
    /// The configured scheduler.
    pub scheduler: &'a dyn Written,
    /// Where the scheduler's source is.
    pub origin: Origin,
    /// For how long, on the board's clock.
    pub until: Duration,
    /// What all random numbers come from.
    pub seed: u64,
    /// How many CPUs share their tasks, if there are several: 1, and each task runs where it is
    /// assigned to; [`Options::GLOBAL`], and all of them do.
    pub cluster: u8,
    /// For each task the subtasks into which it is split between CPUs, one or none if it is not;
    /// empty: no task is. Only where each CPU has its own tasks ([`Machine::splits`]).
    pub subtasks: &'a [Vec<Subtask>],
}

impl<'a> Options<'a> {
    /// All CPUs share all tasks.
    pub const GLOBAL: u8 = u8::MAX;

    /// A run under a scheduler of the catalogue for no time at all, with seed 0: for all CPUs
    /// together if they can share the scheduler, and else on each.
    pub fn of(scheduler: &'a dyn Written) -> Options<'a> {
        Options {
            policy: scheduler.name(),
            scheduler,
            origin: Origin::Catalogue,
            until: Duration::ZERO,
            seed: 0,
            cluster: match scheduler.shape() {
                Shape::One => 1,
                Shape::Several | Shape::Affine => Options::GLOBAL,
            },
            subtasks: &[],
        }
    }
}

/// What a run is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The image is built, which takes a while only when it has changed.
    Building,
    /// The board runs.
    Running,
}

/// Told now and then what a run is at; may end it.
pub type Watch<'a> = dyn FnMut(Phase) -> ControlFlow<()> + 'a;

/// Runs a task set on a machine. If the board could not go on, that is no error, but
/// [`Recording::fault`].
///
/// # Errors
/// [`BoardError`].
pub fn run(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
    watch: &mut Watch<'_>,
) -> Result<Recording, BoardError> {
    run_modes(machine, &set.clone().into(), options, watch)
}

/// Runs a task set on a machine that counts what its kernel does, and tells nothing else. Images
/// are built apart from the others, as nothing is traced there.
///
/// # Errors
/// [`BoardError`]; [`BoardError::Unsupported`] if the machine cannot count.
pub fn count(
    machine: Machine,
    set: &TaskSet,
    options: &Options<'_>,
    watch: &mut Watch<'_>,
) -> Result<Counts, BoardError> {
    if !machine.counts() {
        return Err(BoardError::Unsupported {
            machine: machine.name(),
            task: None,
            what: "to count what the kernel does is not supported".into(),
        });
    }
    let contents = compile::contents(machine, set, options)?;
    let blob = compile::blob(machine, &contents)?;
    let elf = elf::find(machine, options, elf::Kind::Counts, watch)?;
    let output = emulator::run(machine, contents.common.cpus, &elf, &blob, watch)?;
    let said = output.counts.ok_or(BoardError::NoCounts)?;
    Counts::read(&said).ok_or(BoardError::NoCounts)
}

/// As [`run`], with a task set that changes while it runs. Tasks are numbered in the order in which
/// they begin.
///
/// # Errors
/// [`BoardError`].
pub fn run_modes(
    machine: Machine,
    modes: &Modes,
    options: &Options<'_>,
    watch: &mut Watch<'_>,
) -> Result<Recording, BoardError> {
    // What the user can mend is told before anything takes time.
    let contents = compile::changing(machine, modes, options)?;
    let blob = compile::blob(machine, &contents)?;
    let elf = elf::find(machine, options, elf::Kind::Trace, watch)?;
    let output = emulator::run(machine, contents.common.cpus, &elf, &blob, watch)?;
    let recording = Recording::read(&output.traces, &contents)?;
    match output.fault {
        Some(said) => {
            let fault = Fault::read(&said, &contents, &recording.rows)?;
            Ok(recording.until(fault))
        }
        None => Ok(recording),
    }
}
