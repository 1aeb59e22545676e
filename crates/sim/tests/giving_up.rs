//! A job is given up on a CPU that hears of it later.

use flyball_catalogue::{Clustered, Fp};
use flyball_model::{Cost, OnMiss, Task, TaskSet};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind};

/// Two CPUs. The job on the second one is late at 3 µs and given up by the first, which keeps the
/// time; what it would have done at 3.5 µs, before the interrupt comes at 4 µs, does not happen.
#[test]
fn what_is_given_up_makes_no_more_calls() {
    let us = Duration::from_micros;
    let mut set = TaskSet::default();
    set.platform.cpus = 2;
    set.platform.overheads.ipi = Cost::fixed(us(1));
    let mut long = Task::periodic("long", us(10), us(9));
    let mut late = Task::periodic("late", us(10), Duration::from_nanos(3_500));
    late.deadline = Some(us(3));
    late.on_miss = OnMiss::Abort;
    (long.priority, late.priority) = (Some(2), Some(1));
    set.tasks = vec![long, late];

    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(us(100));
    let outcome = simulate(&set, &Clustered::global(Fp), &options, &mut events).unwrap();
    assert_eq!((outcome.jobs, outcome.misses), (10, 10));
    let ends = |task| {
        let kinds = events.iter().map(|event| event.kind);
        kinds
            .filter(|kind| matches!(kind, Kind::Complete { task: t, .. } if t.0 == task))
            .count()
    };
    assert_eq!([ends(0), ends(1)], [10, 0]);
    // It had the second CPU for 3 µs, and later, when that heard of its release after 1 µs, for 2
    // µs.
    assert_eq!(outcome.idle, [us(10), us(79)]);
}
