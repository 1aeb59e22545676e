//! What servers promise, whatever their tasks ask for.

use super::world::{Run, Work, fitting, run, works, works_of};
use flyball_policy::Duration;
use flyball_policy::servers::{
    ConstantBandwidth, Grub, Iris, Periodic, Reservation, SchedDeadline, Seat, Sporadic,
};
use proptest::prelude::*;

/// The servers, each with its tasks.
fn servers(works: &[Work]) -> Vec<(Reservation, Vec<usize>)> {
    let mut servers: Vec<(Option<u16>, Reservation, Vec<usize>)> = Vec::new();
    for (task, work) in works.iter().enumerate() {
        let (name, reservation) = match work.seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(()) => continue,
        };
        let shared = servers.iter_mut().find(|it| it.0.is_some() && it.0 == name);
        match shared {
            Some(shared) => shared.2.push(task),
            None => servers.push((name, reservation, vec![task])),
        }
    }
    let unnamed = |(_, reservation, tasks)| (reservation, tasks);
    servers.into_iter().map(unnamed).collect()
}

/// Checks that no server executes for more than `bound` in any interval of `length`.
fn is_bounded(ran: &Run, works: &[Work], bound: impl Fn(&Reservation, u64) -> u64) {
    for (reservation, tasks) in servers(works) {
        let mut sums = vec![0];
        for unit in &ran.schedule {
            let is_its = unit.is_some_and(|task| tasks.contains(&task));
            sums.push(sums[sums.len() - 1] + u64::from(is_its));
        }
        for length in 1..sums.len() {
            let most = bound(&reservation, length as u64);
            let pairs = sums.iter().zip(&sums[length..]);
            for (from, (before, after)) in pairs.enumerate() {
                let used = after - before;
                assert!(
                    used <= most,
                    "{used} of {most} in {length} from {from}: {reservation:?}"
                );
            }
        }
    }
}

/// Budget ÷ deadline all the time, a budget that has been saved up before, and one that is to come.
fn in_proportion(reservation: &Reservation, length: u64) -> u64 {
    let [budget, deadline] = [reservation.budget, reservation.deadline].map(Duration::as_nanos);
    (budget * length).div_ceil(deadline) + 2 * budget
}

/// A budget in each period that the interval has to do with, where it begins late in one period.
fn by_periods(reservation: &Reservation, length: u64) -> u64 {
    let [budget, period] = [reservation.budget, reservation.period].map(Duration::as_nanos);
    budget * (length.div_ceil(period) + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever their tasks ask for, servers that fit have their budgets by their deadlines.
    #[test]
    fn budgets_are_had_by_their_deadlines(works in works()) {
        let works = fitting(&works, 100);
        prop_assert_eq!(run(ConstantBandwidth::SOFT, &works).late, 0);
        prop_assert_eq!(run(ConstantBandwidth::HARD, &works).late, 0);
        prop_assert_eq!(run(SchedDeadline, &works).late, 0);
        prop_assert_eq!(run(Grub::published(), &works).late, 0);
        prop_assert_eq!(run(Grub::linux(1_000_000), &works).late, 0);
        prop_assert_eq!(run(Iris::default(), &works).late, 0);
    }

    #[test]
    fn no_hard_server_has_more_than_its_bound(works in works()) {
        let fitting = fitting(&works, 100);
        is_bounded(&run(ConstantBandwidth::HARD, &fitting), &fitting, in_proportion);
        is_bounded(&run(SchedDeadline, &fitting), &fitting, in_proportion);
        // These have no more whether they fit or not.
        is_bounded(&run(Periodic::POLLING, &works), &works, by_periods);
        is_bounded(&run(Periodic::DEFERRABLE, &works), &works, by_periods);
    }

    /// A sporadic server that was late catches up; by fixed priorities none is with less than ln 2 of
    /// the CPU. Here budgets may be in more pieces than there is room for.
    #[test]
    fn no_sporadic_server_has_more_than_its_bound(works in works_of(16)) {
        let works = fitting(&works, 69);
        is_bounded(&run(Sporadic, &works), &works, by_periods);
    }
}
