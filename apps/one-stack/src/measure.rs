//! What it costs: from a mark before to a mark after, as `apps/costs` counts it for threads.

use crate::bodies::System;
use crate::mark::{Mark, Shared};
use crate::preempt::{self, Image, release};
use crate::{MARKING, RELEASING, fail};
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use flyball_policy::{Duration, TaskId, Time};
use semihosting::println;

/// How often each is counted, and how many rounds of releases.
const TIMES: u32 = 100;
const ROUNDS: u32 = 20;
/// Hand-overs of the CPU.
const HANDOVERS: u32 = 1_000;
/// Between releases, which are so far apart that the longest round fits.
const PERIOD: Duration = Duration::from_millis(200);
/// More instructions than a turn of the loop has that counts what it misses, and fewer than any round.
const TURN: u32 = 30;

/// Those that measure, and the first of others.
pub const HIGHER: TaskId = TaskId(0);
const EMPTY: TaskId = TaskId(1);
const MEASURER: TaskId = TaskId(2);
const EQUAL: [TaskId; 2] = [TaskId(3), TaskId(4)];
const OTHERS: u16 = 5;

/// Urgencies: numbers of both policies.
const HIGH: u32 = 1;
const MIDDLE: u32 = 10;
const LOW: u32 = 20;

/// When a body (or a handler) began to run.
static BEGUN: Shared = Shared::new();
/// What is left of the hand-overs.
static LEFT: AtomicU32 = AtomicU32::new(0);

/// The handler that tells when it began.
pub(crate) extern "C" fn mark() {
    BEGUN.set(Mark::now());
}

/// Instructions, as often as they were counted.
#[derive(Default)]
struct Tally {
    sum: u32,
    count: u32,
    worst: u32,
}

impl Tally {
    fn add(&mut self, instructions: u32) {
        self.sum += instructions;
        self.count += 1;
        self.worst = self.worst.max(instructions);
    }

    fn print(self, name: &str) {
        println!("{name} {} {} {}", self.sum, self.count, self.worst);
    }
}

fn make<I: Image>(task: TaskId, urgency: u32, body: fn(TaskId)) {
    if I::with(|system| system.admit(task, I::params(urgency), body)).is_err() {
        fail("a body is refused");
    }
}

/// Counts calls and interrupts, with `n` less urgent bodies released.
pub(crate) fn calls<I: Image>(n: u32) {
    make::<I>(HIGHER, HIGH, |_| BEGUN.set(Mark::now()));
    make::<I>(EMPTY, HIGH, |_| ());
    make::<I>(MEASURER, MIDDLE, measure::<I>);
    make::<I>(EQUAL[0], MIDDLE, |_| hand_over::<I>(EQUAL[1]));
    make::<I>(EQUAL[1], MIDDLE, |_| hand_over::<I>(EQUAL[0]));
    LESS_URGENT.store(n, Ordering::Relaxed);
    for k in 0..n {
        make::<I>(other(k), LOW, |_| ());
    }
    release::<I>(MEASURER);
}

/// How many less urgent bodies are released.
static LESS_URGENT: AtomicU32 = AtomicU32::new(0);

fn other(k: u32) -> TaskId {
    TaskId(OTHERS + u16::try_from(k).unwrap_or(u16::MAX - OTHERS))
}

/// Marks before and after a call, in a function of its own, as in `apps/costs`.
#[inline(never)]
fn around(call: impl Fn()) -> [Mark; 2] {
    let begin = Mark::now();
    call();
    [begin, Mark::now()]
}

fn tally(name: &str, count: impl Fn() -> u32) {
    let mut tally = Tally::default();
    count();
    for _ in 0..TIMES {
        tally.add(count());
    }
    tally.print(name);
}

