//! A set that pays for the kernel's work, and what tests say of it.
//!
//! What is charged depends on the policy ([`Payer`], [`Costs`]) and on the accounting ([`overheads`]). Where interrupts are charged, too, a
//! partitioned policy's depend on who else is on the CPU, so they are charged while tasks are divided.
//!
//! Tests count in whole units: with overheads, execution times are rounded up, periods and deadlines down.

use crate::criterion::{Criterion, Payer, Policy};
use crate::gedf::{self, Answer, Set, Task};
use crate::overheads::{self, Costs};
use crate::partition::{Fit, Sequence, partition};
use crate::{SporadicTask, Stop, WorkLimit, edf_demand, overloaded};
use flyball_trace::Duration;

/// How the kernel's work is charged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accounting {
    /// To each job what is done for it: [`overheads::per_job`].
    PerJob,
    /// And what interrupts of others can take from it: [`overheads::interrupts`].
    Interrupts,
}

/// What the kernel's work costs, in the order of [`Payer::ALL`]; `None`: that is not known, and nothing is accepted.
pub type Prices = [Option<Costs>; Payer::ALL.len()];

/// The set with the overheads of one payer.
#[derive(Clone, Debug)]
enum Inflated {
    Unmade,
    /// Nothing is left of a CPU.
    Nothing,
    Set(Set),
}

/// A set whose tasks pay for the kernel's work.
#[derive(Clone, Debug)]
pub struct Charged<'t> {
    cpus: u32,
    unit: Duration,
    raw: &'t [SporadicTask],
    charge: Option<(Accounting, Prices)>,
    sets: [Inflated; Payer::ALL.len()],
}

impl<'t> Charged<'t> {
    /// These tasks on so many CPUs. The tests count in `unit`s, which is not zero. `None` as charge: the kernel's work is free.
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
            sets: [const { Inflated::Unmade }; Payer::ALL.len()],
        }
    }

    /// What a test says; `None`: nobody knows what its policy is to be charged. It takes at most `limit` steps.
    pub fn ask(&mut self, criterion: Criterion, limit: WorkLimit) -> Option<Answer> {
        let payer = self.payer(criterion.policy())?;
        if let (Criterion::Partitioned(fit), Some((Accounting::Interrupts, _))) =
            (criterion, &self.charge)
        {
            return Some(Answer::accepts_if(self.divide(fit, limit).is_ok()));
        }
        let cpus = self.cpus;
        Some(match self.set(payer) {
            Some(set) => criterion.ask(set, cpus, limit),
            None => Answer::Rejects,
        })
    }

    /// Whose overheads a policy pays; without any, whose set it is asked about.
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
        let Some(set) = self.set(Payer::Global) else {
            return Ok(None);
        };
        gedf::accepted_by(tests, set, cpus, limit)
    }

    /// The CPU of each task under partitioned EDF.
    ///
    /// # Errors
    /// The position of the first task that no CPU has room for.
    pub fn divide(&self, fit: Fit, limit: WorkLimit) -> Result<Vec<usize>, usize> {
        let holds = |_: usize, here: &[usize]| {
            let here: Vec<_> = here.iter().map(|&task| self.raw[task]).collect();
            self.hold_on_one(&here, limit)
        };
        partition(
            self.raw,
            self.cpus as usize,
            fit,
            Sequence::Utilisation,
            holds,
        )
    }

    /// Whether one CPU of partitioned EDF holds these tasks, which pay as those of the set do.
    pub fn hold_on_one(&self, tasks: &[SporadicTask], limit: WorkLimit) -> bool {
        let inflated = self.inflated(tasks, Payer::Partitioned);
        inflated.is_some_and(|tasks| hold(&tasks, limit))
    }

    /// The set with the overheads of a payer, in whole units, made when first asked for; `None`: nothing is left of a CPU.
    ///
    /// Tests of several CPUs with one queue are about deadlines up to the period. So that of a [global](Payer::Global) payer
    /// has no later ones: who is in time for these is in time.
    pub fn set(&mut self, payer: Payer) -> Option<&Set> {
        let place = payer as usize;
        if let Inflated::Unmade = self.sets[place] {
            let tasks = self.inflated(self.raw, payer);
            let counted = |task: &SporadicTask| Task {
                wcet: task.wcet() / self.unit,
                period: task.period() / self.unit,
                deadline: match payer {
                    Payer::Global => task.deadline().min(task.period()) / self.unit,
                    Payer::Partitioned => task.deadline() / self.unit,
                },
            };
            let tasks = tasks.map(|tasks| tasks.iter().map(counted).collect());
            let set = tasks.and_then(|tasks| Set::new(tasks).ok());
            self.sets[place] = set.map_or(Inflated::Nothing, Inflated::Set);
        }
        match &self.sets[place] {
            Inflated::Set(set) => Some(set),
            Inflated::Unmade | Inflated::Nothing => None,
        }
    }

    /// These tasks of the set with their overheads, in whole units; `None`: nothing is left.
    pub fn inflated(&self, tasks: &[SporadicTask], payer: Payer) -> Option<Vec<SporadicTask>> {
        let Some((accounting, prices)) = &self.charge else {
            return Some(tasks.to_vec());
        };
        let costs = prices[payer as usize].as_ref()?;
        let inflated = match accounting {
            Accounting::PerJob => overheads::per_job(tasks, costs)?,
            Accounting::Interrupts => overheads::interrupts(tasks, costs)?,
        };
        inflated.iter().map(|task| self.rounded(task)).collect()
    }

    /// In whole units, to the safe side; `None` if nothing is left of the period.
    fn rounded(&self, task: &SporadicTask) -> Option<SporadicTask> {
        let unit = self.unit;
        let up = unit * task.wcet().as_nanos().div_ceil(unit.as_nanos());
        let [period, deadline] = [task.period(), task.deadline()].map(|time| unit * (time / unit));
        SporadicTask::new(up, period, deadline).ok()
    }
}

/// Whether one CPU holds these tasks under EDF.
fn hold(tasks: &[SporadicTask], limit: WorkLimit) -> bool {
    if tasks.iter().all(|task| task.deadline() >= task.period()) {
        !overloaded(tasks)
    } else {
        edf_demand::test(tasks, limit).holds()
    }
}
