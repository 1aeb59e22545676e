//! The supervisor in an experiment: tasks want something at some instants, and what they get is
//! seen, period by period.
//!
//! The same experiment is simulated and boots on a machine. A machine gets the [`Plan`] and the
//! wants as bytes, and its host gets [`Observation`]s as bytes.

use super::{Moves, Requirement, Settings, SharesOfCpus};
use crate::Encode;
use crate::control::{Controller, Plant, Reads};
use crate::i_plus_pi::{Fraction, Share};
use crate::policy::Policy;
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, TaskId, Time};

/// What a supervisor is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How it works.
    pub settings: Settings,
    /// How many CPUs there are.
    pub cpus: u8,
    /// How many tasks there ever are. They have the numbers below that.
    pub tasks: u16,
    /// How often it acts.
    pub period: Duration,
}

/// A task wants something, from the first period on that begins at this instant or later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequirementChange {
    /// When, counted from the start.
    pub at: Duration,
    /// The task.
    pub task: TaskId,
    /// What it wants from now on.
    pub requirement: Requirement,
}

/// A task at the end of a period, in parts of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The CPU that it was on.
    pub cpu: CpuId,
    /// What it was to get in this period.
    pub set_point: Fraction,
    /// What it got in this period.
    pub got: Fraction,
    /// Whether the supervisor takes it that the task wants no more than it gets.
    pub limited: bool,
}

/// What is seen at the end of a period: each task in the order of their numbers, then the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    /// A task; `None`: it was not there for all of the period.
    Task(TaskId, Option<Sample>),
    /// What became of the moves that the supervisor then made.
    Moves(Moves),
}

/// A [`SharesOfCpus`] that is told what tasks require when that changes, and tells what it sees.
pub struct Observed<S: Storage, C: Storage, W, F> {
    shares: SharesOfCpus<S, C>,
    start: Time,
    /// The changes to come, and the first of them.
    changes: W,
    first: Option<RequirementChange>,
    tasks: S::Table<Seen>,
    last: Time,
    tell: F,
}

/// What was seen of a task.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// It has had a change.
    is_known: bool,
    /// What it had used a period ago; `None`: it was not there.
    used: Option<Duration>,
}

impl<S, C, W, F> Observed<S, C, W, F>
where
    S: Storage,
    C: Storage,
    W: Iterator<Item = RequirementChange>,
    F: FnMut(Observation),
{
    /// Makes the controller, which first acts a period after `start`. Changes come in the order of
    /// time. `tell` is called at the end of each period.
    pub fn new(plan: &Plan, start: Time, mut changes: W, tell: F) -> Observed<S, C, W, F> {
        let tasks = usize::from(plan.tasks);
        Observed {
            shares: SharesOfCpus::new(plan.settings, plan.cpus, tasks, plan.period, start),
            start,
            first: changes.next(),
            changes,
            tasks: Table::new(tasks, Seen::default()),
            last: start,
            tell,
        }
    }

    /// Hears the changes whose time has come.
    fn hear(&mut self, now: Time) {
        let passed = now.since(self.start);
        while let Some(change) = self.first.filter(|change| change.at <= passed) {
            if let Some(seen) = self.tasks.find_mut(change.task.index()) {
                seen.is_known = true;
                // There is room for it, as there is a row here.
                let _ = self.shares.supervise(change.task, change.requirement);
            }
            self.first = self.changes.next();
        }
    }

    /// Tells what tasks got that have been there for the whole period.
    fn sample<P: Policy>(&mut self, plant: &mut impl Plant<P>, passed: Duration) {
        let supervisor = self.shares.supervisor();
        for (number, row) in (0..=u16::MAX).zip(0..self.tasks.capacity()) {
            let task = TaskId(number);
            let seen = &mut self.tasks[row];
            let place = plant.place(task).filter(|_| seen.is_known);
            let used = place.map(|_| plant.used(task));
            let got = used.zip(seen.used);
            let got = got.map(|(used, before)| used.saturating_sub(before));
            let sample = got.zip(place).and_then(|(got, cpu)| {
                Some(Sample {
                    cpu,
                    set_point: supervisor.set_point(task)?,
                    got: Fraction::ratio(got.as_nanos(), passed.as_nanos()),
                    limited: supervisor.limit(task).is_some(),
                })
            });
            seen.used = used;
            (self.tell)(Observation::Task(task, sample));
        }
    }
}

impl<P, S, C, W, F> Controller<P> for Observed<S, C, W, F>
where
    P: Policy<Params = Share>,
    S: Storage,
    C: Storage,
    W: Iterator<Item = RequirementChange>,
    F: FnMut(Observation),
{
    const READS: Reads = <SharesOfCpus<S, C> as Controller<P>>::READS;

    fn next(&self) -> Time {
        Controller::<P>::next(&self.shares)
    }

    fn run(&mut self, plant: &mut impl Plant<P>, now: Time) {
        self.hear(now);
        self.sample(plant, now.since(self.last));
        self.last = now;
        self.shares.run(plant, now);
        (self.tell)(Observation::Moves(self.shares.moves()));
    }
}

// ---- bytes -------------------------------------------------------------------------------------

/// Changes that are bytes, one behind the other. Ends at the first that is none.
#[derive(Clone, Debug)]
pub struct RequirementChanges<'a>(pub &'a [u8]);

impl Iterator for RequirementChanges<'_> {
    type Item = RequirementChange;

    fn next(&mut self) -> Option<RequirementChange> {
        RequirementChange::parse(&mut self.0)
    }
}

impl Encode for Plan {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let Settings {
            gain,
            hysteresis,
            memory,
            dwell,
            moves,
        } = self.settings;
        (gain, hysteresis).emit(put);
        (memory, dwell, moves).emit(put);
        (self.cpus, self.tasks, self.period).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Plan> {
        let (gain, hysteresis) = Encode::parse(bytes)?;
        let (memory, dwell, moves) = Encode::parse(bytes)?;
        let (cpus, tasks, period) = Encode::parse(bytes)?;
        Some(Plan {
            settings: Settings {
                gain,
                hysteresis,
                memory,
                dwell,
                moves,
            },
            cpus,
            tasks,
            period,
        })
    }
}

impl Encode for RequirementChange {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let Requirement { cpu, importance } = self.requirement;
        (self.at, self.task.0, cpu, importance).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<RequirementChange> {
        let (at, task, cpu, importance) = Encode::parse(bytes)?;
        Some(RequirementChange {
            at,
            task: TaskId(task),
            requirement: Requirement { cpu, importance },
        })
    }
}

impl Encode for Observation {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        match *self {
            Observation::Task(task, None) => (0_u8, task.0).emit(put),
            Observation::Task(task, Some(sample)) => {
                (1_u8, task.0).emit(put);
                let Sample {
                    cpu,
                    set_point,
                    got,
                    limited,
                } = sample;
                (cpu.0, set_point, got, limited).emit(put);
            }
            Observation::Moves(Moves { made, denied }) => (2_u8, made, denied).emit(put),
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Observation> {
        let kind = u8::parse(bytes)?;
        if kind == 2 {
            let (made, denied) = Encode::parse(bytes)?;
            return Some(Observation::Moves(Moves { made, denied }));
        }
        let task = TaskId(u16::parse(bytes)?);
        let sample = match kind {
            0 => None,
            1 => {
                let (cpu, set_point, got, limited) = Encode::parse(bytes)?;
                Some(Sample {
                    cpu: CpuId(cpu),
                    set_point,
                    got,
                    limited,
                })
            }
            _ => return None,
        };
        Some(Observation::Task(task, sample))
    }
}
