//! Shares that tasks say: kept, denied at the end of a budget, and renegotiated.

use super::world::{Step, World};
use flyball_policy::proportion_period::{Order, Share};
use flyball_policy::proportion_period::{Part, Request, Reserves, Settings};
use flyball_policy::servers::{Account, Arrival, Reservation, Rule, Supply};
use flyball_policy::{Duration, Policy, Refused, Stop, TaskId, Time};

const RENEGOTIATED: Settings = Settings {
    renegotiates: true,
    ..Settings::DEFAULT
};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// So many hundredths of a CPU in every 20 ms.
fn request(percent: u32, importance: u16) -> Request {
    Request {
        share: Some(Part::millionths(percent * 10_000)),
        period: Some(ms(20)),
        importance,
    }
}

/// The share of a task from its next period on, in millionths, rounded.
fn share(world: &World, task: u16) -> u64 {
    let (share, _) = world.policy.reservation(TaskId(task)).unwrap();
    (u64::from(share.next.0) * 1_000_000 + (1 << 27)) >> 28
}

#[test]
fn more_important_tasks_take_from_less_important_ones_only() {
    let mut world = World::new(RENEGOTIATED);
    world.admit(0, request(50, 2)).unwrap();
    world.admit(1, request(40, 1)).unwrap();
    // As important as one that it does not fit beside.
    assert!(matches!(
        world.admit(2, request(30, 1)),
        Err(Refused::Overload { .. })
    ));
    world.admit(2, request(30, 2)).unwrap();
    // 96 % less 80 %.
    let shares = [0, 1, 2].map(|task| share(&world, task));
    assert_eq!(shares, [500_000, 160_000, 300_000]);
    let reserve = |world: &World, task| {
        let server = world.policy.server_of(TaskId(task)).unwrap();
        world.policy.budget(server, Duration::ZERO, world.now)
    };
    // A server that has not been used has no budget to tell of yet.
    for task in 0..3 {
        world.step(Step::Ready(task));
    }
    let is_squished = |task| reserve(&world, task).unwrap().reserve.unwrap().is_squished;
    assert_eq!([0, 1, 2].map(is_squished), [false, true, false]);
    // Nothing is left for the least important one but the least.
    world.admit(3, request(96, 9)).unwrap_err();
    world.admit(3, request(15, 9)).unwrap();
    assert_eq!(share(&world, 1), 10_000);
    world.step(Step::Adjust(0, Request::NOTHING));
    assert_eq!(share(&world, 1), 400_000);
}

#[test]
fn a_share_that_is_kept_is_refused_to_more_important_tasks() {
    let mut world = World::new(Settings::DEFAULT);
    let now = world.now;
    let policy = &mut world.policy;
    policy.admit(TaskId(0), request(80, 1), now).unwrap();
    assert!(matches!(
        policy.admit(TaskId(1), request(30, 9), now),
        Err(Refused::Overload { .. })
    ));
}

/// A task that has 50 % and uses 10 % of the CPU, for so many periods of 20 ms.
fn use_little(world: &mut World, periods: u64) {
    for _ in 0..periods {
        world.step(Step::Ready(0));
        world.step(Step::Run(2_000, Stop::Completed));
        world.step(Step::Pass(18_000));
    }
}

#[test]
fn a_share_that_is_not_used_is_lent_and_comes_back() {
    for (settings, lent) in [(Settings::DEFAULT, false), (RENEGOTIATED, true)] {
        let mut world = World::new(settings);
        world.step(Step::Admit(0, request(50, 1)));
        world.step(Step::Admit(1, Request::NOTHING));
        use_little(&mut world, 40);
        // What it has used, and a quarter; a run of controllers may see two periods' use as one.
        let found = share(&world, 0);
        if lent {
            assert!((100_000..=250_000).contains(&found), "{found}");
            assert_eq!(
                share(&world, 1),
                980_000 - found,
                "what is lent, others have"
            );
        } else {
            assert_eq!(found, 500_000);
        }
        // It uses all it can get: one period to use it up, and an interval.
        world.step(Step::Ready(0));
        world.pass(20_000);
        world.pass(10_000);
        assert_eq!(share(&world, 0), 500_000);
        world.stop(Stop::Preempted);
        world.check();
    }
}

/// A server of 6 ms in 20 ms that has used 5 of them, and whose task comes back.
fn comes_back(order: Order, denies: u64) -> (Supply, Supply) {
    let mut rule = Reserves {
        order,
        denies: ms(denies),
    };
    let at = |millis| Time::ZERO + ms(millis);
    let arrival = |millis| Arrival {
        at: at(millis),
        idle_since: at(0),
        is_release: false,
    };
    let mut account: Account<Share> = Account::new(Reservation::default());
    rule.reserve(&mut account, Reservation::every(ms(20), ms(6)));
    assert_eq!(rule.arrives(&mut account, arrival(0)), Supply::Available);
    rule.charge(&mut account, ms(5), at(5));
    rule.emptied(&mut account, at(5));
    let first = rule.arrives(&mut account, arrival(6));
    assert_eq!(rule.supply(&mut account, at(7)), first, "it stays so");
    let then = rule.replenish(&mut account, at(20), at(20));
    assert!(account.budget() >= Duration::from_nanos(5_999_999));
    assert_eq!(account.state.missed, 0);
    (first, then)
}

#[test]
fn less_than_a_tick_of_a_budget_is_granted_or_denied() {
    let end = Supply::Throttled(Time::ZERO + ms(20));
    for order in [Order::Rate, Order::Deadline] {
        assert_eq!(comes_back(order, 0), (Supply::Available, Supply::Available));
        assert_eq!(comes_back(order, 1), (Supply::Available, Supply::Available));
        assert_eq!(comes_back(order, 2), (end, Supply::Available));
    }
}

/// A server of 6 ms in 20 ms, whose task has been there from 0 on and has used so many milliseconds when the second
/// period begins: how many missed allocations that is.
fn missed(order: Order, used: u64, since: u64) -> u16 {
    let mut rule = Reserves {
        order,
        denies: Duration::ZERO,
    };
    let at = |millis| Time::ZERO + ms(millis);
    let arrival = |millis| Arrival {
        at: at(millis),
        idle_since: at(0),
        is_release: false,
    };
    let mut account: Account<Share> = Account::new(Reservation::default());
    rule.reserve(&mut account, Reservation::every(ms(20), ms(6)));
    rule.arrives(&mut account, arrival(0));
    if since > 0 {
        rule.charge(&mut account, ms(1), at(1));
        rule.emptied(&mut account, at(1));
        rule.arrives(&mut account, arrival(since));
    }
    rule.charge(&mut account, ms(used), at(19));
    // The rest, after the end of the period.
    rule.charge(&mut account, ms(7), at(30));
    rule.supply(&mut account, at(30));
    account.state.missed
}

#[test]
fn a_budget_that_was_not_to_be_had_in_time_is_missed() {
    for order in [Order::Rate, Order::Deadline] {
        assert_eq!(missed(order, 4, 0), 1, "{order:?}");
        // It was not there all the time.
        assert_eq!(missed(order, 4, 10), 0, "{order:?}");
    }
    assert_eq!(missed(Order::Rate, 6, 0), 0);
}
