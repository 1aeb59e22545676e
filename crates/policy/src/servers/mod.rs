//! Servers: a task may use the CPU time that its server has a budget for, and no more.
//!
//! A *server* has a *reservation*: a budget in every period. Servers are scheduled by their
//! deadlines, earliest first, and the server that is scheduled executes its tasks, first come first
//! served. What a task asks for beyond its server's budget is served from later budgets of the same
//! server. So a task that asks for too much delays itself and the tasks of its server, and no
//! others: *temporal isolation* (Abeni and Buttazzo, *Integrating multimedia applications in hard
//! real-time systems*, RTSS 1998).
//!
//! ```text
//!  tasks              servers                            ready: earliest deadline first
//!  [video][audio] --> media    budget 4 ms in 10 ms  --> [control until 12 ms][media until 15 ms]
//!  [control]      --> control  budget 1 ms in 5 ms
//!  [logger]       --------------------------------->     background: when no server is ready
//! ```
//!
//! A [`Rule`] says what happens when a task comes to an idle server, and when a budget is used up:
//!
//! | rule | budget used up | source |
//! |---|---|---|
//! | [`ConstantBandwidth::SOFT`] | a new budget at once, with a later deadline | Abeni and Buttazzo 1998 |
//! | [`ConstantBandwidth::HARD`] | no budget until the deadline | Rajkumar et al. 1998, on hard reservations |
//! | [`SchedDeadline`] | no budget until the period is over | Linux, `sched-deadline.rst` |
//!
//! Tasks without a server run in the background, by a policy of their own.

mod account;
mod behaviour;
mod constant_bandwidth;
mod policy;
mod rule;
mod sched_deadline;
mod seat;

pub use account::{Account, Reservation};
pub use behaviour::Behaviour;
pub use constant_bandwidth::ConstantBandwidth;
pub use policy::Servers;
pub use rule::{Rule, Supply};
pub use sched_deadline::SchedDeadline;
pub use seat::Seat;
