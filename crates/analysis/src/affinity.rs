//! Can tasks that may run on some CPUs only be held at all?
//!
//! A task with implicit deadlines that may run on the CPUs of its *affinity*, whatever they are,
//! needs its utilisation from these together, and a CPU has 1 to give. Some scheduler holds all of
//! them if and only if there are parts x ≥ 0 with
//!
//! ```text
//! Σ x(i, c) over the CPUs c of task i = C_i / T_i ≤ 1       Σ x(i, c) over the tasks i ≤ 1
//! ```
//!
//! since in each short stretch of time the parts can be served in turn without a task being on two
//! CPUs at once (Baruah and Brandenburg, "Multiprocessor feasibility analysis of recurrent task
//! systems with specified processor affinities", RTSS 2013). That is a flow from tasks to CPUs.
//! There is one unless some CPUs are asked for more than there is of them by tasks that may run
//! nowhere else (Hall's condition), and the largest flow tells which: those that it cannot serve
//! any more of.
//!
//! Tasks of the same affinity are one to the flow. In whole numbers: utilisations are brought to a
//! common denominator, whose length grows with the number of different periods.
//!
//! Complexity: O(a c (a + c)) searches for a affinities and c CPUs in theory, some a + c in
//! practice, each O(a c) operations on these numbers.

use crate::{SporadicTask, Utilisation, overloaded};
use num_bigint::BigUint;
use std::collections::{BTreeMap, VecDeque};

/// Why no scheduler holds the tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Infeasible {
    /// This task asks for more than a whole CPU.
    Alone {
        /// The task, by its position.
        task: usize,
    },
    /// These tasks may run on these CPUs only, and ask for more than there is of them.
    Together {
        /// The tasks, by their positions.
        tasks: Vec<usize>,
        /// The CPUs, by rising number.
        cpus: Vec<usize>,
        /// What the tasks ask for.
        utilisation: Utilisation,
    },
}

/// Whether some scheduler holds `tasks`, each of which may run on the CPUs that `affinities` lists
/// for it, of CPUs 0 to `cpus` − 1. Deadlines are taken to be at the ends of periods; where they
/// are earlier the test is necessary, and no more.
///
/// # Errors
/// [`Infeasible`] if none does.
///
/// # Panics
/// If there are not as many affinities as tasks.
pub fn test(
    tasks: &[SporadicTask],
    affinities: &[Vec<usize>],
    cpus: usize,
) -> Result<(), Infeasible> {
    assert_eq!(tasks.len(), affinities.len(), "an affinity for each task");
    let alone = |task: &SporadicTask| overloaded(std::slice::from_ref(task));
    if let Some(task) = tasks.iter().position(alone) {
        return Err(Infeasible::Alone { task });
    }
    let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (task, affinity) in affinities.iter().enumerate() {
        let mut affinity: Vec<usize> = affinity.iter().copied().filter(|&cpu| cpu < cpus).collect();
        affinity.sort_unstable();
        affinity.dedup();
        groups.entry(affinity).or_default().push(task);
    }
    let whole = common_denominator(tasks);
    let demand = |here: &Vec<usize>| -> BigUint {
        let parts = here
            .iter()
            .map(|&task| &whole / tasks[task].t() * tasks[task].c());
        parts.sum()
    };
    let mut flow = Flow {
        left: groups.values().map(demand).collect(),
        room: vec![whole.clone(); cpus],
        affinities: groups.keys().cloned().collect(),
        sent: vec![vec![BigUint::ZERO; cpus]; groups.len()],
    };
    let Some(reached) = flow.fill() else {
        return Ok(());
    };
    let here: Vec<usize> = groups
        .values()
        .zip(&reached.groups)
        .filter(|(_, reached)| **reached)
        .flat_map(|(tasks, _)| tasks.iter().copied())
        .collect();
    let known: Vec<SporadicTask> = here.iter().map(|&task| tasks[task]).collect();
    let mut tasks = here;
    tasks.sort_unstable();
    Err(Infeasible::Together {
        tasks,
        cpus: (0..cpus).filter(|&cpu| reached.cpus[cpu]).collect(),
        utilisation: Utilisation::of(&known),
    })
}

