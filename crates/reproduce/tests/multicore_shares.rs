//! Shares of several CPUs converge, with the real kernel and the real schedulers in the simulator.

use flyball_measure::bench::Simulator;
use flyball_model::{Cost, Overheads};
use flyball_policy::i_plus_pi::Fraction;
use flyball_policy::supervisor::{Requirement, Settings};
use flyball_report::reproduction::Verdict;
use flyball_reproduce::multicore_shares::{Actor, Scenario, SharesOverTime};
use flyball_reproduce::{Setup, miosix};
use flyball_study::{Progress, Registry};
use flyball_trace::Duration;
use std::ops::ControlFlow;

const CPUS: [u8; 3] = [2, 4, 8];
/// Millionths in a hundredth.
const PERCENT: i64 = 10_000;

/// What holds in every period.
fn audit(scenario: &Scenario, out: &SharesOverTime) {
    let cpus = usize::from(scenario.cpus);
    assert_eq!(out.refused, 0);
    assert_eq!(out.tasks.len(), scenario.actors.len());
    let most = u32::from(scenario.supervisor.moves);
    assert!(out.migrations.iter().all(|&moves| moves <= most));
    assert_eq!(out.migrations.len(), scenario.periods as usize);
    for period in 0..out.migrations.len() {
        let mut got = vec![0; cpus];
        let mut set_points = 0;
        for sample in out.tasks.iter().filter_map(|task| task[period]) {
            assert!((0..=1_000_000).contains(&sample.got));
            assert!((0..=1_000_000).contains(&sample.set_point));
            got[usize::from(sample.cpu)] += sample.got;
            set_points += sample.set_point;
        }
        assert!(got.iter().all(|&got| got <= 1_000_000), "{got:?}");
        assert!(set_points <= 1_000_000 * i64::from(scenario.cpus));
    }
}

fn simulate(scenario: &Scenario) -> SharesOverTime {
    let out = scenario.simulate().unwrap();
    audit(scenario, &out);
    out
}

/// From the end of the 8th period on every share is right to 1 % of a CPU over 40 periods, and to 2
/// % over 16.
#[test]
fn shares_converge_and_stay() {
    for cpus in CPUS {
        for seed in 0..12 {
            let scenario = Scenario::steady(cpus, seed);
            let out = simulate(&scenario);
            for end in 8 + 40..out.migrations.len() {
                for (window, bound) in [(40, PERCENT), (16, 2 * PERCENT)] {
                    let error = out.largest_error(end, window);
                    assert!(error < bound, "{cpus} {seed} {end} {window}: {error}");
                }
            }
        }
    }
}

/// What the kernels take belongs to no task, and the rest is divided as well.
#[test]
fn overheads_are_taken_into_account() {
    for cpus in CPUS {
        let mut scenario = Scenario::steady(cpus, 3);
        let cost = |us| Cost::fixed(Duration::from_micros(us));
        scenario.overheads = Overheads {
            scheduling: cost(50),
            context_switch: cost(100),
            cache: cost(100),
            ..Overheads::default()
        };
        let out = simulate(&scenario);
        let samples = out.tasks.iter().filter_map(|task| task[200]);
        let set_points: i64 = samples.map(|sample| sample.set_point).sum();
        let all = 1_000_000 * i64::from(cpus);
        assert!(
            (all * 9 / 10..all * 99 / 100).contains(&set_points),
            "{set_points}"
        );
        for end in 48..out.migrations.len() {
            assert!(out.largest_error(end, 40) < PERCENT);
        }
    }
}

/// All tasks are on one CPU at first. Without moves they stay there; with two a period, three tasks
/// a CPU are where they have to be after 3/2 as many periods as there are CPUs, and twice that
/// settles.
#[test]
fn it_takes_moves() {
    for cpus in CPUS {
        for seed in 0..12 {
            let mut scenario = Scenario::steady(cpus, seed);
            scenario.actors.iter_mut().for_each(|actor| actor.cpu = 0);
            let out = simulate(&scenario);
            let settled = 3 * usize::from(cpus);
            assert!(
                out.largest_error(settled + 40, 40) < PERCENT,
                "{cpus} {seed}"
            );
            scenario.supervisor.moves = 0;
            let out = simulate(&scenario);
            assert!(out.largest_error(239, 40) > 10 * PERCENT);
        }
    }
}

/// Whatever happens at whatever time, no share is ever wrong by more than 5 % over 40 periods; and
/// tasks move less than once a period.
#[test]
fn it_is_stable_under_churn() {
    for cpus in CPUS {
        for seed in 0..12 {
            let scenario = Scenario::churn(cpus, seed);
            let out = simulate(&scenario);
            for end in 40..out.migrations.len() {
                let error = out.largest_error(end, 40);
                assert!(error < 5 * PERCENT, "{cpus} {seed} {end}: {error}");
            }
        }
    }
}

