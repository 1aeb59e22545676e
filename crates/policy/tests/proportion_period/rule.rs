//! Reservations as servers: as those that there are, while nothing is changed, and how changes take effect.

use crate::servers::world::{Work, run, units, works};
use flyball_policy::proportion_period::{Order, Part, Reserves, Share};
use flyball_policy::servers::{
    Account, Arrival, ConstantBandwidth, Periodic, Reservation, Rule, Seat, Supply,
};
use flyball_policy::{Duration, Time};
use proptest::prelude::*;

/// Deadlines are the ends of periods.
fn with_whole_periods(works: &[Work]) -> Vec<Work> {
    let mut works = works.to_vec();
    for work in &mut works {
        if let Seat::Own(reservation) | Seat::Shared(_, reservation) = &mut work.seat {
            reservation.deadline = reservation.period;
        }
    }
    works
}

const RATE: Reserves = Reserves {
    order: Order::Rate,
    denies: Duration::ZERO,
};
const DEADLINE: Reserves = Reserves {
    order: Order::Deadline,
    denies: Duration::ZERO,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn shares_that_stay_are_deferrable_servers_or_hard_constant_bandwidth(works in works()) {
        let works = with_whole_periods(&works);
        prop_assert_eq!(run(RATE, &works).schedule, run(Periodic::DEFERRABLE, &works).schedule);
        prop_assert_eq!(run(DEADLINE, &works).schedule, run(ConstantBandwidth::HARD, &works).schedule);
    }
}

fn at(instant: u64) -> Time {
    Time::from_nanos(instant)
}

/// A server of 30 in 100 that a task has come to at 0, and that has used so much.
fn begun(rule: &mut Reserves, used: u64) -> Account<<Reserves as Rule>::State> {
    let mut account = Account::new(Reservation::default());
    rule.reserve(&mut account, Reservation::every(units(100), units(30)));
    let arrival = Arrival {
        at: at(0),
        idle_since: at(0),
        is_release: true,
    };
    assert_eq!(rule.arrives(&mut account, arrival), Supply::Available);
    rule.charge(&mut account, units(used), at(used));
    account
}

fn part(units_in_hundred: u64) -> Part {
    Part::of(units(units_in_hundred), units(100))
}

#[test]
fn a_share_holds_now_or_from_the_next_period_on() {
    for mut rule in [RATE, DEADLINE] {
        let mut account = begun(&mut rule, 30);
        assert_eq!(
            rule.exhausted(&mut account, at(30)),
            Supply::Throttled(at(100))
        );
        let share = Share::new(part(50), part(10));
        rule.change(&mut account, share, units(100), at(40));
        assert_eq!(account.budget(), units(20));
        rule.charge(&mut account, units(20), at(90));
        assert_eq!(
            rule.exhausted(&mut account, at(90)),
            Supply::Throttled(at(100))
        );
        assert_eq!(
            rule.replenish(&mut account, at(100), at(100)),
            Supply::Available
        );
        assert_eq!((account.budget(), account.deadline), (units(10), at(200)));
    }
}

#[test]
fn the_present_period_gets_the_new_length() {
    for mut rule in [RATE, DEADLINE] {
        let share = Share::new(part(30), part(30));
        // Longer: with the budget of the longer period.
        let mut account = begun(&mut rule, 30);
        rule.change(&mut account, share, units(200), at(40));
        assert_eq!((account.budget(), account.deadline), (units(30), at(200)));
        // Shorter: with that of the shorter one, of which more has been used.
        let mut account = begun(&mut rule, 20);
        rule.change(&mut account, share, units(50), at(40));
        assert_eq!(
            (account.budget(), account.deadline),
            (Duration::ZERO, at(50))
        );
        // The period is over by that: what was used beyond its budget is paid back by the next ones.
        let mut account = begun(&mut rule, 20);
        rule.change(&mut account, share, units(25), at(40));
        assert_eq!(
            (account.budget(), account.deadline),
            (Duration::ZERO, at(50))
        );
        assert_eq!(
            rule.replenish(&mut account, at(50), at(50)),
            Supply::Available
        );
        assert_eq!((account.budget(), account.deadline), (units(1), at(75)));
    }
}

/// A server that has used up its budget in a period that is over owes nothing in the next one, however small
/// its share has become.
#[test]
fn a_smaller_share_makes_no_debt_of_what_was_paid_for() {
    for order in [Order::Rate, Order::Deadline] {
        let rule = Reserves {
            order,
            denies: Duration::ZERO,
        };
        let period = Duration::from_millis(20);
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        let [large, small] = [250_000, 2_000].map(Part::millionths);
        let mut account = Account::new(Reservation::every(period, large.in_period(period)));
        let share = |part| Share::new(part, part);
        (account.state, account.deadline) = (share(large), at(20));
        account.used = account.reservation.budget;
        rule.change(&mut account, share(small), period, at(25));
        assert_eq!(account.used, Duration::ZERO, "{order:?}");
        assert_eq!(account.deadline, at(40), "{order:?}");
        assert_eq!(
            account.reservation.budget,
            small.in_period(period),
            "{order:?}"
        );
    }
}

/// A share that is cut in the middle of a period makes no debt of what has been used before, and is no more budget in
/// the same period if it is raised again.
#[test]
fn a_share_that_is_cut_pays_for_what_was_used_before() {
    for mut rule in [RATE, DEADLINE] {
        let mut account = begun(&mut rule, 30);
        rule.change(
            &mut account,
            Share::new(part(1), part(10)),
            units(100),
            at(40),
        );
        assert!(account.is_exhausted());
        rule.change(
            &mut account,
            Share::new(part(30), part(10)),
            units(100),
            at(60),
        );
        assert!(account.is_exhausted());
        rule.change(
            &mut account,
            Share::new(part(1), part(10)),
            units(100),
            at(80),
        );
        assert_eq!(
            rule.replenish(&mut account, at(100), at(100)),
            Supply::Available
        );
        assert_eq!((account.used, account.deadline), (units(0), at(200)));
        assert_eq!(account.budget(), units(10));
    }
}
