//! Servers that ask for too much: refused where the policy admits them, and otherwise noted.

use flyball_model::{Format, TaskSet, read_str};
use flyball_study::note::Note;
use flyball_study::results::{Schedulable, Study};
use flyball_study::{Progress, Registry, StudyError, StudyOptions, study};
use std::ops::ControlFlow;

/// Servers of 0.6, 0.1 and 0.35 of a CPU.
const SERVERS: &str = r#"
schema = 1
[[server]]
name = "a"
budget = "6ms"
period = "10ms"
[[server]]
name = "b"
budget = "1ms"
period = "10ms"
[[server]]
name = "video"
budget = "7ms"
period = "20ms"
[[task]]
name = "one"
server = "a"
period = "10ms"
wcet = "1ms"
[[task]]
name = "two"
server = "a"
period = "10ms"
wcet = "1ms"
[[task]]
name = "three"
server = "b"
period = "10ms"
wcet = "1ms"
[[task]]
name = "four"
server = "video"
period = "20ms"
wcet = "1ms"
"#;

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "set").unwrap()
}

fn studied(set: &TaskSet, policies: &[&str]) -> Result<Study, StudyError> {
    let options = StudyOptions {
        policies: policies.iter().map(ToString::to_string).collect(),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    study(
        &Registry::standard(),
        "set",
        set.clone(),
        &options,
        &mut watch,
    )
}

fn refusal(set: &TaskSet) -> String {
    studied(set, &["sched-deadline"]).unwrap_err().to_string()
}

/// The line that the refusal is about, and what stands there.
fn line<'a>(text: &'a str, policy: &str) -> (u32, &'a str) {
    let refused = studied(&read(text), &[policy]).unwrap_err();
    let line = refused.place().unwrap().line;
    let at = usize::try_from(line).unwrap() - 1;
    (line, text.lines().nth(at).unwrap())
}

#[test]
fn a_refusal_names_the_line_of_the_server_or_task() {
    assert_eq!(line(SERVERS, "sched-deadline"), (11, "[[server]]"));
    // "a" has two tasks.
    assert_eq!(line(SERVERS, "soos"), (3, "[[server]]"));
    let task = |name| format!("[[task]]\nname = \"{name}\"\nperiod = \"10ms\"\nwcet = \"6ms\"\n");
    let own = format!("schema = 1\n{}{}", task("x"), task("y"));
    assert_eq!(line(&own, "sched-deadline"), (6, "[[task]]"));
    // Nothing else has a place of its own.
    let unknown = studied(&read(SERVERS), &["none"]).unwrap_err();
    assert_eq!(unknown.place(), None);
}

#[test]
fn linux_refuses_a_sum_above_its_limit_and_says_what_fits() {
    let set = read(SERVERS);
    // 0.25 of a CPU, and what rounding to parts of a CPU leaves.
    let refused = refusal(&set);
    let wanted = "server \"video\": asks for 0.3500 of a CPU, and 0.2500 is left: up to 5.0000";
    assert!(refused.starts_with(wanted), "{refused}");
    let remedy = studied(&set, &["sched-deadline"]).unwrap_err().remedy();
    assert!(remedy.is_some_and(|remedy| remedy.contains("`limit`")));
    // A whole CPU is not enough, either; without a limit all is admitted.
    let whole = read(&format!("{SERVERS}[policies.sched-deadline]\nlimit = 1"));
    assert!(refusal(&whole).contains("0.3000 is left"));
    let none = read(&format!("{SERVERS}[policies.sched-deadline]\nlimit = 0"));
    assert!(studied(&none, &["sched-deadline"]).is_ok());
    let out = read(&format!("{SERVERS}[policies.sched-deadline]\nlimit = 1.1"));
    assert!(refusal(&out).contains("`limit` is at most 1"));
}

#[test]
fn a_server_of_soos_is_one_task_s() {
    let refused = studied(&read(SERVERS), &["soos"]).unwrap_err();
    let wanted = "server \"a\": several tasks name it, and here a server is one task's";
    assert_eq!(refused.to_string(), wanted);
    assert!(refused.remedy().is_some());
}

#[test]
fn a_task_with_a_server_of_its_own_is_named_itself() {
    let tasks = |second: &str| {
        let task = |name, wcet| {
            format!("[[task]]\nname = \"{name}\"\nperiod = \"10ms\"\nwcet = \"{wcet}\"\n")
        };
        read(&format!(
            "schema = 1\n{}{}",
            task("x", "5ms"),
            task("y", second)
        ))
    };
    assert!(studied(&tasks("4500us"), &["sched-deadline"]).is_ok());
    let refused = refusal(&tasks("4600us"));
    assert!(
        refused.starts_with("task \"y\": asks for 0.4600 of a CPU, and 0.4500 is left"),
        "{refused}"
    );
    // In a study of all policies it is left out, and others hold the set.
    let study = studied(&tasks("5ms"), &[]).unwrap();
    assert!(
        study
            .policies
            .iter()
            .all(|report| report.policy != "sched-deadline")
    );
    let cbs = study.policies.iter().find(|report| report.policy == "cbs");
    assert_eq!(
        cbs.map(|it| it.verdict.schedulable),
        Some(Schedulable::Always)
    );
}

#[test]
fn where_an_overload_is_admitted_a_note_says_so() {
    let set = read(SERVERS);
    let noted = |set: &TaskSet, policy| {
        let notes = studied(set, &[policy]).unwrap().notes;
        notes.into_iter().find_map(|note| match note {
            Note::ServersAskTooMuch {
                cpu,
                server,
                asked,
                taken,
            } => Some(format!("{cpu} {server} {asked} {taken}")),
            _ => None,
        })
    };
    assert_eq!(noted(&set, "cbs").as_deref(), Some("0 video 0.3500 0.7000"));
    assert_eq!(
        noted(&set, "polling").as_deref(),
        Some("0 video 0.3500 0.7000")
    );
    assert_eq!(noted(&set, "edf"), None);
    // All of a CPU, and no more.
    let mut less = set.clone();
    less.servers[2].budget = flyball_trace::Duration::from_millis(6);
    assert_eq!(noted(&less, "cbs"), None);
    // On CPUs of their own.
    let mut apart = set;
    apart.platform.cpus = 2;
    for task in &mut apart.tasks {
        task.cpu = Some(u8::from(task.server == Some(2)));
    }
    assert_eq!(noted(&apart, "cbs"), None);
    apart.servers[0].budget = flyball_trace::Duration::from_millis(10);
    assert_eq!(noted(&apart, "cbs").as_deref(), Some("0 b 0.1000 1.0000"));
}
