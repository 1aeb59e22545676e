//! Jobs that messages and signals release, on machines and in the simulation.

use crate::differential::sets::Numbers;
use crate::differential::{Case, Tally, count, differential};
use flyball_board::Machine;
use flyball_trace::Duration;
use std::fmt::Write;

/// Two tasks that the clock releases, and three that are released by one before them each: by
/// messages, of which one or two find room, or by signals. Some of them ask more often than the
/// separation allows. A last task is in the way of others.
fn chains(seed: u64) -> String {
    chains_where(seed, false)
}

/// The same, where a job may have to go on after it has sent something, or always has.
fn chains_where(seed: u64, goes_on: bool) -> String {
    let mut numbers = Numbers::new(seed, 8);
    let mut behaviours: Vec<String> = Vec::new();
    let (mut heads, mut objects) = (Vec::new(), String::new());
    for number in 0..6_u64 {
        let compute = numbers.number(150_000, 900_000);
        behaviours.push(format!("{{ compute = \"{compute}ns\" }}"));
        let mut head = String::new();
        if (2..5).contains(&number) {
            let sender = numbers.number(0, number - 1);
            let (sort, size, step) = match numbers.number(0, 2) {
                0 => ("semaphore", String::new(), "signal"),
                room => ("queue", format!("capacity = {room}\n"), "send"),
            };
            // Writing to a string cannot fail.
            let _ = write!(objects, "[[{sort}]]\nname = \"to{number}\"\n{size}");
            let separation = numbers.number(2_000_000, 7_000_000);
            let _ = write!(
                head,
                "sporadic = \"{separation}ns\"\nreleased_by = \"to{number}\"\n"
            );
            let sender = usize::try_from(sender).expect("it is small");
            let _ = write!(behaviours[sender], ", {{ {step} = \"to{number}\" }}");
            if numbers.once_in(3) || goes_on {
                let more = numbers.number(50_000, 200_000);
                let _ = write!(behaviours[sender], ", {{ compute = \"{more}ns\" }}");
            }
        } else {
            let period = numbers.number(4_000_000, 9_000_000);
            let phase = numbers.number(0, 3_000_000);
            let _ = write!(head, "period = \"{period}ns\"\nphase = \"{phase}ns\"\n");
        }
        let on_miss = numbers.of(&["continue", "skip", "latest"]);
        let _ = write!(
            head,
            "priority = {}\non_miss = \"{on_miss}\"\n",
            numbers.number(1, 20)
        );
        heads.push(head);
    }
    let mut text = format!("schema = 1\n{objects}");
    for (number, (head, behaviour)) in heads.iter().zip(&behaviours).enumerate() {
        let _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\n{head}behaviour = [{behaviour}]\n"
        );
    }
    text
}

/// On each machine that has boards of one CPU and, on several, one kernel for all of them.
#[test]
fn jobs_that_are_released_by_events_agree() {
    let board = |policy| Case {
        policy,
        machine: Machine::CortexM3,
        set: chains,
        sets: count(5),
        until: Duration::from_millis(61),
    };
    // Where a job ends with a message, the CPU that it leaves and the one that is interrupted for the
    // job which it releases are about as quick as each other.
    let two = |seed| on_two_cpus(&chains_where(seed, true));
    let several = |policy| Case::several_cpus(policy, two, 3);
    for case in [board("fp"), board("edf"), several("g-fp")] {
        let tally = differential(&case);
        let Tally {
            compared,
            parted,
            released,
            ..
        } = tally;
        assert!(parted <= compared, "{tally:?}");
        assert!(released == compared, "{tally:?}");
    }
}

fn on_two_cpus(text: &str) -> String {
    text.replacen("schema = 1\n", "schema = 1\n[platform]\ncpus = 2\n", 1)
}
