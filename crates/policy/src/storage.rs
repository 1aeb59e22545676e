//! Tables of a fixed number of rows, in place or on a heap.
//!
//! Policies and the kernel keep everything in tables indexed by [`TaskId`](crate::TaskId). A
//! microcontroller wants them in place, with a size known at compile time ([`Inline`]); a simulator
//! wants a size that it learns at run time. A [`Storage`] says which, once, for all the tables of a
//! policy. Tables on a heap (`Boxed`) are there with the feature `alloc`; nothing else needs one.

use crate::by_rank::{ByRank, StaticOrder};
use crate::queue::{Heap, Queue, SortedRing};
use crate::ranked::{FromOrder, Ranked};
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

/// Where tables live.
pub trait Storage: Sized {
    /// A table of `T`s kept there.
    type Table<T>: Table<T>;

    /// The queue for keys of any kind that is fast with as many tasks as such tables are for.
    type Sorted<K: Copy + Ord + Default>: Queue<K, Storage = Self>;

    /// Where there is what pays with many tasks only: in tables of the same kind, or nowhere.
    type ForMany: Storage;

    /// The policy of one CPU that is fast with as many tasks, for orders in which a task's key hardly
    /// ever changes.
    type Static<O: StaticOrder>: FromOrder<O>;
}

/// A fixed number of rows.
///
/// Indexing past [`Table::capacity`] is a bug of the caller: it may panic or hit another row, but
/// it never touches other memory. A kernel with checks looks at the ids that callers and policies
/// give it, so that none of them comes this far.
pub trait Table<T>: Index<usize, Output = T> + IndexMut<usize> {
    /// A table of `capacity` rows, all of them `row`. A table whose size is part of its type
    /// ignores `capacity`.
    fn new(capacity: usize, row: T) -> Self
    where
        T: Copy;

    /// The number of rows.
    fn capacity(&self) -> usize;

    /// All rows, of a table that keeps them as a slice; of another one, none. An access through `self` may look up each
    /// time where the table is, one through the slice does not.
    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        &mut []
    }

    /// The row of a number below [`Table::capacity`]; `None` in a table without rows. For callers
    /// that can do without, where [`Nothing`] has been chosen.
    fn find(&self, row: usize) -> Option<&T> {
        (row < self.capacity()).then(|| &self[row])
    }

    /// As [`Table::find`], to be changed.
    fn find_mut(&mut self, row: usize) -> Option<&mut T> {
        (row < self.capacity()).then(|| &mut self[row])
    }
}

/// No tables: for what an application does without. It takes no memory, and the compiler leaves out
/// the code for it.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// A table without rows.
#[derive(Clone, Copy, Debug)]
pub struct NoTable<T>(PhantomData<T>);

impl Storage for Nothing {
    type Table<T> = NoTable<T>;
    type Sorted<K: Copy + Ord + Default> = Heap<K, Self>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = ByRank<O, Self>;
}

impl<T> Table<T> for NoTable<T> {
    #[inline]
    fn new(_: usize, _: T) -> Self
    where
        T: Copy,
    {
        NoTable(PhantomData)
    }

    fn capacity(&self) -> usize {
        0
    }

    fn find(&self, _: usize) -> Option<&T> {
        None
    }

    fn find_mut(&mut self, _: usize) -> Option<&mut T> {
        None
    }
}

impl<T> Index<usize> for NoTable<T> {
    type Output = T;
    fn index(&self, _: usize) -> &T {
        unreachable!("a table without rows")
    }
}

impl<T> IndexMut<usize> for NoTable<T> {
    fn index_mut(&mut self, _: usize) -> &mut T {
        unreachable!("a table without rows")
    }
}

/// Tables of `N` rows in place. `N` has to be a power of two, at most 32,768 (checked when the
/// program is compiled), so that an index becomes a mask and no bounds check remains.
#[derive(Clone, Copy, Debug)]
pub struct Inline<const N: usize>;

/// As [`Inline`], for more than 256 tasks: with it a static order may give each of them another key.
#[derive(Clone, Copy, Debug)]
pub struct Many<const N: usize>;

