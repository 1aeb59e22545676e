//! A thread that computes for longer than it should, in a server: the control loop beside it is in time
//! all the same. A handler hears of each budget that is used up, and then gives the server a larger one.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::catalogue::Cbs;
use flyball_app::policy::servers::Mode;
use flyball_app::prelude::*;
use flyball_app::{PolicyOf, Reservation, Seat, Server, budget_left, misses, policy_of, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: PolicyOf<Cbs, 4> = policy_of::<Cbs, 4, 0, 64>(&[]),
    init: init,
    threads: 4,
    overruns: true,
}

const MS: Duration = Duration::from_millis(1);
/// How long a job of the hog computes.
const JOB: Duration = Duration::from_millis(5);
const SMALL: Reservation = in_ten(Duration::from_millis(2));
const LARGE: Reservation = in_ten(Duration::from_micros(6_500));

/// Hard: when the budget is used up the server waits for the next one.
const fn in_ten(budget: Duration) -> Reservation {
    Reservation::every(Duration::from_millis(10), budget).with_mode(Mode::Hard)
}

static HOGS: Server = Server::new(SMALL);
static OVERRUN: Semaphore = Semaphore::new(0);

static CONTROL: Stack<512> = Stack::new();
static HOG: Stack<512> = Stack::new();
static HANDLER: Stack<512> = Stack::new();

fn init() -> Result<(), Error> {
    let control = Seat::Own(Reservation::every(MS * 5, MS * 2));
    spawn(&CONTROL, Thread::periodic(MS * 5), control, || {
        loop {
            compute(MS);
            wait_next();
        }
    })?;
    let hog = Thread::periodic(MS * 50).without_deadline();
    let hog = spawn(&HOG, hog, HOGS.seat(), hog_around)?;
    hog.on_exhaust(&OVERRUN)?;
    let seldom = Seat::Own(Reservation::every(MS * 20, MS));
    spawn(&HANDLER, Thread::once(), seldom, move || {
        for overrun in 1.. {
            if OVERRUN.wait().is_err() {
                return;
            }
            println!("overrun {overrun} of the hog");
            if overrun == 2 {
                let adjusted = hog.adjust(HOGS.seat_with(LARGE));
                println!(
                    "a larger budget: {}",
                    if adjusted.is_ok() { "yes" } else { "no" }
                );
            }
        }
    })?;
    Ok(())
}

fn hog_around() {
    for job in 1..=3 {
        compute(JOB);
        let left = budget_left().map_or(0, |left| left / MS);
        println!("job {job} of the hog is done, {left} ms left of its budget");
        wait_next();
    }
    println!("deadlines missed: {}", misses());
    shut_down(0)
}
