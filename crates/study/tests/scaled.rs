//! What theory knows of EDF on a CPU that is scaled: by hand, and against simulations.

use crate::common::{config, misses};
use crate::slowest::{of_two, points, sets};
use flyball_catalogue::{CcEdf, Configured, ScaledEdf, StaticEdf};
use flyball_model::{Step, TaskSet};
use flyball_schedulers::Values;
use flyball_study::{Effort, Registry, StudyError};
use flyball_trace::Duration;
use proptest::prelude::*;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// What the test says; `None`: it cannot tell, or covers no such sets.
fn holds(policy: &str, set: &TaskSet) -> Option<bool> {
    let registry = Registry::standard();
    let entry = registry.find(policy).unwrap();
    let values = entry.values("", set).unwrap();
    let findings = entry.analyse(&values, set, Effort::FULL).ok()?;
    findings.holds
}

fn scheduler<const CONSERVES: bool>(set: &TaskSet) -> ScaledEdf<CONSERVES> {
    let values = Values::default().with_speeds(set.platform.speeds.as_ref());
    ScaledEdf::new(&values, &[]).unwrap()
}

#[test]
fn parts_with_what_is_charged_hold() {
    // Tasks of 2 us in 10 us, at 1 and 2 MHz.
    for policy in ["static-edf", "cc-edf"] {
        assert_eq!(holds(policy, &of_two(2, us(0))), Some(true));
        assert_eq!(holds(policy, &of_two(4, us(0))), Some(true));
        assert_eq!(
            holds(policy, &of_two(6, us(0))),
            Some(false),
            "1.2 of a CPU"
        );
        // 2.5 us of 10 us with one change, and 4.5 us with five, for each.
        assert_eq!(
            holds(policy, &of_two(2, Duration::from_nanos(500))),
            Some(true)
        );
    }
    // Five of them need all of a CPU, and that is known if it stays at its point.
    assert_eq!(holds("static-edf", &of_two(5, us(1))), Some(true));
    assert_eq!(holds("cc-edf", &of_two(5, us(0))), None);
    // Five changes of 0.6 us and 2 us of work for each: all of a CPU, and 2 ns more for each.
    assert_eq!(holds("cc-edf", &of_two(2, Duration::from_nanos(600))), None);
    assert_eq!(
        holds("static-edf", &of_two(2, Duration::from_nanos(600))),
        Some(true)
    );
    // Changes that the policy is not told of.
    assert_eq!(holds("cc-edf", &of_two(1, Duration::from_secs(5))), None);
    // Without points, or with one, they are EDF, of which more is known.
    for speeds in [None, Some(points(&[2], |_, _| us(0)))] {
        let mut set = of_two(5, us(0));
        set.platform.speeds = speeds;
        assert_eq!(holds("cc-edf", &set), Some(true));
        assert_eq!(holds("static-edf", &set), Some(true));
    }
}

#[test]
fn nothing_is_said_of_what_is_not_known() {
    let mut set = of_two(2, us(0));
    let step = set.tasks[0].behaviour[0].clone();
    set.tasks[0].behaviour = vec![step.clone(), step];
    set.tasks[0].wcet = us(4);
    assert_eq!(holds("cc-edf", &set), None);
    assert_eq!(holds("static-edf", &set), Some(true));
    let mut set = of_two(2, us(0));
    set.tasks[0].jitter = us(1);
    assert_eq!(holds("cc-edf", &set), None);
    assert_eq!(holds("static-edf", &set), Some(true));
}

#[test]
fn what_asks_for_more_than_is_left_is_refused() {
    let registry = Registry::standard();
    let entry = registry.find("cc-edf").unwrap();
    let set = of_two(6, us(0));
    let values = entry.values("", &set).unwrap();
    let error = entry.fits(&values, &set).unwrap_err();
    let expected = "task \"5\": asks for 0.2000 of a CPU, and 0.0000 is left";
    assert!(error.to_string().starts_with(expected), "{error}");
    let help = StudyError::Sim(error).remedy();
    assert_eq!(
        help,
        Some("shorten its execution time, or choose `edf`, which takes any task")
    );
}

proptest! {
    #![proptest_config(config(200))]

    /// The simulation knows changes as they are.
    #[test]
    fn what_is_said_to_hold_misses_no_deadline(mut set in sets(), shorter in 0_u64..=100) {
        let end = us(240);
        for task in &mut set.tasks {
            let least = Duration::from_nanos(task.wcet.as_nanos() * shorter / 100).max(Duration::from_nanos(1));
            let (min, max) = (least, task.wcet);
            task.behaviour = vec![Step::Compute(flyball_model::Length::Uniform { min, max })];
        }
        if holds("static-edf", &set) == Some(true) {
            let scheduler: StaticEdf = scheduler(&set);
            prop_assert!(!misses(&set, &scheduler, end));
        }
        if holds("cc-edf", &set) == Some(true) {
            let scheduler: CcEdf = scheduler(&set);
            prop_assert!(!misses(&set, &scheduler, end));
        }
    }
}