/// A body of middle urgency that counts all but hand-overs.
fn measure<I: Image>(me: TaskId) {
    for k in 0..LESS_URGENT.load(Ordering::Relaxed) {
        release::<I>(other(k));
    }
    let higher = || {
        let [begin, _] = around(|| release::<I>(black_box(HIGHER)));
        BEGUN.get().since(begin)
    };
    tally("runs", higher);
    let empty = || {
        let [begin, end] = around(|| release::<I>(black_box(EMPTY)));
        end.since(begin)
    };
    tally("runs_and_returns", empty);
    tally("interrupt_handler", || {
        let begin = Mark::and_interrupt(MARKING);
        BEGUN.get().since_interrupt(begin)
    });
    tally("interrupt_runs", || {
        let begin = Mark::and_interrupt(RELEASING);
        BEGUN.get().since_interrupt(begin)
    });
    let (params, none) = (black_box(I::params(HIGH)), None);
    let locks = |both: bool| {
        let [begin, locked] = around(|| preempt::ceiling::<I>(me, Some(params)));
        let [unlocking, end] = around(|| preempt::ceiling::<I>(me, none));
        if both {
            end.since(unlocking)
        } else {
            locked.since(begin)
        }
    };
    tally("ceiling_lock", || locks(false));
    tally("ceiling_unlock", || locks(true));
    // Under the ceiling it does not begin, and after that it has begun.
    let begun = [Some(params), None].map(|ceiling| {
        BEGUN.take();
        preempt::ceiling::<I>(me, ceiling);
        release::<I>(HIGHER);
        BEGUN.take().is_some()
    });
    if begun != [false, true] {
        fail("a ceiling does not hold");
    }
    LEFT.store(HANDOVERS, Ordering::Relaxed);
    BEGUN.set(Mark::now());
    release::<I>(EQUAL[0]);
}

/// Hands the CPU over to an equal body, as often as is left: it is released, and this one returns.
#[inline(always)]
fn hand_over<I: Image>(to: TaskId) {
    let left = LEFT.load(Ordering::Relaxed);
    if left > 0 {
        LEFT.store(left - 1, Ordering::Relaxed);
        release::<I>(to);
    } else {
        let all = Mark::now().since(BEGUN.get());
        println!("hand_over {all} {HANDOVERS} {}", all.div_ceil(HANDOVERS));
    }
}

/// Counts how long `n` bodies take that are released at one instant: `first`: until the first of them begins, otherwise
/// until `main` goes on.
pub(crate) fn releases<I: Image>(n: u32, first: bool) {
    let start = I::with(System::now) + PERIOD;
    let body: fn(TaskId) = if first {
        |_| BEGUN.set_first(Mark::now())
    } else {
        |_| ()
    };
    for k in 0..n {
        make::<I>(other(k), HIGH, body);
        I::with(|system| system.start(other(k), start, PERIOD));
    }
    if first { until_first() } else { missed() }
}

/// Counts what this function misses.
fn missed() {
    let mut tally = Tally::default();
    let [_, turn] = gap();
    for _ in 0..ROUNDS {
        let [gap, calm] = gap();
        if calm != turn {
            fail("the loop's turns differ");
        }
        tally.add(gap - calm);
    }
    tally.print("released");
}

/// Reads the counter until a turn of this loop takes longer than it should. Returns how long that one took, and the one
/// before.
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

/// Counts from the timer's interrupt to the first body.
fn until_first() {
    let mut tally = Tally::default();
    let mut timer = Mark::of_timer();
    let mut rounds = 0;
    while rounds <= ROUNDS {
        let set = Mark::of_timer();
        if let Some(first) = BEGUN.take() {
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

/// Prints bytes of RAM.
pub(crate) fn bytes<I: Image>() {
    let [body, period] = I::BYTES;
    println!("body {body} 1 {body}");
    println!("period {period} 1 {period}");
}

/// An instant `ms` after the clock began.
pub(crate) fn at(ms: u32) -> Time {
    Time::from_millis(u64::from(ms))
}
