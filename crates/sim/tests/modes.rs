//! Task sets that change while they run.

use flyball_model::{Length, OnMiss, Step, Task, TaskSet};
use flyball_sim::schedulers::{Edf, Ipi, Rm, Rr};
use flyball_sim::{Modes, Options, Scheduler, simulate, simulate_modes};
use flyball_trace::{Duration, Event, Kind, TaskId};
use proptest::prelude::*;
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn set(tasks: Vec<Task>) -> TaskSet {
    TaskSet {
        tasks,
        ..TaskSet::default()
    }
}

fn events<S: Scheduler>(modes: &Modes, scheduler: &S, until: u64) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(ms(until));
    let go_on = |_| ControlFlow::Continue(());
    simulate_modes(modes, scheduler, &options, &mut events, go_on).unwrap();
    events
}

/// What happened, but for who ran.
fn story(events: &[Event]) -> Vec<String> {
    let tells = |event: &&Event| {
        use Kind::{Complete, Exit, Miss, Release, Skip, Start};
        matches!(
            event.kind,
            Start { .. }
                | Release { .. }
                | Complete { .. }
                | Miss { .. }
                | Skip { .. }
                | Exit { .. }
        )
    };
    let told = events.iter().filter(tells);
    told.map(|event| {
        let text = event.to_string();
        let words = text
            .split_whitespace()
            .filter(|word| !word.starts_with("cpu"));
        words.collect::<Vec<_>>().join(" ")
    })
    .collect()
}

#[test]
fn one_stays_one_ends_and_one_begins() {
    let first = vec![
        Task::periodic("a", ms(10), ms(2)),
        Task::periodic("b", ms(15), ms(3)),
    ];
    let then = vec![
        Task::periodic("a", ms(5), ms(1)),
        Task::periodic("c", ms(20), ms(4)),
    ];
    let modes = Modes::from(set(first)).then(ms(17), then);
    let story = story(&events(&modes, &Rm, 32));
    let expected = [
        "0 start task 0",
        "0 release task 0 job 1 deadline 10ms",
        "0 start task 1",
        "0 release task 1 job 1 deadline 15ms",
        "2ms complete task 0 job 1",
        "5ms complete task 1 job 1",
        "10ms release task 0 job 2 deadline 20ms",
        "12ms complete task 0 job 2",
        "15ms release task 1 job 2 deadline 30ms",
        // b completes what it is doing; c begins behind a, which has the shorter period.
        "17ms start task 2",
        "17ms release task 2 job 1 deadline 37ms",
        "18ms complete task 1 job 2",
        // a was to come at 20, and from there on comes every 5.
        "20ms release task 0 job 3 deadline 25ms",
        "21ms complete task 0 job 3",
        "23ms complete task 2 job 1",
        "25ms release task 0 job 4 deadline 30ms",
        "26ms complete task 0 job 4",
        // b's last job has nothing to do.
        "30ms release task 0 job 5 deadline 35ms",
        "30ms release task 1 job 3 deadline 45ms",
        "31ms complete task 0 job 5",
        "31ms complete task 1 job 3",
        "31ms exit task 1",
    ];
    assert_eq!(story, expected);
}

/// What is left undone at a change is still to be done after it.
#[test]
fn backlogs_are_carried_over() {
    let task = |wcet| Task {
        on_miss: OnMiss::Latest,
        ..Task::periodic("a", ms(10), ms(wcet))
    };
    let modes = Modes::from(set(vec![task(2)]))
        .then(ms(10), vec![task(25)])
        .then(ms(20), vec![task(2)]);
    let story = story(&events(&modes, &Edf, 62));
    let expected = [
        "0 start task 0",
        "0 release task 0 job 1 deadline 10ms",
        "2ms complete task 0 job 1",
        "10ms release task 0 job 2 deadline 20ms",
        "20ms miss task 0 job 2",
        "20ms release task 0 job 3 deadline 30ms",
        "30ms miss task 0 job 3",
        "30ms skip task 0 job 3",
        "30ms release task 0 job 4 deadline 40ms",
        // The long job was begun before the change, and it takes its time.
        "35ms complete task 0 job 2",
        "37ms complete task 0 job 4",
        "40ms release task 0 job 5 deadline 50ms",
        "42ms complete task 0 job 5",
        "50ms release task 0 job 6 deadline 60ms",
        "52ms complete task 0 job 6",
        "60ms release task 0 job 7 deadline 70ms",
        "62ms complete task 0 job 7",
    ];
    assert_eq!(story, expected);
}

/// A thread that begins at a change counts for the policy from then on, and not before.
#[test]
fn who_is_not_there_yet_has_no_part_in_a_round() {
    let busy = |name: &str| {
        let mut task = Task::periodic(name, ms(1_000), ms(900));
        task.behaviour = vec![Step::Compute(Length::Fixed(ms(900)))];
        task
    };
    let modes = Modes::from(set(vec![busy("a"), busy("b")]))
        .then(ms(100), vec![busy("a"), busy("b"), busy("c")]);
    let events = events(&modes, &Ipi::default(), 200);
    let rounds: Vec<u64> = events
        .iter()
        .filter(|event| {
            matches!(
                event.kind,
                Kind::Dispatch {
                    task: TaskId(0),
                    ..
                }
            )
        })
        .map(|event| event.time.as_nanos() / 1_000_000)
        .collect();
    // Two of 4 ms a round, and then three.
    assert_eq!(rounds[..5], [0, 8, 16, 24, 32]);
    assert!(
        rounds.ends_with(&[104, 116, 128, 140, 152, 164, 176, 188]),
        "{rounds:?}"
    );
}

proptest! {
    /// A change that changes nothing is none.
    #[test]
    fn the_same_set_again_is_no_change(
        tasks in prop::collection::vec((2u64..20, 1u64..8), 1..5),
        changes in prop::collection::vec(1u64..100, 0..4),
    ) {
        let tasks: Vec<Task> = tasks.iter().enumerate().map(|(n, &(period, wcet))| Task {
            on_miss: OnMiss::Latest,
            ..Task::periodic(format!("t{n}"), ms(period), ms(wcet))
        }).collect();
        let mut at: Vec<u64> = changes;
        at.sort_unstable();
        let plain = set(tasks.clone());
        let modes = at.into_iter().fold(Modes::from(plain.clone()), |modes, at| {
            modes.then(ms(at), tasks.clone())
        });
        let mut expected: Vec<Event> = Vec::new();
        let rr = Rr { quantum: ms(1) };
        simulate(&plain, &rr, &Options::until(ms(200)), &mut expected).unwrap();
        prop_assert_eq!(events(&modes, &rr, 200), expected);
    }
}
