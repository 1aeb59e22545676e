//! Why a measured schedule and its simulation part: reasons that hold, and none where there is none.
//!
//! What was "measured" here is another simulation, of a set that is a little different or under another policy.

use flyball_measure::{Measured, Measurement};
use flyball_model::{Format, TaskSet, read_str};
use flyball_sim::Options;
use flyball_study::compare::Parting;
use flyball_study::{Recorder, Registry, SideBySide};
use flyball_trace::Duration;
use flyball_trace::file::Trace;
use std::ops::ControlFlow;

const UNTIL: Duration = Duration::from_millis(60);

fn read(text: &str) -> TaskSet {
    let set = read_str(text, Format::Toml, "set.toml");
    set.unwrap_or_else(|error| panic!("{error}"))
}

/// The schedule of a set under a policy.
fn simulate(policy: &str, text: &str, seed: u64) -> Trace {
    let registry = Registry::standard();
    let entry = registry.find(policy).expect("it is ours");
    let set = read(text);
    let values = entry.values("set.toml", &set).expect("it fits");
    let mut recorder = Recorder::new(&set, set.platform.cpus, policy, usize::MAX);
    let options = Options {
        until: UNTIL,
        stop_at_miss: false,
        seed,
    };
    let mut watch = |_| ControlFlow::Continue(());
    let outcome = entry.simulate(&values, &set, &options, &mut recorder, &mut watch);
    recorder
        .finish(outcome.expect("it can be simulated").ended)
        .1
}

/// A set beside what a machine did, whose schedule this is.
fn beside(policy: &str, text: &str, measured: &Trace, seed: u64) -> SideBySide {
    let registry = Registry::standard();
    let measurement = Measurement::new(
        &registry,
        policy,
        "set.toml",
        read(text),
        Some(UNTIL),
        UNTIL,
        None,
    );
    let measured = Measured {
        events: &measured.events,
        end: measured.end(),
        dropped: 0,
    };
    let measurement = measurement.expect("it fits");
    measurement
        .beside(&measured, seed)
        .expect("it can be simulated")
}

/// The job of "long" ends this long before or after that of "urgent" comes.
fn nearly_at_once(wcet: &str) -> String {
    format!(
        r#"
schema = 1
[[task]]
name = "urgent"
period = "20ms"
phase = "5ms"
wcet = "1ms"

[[task]]
name = "long"
period = "40ms"
wcet = "{wcet}"
"#
    )
}

#[test]
fn a_job_that_ends_just_before_another_one_comes_is_a_hair() {
    let expected = nearly_at_once("4999700ns");
    let measured = simulate("rm", &nearly_at_once("5000200ns"), 0);
    let side = beside("rm", &expected, &measured, 0);
    assert!(side.comparison.difference.is_some());
    assert_eq!(side.reason, Some(Parting::Costs));
    assert!(side.agrees() && side.is_same_order());
    assert!(side.agree() > side.comparison.agree);
}

#[test]
fn a_job_that_ends_much_too_late_is_none() {
    let expected = nearly_at_once("4900us");
    let measured = simulate("rm", &nearly_at_once("5100us"), 0);
    let side = beside("rm", &expected, &measured, 0);
    assert!(side.comparison.difference.is_some());
    assert_eq!(side.reason, None);
    assert!(!side.agrees());
}

#[test]
fn the_same_schedule_needs_no_reason() {
    let text = nearly_at_once("4900us");
    let side = beside("rm", &text, &simulate("rm", &text, 0), 0);
    assert!(side.comparison.is_same_order() && side.agrees());
    assert_eq!(side.reason, None);
}

/// What another policy does is explained by nothing.
#[test]
fn another_policy_is_no_hair() {
    let tasks = [(10, 4), (12, 5), (15, 7), (20, 6)].iter().zip(1..);
    let task = |(&(period, wcet), priority): (&(u32, u32), u32)| {
        format!(
            "[[task]]\nname = \"t{priority}\"\nperiod = \"{period}ms\"\nwcet = \"{wcet}ms\"\n\
             priority = {priority}\n"
        )
    };
    let text = format!(
        "schema = 1\n[platform]\ncpus = 2\n{}",
        tasks.map(task).collect::<String>()
    );
    let side = beside("g-edf", &text, &simulate("g-fp", &text, 1), 1);
    assert!(side.comparison.difference.is_some());
    assert_eq!(side.reason, None);
}

/// Nor is it what the kernel's work takes.
#[test]
fn another_policy_does_not_cost_more() {
    let text = r#"
schema = 1
[[task]]
name = "often"
period = "10ms"
wcet = "4ms"
[[task]]
name = "seldom"
period = "14ms"
wcet = "7ms"
"#;
    let side = beside("edf", text, &simulate("rm", text, 0), 0);
    assert!(side.comparison.difference.is_some());
    assert_eq!((side.reason, side.is_same_order()), (None, false));
}

/// A task that is late has more jobs waiting than the machine has room for.
#[test]
fn a_machine_without_room_skips_jobs() {
    let with = |on_miss: &str| {
        format!(
            "schema = 1\n[[task]]\nname = \"t\"\nperiod = \"10ms\"\nwcet = \"10ms\"\n\
             behaviour = [{{ compute = \"10ms\", actual = \"14ms\" }}]\non_miss = \"{on_miss}\"\n"
        )
    };
    let measured = simulate("rm", &with("skip"), 0);
    let side = beside("rm", &with("continue"), &measured, 0);
    assert_eq!(side.reason, Some(Parting::NoRoom));
    let measured = simulate("rm", &with("continue"), 0);
    let side = beside("rm", &with("skip"), &measured, 0);
    assert!(side.comparison.difference.is_some());
    assert_eq!(side.reason, None);
}
