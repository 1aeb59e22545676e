//! Every policy on every machine that has it.
//!
//! Which sets a policy is compared on follows from where it puts tasks, so a policy that is new is
//! compared without a word about it here.

use crate::differential::sets::{
    credit_set, fair, five_halves, four_cpus, four_times_one_cpu, nice_set, random_set,
    reserved_four_cpus, reserved_set, two_clusters, unsorted_nice_set,
};
use crate::differential::{Case, Tally, count, read, tally};
use flyball_board::Machine;
use flyball_study::{Entry, Registry, Theory};
use flyball_trace::Duration;

/// How a policy is compared on a machine.
fn case(machine: Machine, entry: &Entry) -> Case<'_> {
    let several = |set| Case::several_cpus(entry.name, set, 4);
    let four = read(&four_cpus(0));
    let values = entry.values("random.toml", &four).expect("it has defaults");
    match (entry.theory, entry.cluster(&values, &four)) {
        (Theory::Split(_), _) => several(five_halves),
        (Theory::Fair, _) => several(fair),
        (_, 1) if !entry.placement.is_assigned() => several(four_times_one_cpu),
        (_, 1) => Case {
            policy: entry.name,
            machine,
            set: match (entry.name, machine) {
                ("linux-o1", Machine::Lm3s6965) => unsorted_nice_set,
                ("linux-o1", _) => nice_set,
                ("linux-2.0", _) => credit_set,
                ("pp", _) => reserved_set,
                _ => random_set,
            },
            sets: count(6),
            until: Duration::from_millis(61),
        },
        (_, 4) if entry.name == "g-pp" => several(reserved_four_cpus),
        (_, 4) => several(four_cpus),
        _ => several(two_clusters),
    }
}

/// The policies of a machine that are compared. A sporadic server has its budget back in pieces, some of them
/// as short as the simulation may be off, and from then on both differ by whole periods; so that one is compared
/// on the examples only.
fn all_policies(machine: Machine) -> impl Iterator<Item = &'static str> {
    machine.policies().filter(|name| *name != "sporadic")
}

/// The same, or those of them that are asked for.
fn policies(machine: Machine) -> impl Iterator<Item = &'static str> {
    let asked = std::env::var("POLICIES").ok();
    let is_asked = move |name: &&str| {
        let asked = asked.as_deref();
        asked.is_none_or(|asked| asked.split(',').any(|one| one == *name))
    };
    all_policies(machine).filter(is_asked)
}

/// Compares the policies of a machine. Nothing is returned if only some were asked for: of so few
/// sets nothing can be expected.
fn all(machine: Machine) -> Option<Vec<(&'static str, Tally)>> {
    let registry = Registry::standard();
    let entry = |name| {
        registry
            .find(name)
            .expect("a machine's policy is one of ours")
    };
    let compared = policies(machine).map(|name| {
        let case = case(machine, entry(name));
        let mut tally = tally(&case);
        if tally.parted > case.sets / 2 {
            // A policy all of whose sets part is not compared at all.
            tally.wrong.push(format!("{name}: {tally}"));
        }
        (name, tally)
    });
    let tallies: Vec<_> = compared.collect();
    let wrong = tallies.iter().flat_map(|(_, tally)| &tally.wrong);
    let wrong: Vec<_> = wrong.map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    (tallies.len() == all_policies(machine).count()).then_some(tallies)
}

/// How many sets there are of which something is true, under all policies.
fn sum(tallies: &[(&str, Tally)], of: impl Fn(&Tally) -> u64) -> u64 {
    tallies.iter().map(|(_, tally)| of(tally)).sum()
}

#[test]
fn every_policy_of_the_cortex_m3_agrees() {
    if let Some(tallies) = all(Machine::CortexM3) {
        assert_jobs_wait(&tallies);
    }
}

#[test]
fn every_policy_of_the_lm3s6965_agrees() {
    if let Some(tallies) = all(Machine::Lm3s6965) {
        assert_jobs_wait(&tallies);
    }
}

/// Jobs wait for each other, and some for less urgent ones; some are late, and some take turns.
fn assert_jobs_wait(tallies: &[(&str, Tally)]) {
    let compared = sum(tallies, |tally| tally.compared);
    assert!(
        sum(tallies, |tally| tally.blocking) * 5 >= compared * 3,
        "{tallies:?}"
    );
    assert!(
        sum(tallies, |tally| tally.inheriting) * 20 >= compared,
        "{tallies:?}"
    );
    assert!(
        sum(tallies, |tally| tally.missing) > 0 || compared == 0,
        "{tallies:?}"
    );
    assert!(
        sum(tallies, |tally| tally.slices) * 4 >= compared,
        "{tallies:?}"
    );
}

#[test]
fn every_policy_of_riscv_agrees() {
    let Some(tallies) = all(Machine::Riscv) else {
        return;
    };
    let compared = sum(&tallies, |tally| tally.compared);
    assert!(
        sum(&tallies, |tally| tally.migrating) * 6 >= compared,
        "{tallies:?}"
    );
    assert!(
        sum(&tallies, |tally| tally.missing) > 0 || compared == 0,
        "{tallies:?}"
    );
}

/// Jobs that are released within a slot wait for the next one: the machine once took the weights of
/// jobs that do not, and was late with all jobs of "late".
#[test]
fn fair_policies_boot_with_the_weights_that_they_are_proven_with() {
    let early = "period = \"3ms\"\nphase = \"1ms\"\nwcet = \"940us\"\n";
    let early =
        ["t0", "t1", "t2", "t3"].map(|name| format!("[[task]]\nname = \"{name}\"\n{early}"));
    let mut text = format!("schema = 1\n[platform]\ncpus = 2\n{}", early.concat());
    text += "[[task]]\nname = \"late\"\nperiod = \"6ms\"\nphase = \"50us\"\n";
    text += "deadline = \"3050us\"\nwcet = \"940us\"\n";
    let registry = Registry::standard();
    for policy in ["pd2", "pf"] {
        let entry = registry.find(policy).expect("it is one of ours");
        let mut case = case(Machine::Riscv, entry);
        case.until = Duration::from_millis(60);
        if !crate::differential::has_riscv() {
            return;
        }
        let side = crate::differential::run(&case, &registry, read(&text), 0);
        assert!(
            side.comparison.is_same_order(),
            "{policy}: {:?}",
            side.comparison
        );
        let misses = |trace: &flyball_trace::file::Trace| {
            let is_miss = |event: &&flyball_trace::Event| event.kind.name() == "miss";
            trace.events.iter().filter(is_miss).count()
        };
        assert_eq!(misses(&side.measured), 0, "{policy}");
    }
}
