//! Proportion-period reservations that set themselves: for pipelines of which neither execution times nor periods are known.
//!
//! Each task has a *reservation*: a share of the CPU (its *proportion*), to be had in every period. It is a server
//! ([`Servers`](crate::servers::Servers)); a task that has used its share up sleeps until its next period. A task that says
//! neither is watched: as soon as it sends or receives messages it is *real-rate*, and two controllers, which do not know of each other, set its share
//! (`proportion`) and its period (`period`) every 10 ms by how full its queues are.
//!
//! ```text
//!   queues ── levels ──> proportion ── share ───> squish ──> reservation ──> which task runs
//!          ── bursts ──> period ──── period ───────────────>
//! ```
//!
//! | a task says | class | share | period |
//! |---|---|---|---|
//! | share and period | real-time | its own | its own |
//! | a share | partial | its own | adapted, if it uses queues |
//! | a period | partial | adapted, if it uses queues | its own |
//! | nothing, and uses queues | real-rate | adapted | adapted |
//! | nothing, and uses no queue | best effort | what is left over | the longest |
//!
//! On one CPU ([`ProportionPeriod`]) or on all CPUs of a cluster ([`GlobalProportionPeriod`]): the controllers are the same, and a
//! [`Serving`] is below them.
//!
//! Promises: what tasks say of their shares is admitted or refused, and all other shares are squished by importance, so that none is left
//! with nothing. The shares of the next periods are never more than the limit together.
//! Does not promise: that an admitted share is had by the end of each period. A larger share holds at once, and a smaller one from the
//! next period on, so the present periods may ask for more than the limit together: where a task has said its share, or not all get what
//! they want, up to the next interval, otherwise up to the ends of the periods. A rate monotonic order has to hold by itself, too.
//! Does not promise: that no queue runs full or empty. The controllers need some intervals to learn what a
//! pipeline is like.
//! Source: D. C. Steere, J. Walpole and others on feedback-driven proportion allocation (OSDI 1999), and the paper on
//! automated period adaptation that follows it. Classes, thresholds, the interval and the law of the period are theirs; the law of the share is derived here.

mod control;
mod encode;
mod global;
mod levels;
mod part;
mod period;
mod policy;
mod promise;
mod promised;
mod proportion;
mod rule;
mod scale;
mod serving;
mod squish;
#[cfg(test)]
mod tests;

pub use global::{GlobalProportionPeriod, GlobalReserves};
pub use levels::Mark;
pub use part::{Part, Sum};
pub use period::{Period, Periods};
pub use policy::{Controlled, ProportionPeriod};
pub use promised::Promised;
pub use proportion::{Proportion, Reading, Times};
pub use rule::{Order, Reserves, Share};
pub use serving::{Class, Serving};
pub use squish::{Claim, Squish};

use crate::policy::{Parameter, Refused};
use flyball_trace::Duration;

/// When levels of queues are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sensing {
    /// At every change.
    #[default]
    Exact,
    /// Whenever a task stops: what the paper plans.
    Switch,
    /// When the controllers run: the paper's.
    Sampled,
}

/// What runs the controllers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ControllerPlace {
    /// An alarm of the policy, once in every interval: what the paper plans.
    #[default]
    Kernel,
    /// A thread, by [`Policy::control`](crate::Policy::control): the paper's prototype.
    Thread,
}

/// What the CPU does for tasks of best effort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BestEffort {
    /// They have reservations, too: what is left of the limit, divided by importance, in the longest period.
    #[default]
    OpenLoop,
    /// They run in the background while no reservation has work and a budget.
    LeftOver,
}

/// How it works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Which reservation comes first.
    pub order: Order,
    /// What runs the controllers.
    pub controller: ControllerPlace,
    /// How often the controllers run: every 10 ms. Not zero, and below 4.29 s. Where a thread runs them it is the
    /// interval that the thread should keep to: what comes earlier than half of it after the last run is left out.
    pub interval: Duration,
    /// How periods are controlled.
    pub periods: Periods,
    /// How much of each CPU all reservations may have together.
    pub limit: Part,
    /// What of each CPU tasks of best effort have together at the least.
    pub spare: Part,
    /// When levels are looked at.
    pub sensing: Sensing,
    /// What is done for tasks of best effort.
    pub best_effort: BestEffort,
    /// A task that comes back, and has used some of its budget already, waits for its next period if less than this is left
    /// of it; zero: it runs. Where there is a tick, its length: less than that the kernel cannot give exactly.
    pub denies: Duration,
    /// Whether shares that tasks say are lent to others while they are not used, and cut for more important tasks.
    pub renegotiates: bool,
}

