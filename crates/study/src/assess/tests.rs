use super::*;
use flyball_analysis::gedf::{Explanation, Share};
use flyball_analysis::{Reason, WorkLimit};
use flyball_model::{Cost, Format, Length, read_str};
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
    assess(
        &Registry::standard(),
        set,
        cpus,
        charge,
        WorkLimit::default(),
        &|_| (),
    )
    .unwrap()
}

fn of(found: &Assessment, policy: Policy) -> &ForPolicy {
    let mut all = found.policies.iter();
    all.find(|it| it.policy == policy).unwrap()
}

fn fewest(cpus: u32) -> Fewest {
    Fewest {
        proven: Some(cpus),
        open: Vec::new(),
    }
}

/// Gracioli et al.'s example: no CPU has room for two.
#[test]
fn five_tasks_of_a_little_more_than_a_half() {
    let names = ["a", "b", "c", "d", "e"];
    let set = set(&names.map(|name| (name, 5_100, 10_000, 10_000)));
    let found = ask(&set, 4, None);
    assert_eq!(found.infeasible, None);
    let partitioned = of(&found, Policy::PartitionedEdf);
    assert!(!partitioned.holds() && found.division.is_none());
    let task = tasks_of(&set)[4];
    assert_eq!(partitioned.said[0].why, Some(WhyNot::NoRoom(4, Some(task))));
    // 0.5 instead of 0.51.
    let scaling = partitioned.scaling.proven().unwrap();
    assert_eq!(partitioned.scaling.stopped(), None);
    assert_eq!(scaling.factor.to_string(), "0.980392");
    assert_eq!(partitioned.fewest, fewest(5));
    let cheapest = found.cheapest.as_ref().unwrap();
    assert_eq!(cheapest.places, [0, 1, 2, 3, 4]);
    // GFB holds up to m/(n + m − 1): 5 u + 3 u ≤ 4, so as far.
    let global = of(&found, Policy::GlobalEdf);
    let Some(WhyNot::Explained(Explanation::Share { what, share, bound })) = global.said[0].why
    else {
        panic!("{:?}", global.said[0]);
    };
    assert_eq!(what, Share::Densities);
    assert!((share - 2.55).abs() < 1e-9 && (bound - 2.47).abs() < 1e-9);
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
    assert_eq!(global.fewest, fewest(3));
    assert_eq!(global.slacks, [None; 3]);
    let partitioned = of(&found, Policy::PartitionedEdf);
    assert!(partitioned.holds());
    assert_eq!(partitioned.fewest, fewest(2));
    let us = |us| Some(Duration::from_micros(us));
    assert_eq!(partitioned.bounds, [us(4_000), us(4_000), us(10_000)]);
    let slacks = [6_000, 6_000, 1_000].map(|us| Some(Margin::Exactly(Duration::from_micros(us))));
    assert_eq!(partitioned.slacks, slacks);
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
    let factor = |effect: &Effect| effect.scaling[0].proven().unwrap().factor.to_string();
    let effects: Vec<_> = found
        .effects
        .iter()
        .map(|effect| (effect.charged, factor(effect)))
        .collect();
    let expected = [
        (ChargedWork::Nothing, "10.000000"),
        (ChargedWork::All, "9.750000"),
        (ChargedWork::AllBut("release"), "9.850000"),
        (ChargedWork::AllBut("scheduling"), "9.850000"),
        (ChargedWork::AllBut("context switch"), "9.800000"),
    ];
    assert_eq!(
        effects,
        expected.map(|(work, factor)| (work, factor.to_owned()))
    );
}

#[test]
fn what_no_policy_can_hold_is_said() {
    let full = ask(
        &set(&[("a", 9_000, 10_000, 10_000), ("b", 9_000, 10_000, 10_000)]),
        1,
        None,
    );
    assert_eq!(full.infeasible, Some(NoPolicy::Overload));
    assert_eq!(full.utilisation.to_string(), "1.8000");
    let mut long = set(&[("a", 8_000, 10_000, 8_000)]);
    long.tasks[0].wcet = Duration::from_millis(9);
    let alone = ask(&long, 4, None);
    assert_eq!(alone.infeasible, Some(NoPolicy::Alone(0)));
    assert!(
        alone
            .policies
            .iter()
            .all(|it| !it.holds() && it.fewest == Fewest::default())
    );
}

#[test]
fn what_the_tests_are_not_about_is_refused() {
    let text = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"10ms\"\nbehaviour = [{ compute = \"1ms\" }, { suspend = \"1ms\" }]\n";
    let set = read_str(text, Format::Toml, "t.toml").unwrap();
    let refused = assess(
        &Registry::standard(),
        &set,
        2,
        None,
        WorkLimit::default(),
        &|_| (),
    )
    .unwrap_err();
    let suspends = Obstacle::Does("a".into(), Uncovered::Suspends);
    assert!(matches!(refused, Refused::NotCovered(obstacle) if obstacle == suspends));
}

