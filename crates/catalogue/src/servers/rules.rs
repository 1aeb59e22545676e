//! How the user knows each rule of servers, and what it can be told.

use super::{Allowance, QUANTUM, ServerRule};
use crate::settings::{Setting, Values};
use flyball_policy::servers::{
    Admission, Bids, ConstantBandwidth, Grub, Iris, Mode, Periodic, SchedDeadline, Sporadic,
    TotalBandwidth,
};

const SOFT_OR_HARD: &str = "a used up budget is replenished at once with a later deadline (soft), or at its deadline (hard)";

impl ServerRule for ConstantBandwidth {
    const NAME: &'static str = "cbs";
    const SOURCE: &'static str = "Abeni and Buttazzo, \"Integrating multimedia applications in \
                                  hard real-time systems\", RTSS 1998";
    const SETTINGS: &'static [Setting] = &[
        Setting::choice("mode", SOFT_OR_HARD, &["soft", "hard"]),
        Allowance::JOB,
        Allowance::INTERRUPTS,
        QUANTUM,
    ];
    const MODES: &'static [Mode] = &[Mode::OfRule, Mode::Hard, Mode::Soft];
    type Rule = ConstantBandwidth;
    type Encoded = bool;

    fn new(values: &dyn Values) -> Result<ConstantBandwidth, &'static str> {
        let is_hard = values.text("mode") == "hard";
        Ok(ConstantBandwidth { is_hard })
    }

    fn rule(&self) -> ConstantBandwidth {
        *self
    }

    fn encoded(&self) -> bool {
        self.is_hard
    }

    fn decoded(is_hard: bool) -> Option<ConstantBandwidth> {
        Some(ConstantBandwidth { is_hard })
    }
}

/// Millionths of one.
const MILLION: u32 = 1_000_000;

/// Whose reclaiming.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reclaim {
    /// As published: all of the CPU.
    Published,
    /// Linux's: up to so many millionths of the CPU, at most a million and not zero.
    Linux(u32),
}

impl ServerRule for Reclaim {
    const NAME: &'static str = "grub";
    const SOURCE: &'static str = "Lipari and Baruah, \"Greedy reclamation of unused bandwidth in \
                                  constant-bandwidth servers\", ECRTS 2000";
    const SETTINGS: &'static [Setting] = &[
        Setting::choice(
            "variant",
            "as published, with soft servers, or Linux's, with hard ones",
            &["published", "linux"],
        ),
        Setting::decimal(
            "limit",
            "how much of the CPU Linux's servers may use together",
            "0.95",
        ),
        Allowance::JOB,
        Allowance::INTERRUPTS,
        QUANTUM,
    ];
    const MODES: &'static [Mode] = &[Mode::OfRule];
    type Rule = Grub;
    type Encoded = u32;

    fn new(values: &dyn Values) -> Result<Reclaim, &'static str> {
        if values.text("variant") != "linux" {
            return Ok(Reclaim::Published);
        }
        let limit = values.millionths("limit");
        Reclaim::decoded(limit)
            .filter(|_| limit > 0)
            .ok_or("`limit` is more than 0, and at most 1")
    }

    fn rule(&self) -> Grub {
        match *self {
            Reclaim::Published => Grub::published(),
            Reclaim::Linux(limit) => Grub::linux(limit),
        }
    }

    fn encoded(&self) -> u32 {
        match *self {
            Reclaim::Published => 0,
            Reclaim::Linux(limit) => limit,
        }
    }

    fn decoded(limit: u32) -> Option<Reclaim> {
        match limit {
            0 => Some(Reclaim::Published),
            1..=MILLION => Some(Reclaim::Linux(limit)),
            _ => None,
        }
    }
}

