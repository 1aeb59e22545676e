//! EDF above rate monotonic priorities: what theory says, and what is simulated.

use crate::common;

use common::config;
use flyball_model::{Task, TaskSet, Value};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(set: &TaskSet, policy: &str) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let registry = Registry::standard();
    let mut study = study(&registry, "set", set.clone(), &options, &mut watch).unwrap();
    study.policies.remove(0)
}

/// With periods up to this one in the dynamic queue.
fn up_to(set: &TaskSet, longest: u64) -> PolicyReport {
    let mut set = set.clone();
    let settings = set.policies.entry("csd".to_owned()).or_default();
    let longest = Value::Duration(ms(longest)).into();
    settings.values.insert("longest".to_owned(), longest);
    studied(&set, "csd")
}

/// Up to six tasks with deadlines from short to beyond the period, several with the same period.
fn set() -> impl Strategy<Value = TaskSet> {
    let periods = proptest::sample::select(&[4_u64, 5, 8, 10, 20, 40][..]);
    let task = (periods, 5_u64..50, 0_u8..5);
    prop::collection::vec(task, 1..7).prop_map(|tasks| {
        let mut set = TaskSet::default();
        for (number, (period, percent, kind)) in tasks.into_iter().enumerate() {
            let wcet = Duration::from_micros(period * percent * 10);
            let mut task = Task::periodic(format!("t{number}"), ms(period), wcet);
            task.deadline = Some(match kind {
                0 => wcet + ms(period).saturating_sub(wcet).min(ms(2)),
                1 => ms(period * 2),
                _ => ms(period),
            });
            set.tasks.push(task);
        }
        set
    })
}

static PROVEN: AtomicU32 = AtomicU32::new(0);
static LATE: AtomicU32 = AtomicU32::new(0);

proptest! {
    #![proptest_config(config(600))]

    /// (A verdict that the simulation contradicts is an error.)
    fn what_is_proven_holds(set in set(), longest in proptest::sample::select(&[4_u64, 5, 8, 10, 20][..])) {
        let report = up_to(&set, longest);
        if report.verdict.schedulable == Schedulable::Always {
            prop_assert_eq!(report.simulated.misses, 0);
            PROVEN.fetch_add(1, Ordering::Relaxed);
        }
        if report.simulated.misses > 0 {
            LATE.fetch_add(1, Ordering::Relaxed);
        }
        for task in &report.tasks {
            let bound = task.response_bound.unwrap_or(Duration::MAX);
            prop_assert!(task.measured.response.max().is_none_or(|it| it <= bound));
        }
    }

    /// With one queue it is the policy of that queue.
    #[test]
    fn with_one_queue_it_is_edf_or_rate_monotonic(set in set()) {
        prop_assert_eq!(up_to(&set, 0).trace.events, studied(&set, "rm").trace.events);
        prop_assert_eq!(up_to(&set, 40).trace.events, studied(&set, "edf").trace.events);
    }

    /// The queues that are chosen hold what rate monotonic priorities hold, where deadlines are within
    /// periods; and tasks that these do not hold are served by EDF.
    #[test]
    fn the_dynamic_queue_is_as_long_as_it_has_to_be(set in set()) {
        let mut set = set;
        for task in &mut set.tasks {
            task.deadline = task.deadline.min(task.arrival.period());
        }
        let rm = studied(&set, "rm");
        if rm.verdict.holds() == Some(true) {
            prop_assert_eq!(studied(&set, "csd").verdict.holds(), Some(true));
        }
        let late = |it: &usize| rm.tasks[*it].measured.misses > 0;
        let late = (0..set.tasks.len()).filter(late).filter_map(|it| set.tasks[it].arrival.period());
        if let Some(longest) = late.max() {
            let longest = longest.as_nanos() / 1_000_000;
            let split = studied(&set, "csd").trace.events;
            let longer = [4, 5, 8, 10, 20, 40].into_iter().filter(|it| *it >= longest);
            prop_assert!(longer.map(|it| up_to(&set, it).trace.events).any(|it| it == split));
        }
    }
}

#[test]
fn many_sets_are_proven_and_many_are_late() {
    what_is_proven_holds();
    let [proven, late] = [&PROVEN, &LATE].map(|it| it.load(Ordering::Relaxed));
    assert!(proven > 50 && late > 50, "{proven}, {late}");
}

/// Neither queue alone holds these: by rate monotonic priorities the second is late. EDF would hold all.
#[test]
fn a_task_that_fixed_priorities_do_not_hold_is_in_the_dynamic_queue() {
    let mut set = TaskSet::default();
    for (name, period, wcet) in [("a", 5, 2), ("b", 7, 4), ("c", 200, 2)] {
        set.tasks.push(Task::periodic(name, ms(period), ms(wcet)));
    }
    assert_eq!(studied(&set, "rm").verdict.holds(), Some(false));
    let csd = studied(&set, "csd");
    assert_eq!(csd.verdict.schedulable, Schedulable::Always);
    // c has what is left by a and b: it is behind both, and not among them.
    let bound = |task: usize| csd.tasks[task].response_bound;
    assert!(bound(0) <= Some(ms(5)) && bound(1) <= Some(ms(7)));
    assert_eq!(csd.trace.events, up_to(&set, 7).trace.events);
    assert_ne!(csd.trace.events, up_to(&set, 5).trace.events);
}