/// By hand: three jobs of 9 within 10 are too many for two CPUs, if they arrive together.
#[test]
fn too_much_at_once_is_infeasible_unless_phases_may_prevent_it() {
    let mut dense = set(&["a", "b", "c"].map(|name| (name, 9_000, 100_000, 10_000)));
    let found = ask(&dense, 2, None);
    assert_eq!(found.infeasible, Some(NoPolicy::Interval(None)));
    let global = of(&found, Policy::GlobalEdf);
    assert_eq!(global.verdict.holds(), Some(false));
    dense.tasks[2].phase = Duration::from_millis(20);
    let found = ask(&dense, 2, None);
    assert_eq!(found.infeasible, None);
    let global = &of(&found, Policy::GlobalEdf).verdict;
    assert_eq!(global.proof.as_deref(), Some("simulation"));
    assert_eq!(global.holds(), Some(true));
    // On one CPU, EDF is asked.
    dense.tasks[2].phase = Duration::ZERO;
    let found = ask(&dense, 1, None);
    let Some(NoPolicy::Interval(Some(Reason::Demand { interval, .. }))) = found.infeasible else {
        panic!("{:?}", found.infeasible);
    };
    assert_eq!(interval, Duration::from_millis(10));
}

/// A set whose utilisation is one, as its hyperperiod is the third period, so that no execution
/// time can grow.
fn full(cpus: u8) -> TaskSet {
    let text = "schema = 1\n\
        [[task]]\nname = \"a\"\nperiod = \"999983ns\"\nwcet = \"499991ns\"\ndeadline = \"1999966ns\"\n\
        [[task]]\nname = \"b\"\nperiod = \"999979ns\"\nwcet = \"499989ns\"\ndeadline = \"999979ns\"\n\
        [[task]]\nname = \"c\"\nperiod = \"999962000357ns\"\nwcet = \"999981ns\"\ndeadline = \"1999924000714ns\"\n";
    let mut set = read_str(text, Format::Toml, "t.toml").unwrap();
    set.platform.cpus = cpus;
    set
}

/// The searches stop, and the verdict does not: it holds on one CPU, on no fewer, and with factor
/// one, beyond which the CPU is overloaded.
#[test]
fn a_search_that_stops_contradicts_no_verdict() {
    let set = full(1);
    assert_eq!(
        Utilisation::of(&tasks_of(&set)).cmp_one(),
        std::cmp::Ordering::Equal
    );
    let found = ask(&set, 1, None);
    let partitioned = of(&found, Policy::PartitionedEdf);
    assert_eq!(partitioned.verdict.holds(), Some(true));
    assert_eq!(partitioned.fewest, fewest(1));
    let scaling = &partitioned.scaling;
    assert_eq!(scaling.stopped(), None);
    assert_eq!(scaling.proven().unwrap().factor.ppm(), 1_000_000);
    assert_eq!(found.cheapest.as_ref().unwrap().places, [0; 3]);
    assert_eq!(
        partitioned.slacks,
        [Some(Margin::Exactly(Duration::ZERO)); 3]
    );
    // Response times take longer than a search may. With two CPUs, one is asked about with all the
    // steps that there are.
    let fixed = of(&found, Policy::PartitionedFp);
    assert_eq!((fixed.holds(), &fixed.fewest), (true, &fewest(1)));
    assert_eq!(fixed.scaling, partitioned.scaling);
    let found = ask(&set, 2, None);
    assert_eq!(of(&found, Policy::PartitionedFp).fewest, fewest(1));
}

/// With too few steps, nothing is known on one CPU, and that is what is said.
#[test]
fn what_stopped_is_not_known() {
    let set = full(1);
    let limit = WorkLimit::steps(1_000);
    let found = assess(&Registry::standard(), &set, 1, None, limit, &|_| ()).unwrap();
    let partitioned = of(&found, Policy::PartitionedFp);
    assert_eq!(partitioned.verdict.holds(), None);
    assert!(
        partitioned
            .said
            .iter()
            .all(|it| it.answer.stopped().is_some())
    );
    let expected = Fewest {
        proven: Some(2),
        open: vec![1],
    };
    assert_eq!(partitioned.fewest, expected);
    let (scaling, stopped) = (&partitioned.scaling, partitioned.scaling.stopped());
    assert!(stopped.is_some() && scaling.proven().unwrap().factor.ppm() < 1_000_000);
}

