use super::*;
use crate::{Options, Results, compute, known};
use flyball_study::Registry;

const STUDY: &str = r#"
    schema = 1
    cpus = 2
    caps = [1.0, 1.8]
    sets = 20
    tests = ["GFB", "P-EDF", "BB", "P-FP", "C-EDF/2"]
    [[union]]
    name = "global"
    of = ["GFB", "RTALC"]
    [[union]]
    name = "mixed"
    of = ["GFB", "FFD"]
    [[scenario]]
    periods = ["short"]
    utilisations = ["uniform-medium"]
    slack = 0.1
    [simulate]
    policies = ["g-rm", "p-edf", "g-edf"]
    measures = ["switches", "misses"]
    horizon = "100ms"
    phases = "random"
    execution = [0.5, 1.0]
"#;

fn study(text: &str) -> Study {
    let registry = Registry::standard();
    Study::read(text, "s.toml", &known(&registry), |_| unreachable!()).unwrap()
}

/// What is compared of a set that all tests accept, and of which each policy says this.
fn of_one(text: &str, simulated: &Simulated) -> (u64, Vec<String>) {
    let study = study(text);
    let mut results = Results::new(study.clone());
    let unit = Unit {
        scenario: 0,
        cap: 1,
        batch: 0,
    };
    let row = Row {
        set: 7,
        tasks: 3,
        utilisation: 1.8,
        verdicts: vec![Some(true); results.labels().len()],
        simulated: vec![simulated.clone(); results.policies().len()],
    };
    results.add(unit, &[row]);
    let comparison = results.comparison();
    let found = comparison.contradictions.iter();
    let found = found.map(|it| it.describe(&study)).collect();
    (comparison.compared, found)
}

#[test]
fn simulations_agree_with_tests() {
    let registry = Registry::standard();
    let found = compute(&registry, &study(STUDY), &Options::default(), &|_| true);
    let found = found.unwrap().unwrap();
    let comparison = found.comparison();
    assert_eq!(comparison.contradictions, []);
    let accepted = |name: &str| {
        let label = found.label(name).unwrap();
        let each = (0..2).map(|cap| found.ratio(0, cap, label).unwrap().accepted);
        u64::from(each.sum::<u32>())
    };
    let expected: u64 = ["GFB", "P-EDF", "BB", "global"].map(accepted).iter().sum();
    assert_eq!(comparison.compared, expected);
    assert!(expected > 80, "{expected}");
}

/// Numbers are jobs released, jobs completed, switches, misses.
#[test]
fn a_miss_of_what_is_accepted_is_a_contradiction() {
    let (compared, found) = of_one(STUDY, &Ok(vec![90, 90, 50, 3]));
    assert_eq!(compared, 4);
    let expected = [
        ("GFB", "g-edf"),
        ("P-EDF", "p-edf"),
        ("BB", "p-edf"),
        ("global", "g-edf"),
    ];
    let expected = expected.map(|(test, policy)| {
        format!(
            "short-uniform-medium, cap 1.8, set 7: {test} accepts it, and {policy} misses 3 deadlines"
        )
    });
    assert_eq!(found, expected);
    assert_eq!(of_one(STUDY, &Ok(vec![90, 90, 50, 0])), (4, vec![]));
}

#[test]
fn without_misses_or_acceptances_nothing_is_compared() {
    let uncounted = STUDY.replace("[\"switches\", \"misses\"]", "[\"switches\"]");
    assert_eq!(of_one(&uncounted, &Ok(vec![90, 90, 3])), (0, vec![]));
    let others = STUDY.replace("[\"g-rm\", \"p-edf\", \"g-edf\"]", "[\"g-rm\", \"p-rm\"]");
    assert_eq!(of_one(&others, &Ok(vec![90, 90, 50, 3])), (0, vec![]));
    let study = study(STUDY);
    let mut results = Results::new(study);
    let unit = Unit {
        scenario: 0,
        cap: 0,
        batch: 0,
    };
    for verdict in [Some(false), None] {
        let row = Row {
            set: 0,
            tasks: 3,
            utilisation: 1.0,
            verdicts: vec![verdict; results.labels().len()],
            simulated: vec![Ok(vec![9, 9, 5, 3]); 3],
        };
        results.add(unit, &[row]);
    }
    assert_eq!(results.comparison().compared, 0);
    assert!(results.comparison().is_possible());
}

/// Only where the policy divides tasks in all ways in which the test does.
#[test]
fn what_is_refused_is_a_contradiction_only_if_the_policy_tries_as_much() {
    let refused = |text: &str| {
        let (compared, found) = of_one(text, &Err("no room".into()));
        let partitioned = found
            .iter()
            .filter(|it| it.ends_with("p-edf refuses it: no room"));
        (compared, partitioned.count())
    };
    assert_eq!(refused(STUDY), (4, 2));
    assert_eq!(refused(&STUDY.replace("[0.5, 1.0]", "[0.5, 0.9]")), (2, 0));
    let told = format!("{STUDY}[policies.p-edf]\npartition = \"worst-fit\"\n");
    assert_eq!(refused(&told), (2, 0));
}

#[test]
fn a_column_promises_only_what_all_of_its_tests_do() {
    let study = study(STUDY);
    let promised: Vec<_> = study.tests.iter().map(promised).collect();
    let (global, partitioned) = (Some(Policy::GlobalEdf), Some(Policy::PartitionedEdf));
    assert_eq!(
        promised,
        [global, partitioned, partitioned, None, None, global, None]
    );
}
