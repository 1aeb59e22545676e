//! The order in which bodies begin and end, for a test to compare with a schedule.
//!
//! Each body has five numbers: its period and the instant of its first release in ms, how long it computes in
//! µs (of 1,024 ns: an instruction), its urgency, and the number of another body, counted from 1, that it releases when it is half
//! done; 0: none.

use crate::bodies::System;
use crate::fail;
use crate::measure::at;
use crate::preempt::{Image, release};
use flyball_machine_cortexm::{SpinLock, compute};
use flyball_policy::{Duration, TaskId};
use semihosting::println;

/// The most bodies, and events.
const MOST: usize = 12;
const EVENTS: usize = 1_024;

/// What happened: a body's number twice, and 1 if it ended.
static LOG: SpinLock<(usize, [u8; EVENTS])> = SpinLock::new((0, [0; EVENTS]));
/// What bodies compute, and release.
static TASKS: SpinLock<[[u32; 2]; MOST]> = SpinLock::new([[0; 2]; MOST]);

fn log(task: TaskId, ended: bool) {
    LOG.with(|(count, events)| {
        if let Some(event) = events.get_mut(*count) {
            *event = u8::try_from(task.0).unwrap_or(0) << 1 | u8::from(ended);
            *count += 1;
        }
    });
}

/// Each body.
fn body<I: Image>(task: TaskId) {
    log(task, false);
    let [instructions, other] = TASKS.with(|tasks| tasks[task.index()]);
    compute(u64::from(instructions / 2));
    if let Some(other) = other.checked_sub(1) {
        release::<I>(TaskId(u16::try_from(other).unwrap_or(u16::MAX)));
    }
    compute(u64::from(instructions - instructions / 2));
    log(task, true);
}

/// Lets bodies run up to `last` ms, and prints what happened.
pub(crate) fn run<I: Image>(last: u32, numbers: &[u32]) {
    let (tasks, rest) = numbers.as_chunks::<5>();
    if tasks.len() > MOST || !rest.is_empty() {
        fail("each of at most 12 bodies has five numbers");
    }
    let numbered = || (0..).map(TaskId).zip(tasks);
    for (task, &[_, _, length, urgency, other]) in numbered() {
        TASKS.with(|tasks| tasks[task.index()] = [length, other]);
        if I::with(|system| system.admit(task, I::params(urgency), body::<I>)).is_err() {
            fail("a body is refused");
        }
    }
    for (task, &[period, first, ..]) in numbered().filter(|(_, numbers)| numbers[0] > 0) {
        let period = Duration::from_millis(period.into());
        I::with(|system| system.start(task, at(first), period));
    }
    // `main` runs while no body does.
    while I::with(System::now) < at(last) {}
    I::with(System::stop);
    LOG.with(|(count, events)| {
        for event in &events[..*count] {
            let what = if event & 1 == 1 { "end" } else { "begin" };
            println!("{what} {}", event >> 1);
        }
    });
}
