//! Which groups are worth a visit.

use super::Costs;
use crate::encode::Encode;
use crate::group::{Group, MOST_GROUPS};

/// How much time counts against energy, in thousandths: 1000 for time alone, 0 for energy alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Weight(u16);

impl Weight {
    /// Nothing but energy counts.
    pub const ENERGY: Weight = Weight(0);
    /// Nothing but time counts.
    pub const TIME: Weight = Weight(Weight::ALL);

    const ALL: u16 = 1_000;

    /// So many thousandths of time, at most 1000.
    pub const fn thousandths(of_time: u16) -> Option<Weight> {
        if of_time <= Weight::ALL {
            Some(Weight(of_time))
        } else {
            None
        }
    }

    /// Whether time counts more than energy.
    pub const fn prefers_time(self) -> bool {
        self.0 > Weight::ALL / 2
    }

    /// So many parts of `time`, and the rest of `energy`; rounded up.
    pub(super) fn mix(self, time: u32, energy: u32) -> u32 {
        let (all, of_time) = (u64::from(Weight::ALL), u64::from(self.0));
        let sum = u64::from(time) * of_time + u64::from(energy) * (all - of_time);
        // A mean of the two is not larger than both.
        u32::try_from(sum.div_ceil(all)).unwrap_or(u32::MAX)
    }
}

/// The groups that are visited. Tasks of the others are served in the next higher one that is. There are at most
/// [`MOST_GROUPS`], one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept(u8);

impl Kept {
    /// All groups.
    pub const ALL: Kept = Kept(u8::MAX);

    /// Whether the group is visited.
    pub fn contains(self, group: Group) -> bool {
        group.index() < MOST_GROUPS && self.0 & 1 << group.0 != 0
    }

    /// These without one.
    #[must_use]
    pub fn without(self, group: Group) -> Kept {
        if group.index() < MOST_GROUPS {
            Kept(self.0 & !(1 << group.0))
        } else {
            self
        }
    }

    /// The group in which tasks of `group` are served: itself, or the next higher one that is
    /// visited. A higher operating point makes no task slower.
    pub fn serves(self, group: Group) -> Group {
        let higher = (group.index()..MOST_GROUPS).map(Group::of);
        let mut kept = higher.filter(|&group| self.contains(group));
        kept.next().unwrap_or(group)
    }
}

impl Encode for Kept {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.0.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Kept> {
        u8::parse(bytes).map(Kept)
    }
}

impl Costs {
    /// The groups that cost not more than `limit`: the cheapest way in and the cheapest way out
    /// again, together, where all others are there. The highest group is always kept, since
    /// tasks that are not known yet run there. All are kept unless time counts more than energy: to
    /// save energy, a costly transition may be worth its time.
    pub fn kept(&self, limit: u64, weight: Weight) -> Kept {
        if !weight.prefers_time() {
            return Kept::ALL;
        }
        let mut kept = Kept::ALL;
        for group in self.groups().take(self.count() - 1) {
            let others = || self.groups().filter(|&other| other != group);
            let into = others().map(|other| self.of(other, group)).min();
            let out = others().map(|other| self.of(group, other)).min();
            let both = u64::from(into.unwrap_or(0)) + u64::from(out.unwrap_or(0));
            if both > limit {
                kept = kept.without(group);
            }
        }
        kept
    }
}
