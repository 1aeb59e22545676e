//! Why a policy does not take a task, its parameters or other settings.

use core::fmt;
use flyball_trace::Duration;

/// Why a policy does not take a task, its parameters or other settings. Nothing has changed then.
///
/// `E` is the figure of an overload. A `Refused<()>` has none and fits into one byte: the kernel
/// returns it from every call, where a second byte costs instructions, and keeps the figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refused<E = Excess> {
    /// It has no room for a task with this id.
    Full,
    /// The task is a member already.
    Member,
    /// The task is no member.
    NotAdmitted,
    /// This parameter makes no sense for the policy, whatever else there is to run.
    Invalid(Parameter),
    /// The task asks for more than the policy can give it.
    Overload {
        /// By how much.
        excess: E,
    },
    /// The task has a job under way, and the policy changes its parameters only between jobs.
    Busy,
    /// The policy keeps the settings that it was made with.
    Fixed,
}

/// What makes no sense, see [`Refused::Invalid`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Parameter {
    /// A priority, for which the queue has no level.
    Priority,
    /// A period of zero, or one that is too short or too long to count in slots.
    Period,
    /// A relative deadline of zero.
    Deadline,
    /// The CPUs that the task may run on: none of them is there.
    Cpus,
    /// A quantum of zero.
    Quantum,
    /// A budget of zero, or one that is longer than its deadline.
    Budget,
    /// A server that the task cannot have: it has another reservation, or is not the task's own.
    Server,
    /// Another one, see the policy's own documentation.
    Other,
}

/// By how much a task asks for too much: in hundredths of a CPU, rounded up, so never zero. 255
/// stand for all that is more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Excess(u8);

impl<E: Copy> Refused<E> {
    /// Why, in words, without the figure.
    pub const fn text(self) -> &'static str {
        match self {
            Refused::Full => "the policy has no room for another task",
            Refused::Member => "the task is scheduled by the policy already",
            Refused::NotAdmitted => "the task is not scheduled by the policy",
            Refused::Invalid(Parameter::Priority) => "the policy has no level for this priority",
            Refused::Invalid(Parameter::Period) => "the policy cannot serve a task of this period",
            Refused::Invalid(Parameter::Deadline) => "the deadline is zero",
            Refused::Invalid(Parameter::Cpus) => "there is none of the CPUs that the task may have",
            Refused::Invalid(Parameter::Quantum) => "the quantum is zero",
            Refused::Invalid(Parameter::Budget) => {
                "the budget is zero, or longer than its deadline"
            }
            Refused::Invalid(Parameter::Server) => "the task cannot have this server",
            Refused::Invalid(Parameter::Other) => "the policy cannot serve this parameter",
            Refused::Overload { .. } => "the task asks for more than a CPU has",
            Refused::Busy => "the policy takes other parameters only between jobs",
            Refused::Fixed => "the policy keeps the settings that it was made with",
        }
    }

    /// The same with another figure, which `f` makes of this one.
    pub fn map<F>(self, f: impl FnOnce(E) -> F) -> Refused<F> {
        match self {
            Refused::Full => Refused::Full,
            Refused::Member => Refused::Member,
            Refused::NotAdmitted => Refused::NotAdmitted,
            Refused::Invalid(parameter) => Refused::Invalid(parameter),
            Refused::Overload { excess } => Refused::Overload { excess: f(excess) },
            Refused::Busy => Refused::Busy,
            Refused::Fixed => Refused::Fixed,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())?;
        match self {
            Refused::Overload { excess } => write!(f, ", by {excess}"),
            _ => Ok(()),
        }
    }
}

impl core::error::Error for Refused {}

impl Excess {
    /// The least that there is.
    pub const LEAST: Excess = Excess(1);

    /// The excess of a task that needs a CPU for `needed` in every `available`, which is shorter.
    pub const fn of(needed: Duration, available: Duration) -> Excess {
        let (needed, available) = (needed.as_nanos(), available.as_nanos());
        // Fifty bits leave room for the factor; what is shifted out is rounded up.
        let bits = u64::BITS - needed.leading_zeros();
        let shift = bits.saturating_sub(50);
        let lost = if shift > 0 { 1 } else { 0 };
        let (needed, available) = ((needed >> shift) + lost, available >> shift);
        if available == 0 {
            return Excess(u8::MAX);
        }
        let percent = (needed.saturating_sub(available) * 100).div_ceil(available);
        #[expect(clippy::cast_possible_truncation, reason = "just compared")]
        match percent {
            0 => Excess::LEAST,
            1..=0xfe => Excess(percent as u8),
            _ => Excess(u8::MAX),
        }
    }

    /// The number of hundredths of a CPU, at least one.
    pub const fn percent(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.0 == u8::MAX { " or more" } else { "" };
        write!(f, "{} % of a CPU{more}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_refusal_names_the_figure() {
        let excess = Excess::of(Duration::from_millis(9), Duration::from_millis(8));
        let refused = Refused::Overload { excess };
        assert_eq!(
            refused.to_string(),
            "the task asks for more than a CPU has, by 13 % of a CPU"
        );
        assert_eq!(
            Excess::of(Duration::MAX, Duration::from_nanos(1)).to_string(),
            "255 % of a CPU or more"
        );
    }

    #[test]
    fn only_the_figure_is_mapped() {
        let refusals = [
            Refused::Full,
            Refused::Member,
            Refused::NotAdmitted,
            Refused::Invalid(Parameter::Cpus),
            Refused::Overload { excess: 7 },
            Refused::Busy,
            Refused::Fixed,
        ];
        for refused in refusals {
            let mapped = refused.map(|figure| [figure]);
            assert_eq!(mapped.text(), refused.text());
            assert_eq!(mapped.map(|[figure]| figure), refused);
        }
    }

    proptest! {
        /// Rounded up, and by no more than one hundredth.
        #[test]
        fn the_excess_is_the_next_hundredth(available in 1_u64.., more in 1_u64.., shift in 0_u32..60) {
            let (available, more) = ((available >> shift).max(1), (more >> shift).max(1));
            let Some(needed) = available.checked_add(more) else { return Ok(()) };
            let [needed_time, time] = [needed, available].map(Duration::from_nanos);
            let excess = u128::from(Excess::of(needed_time, time).percent());
            let exact = (u128::from(more) * 100).div_ceil(u128::from(available));
            let wanted = exact.min(u8::MAX.into());
            prop_assert!(excess == wanted || excess == wanted + 1, "{excess}, not {wanted}");
        }
    }
}
