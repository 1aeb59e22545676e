//! A set that pays for the kernel's work, and what tests say of it.
//!
//! What is charged depends on the policy ([`Payer`], [`Costs`]) and on the accounting
//! ([`overheads`]). Where interrupts are charged, too, a partitioned policy's depend on which other
//! tasks are on the CPU, so they are charged while tasks are divided.
//!
//! Tests count in whole units: with overheads, execution times are rounded up, periods and
//! deadlines down.

use crate::criterion::{Criterion, Payer, Policy};
use crate::gedf::{self, Set};
use crate::overheads::{self, Costs, Unpayable};
use crate::partition::{Fit, NoRoom, Sequence, partition};
use crate::{Answer, SporadicTask, Stop, WorkLimit, any_partition, partitioned};
use core::fmt;
use flyball_trace::Duration;

/// How the kernel's work is charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accounting {
    /// To each job what is done for it: [`overheads::per_job`].
    PerJob,
    /// And what interrupts of others can take from it: [`overheads::interrupts`].
    Interrupts,
}

/// What the kernel's work costs, in the order of [`Payer::ALL`]; `None`: that is not known, and
/// nothing is said.
pub type Prices = [Option<Costs>; Payer::ALL.len()];

/// Why there are no tasks that pay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmade {
    /// It is not known what the kernel's work costs.
    Unpriced,
    /// They cannot pay, so no test accepts them.
    Unpayable(Unpayable),
}

/// Why there is no [`Set`] that pays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSet {
    /// There are no tasks that pay.
    Unmade(Unmade),
    /// A time of this task is [`Set::LONGEST`] units or longer, with what it pays.
    TooLong {
        /// The task, by its position.
        task: usize,
    },
    /// This task has release jitter, which the tests know nothing of.
    Jitter {
        /// The task, by its position.
        task: usize,
    },
}

impl From<Unmade> for Answer {
    fn from(unmade: Unmade) -> Answer {
        match unmade {
            Unmade::Unpriced => Answer::Stopped(Stop::Unpriced),
            Unmade::Unpayable(_) => Answer::Rejects,
        }
    }
}

impl From<NoSet> for Answer {
    fn from(none: NoSet) -> Answer {
        match none {
            NoSet::Unmade(unmade) => Answer::from(unmade),
            NoSet::TooLong { .. } => Answer::Stopped(Stop::TimeRange),
            NoSet::Jitter { .. } => Answer::Rejects,
        }
    }
}

impl fmt::Display for Unmade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmade::Unpriced => f.write_str("it is not known what the kernel's work costs"),
            Unmade::Unpayable(why) => why.fmt(f),
        }
    }
}

impl core::error::Error for Unmade {}

impl fmt::Display for NoSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSet::Unmade(unmade) => unmade.fmt(f),
            NoSet::TooLong { task } => write!(f, "a time of task {task} is too long to count"),
            NoSet::Jitter { task } => write!(f, "task {task} has release jitter"),
        }
    }
}

impl core::error::Error for NoSet {}

/// A set whose tasks pay for the kernel's work.
#[derive(Clone, Debug)]
pub struct Charged<'t> {
    cpus: u32,
    unit: Duration,
    raw: &'t [SporadicTask],
    charge: Option<(Accounting, Prices)>,
    /// By payer, what was asked for.
    sets: [Option<Result<Set, NoSet>>; Payer::ALL.len()],
}

