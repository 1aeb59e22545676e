//! Sets of a corpus that pay for the kernel's work.

use super::{Entry, Question};
use crate::assess::Charge;
use crate::charge::{QUANTUM, costs_of};
use flyball_analysis::charged::{Charged, Prices};
use flyball_analysis::criterion::Payer;
use flyball_analysis::gedf::{Set, Test};
use flyball_analysis::{Answer, SporadicTask, Stop, WorkLimit};
use flyball_trace::Duration;

/// What a unit of a corpus is. Costs are in nanoseconds, so with them a unit has a length.
const UNIT: Duration = Duration::from_micros(1);

/// The longest time of a set that pays for the kernel's work, in microseconds: 146 years.
pub const LONGEST_CHARGED: u64 = Set::LONGEST / 1_000;

impl Question {
    /// The payer whose overheads it is about; `None`: it is not known what its policy is to be
    /// charged, or it is about a set as it is. (A set that pays is one to the safe side. That one
    /// may miss deadlines where the real one does not, so there is nothing to prove or to refute.)
    pub const fn payer(self) -> Option<Payer> {
        match self {
            Question::Test(criterion) => criterion.policy().payer(),
            Question::Exact | Question::Adversary => None,
        }
    }

    /// Whether there is an answer with these overheads.
    pub fn is_charged(self, charge: &Charge) -> bool {
        self.payer()
            .is_some_and(|payer| charge.overheads[payer as usize].is_some())
    }
}

/// The tasks of a set, in time. O(tasks).
pub(super) fn tasks(entry: &Entry) -> Vec<SporadicTask> {
    let time = |units| UNIT * units;
    let tasks = entry.set.tasks().iter().map(|task| {
        SporadicTask::new(time(task.wcet), time(task.period), time(task.deadline)).ok()
    });
    // What is too long for a task is no part of a set that is charged: see `Paying::new`.
    tasks.flatten().collect()
}

/// A set that pays.
pub(super) struct Paying<'c> {
    charge: &'c Charge,
    /// `None`: its times are too long.
    set: Option<Charged<'c>>,
}

impl<'c> Paying<'c> {
    /// The set whose [`tasks`] these are.
    pub(super) fn new(entry: &Entry, tasks: &'c [SporadicTask], charge: &'c Charge) -> Paying<'c> {
        let longest = entry.set.tasks().iter();
        let longest = longest.map(|task| task.wcet.max(task.period).max(task.deadline));
        let fits = longest.max().is_none_or(|time| time <= LONGEST_CHARGED);
        let prices: Prices = Payer::ALL.map(|payer| {
            let overheads = charge.overheads[payer as usize].as_ref()?;
            let quantum = charge.tick.unwrap_or(QUANTUM);
            Some(costs_of(overheads, quantum, payer, tasks.len()))
        });
        let charged = || Charged::new(tasks, entry.cpus, UNIT, Some((charge.accounting, prices)));
        Paying {
            charge,
            set: fits.then(charged),
        }
    }

    pub(super) fn ask(&mut self, question: Question, limit: WorkLimit) -> Answer {
        let Some(set) = &mut self.set else {
            return Answer::Stopped(Stop::TimeRange);
        };
        let answer = match question {
            Question::Test(criterion) if question.is_charged(self.charge) => {
                set.ask(criterion, limit)
            }
            _ => None,
        };
        answer.unwrap_or(Answer::Stopped(Stop::Unpriced))
    }

    pub(super) fn any(&mut self, tests: &[Test], limit: WorkLimit) -> Answer {
        let Some(set) = &mut self.set else {
            return Answer::Stopped(Stop::TimeRange);
        };
        Answer::from(set.accepted_by(tests, limit).map(|by| by.is_some()))
    }
}
