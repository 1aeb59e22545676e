//! Tables on a heap, whose size is known when the program runs.

use crate::by_rank::StaticOrder;
use crate::queue::Heap;
use crate::ranked::Ranked;
use crate::storage::{Storage, Table};
use alloc::boxed::Box;
use alloc::vec;
use core::ops::{Index, IndexMut};

/// Tables on a heap, made once: policies that are generic over their storage take any number of
/// tasks with it.
#[derive(Clone, Copy, Debug)]
pub struct Boxed;

/// A table on the heap.
#[derive(Clone, Debug)]
pub struct BoxedTable<T>(Box<[T]>);

impl Storage for Boxed {
    type Table<T> = BoxedTable<T>;
    type Sorted<K: Copy + Ord + Default> = Heap<K, Self>;
    type ForMany = Boxed;
    type Static<O: StaticOrder> = Ranked<O, Heap<O::Key, Self>>;
}

impl<T> Table<T> for BoxedTable<T> {
    fn new(capacity: usize, row: T) -> Self
    where
        T: Copy,
    {
        BoxedTable(vec![row; capacity].into())
    }

    fn capacity(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> Index<usize> for BoxedTable<T> {
    type Output = T;
    fn index(&self, row: usize) -> &T {
        &self.0[row]
    }
}

impl<T> IndexMut<usize> for BoxedTable<T> {
    fn index_mut(&mut self, row: usize) -> &mut T {
        &mut self.0[row]
    }
}
