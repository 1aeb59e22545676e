//! Columns in the making.

use arrow_array::types::{ArrowDictionaryKeyType, ArrowPrimitiveType, Int16Type, Int32Type};
use arrow_array::{ArrayRef, DictionaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_schema::ArrowError;
use rayon::prelude::*;
use std::sync::Arc;

/// A thread fills so many rows at a time, a multiple of 8.
pub(crate) const PART: usize = 1 << 15;

/// A column of numbers of which some may be missing. Several threads fill it, part by part.
pub(crate) struct Column<T> {
    values: Vec<T>,
    /// A bit for each row: whether it has a number.
    present: Vec<u8>,
}

/// [`PART`] rows of a column, or what is left.
pub(crate) struct Part<'a, T> {
    values: &'a mut [T],
    present: &'a mut [u8],
}

impl<T> Part<'_, T> {
    /// This row, which nothing was put into before, has this number.
    #[inline]
    pub(crate) fn put(&mut self, row: usize, value: T) {
        self.values[row] = value;
        self.present[row / 8] |= 1 << (row % 8);
    }
}

impl<T: Copy + Default + Send> Column<T> {
    /// Nothing but missing numbers.
    pub(crate) fn missing(rows: usize) -> Column<T> {
        Column {
            values: vec![T::default(); rows],
            present: vec![0; rows.div_ceil(8)],
        }
    }

    /// All parts, in their order.
    pub(crate) fn parts(&mut self) -> impl IndexedParallelIterator<Item = Part<'_, T>> {
        let values = self.values.par_chunks_mut(PART);
        let parts = values.zip(self.present.par_chunks_mut(PART / 8));
        parts.map(|(values, present)| Part { values, present })
    }

    /// Changes the numbers of each part, and what stands where one is missing.
    pub(crate) fn change(&mut self, change: impl Fn(usize, &mut T) + Sync) {
        let parts = self.values.par_chunks_mut(PART).enumerate();
        parts.for_each(|(part, values)| values.iter_mut().for_each(|it| change(part, it)));
    }

    fn divide(self) -> (Vec<T>, NullBuffer) {
        let present = BooleanBuffer::new(self.present.into(), 0, self.values.len());
        (self.values, NullBuffer::new(present))
    }

    /// The finished column.
    pub(crate) fn finish<P: ArrowPrimitiveType<Native = T>>(self) -> ArrayRef
    where
        T: ArrowNativeType,
    {
        let (values, nulls) = self.divide();
        Arc::new(PrimitiveArray::<P>::new(values.into(), Some(nulls)))
    }

    /// The finished column, whose numbers are those of texts in a list.
    ///
    /// # Errors
    /// As [`named`].
    pub(crate) fn named(self, names: Vec<String>) -> Result<ArrayRef, ArrowError>
    where
        i16: TryFrom<T>,
        i32: TryFrom<T>,
    {
        let (numbers, nulls) = self.divide();
        by_name(numbers, Some(nulls), names)
    }
}

/// Texts by their numbers in a list of `names`, which are many times fewer. None is missing.
///
/// # Errors
/// If a number is that of no name.
pub(crate) fn named<N>(numbers: Vec<N>, names: Vec<String>) -> Result<ArrayRef, ArrowError>
where
    i16: TryFrom<N>,
    i32: TryFrom<N>,
{
    by_name(numbers, None, names)
}

fn by_name<N>(
    numbers: Vec<N>,
    nulls: Option<NullBuffer>,
    names: Vec<String>,
) -> Result<ArrayRef, ArrowError>
where
    i16: TryFrom<N>,
    i32: TryFrom<N>,
{
    /// In the width of such numbers.
    fn sized<N, K: ArrowDictionaryKeyType>(
        numbers: Vec<N>,
        nulls: Option<NullBuffer>,
        names: ArrayRef,
    ) -> Result<ArrayRef, ArrowError>
    where
        K::Native: TryFrom<N> + From<i8>,
    {
        // A name's number is never below zero, so one that is too large is found to be none.
        let key = |number| K::Native::try_from(number).unwrap_or((-1).into());
        let keys: Vec<K::Native> = numbers.into_iter().map(key).collect();
        let keys = PrimitiveArray::<K>::try_new(keys.into(), nulls)?;
        Ok(Arc::new(DictionaryArray::try_new(keys, names)?))
    }
    let few = <i16 as TryFrom<usize>>::try_from(names.len()).is_ok();
    let names: ArrayRef = Arc::new(StringArray::from(names));
    if few {
        sized::<N, Int16Type>(numbers, nulls, names)
    } else {
        sized::<N, Int32Type>(numbers, nulls, names)
    }
}
