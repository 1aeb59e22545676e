//! The five series: their structure, and what arithmetic says of them.

use crate::hartstone::sweep::{Conditions, Score, first_misses};
use crate::hartstone::workload::{self, KILO_WHET};
use crate::hartstone::{Contender, Experiment, Growth, Rules, Series, Setup, Test};
use flyball_analysis::{SporadicTask, priority};
use flyball_measure::bench::{Bench, Simulator, Trial};
use flyball_measure::costs::Kernel;
use flyball_model::{Arrival, Length, Protocol, Step, Task, TaskSet, behaviour};
use flyball_study::registry::Registry;
use flyball_study::theory::blocking;
use flyball_trace::Duration;
use proptest::prelude::*;
use std::ops::ControlFlow;

fn free() -> Conditions {
    Conditions {
        kernel: Kernel::FREE,
        ..Conditions::default()
    }
}

fn baseline(series: Series) -> TaskSet {
    series.experiments()[0].task_set(0, Setup::default())
}

fn is_periodic(task: &Task) -> bool {
    matches!(task.arrival, Arrival::Periodic { .. })
}

/// Periods and loads in nanoseconds.
fn periodic(tasks: &[Task]) -> Vec<(u64, u64)> {
    let numbers = |task: &Task| {
        (
            task.arrival.period().unwrap().as_nanos(),
            task.wcet.as_nanos(),
        )
    };
    tasks
        .iter()
        .filter(|task| is_periodic(task))
        .map(numbers)
        .collect()
}

/// What tasks with periods or separations ask for at most, in parts of 10¹² of the CPU.
fn utilisation(tasks: &[Task]) -> u128 {
    let part = |task: &Task| {
        let period = u128::from(task.arrival.period()?.as_nanos());
        Some(u128::from(task.wcet.as_nanos()) * 1_000_000_000_000 / period)
    };
    tasks.iter().filter_map(part).sum()
}

/// How long a job has the server, in all.
fn served(task: &Task) -> Duration {
    let mut has = false;
    let mut served = Duration::ZERO;
    for step in &task.behaviour {
        match step {
            Step::Lock(0) => has = true,
            Step::Unlock(0) => has = false,
            Step::Compute(length) if has => served += length.longest(),
            _ => {}
        }
    }
    assert!(!has);
    served
}

fn iterations(
    contender: Contender,
    experiments: &[Experiment],
    conditions: &Conditions,
) -> Vec<u32> {
    let found = first_misses(&[contender], experiments, conditions).unwrap();
    found[0]
        .iter()
        .map(|first| first.unwrap().iteration)
        .collect()
}

#[test]
fn there_are_five_in_this_order() {
    assert_eq!(
        Series::ALL.map(Series::name),
        ["PH", "PN", "AH", "SH", "SA"]
    );
    assert_eq!(
        Series::ALL.map(|series| series.experiments().len()),
        [5, 5, 5, 6, 6]
    );
    for series in Series::ALL {
        for (number, experiment) in (1..).zip(series.experiments()) {
            assert_eq!(
                experiment.to_string(),
                format!("{} {number}", series.name())
            );
            let set = experiment.task_set(0, Setup::default());
            assert_eq!(set.tasks, baseline(series).tasks, "one baseline");
            // Where the numbers are from is never left out.
            let is_published = series == Series::PH && number <= 4;
            assert_eq!(
                set.source.unwrap().contains("numbers are ours"),
                !is_published
            );
            for task in &set.tasks {
                let demand = behaviour::demand(&task.behaviour).unwrap();
                assert_eq!(demand.compute, task.wcet, "{experiment}: {}", task.name);
            }
        }
    }
}

