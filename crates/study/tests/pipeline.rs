//! What pipelines of task sets need.

use flyball_analysis::pipeline::Flow;
use flyball_model::{Format, TaskSet, read_str};
use flyball_study::note::Note;
use flyball_study::{PipelineNeeds, Progress, Registry, StudyOptions, pipeline_needs, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

fn read(text: &str) -> TaskSet {
    read_str(text, Format::Toml, "pipeline.toml").expect("the file is in order")
}

fn found(text: &str) -> PipelineNeeds {
    pipeline_needs(&read(text)).expect("there is a pipeline")
}

#[test]
fn the_example_needs_what_its_file_says() {
    let text = include_str!("../../../examples/pipeline.toml");
    let found = found(text);
    assert_eq!(found.stages, [0, 1]);
    assert!(found.others.is_empty());
    let rates = found.needs.queues.iter().filter_map(Flow::rate);
    let rates: Vec<String> = rates.map(|rate| format!("{rate:.3}")).collect();
    assert_eq!(rates, ["390.000", "30.000", "30.000"]);
    assert!(found.needs.queues.iter().all(|it| it.gain().is_none()));
    let shares = found.needs.stages.iter().flatten();
    let shares: Vec<String> = shares
        .map(|it| format!("{:.4} {:.4}", it.share.mean, it.share.greatest))
        .collect();
    assert_eq!(shares, ["0.0585 0.0585", "0.5400 0.7200"]);
}

#[test]
fn lengths_have_means_and_other_tasks_are_named() {
    let found = found(
        r#"
        schema = 1
        [[source]]
        queue = "q"
        every = { cycle = ["10ms", "20ms"], every = "1s" }
        count = 2
        [[queue]]
        name = "q"
        capacity = 10
        [[task]]
        name = "stage"
        behaviour = [
            { compute = "1s" },
            { repeat = "forever", do = [
                { try_receive = "q" },
                { compute = { one_of = ["1ms", "2ms"] } },
            ] },
        ]
        [[task]]
        name = "periodic"
        period = "10ms"
        behaviour = [{ compute = "1ms" }, { try_send = "q" }]
        "#,
    );
    assert_eq!((found.stages, found.others), (vec![0], vec![1]));
    let need = found.needs.stages[0].expect("a source drives it");
    assert!((need.rounds - 150.0).abs() < 1e-6);
    assert!((need.share.mean - 0.225).abs() < 1e-6);
    assert!((need.share.greatest - 0.3).abs() < 1e-6);
}

#[test]
fn a_set_without_queues_has_no_pipeline() {
    let text = "schema = 1\n[[task]]\nname = \"a\"\nperiod = \"4ms\"\nwcet = \"1ms\"\n";
    assert!(pipeline_needs(&read(text)).is_none());
}

/// A policy that looks at levels is told where nothing gives a rate, and where levels show nothing.
#[test]
fn notes_say_where_levels_show_little() {
    let noted = |devices: &str, capacity: u16, policy: &str| {
        let text = format!(
            r#"
            schema = 1
            {devices}
            [[queue]]
            name = "q"
            capacity = {capacity}
            [[task]]
            name = "producer"
            priority = 1
            behaviour = [{{ repeat = "forever", do = [{{ compute = "1ms" }}, {{ send = "q" }}] }}]
            [[task]]
            name = "consumer"
            priority = 2
            behaviour = [{{ repeat = "forever", do = [{{ receive = "q" }}, {{ compute = "1ms" }}] }}]
            "#
        );
        let options = StudyOptions {
            policies: vec![policy.to_owned()],
            until: Some(Duration::from_millis(10)),
            ..StudyOptions::default()
        };
        let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
        let (registry, set) = (Registry::standard(), read(&text));
        let found = study(&registry, "pipeline.toml", set, &options, &mut watch).unwrap();
        let notes = found.notes.iter().map(|note| match note {
            Note::NothingDrives { queue } => format!("nothing drives {queue}"),
            Note::OneMessage { queue } => format!("one message in {queue}"),
            _ => String::new(),
        });
        notes.filter(|note| !note.is_empty()).collect::<Vec<_>>()
    };
    let source = "[[source]]\nqueue = \"q\"\nevery = \"10ms\"";
    assert_eq!(noted("", 8, "pp"), ["nothing drives q"]);
    assert_eq!(noted("", 1, "pp"), ["nothing drives q", "one message in q"]);
    assert_eq!(noted(source, 1, "pp"), ["one message in q"]);
    assert_eq!(noted(source, 8, "pp"), [""; 0]);
    assert_eq!(noted("", 1, "fp"), [""; 0]);
}

#[test]
fn a_gauge_that_nothing_raises_is_noted() {
    let noted = |raises: &str| {
        let text = format!(
            r#"schema = 1
            {raises}
            [[gauge]]
            name = "requests"
            capacity = 9
            kind = "backlog"
            [[task]]
            name = "server"
            behaviour = [{{ repeat = "forever", do = [{{ compute = "1ms" }}, {{ lower = "requests" }}] }}]
            "#
        );
        let options = StudyOptions {
            policies: vec!["pp".to_owned()],
            until: Some(Duration::from_millis(100)),
            ..StudyOptions::default()
        };
        let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
        let (registry, set) = (Registry::standard(), read(&text));
        let found = study(&registry, "gauge.toml", set, &options, &mut watch).unwrap();
        let is_it = |note: &Note| {
            let (gauge, task) = ("requests".to_owned(), "server".to_owned());
            *note == Note::NoReadings { gauge, task }
        };
        found.notes.iter().any(is_it)
    };
    assert!(noted(""));
    assert!(!noted("[[source]]\ngauge = \"requests\"\nevery = \"5ms\""));
    assert!(!noted(
        "[[task]]\nname = \"wire\"\nperiod = \"5ms\"\n\
         behaviour = [{ compute = \"1us\" }, { raise = \"requests\" }]"
    ));
}
