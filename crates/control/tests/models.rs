//! Blocks beside models in `f64` with the same parameters, within the documented bounds; the PID
//! controller beside the crate `pid` too.

use crate::support::{
    CASES, SLACK, UNIT, gain, inputs, limit, limits, number, outputs, real, smoothing,
};
use flyball_control::{
    Block, FirstDifference, Fixed, Integral, LowPass, Pid, PidGains, Proportional,
};
use proptest::prelude::*;

/// Compares a block with a model, step by step. `bound` is in units.
fn compare(
    block: &mut dyn Block,
    mut model: impl FnMut(f64) -> f64,
    bound: f64,
    inputs: &[Fixed],
) -> Result<(), TestCaseError> {
    for (step, &input) in inputs.iter().enumerate() {
        let (output, exact) = (real(block.step(input)), model(real(input)));
        let error = (output - exact).abs() / UNIT;
        prop_assert!(
            error <= bound + SLACK / UNIT,
            "at {step}: {output} instead of {exact}, {error} units"
        );
    }
    Ok(())
}

fn in_range(value: f64) -> f64 {
    value.clamp(real(Fixed::MIN), real(Fixed::MAX))
}

fn pid_gains() -> impl Strategy<Value = PidGains> {
    (gain(), gain(), gain()).prop_map(|(proportional, integral, derivative)| PidGains {
        proportional,
        integral,
        derivative,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn a_gain_is_half_a_unit_off_at_most(k in gain(), inputs in inputs()) {
        let model = |x| in_range(real(k) * x);
        compare(&mut Proportional(k), model, 0.5, &inputs)?;
    }

    #[test]
    fn a_difference_is_exact(inputs in inputs()) {
        let mut last = 0.0;
        let model = |x| in_range(x - std::mem::replace(&mut last, x));
        compare(&mut FirstDifference::new(), model, 0.0, &inputs)?;
    }

    #[test]
    fn an_integral_is_half_a_unit_off_at_most(
        k in gain(), bounds in limits(), inputs in inputs()
    ) {
        let (low, high) = (real(bounds.0), real(bounds.1));
        let mut sum = 0.0_f64.clamp(low, high);
        let model = |x: f64| {
            sum = (sum + real(k) * x).clamp(low, high);
            sum
        };
        compare(&mut Integral::new(k, limit(bounds)), model, 0.5, &inputs)?;
    }

    #[test]
    fn a_low_pass_filter_is_a_unit_off_at_most(a in smoothing(), inputs in inputs()) {
        let mut state = 0.0;
        let model = |x| {
            state += real(a) * (x - state);
            state
        };
        compare(&mut LowPass::new(a).unwrap(), model, 1.0, &inputs)?;
    }

    #[test]
    fn a_pid_controller_is_half_a_unit_off_at_most(
        gains in pid_gains(), bounds in limits(), inputs in inputs()
    ) {
        let (low, high) = (real(bounds.0), real(bounds.1));
        let (mut sum, mut last) = (0.0_f64.clamp(low, high), 0.0);
        let model = |x: f64| {
            sum = (sum + real(gains.integral) * x).clamp(low, high);
            let change = x - std::mem::replace(&mut last, x);
            let parts = real(gains.proportional) * x + sum + real(gains.derivative) * change;
            parts.clamp(low, high)
        };
        compare(&mut Pid::new(gains, limit(bounds)), model, 0.5, &inputs)?;
    }

    /// The crate has limits around 0, and the derivative of what is measured, which begins with the
    /// second measurement: it gets one of 0 before.
    #[test]
    fn a_pid_controller_is_that_of_the_crate_pid(
        gains in pid_gains(), bound in number(), inputs in inputs()
    ) {
        let bound = bound.max(-bound);
        let mut theirs = pid::Pid::<f64>::new(0.0, real(bound));
        theirs
            .p(real(gains.proportional), f64::INFINITY)
            .i(real(gains.integral), real(bound))
            .d(real(gains.derivative), f64::INFINITY);
        theirs.next_control_output(0.0);
        let model = |x: f64| theirs.next_control_output(-x).output;
        compare(&mut Pid::new(gains, limit((-bound, bound))), model, 0.5, &inputs)?;
    }

    #[test]
    fn a_low_pass_filter_stays_among_its_inputs(a in smoothing(), inputs in inputs()) {
        let (mut low, mut high) = (Fixed::ZERO, Fixed::ZERO);
        let mut filter = LowPass::new(a).unwrap();
        for input in inputs {
            (low, high) = (low.min(input), high.max(input));
            let output = filter.step(input);
            prop_assert!(low <= output && output <= high);
        }
    }

    /// The difference to the input falls to a unit in ln(2³²)/α steps, and from there by α a step.
    #[test]
    fn a_low_pass_filter_reaches_its_input_and_stays(
        bits in 1024..=1 << 16, before in inputs(), input in number()
    ) {
        let mut filter = LowPass::new(Fixed::from_bits(bits)).unwrap();
        outputs(&mut filter, &before);
        for _ in 0..24 * (1 << 16) / bits {
            filter.step(input);
        }
        for output in outputs(&mut filter, &[input; 20]) {
            prop_assert_eq!(output, input);
        }
    }
}
