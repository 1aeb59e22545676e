//! Events that come closer together than they may, and a sporadic thread that keeps its distance.
//!
//! A device wants to be served three times within 4 ms, and then not for a while. The thread that
//! serves it is promised that its jobs are released 10 ms apart at least, so that an analysis can
//! count on it: what comes too early waits, and nothing is lost.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::{prelude::*, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
    init: init,
    threads: 1,
}

static EVENTS: AtomicU32 = AtomicU32::new(0);

static SERVER: Stack<512> = Stack::new();

fn init() -> Result<(), Error> {
    Interrupt::timer().attach(event)?;
    let server_thread = Thread::sporadic(Duration::from_millis(10));
    spawn(&SERVER, server_thread, Priority(1), server)?;
    set_timer(Duration::from_millis(2));
    Ok(())
}

/// The device wants to be served. Code that has no handle of a thread can name it by its stack.
fn event() {
    let number = EVENTS.fetch_add(1, Ordering::Relaxed) + 1;
    if SERVER.release().is_err() {
        shut_down(1);
    }
    let is_last_of_burst = number.is_multiple_of(3);
    set_timer(Duration::from_millis(if is_last_of_burst { 36 } else { 2 }));
}

/// A thread's first job is the first one that is released.
fn server() {
    for job in 1..=8 {
        let events = EVENTS.load(Ordering::Relaxed);
        println!("{:>3} ms  job {job} of {events}", now().as_millis());
        compute(Duration::from_millis(1));
        wait_next();
    }
    shut_down(0);
}
