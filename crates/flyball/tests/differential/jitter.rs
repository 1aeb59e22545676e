//! Jobs that are released with jitter or at random distances, on machines and in the simulation.

use crate::differential::sets::Numbers;
use crate::differential::{Case, count, differential};
use flyball_board::Machine;
use flyball_trace::Duration;
use std::fmt::Write;

/// Six tasks: two that the clock releases, two with jitter, of which the second may have more than a
/// period, and two sporadic ones at random distances, of which the second has jitter, too.
/// Of every other set many instants are the same.
fn jittery(seed: u64) -> String {
    let grain = if seed.is_multiple_of(2) { 1_000_000 } else { 1 };
    in_steps_of(grain, seed)
}

/// The same, with times that are multiples of `grain` nanoseconds.
fn in_steps_of(grain: u64, seed: u64) -> String {
    let mut numbers = Numbers::new(seed, 9);
    let mut text = String::from("schema = 1\n");
    if numbers.once_in(4) {
        text += "[platform]\njitter = \"worst\"\n";
    }
    for number in 0..6_u64 {
        let mut time = |least: u64, most: u64| numbers.number(least / grain, most / grain) * grain;
        let period = time(4_000_000, 9_000_000);
        let phase = time(0, 3_000_000);
        let more = time(0, 4_000_000);
        let jitter = match number {
            2 | 5 => time(1_000_000, 3_000_000),
            3 => time(2_000_000, 20_000_000),
            _ => 0,
        };
        let gap = period + more;
        // Writing to a string cannot fail.
        let _ = match number {
            0..4 => writeln!(text, "[[task]]\nperiod = \"{period}ns\""),
            _ => writeln!(
                text,
                "[[task]]\nsporadic = \"{period}ns\"\ngap = {{ uniform = [\"{period}ns\", \"{gap}ns\"] }}"
            ),
        };
        let compute = numbers.number(150_000, 900_000);
        let on_miss = numbers.of(&["continue", "skip", "abort", "latest"]);
        let priority = numbers.number(1, 20);
        let _ = writeln!(
            text,
            "name = \"t{number}\"\nphase = \"{phase}ns\"\njitter = \"{jitter}ns\"\nwcet = \"{compute}ns\"\n\
             on_miss = \"{on_miss}\"\npriority = {priority}"
        );
    }
    text
}

/// The same on two CPUs, to which tasks are assigned in turn where that matters. Little happens at
/// the same instant.
fn on_two_cpus(seed: u64) -> String {
    let text =
        in_steps_of(1, seed).replacen("schema = 1\n", "schema = 1\n[platform]\ncpus = 2\n", 1);
    let text = text.replacen("cpus = 2\n[platform]\n", "cpus = 2\n", 1);
    let mut cpu = 0..;
    let tasks = text.split("[[task]]\n");
    tasks
        .map(|task| match cpu.next() {
            Some(number) if number > 0 => format!("[[task]]\ncpu = {}\n{task}", number % 2),
            _ => task.to_owned(),
        })
        .collect()
}

#[test]
fn jobs_that_are_released_with_jitter_agree() {
    let board = |policy| Case {
        policy,
        machine: Machine::CortexM3,
        set: jittery,
        sets: count(5),
        until: Duration::from_millis(61),
    };
    let several = |policy| Case::several_cpus(policy, on_two_cpus, 3);
    // Of two CPUs that share a kernel each comes within a hair of the other in many sets.
    differential(&several("g-edf"));
    for case in [board("fp"), board("rm"), board("edf"), several("p-fp")] {
        let tally = differential(&case);
        assert!(tally.parted <= tally.compared, "{tally:?}");
    }
}
