//! A test that is an application, so it runs on every machine: `cargo test` runs it on that of
//! `.cargo/config.toml`, and `cargo test --target thumbv7m-none-eabi` on the emulated board. It
//! passes if the program ends with exit code 0; a panic ends it with another one.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::sync::atomic::Ordering;
use flyball_app::{PolicyOf, misses, policy_of, prelude::*, println};
use my_app::{Chosen, REPORTS, TASKS, machine};

flyball_app::kernel! {
    machine: machine,
    policy: PolicyOf<Chosen, 8> = policy_of::<Chosen, 8, _, _>(&TASKS),
    init: init,
}

fn init() -> Result<(), Error> {
    for task in &TASKS {
        spawn(
            &task.stack,
            task.thread(),
            task.params::<Chosen>()?,
            task.body,
        )?;
    }
    Interrupt::timer().attach(check)?;
    set_timer(Duration::from_millis(995));
    Ok(())
}

/// After 995 ms: by then 20 jobs of "report" have been released, every 50 ms, and are complete.
fn check() {
    assert_eq!(misses(), 0, "no deadline is missed");
    assert_eq!(REPORTS.load(Ordering::Relaxed), 20, "each job reports");
    println!("all deadlines are met");
    shut_down(0)
}