/// Tables of at most `N` rows in place, of which as many are used as is known when the program runs: for
/// CPUs in a simulator, whose number is small. As for [`Inline`], no bounds check remains.
#[derive(Clone, Copy, Debug)]
pub struct UpTo<const N: usize>;

/// A table of at most `N` rows in place.
#[derive(Clone, Debug)]
pub struct UpToTable<T, const N: usize> {
    rows: InlineTable<T, N>,
    capacity: usize,
}

/// A table of `N` rows in place.
#[derive(Clone, Debug)]
pub struct InlineTable<T, const N: usize>([T; N]);

impl<const N: usize> Storage for Inline<N> {
    type Table<T> = InlineTable<T, N>;
    #[cfg(not(feature = "small"))]
    type Sorted<K: Copy + Ord + Default> = SortedRing<K, Self>;
    #[cfg(feature = "small")]
    type Sorted<K: Copy + Ord + Default> = crate::queue::SortedList<K, Self>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = ByRank<O, Self>;
}

impl<const N: usize> Storage for Many<N> {
    type Table<T> = InlineTable<T, N>;
    type Sorted<K: Copy + Ord + Default> = SortedRing<K, Self>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = Ranked<O, SortedRing<O::Key, Self>>;
}

impl<T, const N: usize> Table<T> for InlineTable<T, N> {
    #[inline]
    fn new(_: usize, row: T) -> Self
    where
        T: Copy,
    {
        const {
            assert!(
                N.is_power_of_two() && N <= 1 << 15,
                "a table's size is a power of two"
            );
        }
        InlineTable([row; N])
    }

    fn capacity(&self) -> usize {
        N
    }

    #[inline]
    fn find(&self, row: usize) -> Option<&T> {
        Some(&self[row])
    }

    #[inline]
    fn find_mut(&mut self, row: usize) -> Option<&mut T> {
        Some(&mut self[row])
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T, const N: usize> Index<usize> for InlineTable<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, row: usize) -> &T {
        debug_assert!(row < N, "row {row} of {N}");
        &self.0[row & (N - 1)]
    }
}

impl<T, const N: usize> IndexMut<usize> for InlineTable<T, N> {
    #[inline]
    fn index_mut(&mut self, row: usize) -> &mut T {
        debug_assert!(row < N, "row {row} of {N}");
        &mut self.0[row & (N - 1)]
    }
}

impl<const N: usize> Storage for UpTo<N> {
    type Table<T> = UpToTable<T, N>;
    type Sorted<K: Copy + Ord + Default> = Heap<K, Self>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = Ranked<O, Heap<O::Key, Self>>;
}

impl<T, const N: usize> Table<T> for UpToTable<T, N> {
    #[inline]
    fn new(capacity: usize, row: T) -> Self
    where
        T: Copy,
    {
        UpToTable {
            rows: Table::new(N, row),
            capacity: capacity.min(N),
        }
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.capacity
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.rows.0[..self.capacity]
    }
}

impl<T, const N: usize> Index<usize> for UpToTable<T, N> {
    type Output = T;
    #[inline]
    fn index(&self, row: usize) -> &T {
        debug_assert!(row < self.capacity, "row {row} of {}", self.capacity);
        &self.rows[row]
    }
}

impl<T, const N: usize> IndexMut<usize> for UpToTable<T, N> {
    #[inline]
    fn index_mut(&mut self, row: usize) -> &mut T {
        debug_assert!(row < self.capacity, "row {row} of {}", self.capacity);
        &mut self.rows[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_as_many_rows_as_asked_for_and_no_more_than_there_is_room() {
        for (asked, rows) in [(0, 0), (1, 1), (3, 3), (4, 4), (5, 4)] {
            let mut table: UpToTable<u8, 4> = Table::new(asked, 7);
            assert_eq!(table.capacity(), rows);
            assert_eq!(table.as_mut_slice().len(), rows);
            for row in 0..rows {
                assert_eq!(core::mem::replace(&mut table[row], 1), 7);
                assert_eq!(table.find(row), Some(&1));
            }
            assert_eq!(table.find(rows), None);
        }
    }
}
