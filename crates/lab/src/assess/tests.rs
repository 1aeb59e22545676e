use super::*;
use flyball_analysis::WorkLimit;
use flyball_model::{Cost, Format, read_str};
use std::fmt::Write as _;

fn set(tasks: &[(&str, u64, u64, u64)]) -> TaskSet {
    let mut text = "schema = 1\n".to_owned();
    for (name, wcet, period, deadline) in tasks {
        let _ = writeln!(text, "[[task]]\nname = \"{name}\"");
        for (field, time) in [("wcet", wcet), ("period", period), ("deadline", deadline)] {
            let _ = writeln!(text, "{field} = \"{time}us\"");
        }
    }
    read_str(&text, Format::Toml, "t.toml").unwrap()
}

fn ask(set: &TaskSet, cpus: u32, charge: Option<&Charge>) -> Assessment {
    assess(set, cpus, charge, WorkLimit::default(), &|_| ()).unwrap()
}

fn of(found: &Assessment, policy: Policy) -> &ForPolicy {
    let mut all = found.policies.iter();
    all.find(|it| it.policy == policy).unwrap()
}

/// Gracioli et al.'s example: no CPU has room for two.
#[test]
fn five_tasks_of_a_little_more_than_a_half() {
    let names = ["a", "b", "c", "d", "e"];
    let found = ask(
        &set(&names.map(|name| (name, 5_100, 10_000, 10_000))),
        4,
        None,
    );
    assert_eq!(found.infeasible, None);
    let partitioned = of(&found, Policy::PartitionedEdf);
    assert!(!partitioned.holds() && found.division.is_none());
    let why = partitioned.said[0].why.as_deref();
    assert_eq!(
        why,
        Some("No CPU has room for \"e\" (5.1ms every 10ms) when its turn comes")
    );
    // 0.5 instead of 0.51.
    let scaling = partitioned.scaling.as_ref().unwrap();
    assert_eq!(scaling.factor.to_string(), "0.980392");
    assert_eq!(partitioned.fewest, Some(5));
    let cheapest = found.cheapest.as_ref().unwrap();
    assert_eq!(cheapest.places, [0, 1, 2, 3, 4]);
    // GFB holds up to m/(n + m − 1): 5 u + 3 u ≤ 4, so as far.
    let global = of(&found, Policy::GlobalEdf);
    let gfb = &global.said[0];
    assert_eq!(
        gfb.why.as_deref(),
        Some("The densities add up to 2.5500, and 2.4700 is accepted")
    );
}

#[test]
fn what_holds_has_bounds_and_slack() {
    let found = ask(
        &set(&[
            ("a", 2_000, 10_000, 10_000),
            ("b", 2_000, 10_000, 10_000),
            ("c", 10_000, 11_000, 11_000),
        ]),
        2,
        None,
    );
    // Dhall's effect: under global EDF it needs a CPU more.
    let global = of(&found, Policy::GlobalEdf);
    assert!(!global.holds());
    assert_eq!(global.fewest, Some(3));
    assert_eq!(global.slacks, [None; 3]);
    let partitioned = of(&found, Policy::PartitionedEdf);
    assert!(partitioned.holds());
    assert_eq!(partitioned.fewest, Some(2));
    let us = |us| Some(Duration::from_micros(us));
    assert_eq!(partitioned.bounds, [us(4_000), us(4_000), us(10_000)]);
    assert_eq!(partitioned.slacks, [us(6_000), us(6_000), us(1_000)]);
    assert_eq!(found.division.as_ref().unwrap().places, [1, 1, 0]);
}

/// Each job costs 2 · (50 + 25) + 100 = 250 µs, of which the switches are 50.
#[test]
fn each_part_of_the_kernels_work_has_an_effect() {
    let set = set(&[("a", 1_000, 10_000, 10_000)]);
    let cost = |us| Cost::fixed(Duration::from_micros(us));
    let overheads = Overheads {
        release: cost(100),
        scheduling: cost(50),
        context_switch: cost(25),
        ..Overheads::default()
    };
    let charge = Charge {
        accounting: Accounting::PerJob,
        overheads: [None, Some(overheads)],
        tick: None,
    };
    let found = ask(&set, 1, Some(&charge));
    let policies: Vec<_> = found.policies.iter().map(|it| it.policy).collect();
    assert_eq!(policies, [Policy::PartitionedEdf, Policy::PartitionedFp]);
    // No prices of a queue for all CPUs, and none of parts of jobs at all.
    assert!(
        found.uncharged.contains(&Policy::GlobalEdf) && found.uncharged.contains(&Policy::Fair)
    );
    let factor = |effect: &Effect| effect.scaling[0].as_ref().unwrap().factor.to_string();
    let effects: Vec<_> = found
        .effects
        .iter()
        .map(|effect| (effect.charged.as_str(), factor(effect)))
        .collect();
    let expected = [
        ("nothing", "10.000000"),
        ("all", "9.750000"),
        ("all but release", "9.850000"),
        ("all but scheduling", "9.850000"),
        ("all but context switch", "9.800000"),
    ];
    assert_eq!(
        effects,
        expected.map(|(name, factor)| (name, factor.to_owned()))
    );
}

#[test]
fn what_no_policy_can_hold_is_said() {
    let full = ask(
        &set(&[("a", 9_000, 10_000, 10_000), ("b", 9_000, 10_000, 10_000)]),
        1,
        None,
    );
    assert_eq!(
        full.infeasible.as_deref(),
        Some("The tasks ask for 1.8000 of 1 CPU")
    );
    let mut long = set(&[("a", 8_000, 10_000, 8_000)]);
    long.tasks[0].wcet = Duration::from_millis(9);
    let alone = ask(&long, 4, None);
    assert_eq!(
        alone.infeasible.as_deref(),
        Some("\"a\" cannot be in time even alone")
    );
    assert!(
        alone
            .policies
            .iter()
            .all(|it| !it.holds() && it.fewest.is_none())
    );
}

#[test]
fn what_the_tests_are_not_about_is_refused() {
    let text = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"10ms\"\nbehaviour = [{ compute = \"1ms\" }, { suspend = \"1ms\" }]\n";
    let set = read_str(text, Format::Toml, "t.toml").unwrap();
    let refused = assess(&set, 2, None, WorkLimit::default(), &|_| ()).unwrap_err();
    assert!(refused.0.contains("suspends itself"), "{refused}");
}

/// By hand: three jobs of 9 within 10 are too many for two CPUs, if they arrive together.
#[test]
fn too_much_at_once_is_infeasible_unless_phases_may_prevent_it() {
    let mut dense = set(&["a", "b", "c"].map(|name| (name, 9_000, 100_000, 10_000)));
    let found = ask(&dense, 2, None);
    assert!(found.infeasible.is_some());
    let global = of(&found, Policy::GlobalEdf);
    assert_eq!(found.verdict(global), Some(false));
    dense.tasks[2].phase = Duration::from_millis(20);
    let found = ask(&dense, 2, None);
    assert_eq!(found.infeasible, None);
    assert_eq!(found.verdict(of(&found, Policy::GlobalEdf)), None);
    // On one CPU, EDF is asked.
    dense.tasks[2].phase = Duration::ZERO;
    let found = ask(&dense, 1, None);
    assert!(found.infeasible.unwrap().contains("10ms"));
}
