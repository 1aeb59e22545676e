//! A set with its overheads, and what tests say of it.

use super::Variant;
use crate::draw::Drawn;
use flyball_analysis::charged::{Accounting, Charged};
use flyball_analysis::criterion::Payer;
use flyball_analysis::overheads::Costs;
use flyball_analysis::{Answer, Criterion, SporadicTask, WorkLimit};
use flyball_model::Study;
use flyball_model::study::{self, Charge};
use flyball_study::charge::{QUANTUM, costs_of};
use flyball_trace::Duration;

const US: Duration = Duration::from_micros(1);

/// A set whose tasks pay one variant of overheads, and what was said of it.
#[derive(Debug)]
pub(super) struct Priced<'s> {
    set: Charged<'s>,
    said: Vec<(Criterion, Option<bool>)>,
}

/// A drawn set's tasks.
pub(super) fn tasks(set: &[Drawn]) -> Vec<SporadicTask> {
    let task = |task: &Drawn| {
        let period = US * task.period;
        // None of a drawn task's times is zero.
        SporadicTask::new(US * task.wcet, period, period).ok()
    };
    set.iter().filter_map(task).collect()
}

impl<'s> Priced<'s> {
    /// The set with the overheads of that variant.
    pub(super) fn new(study: &Study, set: &'s [SporadicTask], variant: Variant) -> Priced<'s> {
        let charge = match variant {
            Variant::Ideal => None,
            Variant::Charged(place, bytes) => study.charges.get(place).map(|it| (it, bytes)),
        };
        let charge = charge.map(|(charge, bytes)| {
            let accounting = match charge.accounting {
                study::Accounting::PerJob => Accounting::PerJob,
                study::Accounting::Interrupts => Accounting::Interrupts,
            };
            let prices = Payer::ALL.map(|payer| costs(charge, bytes, payer, set.len()));
            (accounting, prices)
        });
        Priced {
            set: Charged::new(set, study.cpus.into(), US, charge),
            said: Vec::new(),
        }
    }

    /// Whether any of the tests accepts it; `None`: none does, but one gave up.
    pub(super) fn any(&mut self, tests: &[Criterion]) -> Option<bool> {
        let (mut verdict, mut open) = (Some(false), Vec::new());
        for &test in tests {
            let said = self.said.iter().find(|(other, _)| *other == test);
            match (said, test) {
                (Some((_, Some(true))), _) => return Some(true),
                (Some((_, Some(false))), _) => {}
                (Some((_, None)), _) => verdict = None,
                (None, Criterion::Global(test)) => open.push(test),
                (None, _) => {
                    let said = match self.set.ask(test, WorkLimit::default()) {
                        Some(Answer::Accepts) => Some(true),
                        Some(Answer::Rejects) => Some(false),
                        Some(Answer::Stopped(_)) | None => None,
                    };
                    self.said.push((test, said));
                    match said {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => verdict = None,
                    }
                }
            }
        }
        if open.is_empty() {
            return verdict;
        }
        match self.set.accepted_by(&open, WorkLimit::default()) {
            Ok(Some(test)) => {
                self.said.push((Criterion::Global(test), Some(true)));
                Some(true)
            }
            Ok(None) => {
                let said = |test| (Criterion::Global(test), Some(false));
                self.said.extend(open.into_iter().map(said));
                verdict
            }
            Err(_) => None,
        }
    }
}

/// What the kernel's work costs of so many tasks; `None` where the file does not have it.
fn costs(charge: &Charge, bytes: Option<u32>, payer: Payer, tasks: usize) -> Option<Costs> {
    let measured = charge.file.overheads(payer.name(), charge.statistic)?;
    let cache = match bytes {
        Some(bytes) => charge.file.delay(bytes, charge.statistic)?,
        None => Duration::ZERO,
    };
    Some(Costs {
        cache,
        ..costs_of(measured, QUANTUM, payer, tasks)
    })
}