#[test]
fn baselines_are_as_by_hand() {
    let [ph, pn, ah, sh, sa] = Series::ALL.map(|series| baseline(series).tasks);
    let harmonic = periodic(&ph);
    assert_eq!(
        periodic(&pn),
        [
            (500_000_000, 40_000_000),
            (333_333_333, 26_666_667),
            (142_857_143, 11_428_571),
            (76_923_077, 6_153_846),
            (32_258_065, 2_580_645),
        ]
    );
    for (tasks, hundredths) in [(&ph, 40), (&pn, 40), (&ah, 42), (&sh, 40), (&sa, 42)] {
        let exact = hundredths * 10_000_000_000;
        // Half a nanosecond of a load or a period is no more than that.
        assert!(utilisation(tasks).abs_diff(exact) < 100_000);
    }
    for tasks in [&ah, &sh, &sa] {
        assert_eq!(periodic(tasks), harmonic);
    }
    for (series, tasks) in Series::ALL.iter().zip([&ph, &pn, &ah, &sh, &sa]) {
        let rest: Vec<&Task> = tasks.iter().skip(6).collect();
        let is_aperiodic = matches!(series, Series::AH | Series::SA);
        assert_eq!(rest.len(), if is_aperiodic { 2 } else { 0 });
        if let [sporadic, background] = rest[..] {
            let ms = Duration::from_millis;
            let gap = Length::Uniform {
                min: ms(125),
                max: ms(250),
            };
            assert_eq!(
                sporadic.arrival,
                Arrival::Sporadic {
                    separation: ms(125),
                    gap
                }
            );
            assert_eq!(
                (sporadic.deadline, sporadic.wcet),
                (Some(ms(125)), KILO_WHET * 2)
            );
            assert_eq!(
                (&background.arrival, background.deadline),
                (&Arrival::Once, None)
            );
        }
        let has_server = matches!(series, Series::SH | Series::SA);
        let mutexes = baseline(*series).mutexes;
        let protocols: Vec<_> = mutexes.iter().map(|mutex| mutex.protocol).collect();
        assert_eq!(protocols, vec![Protocol::Inherit; usize::from(has_server)]);
        for task in tasks {
            let locks = task
                .behaviour
                .iter()
                .filter(|step| matches!(step, Step::Lock(_)));
            let is_served = has_server && is_periodic(task);
            assert_eq!(
                locks.count(),
                usize::from(is_served),
                "{series:?}: {}",
                task.name
            );
            assert_eq!(served(task), KILO_WHET * u64::from(is_served));
        }
    }
}

/// Utilisation passes 1: 40 % less task 5's 8 %, and 8 %/31 × (31 + 8i), or × (31 + 13i);
/// 40 % × (1 + i/10); 40 % + 56 Hz × 1.25 ms × i; 40 % + 8 % × i.
#[test]
fn edf_holds_whatever_can_be_held_of_pn() {
    for (rules, by_hand) in [
        (Rules::Thesis, [30, 16, 9, 8]),
        (Rules::Original, [18, 16, 9, 8]),
    ] {
        let mut conditions = free();
        conditions.setup.rules = rules;
        let tests = &Series::PN.experiments()[..4];
        assert_eq!(iterations(Contender::edf(), tests, &conditions), by_hand);
        let too_much = tests.iter().map(|test| {
            let asks = |i: &u32| utilisation(&test.tasks(*i, conditions.setup)) > 1_000_000_000_000;
            (0..40).find(asks).unwrap()
        });
        assert!(too_much.eq(by_hand));
    }
}

/// EDF is optimal where no task blocks.
#[test]
fn no_scheduler_holds_more_than_edf_without_a_server() {
    let others = [
        Contender::rr(),
        Contender::new("rm"),
        Contender::ipi(Duration::from_micros(300)),
        Contender::ipi(Duration::from_millis(1)),
        Contender::deadline_aware(),
    ];
    for series in [Series::PH, Series::PN, Series::AH] {
        let experiments = series.experiments();
        let edf = iterations(Contender::edf(), &experiments, &free());
        for other in &others {
            let found = iterations(other.clone(), &experiments, &free());
            let mut pairs = found.iter().zip(&edf);
            assert!(
                pairs.all(|(other, edf)| other <= edf),
                "{other}: {found:?}, not {edf:?}"
            );
        }
    }
}

/// With deadlines at 4/20 of the periods, 90 ms are due by 100 ms. At 3/20 it is too much: by 75 ms
/// the first jobs of tasks 1 to 3, two of task 4 and three of task 5, which is 87.5 ms.
#[test]
fn edf_holds_deadlines_that_are_close() {
    let mut experiments = Series::PH.experiments();
    let deadlines = experiments.remove(4);
    assert_eq!(deadlines.growth, Growth::Deadlines);
    assert_eq!(iterations(Contender::edf(), &[deadlines], &free()), [17]);
    let tasks = deadlines.tasks(17, Setup::default());
    assert_eq!(tasks[1].deadline, Some(Duration::from_millis(75)));
    // Not below what a job computes, which is 1.6 twentieths.
    let tasks = deadlines.tasks(30, Setup::default());
    assert!(
        tasks
            .iter()
            .skip(1)
            .all(|task| task.deadline == Some(task.wcet))
    );
}

const BLOCKING: Experiment = Experiment {
    series: Series::SH,
    growth: Growth::Blocking,
};

/// Each less urgent task is in the way with one section: task 5 waits for those of tasks 4, 3 and
/// 2, a kilo-whet each, and for that of task 1, a kilo-whet and one more each iteration.
#[test]
fn blocking_grows() {
    for i in 0..40 {
        let set = BLOCKING.task_set(i, Setup::default());
        let jobs: Vec<usize> = (1..=5).collect();
        let mut tasks: Vec<_> = jobs
            .iter()
            .map(|&job| {
                let task = &set.tasks[job];
                let period = task.arrival.period().unwrap();
                // The bound does not ask how long jobs are.
                SporadicTask::new(task.wcet, period, period).unwrap()
            })
            .collect();
        let levels = priority::rate_monotonic(&tasks);
        blocking::add(&set, &jobs, &levels, &mut tasks).unwrap();
        let found: Vec<_> = tasks.iter().map(SporadicTask::blocking).collect();
        let i = u64::from(i);
        let kilo_whets = [0, 1 + i, 2 + i, 3 + i, 4 + i];
        assert_eq!(found, kilo_whets.map(|n| KILO_WHET * n));
    }
}

