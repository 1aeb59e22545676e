//! Linux refuses what our servers refuse. Where `SCHED_DEADLINE` is not permitted that is said, and
//! nothing is tested.
#![cfg(target_os = "linux")]

use flyball_overheads::linux::deadline::{Refusal, Thread, run};
use flyball_policy::servers::{Alpha, Mode, Reservation};
use flyball_trace::Duration;
use std::thread::available_parallelism;

fn thread([budget, deadline, period]: [u64; 3]) -> Thread {
    let us = Duration::from_micros;
    Thread {
        budget: us(budget),
        deadline: us(deadline),
        period: us(period),
        length: Duration::ZERO,
        reclaims: false,
    }
}

/// What Linux says of one thread.
fn answer(thread: Thread) -> Result<(), Refusal> {
    let mut answers = run(&[thread], Duration::ZERO);
    answers.pop().unwrap().map(|_| ())
}

#[test]
fn linux_refuses_what_our_servers_refuse() {
    if answer(thread([100, 20_000, 20_000])) == Err(Refusal::NotPermitted) {
        println!("not tested: SCHED_DEADLINE is not permitted");
        return;
    }
    let lengths = [
        [100, 20_000, 20_000],
        [100, 10_000, 20_000],
        [100, 100, 20_000],
        [101, 100, 20_000],
        [10_001, 10_000, 20_000],
        [100, 20_001, 20_000],
        [100, 40_000, 20_000],
        [0, 20_000, 20_000],
    ];
    for lengths in lengths {
        let thread = thread(lengths);
        let ours = Reservation {
            budget: thread.budget,
            deadline: thread.deadline,
            period: thread.period,
            mode: Mode::OfRule,
            alpha: Alpha::OF_RULE,
        };
        let is_invalid = answer(thread) == Err(Refusal::Invalid);
        assert_eq!(is_invalid, ours.check().is_err(), "{thread:?}");
    }
    // Linux alone wants at least 1,024 ns in at least 100 µs and at most 4.19 s.
    for lengths in [
        [1, 20_000, 20_000],
        [50, 99, 99],
        [100, 4_200_000, 4_200_000],
    ] {
        assert_eq!(answer(thread(lengths)), Err(Refusal::Invalid));
    }
    // A CPU for each thread but for a twenty-fifth: more than the 95 % that Linux has for them.
    let cpus = available_parallelism().map_or(1, usize::from);
    let answers = run(
        &vec![thread([19_200, 20_000, 20_000]); cpus],
        Duration::ZERO,
    );
    let refused: Vec<_> = answers.into_iter().filter_map(Result::err).collect();
    assert!(!refused.is_empty());
    assert!(refused.iter().all(|it| *it == Refusal::Busy), "{refused:?}");
}
