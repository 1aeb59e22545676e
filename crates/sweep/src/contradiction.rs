//! Simulations beside the tests that accept the same sets: a soak of both.
//!
//! What a test accepts, its policy never makes late. So a set that a test accepts and that misses a deadline when it is
//! simulated under this policy shows that one of the two is wrong. A simulation without a miss proves nothing.
//!
//! Which tests are compared with which policy is [`promised`]. Tests are about sporadic tasks and the longest execution
//! times, so periodic releases of any phases and shorter jobs are among what they promise (both policies are sustainable in
//! execution times). A partitioned policy may divide tasks in another way than the test that accepts; but what it divides, it
//! tests by processor demand on each CPU, and it spreads tasks without room only where it has proven that no
//! partition holds, which the acceptance denies.
//!
//! With overheads tests accept less than without, so only verdicts without overheads are compared.

use crate::judge::{Label, Variant, promised};
use crate::simulate::{Count, Simulated};
use crate::unit::{Row, Unit};
use flyball_analysis::criterion::Policy;
use flyball_model::Share;
use flyball_model::Study;
use flyball_model::study::{Measure, Simulations};
use std::fmt;

/// What was compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    pairs: Vec<Pair>,
    /// The place of the misses among the counts.
    misses: usize,
    /// How often a test has accepted a set that was simulated under its policy.
    pub compared: u64,
    /// Where the simulation says otherwise.
    pub contradictions: Vec<Contradiction>,
}

/// A set that a test accepts and a simulation of its policy does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The set's scenario, by its place in the study.
    pub scenario: usize,
    /// Its cap, by its place in the study.
    pub cap: usize,
    /// Its number among those of the cap.
    pub set: u32,
    /// The test, by its place in the study.
    pub test: usize,
    /// The policy, by its place among those that are simulated.
    pub policy: usize,
    /// What happened.
    pub simulated: Refutation,
}

/// What happens to a set under a policy that a test has said to hold it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// So many deadlines are missed.
    Misses(u64),
    /// The policy refuses the set, and why, although it divides tasks as the test does.
    Refused(String),
}

/// A column and a policy that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pair {
    label: usize,
    test: usize,
    policy: usize,
    /// Whether the policy takes whatever the test accepts.
    takes_all: bool,
}

impl Comparison {
    /// Nothing yet of a study with these columns and counts. If there is nothing to compare, as no deadline misses are
    /// counted or no test is about a policy, it stays empty.
    pub(crate) fn new(study: &Study, labels: &[Label], counts: &[Count]) -> Comparison {
        let misses = counts
            .iter()
            .position(|it| *it == Count::Measure(Measure::Misses));
        let Some((simulations, misses)) = study.simulate.as_ref().zip(misses) else {
            return Comparison::default();
        };
        let ideal = labels
            .iter()
            .enumerate()
            .filter(|(_, it)| it.variant == Variant::Ideal);
        let pair = |(label, it): (usize, &Label)| {
            let promised = promised(&study.tests[it.test])?;
            let is_it = |name: &String| name == promised.name();
            Some(Pair {
                label,
                test: it.test,
                policy: simulations.policies.iter().position(is_it)?,
                takes_all: takes_all(promised, simulations),
            })
        };
        Comparison {
            pairs: ideal.filter_map(pair).collect(),
            misses,
            ..Comparison::default()
        }
    }

    /// Whether there may be anything to compare.
    pub fn is_possible(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Compares what was found of the sets of a unit.
    pub(crate) fn add(&mut self, unit: Unit, rows: &[Row]) {
        for row in rows {
            for pair in &self.pairs {
                let accepted = row.verdicts.get(pair.label) == Some(&Some(true));
                let simulated = row.simulated.get(pair.policy).filter(|_| accepted);
                let Some(found) = simulated.and_then(|it| pair.judge(it, self.misses)) else {
                    continue;
                };
                self.compared += 1;
                self.contradictions
                    .extend(found.err().map(|simulated| Contradiction {
                        scenario: unit.scenario,
                        cap: unit.cap,
                        set: row.set,
                        test: pair.test,
                        policy: pair.policy,
                        simulated,
                    }));
            }
        }
    }
}

impl Pair {
    /// Whether the simulation of a set that the test accepts agrees; `None`: it says nothing about it.
    fn judge(self, simulated: &Simulated, misses: usize) -> Option<Result<(), Refutation>> {
        match simulated {
            Ok(counts) => Some(match counts.get(misses)? {
                0 => Ok(()),
                &misses => Err(Refutation::Misses(misses)),
            }),
            Err(why) => self
                .takes_all
                .then(|| Err(Refutation::Refused(why.clone()))),
        }
    }
}

/// Whether a policy takes all that its tests accept. A partitioned one does if it may try all that tests try, of the same tasks:
/// without settings of its own it goes through the same fits, and then through all partitions. Shorter jobs may fit worse.
fn takes_all(policy: Policy, simulations: &Simulations) -> bool {
    let are_whole = simulations
        .execution
        .is_none_or(|[_, most]| most == Share::ONE);
    let is_told = simulations.settings.contains_key(policy.name());
    policy == Policy::GlobalEdf || (are_whole && !is_told)
}

impl Contradiction {
    /// What it is about, for people: which set, which test, and which policy.
    pub fn describe(&self, study: &Study) -> String {
        let policies = study.simulate.as_ref().map_or(&[][..], |it| &it.policies);
        format!(
            "{}, cap {}, set {}: {} accepts it, and {} {}",
            study.scenarios[self.scenario].name(),
            study.caps[self.cap],
            self.set,
            study.tests[self.test].name,
            policies[self.policy],
            self.simulated
        )
    }
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refutation::Misses(1) => f.write_str("misses a deadline"),
            Refutation::Misses(misses) => write!(f, "misses {misses} deadlines"),
            Refutation::Refused(why) => write!(f, "refuses it: {why}"),
        }
    }
}

#[cfg(test)]
mod tests;
