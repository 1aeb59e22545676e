//! Which policy of the catalogue has which theory on one CPU. A policy without a line has none; a
//! test names those.

use super::csd::Combined;
use super::declared_servers::Declared;
use super::edf::EarliestDeadline;
use super::fixed_priority::FixedPriority;
use super::fixed_servers::OfFixedPriority;
use super::guarantee::Guarantee;
use super::one_cpu::OneCpu;
use super::scaled::Scaled;
use super::servers::{Isolation, OfTheirOwn};
use super::windows::Windows;
use flyball_analysis::supply::Rule as Supplied;
use flyball_catalogue::{
    Bids, Cbs, CcEdf, Csd, DeferrableServers, Dm, DssEdf, Edf, Fp, GlobalCbs, GlobalSchedDeadline,
    Grub, Iris, NpEdf, Pd2, Pf, PollingServers, Rm, Rule, SchedDeadline, Scheduler,
    SporadicServers, StaticEdf, Tbs,
};

const CBS: OfTheirOwn = by_deadlines::<Cbs>(
    Isolation::OfEach,
    Guarantee::Of(Supplied::SoftConstantBandwidth),
);
const SCHED_DEADLINE: OfTheirOwn =
    by_deadlines::<SchedDeadline>(Isolation::OfEach, Guarantee::Of(Supplied::SchedDeadline));
const GRUB: OfTheirOwn = by_deadlines::<Grub>(Isolation::OfAll, Guarantee::Grub);
const IRIS: OfTheirOwn = by_deadlines::<Iris>(Isolation::OfEach, Guarantee::Iris);
const BIDS: OfTheirOwn = OfTheirOwn {
    heeds_results: true,
    ..by_deadlines::<Bids>(Isolation::OfEach, Guarantee::Bids)
};
const TBS: OfTheirOwn = by_deadlines::<Tbs>(Isolation::Nothing, Guarantee::Nothing);
const POLLING: OfFixedPriority =
    by_fixed_priority::<PollingServers>(false, Guarantee::Of(Supplied::Polling));
const DEFERRABLE: OfFixedPriority =
    by_fixed_priority::<DeferrableServers>(false, Guarantee::Of(Supplied::Deferrable));
const SPORADIC: OfFixedPriority = by_fixed_priority::<SporadicServers>(true, Guarantee::Sporadic);

const fn by_deadlines<S: Scheduler>(isolation: Isolation, guarantee: Guarantee) -> OfTheirOwn {
    OfTheirOwn {
        policy: S::NAME,
        isolation,
        heeds_results: false,
        declared: Declared { guarantee },
    }
}

const fn by_fixed_priority<S: Scheduler>(
    is_sporadic: bool,
    guarantee: Guarantee,
) -> OfFixedPriority {
    OfFixedPriority {
        policy: S::NAME,
        is_sporadic,
        declared: Declared { guarantee },
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
    (<StaticEdf as Scheduler>::NAME, &Scaled::<false>),
    (<CcEdf as Scheduler>::NAME, &Scaled::<true>),
    (<Csd as Scheduler>::NAME, &Combined),
    (<DssEdf as Scheduler>::NAME, &Windows),
    (CBS.policy, &CBS),
    (SCHED_DEADLINE.policy, &SCHED_DEADLINE),
    (GRUB.policy, &GRUB),
    (IRIS.policy, &IRIS),
    (BIDS.policy, &BIDS),
    (TBS.policy, &TBS),
    (POLLING.policy, &POLLING),
    (DEFERRABLE.policy, &DEFERRABLE),
    (SPORADIC.policy, &SPORADIC),
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

/// Whether the scheduler of that name serves servers on all CPUs.
pub(super) fn has_servers(scheduler: &str) -> bool {
    [
        <GlobalCbs as Scheduler>::NAME,
        <GlobalSchedDeadline as Scheduler>::NAME,
    ]
    .contains(&scheduler)
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
        assert_eq!(
            one,
            [
                "fp-rr",
                "llf",
                "rr",
                "fifo",
                "dss",
                "cruise",
                "ipi",
                "soos",
                "linux-o1",
                "linux-2.0",
                "pp"
            ]
        );
        let global = nothing(|placement| placement == Placement::Global);
        assert_eq!(global, ["g-fp-rr", "g-llf", "g-rr", "g-fifo", "g-pp"]);
        let split = nothing(|placement| matches!(placement, Placement::SemiPartitioned(_)));
        assert_eq!(split, [""; 0]);
    }
}
