//! What a processor's counters say of a task.

/// How many events of each kind a processor has counted: the four that Finster's prototype counts on a
/// PXA270 (*Double-sorted scheduling in process cruise control environments*, Universität Karlsruhe
/// 2005, 2.2), and cycles. A reading has 32 bits a number, as the counters of such a processor have; totals
/// are `Counts<u64>`. The largest number means that there were so many or more.
///
/// ```
/// use flyball_policy::Counts;
/// let mut total = Counts::<u64>::default();
/// let reading = Counts { cycles: 1_000, instructions: 100, data: 9, data_misses: 9, code_misses: 0 };
/// total += reading;
/// total += reading;
/// assert_eq!((total.cycles, reading.requests()), (2_000, 9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts<N = u32> {
    /// Cycles of the processor's clock, at whatever frequency.
    pub cycles: N,
    /// Instructions executed.
    pub instructions: N,
    /// Accesses to the data cache.
    pub data: N,
    /// Accesses that the data cache could not serve.
    pub data_misses: N,
    /// Instructions that the instruction cache did not have.
    pub code_misses: N,
}

impl Counts {
    /// Requests to memory: all that no cache could serve. O(1).
    #[inline]
    pub const fn requests(&self) -> u32 {
        self.data_misses.saturating_add(self.code_misses)
    }

    /// Whether every number is known. Otherwise a counter has reached its largest one, and rates that are
    /// made of it are wrong.
    #[inline]
    pub const fn is_exact(&self) -> bool {
        // There is no event without a cycle, but for some that a processor counts twice.
        self.cycles < u32::MAX && self.instructions < u32::MAX && self.requests() < u32::MAX
    }
}

macro_rules! adds {
    ($($number:ty)*) => {$(
        impl core::ops::AddAssign<Counts> for Counts<$number> {
            #[inline]
            fn add_assign(&mut self, more: Counts) {
                let add = |number: &mut $number, more: u32| *number = number.saturating_add(more.into());
                add(&mut self.cycles, more.cycles);
                add(&mut self.instructions, more.instructions);
                add(&mut self.data, more.data);
                add(&mut self.data_misses, more.data_misses);
                add(&mut self.code_misses, more.code_misses);
            }
        }
    )*};
}

adds! { u32 u64 }
