//! Every scheduling policy of Flyball, once.
//!
//! What a policy *is* stands here: its order and its queue, its settings, what it reads from a
//! task, and where tasks are placed. The simulator, the laboratory, the images for all machines and
//! the measurements are made from this one description, so they cannot disagree about a policy.
//!
//! | to find | look in |
//! |---|---|
//! | the list of all policies, by name | [`list`] |
//! | what a policy may read about a task | [`facts`] |
//! | what a policy can be told, as a whole and by each task | [`settings`] |
//! | what a task of a file says to a policy | `task_table` |
//! | what a scheduler is, for one of your own | [`scheduler`] |
//! | how a scheduler works and where it was published, for a reader | [`profile`] |
//! | orders, each with its queue | [`rule`] |
//! | partitioned, clustered, global, with affinities | [`placement`] |
//! | PD² and PF | [`fair`] |
//! | non-preemptive EDF | [`np_edf`] |
//! | I+PI | [`ipi`] |
//! | Linux 2.0's scheduler | [`linux_2_0`] |
//! | Linux's O(1) scheduler | [`linux_o1`] |
//! | EDF above rate monotonic priorities | [`csd`] |
//! | fixed priorities, and equals by group | [`dss`] |
//! | earliest deadline first, and those of a window by group | [`dss_edf`] |
//! | fixed priorities by group, at the operating points that counters ask for | [`cruise`] |
//! | EDF at the lowest frequency at which no deadline is missed | [`scaled`] |
//! | servers with budgets | [`servers`] |
//! | reservations that set themselves | [`pp`] |
//! | servers in slots, as SOOS has them | [`soos`] |
//! | what a schedule says about shorter jobs | [`sustainable`] |
//! | a scheduler as it is written into an image | [`written`] |
//! | several schedulers as one, for images | [`any`] |
#![cfg_attr(not(any(test, feature = "model")), no_std)]

pub mod any;
pub mod cruise;
pub mod csd;
pub mod dss;
pub mod dss_edf;
pub mod facts;
pub mod fair;
pub mod ipi;
pub mod linux_2_0;
pub mod linux_o1;
pub mod list;
pub mod np_edf;
pub mod placement;
pub mod pp;
pub mod profile;
pub mod rule;
pub mod scaled;
pub mod scheduler;
pub mod servers;
pub mod settings;
pub mod soos;
pub mod sorting;
pub mod sustainable;
#[cfg(feature = "model")]
pub mod task_table;
pub mod written;

pub use any::Boot;
pub use cruise::{Cruise, LATENCY};
pub use csd::Csd;
pub use dss::Dss;
pub use dss_edf::DssEdf;
pub use facts::{Arrival, Facts, Groups, Missing, Reserve, Service};
pub use fair::{Pd2, Pf, until_slot};
pub use ipi::Ipi;
pub use linux_2_0::Linux20;
pub use linux_o1::LinuxO1;
pub use list::{
    Entry, Multiprocessor, Placement, RuleVisitor, Split, Uniprocessor, Visitor, entries, find,
    path, visit, visit_rule,
};
pub use np_edf::NpEdf;
pub use placement::{Affine, Clustered, Queued};
pub use pp::{GlobalPp, Pp};
pub use profile::Profile;
pub use rule::{Dm, Edf, Fifo, Fp, FpRr, Llf, Rm, Rr, Rule};
pub use scaled::{CcEdf, ScaledEdf, StaticEdf};
pub use scheduler::{Scheduler, Shape, Size, Unserved};
pub use servers::{
    Allowance, Bids, Cbs, Deferrable, DeferrableServers, Everywhere, GlobalCbs, GlobalRule,
    GlobalSchedDeadline, Grub, Iris, Linux, OwnServers, Polling, PollingServers, Reclaim,
    SchedDeadline, ServerRule, SporadicServers, Tbs,
};
pub use settings::{Configured, Setting, Values};
pub use soos::Soos;
pub use sustainable::Sustainable;
#[cfg(feature = "model")]
pub use task_table::TaskTable;
pub use written::{Origin, Written};
