//! A periodic tick that gets another length while the application runs.

#![allow(unsafe_code)]

use flyball_app::prelude::*;
use flyball_app::{Timing, set_tick};

flyball_app::kernel! {
    machine: flyball_machine_host,
    policy: FixedPriorities<2> = FixedPriorities::new(FixedPriority, 2),
    init: init,
    timing: Timing::Tick(Duration::from_millis(10)),
}

static STACK: Stack<128> = Stack::new();

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn init() -> Result<(), Error> {
    spawn(&STACK, Thread::once(), Priority(1), || {
        sleep(ms(1));
        assert_eq!(now(), Time::ZERO + ms(10), "the first tick");
        set_tick(ms(2)).unwrap();
        sleep(ms(1));
        assert_eq!(now(), Time::ZERO + ms(12));
        assert_eq!(set_tick(ms(0)), Err(Error::Invalid));
        sleep(ms(3));
        assert_eq!(now(), Time::ZERO + ms(16));
        set_tick(ms(10)).unwrap();
        sleep(ms(1));
        assert_eq!(now(), Time::ZERO + ms(26));
        println!("all is well");
        shut_down(0)
    })?;
    Ok(())
}
