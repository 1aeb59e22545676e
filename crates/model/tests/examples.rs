//! The example files say what was published.

use flyball_model::{Arrival, Format, Step, TaskSet, read_file, read_str};
use flyball_trace::Duration;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn example(name: &str) -> TaskSet {
    read_file(folder().join(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// In ten-thousandths, rounded: sums of so few tasks are far from the border.
fn utilisation(set: &TaskSet) -> f64 {
    #[expect(clippy::cast_precision_loss)]
    let nanos = |length: Duration| length.as_nanos() as f64;
    let of = |task: &flyball_model::Task| Some(nanos(task.wcet) / nanos(task.arrival.period()?));
    let sum: f64 = set.tasks.iter().filter_map(of).sum();
    (sum * 1e4).round() / 1e4
}

#[track_caller]
fn check(name: &str, tasks: usize, expected: f64) -> TaskSet {
    let set = example(name);
    assert_eq!(set.tasks.len(), tasks);
    assert!(
        (utilisation(&set) - expected).abs() < 1e-9,
        "{}",
        utilisation(&set)
    );
    assert!(set.source.is_some());
    set
}

#[test]
fn generic_avionics_platform() {
    let set = check("gap.toml", 17, 0.8501);
    let release = set
        .tasks
        .iter()
        .find(|task| task.name == "Weapon Release")
        .unwrap();
    assert_eq!(release.deadline, Some(Duration::from_millis(5)));
    assert_eq!(release.arrival.period(), Some(Duration::from_millis(200)));
    let implicit = |task: &&flyball_model::Task| task.deadline == task.arrival.period();
    assert_eq!(set.tasks.iter().filter(implicit).count(), 16);
    assert_eq!(set.hyperperiod(), Some(Duration::from_millis(59 * 2_000)));
}

#[test]
fn cnc_controller() {
    check("cnc.toml", 8, 0.4887);
}

#[test]
fn inertial_navigation_system() {
    check("ins.toml", 6, 0.8840);
}

#[test]
fn hartstone_baseline() {
    let set = check("hartstone-ph.toml", 5, 0.4);
    // Every task has 64 kilo-Whetstones a second, at 1.25 ms each.
    for (task, hertz) in set.tasks.iter().zip([2, 4, 8, 16, 32]) {
        assert_eq!(
            task.arrival.period().unwrap() * hertz,
            Duration::from_secs(1)
        );
        assert_eq!(task.wcet * hertz, Duration::from_micros(64 * 1_250));
    }
}

#[test]
fn automotive() {
    let set = check("automotive.toml", 10, 0.66);
    let crank = set.tasks.last().unwrap();
    assert!(matches!(crank.arrival, Arrival::Sporadic { separation, .. }
        if separation == Duration::from_millis(5)));
    assert_eq!(crank.wcet, Duration::from_nanos(782_400));
}

#[test]
fn resources() {
    let set = example("priority-inversion.toml");
    let locks = |task: &&flyball_model::Task| task.behaviour.contains(&Step::Lock(0));
    assert_eq!(set.tasks.iter().filter(locks).count(), 2);
    assert_eq!(set.tasks[2].wcet, Duration::from_millis(28));

    let set = example("producer-consumer.toml");
    assert_eq!((set.semaphores.len(), set.queues.len()), (1, 2));
    assert_eq!(set.tasks[1].wcet, Duration::MAX);
    assert_eq!(set.tasks[1].deadline, None);
}

#[test]
fn uneven() {
    let set = example("uneven.csv");
    assert_eq!((set.name.as_str(), set.tasks.len()), ("uneven", 6));
    assert_eq!(
        set.tasks[3].arrival.period(),
        Some(Duration::from_micros(29_970))
    );
    assert_eq!(set.tasks[3].deadline, Some(Duration::from_millis(29)));
}

/// The description of the formats shows whole files too.
#[test]
fn documentation() {
    let path = folder().join("../docs/task-set-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for block in text.split("```").skip(1).step_by(2) {
        let (language, block) = block.split_once('\n').unwrap();
        let format = match language {
            "toml" if block.starts_with("schema = 1\n") => Format::Toml,
            "csv" => Format::Csv,
            _ => continue,
        };
        read_str(block, format, "x").unwrap_or_else(|error| panic!("{error}"));
        count += 1;
    }
    assert_eq!(count, 2);
}

/// Every example can be read, also those that this file does not know yet.
#[test]
fn all_can_be_read() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if Format::of(&path).is_some() {
            read_file(&path).unwrap_or_else(|error| panic!("{error}"));
            count += 1;
        }
    }
    assert!(count >= 8);
}
