//! Reservations: a part of a CPU, again in every period.

use crate::share::Share;
use flyball_trace::Duration;

/// What a task asks to have reserved, for policies that reserve CPU time by proportion and period. One
/// of the two at least is there; what is missing is up to the policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// The part of a CPU; more than nothing.
    pub share: Option<Share>,
    /// How often the task is to get that part; not zero.
    pub period: Option<Duration>,
}
