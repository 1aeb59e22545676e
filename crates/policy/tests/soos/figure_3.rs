//! The algorithm that was printed, and what is reactivated in which slot.

use crate::soos::world::{Background, CPU, units};
use flyball_policy::servers::{Reservation, Seat};
use flyball_policy::soos::{Reactivation, Slack, Soos, Switches};
use flyball_policy::{
    Boxed, Fifo, Policy, Queue, Ready, Resched, Stop, TaskId, Time, TopTwo, Usage,
};
use proptest::prelude::*;

/// What is repaired of the printed algorithm.
#[derive(Clone, Copy)]
struct Repairs {
    /// `nextReact`, which counts down, is compared with zero, and not with the present slot.
    relative: bool,
    /// The minimum begins at infinity, and not at what `nextReact` was.
    from_infinity: bool,
    /// The minimum is that of the servers which have just been reactivated, too.
    of_all: bool,
}

/// The algorithm of figure 3: which server is reactivated in which slot. All servers are due in slot 0.
fn figure_3(repairs: Repairs, periods: &[i64], slots: i64) -> Vec<(i64, usize)> {
    let mut reactivated = Vec::new();
    let mut r = vec![0; periods.len()];
    let (mut next_react, mut time_elapsed) = (0, 0);
    for t in 0..slots {
        if next_react == if repairs.relative { 0 } else { t } {
            if repairs.from_infinity {
                next_react = i64::MAX;
            }
            for server in 0..periods.len() {
                if r[server] == time_elapsed {
                    r[server] = periods[server];
                    reactivated.push((t, server));
                    if !repairs.of_all {
                        continue;
                    }
                } else {
                    r[server] -= time_elapsed;
                }
                next_react = next_react.min(r[server]);
            }
            time_elapsed = next_react;
            // Counted from the next slot on.
            if repairs.relative {
                next_react -= 1;
            }
        } else {
            next_react -= 1;
        }
    }
    reactivated
}

/// Each server is reactivated in every slot that is a multiple of its period.
fn by_periods(periods: &[i64], slots: i64) -> Vec<(i64, usize)> {
    let due = |t: i64| (0..periods.len()).filter(move |&server| t % periods[server] == 0);
    (0..slots)
        .flat_map(|t| due(t).map(move |server| (t, server)))
        .collect()
}

/// As printed no server is reactivated after the first slot, and any repair is missed.
#[test]
fn figure_3_fails_where_it_is_not_repaired() {
    let periods = [2, 3];
    for bits in 0..8 {
        let repairs = Repairs {
            relative: bits & 1 > 0,
            from_infinity: bits & 2 > 0,
            of_all: bits & 4 > 0,
        };
        let found = figure_3(repairs, &periods, 12);
        if bits == 7 {
            assert_eq!(found, by_periods(&periods, 12));
        } else {
            assert_ne!(
                found,
                by_periods(&periods, 12),
                "without repairs {bits:03b}"
            );
        }
        if bits == 0 {
            assert_eq!(found, [(0, 0), (0, 1)]);
        }
    }
}

/// What the policy does in slots, as an order of list insertions: with jobs that always wait, its
/// servers are reactivated as the repaired algorithm says.
fn reactivated(reactivation: Reactivation, periods: &[i64], slots: i64) -> Vec<(i64, usize)> {
    let switches = Switches {
        slot: units(1_000),
        reactivation,
        slack: Slack::All,
        ..Switches::default()
    };
    let background = Background::new(Fifo, periods.len());
    let mut policy = Soos::new(
        switches,
        TopTwo::<Time, Boxed>::new(periods.len()),
        background,
    );
    for (task, &period) in periods.iter().enumerate() {
        let period = units(1_000 * u64::try_from(period).unwrap());
        let seat = Seat::Own(Reservation::every(period, units(1)));
        let task = TaskId::from_index(task);
        policy.admit(task, seat, Time::ZERO).unwrap();
        let why = Ready::Unblocked;
        assert_eq!(policy.ready(CPU, task, why, Time::ZERO), Resched::None);
    }
    let mut reactivated = Vec::new();
    for t in 0..slots {
        let mut now = Time::ZERO + units(1_000) * u64::try_from(t).unwrap();
        assert_eq!(policy.next_alarm(CPU), Some(now));
        let _ = policy.alarm(CPU, now);
        // Each job takes a unit, and the next one is there at once.
        while let Some(dispatch) = policy.pick(CPU, now) {
            reactivated.push((t, dispatch.task.index()));
            now += units(1);
            let used = Usage::time(units(1));
            let _ = policy.stopped(CPU, dispatch.task, used, Stop::Completed, now);
            let why = Ready::Released {
                release: Time::ZERO,
            };
            assert_eq!(policy.ready(CPU, dispatch.task, why, now), Resched::None);
        }
    }
    // Those of one slot by their numbers, as they are looked at.
    reactivated.sort_unstable();
    reactivated
}

proptest! {
    #[test]
    fn servers_are_reactivated_by_their_periods(periods in prop::collection::vec(1_i64..9, 1..9)) {
        let repaired = Repairs { relative: true, from_infinity: true, of_all: true };
        let expected = by_periods(&periods, 60);
        prop_assert_eq!(&figure_3(repaired, &periods, 60), &expected);
        prop_assert_eq!(&reactivated(Reactivation::Next, &periods, 60), &expected);
        prop_assert_eq!(&reactivated(Reactivation::EverySlot, &periods, 60), &expected);
    }
}