impl Settings {
    /// The paper's, where it says something.
    pub const DEFAULT: Settings = Settings {
        order: Order::Rate,
        controller: ControllerPlace::Kernel,
        interval: Duration::from_millis(10),
        periods: Periods::PAPER,
        limit: Part::millionths(980_000),
        spare: Part::millionths(20_000),
        sensing: Sensing::Exact,
        best_effort: BestEffort::OpenLoop,
        denies: Duration::ZERO,
        renegotiates: false,
    };
}

/// What a task says of its reservation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Its share; `None`: it is not known.
    pub share: Option<Part>,
    /// Its period, from a microsecond to 4.29 s; `None`: it is not known.
    pub period: Option<Duration>,
    /// How important it is in overload, relative to others: 1 or more.
    pub importance: u16,
}

impl Request {
    /// Nothing is known.
    pub const NOTHING: Request = Request {
        share: None,
        period: None,
        importance: 1,
    };
}

/// The shortest period that a task may say.
const SHORTEST: Duration = Duration::from_micros(1);
/// No interval and no period is longer.
const LONGEST: Duration = Duration::from_nanos(u32::MAX as u64);

impl Request {
    /// Whether something is left to adapt: the share, the period, or both.
    pub fn adapts(&self) -> bool {
        self.share.is_none() || self.period.is_none()
    }

    /// Whether it says both: then nothing is adapted.
    pub fn is_real_time(&self) -> bool {
        !self.adapts()
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    pub fn check(&self) -> Result<(), Refused> {
        let invalid = |parameter| Err(Refused::Invalid(parameter));
        match (self.share, self.period) {
            (Some(Part::NOTHING), _) => invalid(Parameter::Budget),
            (Some(share), _) if share > Part::ALL => invalid(Parameter::Budget),
            (_, Some(period)) if !(SHORTEST..=LONGEST).contains(&period) => {
                invalid(Parameter::Period)
            }
            _ if self.importance == 0 => invalid(Parameter::Other),
            _ => Ok(()),
        }
    }
}

impl Settings {
    /// Checks the ranges, and the conditions under which the controllers are stable.
    ///
    /// # Errors
    /// Says which condition does not hold.
    pub fn check(&self) -> Result<(), &'static str> {
        let periods = &self.periods;
        let is_ordered = SHORTEST <= periods.shortest
            && periods.shortest <= periods.start
            && periods.start <= periods.longest
            && periods.longest <= LONGEST;
        if !is_ordered {
            return Err("`shortest` ≤ `start` ≤ `longest` has to hold, from 1 µs to 4.29 s");
        }
        if self.interval < SHORTEST || self.interval > periods.longest {
            return Err("`interval` is from 1 µs to the longest period");
        }
        if self.sensing == Sensing::Sampled && periods.shortest < self.interval * 2 {
            return Err(
                "`shortest` is below twice `interval`: levels that are sampled have to be seen twice in a \
                 period (take a longer `shortest`, a shorter `interval`, or `sensing = \"exact\"`)",
            );
        }
        if periods.threshold == 0 || periods.threshold > 1 << 16 {
            return Err("`threshold` is more than 0, and at most 1");
        }
        if self.limit.without(self.spare) <= LEAST || self.limit > Part::ALL {
            return Err("`limit` is at most 1, and more than `spare` by over 0.002");
        }
        Ok(())
    }
}

/// The least share of a task whose share is adapted: 0.2 %.
const LEAST: Part = Part::millionths(2_000);
/// The share of a task that uses queues, and has not moved a message yet, to begin with: a quarter.
const FIRST: Part = Part::millionths(250_000);
