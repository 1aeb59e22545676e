//! PD² and PF hold every task set that asks for no more than all CPUs.

use flyball_catalogue::{Configured, Facts, Missing, Pd2, Pf, Scheduler, Shape, Size, Values};
use flyball_model::random::Random;
use flyball_model::{Task, TaskSet};
use flyball_policy::Storage;
use flyball_policy::pfair::{Fairness, Pfair, Subtask, Weight};
use flyball_sim::{Options, simulate};
use flyball_trace::metrics::{Metrics, TaskInfo};
use flyball_trace::{Duration, Event, Time};
use std::cmp::Ordering;

const QUANTUM: Duration = Duration::from_millis(1);
/// Utilisations are whole parts of this.
const PARTS: u64 = 60;

/// A set of up to three tasks a CPU, whose utilisation is exactly `cpus`, with periods of up to 120
/// slots.
fn full(cpus: u8, seed: u64) -> TaskSet {
    let most = 3 * u64::from(cpus);
    let mut random = Random::new(seed, 7);
    let mut upto = |most: u64| {
        random
            .uniform(Duration::from_nanos(1), Duration::from_nanos(most))
            .as_nanos()
    };
    let mut left = PARTS * u64::from(cpus);
    let mut tasks = Vec::new();
    while left > 0 {
        let remaining = most - tasks.len() as u64;
        // The tasks after this one can have one CPU each.
        let least = left.saturating_sub((remaining - 1) * PARTS).max(1);
        let parts = upto(PARTS.min(left)).max(least);
        left -= parts;
        let gcd = (1..=PARTS)
            .rev()
            .find(|&n| parts.is_multiple_of(n) && PARTS.is_multiple_of(n))
            .unwrap();
        // The same weight with windows in other places.
        let multiples = 2 * gcd;
        let times = upto(multiples);
        let times = if (2 * PARTS).is_multiple_of(PARTS / gcd * times) {
            times
        } else {
            gcd
        };
        let slots = |n: u64| QUANTUM * n;
        let (e, p) = (parts / gcd * times, PARTS / gcd * times);
        tasks.push(Task::periodic(tasks.len().to_string(), slots(p), slots(e)));
    }
    let mut set = TaskSet {
        tasks,
        ..TaskSet::default()
    };
    set.platform.cpus = cpus;
    set
}

fn misses(set: &TaskSet, scheduler: &impl Scheduler) -> u64 {
    let options = Options {
        stop_at_miss: true,
        ..Options::until(QUANTUM * (2 * PARTS))
    };
    let mut nobody: Vec<Event> = Vec::new();
    simulate(set, scheduler, &options, &mut nobody)
        .unwrap()
        .misses
}

#[test]
fn pd2_holds_ten_thousand_sets_that_ask_for_everything() {
    for seed in 0..10_000 {
        let set = full(2 + u8::try_from(seed % 5).unwrap(), seed);
        assert_eq!(
            misses(&set, &Pd2 { quantum: QUANTUM }),
            0,
            "seed {seed}: {set:?}"
        );
    }
}

#[test]
fn pf_holds_a_thousand() {
    for seed in 0..1_000 {
        let set = full(2 + u8::try_from(seed % 5).unwrap(), seed);
        assert_eq!(
            misses(&set, &Pf { quantum: QUANTUM }),
            0,
            "seed {seed}: {set:?}"
        );
    }
}

/// The last rule is needed: with deadlines and b-bits alone there are sets that ask for no more
/// than everything, and are late.
#[test]
fn without_group_deadlines_it_does_not() {
    #[derive(Clone, Copy)]
    struct Careless;
    impl Fairness for Careless {
        fn compare(_: &Subtask, _: &Subtask) -> Ordering {
            Ordering::Equal
        }
    }
    struct Blind;
    impl Configured for Blind {
        fn new(_: &dyn Values, _: &[Facts]) -> Result<Blind, &'static str> {
            Ok(Blind)
        }
        fn parse(_: &mut &[u8]) -> Option<Blind> {
            Some(Blind)
        }
    }
    impl Scheduler for Blind {
        const NAME: &'static str = "blind";
        const SHAPE: Shape = Shape::Several;
        type Params = Weight;
        type Policy<S: Storage, C: Storage> = Pfair<Careless, S, C>;
        fn cluster(&self) -> usize {
            usize::MAX
        }
        fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
            Pfair::new(QUANTUM, size.tasks, size.cpus)
        }
        fn params(&self, task: &Facts, values: &dyn Values) -> Result<Weight, Missing> {
            Pd2 { quantum: QUANTUM }.params(task, values)
        }
    }
    // Five tasks on four CPUs, in the orders in which equals may be served.
    let mut weights = [(1, 2), (3, 4), (7, 8), (11, 12), (23, 24)];
    let mut random = Random::new(1, 1);
    let mut lost = 0;
    for _ in 0..100 {
        weights.sort_by_cached_key(|_| random.uniform(Duration::ZERO, Duration::MAX));
        let task = |(e, p)| Task::periodic(format!("{e}/{p}"), QUANTUM * p, QUANTUM * e);
        let mut set = TaskSet {
            tasks: weights.map(task).into(),
            ..TaskSet::default()
        };
        set.platform.cpus = 4;
        lost += misses(&set, &Blind);
        assert_eq!(misses(&set, &Pd2 { quantum: QUANTUM }), 0);
    }
    assert!(lost > 0);
}

/// At most min(e − 1, p − e) preemptions a job of e quanta every p.
#[test]
fn jobs_are_preempted_no_more_often_than_they_can_be() {
    for seed in 0..200 {
        let set = full(4, seed);
        let infos: Vec<_> = set
            .tasks
            .iter()
            .map(|task| TaskInfo {
                name: task.name.clone(),
                period: task.arrival.period(),
                deadline: task.deadline,
            })
            .collect();
        let mut metrics = Metrics::new(&infos, 4);
        let until = QUANTUM * (2 * PARTS);
        simulate(
            &set,
            &Pd2 { quantum: QUANTUM },
            &Options::until(until),
            &mut metrics,
        )
        .unwrap();
        let summary = metrics.finish(Time::ZERO + until);
        for (task, found) in set.tasks.iter().zip(&summary.tasks) {
            let (e, p) = (
                task.wcet / QUANTUM,
                task.arrival.period().unwrap() / QUANTUM,
            );
            let most = (e - 1).min(p - e) * (2 * PARTS / p);
            assert!(
                found.preemptions <= most,
                "seed {seed}: {} of {e}/{p}",
                found.preemptions
            );
        }
    }
}
