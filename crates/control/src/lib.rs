//! A toolkit of control blocks in fixed point, without a heap and without floating-point numbers.
//!
//! A controller is a circuit of components that computes a function of its input (Goel, Steere, Pu
//! and Walpole, "SWiFT: a feedback control and dynamic reconfiguration toolkit", OGI CSE-98-009). A
//! component is a [`Block`] here, and a circuit is a type:
//!
//! ```
//! use flyball_control::{BadParameter, Block, Fixed, Limit, LowPass, Pid, PidGains, RateLimit};
//!
//! /// Computes a task's part of a CPU from the fill level of its queue, less a half.
//! fn controller() -> Result<impl Block, BadParameter> {
//!     let smoothing = LowPass::new(Fixed::ratio(1, 4))?;
//!     let gains = PidGains {
//!         proportional: Fixed::ratio(1, 2),
//!         integral: Fixed::ratio(1, 20),
//!         derivative: Fixed::ratio(1, 10),
//!     };
//!     let all = Limit::new(Fixed::ZERO, Fixed::ONE)?;
//!     let most = Limit::new(Fixed::ratio(1, 10), Fixed::ratio(9, 10))?;
//!     let step = Fixed::ratio(1, 20);
//!     let pid = Pid::new(gains, all);
//!     Ok(smoothing.then(pid).then(most).then(RateLimit::new(step, step)?))
//! }
//!
//! let mut controller = controller()?;
//! // The queue is full for a while: the output rises by a twentieth a step, to nine tenths.
//! let filling = Fixed::ratio(1, 2);
//! let outputs: Vec<Fixed> = (0..40).map(|_| controller.step(filling)).collect();
//! assert_eq!(outputs[0], Fixed::ratio(1, 20));
//! assert_eq!(outputs[39], Fixed::ratio(9, 10));
//! # Ok::<(), BadParameter>(())
//! ```
//!
//! | block | computes | transfer function |
//! |---|---|---|
//! | [`Proportional`] | a multiple of the input | k |
//! | [`FirstDifference`] | by how much the input changes | 1 − z⁻¹ |
//! | [`Integral`] | a multiple of the sum of all inputs, clamped | k / (1 − z⁻¹) |
//! | [`Pid`] | the sum of these three, clamped | k_p + k_i / (1 − z⁻¹) + k_d·(1 − z⁻¹) |
//! | [`LowPass`] | an exponential moving average | α / (1 − (1 − α)·z⁻¹) |
//! | [`SampleAndHold`] | every n-th input, n times | see there |
//! | [`Limit`], [`RateLimit`] | an input that is not too large, that does not change too fast | not linear |
//! | [`DeadBand`], [`Hysteresis`] | 0 near 0, a switch with two thresholds | not linear |
//! | [`Then`], [`Plus`], [`Minus`] | B after A; the sum and the difference of A and B | A·B; A ± B |
//! | [`Feedback`] | A, whose last output returns through B | A / (1 + z⁻¹·A·B) |
//!
//! The caller combines several inputs to one: `set_point - measured`.
//!
//! # Errors
//!
//! The documentation of each block has a bound on the difference between its output and that of the
//! exact block, which computes with the same parameters in real numbers. A *unit* there is 2⁻¹⁶,
//! the distance of neighbouring [`Fixed`] numbers. The bounds hold while nothing but a stated limit
//! saturates.
//!
//! For circuits, let `e(A)` be the bound of A and `|A|` the sum of the magnitudes of A's impulse
//! response, which is the largest output for inputs between −1 and 1. Then `e(A then B) ≤ e(B) +
//! |B|·e(A)`, as B sees A's errors as an input. |B| is 1 for a low-pass filter, |k| for a gain and
//! 2 for a difference. Of the blocks that are not linear only [`Hysteresis`] enlarges an error.
//! Where |B| is infinite, as for an integral, the sum over the first n numbers bounds the first n
//! outputs.
//!
//! The tests compare each linear block with `scipy.signal`, and circuits with the Python package
//! `control`.
//!
//! # Cost
//!
//! A step is a few additions and comparisons, and a product of 64 bits for each gain and state. No
//! step divides or loops; all are O(1). Only [`Fixed::ratio`] divides. A step of [`Pid`] compiles
//! to 73 instructions of a Cortex-M3, one of [`LowPass`] to 23, and one of the circuit above to 113
//! (Rust 1.95, optimised for speed, each a function of its own). They call no library.
#![no_std]

mod bad_parameter;
mod band;
mod block;
mod fixed;
mod limit;
mod linear;
mod pid;
mod sample;

pub use bad_parameter::BadParameter;
pub use band::{DeadBand, Hysteresis};
pub use block::{Block, Feedback, Minus, Plus, Then};
pub use fixed::Fixed;
pub use limit::{Limit, RateLimit};
pub use linear::{FirstDifference, Integral, LowPass, Proportional};
pub use pid::{Pid, PidGains};
pub use sample::SampleAndHold;
