//! The supervisor as a controller above the I+PI of each CPU.

use super::{Requirement, Settings, Supervisor};
use crate::control::{Controller, Plant, Reads};
use crate::i_plus_pi::Share;
use crate::policy::{Policy, Refused};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, TaskId, Time};

/// A [`Supervisor`] that acts on a [`Plant`] once a period: it reads what its tasks and the kernels
/// used, gives tasks their shares, and moves some.
///
/// A task is admitted in the first period in which [`SharesOfCpus::supervise`] has named it and the
/// plant has it, and forgotten when the plant has it no more. A run costs what [`Supervisor::step`]
/// costs, and O(tasks + CPUs) calls of the plant.
pub struct SharesOfCpus<S: Storage, C: Storage> {
    supervisor: Supervisor<S, C>,
    wards: S::Table<Option<Ward>>,
    /// What each CPU had lost a run ago.
    lost: C::Table<Duration>,
    period: Duration,
    last: Time,
    next: Time,
    moves: Moves,
}

/// A task that is supervised, or will be when it is there.
#[derive(Clone, Copy)]
struct Ward {
    requirement: Requirement,
    /// What it had used a run ago; `None`: it was not there.
    used: Option<Duration>,
}

/// What became of the moves of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moves {
    /// Tasks that the plant moved.
    pub made: u32,
    /// Tasks that it did not.
    pub denied: u32,
}

impl<S: Storage, C: Storage> SharesOfCpus<S, C> {
    /// Makes the controller for `cpus` CPUs and tasks with ids below `capacity`, as
    /// [`Supervisor::new`] does. It runs for the first time `period` after `start`, and then once a
    /// period; a period of zero is one nanosecond. CPU times count from `start`.
    pub fn new(
        settings: Settings,
        cpus: u8,
        capacity: usize,
        period: Duration,
        start: Time,
    ) -> SharesOfCpus<S, C> {
        let period = period.max(Duration::from_nanos(1));
        SharesOfCpus {
            supervisor: Supervisor::new(settings, cpus, capacity),
            wards: Table::new(capacity, None),
            lost: Table::new(usize::from(cpus.max(1)), Duration::ZERO),
            period,
            last: start,
            next: start + period,
            moves: Moves::default(),
        }
    }

    /// Says what a task wants: from the next run on, or from the first run that finds it there.
    ///
    /// # Errors
    /// [`Refused::Full`].
    pub fn supervise(&mut self, task: TaskId, requirement: Requirement) -> Result<(), Refused> {
        if task.index() >= self.wards.capacity() {
            return Err(Refused::Full);
        }
        let ward = &mut self.wards[task.index()];
        let used = ward.and_then(|ward| ward.used);
        *ward = Some(Ward { requirement, used });
        if used.is_some() {
            self.supervisor.adjust(task, requirement)?;
        }
        Ok(())
    }

    /// Returns what the controller decided and knows.
    pub fn supervisor(&self) -> &Supervisor<S, C> {
        &self.supervisor
    }

    /// Returns what became of the moves of the last run.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// Reads the plant.
    fn sense<P: Policy>(&mut self, plant: &mut impl Plant<P>) {
        for cpu in (0..=u8::MAX).map(CpuId).take(self.supervisor.count) {
            let lost = plant.lost(cpu);
            let before = core::mem::replace(&mut self.lost[cpu.index()], lost);
            self.supervisor.lost(cpu, lost.saturating_sub(before));
        }
        for task in ids(self.wards.capacity()) {
            let Some(ward) = &mut self.wards[task.index()] else {
                continue;
            };
            let Some(cpu) = plant.place(task) else {
                if ward.used.is_some() {
                    self.supervisor.retire(task);
                    self.wards[task.index()] = None;
                }
                continue;
            };
            let used = plant.used(task);
            if let Some(before) = ward.used {
                self.supervisor.measured(task, used.saturating_sub(before));
                // A plant that lost sight of it for once says zero.
                ward.used = Some(used.max(before));
            } else if self.supervisor.admit(task, ward.requirement, cpu).is_ok() {
                ward.used = Some(used);
            }
        }
    }

    /// Turns the plant's knobs.
    fn act<P: Policy<Params = Share>>(&mut self, plant: &mut impl Plant<P>) {
        self.moves = Moves::default();
        for task in ids(self.wards.capacity()) {
            let (Some(to), Some(share)) = (self.supervisor.cpu(task), self.supervisor.share(task))
            else {
                continue;
            };
            let Some(place) = plant.place(task) else {
                continue;
            };
            let share = Share::new(share);
            if to == place {
                // A policy that does not take the share keeps the one of before, and the error that
                // this makes is measured.
                let _ = plant.adjust(task, share);
            } else if plant.migrate(task, to, share).is_ok() {
                self.moves.made += 1;
            } else {
                self.moves.denied += 1;
                self.supervisor.stays(task, place);
            }
        }
    }
}

impl<P, S, C> Controller<P> for SharesOfCpus<S, C>
where
    P: Policy<Params = Share>,
    S: Storage,
    C: Storage,
{
    const READS: Reads = Reads {
        used: true,
        lost: true,
        ..Reads::NOTHING
    };

    fn next(&self) -> Time {
        self.next
    }

    fn run(&mut self, plant: &mut impl Plant<P>, now: Time) {
        let passed = now.since(self.last);
        if passed.is_zero() {
            return;
        }
        self.sense(plant);
        self.supervisor.step(passed);
        self.act(plant);
        self.last = now;
        if self.next <= now {
            self.next += self.period * (1 + now.since(self.next) / self.period);
        }
    }
}

/// The ids of a table's rows.
fn ids(rows: usize) -> impl Iterator<Item = TaskId> {
    (0..=u16::MAX).map(TaskId).take(rows)
}
