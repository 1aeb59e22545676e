//! Budgets and periods that are found, against trying all of them.

use super::{RULES, ns, server};
use crate::common;
use flyball_analysis::sensitivity::Margin;
use flyball_analysis::supply::{Inside, Least, NotCovered, Rule, Sizing};
use flyball_analysis::{
    Answer, Level, SporadicTask, Stop, Supply, Utilisation, WorkLimit, edf_demand, priority,
};
use flyball_trace::Duration;
use proptest::prelude::*;

/// By the definition, up to where all repeats: periods divide 24.
fn demand_fits(supply: Supply, tasks: &[SporadicTask]) -> bool {
    let fits = |t: u64| edf_demand::demand(tasks, ns(t)) <= supply.bound(ns(t));
    Utilisation::of(tasks) <= supply.bandwidth() && (0..=200).all(fits)
}

fn edf(tasks: &[SporadicTask], rule: Rule) -> Sizing<'_> {
    Sizing {
        tasks,
        inside: Inside::EarliestDeadline,
        rule,
        deadline: None,
        limit: WorkLimit::default(),
    }
}

proptest! {
    /// One unit less is not provable, and everything above is.
    #[test]
    fn the_smallest_budget_is_the_smallest(
        (tasks, levels) in common::small_set(true),
        rule in 0_usize..7,
        period in 1_u64..13,
        deadline in 1_u64..20,
        inside in 0..3,
    ) {
        let rule = RULES[rule];
        let whole = deadline.min(period);
        let sizing = Sizing {
            inside: match inside {
                0 => Inside::EarliestDeadline,
                1 => Inside::FixedPriorities(&levels),
                _ => Inside::InOrder,
            },
            deadline: Some(ns(deadline)),
            ..edf(&tasks, rule)
        };
        let accepts = |q: u64| {
            let server = server(q, period, whole);
            let outcome = sizing.inside.test(&tasks, rule, &server, sizing.limit)?;
            Ok::<_, NotCovered>(outcome.holds())
        };
        let Ok(found) = sizing.smallest_budget(ns(period)) else {
            prop_assert_eq!(accepts(1), Err(NotCovered::Early));
            return Ok(());
        };
        let accepted: Vec<_> = (1..=whole).filter(|&q| accepts(q).unwrap()).collect();
        let expected = accepted.first().map_or(Least::Nothing, |&q| Least::Exactly(ns(q)));
        prop_assert_eq!(found, expected);
        prop_assert!(accepted.iter().copied().eq(whole + 1 - accepted.len() as u64..=whole));
    }

    /// The test is not asked here: the smallest budget is that of the definition.
    #[test]
    fn the_smallest_budget_is_exact_under_edf(
        (tasks, _) in common::small_set(true),
        period in 0_usize..8,
    ) {
        let period = [1, 2, 3, 4, 6, 8, 12, 24][period];
        let fits = |q: &u64| {
            let server = server(*q, period, period);
            demand_fits(Rule::Periodic.supply(&server).unwrap(), &tasks)
        };
        let found = edf(&tasks, Rule::Periodic).smallest_budget(ns(period)).unwrap();
        let expected = (1..=period).find(fits).map(ns);
        prop_assert_eq!(found.proven().copied(), expected);
    }

    #[test]
    fn the_longest_period_is_the_longest(
        (tasks, levels) in common::small_set(true),
        rule in 0_usize..7,
        budget in 1_u64..6,
        deadline in prop::option::of(1_u64..20),
        is_edf: bool,
    ) {
        let rule = RULES[rule];
        let sizing = Sizing {
            inside: if is_edf { Inside::EarliestDeadline } else { Inside::FixedPriorities(&levels) },
            deadline: deadline.map(ns),
            ..edf(&tasks, rule)
        };
        let answer = |p: u64| {
            let server = server(budget, p, deadline.map_or(p, |deadline| deadline.min(p)));
            let outcome = sizing.inside.test(&tasks, rule, &server, sizing.limit);
            outcome.map(|outcome| outcome.holds())
        };
        match sizing.longest_period(ns(budget)) {
            Err(reason) => prop_assert_eq!(answer(budget), Err(reason)),
            Ok(found) => {
                let accepted: Vec<_> = (budget..250).filter(|&p| answer(p).unwrap()).collect();
                let expected = accepted.last().map_or(Margin::Nothing, |&p| Margin::Exactly(ns(p)));
                prop_assert_eq!(found, expected);
                prop_assert_eq!(accepted.len() as u64, accepted.last().map_or(0, |p| p + 1 - budget));
            }
        }
    }

    /// Times as they are in practice, with little and with much work: what is found is accepted, and a
    /// nanosecond less is not if the search says so.
    #[test]
    fn large_numbers(tasks in common::large_set(6), shift in 0_u32..6, steps in 50_u64..20_000) {
        let shortest = tasks.iter().map(SporadicTask::deadline).min().unwrap();
        let period = ns((shortest.as_nanos() >> shift).max(2));
        let limit = WorkLimit::steps(steps);
        let sizing = Sizing { limit, ..edf(&tasks, Rule::SchedDeadline) };
        let ask = |budget: Duration| {
            let server = SporadicTask::new(budget, period, period).unwrap();
            let outcome = sizing.inside.test(&tasks, sizing.rule, &server, WorkLimit::default());
            Answer::from(&outcome.unwrap())
        };
        match sizing.smallest_budget(period).unwrap() {
            Least::Exactly(budget) => {
                prop_assert!(ask(budget).accepts());
                let less = budget.saturating_sub(ns(1));
                prop_assert!(less.is_zero() || !ask(less).accepts());
            }
            Least::AtMost(budget, stop) => {
                prop_assert!(ask(budget).accepts());
                prop_assert_eq!(stop, Stop::WorkLimit);
            }
            Least::Nothing => prop_assert!(!ask(period).accepts()),
            Least::NotKnown(stop) => prop_assert_eq!(stop, Stop::WorkLimit),
        }
    }
}

