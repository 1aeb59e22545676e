//! Which CPUs must reschedule.

use flyball_trace::CpuId;

/// Which CPUs have to pick again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[must_use = "the CPUs it names have to pick again"]
pub enum Resched {
    /// None.
    #[default]
    None,
    /// This one.
    One(CpuId),
    /// All of these.
    Many(CpuSet),
}

/// A set of CPUs of one cluster, up to number 127.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CpuSet(u128);

impl Resched {
    /// Whether `cpu` has to pick again.
    pub fn includes(self, cpu: CpuId) -> bool {
        match self {
            Resched::None => false,
            Resched::One(one) => one == cpu,
            Resched::Many(set) => set.contains(cpu),
        }
    }

    /// All CPUs that either of the two names.
    pub fn and(self, other: Resched) -> Resched {
        match (self, other) {
            (Resched::None, rest) | (rest, Resched::None) => rest,
            (Resched::One(a), Resched::One(b)) if a == b => self,
            (a, b) => Resched::Many(a.set().union(b.set())),
        }
    }

    fn set(self) -> CpuSet {
        match self {
            Resched::None => CpuSet::EMPTY,
            Resched::One(cpu) => CpuSet::EMPTY.with(cpu),
            Resched::Many(set) => set,
        }
    }
}

impl CpuSet {
    /// No CPU.
    pub const EMPTY: CpuSet = CpuSet(0);
    /// The largest CPU number that fits.
    pub const LARGEST: CpuId = CpuId(127);
    /// All CPUs that fit.
    pub const ALL: CpuSet = CpuSet(u128::MAX);

    /// The set as a number: bit `n` is CPU `n`.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set that [`CpuSet::bits`] makes this of.
    pub const fn from_bits(bits: u128) -> CpuSet {
        CpuSet(bits)
    }

    /// The two halves, CPUs below 64 and the others: to shift 128 bits takes several instructions.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "that is the lower half")]
    fn halves(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    #[inline]
    fn of_halves([low, high]: [u64; 2]) -> CpuSet {
        CpuSet(u128::from(low) | u128::from(high) << 64)
    }

    /// This set and `cpu`, which has to be at most [`CpuSet::LARGEST`].
    #[must_use]
    #[inline]
    pub fn with(self, cpu: CpuId) -> CpuSet {
        debug_assert!(cpu <= CpuSet::LARGEST);
        let [mut low, mut high] = self.halves();
        let bit = 1 << (cpu.0 % 64);
        if cpu.0 < 64 {
            low |= bit;
        } else {
            high |= bit;
        }
        CpuSet::of_halves([low, high])
    }

    /// This set without `cpu`.
    #[must_use]
    #[inline]
    pub fn without(self, cpu: CpuId) -> CpuSet {
        let [mut low, mut high] = self.halves();
        let bit: u64 = 1 << (cpu.0 % 64);
        if cpu.0 < 64 {
            low &= !bit;
        } else {
            high &= !bit;
        }
        CpuSet::of_halves([low, high])
    }

    /// The CPUs in either set.
    #[must_use]
    #[inline]
    pub fn union(self, other: CpuSet) -> CpuSet {
        CpuSet(self.0 | other.0)
    }

    /// Whether `cpu` is in the set.
    #[inline]
    pub fn contains(self, cpu: CpuId) -> bool {
        let [low, high] = self.halves();
        let half = if cpu.0 < 64 { low } else { high };
        cpu <= CpuSet::LARGEST && half >> (cpu.0 % 64) & 1 != 0
    }

    /// Whether no CPU is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The first CPU in the set from `cpu` on.
    #[inline]
    pub fn first_from(self, cpu: CpuId) -> Option<CpuId> {
        // By halves, as in `of`.
        #[expect(clippy::cast_possible_truncation, reason = "that is the lower half")]
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let first = |half: u64, from: u8| {
            // At most 64.
            let ahead = u8::try_from(half.trailing_zeros()).unwrap_or(64);
            (half != 0).then_some(CpuId(from + ahead))
        };
        match cpu.0 {
            n @ 0..64 => first(low >> n, n).or_else(|| first(high, 64)),
            n @ 64..128 => first(high >> (n - 64), n),
            _ => None,
        }
    }

    /// The CPUs in the set, by rising number.
    pub fn iter(self) -> impl Iterator<Item = CpuId> {
        let mut bits = self.0;
        core::iter::from_fn(move || {
            let cpu = u8::try_from(bits.trailing_zeros())
                .ok()
                .filter(|_| bits != 0)?;
            bits &= bits - 1;
            Some(CpuId(cpu))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_add_up() {
        let zero = Resched::One(CpuId(0));
        assert_eq!(Resched::None.and(zero), zero);
        assert_eq!(zero.and(zero), zero);
        let both = zero.and(Resched::One(CpuId(127)));
        assert!(both.includes(CpuId(0)) && both.includes(CpuId(127)) && !both.includes(CpuId(1)));
        let Resched::Many(set) = both else {
            panic!("two CPUs are many")
        };
        assert_eq!(set.iter().collect::<Vec<_>>(), [CpuId(0), CpuId(127)]);
        assert!(!set.contains(CpuId(128)));
        let from = |cpu| set.first_from(CpuId(cpu));
        assert_eq!([from(0), from(1)], [Some(CpuId(0)), Some(CpuId(127))]);
        assert_eq!([from(127), from(128)], [Some(CpuId(127)), None]);
        assert_eq!(CpuSet::EMPTY.first_from(CpuId(0)), None);
        assert!(CpuSet::EMPTY.is_empty() && !set.is_empty());
        assert_eq!(set.bits(), 1 | 1 << 127);
        assert_eq!(CpuSet::from_bits(set.bits()), set);
        assert_eq!(CpuSet::ALL.iter().count(), 128);
    }
}
