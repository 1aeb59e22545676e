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

/// The set with the overheads of one policy.
#[derive(Debug)]
enum Inflated {
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
    /// For global and for partitioned EDF.
    sets: [Inflated; 2],
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
            sets: [Inflated::Unmade, Inflated::Unmade],
            said: Vec::new(),
        }
    }

    /// Whether any of the tests accepts it; `None`: none does, but one gave up.
    pub fn any(&mut self, tests: &[Test]) -> Option<bool> {
        let (mut verdict, mut open) = (Some(false), Vec::new());
        for &test in tests {
            let said = self.said.iter().find(|(other, _)| *other == test);
            match (said, test) {
                (Some((_, Some(true))), _) => return Some(true),
                (Some((_, Some(false))), _) => {}
                (Some((_, None)), _) => verdict = None,
                (None, Test::Global(test)) => open.push(test),
                (None, other) => {
                    let said = match other {
                        Test::Partitioned(fit) => self.partitions(fit),
                        other => self.ask(other),
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
        let said = self.globally(&open);
        if let [test] = open[..] {
            self.said.push((Test::Global(test), said));
        }
        if said == Some(false) { verdict } else { said }
    }

    /// Whether any of the tests of global EDF accepts it; what cannot make a difference is left out.
    fn globally(&mut self, tests: &[gedf::Test]) -> Option<bool> {
        let cpus = u32::from(self.cpus);
        let Some(set) = self.inflated_set(Policy::GlobalEdf) else {
            return Some(false);
        };
        let accepted = gedf::accepted_by(tests, set, cpus, WorkLimit::default());
        accepted.ok().map(|test| test.is_some())
    }

    /// What any test says of the set with its policy's overheads.
    fn ask(&mut self, test: Test) -> Option<bool> {
        let cpus = u32::from(self.cpus);
        let policy = match Policy::charged(test) {
            Some(policy) => policy,
            // Nothing is charged, so all policies are the same.
            None if self.charge.is_none() => Policy::GlobalEdf,
            None => return None,
        };
        let Some(set) = self.inflated_set(policy) else {
            return Some(false);
        };
        match test.ask(set, cpus, WorkLimit::default()) {
            gedf::Answer::Accepts => Some(true),
            gedf::Answer::Rejects => Some(false),
            gedf::Answer::Stopped(_) => None,
        }
    }

    fn partitions(&mut self, fit: Fit) -> Option<bool> {
        let accounting = self.charge.map(|(charge, _)| charge.accounting);
        if accounting == Some(Accounting::Interrupts) {
            return Some(self.partitions_apart(fit));
        }
        self.ask(Test::Partitioned(fit))
    }

    /// Where interrupts are charged, what a task costs depends on who else is on its CPU.
    fn partitions_apart(&self, fit: Fit) -> bool {
        let holds = |_: usize, here: &[usize]| {
            let here: Vec<_> = here.iter().map(|&task| self.raw[task]).collect();
            let here = self.inflated(&here, Policy::PartitionedEdf);
            here.is_some_and(|here| !overloaded(&here))
        };
        let cpus = usize::from(self.cpus);
        partition(&self.raw, cpus, fit, Sequence::Utilisation, holds).is_ok()
    }

    /// The set with the overheads of a policy, made when first asked for; `None`: nothing is left of a CPU.
    fn inflated_set(&mut self, policy: Policy) -> Option<&gedf::Set> {
        let place = usize::from(policy == Policy::PartitionedEdf);
        if let Inflated::Unmade = self.sets[place] {
            let tasks = self.inflated(&self.raw, policy);
            let tasks = tasks.map(|tasks| tasks.iter().map(counted).collect());
            let set = tasks.and_then(|tasks| gedf::Set::new(tasks).ok());
            self.sets[place] = set.map_or(Inflated::Nothing, Inflated::Set);
        }
        match &self.sets[place] {
            Inflated::Set(set) => Some(set),
            Inflated::Unmade | Inflated::Nothing => None,
        }
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
