//! Values as bytes: what a policy's settings and a task's parameters are in an image on a board.
//!
//! A policy reads and writes its own bytes, so an image can carry settings and parameters that the
//! format knows nothing of. Whole numbers are little-endian; a type that has several fields is as
//! long as all of them.

use crate::i_plus_pi::{Fraction, Share};
use crate::order::{Deadline, Laxity, Period, Priority};
use crate::pfair::Weight;
use crate::policy::CpuSet;
use crate::{Duration, Pinned, Time};

/// A value that is bytes in an image.
///
/// ```
/// use flyball_policy::{Encode, Priority};
/// let mut bytes = Vec::new();
/// Priority(7).emit(&mut |part| bytes.extend(part));
/// assert_eq!(Priority::parse(&mut &bytes[..]), Some(Priority(7)));
/// ```
pub trait Encode: Sized {
    /// Writes the value: calls `put` with its bytes, in as many parts as the value likes.
    fn emit(&self, put: &mut dyn FnMut(&[u8]));

    /// Reads a value from the front of `bytes`, which is what follows afterwards. `None`: the bytes
    /// are those of no value, or there are too few.
    fn parse(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Encode for $number {
            fn emit(&self, put: &mut dyn FnMut(&[u8])) {
                put(&self.to_le_bytes());
            }

            fn parse(bytes: &mut &[u8]) -> Option<$number> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(<$number>::from_le_bytes(*number))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i32, i64);

macro_rules! tuples {
    ($($($field:ident)*;)*) => {$(
        impl<$($field: Encode),*> Encode for ($($field,)*) {
            fn emit(&self, _put: &mut dyn FnMut(&[u8])) {
                #[expect(non_snake_case, reason = "a field is named as its type")]
                let ($($field,)*) = self;
                $($field.emit(_put);)*
            }

            fn parse(_bytes: &mut &[u8]) -> Option<Self> {
                Some(($($field::parse(_bytes)?,)*))
            }
        }
    )*};
}

impl Encode for () {
    fn emit(&self, _: &mut dyn FnMut(&[u8])) {}

    fn parse(_: &mut &[u8]) -> Option<()> {
        Some(())
    }
}

tuples! { A B; A B C; A B C D; }

impl Encode for bool {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        u8::from(*self).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<bool> {
        match u8::parse(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Whether there is a value, and the value.
impl<T: Encode> Encode for Option<T> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.is_some().emit(put);
        if let Some(value) = self {
            value.emit(put);
        }
    }

    fn parse(bytes: &mut &[u8]) -> Option<Option<T>> {
        Some(if bool::parse(bytes)? {
            Some(T::parse(bytes)?)
        } else {
            None
        })
    }
}

/// Types that are encoded as another: how they become that, and how they are made of it.
macro_rules! as_other {
    ($($type:ty as $other:ty: $into:expr, $from:expr;)*) => {$(
        impl Encode for $type {
            fn emit(&self, put: &mut dyn FnMut(&[u8])) {
                let into: fn(&$type) -> $other = $into;
                into(self).emit(put);
            }

            fn parse(bytes: &mut &[u8]) -> Option<$type> {
                let from: fn($other) -> $type = $from;
                <$other>::parse(bytes).map(from)
            }
        }
    )*};
}

as_other! {
    Duration as u64: |length| length.as_nanos(), Duration::from_nanos;
    Time as u64: |time| time.as_nanos(), Time::from_nanos;
    CpuSet as u128: |cpus| cpus.bits(), CpuSet::from_bits;
    Fraction as u32: |fraction| fraction.bits(), Fraction::from_bits;
    Priority as u8: |priority| priority.0, Priority;
    Period as Duration: |period| period.0, Period;
    Deadline as Duration: |deadline| deadline.0, Deadline;
    Laxity as (Duration, Duration): |task| (task.deadline, task.wcet),
        |(deadline, wcet)| Laxity { deadline, wcet };
    Weight as (Duration, Duration): |weight| (weight.wcet, weight.period),
        |(wcet, period)| Weight { wcet, period };
    Share as (Fraction, u16, Duration, Duration):
        |share| (share.cpu, share.importance, share.deadline, share.wcet),
        |(cpu, importance, deadline, wcet)| Share { cpu, importance, deadline, wcet };
}

impl<P: Encode> Encode for Pinned<P> {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        self.params.emit(put);
        self.cpus.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Pinned<P>> {
        let (params, cpus) = <(P, CpuSet)>::parse(bytes)?;
        Some(Pinned { params, cpus })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::{
        Moves, Observation, Plan, Requirement, RequirementChange, Sample, Settings,
    };
    use crate::{CpuId, TaskId, Weighted};
    use proptest::prelude::*;

    /// What is emitted is parsed, to the last byte, and no shorter piece is.
    fn survives<T: Encode + PartialEq + core::fmt::Debug>(value: &T) {
        let mut bytes = Vec::new();
        value.emit(&mut |part| bytes.extend(part));
        let mut rest = &bytes[..];
        assert_eq!(T::parse(&mut rest).as_ref(), Some(value));
        assert!(rest.is_empty());
        for length in 0..bytes.len() {
            assert_eq!(
                T::parse(&mut &bytes[..length]),
                None,
                "{length} bytes of {value:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn values_survive_being_bytes(a in any::<u64>(), b in any::<u64>(), c in any::<u128>(), d in any::<u16>()) {
            let (long, short) = (Duration::from_nanos(a), Duration::from_nanos(b));
            survives(&(a, b, c, d));
            survives(&Time::from_nanos(a));
            survives(&Priority(d.to_le_bytes()[0]));
            survives(&Period(long));
            survives(&Deadline(short));
            survives(&Laxity { deadline: long, wcet: short });
            survives(&Weight { wcet: short, period: long });
            let cpu = Fraction::ratio(a, b);
            let share = Share { cpu, importance: d, deadline: long, wcet: short };
            survives(&share);
            survives(&Pinned { params: share, cpus: CpuSet::from_bits(c) });
            survives(&((), d % 2 == 0));
            survives(&Weighted { params: Priority(7), quantum: long.max(Duration::from_nanos(1)) });
            let [kind, number, ..] = d.to_le_bytes();
            let task = TaskId(d);
            survives(&Plan {
                settings: Settings { gain: cpu, memory: d, ..Settings::default() },
                cpus: number,
                tasks: d,
                period: long,
            });
            survives(&RequirementChange { at: short, task, requirement: Requirement { cpu, importance: d } });
            let sample = Sample { cpu: CpuId(number), set_point: cpu, got: cpu, limited: kind % 2 == 0 };
            survives(&Observation::Task(task, (kind % 3 > 0).then_some(sample)));
            survives(&Observation::Moves(Moves { made: d.into(), denied: kind.into() }));
        }
    }
}
