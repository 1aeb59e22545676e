//! Servers: a task may use the CPU time that its server has a budget for, and no more.
//!
//! A *server* has a *reservation*: a budget in every period. Servers are scheduled by their
//! deadlines, earliest first, or by fixed priorities, and the server that is scheduled executes its
//! tasks, first come first served. What a task asks for beyond its server's budget is served from later budgets of the same
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
//! | [`Grub`] | as [`ConstantBandwidth::SOFT`], or as [`SchedDeadline`]; it lasts longer where others have no work | Lipari and Baruah 2000; Linux |
//! | [`Iris`] | as [`ConstantBandwidth::HARD`]; earlier if the CPU would idle | Marzario et al. 2004 |
//! | [`Bids`] | as [`ConstantBandwidth`]; a server comes later after a job of little importance | reconstructed |
//! | [`Periodic::POLLING`] | no budget until the period is over, nor when there was no task | Lehoczky et al. 1987 |
//! | [`Periodic::DEFERRABLE`] | no budget until the period is over | Strosnider et al. 1995 |
//! | [`Sporadic`] | each piece comes back a period after it could be used | Sprunt et al. 1989 |
//! | [`TotalBandwidth`] | budgets are not enforced | Spuri and Buttazzo 1994 |
//!
//! Tasks without a server run in the background, by a policy of their own.
//!
//! [`Servers`] are those of one CPU, and [`GlobalServers`] those of CPUs that share them.
//! [`Admission`] limits what all ask for together.
//!
//! [`Inheriting`] is about mutexes: while a task waits for one, the owner is served in its place.

mod account;
mod admission;
mod bids;
mod chains;
mod constant_bandwidth;
mod global;
mod grub;
mod inheritance;
mod iris;
mod periodic;
mod policy;
mod rule;
mod sched_deadline;
mod seat;
mod shared;
mod sporadic;
mod total_bandwidth;

pub use account::{Account, Mode, Reservation};
pub use admission::Admission;
pub use bids::{Alpha, Bids};
pub use constant_bandwidth::ConstantBandwidth;
pub use global::GlobalServers;
pub use grub::{Grub, Reclaiming};
pub use inheritance::Inheriting;
pub use iris::Iris;
pub use periodic::Periodic;
pub use policy::Servers;
pub use rule::{Arrival, Rule, Supply};
pub use sched_deadline::SchedDeadline;
pub use seat::Seat;
pub use sporadic::{Pieces, Sporadic};
pub use total_bandwidth::TotalBandwidth;
