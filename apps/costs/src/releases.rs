//! Many threads released at one instant; and ticks.
//!
//! The least urgent thread reads the counter in a loop. What it misses, the kernel and the others
//! have had.

use crate::mark::{Mark, Shared};
use crate::output::{Tally, What, fail};
use crate::{JOBS, PERIOD, START};
use core::cell::Cell;
use flyball_app::{Duration, Time, shut_down, sleep_until, wait_next};

/// How many rounds are counted.
const ROUNDS: u32 = 20;
/// More instructions than a turn of the loop has, and fewer than any round.
const TURN: u32 = 30;

/// When the first thread of a round began to run.
static FIRST: Shared = Shared::new();

/// Waits for the next release.
#[inline(always)]
fn wait(next: &Cell<Time>) {
    if JOBS {
        wait_next();
    } else {
        next.set(next.get() + PERIOD);
        sleep_until(next.get());
    }
}

/// Runs shortly after each release, and sleeps again.
pub(crate) fn sleeper() {
    let next = Cell::new(START);
    loop {
        wait(&next);
    }
}

/// The same, but tells when it ran, if it was the first.
pub(crate) fn first_sleeper() {
    let next = Cell::new(START);
    loop {
        wait(&next);
        FIRST.set_first(Mark::now());
    }
}

/// Sleeps all the time.
pub(crate) fn long_sleeper() {
    sleep_until(START + Duration::from_secs(100));
}

/// Measures, and ends.
pub(crate) fn measure(what: What) {
    match what {
        What::First => first(),
        What::Tick => missed("tick"),
        _ => missed("released"),
    }
    shut_down(0);
}

/// Counts what this thread misses.
fn missed(name: &str) {
    let mut tally = Tally::default();
    // The first round may have been cut short by the start.
    let [_, turn] = gap();
    for _ in 0..ROUNDS {
        let [gap, calm] = gap();
        if calm != turn {
            fail("the loop's turns differ");
        }
        tally.add(gap - calm);
    }
    tally.print(name);
}

/// Reads the counter until a turn of this loop takes longer than it should. Returns how long that
/// one took, and the one before.
#[inline(never)]
fn gap() -> [u32; 2] {
    let mut marks = [Mark::now(); 3];
    loop {
        marks = [marks[1], marks[2], Mark::now()];
        let gap = marks[2].since(marks[1]);
        if gap > TURN {
            return [gap, marks[1].since(marks[0])];
        }
    }
}

/// Counts from the timer's interrupt to the first thread.
fn first() {
    let mut tally = Tally::default();
    let mut rounds = 0;
    let mut timer = Mark::of_timer();
    while rounds <= ROUNDS {
        let set = Mark::of_timer();
        if let Some(first) = FIRST.take() {
            if rounds > 0 {
                tally.add(first.since_timer(timer));
            }
            rounds += 1;
            timer = Mark::of_timer();
        } else {
            timer = set;
        }
    }
    tally.print("released_first");
}
