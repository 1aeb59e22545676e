//! Which of the paper's improvements there are.

use crate::servers::Bids;
use flyball_trace::Duration;

/// How the kernel works: the paper's is the default, but for the mode, of which it has both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switches {
    /// The length of a slot, not zero.
    pub slot: Duration,
    /// How the servers are found that are due.
    pub reactivation: Reactivation,
    /// What happens to the rest of a slot.
    pub slack: Slack,
    /// What happens when a budget is used up, and what the result of a job does. A result brings no
    /// server earlier here.
    pub bids: Bids,
}

/// How the servers are found that are due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reactivation {
    /// In each slot all servers are looked at.
    EverySlot,
    /// In each slot one variable is looked at, and all servers if that says so.
    Next,
}

/// What happens to the rest of a slot when a job ends, or a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slack {
    /// The background has it.
    None,
    /// The next server has it, once a slot.
    One,
    /// The next server has it, as often as there is one.
    All,
}

impl Default for Switches {
    fn default() -> Switches {
        Switches {
            slot: Duration::from_millis(10),
            reactivation: Reactivation::Next,
            slack: Slack::One,
            bids: Bids::default(),
        }
    }
}

impl Switches {
    /// What a server takes of the CPU with a budget, and with what is wasted after it.
    pub(super) fn taken(&self, budget: Duration) -> Duration {
        match self.slack {
            Slack::None => self.slot * budget.as_nanos().div_ceil(self.slot.as_nanos()),
            Slack::One => budget + self.slot,
            Slack::All => budget,
        }
    }
}
