//! A kernel that looks at the clock at ticks, on several CPUs.

use flyball_catalogue::{Clustered, Rr};
use flyball_model::{Cost, Task, TaskSet};
use flyball_sim::run::{Ended, simulate_with_progress};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind, NoTrace};
use std::ops::ControlFlow;

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// Two CPUs, a tick a millisecond, and three tasks that take time slices of 500 µs.
fn set() -> TaskSet {
    let mut set = TaskSet::default();
    set.platform.cpus = 2;
    set.platform.tick = Some(us(1_000));
    set.tasks = vec![
        Task::periodic("short", us(10_000), us(990)),
        Task::periodic("b", us(10_000), us(5_000)),
        Task::periodic("c", us(10_000), us(5_000)),
    ];
    set
}

/// The first CPU, which keeps the time, is in the kernel when the tick comes, and the other one is
/// not.
#[test]
fn time_goes_on_while_the_first_cpu_is_busy() {
    let mut set = set();
    set.platform.overheads.call = Cost::fixed(us(20));
    let options = Options::until(us(20_000));
    let scheduler = Clustered::global(Rr { quantum: us(500) });
    let mut last = None;
    let outcome = simulate_with_progress(&set, &scheduler, &options, &mut NoTrace, |now| {
        // Told now and then; what has taken so many steps without getting on never will.
        if last.replace(now) == Some(now) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.why, Ended::Until);
    assert_eq!((outcome.jobs, outcome.misses), (6, 0));
}

/// Turns end at ticks, on all CPUs at once.
#[test]
fn time_slices_end_at_ticks_everywhere() {
    let mut set = set();
    set.tasks[0] = Task::periodic("a", us(10_000), us(5_000));
    let scheduler = Clustered::global(Rr { quantum: us(500) });
    let mut events: Vec<Event> = Vec::new();
    simulate(&set, &scheduler, &Options::until(us(10_000)), &mut events).unwrap();
    let ends: Vec<(u64, u8)> = events
        .iter()
        .filter(|event| matches!(event.kind, Kind::BurstEnd { .. }))
        .map(|event| (event.time.as_nanos() / 1_000, event.cpu.0))
        .collect();
    let expected: Vec<_> = (1..=ends.len() as u64 / 2)
        .flat_map(|ms| [(ms * 1_000, 0), (ms * 1_000, 1)])
        .collect();
    assert!(ends.len() >= 10);
    assert_eq!(ends, expected);
}