/// No overheads, and periods of more than 146 years: global tests do not count these, and say so,
/// and tests of one CPU hold.
#[test]
fn what_is_too_long_to_count_is_said() {
    let text = "schema = 1\n\
        [[task]]\nname = \"a\"\nperiod = \"18446744073s\"\nwcet = \"1s\"\n\
        [[task]]\nname = \"b\"\nperiod = \"18446744072s\"\nwcet = \"1s\"\n";
    let set = read_str(text, Format::Toml, "t.toml").unwrap();
    let found = ask(&set, 2, None);
    for policy in [
        Policy::PartitionedEdf,
        Policy::PartitionedFp,
        Policy::EdfWm,
        Policy::CEqualsD,
    ] {
        let by = of(&found, policy);
        assert_eq!((by.holds(), &by.fewest), (true, &fewest(1)), "{policy}");
    }
    for policy in [Policy::GlobalEdf, Policy::GlobalFp] {
        let by = of(&found, policy);
        assert_eq!(by.verdict.holds(), None);
        assert_eq!(by.fewest.open.len(), MOST_CPUS as usize);
        assert_eq!(
            by.scaling,
            Margin::NotKnown(flyball_analysis::Stop::TimeRange)
        );
        let why = WhyNot::TooLong(0, tasks_of(&set)[0]);
        assert!(by.said.iter().all(|said| said.why.as_ref() == Some(&why)));
    }
}

/// One task of 1 ns every 1 ns.
#[test]
fn not_a_part_of_a_nanosecond_is_promised() {
    let text = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"1ns\"\nwcet = \"1ns\"\n";
    let found = ask(&read_str(text, Format::Toml, "t.toml").unwrap(), 1, None);
    let partitioned = of(&found, Policy::PartitionedEdf);
    let factor = partitioned.scaling.proven().unwrap().factor;
    assert_eq!(
        (factor.ppm(), partitioned.scaling.stopped()),
        (1_000_000, None)
    );
}

fn tasks_of(set: &TaskSet) -> Vec<SporadicTask> {
    let all: Vec<usize> = (0..set.tasks.len()).collect();
    with_deadlines(set, &all).map(|(_, task)| task).collect()
}

/// Moved to the end of its period the deadline of x would come first, and x with it. By hand: its
/// first job waits for p and q until 4 ms, and ends at 5 ms.
#[test]
fn deadlines_beyond_periods_are_not_moved_under_global_edf() {
    let set = set(&[
        ("x", 1_000, 1_000, 20_000),
        ("p", 4_000, 10_000, 10_000),
        ("q", 4_000, 10_000, 10_000),
    ]);
    let found = ask(&set, 2, None);
    let global = of(&found, Policy::GlobalEdf);
    assert!(global.said.iter().all(|said| !said.answer.accepts()));
    assert!(global.bounds.iter().all(Option::is_none));
    // Fixed priorities do not look at deadlines.
    let fixed = of(&found, Policy::GlobalFp);
    assert_eq!(fixed.verdict.holds(), Some(true));
}

#[test]
fn release_jitter_is_counted_or_said_to_be_unknown() {
    let mut set = set(&["a", "b"].map(|name| (name, 4_000, 10_000, 10_000)));
    set.tasks[0].jitter = Duration::from_millis(3);
    let found = ask(&set, 1, None);
    let edf = of(&found, Policy::PartitionedEdf);
    assert_eq!(edf.verdict.holds(), Some(true));
    // By hand: released 3 ms late, it computes for 4 ms, and a job of b is in its way only as long
    // as that has an earlier deadline.
    let bound = edf.bounds[0].unwrap();
    assert!((Duration::from_millis(7)..=Duration::from_millis(8)).contains(&bound));
    // By hand: two jobs of a, 7 ms apart, are in the way of one of b.
    let fixed = of(&found, Policy::PartitionedFp);
    assert!(fixed.said.iter().all(|said| !said.answer.accepts()));
    // On several CPUs the tests of one queue say that they know nothing of it.
    let found = ask(&set, 2, None);
    let global = of(&found, Policy::GlobalEdf);
    let jitter = WhyNot::NoSet(flyball_analysis::charged::NoSet::Jitter { task: 0 });
    assert!(
        global
            .said
            .iter()
            .all(|said| said.why == Some(jitter.clone()))
    );
    assert_eq!(global.verdict.holds(), None);
    assert_eq!(of(&found, Policy::Fair).verdict.holds(), None);
    assert_eq!(
        of(&found, Policy::PartitionedEdf).verdict.holds(),
        Some(true)
    );
    // A job that is released 7 ms late has less time left than it needs, on any number of CPUs.
    set.tasks[0].jitter = Duration::from_millis(7);
    let found = ask(&set, 2, None).infeasible;
    let Some(NoPolicy::Interval(Some(Reason::Demand { interval, .. }))) = found else {
        panic!("{found:?}");
    };
    assert_eq!(interval, Duration::from_millis(3));
}

/// By hand: with a first, b takes 6 ms after it was released 6 ms late; with b first, 9 and 6.
#[test]
fn priorities_by_deadlines_are_not_the_best_ones_with_jitter() {
    let mut chosen = set(&[("a", 3_000, 20_000, 9_000), ("b", 3_000, 20_000, 10_000)]);
    chosen.tasks[1].jitter = Duration::from_millis(6);
    for task in &mut chosen.tasks {
        let separation = Duration::from_millis(20);
        let gap = Length::Fixed(separation);
        task.arrival = Arrival::Sporadic { separation, gap };
    }
    let found = ask(&chosen, 1, None);
    assert_ne!(
        of(&found, Policy::PartitionedFp).verdict.holds(),
        Some(false)
    );
}
