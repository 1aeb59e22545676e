//! A set with its overheads, and what tests say of it.

use super::{Policy, Test, Variant};
use crate::draw::Drawn;
use flyball_analysis::overheads::{self, Costs};
use flyball_analysis::partition::{Fit, Sequence, partition};
use flyball_analysis::{SporadicTask, WorkLimit, gedf, overloaded};
use flyball_model::Study;
use flyball_model::study::{Accounting, Charge};
use flyball_trace::Duration;

/// The period of a tick, where a charge has a cost of one: that of LITMUS^RT.
const QUANTUM: Duration = Duration::from_millis(1);

const US: Duration = Duration::from_micros(1);

/// What tests of global EDF judge.
#[derive(Debug)]
enum Global {
    Unmade,
    /// Nothing is left of a CPU.
    Nothing,
    Set(gedf::Set),
}

/// A set whose tasks pay one variant of overheads.
#[derive(Debug)]
pub struct Priced<'s> {
    cpus: u8,
    raw: Vec<SporadicTask>,
    charge: Option<(&'s Charge, Option<u32>)>,
    /// What tests of global EDF judge. Made when first asked for.
    global: Global,
    said: Vec<(Test, Option<bool>)>,
}

impl<'s> Priced<'s> {
    /// The set with the overheads of that variant.
    pub fn new(study: &'s Study, set: &[Drawn], variant: Variant) -> Priced<'s> {
        let charge = match variant {
            Variant::Ideal => None,
            Variant::Charged(place, bytes) => study.charges.get(place).map(|it| (it, bytes)),
        };
        let raw = set.iter().filter_map(|task| {
            let period = US * task.period;
            // None of a drawn task's times is zero.
            SporadicTask::new(US * task.wcet, period, period).ok()
        });
        Priced {
            cpus: study.cpus,
            raw: raw.collect(),
            charge,
            global: Global::Unmade,
            said: Vec::new(),
        }
    }

    /// Whether any of the tests accepts it; `None`: none does, but one gave up.
    pub fn any(&mut self, tests: &[Test]) -> Option<bool> {
        let mut verdict = Some(false);
        for &test in tests {
            match self.test(test) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => verdict = None,
            }
        }
        verdict
    }

    fn test(&mut self, test: Test) -> Option<bool> {
        if let Some(&(_, said)) = self.said.iter().find(|(other, _)| *other == test) {
            return said;
        }
        let verdict = match test {
            Test::Partition(fit) => Some(self.partitions(fit)),
            Test::Global(test) => self.globally(test),
        };
        self.said.push((test, verdict));
        verdict
    }

    fn globally(&mut self, test: gedf::Test) -> Option<bool> {
        if let Global::Unmade = self.global {
            let tasks = self.inflated(&self.raw, Policy::GlobalEdf);
            let tasks = tasks.map(|tasks| tasks.iter().map(counted).collect());
            let set = tasks.and_then(|tasks| gedf::Set::new(tasks).ok());
            self.global = set.map_or(Global::Nothing, Global::Set);
        }
        let Global::Set(set) = &self.global else {
            return Some(false);
        };
        match gedf::test(test, set, u32::from(self.cpus), WorkLimit::default()) {
            gedf::Answer::Accepts => Some(true),
            gedf::Answer::Rejects => Some(false),
            gedf::Answer::Stopped(_) => None,
        }
    }

    fn partitions(&self, fit: Fit) -> bool {
        let accounting = self.charge.map(|(charge, _)| charge.accounting);
        // Where interrupts are charged, what a task costs depends on who else is on its CPU.
        let apart = accounting == Some(Accounting::Interrupts);
        let all = if apart {
            Some(self.raw.clone())
        } else {
            self.inflated(&self.raw, Policy::PartitionedEdf)
        };
        let Some(all) = all else { return false };
        let holds = |_: usize, here: &[usize]| {
            let here: Vec<_> = here.iter().map(|&task| all[task]).collect();
            if apart {
                let here = self.inflated(&here, Policy::PartitionedEdf);
                here.is_some_and(|here| !overloaded(&here))
            } else {
                !overloaded(&here)
            }
        };
        partition(
            &all,
            usize::from(self.cpus),
            fit,
            Sequence::Utilisation,
            holds,
        )
        .is_ok()
    }

    /// These tasks of the set with their overheads, in whole microseconds; `None`: nothing is left.
    fn inflated(&self, tasks: &[SporadicTask], policy: Policy) -> Option<Vec<SporadicTask>> {
        let Some((charge, bytes)) = self.charge else {
            return Some(tasks.to_vec());
        };
        let costs = costs(charge, bytes, policy, self.raw.len())?;
        let inflated = match charge.accounting {
            Accounting::PerJob => overheads::per_job(tasks, &costs)?,
            Accounting::Interrupts => overheads::interrupts(tasks, &costs)?,
        };
        inflated.iter().map(rounded).collect()
    }
}

/// What the kernel's work costs under a policy with so many tasks; `None` where the file has no such
/// policy.
fn costs(charge: &Charge, bytes: Option<u32>, policy: Policy, tasks: usize) -> Option<Costs> {
    let measured = charge.file.overheads(policy.name(), charge.statistic)?;
    let cache = match bytes {
        Some(bytes) => charge.file.delay(bytes, charge.statistic)?,
        None => Duration::ZERO,
    };
    let global = policy == Policy::GlobalEdf;
    Some(Costs {
        tick: measured.tick.at(tasks),
        quantum: (!measured.tick.is_free()).then_some(QUANTUM),
        release: measured.release.at(tasks),
        scheduling: measured.scheduling.at(tasks),
        context_switch: measured.context_switch.at(tasks),
        ipi: if global {
            measured.ipi.at(tasks)
        } else {
            Duration::ZERO
        },
        cache,
        event_latency: Duration::ZERO,
    })
}

/// In whole microseconds, to the safe side; `None` if nothing is left of the period.
fn rounded(task: &SporadicTask) -> Option<SporadicTask> {
    let us = US.as_nanos();
    let up = US * task.wcet().as_nanos().div_ceil(us);
    let [period, deadline] = [task.period(), task.deadline()].map(|time| US * (time / US));
    SporadicTask::new(up, period, deadline).ok()
}

fn counted(task: &SporadicTask) -> gedf::Task {
    gedf::Task {
        wcet: task.wcet() / US,
        period: task.period() / US,
        deadline: task.deadline() / US,
    }
}
