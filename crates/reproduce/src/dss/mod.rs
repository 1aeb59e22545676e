//! Double-sorted scheduling in process cruise control environments, as Finster's thesis has it.
//!
//! | experiment | |
//! |---|---|
//! | [`bounds`] | how many adjustments an epoch has, at least and at most (1.1) |
//! | [`cost_array`] | what the table of costs says (chapter 3) |
//! | [`share`] | adjustments by the part of tasks that want a high frequency (4.1) |
//! | [`sleep`] | adjustments of six and of twelve tasks that sleep now and then (4.2) |
//! | [`run_time`] | how much sooner a load is done that is sorted (4.3) |
//! | [`worst_case`] | what sorting costs where it saves nothing (4.3) |
//! | [`energy`] | what process cruise control saves, and what it loses (abstract, 1) |
//! | [`frontier`] | energy, misses and adjustments of all ways side by side (5, 6, and not in the thesis) |
//! | [`beyond`] | equals that starve, the loose designs, the balance (5, and not in the thesis) |

pub mod beyond;
pub mod bounds;
pub mod cost_array;
pub mod energy;
pub mod frontier;
mod load;
pub mod run_time;
pub mod share;
pub mod sleep;
pub mod worst_case;

use crate::work::Work;

/// The thesis.
pub const WORK: Work = Work {
    name: "dss",
    title: "Double-sorted scheduling in process cruise control environments",
    source: "S. Finster: Double-sorted scheduling in process cruise control environments. Study thesis, \
             Universität Karlsruhe, 2005",
    notes: &[
        "The author measured Linux 2.6.11 on a PXA270 and read the optimal frequency of a task from counters. Here \
         the policy \"linux-o1\" runs tasks whose operating point is said: 520 MHz for alu, 104 MHz for mem.",
        "The figures are not in the text that we have, so only numbers that it types are compared.",
    ],
    plans: &[
        bounds::PLAN,
        cost_array::PLAN,
        share::PLAN,
        sleep::SIX,
        sleep::TWELVE,
        run_time::PLAN,
        worst_case::PLAN,
        energy::PLAN,
        beyond::PLAN,
        frontier::PLAN,
    ],
    programs: &[],
    goes_on: false,
};
