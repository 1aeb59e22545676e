//! Period adaptation for real-rate pipelines, as Steere and others have it.
//!
//! | experiment | |
//! |---|---|
//! | [`trade_off`] | jitter and run time by the period (figure 1) |
//! | [`secondary`] | what else the period changes: how exact shares are, priority, caches (2.1, 3.2, 4) |
//! | [`optimum`] | the best period by search, and the one that the controller finds (2.1) |
//! | [`steady`] | levels and periods of two stages (figure 3) |
//! | [`buffers`] | how large a queue has to be, here and under Linux 2.0 (5.1, figure 4) |
//! | [`adaptation`] | units that take twice and half as long (figure 5) |
//! | [`missed`] | allocations that are missed, and sources that are not regular (2, 3.4) |
//! | [`overhead`] | what short periods and looking at levels cost (3.2, 3.3, 4) |
//! | [`controllers`] | what the controllers cost, as a thread and in the kernel (3.3, 4) |
//! | [`best_effort`] | tasks that say nothing (3, 3.3) |
//! | [`server`] | requests that wait as the measure of progress (2, 3.3) |
//! | [`dispatch`] | a rate monotonic order and earliest deadlines (3.1) |
//! | [`beside`] | a pipeline that says nothing, and policies that are told what it needs |
//! | [`linux`] | an appendix: two threads of this computer's Linux |

pub mod adaptation;
pub mod beside;
pub mod best_effort;
pub mod buffers;
pub mod controllers;
pub mod dispatch;
pub mod linux;
pub mod missed;
pub mod optimum;
pub mod overhead;
mod pipeline;
pub mod secondary;
mod seen;
pub mod server;
pub mod steady;
pub mod trade_off;

use crate::work::Work;

/// The report.
pub const WORK: Work = Work {
    name: "period",
    title: "Fine-grain period adaptation in soft real-time environments",
    source: "D. Steere, J. Gruenberg, D. McNamee, C. Pu, J. Walpole: Fine-grain period adaptation in soft real-time \
             environments. Technical report CSE-99-012, Oregon Graduate Institute, 1999",
    notes: &[
        "The authors measured Linux 2.0.35 on a Pentium Pro at 333 MHz. Nothing here ran on it: what is compared is \
         orders, shapes and what follows from their rules, and no time.",
        "The report does not say by how much a period grows or shrinks: here it grows by 1 ms, and shrinks in the \
         proportion of the threshold to the burst. Nor does it say the proportions of its pipelines.",
        "The figures are not in the text that we have, so only numbers and orders that it types are compared.",
    ],
    plans: &[
        trade_off::PLAN,
        secondary::PLAN,
        optimum::PLAN,
        steady::PLAN,
        buffers::PLAN,
        adaptation::PLAN,
        missed::PLAN,
        overhead::PLAN,
        controllers::PLAN,
        best_effort::PLAN,
        server::PLAN,
        dispatch::PLAN,
        beside::PLAN,
        linux::PLAN,
    ],
    programs: &[],
    goes_on: false,
};