/// A task leaves, one comes, one wants less: 12 periods after each, shares are right again to 3 %
/// over the 20 periods from then on.
#[test]
fn it_settles_after_each_change() {
    const SETTLED: usize = 12;
    for cpus in CPUS {
        for seed in 0..8 {
            let mut scenario = Scenario::steady(cpus, seed);
            let at = |period: u64| Duration::from_millis(250 * period + 90);
            scenario.actors[0].stays = Some(at(50));
            scenario.actors[1].comes = at(100);
            let less = Requirement {
                cpu: Fraction::percent(3),
                importance: 1,
            };
            scenario.changes.push((at(150), 2, less));
            let out = simulate(&scenario);
            assert!(out.tasks[0][49].is_some() && out.tasks[0][51].is_none());
            assert!(out.tasks[1][99].is_none() && out.tasks[1][102].is_some());
            for change in [0, 50, 100, 150] {
                let error = out.largest_error(change + SETTLED + 20, 20);
                assert!(error < 3 * PERCENT, "{cpus} {seed} {change}: {error}");
            }
        }
    }
}

/// Where every CPU is just full, nothing ever moves, and the shares of every single period are
/// right but for the round that its end cuts.
#[test]
fn what_is_balanced_stays() {
    for cpus in CPUS {
        let parts = [50, 30, 20];
        let tasks = (0..cpus).flat_map(|cpu| parts.map(|part| Actor::steady(part, cpu)));
        let out = simulate(&Scenario::new(cpus, tasks.collect(), 80));
        assert_eq!(out.migrations.iter().sum::<u32>(), 0);
        for end in 4..80 {
            assert!(out.largest_error(end, 1) < 3 * PERCENT);
        }
    }
}

/// Overload of the machine: what importance says.
#[test]
fn overload_is_shared_by_importance() {
    let mut tasks = vec![Actor::steady(60, 0); 6];
    for (task, importance) in tasks.iter_mut().zip([1, 1, 1, 1, 2, 2]) {
        task.requirement.importance = importance;
    }
    let out = simulate(&Scenario::new(2, tasks, 120));
    for (task, expected) in (0..).zip([25, 25, 25, 25, 50, 50]) {
        let samples = out.tasks[task][60..120].iter().flatten();
        let got: i64 = samples.map(|sample| sample.got).sum();
        assert!(
            (got / 60 - expected * PERCENT).abs() < PERCENT,
            "{task}: {got}"
        );
    }
}

/// Without dwell and hysteresis moves come more often: what they are for.
#[test]
fn hysteresis_saves_moves() {
    let moves = |supervisor| {
        let runs = (0..6).map(|seed| {
            let mut scenario = Scenario::steady(4, seed);
            scenario.supervisor = supervisor;
            simulate(&scenario).migrations.iter().sum::<u32>()
        });
        runs.sum::<u32>()
    };
    let eager = Settings {
        hysteresis: Fraction::percent(1),
        dwell: 0,
        ..Settings::default()
    };
    let calm = Settings {
        hysteresis: Fraction::percent(40),
        dwell: 8,
        ..Settings::default()
    };
    assert!(moves(eager) > moves(Settings::default()));
    assert!(moves(Settings::default()) > moves(calm));
}

#[test]
fn the_same_seed_gives_the_same() {
    let run = |seed| Scenario::churn(4, seed).simulate().unwrap();
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

/// The experiment says what these tests say.
#[test]
fn the_experiment_holds() {
    let registry = Registry::standard();
    let mut watch = |_: Progress<'_>| ControlFlow::Continue(());
    let mut bench = Simulator::new(&registry, &mut watch);
    let mut setup = Setup {
        bench: &mut bench,
        data: None,
        size: flyball_reproduce::Size::Short,
        keep: None,
        each_test: false,
        programs: None,
    };
    let experiment = (miosix::multicore::PLAN.run)(&mut setup).unwrap();
    assert_eq!(experiment.claims.len(), 9);
    for claim in &experiment.claims {
        assert_eq!(claim.verdict, Verdict::Holds, "{claim:?}");
    }
    // Six tasks and their set points on each of three machines.
    for figure in &experiment.figures {
        assert_eq!(figure.panels.len(), 3);
        let mut series = figure.panels.iter().flat_map(|panel| &panel.series);
        assert!(series.all(|series| series.points.len() > 100 || series.points.is_empty()));
    }
}
