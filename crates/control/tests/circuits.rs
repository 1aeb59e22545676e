//! Circuits are what their blocks make by hand, and are as new after a reset.

use crate::support::{CASES, gain, inputs, limit, number, outputs, smoothing};
use flyball_control::{
    Block, DeadBand, FirstDifference, Fixed, Hysteresis, Integral, Limit, LowPass, Pid, PidGains,
    Proportional, RateLimit, SampleAndHold,
};
use proptest::prelude::*;

fn gains(k: Fixed) -> PidGains {
    PidGains {
        proportional: k,
        integral: k,
        derivative: k,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn a_circuit_is_its_blocks_by_hand(
        a in smoothing(), k in gain(), step in 1..1 << 20, inputs in inputs()
    ) {
        let filter = LowPass::new(a).unwrap();
        let pid = Pid::new(gains(k), limit((-Fixed::ONE, Fixed::ONE)));
        let rate = RateLimit::new(Fixed::from_bits(step), Fixed::UNIT).unwrap();
        let most = limit((Fixed::ZERO, Fixed::ONE));
        let mut series = filter.clone().then(pid.clone()).then(most).then(rate.clone());
        let mut sum = filter.clone().plus(pid.clone());
        let mut difference = filter.clone().minus(pid.clone());
        let mut closed = filter.clone().feedback(Proportional(k));
        let (mut f, mut p, mut r, mut looped) = (filter.clone(), pid, rate, filter);
        let mut p_of_filter = p.clone();
        let mut last = Fixed::ZERO;
        for input in inputs {
            let (smooth, controlled) = (f.step(input), p.step(input));
            prop_assert_eq!(sum.step(input), smooth + controlled);
            prop_assert_eq!(difference.step(input), smooth - controlled);
            prop_assert_eq!(series.step(input), r.step(most.clamp(p_of_filter.step(smooth))));
            last = looped.step(input - k * last);
            prop_assert_eq!(closed.step(input), last);
        }
    }

    #[test]
    fn after_a_reset_all_is_as_new(
        a in smoothing(), k in gain(), width in 0..1 << 20, interval in 1..9_u32,
        low in number(), before in inputs(), after in inputs(),
    ) {
        let width = Fixed::from_bits(width);
        let range = limit((low, low + Fixed::ONE));
        let rate = width + Fixed::UNIT;
        let make = || -> Vec<Box<dyn Block>> {
            let filter = || LowPass::new(a).unwrap();
            let difference = FirstDifference::new;
            vec![
                Box::new(Proportional(k)),
                Box::new(difference()),
                Box::new(Integral::new(k, range)),
                Box::new(filter()),
                Box::new(Pid::new(gains(k), range)),
                Box::new(range),
                Box::new(RateLimit::new(rate, rate).unwrap()),
                Box::new(DeadBand::new(width).unwrap()),
                Box::new(Hysteresis::new(-rate, width).unwrap()),
                Box::new(SampleAndHold::new(interval).unwrap()),
                Box::new(filter().then(difference())),
                Box::new(filter().plus(difference())),
                Box::new(filter().minus(difference())),
                Box::new(filter().feedback(Integral::new(k, Limit::NONE))),
            ]
        };
        for (mut used, mut new) in make().into_iter().zip(make()) {
            outputs(&mut *used, &before);
            used.reset();
            prop_assert_eq!(outputs(&mut *used, &after), outputs(&mut *new, &after));
        }
    }
}
