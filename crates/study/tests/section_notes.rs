//! What notes say of critical sections of other tasks, for sets that a reader can follow.

use flyball_model::{Format, Protocol, Settings, Step, TaskSet, Value, read_str};
use flyball_study::note::{AboutPolicy, Harm, Note, Shared};
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What a study says of mutexes under a policy, and how many more there are.
fn noted(set: &TaskSet, policy: &str) -> (Vec<Shared>, usize) {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(ms(1)),
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let set = set.clone();
    let study = study(&Registry::standard(), "set", set, &options, &mut watch);
    let (mut all, mut more) = (Vec::new(), 0);
    for note in study.unwrap().notes {
        match note {
            Note::Policies(_, AboutPolicy::Shares(shared)) => all.push(shared),
            Note::Policies(_, AboutPolicy::SharesMore(mutexes)) => more = mutexes,
            _ => {}
        }
    }
    (all, more)
}

/// With hard servers under `cbs`.
fn hard(mut set: TaskSet) -> TaskSet {
    let settings: &mut Settings = set.policies.entry("cbs".to_owned()).or_default();
    let hard = Value::Text("hard".to_owned()).into();
    settings.values.insert("mode".to_owned(), hard);
    set
}

/// Two tasks that share a mutex; the first one keeps it for 4 ms, though it declares 1.
const BUS: &str = r#"
schema = 1
[platform]
cpus = 1
[[mutex]]
name = "bus"
protocol = "inherit"
[[task]]
name = "slow"
period = "20ms"
behaviour = [{ lock = "bus" }, { compute = "1ms", actual = "4ms" }, { unlock = "bus" }]
[[task]]
name = "fast"
period = "10ms"
behaviour = [{ repeat = 2, do = [{ lock = "bus" }, { compute = "500us" }, { unlock = "bus" }] }]
"#;

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "set.toml").unwrap()
}

/// What is said of each task that waits: its mutex, the others, and the harm.
fn said(set: &TaskSet, policy: &str) -> Vec<(String, String, Harm)> {
    let (shared, _) = noted(set, policy);
    let of = |it: Shared| {
        let others = it.owners.join(" ");
        (format!("{} {}", it.task, it.mutex), others, it.harm)
    };
    shared.into_iter().map(of).collect()
}

fn uses(section: impl Into<Option<Duration>>, is_once: bool, pauses: bool) -> Harm {
    Harm::Budget {
        section: section.into(),
        is_once,
        pauses,
    }
}

fn waits_for(longest: impl Into<Option<Duration>>) -> Harm {
    let longest = longest.into();
    Harm::Wait { longest }
}

fn harms(set: &TaskSet, policy: &str) -> Vec<Harm> {
    let said = said(set, policy).into_iter();
    said.map(|(_, _, harm)| harm).collect()
}

#[test]
fn the_other_task_uses_the_budget_for_its_longest_section() {
    let set = read(BUS);
    let wanted = [
        (
            "slow bus".to_owned(),
            "fast".to_owned(),
            uses(Duration::from_micros(500), true, false),
        ),
        (
            "fast bus".to_owned(),
            "slow".to_owned(),
            uses(ms(4), true, false),
        ),
    ];
    let inherit = [
        "cbs",
        "sched-deadline",
        "grub",
        "iris",
        "bids",
        "tbs",
        "polling",
        "deferrable",
        "sporadic",
    ];
    for policy in inherit {
        assert_eq!(said(&set, policy), wanted, "{policy}");
    }
    assert_eq!(noted(&set, "cbs").0[1].locks, Some(2));
    for policy in ["edf", "fp", "rr"] {
        let without = with_priorities(set.clone());
        assert_eq!(said(&without, policy), [], "{policy}");
    }
    // These lend nothing.
    for policy in ["soos", "g-cbs", "g-sched-deadline"] {
        let wanted = [waits_for(None), waits_for(None)];
        assert_eq!(harms(&set, policy), wanted, "{policy}");
    }
}

fn with_priorities(mut set: TaskSet) -> TaskSet {
    for (task, priority) in set.tasks.iter_mut().zip(1..) {
        task.priority = Some(priority);
    }
    set
}