impl<'t> Charged<'t> {
    /// These tasks on so many CPUs. The tests count in `unit`s, which is not zero. `None` as
    /// charge: the kernel's work is free.
    pub fn new(
        tasks: &'t [SporadicTask],
        cpus: u32,
        unit: Duration,
        charge: Option<(Accounting, Prices)>,
    ) -> Charged<'t> {
        Charged {
            cpus,
            unit,
            raw: tasks,
            charge,
            sets: [const { None }; Payer::ALL.len()],
        }
    }

    /// What a test says; `None`: it is not known what its policy is to be charged. It takes at most
    /// `limit` steps.
    pub fn ask(&mut self, criterion: Criterion, limit: WorkLimit) -> Option<Answer> {
        let payer = self.payer(criterion.policy())?;
        // What tasks pay depends on what else is on their CPU.
        match (criterion, &self.charge) {
            (Criterion::Partitioned(fit), Some((Accounting::Interrupts, _))) => {
                let divided = self.divide(fit, limit);
                return Some(divided.map_or_else(Answer::from, |_| Answer::Accepts));
            }
            (Criterion::AnyPartition, Some((Accounting::Interrupts, _))) => {
                let holds = |here: &[usize], limit| self.hold_on_one(&self.these(here), limit);
                let cpus = self.cpus as usize;
                let tasks = self.raw;
                return Some(partitioned::any_where(
                    tasks,
                    cpus,
                    |_, _| true,
                    holds,
                    limit,
                ));
            }
            _ => {}
        }
        let cpus = self.cpus;
        Some(match self.set(payer) {
            Ok(set) => criterion.ask(set, cpus, limit),
            // Tests that divide tasks count longer times, and know jitter.
            Err(NoSet::TooLong { .. } | NoSet::Jitter { .. }) => match self.counted(payer) {
                Ok(tasks) => criterion.ask_tasks(&tasks, cpus, limit),
                Err(none) => none.into(),
            },
            Err(NoSet::Unmade(unmade)) => unmade.into(),
        })
    }

    /// The payer whose overheads a policy pays; without overheads, the payer whose set the policy
    /// is asked about.
    pub fn payer(&self, policy: Policy) -> Option<Payer> {
        match self.charge {
            Some(_) => policy.payer(),
            None => Some(policy.payer().unwrap_or(Payer::Partitioned)),
        }
    }

    /// Which of the tests of global EDF accepts it; what cannot make a difference is left out.
    ///
    /// # Errors
    /// If none accepts, and one of them had to stop.
    pub fn accepted_by(
        &mut self,
        tests: &[gedf::Test],
        limit: WorkLimit,
    ) -> Result<Option<gedf::Test>, Stop> {
        let cpus = self.cpus;
        match self.set(Payer::Global) {
            Ok(set) => gedf::accepted_by(tests, set, cpus, limit),
            Err(none) => Answer::from(none).stopped().map_or(Ok(None), Err),
        }
    }

    /// The CPU of each task under partitioned EDF.
    ///
    /// # Errors
    /// [`NoRoom`] for the first task that no CPU is known to have room for.
    pub fn divide(&self, fit: Fit, limit: WorkLimit) -> Result<Vec<usize>, NoRoom> {
        let holds = |_: usize, here: &[usize]| self.hold_on_one(&self.these(here), limit);
        partition(
            self.raw,
            self.cpus as usize,
            fit,
            Sequence::Utilisation,
            holds,
        )
    }

    /// The same in [any way](mod@crate::any_partition) that there is; `None` if none was found.
    pub fn divide_anyhow(&self) -> Option<Vec<usize>> {
        let holds = |here: &[usize]| self.hold_on_one(&self.these(here), partitioned::ONE_OF_MANY);
        any_partition(self.raw, self.cpus as usize, |_, _| true, holds).ok()?
    }

    fn these(&self, here: &[usize]) -> Vec<SporadicTask> {
        here.iter().map(|&task| self.raw[task]).collect()
    }

    /// Whether one CPU of partitioned EDF holds these tasks, which pay as those of the set do.
    pub fn hold_on_one(&self, tasks: &[SporadicTask], limit: WorkLimit) -> Answer {
        let inflated = self.inflated(tasks, Payer::Partitioned);
        inflated.map_or_else(Answer::from, |tasks| partitioned::hold(&tasks, limit))
    }

    /// The set with the overheads of a payer, in whole units, made when first asked for.
    ///
    /// # Errors
    /// [`NoSet`].
    pub fn set(&mut self, payer: Payer) -> Result<&Set, NoSet> {
        let place = payer as usize;
        let made = self.sets[place].take();
        let made = made.unwrap_or_else(|| self.make(payer));
        self.sets[place].insert(made).as_ref().map_err(|none| *none)
    }

    fn make(&self, payer: Payer) -> Result<Set, NoSet> {
        let tasks = self.counted(payer).map_err(NoSet::Unmade)?;
        let within = |task: &SporadicTask| task.deadline().min(task.period());
        if let Some(task) = tasks.iter().position(|task| task.j() > 0) {
            return Err(NoSet::Jitter { task });
        }
        let is_late = |task: &SporadicTask| {
            task.wcet().as_nanos() >= Set::LONGEST && task.wcet() > within(task)
        };
        if let Some(task) = tasks.iter().position(is_late) {
            return Err(NoSet::Unmade(Unmade::Unpayable(Unpayable::TooLong {
                task,
            })));
        }
        let is_long = |task: &SporadicTask| {
            let longest = task.wcet().max(task.period()).max(task.deadline());
            longest.as_nanos() >= Set::LONGEST
        };
        match tasks.iter().position(is_long) {
            Some(task) => Err(NoSet::TooLong { task }),
            // They have neither jitter nor blocking; nothing else can be the matter.
            None => Set::of(&tasks).map_err(|_| NoSet::TooLong { task: 0 }),
        }
    }

    /// The tasks of the set as [`Charged::set`] has them, with a nanosecond for a unit.
    ///
    /// # Errors
    /// [`Unmade`].
    pub fn counted(&self, payer: Payer) -> Result<Vec<SporadicTask>, Unmade> {
        let unit = self.unit;
        let counted = |(number, task): (usize, &SporadicTask)| {
            // Whole units, and at least one of each, as they have been rounded.
            let times = [task.wcet(), task.period(), task.deadline()].map(|time| time / unit);
            let jitter = task.jitter().as_nanos().div_ceil(unit.as_nanos());
            let jittered = SporadicTask::plain(times).with_jitter(Duration::from_nanos(jitter));
            jittered.map_err(|_| Unmade::Unpayable(Unpayable::TooLong { task: number }))
        };
        let tasks = self.inflated(self.raw, payer)?;
        tasks.iter().enumerate().map(counted).collect()
    }

    /// These tasks of the set with their overheads, in whole units.
    ///
    /// # Errors
    /// [`Unmade`].
    pub fn inflated(
        &self,
        tasks: &[SporadicTask],
        payer: Payer,
    ) -> Result<Vec<SporadicTask>, Unmade> {
        let inflated = match &self.charge {
            None => Ok(tasks.to_vec()),
            Some((accounting, prices)) => {
                let costs = prices[payer as usize].as_ref().ok_or(Unmade::Unpriced)?;
                match accounting {
                    Accounting::PerJob => overheads::per_job(tasks, costs),
                    Accounting::Interrupts => overheads::interrupts(tasks, costs),
                }
            }
        };
        let inflated = inflated.map_err(Unmade::Unpayable)?;
        let rounded = |(task, known)| self.rounded(task, known).map_err(Unmade::Unpayable);
        inflated.iter().enumerate().map(rounded).collect()
    }

    /// In whole units, to the safe side.
    fn rounded(&self, task: usize, known: &SporadicTask) -> Result<SporadicTask, Unpayable> {
        let unit = self.unit;
        let [period, deadline] =
            [known.period(), known.deadline()].map(|time| unit * (time / unit));
        let rounded = known.with_times(period, deadline);
        let rounded = rounded.map_err(|_| Unpayable::NoTime { task })?;
        // Without end if that is too long.
        let up = unit * known.wcet().as_nanos().div_ceil(unit.as_nanos());
        rounded
            .with_wcet(up)
            .map_err(|_| Unpayable::TooLong { task })
    }
}
