//! The tasks of my-app: what they are, and what they do. The application (`src/main.rs`) and its
//! test (`tests/deadlines.rs`) run the same ones.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};
use flyball_app::catalogue::Facts;
use flyball_app::{Duration, Queue, Task, compute, println, wait_next};

/// The crate of the machine that this is built for, by one name for all machines.
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use flyball_machine_cortexm as machine;
#[cfg(not(target_os = "none"))]
pub use flyball_machine_host as machine;
#[cfg(all(target_os = "none", target_arch = "riscv64"))]
pub use flyball_machine_riscv as machine;

/// The scheduling policy. This line is all that chooses it: try `Fp`, `Rm`, `Rr` or `NpEdf`, or
/// bring one of your own (`flyball new my-policy --policy` makes a crate for it).
pub type Chosen = flyball_app::catalogue::Edf;

/// All tasks. Each has a name, its facts, and a function; `Task<1024>` says that its stack has 1024
/// words, which is enough to print. A task that overflows its stack is stopped and named.
pub static TASKS: [Task<1024>; 2] = [
    Task::new("sample", periodic(10, 2, 2), sample),
    Task::new("report", periodic(50, 16, 1), report),
];

/// The facts of a task with a job every `period` ms, each of which computes for `wcet` ms at most
/// and has to be complete before the next one. `Fp` and `FpRr` run the larger `priority` first;
/// other policies do not look at it.
const fn periodic(period: u64, wcet: u64, priority: u8) -> Facts {
    let mut facts = Facts::periodic(Duration::from_millis(period), Duration::from_millis(wcet));
    facts.priority = Some(priority);
    facts
}

/// Samples on their way from one task to the other: at most 16.
static SAMPLES: Queue<u32> = Queue::new(16);

/// How many reports there have been so far.
pub static REPORTS: AtomicU32 = AtomicU32::new(0);

/// Takes a sample in each job. `compute` stands for work: on the host nothing else takes time.
fn sample() {
    for number in 0.. {
        compute(Duration::from_millis(1));
        // A full queue loses the sample; `send` would wait until there is room.
        let _ = SAMPLES.try_send(number);
        // The job is complete. The thread goes on with its next one.
        wait_next();
    }
}

/// Reports the mean of the samples that have come since the last report.
fn report() {
    loop {
        let (mut count, mut sum) = (0, 0);
        while let Ok(sample) = SAMPLES.try_receive() {
            count += 1;
            sum += sample;
        }
        compute(Duration::from_millis(15));
        if count > 0 {
            println!("samples: {count}, mean {}", sum / count);
        }
        REPORTS.fetch_add(1, Ordering::Relaxed);
        wait_next();
    }
}
