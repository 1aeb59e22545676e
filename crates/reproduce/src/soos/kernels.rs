//! The kernels that the paper compares, as settings of one.

use flyball_catalogue::soos::ListKind;
use flyball_catalogue::{Configured, Soos, settings::Defaults};
use flyball_policy::soos::{Reactivation, Slack, Switches};

/// A kernel of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kernel {
    /// SOOS with both improvements.
    Soos,
    /// All servers are looked at in each slot, and put into an ordered list.
    Ordered,
    /// Asterix (Thane et al.): all tasks are looked at in each slot, and an unsorted list is searched.
    Asterix,
    /// The control kernel (Marau et al.): a variable, and flags that are searched.
    Control,
}

impl Kernel {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kernel::Soos => "SOOS",
            Kernel::Ordered => "an ordered list",
            Kernel::Asterix => "Asterix",
            Kernel::Control => "control kernel",
        }
    }

    pub(super) fn settings(self, slack: Slack) -> Soos {
        match self {
            Kernel::Soos => settings(Reactivation::Next, ListKind::TopTwo, slack),
            Kernel::Ordered => settings(Reactivation::EverySlot, ListKind::Sorted, slack),
            Kernel::Asterix => settings(Reactivation::EverySlot, ListKind::Unsorted, slack),
            Kernel::Control => settings(Reactivation::Next, ListKind::Flagged, slack),
        }
    }
}

/// The settings of the catalogue by default, but for these.
pub(super) fn settings(reactivation: Reactivation, list: ListKind, slack: Slack) -> Soos {
    // The defaults go together.
    let defaults =
        Soos::new(&Defaults(Soos::SETTINGS), &[]).unwrap_or_else(|why| unreachable!("{why}"));
    Soos {
        switches: Switches {
            reactivation,
            slack,
            ..defaults.switches
        },
        list,
        ..defaults
    }
}