/// A number that all periods divide.
fn common_denominator(tasks: &[SporadicTask]) -> BigUint {
    tasks.iter().fold(BigUint::from(1_u8), |whole, task| {
        // The rest is less than the period, so it fits.
        let rest = u64::try_from(&whole % task.t()).unwrap_or(0);
        whole * (task.t() / gcd(task.t(), rest))
    })
}

/// The greatest common divisor; of zero and a number, that number.
fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// What groups of tasks ask for, and what CPUs have to give.
struct Flow {
    /// What is still to be served of each group.
    left: Vec<BigUint>,
    /// What is left of each CPU.
    room: Vec<BigUint>,
    /// The CPUs of each group.
    affinities: Vec<Vec<usize>>,
    /// What each CPU serves of each group.
    sent: Vec<Vec<BigUint>>,
}

/// What a search reaches.
struct Reached {
    groups: Vec<bool>,
    cpus: Vec<bool>,
}

impl Flow {
    /// Serves as much as possible along shortest ways (Edmonds and Karp, JACM 19(2), 1972). `None`:
    /// that is all; otherwise the groups that cannot have more, and the CPUs that they would need.
    fn fill(&mut self) -> Option<Reached> {
        loop {
            if self.left.iter().all(|left| *left == BigUint::ZERO) {
                return None;
            }
            match self.search() {
                Ok(way) => self.send(&way),
                Err(reached) => return Some(reached),
            }
        }
    }

    /// A shortest way from a group with something left to a CPU with room: group, CPU, group, …,
    /// CPU. A group behind a CPU gives up what it has there.
    fn search(&self) -> Result<Vec<(usize, usize)>, Reached> {
        let mut group_from: Vec<Option<usize>> = vec![None; self.left.len()];
        let mut cpu_from: Vec<Option<usize>> = vec![None; self.room.len()];
        let mut groups: Vec<bool> = self
            .left
            .iter()
            .map(|left| *left != BigUint::ZERO)
            .collect();
        let mut queue: VecDeque<usize> = (0..groups.len()).filter(|&group| groups[group]).collect();
        while let Some(group) = queue.pop_front() {
            for &cpu in &self.affinities[group] {
                if cpu_from[cpu].is_some() {
                    continue;
                }
                cpu_from[cpu] = Some(group);
                if self.room[cpu] != BigUint::ZERO {
                    return Ok(way_to(cpu, &cpu_from, &group_from));
                }
                for (other, sent) in self.sent.iter().enumerate() {
                    if !groups[other] && sent[cpu] != BigUint::ZERO {
                        groups[other] = true;
                        group_from[other] = Some(cpu);
                        queue.push_back(other);
                    }
                }
            }
        }
        let cpus = cpu_from.iter().map(Option::is_some).collect();
        Err(Reached { groups, cpus })
    }

    /// Sends as much as fits along a way.
    fn send(&mut self, way: &[(usize, usize)]) {
        let (Some(&(first, _)), Some(&(_, last))) = (way.first(), way.last()) else {
            return;
        };
        let mut amount = self.left[first].clone().min(self.room[last].clone());
        for pair in way.windows(2) {
            let (cpu, group) = (pair[0].1, pair[1].0);
            amount = amount.min(self.sent[group][cpu].clone());
        }
        self.left[first] -= &amount;
        self.room[last] -= &amount;
        for &(group, cpu) in way {
            self.sent[group][cpu] += &amount;
        }
        for pair in way.windows(2) {
            let (cpu, group) = (pair[0].1, pair[1].0);
            self.sent[group][cpu] -= &amount;
        }
    }
}

