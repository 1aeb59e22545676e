//! my-app: the application.
#![cfg_attr(target_os = "none", no_std, no_main)]

use flyball_app::{PolicyOf, misses, policy_of, prelude::*, println};
use my_app::{Chosen, TASKS, machine};

/// What keeps the schedule: with the feature `trace` room for its first 1024 events.
#[cfg(feature = "trace")]
mod recorder {
    use flyball_app::{Schedule, ScheduleBuffer};
    pub type Trace = Schedule;
    pub fn new() -> Trace {
        static EVENTS: ScheduleBuffer<1024> = ScheduleBuffer::new();
        Schedule::new(&EVENTS)
    }
}
#[cfg(not(feature = "trace"))]
mod recorder {
    pub use flyball_app::NoTrace as Trace;
    pub fn new() -> Trace {
        Trace
    }
}

// Makes `main`, the kernel with room for up to 8 threads, and `spawn`, which makes a thread. Sizes
// of other tables have defaults; `queues: 8,` below `init` would set one.
flyball_app::kernel! {
    machine: machine,
    policy: PolicyOf<Chosen, 8> = policy_of::<Chosen, 8, _, _>(&TASKS),
    trace: recorder::Trace = recorder::new(),
    init: init,
}

/// Makes the threads, and sets a timer. All threads begin when this returns.
fn init() -> Result<(), Error> {
    for task in &TASKS {
        spawn(
            &task.stack,
            task.thread(),
            task.params::<Chosen>()?,
            task.body,
        )?;
    }
    // An interrupt ends it after a second. A real application goes on for ever.
    Interrupt::timer().attach(finish)?;
    set_timer(Duration::from_millis(1000));
    Ok(())
}

/// The handler of the interrupt. A handler never waits.
fn finish() {
    println!("{} deadlines missed in a second", misses());
    #[cfg(feature = "trace")]
    save();
    shut_down(0)
}

/// Writes the schedule. A board does so through its emulator or debugger.
#[cfg(feature = "trace")]
fn save() {
    use flyball_app::catalogue::Scheduler;
    let about = flyball_app::Described {
        name: "my-app",
        policy: Chosen::NAME,
        cpus: 1,
        end: now(),
        tasks: &TASKS,
    };
    let saved = with_trace(|schedule| schedule.save(c"my-app.fbtrace", &about));
    match saved {
        Some(true) => println!("the schedule is in my-app.fbtrace"),
        _ => println!("my-app.fbtrace cannot be written"),
    }
}
