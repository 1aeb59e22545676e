//! Groups: the second key of a task.
//!
//! A priority says which task runs first. A group says which tasks are cheap to run one after
//! another: those that want the same frequency of the CPU, that share code, or that need the same
//! device. Source: Finster, *Double-sorted scheduling in process cruise control environments*,
//! Universität Karlsruhe 2005, chapter 1. There a group is a *frequency domain*.

/// The most groups that are told apart by their costs ([`Costs`](crate::Costs)).
pub const MOST_GROUPS: usize = 8;

/// The group of a task. Where groups are operating points of a CPU, 0 is the slowest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Group(pub u8);

impl Group {
    /// The group with this number; at most 7, the last one of [`MOST_GROUPS`].
    #[inline]
    pub const fn of(number: usize) -> Group {
        let last = MOST_GROUPS - 1;
        let number = if number < last { number } else { last };
        // Below 8.
        #[expect(clippy::cast_possible_truncation)]
        Group(number as u8)
    }

    /// The number of the group, as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
