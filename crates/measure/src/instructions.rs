//! What the kernel spends on an emulated machine, in instructions.
//!
//! A machine runs random periodic tasks, and counts what entries of its kernel take. The
//! caller boots it; here is what is run, and what is made of the counts: tables, the file that
//! simulations charge, figures, and what it would mean to wait for the kernel's lock.

pub mod counts;
pub mod figures;
mod file;
mod plan;
mod tasks;

pub use counts::{ByHart, Counted, InstructionCounts, KernelEntries, Lengths, Quantity, Row};
pub use file::file;
pub use plan::{HARTS, Kind, Limits, Plan, PlanError, THINK};

use flyball_model::TaskSet;
use flyball_trace::Duration;
use tasks::Load;

/// What a machine is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run<'a> {
    /// The tasks.
    pub set: &'a TaskSet,
    /// The policy's name.
    pub policy: &'a str,
    /// How many CPUs share their tasks.
    pub cluster: u8,
    /// For how long.
    pub until: Duration,
}

/// How far it has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// What is counted now.
    pub what: &'a str,
    /// How many runs are done.
    pub done: usize,
    /// Of so many.
    pub of: usize,
}

/// Runs everything that is planned; `count` boots the machine. The same plan gives the same
/// numbers, if `count` does.
///
/// # Errors
/// Those of `count`.
pub fn measure<E>(
    plan: &Plan,
    count: &mut dyn FnMut(Run<'_>, Progress<'_>) -> Result<ByHart, E>,
) -> Result<InstructionCounts, E> {
    let kinds = plan.kinds();
    let waits: Vec<_> = plan.waits().collect();
    let of = 2 * kinds.len() * plan.threads.len() + waits.len();
    let mut done = 0;
    let without_tick = |counted| (counted, Lengths::default());
    let mut run = |kind: Kind, cpus, threads, load: Load| {
        let set = tasks::set(kind, cpus, threads, load, plan.seed);
        let name = kind.name();
        let progress = Progress {
            what: &name,
            done,
            of,
        };
        let run = Run {
            set: &set,
            policy: &name,
            cluster: kind.cluster(cpus),
            until: plan.until,
        };
        done += 1;
        let counted = count(run, progress)?;
        Ok(Row {
            kind,
            cpus,
            threads,
            counted: counted.all,
            tick: Lengths::default(),
            harts: counted.harts.into_iter().map(without_tick).collect(),
        })
    };
    let mut rows = Vec::new();
    for &kind in &kinds {
        for &threads in &plan.threads {
            let mut row = run(kind, plan.cpus, threads, Load::Usual)?;
            let ticks = run(kind, plan.cpus, threads, Load::Ticks)?;
            row.tick = ticks.counted.nothing;
            for ((_, tick), (there, _)) in row.harts.iter_mut().zip(&ticks.harts) {
                *tick = there.nothing;
            }
            rows.push(row);
        }
    }
    let mut locks = Vec::new();
    for (kind, cpus) in waits {
        locks.push(run(kind, cpus, plan.threads_at_locks(), Load::Usual)?);
    }
    Ok(InstructionCounts {
        plan: plan.clone(),
        rows,
        locks,
    })
}
