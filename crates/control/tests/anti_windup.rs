//! Limits of integrals hold, and leave no wind-up behind.

use crate::support::{CASES, inputs, limit, limits, number, outputs};
use flyball_control::{Block, Fixed, Integral, Limit, Pid, PidGains};
use proptest::prelude::*;

/// Gains of which none is negative, and whose integral adds 64 units or more for an input of 1.
fn gains() -> impl Strategy<Value = PidGains> {
    let from = |least| prop_oneof![least..200, least..1 << 21];
    (from(0), from(64), from(0)).prop_map(|(proportional, integral, derivative)| PidGains {
        proportional: Fixed::from_bits(proportional),
        integral: Fixed::from_bits(integral),
        derivative: Fixed::from_bits(derivative),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// Gains and inputs of any size: an overflow would panic.
    #[test]
    fn outputs_stay_in_their_limits(
        gains in [number(), number(), number()], bounds in limits(), inputs in inputs()
    ) {
        let [proportional, integral, derivative] = gains;
        let gains = PidGains { proportional, integral, derivative };
        let allowed = bounds.0..=bounds.1;
        for output in outputs(&mut Pid::new(gains, limit(bounds)), &inputs) {
            prop_assert!(allowed.contains(&output));
        }
        for output in outputs(&mut Integral::new(integral, limit(bounds)), &inputs) {
            prop_assert!(allowed.contains(&output));
        }
    }

    /// Pushes a controller to its upper limit for some time, or to the lower one, and then away
    /// from it. The number of steps that it takes is that of the documentation.
    #[test]
    fn a_controller_leaves_its_limit_in_time(
        gains in gains(),
        low in -(1 << 20)..1 << 20,
        range in 1..1 << 16,
        push in 1 << 16..1 << 24,
        longer in 0..2_000,
        away in prop_oneof![1..100_i32, 1..1 << 20],
        down in any::<bool>(),
    ) {
        let signed = |bits: i32| Fixed::from_bits(if down { -bits } else { bits });
        let (start, end) = (signed(low), signed(low + range));
        let mut pid = Pid::new(gains, limit((start.min(end), start.max(end))));
        // 1024 steps of 64 units are enough to go from limit to limit.
        for _ in 0..1_024 + longer {
            pid.step(signed(push));
        }
        prop_assert_eq!(pid.step(signed(push)), end);
        // Half a unit is 2^15 in products.
        let (p, i) = (i64::from(gains.proportional.bits()), i64::from(gains.integral.bits()));
        // The integral's gain is 64 or more, so the number is at most 513.
        let leaves = |j: &i64| (p + j * i) * i64::from(away) > 1 << 15;
        let promised = (1..=513).find(leaves).unwrap();
        let mut output = end;
        for _ in 0..promised {
            output = pid.step(signed(-away));
        }
        prop_assert_ne!(output, end);
    }
}

/// By hand: no sum of the largest products wraps.
#[test]
fn the_largest_sums_end_at_the_limits() {
    let gains = PidGains {
        proportional: Fixed::MIN,
        integral: Fixed::MIN,
        derivative: Fixed::MIN,
    };
    let mut pid = Pid::new(gains, Limit::NONE);
    let inputs = [Fixed::MIN, Fixed::MAX, Fixed::MIN];
    let expected = [Fixed::MAX, Fixed::MIN, Fixed::MAX];
    assert_eq!(outputs(&mut pid, &inputs), expected);
}

/// By hand: a second of saturation or a day of it, the output is the same afterwards.
#[test]
fn the_length_of_a_saturation_does_not_matter() {
    let gains = PidGains {
        proportional: Fixed::ratio(1, 2),
        integral: Fixed::ratio(1, 4),
        derivative: Fixed::ZERO,
    };
    for steps in [10, 100_000] {
        let mut pid = Pid::new(gains, limit((Fixed::ZERO, Fixed::ONE)));
        for _ in 0..steps {
            pid.step(Fixed::ONE);
        }
        let back = outputs(&mut pid, &[-Fixed::ratio(1, 2); 4]);
        // 1 − n/8 − 1/4, until 0.
        let expected = [5, 4, 3, 2].map(|eighths| Fixed::ratio(eighths, 8));
        assert_eq!(back, expected, "after {steps} steps");
    }
}
