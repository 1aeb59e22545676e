//! A pipeline of Linux threads counts what it says. Nothing is asserted of times.
#![cfg(target_os = "linux")]

use flyball_overheads::linux::deadline::Refusal;
use flyball_overheads::linux::pipeline::{Pipeline, Scheduling, Work, run};
use flyball_trace::Duration;

#[test]
fn messages_pass_or_it_is_said_why_not() {
    let pipeline = Pipeline {
        capacity: 2,
        work: Work::of(Duration::from_micros(20)),
        time: Duration::from_millis(20),
    };
    let [budget, period] = [400, 1_000].map(Duration::from_micros);
    for scheduling in [
        Scheduling::OtherOnOneCpu,
        Scheduling::Other,
        Scheduling::Deadline { budget, period },
    ] {
        match run(&pipeline, scheduling) {
            Ok(counts) => assert!(counts.messages > 0 && counts.stalls <= counts.messages),
            Err(why) => {
                assert_ne!(why, Refusal::Invalid, "{scheduling:?}");
                println!("not tested: {why}");
            }
        }
    }
}

/// A budget that is longer than its period.
#[test]
fn what_makes_no_sense_is_refused() {
    let pipeline = Pipeline {
        capacity: 1,
        work: Work::of(Duration::from_micros(1)),
        time: Duration::from_millis(1),
    };
    let [budget, period] = [2_000, 1_000].map(Duration::from_micros);
    let answer = run(&pipeline, Scheduling::Deadline { budget, period });
    let refusals = [Err(Refusal::Invalid), Err(Refusal::NotPermitted)];
    assert!(refusals.contains(&answer), "{answer:?}");
}
