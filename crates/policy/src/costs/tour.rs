//! The cheapest order of groups.
//!
//! There are at most eight groups, so all orders are tried, and those left early that cost too much
//! already: 5,040 rounds at the most. Of several that cost the same it is the one with the smaller
//! numbers first.

use super::{Costs, Kept};
use crate::group::{Group, MOST_GROUPS};

/// An order of groups that costs the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    groups: [Group; MOST_GROUPS],
    count: usize,
    /// What it costs to go that way; for a round, with the way back to where it begins.
    pub cost: u64,
}

impl Path {
    /// The groups, in the order in which they are visited.
    pub fn groups(&self) -> &[Group] {
        &self.groups[..self.count]
    }

    /// The groups, and then all the others by rising number.
    fn and_others(&self) -> impl Iterator<Item = Group> + '_ {
        let others = (0..MOST_GROUPS).map(Group::of);
        let others = others.filter(|group| !self.groups().contains(group));
        self.groups().iter().copied().chain(others)
    }
}

/// A search for the cheapest order.
struct Search<'a> {
    costs: &'a Costs,
    /// Where the order has to end, at the cost of the way there.
    end: Option<Group>,
    path: Path,
    best: Path,
}

impl Search<'_> {
    fn from(costs: &Costs, start: Group, end: Option<Group>, kept: Kept) -> Path {
        let path = Path {
            groups: [start; MOST_GROUPS],
            count: 1,
            cost: 0,
        };
        let best = Path {
            cost: u64::MAX,
            ..path
        };
        let mut search = Search {
            costs,
            end,
            path,
            best,
        };
        search.go_on(kept.without(start));
        search.best
    }

    /// Tries all orders of the groups that are left.
    fn go_on(&mut self, left: Kept) {
        let Path { count, cost, .. } = self.path;
        let last = self.path.groups[count - 1];
        let next = self.costs.groups().filter(|&group| left.contains(group));
        let mut is_complete = true;
        for group in next {
            is_complete = false;
            let cost = cost + u64::from(self.costs.of(last, group));
            if cost < self.best.cost {
                self.path.groups[count] = group;
                (self.path.count, self.path.cost) = (count + 1, cost);
                self.go_on(left.without(group));
                self.path.count = count;
            }
        }
        let back = self.end.map_or(0, |end| self.costs.of(last, end));
        let cost = cost + u64::from(back);
        if is_complete && cost < self.best.cost {
            self.best = Path { cost, ..self.path };
        }
    }
}

impl Costs {
    /// The cheapest way from `start` through all other groups that are kept, each visited once.
    /// O(groups!).
    pub fn path(&self, start: Group, kept: Kept) -> Path {
        Search::from(self, start, None, kept)
    }

    /// The cheapest round through all groups that are kept, each visited once, beginning with the
    /// lowest. O(groups!).
    pub fn round(&self, kept: Kept) -> Path {
        let mut groups = self.groups().filter(|&group| kept.contains(group));
        let start = groups.next().unwrap_or_default();
        Search::from(self, start, Some(start), kept)
    }

    /// From `start` always to the nearest group that has not been visited: what a scheduler does that
    /// knows no more than the row of the present group. It may cost more than [`Costs::path`].
    /// O(groups²).
    pub fn nearest_first(&self, start: Group) -> Path {
        let mut path = Path {
            groups: [start; MOST_GROUPS],
            count: 1,
            cost: 0,
        };
        let mut last = start;
        loop {
            let left = self.groups().filter(|group| !path.groups().contains(group));
            let Some(next) = left.min_by_key(|&group| self.of(last, group)) else {
                return path;
            };
            path.groups[path.count] = next;
            path.count += 1;
            path.cost += u64::from(self.of(last, next));
            last = next;
        }
    }
}

/// In which order groups are looked at from each of them: itself, then along the cheapest path. 64
/// bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visits([[Group; MOST_GROUPS]; MOST_GROUPS]);

impl Visits {
    /// Along the cheapest paths. Groups that are not visited come last. O(groups!).
    pub fn cheapest(costs: &Costs, kept: Kept) -> Visits {
        Visits::from_fn(|group| costs.path(group, kept))
    }

    fn from_fn(path: impl Fn(Group) -> Path) -> Visits {
        let mut visits = [[Group(0); MOST_GROUPS]; MOST_GROUPS];
        for (group, row) in visits.iter_mut().enumerate() {
            for (place, group) in row.iter_mut().zip(path(Group::of(group)).and_others()) {
                *place = group;
            }
        }
        Visits(visits)
    }

    /// All groups, in the order in which they are looked at from this one.
    #[inline]
    pub fn from(&self, group: Group) -> impl Iterator<Item = Group> + '_ {
        self.0[group.index() % MOST_GROUPS].iter().copied()
    }
}

/// The group itself, then all others by rising number.
impl Default for Visits {
    fn default() -> Visits {
        Visits::from_fn(|group| Path {
            groups: [group; MOST_GROUPS],
            count: 1,
            cost: 0,
        })
    }
}

/// A round through all groups: which one is visited after which. 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round([Group; MOST_GROUPS]);

impl Round {
    /// The cheapest one. Groups that are not visited come after the last that is. O(groups!).
    pub fn cheapest(costs: &Costs, kept: Kept) -> Round {
        let path = costs.round(kept);
        let mut next = [Group(0); MOST_GROUPS];
        let mut last = path.and_others().last().unwrap_or_default();
        for group in path.and_others() {
            next[last.index()] = group;
            last = group;
        }
        Round(next)
    }

    /// The group after this one.
    #[inline]
    pub fn after(&self, group: Group) -> Group {
        self.0[group.index() % MOST_GROUPS]
    }

    /// All groups, beginning with this one.
    #[inline]
    pub fn from(&self, group: Group) -> impl Iterator<Item = Group> + '_ {
        let mut next = group;
        (0..MOST_GROUPS).map(move |_| {
            let group = next;
            next = self.after(group);
            group
        })
    }
}

/// By rising number, and from the last to the first.
impl Default for Round {
    fn default() -> Round {
        Round::cheapest(&Costs::even(1, 0), Kept::ALL)
    }
}
