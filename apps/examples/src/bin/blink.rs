//! A light that goes on and off: one periodic thread.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::{prelude::*, println};
use flyball_examples::machine;

flyball_app::kernel! {
    machine: machine,
    policy: FixedPriorities<8> = FixedPriorities::new(FixedPriority, 8),
    init: init,
}

static BLINK: Stack<1024> = Stack::new();

fn init() -> Result<(), Error> {
    let every_quarter = Thread::periodic(Duration::from_millis(250));
    spawn(&BLINK, every_quarter, Priority(1), || {
        for light in ["on", "off", "on", "off", "on", "off"] {
            println!("{:>5} ms  light {light}", now().as_millis());
            wait_next();
        }
        shut_down(0)
    })?;
    Ok(())
}
