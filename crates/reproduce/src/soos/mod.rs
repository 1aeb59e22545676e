//! SOOS, a kernel of servers in slots, as its paper has it.
//!
//! | experiment | |
//! |---|---|
//! | [`complexity`] | what the activities of a slot cost, by the number of servers (3.3, 4.1, 4.2) |
//! | [`improvements`] | what the two improvements save, alone and together (figure 5) |
//! | [`overhead`] | a slot's work, at least, in the mean and at most (figures 2b and 4) |
//! | [`slack`] | what becomes of the rest of a slot when a job ends in it (4.1) |
//! | [`isolation`] | how late others are if a task computes for longer than it says (3.1) |
//! | [`soft`] | how soon soft jobs are done, at equal guarantees (not in the paper) |
//! | [`limit`] | how many tasks fill a slot (chapter 2) |
//! | [`size`] | bytes of an image (figure 4) |
//! | [`queues`] | which queue is the fastest, by the number of servers (not in the paper) |
//!
//! On a machine that counts instructions, all that is counted is instructions there, and rows of
//! tables otherwise.

pub mod complexity;
mod counted;
pub mod improvements;
mod instructions;
pub mod isolation;
mod kernels;
pub mod limit;
pub mod overhead;
pub mod queues;
mod sets;
pub mod size;
pub mod slack;
mod slot;
mod slots;
pub mod soft;

use crate::work::Work;

/// The paper.
pub const WORK: Work = Work {
    name: "soos",
    title: "SOOS: kernel internals for real-time",
    source: "D. R. Donari, L. Ordinez, R. Santos, J. Orozco: Kernel internals for real-time. Universidad Nacional \
             del Sur, Bahía Blanca",
    notes: &[
        "The authors measured on a Lego RCX (Hitachi H8/3297, 16 MHz) with a logic analyser. Nothing here ran \
         on it, so no time is compared with theirs: what the kernel looks at is counted in simulation, and what it \
         executes on an emulated Cortex-M3.",
        "What the paper leaves open is reconstructed in the policy \"soos\": when a budget ends and begins \
         again, and what becomes of jobs that come within a slot.",
    ],
    plans: &[
        complexity::PLAN,
        improvements::PLAN,
        overhead::PLAN,
        slack::PLAN,
        isolation::PLAN,
        soft::PLAN,
        limit::PLAN,
        size::PLAN,
        queues::PLAN,
    ],
    programs: &[],
    goes_on: false,
};

/// How many, as a factor. A run of some minutes has a million slots and jobs at most, far below 2³².
fn float(count: impl TryInto<u32>) -> f64 {
    f64::from(count.try_into().unwrap_or(u32::MAX))
}
