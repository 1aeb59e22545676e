//! The PID controller.

use crate::{Block, Fixed, Integral, Limit};

/// The gains of a [`Pid`], a step. Any numbers.
///
/// For a period of T seconds a step, gains in seconds become k_i·T and k_d / T.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PidGains {
    /// k_p, of the input.
    pub proportional: Fixed,
    /// k_i, of the sum of all inputs.
    pub integral: Fixed,
    /// k_d, of the change of the input since the last step.
    pub derivative: Fixed,
}

/// A PID controller with a clamped integrator, whose input is an error: the set point less what is
/// measured.
///
/// ```text
/// i[n] = clamp(i[n−1] + k_i·x[n])
/// y[n] = clamp(k_p·x[n] + i[n] + k_d·(x[n] − x[n−1])),   x[−1] = 0
/// ```
///
/// Transfer function: k_p + k_i / (1 − z⁻¹) + k_d·(1 − z⁻¹), while no limit is reached. Put a
/// [`crate::LowPass`] in front where noise makes the derivative useless.
///
/// Error: at most ½ unit after any number of steps, against the same two formulas in real numbers.
/// Products and the integral are exact in 32 bits of fraction, and are rounded together, once. Sums
/// saturate at 2³¹, which is beyond every limit.
///
/// # Wind-up
///
/// The limits of the output are those of the integral, so the integral is not larger after a long
/// saturation than after a short one. Let no gain be negative, and let the output have been at the
/// upper limit, which is above the lower one, for any number of steps. Then the input turns from 0
/// or more to a constant −e below 0. The output has left the limit after the first j steps with
///
/// ```text
/// (k_p + j·k_i)·e > ½ unit
/// ```
///
/// The integral was at most the upper limit and is less by j·k_i·e then, or it is at the lower
/// limit. The proportional part is −k_p·e, and the derivative part is at most 0. One step is enough
/// where (k_p + k_i)·e is above ½ unit. The same holds of the lower limit, with the signs turned.
///
/// # Example
///
/// ```
/// use flyball_control::{BadParameter, Block, Fixed, Limit, LowPass, Pid, PidGains};
///
/// let gains = PidGains {
///     proportional: Fixed::ratio(1, 1),
///     integral: Fixed::ratio(1, 10),
///     derivative: Fixed::ZERO,
/// };
/// let mut pid = Pid::new(gains, Limit::new(Fixed::ZERO, Fixed::ONE)?);
/// // The plant follows its input with a time constant of about 8 steps.
/// let mut plant = LowPass::new(Fixed::ratio(1, 8))?;
/// let set_point = Fixed::ratio(3, 4);
/// let mut measured = Fixed::ZERO;
/// for _ in 0..200 {
///     measured = plant.step(pid.step(set_point - measured));
/// }
/// assert_eq!(measured, set_point);
/// # Ok::<(), BadParameter>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pid {
    proportional: Fixed,
    derivative: Fixed,
    limit: Limit,
    integral: Integral,
    last: Fixed,
}

impl Pid {
    /// Makes a controller whose output and integral stay in `limit`. The integral begins at 0, or
    /// at the limit nearest to it.
    pub const fn new(gains: PidGains, limit: Limit) -> Pid {
        Pid {
            proportional: gains.proportional,
            derivative: gains.derivative,
            limit,
            integral: Integral::new(gains.integral, limit),
            last: Fixed::ZERO,
        }
    }
}

impl Block for Pid {
    #[inline]
    fn step(&mut self, input: Fixed) -> Fixed {
        // The integral is at most 2⁴⁷, and each product is at most 2⁶².
        let sum = self.integral.step_wide(input) + self.proportional.times(input);
        // Where a part of the sum saturates, the whole is beyond 2⁶¹, as the exact sum is.
        let sum = sum
            .saturating_add(self.derivative.times(input))
            .saturating_sub(self.derivative.times(self.last));
        self.last = input;
        Fixed::nearest(self.limit.clamp_wide(sum))
    }

    fn reset(&mut self) {
        self.integral.reset();
        self.last = Fixed::ZERO;
    }
}
