//! What tasks say of their time slices is what is studied.

use flyball_model::{Format, TaskSet, read_str};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Registry, StudyError, StudyOptions, study};
use std::ops::ControlFlow;

/// "short" is done after 2 ms if nothing interrupts it, and after 3 ms if "long" has time slices of 1 ms
/// as well. `said` is what "short" says.
fn set(policy: &str, platform: &str, limits: &str, said: &str) -> TaskSet {
    let text = format!(
        "schema = 1\n{platform}\n[policies.{policy}]\nquantum = \"1ms\"\n\
         [[task]]\nname = \"short\"\nperiod = \"10ms\"\nwcet = \"2ms\"\ndeadline = \"2ms\"\n\
         priority = 1\n{limits}{said}\n\
         [[task]]\nname = \"long\"\nperiod = \"10ms\"\nwcet = \"5ms\"\npriority = 1\n{limits}"
    );
    read_str(&text, Format::Toml, "set.toml").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn under(policy: &str, set: TaskSet) -> Result<PolicyReport, StudyError> {
    let options = StudyOptions {
        policies: vec![policy.into()],
        ..StudyOptions::default()
    };
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let study = study(&registry, "set.toml", set, &options, &mut watch)?;
    Ok(study.policies.into_iter().next().expect("it was asked for"))
}

#[test]
fn a_task_without_turns_meets_a_deadline_that_it_misses_with_them() {
    let on_one = [
        "fp-rr", "p-fp-rr", "c-fp-rr", "g-fp-rr", "rr", "p-rr", "c-rr", "g-rr",
    ];
    let on_one = on_one.map(|policy| (policy, "", ""));
    // Both tasks on one CPU of two, by their affinities.
    let two = "[platform]\ncpus = 2";
    let affine = ["g-fp-rr", "g-rr"].map(|policy| (policy, two, "cpus = [1]\n"));
    for (policy, platform, limits) in on_one.into_iter().chain(affine) {
        let said = |name: &str| {
            let said = format!("[task.policies.{name}]\nquantum = \"0\"");
            under(policy, set(policy, platform, limits, &said)).unwrap()
        };
        let report = said(policy);
        assert_eq!(report.simulated.misses, 0, "{policy}");
        assert_eq!(
            report.verdict.schedulable,
            Schedulable::ExactTimes,
            "{policy}"
        );
        let shown = ("short: quantum".to_owned(), "0".to_owned());
        assert!(report.settings.contains(&shown), "{:?}", report.settings);
        // To another policy it says nothing.
        let other = if policy == "rr" { "fp-rr" } else { "rr" };
        let report = said(other);
        assert_eq!(report.verdict.schedulable, Schedulable::Not, "{policy}");
        assert!(!report.settings.contains(&shown), "{:?}", report.settings);
    }
}

/// Two milliseconds and more of slices of a nanosecond are no study that ends soon.
#[test]
fn the_shortest_slices_bound_how_long_is_simulated() {
    let said = "[task.policies.rr]\nquantum = \"1ns\"";
    let report = under("rr", set("rr", "", "", said)).unwrap();
    let until = report.simulated.until;
    assert!(until < flyball_trace::Duration::from_millis(10), "{until}");
}

#[test]
fn what_tasks_say_is_checked_for_all_policies() {
    for (said, expected) in [
        (
            "[task.policies.pd2]\nquantum = \"1ms\"",
            "set.toml:12:1: task \"short\": policies.pd2: quantum: the policy has no such setting \
             for tasks\n |\n = help: \"pd2\" has no settings for tasks",
        ),
        (
            "[task.policies.c-rr]\nquantum = true",
            "set.toml:12:1: task \"short\": policies.c-rr: quantum: expected a time such as \
             \"10ms\", found true\n |\n = help: how long a time slice of the task is; \"0\": it has none, and \
             runs until it waits, as with SCHED_FIFO",
        ),
    ] {
        let error = under("edf", set("rr", "", "", said)).expect_err("it is wrong");
        assert_eq!(error.to_string(), expected);
    }
    let said = "[task.policies.rrr]";
    let error = under("edf", set("rr", "", "", said)).expect_err("there is no such policy");
    let place = "set.toml:11:16: task \"short\": policies.rrr: there is no policy \"rrr\"";
    assert!(error.to_string().starts_with(place), "{error}");
}