impl ServerRule for Bids {
    const NAME: &'static str = "bids";
    const SOURCE: &'static str = "Ordinez, Donari, Santos and Orozco, \"A behavior priority driven \
                                  approach for resource reservation scheduling\", SAC 2008";
    const SETTINGS: &'static [Setting] = &[
        Setting::choice("mode", SOFT_OR_HARD, &["hard", "soft"]),
        Setting::decimal(
            "alpha",
            "by how many periods a server comes later for each step of a job's result",
            "1",
        ),
        Setting::count(
            "levels",
            "the most steps that a result counts for, up to 255: 1 as first published",
            1,
        ),
        Setting::decimal(
            "least",
            "the least distance between a server's budgets, in periods; below 1 the results from \
             128 on are negative (255 is -1), after which a server comes earlier",
            "1",
        ),
        Allowance::JOB,
        Allowance::INTERRUPTS,
        QUANTUM,
    ];
    const MODES: &'static [Mode] = &[Mode::OfRule, Mode::Hard, Mode::Soft];
    type Rule = Bids;
    type Encoded = (bool, u32, u8, u32);

    fn new(values: &dyn Values) -> Result<Bids, &'static str> {
        let levels = u8::try_from(values.integer("levels"));
        let levels = levels.map_err(|_| "`levels` is at most 255")?;
        let is_hard = values.text("mode") == "hard";
        let (alpha, least) = (values.millionths("alpha"), values.millionths("least"));
        Bids::decoded((is_hard, alpha, levels, least))
            .ok_or("`least` is more than 0, and at most 1")
    }

    fn rule(&self) -> Bids {
        *self
    }

    fn encoded(&self) -> (bool, u32, u8, u32) {
        (self.budgets.is_hard, self.alpha, self.levels, self.least)
    }

    fn decoded((is_hard, alpha, levels, least): (bool, u32, u8, u32)) -> Option<Bids> {
        let bids = Bids {
            budgets: ConstantBandwidth { is_hard },
            alpha,
            levels,
            least,
        };
        (levels > 0 && (1..=MILLION).contains(&least)).then_some(bids)
    }
}

/// Linux's servers, with its admission control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linux {
    /// Servers may ask for so many millionths of each CPU, at most a million; 0: for as much as they
    /// like.
    pub limit: u32,
}

impl Linux {
    /// Without admission control.
    pub const UNLIMITED: Linux = Linux { limit: 0 };
}

impl ServerRule for Linux {
    const NAME: &'static str = "sched-deadline";
    const SOURCE: &'static str = "Linux, Documentation/scheduler/sched-deadline.rst";
    const SETTINGS: &'static [Setting] = &[
        Setting::decimal(
            "limit",
            "how much of each CPU servers may ask for together by budget / period, at most 1; more is \
             refused; 0: nothing is",
            "0.95",
        ),
        Allowance::JOB,
        Allowance::INTERRUPTS,
        QUANTUM,
    ];
    type Rule = SchedDeadline;
    type Encoded = u32;

    fn new(values: &dyn Values) -> Result<Linux, &'static str> {
        Linux::decoded(values.millionths("limit")).ok_or("`limit` is at most 1")
    }

    fn rule(&self) -> SchedDeadline {
        SchedDeadline
    }

    fn admission(&self, cpus: usize) -> Admission {
        match self.limit {
            0 => Admission::UNLIMITED,
            limit => Admission::limited(limit, cpus),
        }
    }

    fn encoded(&self) -> u32 {
        self.limit
    }

    fn decoded(limit: u32) -> Option<Linux> {
        (limit <= MILLION).then_some(Linux { limit })
    }
}

/// Polling servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Polling;

/// Deferrable servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deferrable;

/// Rules that can be told nothing.
macro_rules! plain {
    ($($type:ident: $name:literal, $rule:ty = $value:expr, $source:expr;)*) => {$(
        impl ServerRule for $type {
            const NAME: &'static str = $name;
            const SOURCE: &'static str = $source;
            type Rule = $rule;
            type Encoded = ();

            fn new(_: &dyn Values) -> Result<$type, &'static str> {
                Ok($type::default())
            }

            fn rule(&self) -> $rule {
                $value
            }

            fn encoded(&self) {}

            fn decoded((): ()) -> Option<$type> {
                Some($type::default())
            }
        }
    )*};
}

plain! {
    Iris: "iris", Iris = Iris::default(),
        "Marzario, Lipari, Balbastre and Crespo, \"IRIS: a new reclaiming algorithm for server-based \
         real-time systems\", RTAS 2004";
    TotalBandwidth: "tbs", TotalBandwidth = TotalBandwidth,
        "Spuri and Buttazzo, \"Efficient aperiodic service under earliest deadline scheduling\", \
         RTSS 1994";
    Polling: "polling", Periodic = Periodic::POLLING,
        "Lehoczky, Sha and Strosnider, \"Enhanced aperiodic responsiveness in hard real-time \
         environments\", RTSS 1987";
    Deferrable: "deferrable", Periodic = Periodic::DEFERRABLE,
        "Strosnider, Lehoczky and Sha, \"The deferrable server algorithm for enhanced aperiodic \
         responsiveness in hard real-time environments\", IEEE Transactions on Computers 44(1), 1995";
    Sporadic: "sporadic", Sporadic = Sporadic,
        "Sprunt, Sha and Lehoczky, \"Aperiodic task scheduling for hard real-time systems\", \
         Real-Time Systems 1(1), 1989";
}
