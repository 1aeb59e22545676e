//! How far groups are told apart, while a policy runs.

use crate::costs::{History, Kept};
use crate::encode::Encode;
use crate::group::{Group, MOST_GROUPS};

/// How far groups are told apart. It can be changed while the policy runs ([`Tune::Sorts`](super::Tune)).
///
/// The source leaves this open (chapters 3 and 5): to leave out a group whose changes cost too much, to join
/// the lists of a group that few tasks use with those of another one and to part them again, and to check its
/// rule of thumb while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sorts {
    /// Groups that are visited. Tasks of the others are served in the next higher one that is.
    pub kept: Kept,
    /// A group with fewer members is not visited, either; 0 and 1: each is.
    pub fewest: u8,
    /// What it costs at a context switch to sort, in units of `adjustment`. While the adjustments that
    /// tasks would need in the order in which they come cost less, equals are left in that order
    /// ([`History`]); 0: they are always sorted.
    pub sorting: u32,
    /// What a change of group costs.
    pub adjustment: u32,
}

impl Sorts {
    /// All groups are told apart, always.
    pub const ALWAYS: Sorts = Sorts {
        kept: Kept::ALL,
        fewest: 0,
        sorting: 0,
        adjustment: 1,
    };
}

/// In the order of their declarations.
impl Encode for Sorts {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.kept, self.fewest).emit(put);
        (self.sorting, self.adjustment).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Sorts> {
        let (kept, fewest, sorting, adjustment) = Encode::parse(bytes)?;
        Some(Sorts {
            kept,
            fewest,
            sorting,
            adjustment,
        })
    }
}

/// Where tasks of each group are served now, and what that depends on.
pub(super) struct Serving {
    sorts: Sorts,
    /// How many members each group has.
    members: [u16; MOST_GROUPS],
    /// The groups that are visited.
    visited: Kept,
    /// What adjustments would cost in the order in which tasks come.
    history: History,
    /// The group of the task that came last.
    last: Group,
    /// Whether the history says that sorting pays.
    pays: bool,
}

impl Serving {
    pub(super) const fn new(sorts: Sorts) -> Serving {
        Serving {
            sorts,
            members: [0; MOST_GROUPS],
            visited: sorts.kept,
            history: History::NONE,
            last: Group(0),
            pays: true,
        }
    }

    /// The group in which tasks of `group` are served.
    pub(super) fn serves(&self, group: Group) -> Group {
        self.visited.serves(group)
    }

    /// The group under which the queue has such tasks: while nothing is sorted they are all in one.
    pub(super) fn queued(&self, group: Group) -> Group {
        if self.pays {
            self.serves(group)
        } else {
            Group(0)
        }
    }

    /// A member leaves one group for another. Returns whether tasks are served elsewhere now.
    pub(super) fn moved(&mut self, from: Option<Group>, to: Option<Group>) -> bool {
        if let Some(from) = from {
            self.members[from.index()] -= 1;
        }
        if let Some(to) = to {
            // There are fewer tasks than 2^16.
            self.members[to.index()] += 1;
        }
        self.sorts.fewest > 1 && self.choose()
    }

    /// Other settings. What has come of late is forgotten. Returns whether tasks are served elsewhere now.
    pub(super) fn tune(&mut self, sorts: Sorts) -> bool {
        let did_not_pay = !self.pays;
        self.sorts = sorts;
        (self.history, self.pays) = (History::NONE, true);
        self.choose() | did_not_pay
    }

    /// Chooses the groups that are visited: those that are kept and have enough members, and the highest one
    /// that has any. Returns whether they are others than before.
    fn choose(&mut self) -> bool {
        let highest = self.members.iter().rposition(|&count| count > 0);
        let mut visited = self.sorts.kept;
        for (place, &count) in self.members.iter().enumerate() {
            let has_few = self.sorts.fewest > 1 && count < self.sorts.fewest.into();
            if has_few && Some(place) != highest {
                visited = visited.without(Group::of(place));
            }
        }
        core::mem::replace(&mut self.visited, visited) != visited
    }

    /// A task of this group comes behind its equals. Returns whether tasks are served elsewhere now.
    #[inline]
    pub(super) fn came(&mut self, group: Group) -> bool {
        self.sorts.sorting > 0 && self.note(group)
    }

    /// The history is looked at whenever it has grown old, so that sorting is not switched on and off at
    /// each task that comes.
    #[inline(never)]
    fn note(&mut self, group: Group) -> bool {
        let group = self.serves(group);
        let changes = core::mem::replace(&mut self.last, group) != group;
        let is_old = self
            .history
            .note(if changes { self.sorts.adjustment } else { 0 });
        if !is_old {
            return false;
        }
        let pays = self.history.pays(self.sorts.sorting);
        core::mem::replace(&mut self.pays, pays) != pays
    }
}
