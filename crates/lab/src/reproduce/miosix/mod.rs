//! I+PI, the scheduler that is a controller, as its thesis has it.
//!
//! | experiment | |
//! |---|---|
//! | [`shares`] | each task gets the share that was predicted (2.2.5, 2.3.2) |

mod sets;
pub mod shares;

use super::Work;

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
    plans: &[shares::PLAN],
};