/// "slow" has 1 ms in 20 and needs four budgets. The first one comes after a blackout, and the last one 60 ms later.
#[test]
fn without_inheritance_it_is_as_long_as_the_owners_server_takes() {
    let set = read(&BUS.replace("inherit", "none"));
    let fast = |set: &TaskSet, policy| harms(set, policy)[1];
    // The blackout is twice 19 ms.
    assert_eq!(fast(&hard(set.clone()), "cbs"), waits_for(ms(38 + 60 + 1)));
    // Budgets may have been used early.
    for policy in ["cbs", "grub", "tbs"] {
        assert_eq!(fast(&set, policy), waits_for(None), "{policy}");
    }
    assert_eq!(fast(&set, "sched-deadline"), waits_for(ms(38 + 60 + 1)));
    // The budget of "slow" has a response time of 2 ms, or 3 where that of "fast" comes twice in a row.
    assert_eq!(fast(&set, "polling"), waits_for(ms(20 + 1 + 60 + 1)));
    let deferrable = fast(&set, "deferrable");
    assert_eq!(deferrable, waits_for(ms(19 + 2 + 60 + 1)));
    // A kernel whose work takes time is in the way of servers, too.
    let mut set = hard(set);
    set.platform.tick = Some(ms(1));
    assert_eq!(fast(&set, "cbs"), waits_for(None));
    set.platform.tick = None;
    // Nor is anything known where servers ask for too much, or a section pauses.
    set.tasks[1].wcet = ms(10);
    assert_eq!(fast(&set, "cbs"), waits_for(None));
    let pauses = BUS.replace("inherit", "none").replace(
        "{ lock = \"bus\" }, { compute = \"1ms\"",
        "{ lock = \"bus\" }, \"yield\", { compute = \"1ms\"",
    );
    assert_eq!(fast(&hard(read(&pauses)), "cbs"), waits_for(None));
}

/// "fast" waits for "slow", and that for "third", or for one of both.
#[test]
fn of_more_than_one_other_task_less_is_known() {
    let third = |steps: &str| {
        let text = BUS.replace(
            "[[task]]\nname = \"slow\"",
            "[[mutex]]\nname = \"disk\"\n[[task]]\nname = \"slow\"",
        );
        format!("{text}[[task]]\nname = \"third\"\nperiod = \"50ms\"\nbehaviour = [{steps}]\n")
    };
    let same =
        "{ lock = \"bus\" }, { compute = \"7ms\" }, { suspend = \"1ms\" }, { unlock = \"bus\" }";
    let set = read(&third(same));
    let (task, others, harm) = said(&set, "cbs").remove(1);
    assert_eq!((&*task, &*others), ("fast bus", "slow third"));
    assert_eq!(harm, uses(ms(7), false, true));
    let disk = "{ lock = \"disk\" }, { compute = \"7ms\" }, { unlock = \"disk\" }";
    let nested = third(disk).replace(
        "{ compute = \"1ms\", actual = \"4ms\" }",
        "{ lock = \"disk\" }, { compute = \"1ms\" }, { unlock = \"disk\" }",
    );
    let (task, others, harm) = said(&read(&nested), "cbs").remove(2);
    assert_eq!((&*task, &*others), ("fast bus", "slow third"));
    assert_eq!(harm, uses(None, true, false));
}

/// A section that has no end, or a longer one than 64 bits hold, has no bound.
#[test]
fn of_sections_without_a_bound_it_is_not_known() {
    let long = BUS.replace("4ms", "5000000000s");
    let once = uses(Duration::from_secs(5_000_000_000), true, false);
    assert_eq!(harms(&read(&long), "cbs")[1], once);
    let step = "{ compute = \"1ms\", actual = \"5000000000s\" }";
    let four_times = format!("{{ repeat = 4, do = [{step}] }}");
    let mut set = read(&long.replace(step, &four_times));
    assert_eq!(harms(&set, "cbs")[1], uses(None, true, false));
    set.mutexes[0].protocol = Protocol::None;
    assert_eq!(harms(&hard(set), "cbs")[1], waits_for(None));
    // A file cannot say this.
    let mut set = read(BUS);
    for step in &mut set.tasks[0].behaviour {
        if let Step::Overrun { .. } = step {
            let body = vec![step.clone()];
            *step = Step::Repeat { times: None, body };
        }
    }
    assert_eq!(harms(&set, "cbs")[1], uses(None, true, false));
}

/// A task in the background has no server that could be hurt, but hurts those of others.
#[test]
fn servers_are_hurt_by_tasks_that_are_not_theirs() {
    let servers = "[[server]]\nname = \"s\"\nbudget = \"5ms\"\nperiod = \"10ms\"\n[[task]]";
    let text = BUS.replacen("[[task]]", servers, 1);
    let of = |slow: &str, fast: &str| {
        let text = text.replace("period = \"20ms\"", slow);
        read(&text.replace(
            "period = \"10ms\"\nbehaviour",
            &format!("{fast}\nbehaviour"),
        ))
    };
    let inside = "period = \"20ms\"\nserver = \"s\"";
    assert_eq!(said(&of(inside, inside), "cbs"), []);
    let set = of("", inside);
    let (shared, _) = noted(&set, "cbs");
    assert_eq!(shared.len(), 1);
    assert_eq!(shared[0].server.as_deref(), Some("s"));
    assert_eq!(shared[0].owners, ["slow"]);
    assert_eq!(shared[0].harm, uses(ms(4), true, false));
}

#[test]
fn long_lists_are_cut() {
    let mut set = read(BUS);
    let slow = set.tasks.remove(0);
    for number in 0..25 {
        let mut task = slow.clone();
        task.name = format!("t{number}");
        set.tasks.push(task);
    }
    let (all, more) = noted(&set, "cbs");
    assert_eq!((all.len(), more), (20, 6));
}