/// All start at once. Task 1 computes from 40 ms on, half of its own 31 kilo-whets, and has the
/// server from 59.375 ms on. Task 5 comes at 62.5 ms, and lets task 1 go on where it needs the
/// server itself; all in all it computes for 2.5 ms. So it is late at 93.75 ms if task 1 has the
/// server for more than 31.875 ms, which are 25.5 kilo-whets.
#[test]
fn blocking_is_what_ends_its_experiment() {
    for policy in ["edf", "rm"] {
        let found = iterations(Contender::new(policy), &[BLOCKING], &free());
        assert_eq!(found, [25], "{policy}");
        let late = |set: TaskSet| {
            let registry = Registry::standard();
            let mut go_on = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
            let mut simulator = Simulator::new(&registry, &mut go_on);
            let trial = Trial::new(set, policy, Duration::from_secs(2));
            simulator.run(&trial).unwrap().first_miss.is_some()
        };
        let set = |i| BLOCKING.task_set(i, Setup::default());
        assert!(!late(set(24)) && late(set(25)));
        // The same work without a server, even in the last iteration of all.
        let mut alone = set(40);
        for task in &mut alone.tasks {
            let computes = |step: &Step| !matches!(step, Step::Lock(_) | Step::Unlock(_));
            task.behaviour.retain(computes);
        }
        assert!(!late(alone));
    }
}

#[test]
fn ph_is_what_it_was() {
    let contender = Contender::ipi(Duration::from_micros(300));
    let score = Score::of(&contender, &free()).unwrap();
    let tests = Test::ALL.map(Experiment::from);
    assert_eq!(Series::PH.experiments()[..4], tests);
    assert_eq!(iterations(contender, &tests, &free()), score.iterations());
}

/// Under every policy a deadline is missed at last, and none in a baseline.
#[test]
fn every_experiment_ends() {
    for series in Series::ALL {
        let experiments = series.experiments();
        let ipi = Contender::ipi(Duration::from_micros(300));
        for contender in [Contender::rr(), Contender::edf(), Contender::new("rm"), ipi] {
            let found = iterations(contender, &experiments, &Conditions::default());
            assert!(
                found.iter().all(|&iteration| iteration > 0),
                "{series:?}: {found:?}"
            );
        }
    }
}

fn experiment() -> impl Strategy<Value = Experiment> {
    let all: Vec<_> = Series::ALL
        .into_iter()
        .flat_map(Series::experiments)
        .collect();
    prop::sample::select(all)
}

proptest! {
    /// No iteration asks for less than the one before, in any way, and each for more in one.
    #[test]
    fn more_is_asked_for_each_time(experiment in experiment(), i in 0_u32..40, original: bool) {
        let rules = if original { Rules::Original } else { Rules::Thesis };
        let setup = Setup { rules, ..Setup::default() };
        let [before, after] = [i, i + 1].map(|i| experiment.tasks(i, setup));
        let more = utilisation(&after) > utilisation(&before);
        prop_assert!(utilisation(&after) >= utilisation(&before));
        let mut closer = false;
        let mut longer = false;
        for old in &before {
            let new = after.iter().find(|new| new.name == old.name).unwrap();
            prop_assert!(new.deadline <= old.deadline && served(new) >= served(old));
            closer |= new.deadline < old.deadline;
            longer |= served(new) > served(old);
            if !matches!(old.arrival, Arrival::Periodic { .. }) {
                prop_assert_eq!(new, old);
            }
        }
        match experiment.growth {
            Growth::Test(_) => prop_assert!(more && !longer),
            Growth::Deadlines => prop_assert!((closer || i >= 19) && !more && !longer),
            Growth::Blocking => prop_assert!(longer && !closer),
        }
    }

    /// The PH series is the one that there was.
    #[test]
    fn ph_is_the_workload(test in prop::sample::select(Test::ALL.to_vec()), i in 0_u32..40) {
        let setup = Setup::default();
        let set = Experiment::from(test).task_set(i, setup);
        prop_assert_eq!(&set.tasks, &workload::tasks(test, i, setup));
        prop_assert_eq!(set, workload::task_set(test, i, setup));
        prop_assert_eq!(Experiment::from(test).tasks(i, setup), workload::tasks(test, i, setup));
    }
}
