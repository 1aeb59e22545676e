//! What is counted of a slot: rows of tables in simulation, instructions on a machine.

use crate::work::Setup;
use flyball_measure::bench::COUNTING;

/// What the policy is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activity {
    /// Which servers are due, and what they have then: the paper's activity 1.
    Reactivation = 0,
    /// To put a server into the list: activity 2.
    Insertion,
    /// To choose the server that runs: activity 3.
    Choice,
    /// To find the second of the list, which was put off.
    Settling,
    /// At the end of a job, and at its arrival.
    Other,
}

/// What was counted from the beginning of a slot to that of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Slot {
    /// By activity.
    pub(super) counts: [u32; 5],
    /// How many servers were put into the list.
    pub(super) reactivated: u32,
}

impl Slot {
    pub(super) fn of(&self, activity: Activity) -> u32 {
        self.counts[activity as usize]
    }

    pub(super) fn all(&self) -> u32 {
        self.counts.iter().sum()
    }
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// How often the kernel looks at a row of its tables, in simulation.
    Rows,
    /// What the policy executes on a machine.
    Instructions,
}

impl Unit {
    pub(super) fn of(setup: &Setup<'_>) -> Unit {
        if setup.bench.has(COUNTING) {
            Unit::Instructions
        } else {
            Unit::Rows
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Unit::Rows => "rows",
            Unit::Instructions => "instructions",
        }
    }

    /// What is counted, as a sentence.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Unit::Rows => {
                "What is counted is how often the kernel looks at a row of its tables, from slot to slot."
            }
            Unit::Instructions => {
                "What is counted is the instructions that the policy executes, from slot to slot, without a \
                 kernel around it."
            }
        }
    }

    /// The title of a figure with what the kernel spends.
    pub(super) fn title(self, rest: &str) -> String {
        match self {
            Unit::Rows => format!("Rows that the kernel looks at{rest}."),
            Unit::Instructions => format!("Instructions that the policy executes{rest}."),
        }
    }
}
