//! Tables of the kernel whose size the program says: they are made when it starts, and stay.

use core::ops::{Index, IndexMut};
use core::ptr::NonNull;
use flyball_app::policy::by_rank::StaticOrder;
use flyball_app::policy::queue::SortedRing;
use flyball_app::policy::{Nothing, Ranked, Storage, Table};
use flyball_capi::start::extend;

/// Tables at the front of the heap of the C library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carved;

/// A table there. The number of its rows is a power of two, so that an index becomes a mask.
pub(crate) struct CarvedTable<T> {
    rows: NonNull<T>,
    mask: usize,
}

impl Storage for Carved {
    type Table<T> = CarvedTable<T>;
    type Sorted<K: Copy + Ord + Default> = SortedRing<K, Self>;
    type ForMany = Nothing;
    type Static<O: StaticOrder> = Ranked<O, SortedRing<O::Key, Self>>;
}

impl<T> Table<T> for CarvedTable<T> {
    /// # Panics
    /// If there is no memory for it.
    fn new(capacity: usize, row: T) -> Self
    where
        T: Copy,
    {
        const { assert!(align_of::<T>() <= UNIT, "rows are aligned as the heap is") };
        let capacity = capacity.next_power_of_two();
        let size = capacity * size_of::<T>();
        // SAFETY: the kernel's tables are made before a thread runs.
        let memory = isize::try_from(size.next_multiple_of(UNIT))
            .ok()
            .and_then(|size| unsafe { extend(size) })
            .and_then(|memory| NonNull::new(memory.cast::<T>()));
        let Some(rows) = memory else {
            panic!("there is no memory for so many threads");
        };
        for at in 0..capacity {
            // SAFETY: there is room for so many rows, and they are aligned, as the heap begins at a multiple
            // of `UNIT` and what is taken from it is one.
            unsafe { rows.add(at).write(row) };
        }
        CarvedTable {
            rows,
            mask: capacity - 1,
        }
    }

    fn capacity(&self) -> usize {
        self.mask + 1
    }
}

/// What is taken from the heap is a multiple of this.
const UNIT: usize = 16;

impl<T> Index<usize> for CarvedTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, row: usize) -> &T {
        debug_assert!(row <= self.mask, "row {row} of {}", self.capacity());
        // SAFETY: with the mask it is one of the rows, which are this table's alone.
        unsafe { self.rows.add(row & self.mask).as_ref() }
    }
}

impl<T> IndexMut<usize> for CarvedTable<T> {
    #[inline]
    fn index_mut(&mut self, row: usize) -> &mut T {
        debug_assert!(row <= self.mask, "row {row} of {}", self.capacity());
        // SAFETY: as above, and the table is borrowed for a change.
        unsafe { self.rows.add(row & self.mask).as_mut() }
    }
}
