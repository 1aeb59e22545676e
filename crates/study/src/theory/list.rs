//! Which policy of the catalogue has which theory on one CPU. A policy without a line has none; a
//! test names those.

use super::edf::EarliestDeadline;
use super::fixed_priority::FixedPriority;
use super::one_cpu::OneCpu;
use super::servers::{Isolation, OfTheirOwn};
use flyball_catalogue::{
    Bids, Cbs, Dm, Edf, Fp, Grub, Iris, NpEdf, Pd2, Pf, Rm, Rule, SchedDeadline, Scheduler, Tbs,
};

const CBS: OfTheirOwn = servers::<Cbs>(Isolation::OfEach);
const SCHED_DEADLINE: OfTheirOwn = servers::<SchedDeadline>(Isolation::OfEach);
const GRUB: OfTheirOwn = servers::<Grub>(Isolation::OfAll);
const IRIS: OfTheirOwn = servers::<Iris>(Isolation::OfEach);
const BIDS: OfTheirOwn = servers::<Bids>(Isolation::OfEach);
const TBS: OfTheirOwn = servers::<Tbs>(Isolation::Nothing);

const fn servers<S: Scheduler>(isolation: Isolation) -> OfTheirOwn {
    OfTheirOwn {
        policy: S::NAME,
        isolation,
    }
}

/// By the name of a scheduler.
const ONE_CPU: &[(&str, &dyn OneCpu)] = &[
    (<Fp as Rule>::NAME, &FixedPriority::BY_PRIORITY),
    (<Rm as Rule>::NAME, &FixedPriority::BY_PERIOD),
    (<Dm as Rule>::NAME, &FixedPriority::BY_DEADLINE),
    (<Edf as Rule>::NAME, &EarliestDeadline::PREEMPTIVE),
    (
        <NpEdf as Scheduler>::NAME,
        &EarliestDeadline::NON_PREEMPTIVE,
    ),
    (CBS.policy, &CBS),
    (SCHED_DEADLINE.policy, &SCHED_DEADLINE),
    (GRUB.policy, &GRUB),
    (IRIS.policy, &IRIS),
    (BIDS.policy, &BIDS),
    (TBS.policy, &TBS),
];

/// What is known of the scheduler of that name on one CPU.
pub(super) fn one_cpu(scheduler: &str) -> Option<&'static dyn OneCpu> {
    let found = ONE_CPU.iter().find(|(name, _)| *name == scheduler)?;
    Some(found.1)
}

/// By which fixed ranks the scheduler of that name serves one queue, and equals as they come.
pub(super) fn ranks(scheduler: &str) -> Option<&'static FixedPriority> {
    match scheduler {
        <Fp as Rule>::NAME => Some(&FixedPriority::BY_PRIORITY),
        <Rm as Rule>::NAME => Some(&FixedPriority::BY_PERIOD),
        <Dm as Rule>::NAME => Some(&FixedPriority::BY_DEADLINE),
        _ => None,
    }
}

/// Whether the scheduler of that name is EDF, of which more is known where CPUs share a queue.
pub(super) fn is_edf(scheduler: &str) -> bool {
    scheduler == <Edf as Rule>::NAME
}

/// Whether the scheduler of that name is fair in slots.
pub(super) fn is_fair(scheduler: &str) -> bool {
    [<Pd2 as Scheduler>::NAME, <Pf as Scheduler>::NAME].contains(&scheduler)
}

#[cfg(test)]
mod tests {
    use crate::theory::Theory;
    use flyball_catalogue::{Placement, entries};

    /// A policy that is added without a theory has its name here.
    #[test]
    fn these_policies_can_only_be_simulated() {
        let nothing = |wanted: fn(Placement) -> bool| -> Vec<&str> {
            let here = entries().filter(|entry| wanted(entry.placement));
            let unknown =
                here.filter(|entry| matches!(Theory::of(entry), Theory::None | Theory::Global));
            unknown.map(|entry| entry.name).collect()
        };
        let one = nothing(Placement::is_assigned);
        let one_cpu = [
            "fp-rr",
            "llf",
            "rr",
            "fifo",
            "ipi",
            "polling",
            "deferrable",
            "sporadic",
        ];
        assert_eq!(one, one_cpu);
        let global = nothing(|placement| placement == Placement::Global);
        assert_eq!(global, ["g-fp-rr", "g-llf", "g-rr", "g-fifo"]);
        let split = nothing(|placement| matches!(placement, Placement::SemiPartitioned(_)));
        assert_eq!(split, [""; 0]);
    }
}
