//! I+PI, the scheduler that is a controller, as its thesis has it.
//!
//! | experiment | |
//! |---|---|
//! | [`disturbances`] | the set point is kept, whatever disturbs the bursts (figure 2.3) |
//! | [`blocking`] | what blocking does to the round, and what is done about it (figure 2.5) |
//! | [`shares`] | each task gets the share that was predicted (2.2.5, 2.3.2) |
//! | [`parallel`] | applications with I/O, one after the other and at once (table 4.2) |
//! | [`programs`] | real programs in C: each alone, and six at once (tables 4.1 and 4.2) |
//! | [`hartstone`] | periodic tasks that ask for more and more (figure 4.2) |
//! | [`hartstone_kernel`] | the same, each load on its own |
//! | [`overload`] | periodic tasks that ask for too much for a while (figure 4.3) |
//! | [`beyond`] | what else could be done about that |
//! | [`series`] | Hartstone's other series, whose numbers are ours |
//! | [`multicore`] | several CPUs (chapter 5, left for the future) |

pub mod beyond;
pub mod blocking;
pub mod disturbances;
mod equations;
mod field;
pub mod hartstone;
pub mod hartstone_kernel;
mod measured;
pub mod multicore;
pub mod overload;
pub mod parallel;
pub mod programs;
mod rounds;
pub mod series;
mod sets;
pub mod shares;

use crate::work::Work;

/// The thesis.
pub const WORK: Work = Work {
    name: "miosix",
    title: "I+PI: a scheduler designed as a controller",
    source: "F. Terraneo: Control based design of OS components. Thesis, Politecnico di Milano, 2011 \
             (A. Leva, M. Maggio); measured data from the kernel that came with it, Miosix",
    notes: &[
        "The authors measured on an STM3210E-EVAL board (Cortex-M3, 72 MHz, code in external RAM). \
         Nothing here ran on it, so no absolute time is compared with theirs.",
    ],
    plans: &[
        disturbances::PLAN,
        blocking::PLAN,
        shares::PLAN,
        parallel::PLAN,
        hartstone::PLAN,
        hartstone_kernel::PLAN,
        overload::PLAN,
        beyond::PLAN,
        series::PLAN,
        multicore::PLAN,
    ],
    programs: &[programs::ALONE, programs::TOGETHER],
    goes_on: false,
};
