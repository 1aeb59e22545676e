//! Task sets that change while they run.

use flyball_catalogue::{Edf, Ipi, Rm, Rr};
use flyball_model::{Arrival, Cost, Length, OnMiss, Overheads, Step, Task, TaskSet};
use flyball_sim::{Modes, Options, Scheduler, SimError, simulate, simulate_modes};
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

/// What happened, but for which task ran.
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

/// Nothing can happen in a mode that lasts no time, or in one that ends before it begins.
#[test]
fn a_mode_that_lasts_no_time_is_none() {
    let task = |name: &str, wcet| Task::periodic(name, ms(10), ms(wcet));
    let (first, then) = (vec![task("a", 1)], vec![task("a", 3), task("b", 2)]);
    let other = vec![task("c", 1), task("d", 1), task("a", 9)];
    let plain = Modes::from(set(first.clone())).then(ms(15), then.clone());
    let from_the_start = Modes::from(set(other.clone())).then(ms(0), first.clone());
    let instants = [[0, 15, 15], [15, 15, 15], [15, 3, 0]];
    for [at, again, once_more] in instants {
        let modes = from_the_start
            .clone()
            .then(
                ms(at),
                if at == 0 {
                    first.clone()
                } else {
                    other.clone()
                },
            )
            .then(ms(again), other.clone())
            .then(ms(once_more), then.clone());
        let [expected, found] = [&plain, &modes].map(|modes| story(&events(modes, &Edf, 50)));
        assert_eq!(found, expected, "{at} {again} {once_more}");
    }
}

/// At one instant, jobs are released in the order of the tasks.
#[test]
fn who_begins_comes_after_whom_it_meets() {
    let task = |name: &str| Task::periodic(name, ms(10), ms(2));
    let modes = Modes::from(set(vec![task("a")])).then(ms(10), vec![task("a"), task("b")]);
    let story = story(&events(&modes, &Edf, 15));
    let expected = [
        "10ms release task 0 job 2 deadline 20ms",
        "10ms start task 1",
        "10ms release task 1 job 1 deadline 20ms",
        "12ms complete task 0 job 2",
        "14ms complete task 1 job 1",
    ];
    assert_eq!(story[3..], expected);
}

/// A task whose only job is done, or was given up, has no next one.
#[test]
fn who_is_gone_does_not_change() {
    let once = |wcet, share| Task {
        arrival: Arrival::Once,
        share: Some(flyball_model::Share::from_millionths(share)),
        ..Task::periodic("a", ms(10), ms(wcet))
    };
    for (wcet, on_miss, end) in [
        (2, OnMiss::Continue, "2ms complete task 0 job 1"),
        (20, OnMiss::Abort, "10ms miss task 0 job 1"),
    ] {
        let with = |share| Task {
            on_miss,
            ..once(wcet, share)
        };
        let modes = Modes::from(set(vec![with(200_000)]))
            .then(ms(30), vec![with(300_000)])
            .then(ms(40), Vec::new());
        let story = story(&events(&modes, &Ipi::default(), 50));
        assert_eq!(story[2], end);
        assert!(story[3].ends_with("exit task 0"), "{story:?}");
        assert_eq!(story.len(), 4, "{story:?}");
    }
}

/// It ends with the next job that comes, and those after it are left out.
#[test]
fn sporadic_tasks_end() {
    let sporadic = Task {
        arrival: Arrival::Sporadic {
            separation: ms(10),
            gap: Length::Fixed(ms(10)),
        },
        ..Task::periodic("a", ms(10), ms(2))
    };
    let modes = Modes::from(set(vec![sporadic])).then(ms(15), Vec::new());
    let story = story(&events(&modes, &Edf, 100));
    let expected = [
        "0 start task 0",
        "0 release task 0 job 1 deadline 10ms",
        "2ms complete task 0 job 1",
        "10ms release task 0 job 2 deadline 20ms",
        "12ms complete task 0 job 2",
        "20ms release task 0 job 3 deadline 30ms",
        "20ms complete task 0 job 3",
        "20ms exit task 0",
    ];
    assert_eq!(story, expected);
}

/// A job that is given up is over, so the next one is new.
#[test]
fn who_is_always_late_changes_and_ends_all_the_same() {
    let task = |wcet| Task {
        on_miss: OnMiss::Abort,
        ..Task::periodic("a", ms(10), ms(wcet))
    };
    let changes = Modes::from(set(vec![task(20)])).then(ms(15), vec![task(2)]);
    let expected = [
        "0 start task 0",
        "0 release task 0 job 1 deadline 10ms",
        "10ms miss task 0 job 1",
        "10ms release task 0 job 2 deadline 20ms",
        "20ms miss task 0 job 2",
        "20ms release task 0 job 3 deadline 30ms",
    ];
    let then = "22ms complete task 0 job 3";
    let told = story(&events(&changes, &Edf, 25));
    assert_eq!(
        (&told[..6], &told[6..]),
        (&expected.map(String::from)[..], &[then.to_owned()][..])
    );
    let ends = Modes::from(set(vec![task(20)])).then(ms(15), Vec::new());
    let told = story(&events(&ends, &Edf, 50));
    let then = ["20ms complete task 0 job 3", "20ms exit task 0"].map(String::from);
    assert_eq!(
        (&told[..6], &told[6..]),
        (&expected.map(String::from)[..], &then[..])
    );
}

/// What the thread cannot be told is refused, and not ignored.
#[test]
fn some_things_of_a_task_do_not_change() {
    let task = Task::periodic("a", ms(10), ms(2));
    let sporadic = |gap| Task {
        arrival: Arrival::Sporadic {
            separation: ms(10),
            gap: Length::Fixed(ms(gap)),
        },
        ..task.clone()
    };
    let once = Task {
        arrival: Arrival::Once,
        ..task.clone()
    };
    let skips = Task {
        on_miss: OnMiss::Skip,
        ..task.clone()
    };
    let elsewhere = Task {
        cpu: Some(0),
        ..task.clone()
    };
    for (before, after) in [
        (&task, &once),
        (&once, &task),
        (&task, &skips),
        (&task, &elsewhere),
        (&sporadic(10), &sporadic(11)),
    ] {
        let modes = Modes::from(set(vec![before.clone()])).then(ms(5), vec![after.clone()]);
        assert_eq!(modes.impossible(), Some(after));
        let go_on = |_| ControlFlow::Continue(());
        let mut events: Vec<Event> = Vec::new();
        let refused = simulate_modes(&modes, &Edf, &Options::until(ms(9)), &mut events, go_on);
        let task = "a".to_owned();
        assert_eq!(refused.err(), Some(SimError::Change { task }));
    }
}

/// The kernel comes to it later, but the phase counts from the change.
#[test]
fn phases_count_from_the_change() {
    let first = Task::periodic("a", ms(10), ms(2));
    let then = Task {
        phase: ms(20),
        ..Task::periodic("b", ms(10), ms(2))
    };
    // From 10 to 13 the kernel is busy with a release.
    let overheads = Overheads {
        release: Cost::fixed(ms(3)),
        ..Overheads::default()
    };
    let modes = Modes::from(set(vec![first.clone()]))
        .then(ms(11), vec![first, then])
        .with_overheads(overheads);
    let story = story(&events(&modes, &Edf, 35));
    let starts = |line: &&String| line.contains("task 1");
    let of_b: Vec<_> = story.iter().filter(starts).collect();
    assert_eq!(
        of_b,
        [
            "13ms start task 1",
            "33ms release task 1 job 1 deadline 41ms"
        ]
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
