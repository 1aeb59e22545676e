//! What the tests share: random numbers and the way to real ones.

use flyball_control::{Block, Fixed, Limit};
use proptest::collection::vec;
use proptest::prelude::*;

/// 2⁻¹⁶, in which the bounds on errors are.
pub(crate) const UNIT: f64 = 1.0 / 65_536.0;

/// What the reference's own floating-point errors may be.
pub(crate) const SLACK: f64 = 1e-9;

/// How many random cases a property has.
pub(crate) const CASES: u32 = if cfg!(miri) { 4 } else { 500 };

pub(crate) fn real(value: Fixed) -> f64 {
    f64::from(value.bits()) * UNIT
}

/// Any number; small ones and the extremes more often.
pub(crate) fn number() -> impl Strategy<Value = Fixed> {
    let bits = prop_oneof![
        4 => -(1 << 18)..=1 << 18,
        2 => any::<i32>(),
        1 => Just(i32::MIN),
        1 => Just(i32::MAX),
    ];
    bits.prop_map(Fixed::from_bits)
}

/// Numbers of which many repeat the one before, as the inputs of a controller do.
pub(crate) fn inputs() -> impl Strategy<Value = Vec<Fixed>> {
    vec((number(), 1..10_usize), 1..30).prop_map(|stretches| {
        let stretches = stretches.into_iter();
        stretches
            .flat_map(|(value, steps)| std::iter::repeat_n(value, steps))
            .collect()
    })
}

/// A gain between −32 and 32, so that the products of a model in `f64` are exact.
pub(crate) fn gain() -> impl Strategy<Value = Fixed> {
    (-(1 << 21)..=1 << 21).prop_map(Fixed::from_bits)
}

pub(crate) fn smoothing() -> impl Strategy<Value = Fixed> {
    (1..=1 << 16).prop_map(Fixed::from_bits)
}

/// Any limits, also such that leave one number, or that 0 is outside of.
pub(crate) fn limits() -> impl Strategy<Value = (Fixed, Fixed)> {
    (number(), number()).prop_map(|(one, other)| (one.min(other), one.max(other)))
}

pub(crate) fn limit((low, high): (Fixed, Fixed)) -> Limit {
    Limit::new(low, high).unwrap()
}

/// What a block makes of inputs.
pub(crate) fn outputs(block: &mut dyn Block, inputs: &[Fixed]) -> Vec<Fixed> {
    inputs.iter().map(|&input| block.step(input)).collect()
}