/// The workload of an example of Shin and Lee, RTSS 2003, in units of 1 ms, in a resource with a
/// period of 10. By hand, under EDF: demand is 39 by 150, which is in the fourteenth budget's gap, so
/// 14 Q ≥ 39; by 75 it is 16, which is less than 6 Q. Rate monotonic, the second task takes 23
/// of 75, if the first comes twice, and 75 is in the sixth budget or its gap.
#[test]
fn shin_and_lees_workload() {
    let ms = Duration::from_millis;
    let task = |t, c| SporadicTask::new(ms(c), ms(t), ms(t)).unwrap();
    let tasks = [task(50, 7), task(75, 9)];
    let sizing = edf(&tasks, Rule::Periodic);
    let found = sizing.smallest_budget(ms(10)).unwrap();
    assert_eq!(found, Least::Exactly(ns(39_000_000_u64.div_ceil(14))));
    let levels = priority::rate_monotonic(&tasks);
    let sizing = Sizing {
        inside: Inside::FixedPriorities(&levels),
        ..sizing
    };
    // 23 = 6 Q + rest, and the rest is done by 75 if 20 − 2 Q + 60 + rest ≤ 75: 8 Q ≥ 28.
    let found = sizing.smallest_budget(ms(10)).unwrap();
    assert_eq!(found, Least::Exactly(ns(3_500_000)));
    assert_eq!(
        sizing.longest_period(ns(3_500_000)),
        Ok(Margin::Exactly(ms(10)))
    );
    let budgets = sizing.smallest_budgets(&[ms(10), ms(80)]).unwrap();
    assert_eq!(budgets[0].proven(), Some(&ns(3_500_000)));
    // The first has 7 in 50, and the blackout is 160 − 2 Q. The second ends at 43 + 23 then.
    assert_eq!(budgets[1], Least::Exactly(ns(58_500_000)));
}

#[test]
fn what_cannot_be_sized_is_said() {
    let tasks = [common::task(1, 8, 8, 0)];
    let sizing = edf(&tasks, Rule::SoftConstantBandwidth);
    assert_eq!(sizing.smallest_budget(ns(4)), Err(NotCovered::Early));
    assert_eq!(sizing.longest_period(ns(4)), Err(NotCovered::Early));
    let sizing = Sizing {
        inside: Inside::FixedPriorities(&[]),
        ..edf(&tasks, Rule::Polling)
    };
    let error = sizing.smallest_budget(ns(4)).unwrap_err();
    assert_eq!(error.to_string(), "0 levels for 1 tasks");
    let error = edf(&tasks, Rule::Polling)
        .smallest_budget(ns(0))
        .unwrap_err();
    assert_eq!(error.to_string(), "the WCET is zero");
    let sizing = Sizing {
        deadline: Some(ns(3)),
        ..edf(&tasks, Rule::Polling)
    };
    assert_eq!(sizing.longest_period(ns(4)), Err(NotCovered::Budget));
    // No task, no need: any period will do.
    let none = edf(&[], Rule::Polling);
    assert_eq!(none.smallest_budget(ns(9)), Ok(Least::Exactly(ns(1))));
    let longest = none.longest_period(ns(9)).unwrap();
    assert_eq!(longest.stopped(), Some(Stop::TimeRange));
    let level = [Level(0)];
    let sizing = Sizing {
        inside: Inside::FixedPriorities(&level),
        limit: WorkLimit::steps(0),
        ..edf(&tasks, Rule::Polling)
    };
    assert_eq!(
        sizing.smallest_budget(ns(4)),
        Ok(Least::NotKnown(Stop::WorkLimit))
    );
}
