//! What jobs say of themselves when they end, and which policies hear of it.

use flyball_model::{Format, Length, Step, Task, TaskSet, read_str};
use flyball_study::note::Note;
use flyball_study::results::Study;
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(set: &TaskSet, policies: &[&str]) -> Study {
    let options = StudyOptions {
        policies: policies.iter().map(ToString::to_string).collect(),
        until: Some(ms(2_000)),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let registry = Registry::standard();
    study(&registry, "set", set.clone(), &options, &mut watch).unwrap()
}

/// A study says so once, if one of its policies takes no notice of what jobs say of themselves.
#[test]
fn results_that_a_policy_does_not_hear_of_are_noted() {
    let mut set = TaskSet::default();
    set.tasks.push(Task::periodic("quiet", ms(5), ms(1)));
    set.tasks.push(Task::periodic("talks", ms(5), ms(1)));
    let compute = Step::Compute(Length::Fixed(ms(1)));
    let unheard = Note::ResultsUnheard {
        task: "talks".to_owned(),
        heard_by: vec!["bids".to_owned(), "soos".to_owned()],
    };
    let is_noted =
        |set: &TaskSet, policies: &[&str]| studied(set, policies).notes.contains(&unheard);
    for (results, says_something) in [(vec![0], false), (vec![0, 2], true)] {
        set.tasks[1].behaviour = vec![compute.clone(), Step::Result(results)];
        assert_eq!(is_noted(&set, &["edf"]), says_something);
        assert_eq!(is_noted(&set, &["bids", "cbs"]), says_something);
        assert!(!is_noted(&set, &["bids", "soos"]));
    }
}

/// Two servers whose jobs say that they are of little importance: one comes again
/// after its period all the same, and one three periods later, at 0, 40, 80 ms and so on.
#[test]
fn a_server_may_have_an_alpha_of_its_own() {
    let text = |name: &str, alpha: &str| {
        format!(
            "[[server]]\nname = \"{name}\"\nbudget = \"1ms\"\nperiod = \"10ms\"\n{alpha}\n\
             [[task]]\nname = \"{name}\"\nserver = \"{name}\"\nperiod = \"10ms\"\non_miss = \"skip\"\n\
             behaviour = [{{ compute = \"1ms\" }}, {{ result = 1 }}]\n"
        )
    };
    let (own, rule) = (text("own", "alpha = 3"), text("rule", ""));
    for (policy, slots) in [("bids", ""), ("soos", "slot = \"1ms\"\n")] {
        let settings = format!("[policies.{policy}]\nalpha = 0\n{slots}");
        let set = format!("schema = 1\n{settings}{own}{rule}");
        let set = read_str(&set, Format::Toml, "set").unwrap();
        let report = studied(&set, &[policy]).policies.remove(0);
        let [own, rule] = [0, 1].map(|task| report.tasks[task].measured.completed);
        assert_eq!((own, rule), (50, 200), "{policy}");
    }
}
