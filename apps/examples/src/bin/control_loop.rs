//! A control loop that is late now and then, and a thread that handles its misses.
//!
//! Earliest deadline first. The loop has to be done 8 ms after each release. From its sixth job on
//! it needs 9 ms, which is too long. Each miss signals a semaphore, and a handler, which is more
//! urgent than the late job, switches the loop over to a simpler controller. Besides there is
//! something to do in the background that has no deadline.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use flyball_app::{misses, prelude::*, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: EarliestDeadlines<8> = EarliestDeadlines::new(EarliestDeadline, 8),
    init: init,
}

const JOBS: u32 = 12;

/// The kernel signals this at each miss of the loop.
static LATE: Semaphore = Semaphore::new(0);
/// The simple controller is good enough.
static SIMPLE: AtomicBool = AtomicBool::new(false);
/// How far the background work has come.
static CHECKED: AtomicU32 = AtomicU32::new(0);

static CONTROL: Stack<512> = Stack::new();
static HANDLER: Stack<512> = Stack::new();
static BACKGROUND: Stack<512> = Stack::new();

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn init() -> Result<(), Error> {
    let watched = Thread::periodic(ms(10)).deadline(ms(8)).alert(&LATE);
    spawn(&CONTROL, watched, Deadline(ms(8)), control)?;
    spawn(&HANDLER, Thread::once(), Deadline(ms(1)), handle_misses)?;
    let whenever = Deadline(Duration::MAX);
    spawn(&BACKGROUND, Thread::once(), whenever, background)?;
    Ok(())
}

/// A mass on a spring, in whole units: the controller brakes it.
fn control() {
    let (mut place, mut speed) = (1000, 0);
    for job in 1..=JOBS {
        let simple = SIMPLE.load(Ordering::Relaxed);
        compute(match (simple, job) {
            (true, _) => ms(2),
            (false, 1..6) => ms(5),
            (false, _) => ms(9),
        });
        let force = if simple {
            -speed / 2
        } else {
            -(place + 3 * speed) / 4
        };
        speed += force - place / 5;
        place += speed;
        let how = if simple { "simple" } else { "full" };
        println!("job {job:>2}: place {place:>5}, {how} controller");
        wait_next();
    }
    let checked = CHECKED.load(Ordering::Relaxed) > 0;
    println!("{} misses; background work went on: {checked}", misses());
    shut_down(0)
}

fn handle_misses() {
    while LATE.wait().is_ok() {
        println!("{:>4} ms  a miss", now().as_millis());
        if misses() == 2 {
            println!(
                "{:>4} ms  the simple controller has to do",
                now().as_millis()
            );
            SIMPLE.store(true, Ordering::Relaxed);
        }
    }
}

fn background() {
    loop {
        compute(ms(1));
        CHECKED.fetch_add(1, Ordering::Relaxed);
    }
}