/// The pairs of a group and the CPU behind it on the way to `last`.
fn way_to(
    last: usize,
    cpu_from: &[Option<usize>],
    group_from: &[Option<usize>],
) -> Vec<(usize, usize)> {
    let mut way = Vec::new();
    let mut cpu = Some(last);
    while let Some(here) = cpu {
        let Some(group) = cpu_from[here] else { break };
        way.push((group, here));
        cpu = group_from[group];
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball_trace::Duration;
    use proptest::prelude::*;

    fn task(c: u64, t: u64) -> SporadicTask {
        let ns = Duration::from_nanos;
        SporadicTask::new(ns(c), ns(t), ns(t)).unwrap()
    }

    /// By hand: two tasks of 2/3 that share CPU 1 with each other, and one that may run there only.
    #[test]
    fn who_is_confined_is_named() {
        let third = task(1, 3);
        let most = task(2, 3);
        let affinities = [vec![0, 1], vec![1, 2], vec![1]];
        assert_eq!(test(&[most, most, third], &affinities, 3), Ok(()));
        // 2/3 + 2/3 + 2/3 of CPUs 0 and 1.
        let confined = [vec![0, 1], vec![1, 0], vec![1], vec![2, 3]];
        assert_eq!(test(&[most, most, most, third], &confined, 4), Ok(()));
        let more = task(7, 10);
        assert_eq!(
            test(
                &[third, most, most, more],
                &[vec![2, 3], vec![1, 0], vec![1], vec![0, 1]],
                4
            ),
            Err(Infeasible::Together {
                tasks: vec![1, 2, 3],
                cpus: vec![0, 1],
                utilisation: Utilisation::of(&[most, most, more]),
            })
        );
        assert_eq!(
            test(&[third, task(4, 3)], &[vec![0], vec![0, 1]], 2),
            Err(Infeasible::Alone { task: 1 })
        );
        // Nowhere to run.
        assert!(matches!(
            test(&[third], &[vec![5]], 2),
            Err(Infeasible::Together { cpus, .. }) if cpus.is_empty()
        ));
        assert_eq!(test(&[], &[], 0), Ok(()));
    }

    /// Hall's condition, by trying all sets of CPUs.
    fn by_all_sets(tasks: &[SporadicTask], affinities: &[Vec<usize>], cpus: usize) -> bool {
        let one = |task: &SporadicTask| !overloaded(std::slice::from_ref(task));
        tasks.iter().all(one)
            && (0..1_u32 << cpus).all(|set| {
                let is_confined =
                    |affinity: &Vec<usize>| affinity.iter().all(|cpu| set >> cpu & 1 == 1);
                let confined: Vec<_> = tasks
                    .iter()
                    .zip(affinities)
                    .filter(|(_, affinity)| is_confined(affinity))
                    .map(|(task, _)| *task)
                    .collect();
                Utilisation::of(&confined)
                    .cmp_cpus(set.count_ones())
                    .is_le()
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The flow finds what Hall's condition says, and its witness is one.
        #[test]
        fn as_by_all_sets(
            numbers in prop::collection::vec((1_u64..=12, 0_usize..4, 1_u32..32), 1..12),
            cpus in 1_usize..=5,
        ) {
            let periods = [12, 15, 20, 7];
            let tasks: Vec<_> = numbers
                .iter()
                .map(|&(part, period, _)| task((part * periods[period]).div_ceil(12), periods[period]))
                .collect();
            let affinities: Vec<Vec<usize>> = numbers
                .iter()
                .map(|&(_, _, mask)| {
                    let mask = mask % (1 << cpus);
                    let mask = if mask == 0 { 1 } else { mask };
                    (0..cpus).filter(|cpu| mask >> cpu & 1 == 1).collect()
                })
                .collect();
            let found = test(&tasks, &affinities, cpus);
            prop_assert_eq!(found.is_ok(), by_all_sets(&tasks, &affinities, cpus));
            if let Err(Infeasible::Together { tasks: here, cpus: few, utilisation }) = found {
                prop_assert!(utilisation.cmp_cpus(u32::try_from(few.len()).unwrap()).is_gt());
                for task in here {
                    prop_assert!(affinities[task].iter().all(|cpu| few.contains(cpu)));
                }
            }
        }
    }
}
