//! SOOS: servers in slots.
//!
//! Each task has a server, as under [`Cbs`](crate::Cbs). One that several tasks name in a task set is
//! refused, since a server of SOOS is one task's.

mod list;

pub use list::{AnyList, ListKind};

use crate::facts::{Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Size, Unserved};
use crate::servers::{Allowance, Background, QUANTUM, background, seat, shared};
use crate::settings::{Configured, Setting, Values};
use flyball_policy::servers::{Bids, ConstantBandwidth, Mode, Seat};
use flyball_policy::soos::{self, Reactivation, Slack, Switches};
use flyball_policy::{Duration, Encode, Nothing, Priority, Storage, Time, TopTwo};

/// SOOS.
#[derive(Clone, Copy, Debug)]
pub struct Soos {
    /// How the kernel works.
    pub switches: Switches,
    /// How the list of servers is kept that are ready.
    pub list: ListKind,
    /// How much more than its execution time a task's budget is.
    pub allowance: Allowance,
    /// The time slices of tasks in the background.
    pub quantum: Duration,
}

impl Configured for Soos {
    const SETTINGS: &'static [Setting] = &[
        Setting::duration(
            "slot",
            "how long a slot is; work is seen at the beginning of one",
            Duration::from_millis(10),
        ),
        Setting::choice(
            "reactivation",
            "in each slot the next instant is looked at, at which a server is due (next), or all \
             servers are (every-slot)",
            &["next", "every-slot"],
        ),
        Setting::choice(
            "queue",
            "how the servers are kept that are ready",
            ListKind::NAMES,
        ),
        Setting::choice(
            "slack",
            "when a job ends within a slot, the next server has the rest, once a slot (one); the \
             background has it (none); or servers have it as long as there are any (all)",
            &["one", "none", "all"],
        ),
        Setting::choice(
            "mode",
            "a used up budget is replenished when the period is over (hard), or at once with a \
             later deadline (soft)",
            &["hard", "soft"],
        ),
        Setting::decimal(
            "alpha",
            "by which part of its period a server is reactivated later for each level of a job's \
             result",
            "1.0",
        ),
        Setting::integer(
            "levels",
            "the largest result that counts, up to 255; with 0, results do nothing",
            1,
        ),
        Allowance::JOB,
        Allowance::INTERRUPTS,
        QUANTUM,
    ];

    fn new(values: &dyn Values, _: &[Facts]) -> Result<Soos, &'static str> {
        let levels = u8::try_from(values.integer("levels"));
        Ok(Soos {
            switches: Switches {
                slot: values.duration("slot"),
                reactivation: match values.text("reactivation") {
                    "every-slot" => Reactivation::EverySlot,
                    _ => Reactivation::Next,
                },
                slack: match values.text("slack") {
                    "none" => Slack::None,
                    "all" => Slack::All,
                    _ => Slack::One,
                },
                bids: Bids {
                    budgets: ConstantBandwidth {
                        is_hard: values.text("mode") == "hard",
                    },
                    alpha: values.millionths("alpha"),
                    levels: levels.map_err(|_| "`levels` is at most 255")?,
                    ..Bids::default()
                },
            },
            list: ListKind::named(values.text("queue")),
            allowance: Allowance::of(values),
            quantum: values.duration("quantum"),
        })
    }

    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let switches = &self.switches;
        let is_next = switches.reactivation == Reactivation::Next;
        // In the order of their declarations.
        let (slack, list) = (switches.slack as u8, self.list as u8);
        (switches.slot, is_next, slack).emit(put);
        let bids = &switches.bids;
        (bids.budgets.is_hard, bids.alpha, bids.levels, list).emit(put);
        (self.allowance, self.quantum).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Soos> {
        let (slot, is_next, slack): (Duration, bool, u8) = Encode::parse(bytes)?;
        let (is_hard, alpha, levels, list): (bool, u32, u8, u8) = Encode::parse(bytes)?;
        let (allowance, quantum): (Allowance, Duration) = Encode::parse(bytes)?;
        let slacks = [Slack::None, Slack::One, Slack::All];
        let lists = [
            ListKind::TopTwo,
            ListKind::Sorted,
            ListKind::Unsorted,
            ListKind::Flagged,
        ];
        if slot.is_zero() || quantum.is_zero() {
            return None;
        }
        Some(Soos {
            switches: Switches {
                slot,
                reactivation: if is_next {
                    Reactivation::Next
                } else {
                    Reactivation::EverySlot
                },
                slack: slacks.into_iter().find(|&it| it as u8 == slack)?,
                bids: Bids {
                    budgets: ConstantBandwidth { is_hard },
                    alpha,
                    levels,
                    ..Bids::default()
                },
            },
            list: lists.into_iter().find(|&it| it as u8 == list)?,
            allowance,
            quantum,
        })
    }
}

impl Scheduler for Soos {
    const NAME: &'static str = "soos";
    const PROFILE: Profile = Profile {
        decision: "O(1) within a slot and at most slots; O(n) of n servers at a slot at which one is \
                   due, or after one at which a job has ended",
        ..Profile::ranked::<TopTwo<Time, Nothing>, Time>(
            "Donari, Ordinez, Santos and Orozco, \"Kernel internals for real-time\"",
        )
    };
    type Params = Seat<Priority>;
    type Policy<S: Storage, C: Storage> = soos::Soos<AnyList<S>, Background<S>>;

    fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
        let list = AnyList::of(self.list, size.tasks);
        soos::Soos::new(self.switches, list, background(self.quantum, size))
    }

    fn params(&self, task: &Facts, _: &dyn Values) -> Result<Seat<Priority>, Missing> {
        seat(
            task,
            self.allowance,
            &[Mode::OfRule, Mode::Hard, Mode::Soft],
        )
    }

    fn unserved(&self, tasks: &[Facts], _: usize) -> Option<(usize, Unserved)> {
        shared(tasks)
    }
}
