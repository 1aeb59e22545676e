//! Blocks that are not linear, by their definitions, and what blocks cannot be made of.

use crate::support::{CASES, inputs, limit, limits, number, outputs};
use flyball_control::{
    BadParameter, Block, DeadBand, Fixed, Hysteresis, Limit, LowPass, RateLimit, SampleAndHold,
};
use proptest::prelude::*;

/// A number whose sums do not saturate.
fn wide(value: Fixed) -> i64 {
    value.bits().into()
}

fn positive() -> impl Strategy<Value = Fixed> {
    prop_oneof![1..1 << 20, 1..=i32::MAX].prop_map(Fixed::from_bits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn a_limit_gives_the_nearest_allowed_number(bounds in limits(), inputs in inputs()) {
        for &input in &inputs {
            let output = limit(bounds).step(input);
            let nearest = if input > bounds.1 { bounds.1 } else { input.max(bounds.0) };
            prop_assert_eq!(output, nearest);
            prop_assert!(bounds.0 <= output && output <= bounds.1);
        }
    }

    #[test]
    fn no_change_is_faster_than_its_rate(rise in positive(), fall in positive(), inputs in inputs()) {
        let mut block = RateLimit::new(rise, fall).unwrap();
        let mut last = 0;
        for &input in &inputs {
            let (x, y) = (wide(input), wide(block.step(input)));
            // As near to the input as one step allows.
            prop_assert_eq!(y, last + (x - last).clamp(-wide(fall), wide(rise)));
            last = y;
        }
    }

    #[test]
    fn a_dead_band_gives_what_is_beyond_it(width in positive(), inputs in inputs()) {
        let mut block = DeadBand::new(width).unwrap();
        for &input in &inputs {
            let (x, w) = (wide(input), wide(width));
            let beyond = if x.abs() <= w { 0 } else { x - w * x.signum() };
            prop_assert_eq!(wide(block.step(input)), beyond);
        }
    }

    #[test]
    fn the_last_input_beyond_a_threshold_switches(
        (lower, upper) in limits().prop_filter("two thresholds", |(lower, upper)| lower < upper),
        inputs in inputs()
    ) {
        let outputs = outputs(&mut Hysteresis::new(lower, upper).unwrap(), &inputs);
        for (step, &output) in outputs.iter().enumerate() {
            let past = inputs[..=step].iter().rev();
            let beyond = past.copied().find(|&x| x <= lower || x >= upper);
            let is_on = beyond.is_some_and(|x| x >= upper);
            prop_assert_eq!(output, if is_on { Fixed::ONE } else { Fixed::ZERO });
        }
    }

    #[test]
    fn a_sample_is_held_for_an_interval(interval in 1..20_u8, inputs in inputs()) {
        let mut block = SampleAndHold::new(interval.into()).unwrap();
        let interval = usize::from(interval);
        for (step, &output) in outputs(&mut block, &inputs).iter().enumerate() {
            prop_assert_eq!(output, inputs[step / interval * interval]);
        }
    }

    #[test]
    fn what_is_no_parameter_is_refused(one in number(), other in number()) {
        let (zero, above) = (Fixed::ZERO, one > other);
        let is_factor = one > zero && one <= Fixed::ONE;
        let refused = |is_bad: bool, why| if is_bad { Some(why) } else { None };
        let found = LowPass::new(one).err();
        prop_assert_eq!(found, refused(!is_factor, BadParameter::Smoothing));
        let found = Limit::new(one, other).err();
        prop_assert_eq!(found, refused(above, BadParameter::Limits));
        let found = RateLimit::new(one, other).err();
        prop_assert_eq!(found, refused(one <= zero || other <= zero, BadParameter::Rate));
        let found = DeadBand::new(one).err();
        prop_assert_eq!(found, refused(one < zero, BadParameter::Width));
        let found = Hysteresis::new(one, other).err();
        prop_assert_eq!(found, refused(above || one == other, BadParameter::Thresholds));
    }
}

#[test]
fn the_ends_of_ranges() {
    let none = BadParameter::Interval;
    assert_eq!(SampleAndHold::new(0).err(), Some(none));
    assert_eq!(none.to_string(), "the sampling interval has no steps");
    let smoothing = |factor| LowPass::new(factor).is_ok();
    assert!(smoothing(Fixed::UNIT) && smoothing(Fixed::ONE) && !smoothing(Fixed::ZERO));
    assert!(!smoothing(Fixed::ONE + Fixed::UNIT));
    assert!(RateLimit::new(Fixed::UNIT, Fixed::ZERO).is_err());
    assert!(DeadBand::new(Fixed::ZERO).is_ok());
    assert!(Limit::new(Fixed::ONE, Fixed::ONE).is_ok());
    assert!(Hysteresis::new(Fixed::ONE, Fixed::ONE).is_err());
}
