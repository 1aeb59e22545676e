//! Paths of messages through queues, and how long they take.

use flyball_model::{Format, TaskSet, read_str};
use flyball_study::results::PolicyReport;
use flyball_study::{Progress, Registry, StudyOptions, message_paths, study};
use flyball_trace::Duration;
use flyball_trace::metrics::Unit;
use std::ops::ControlFlow;

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "paths.toml").expect("the file is in order")
}

fn simulated(set: TaskSet, policy: &str, until: Duration) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(until),
        ..StudyOptions::default()
    };
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let found = study(
        &Registry::standard(),
        "paths.toml",
        set,
        &options,
        &mut watch,
    );
    let found = found.expect("it can be studied");
    found
        .policies
        .into_iter()
        .next()
        .expect("one was asked for")
}

/// The queues of a path, and what each stage between them receives and sends.
type Path = (Vec<u16>, Vec<(u64, u64)>);

/// The queues of each path, and what its stages receive and send.
fn paths(set: &TaskSet) -> Vec<Path> {
    let unit = |unit: &Unit| (unit.receives, unit.sends);
    let paths = message_paths(set).into_iter();
    paths
        .map(|path| (path.queues, path.stages.iter().map(unit).collect()))
        .collect()
}

/// Three stages between a source and a sink, the last of them the most urgent.
const CHAIN: &str = r#"
    schema = 1
    [[source]]
    queue = "a"
    every = "10ms"
    [[sink]]
    queue = "d"
    every = "10ms"
    phase = "9ms"
    [[queue]]
    name = "a"
    capacity = 4
    [[queue]]
    name = "b"
    capacity = 4
    [[queue]]
    name = "c"
    capacity = 4
    [[queue]]
    name = "d"
    capacity = 4
    [[task]]
    name = "first"
    priority = 1
    behaviour = [{ repeat = "forever", do = [{ receive = "a" }, { compute = "3ms" }, { send = "b" }] }]
    [[task]]
    name = "second"
    priority = 2
    behaviour = [{ repeat = "forever", do = [{ receive = "b" }, { compute = "2ms" }, { send = "c" }] }]
    [[task]]
    name = "third"
    priority = 3
    behaviour = [{ repeat = "forever", do = [{ receive = "c" }, { compute = "1ms" }, { send = "d" }] }]
"#;

/// By hand. Each message enters at 0 of its 10 ms, is sent on at 3, 5 and 6 ms, and the sink takes it at 9 ms.
#[test]
fn a_chain_of_three_stages_by_hand() {
    let set = read(CHAIN);
    assert_eq!(paths(&set), [(vec![0, 1, 2, 3], vec![(1, 1); 3])]);
    let ms = Duration::from_millis;
    let report = simulated(set, "fp", ms(35));
    let [path] = &report.summary.paths[..] else {
        panic!("there is one path");
    };
    let latency = &path.latency;
    assert_eq!(
        (latency.count(), latency.min(), latency.max()),
        (3, Some(ms(9)), Some(ms(9)))
    );
    assert_eq!(latency.deviation(), Some(Duration::ZERO));
    let delays: Vec<_> = report
        .summary
        .queues
        .iter()
        .map(|it| it.delay.max())
        .collect();
    assert_eq!(
        delays,
        [Duration::ZERO, Duration::ZERO, Duration::ZERO, ms(3)].map(Some)
    );
    // A faster source: messages enter at 0, 4, 8 and 12 ms, are sent on by the third stage at 6, 12, 18 and 24 ms, and the
    // sink takes them at 9, 19 and 29 ms.
    let set = read(&CHAIN.replacen("10ms", "4ms", 1));
    let report = simulated(set, "fp", ms(30));
    let latency = &report.summary.paths[0].latency;
    let mean = Duration::from_nanos((9 + 15 + 21) * 1_000_000 / 3);
    assert_eq!(
        (latency.count(), latency.min(), latency.max()),
        (3, Some(ms(9)), Some(ms(21)))
    );
    assert_eq!(latency.mean(), Some(mean));
}

#[test]
fn examples_have_paths() {
    let set = read(include_str!("../../../examples/pipeline.toml"));
    assert_eq!(paths(&set), [(vec![0, 1, 2], vec![(13, 1), (1, 1)])]);
    // Four rounds of one message each are as one.
    let set = read(include_str!("../../../examples/producer-consumer.toml"));
    assert_eq!(paths(&set), [(vec![0, 1], vec![(1, 1)])]);
}

/// Two queues, and a task between them with these steps; other tasks besides.
fn between(head: &str, steps: &str, others: &str) -> Vec<Path> {
    let text = format!(
        r#"
        schema = 1
        [[source]]
        queue = "in"
        every = "10ms"
        [[queue]]
        name = "in"
        capacity = 4
        [[queue]]
        name = "out"
        capacity = 4
        [[task]]
        name = "stage"
        {head}
        behaviour = [{steps}]
        [[task]]
        name = "last"
        behaviour = [{{ repeat = "forever", do = [{{ receive = "out" }}, {{ compute = "1ms" }}] }}]
        {others}
        "#
    );
    paths(&read(&text))
}

#[test]
fn where_numbers_are_not_kept_nothing_is_known() {
    let forever = |steps: &str| {
        format!("{{ repeat = \"forever\", do = [{{ compute = \"1ms\" }}, {steps}] }}")
    };
    let pass = r#"{ receive = "in" }, { send = "out" }"#;
    let known = |steps: &str| between("", &forever(steps), "");
    let path = |receives, sends| vec![(vec![0, 1], vec![(receives, sends)])];
    assert_eq!(known(pass), path(1, 1));
    let twice = r#"{ receive = "in" }, { repeat = 2, do = [{ send = "out" }] }"#;
    assert_eq!(known(&format!("{twice}, {twice}")), path(1, 2));
    let recurring = "period = \"20ms\"";
    assert_eq!(
        between(recurring, &format!("{{ compute = \"1ms\" }}, {pass}"), ""),
        path(1, 1)
    );
    // Not each unit is as the others; it sends first; it does not wait; it uses another queue.
    assert_eq!(known(&format!("{pass}, {twice}")), []);
    assert_eq!(known(r#"{ send = "out" }, { receive = "in" }"#), []);
    assert_eq!(known(r#"{ try_receive = "in" }, { send = "out" }"#), []);
    assert_eq!(known(r#"{ receive = "in" }, { try_send = "out" }"#), []);
    assert_eq!(known(&format!("{pass}, {{ receive = \"out\" }}")), []);
    // It sends something before, or may be given up with a message.
    let before = format!("{{ send = \"out\" }}, {}", forever(pass));
    assert_eq!(between("", &before, ""), []);
    let given_up = "period = \"20ms\"\non_miss = \"abort\"";
    assert_eq!(
        between(given_up, &format!("{{ compute = \"1ms\" }}, {pass}"), ""),
        []
    );
    // Another task takes messages, too, or puts some in. Several tasks may take them at the end, or put them in at the beginning.
    let other = |step: &str| {
        format!(
            "[[task]]\nname = \"other\"\nbehaviour = [{}]",
            forever(step)
        )
    };
    assert_eq!(
        between("", &forever(pass), &other(r#"{ receive = "in" }"#)),
        []
    );
    assert_eq!(
        between("", &forever(pass), &other(r#"{ send = "out" }"#)),
        []
    );
    assert_eq!(
        between("", &forever(pass), &other(r#"{ receive = "out" }"#)),
        path(1, 1)
    );
    assert_eq!(
        between("", &forever(pass), &other(r#"{ send = "in" }"#)),
        path(1, 1)
    );
}
