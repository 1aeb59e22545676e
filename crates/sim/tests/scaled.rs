//! EDF on a CPU that is scaled: no deadline is missed, and it takes less energy the better it knows what jobs use.

use flyball_catalogue::{CcEdf, Edf, ScaledEdf, Scheduler, StaticEdf};
use flyball_model::{Format, TaskSet, read_str};
use flyball_policy::scaled::{Points, Settings};
use flyball_sim::{Options, Outcome, simulate};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::fmt::Write as _;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// The frequencies in MHz, and powers that rise faster than they do: the third power of the frequency, and some.
const POINTS: [(u64, u64); 4] = [(250, 66), (400, 114), (750, 472), (1000, 1050)];

/// A task: period and window in ms, worst and best execution time in us, the part in which it waits for memory.
#[derive(Clone, Debug)]
struct Task {
    period: u64,
    window: u64,
    wcet: u64,
    bcet: u64,
    stalls: u32,
    phase: u64,
}

/// What a task is made of.
type Drawn = (u64, (u64, bool), (u64, u64), u32, u64);

/// Tasks that ask for at most this part of a CPU in all, with so many us charged to each job.
fn tasks(charge: u64) -> impl Strategy<Value = Vec<Task>> {
    let periods = vec![4_u64, 5, 6, 8, 10, 12, 15, 20, 24, 30];
    let task = (
        prop::sample::select(periods),
        (1..=100_u64, any::<bool>()),
        (1..=100_u64, 0..=100_u64),
        prop_oneof![Just(0_u32), 0..=1_000_000_u32],
        0..=9_u64,
    );
    (prop::collection::vec(task, 1..=6), 1..=1_000_u64).prop_map(move |(tasks, all)| {
        let sum: u64 = tasks.iter().map(|task| task.2.0).sum();
        let task = |&(period, (part, implicit), (weight, least), stalls, phase): &Drawn| {
            let window = if implicit {
                period
            } else {
                (period * part).div_ceil(100).max(1)
            };
            let wcet = (window * all * weight / sum).saturating_sub(charge);
            Task {
                period,
                window,
                wcet: wcet.max(1),
                bcet: (wcet * least / 100).max(1),
                stalls,
                phase,
            }
        };
        tasks.iter().map(task).collect()
    })
}

fn set(tasks: &[Task], transition: u64) -> TaskSet {
    let all = |of: fn(&(u64, u64)) -> String| POINTS.iter().map(of).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "schema = 1\n[platform.speeds]\nfrequencies = [{}]\ntransition = \"{transition}us\"\n\
         power = [{}]\nstalled = [{}]\nidle = \"20mW\"\n",
        all(|point| format!("\"{}MHz\"", point.0)),
        all(|point| format!("\"{}mW\"", point.1)),
        all(|point| format!("\"{}mW\"", point.1 / 2)),
    );
    for Task {
        period,
        window,
        wcet,
        bcet,
        stalls,
        phase,
    } in tasks
    {
        let stalls = f64::from(*stalls) / 1e6;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[task]]\nperiod = \"{period}ms\"\ndeadline = \"{window}ms\"\nwcet = \"{wcet}us\"\nbcet = \"{bcet}us\"\n\
             stalls = {stalls:.6}\nphase = \"{phase}ms\"\n"
        );
    }
    read_str(&text, Format::Toml, "scaled.toml").unwrap()
}

fn scaled<const CONSERVES: bool>(transition: u64) -> ScaledEdf<CONSERVES> {
    let hertz = POINTS.map(|point| point.0 * 1_000_000);
    ScaledEdf {
        settings: Settings {
            points: Points::new(&hertz).unwrap(),
            charge: ScaledEdf::<CONSERVES>::charge(us(transition), POINTS.len()),
        },
    }
}

fn run(set: &TaskSet, scheduler: &impl Scheduler, seed: u64) -> Outcome {
    let options = Options {
        seed,
        ..Options::until(us(240_000))
    };
    simulate(set, scheduler, &options, &mut Vec::new()).unwrap()
}

/// In joules, idling left out.
fn energy(outcome: &Outcome) -> f64 {
    let (busy, _) = outcome.speeds.as_ref().unwrap().energy().unwrap();
    busy.joules()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 300 }))]

    /// Changes take no time. What jobs compute for is between their best and their worst.
    #[test]
    fn no_job_is_late_and_energy_falls(mut tasks in tasks(1), seed in any::<u64>(), begins: bool) {
        if begins {
            // At the end no job is under way, so that all policies have done the same work.
            for task in &mut tasks {
                task.phase = 0;
            }
        }
        let set = set(&tasks, 0);
        let [edf, fixed, conserving] = [
            run(&set, &Edf, seed),
            run(&set, &scaled::<false>(0), seed),
            run(&set, &scaled::<true>(0), seed),
        ];
        prop_assert_eq!([edf.misses, fixed.misses, conserving.misses], [0; 3]);
        if begins {
            prop_assert_eq!([edf.jobs, fixed.jobs], [conserving.jobs; 2]);
            let [edf, fixed, conserving] = [&edf, &fixed, &conserving].map(energy);
            // Each job ends at a whole nanosecond.
            prop_assert!(conserving <= fixed + 1e-6 && fixed <= edf + 1e-6, "{conserving} {fixed} {edf}");
        }
    }

    /// Changes take time, with which jobs are charged.
    #[test]
    fn changes_that_are_charged_make_no_job_late(tasks in tasks(7 * 40 + 1), seed in any::<u64>()) {
        // In parts of 10^-9 of a CPU, rounded up.
        let most = |task: &Task| ((task.wcet + 281) * 1_000_000).div_ceil(task.window);
        prop_assume!(tasks.iter().map(most).sum::<u64>() <= 1_000_000_000);
        let set = set(&tasks, 40);
        let [fixed, conserving] = [run(&set, &scaled::<false>(40), seed), run(&set, &scaled::<true>(40), seed)];
        prop_assert_eq!([fixed.misses, conserving.misses], [0; 2]);
        let changes = |outcome: &Outcome| outcome.speeds.as_ref().unwrap().adjustments();
        prop_assert!(changes(&fixed) <= 1 && changes(&conserving) <= 2 * conserving.jobs + 2);
    }
}

/// Without the charge, changes make jobs late: 2.5 of 10 ms at 250 of 1000 MHz leave no time for a change.
#[test]
fn changes_that_are_not_charged_make_jobs_late() {
    let task = Task {
        period: 10,
        window: 10,
        wcet: 2_500,
        bcet: 2_500,
        stalls: 0,
        phase: 0,
    };
    let set = set(&[task], 40);
    let mut settings = scaled::<false>(40).settings;
    assert_eq!(run(&set, &StaticEdf { settings }, 0).misses, 0);
    settings.charge = Duration::ZERO;
    let outcome = run(&set, &StaticEdf { settings }, 0);
    assert!(outcome.misses > 0 && outcome.speeds.unwrap().adjustments() == 1);
    settings.charge = CcEdf::charge(us(40), POINTS.len());
    assert_eq!(run(&set, &CcEdf { settings }, 0).misses, 0);
}

/// The figures of `docs/frequency.md`: changes, and joules without and with idling.
#[test]
fn the_example_takes_as_much_energy_as_documented() {
    let text = include_str!("../../../examples/scaling.toml");
    let set = read_str(text, Format::Toml, "scaling.toml").unwrap();
    let hertz = [333, 400, 533, 666, 733].map(|mhz| mhz * 1_000_000);
    let points = Points::new(&hertz).unwrap();
    let settings = |charge| Settings { points, charge };
    let figures = |outcome: Outcome| {
        assert_eq!((outcome.misses, outcome.jobs), (0, 1_950));
        let speeds = outcome.speeds.unwrap();
        let (busy, all) = speeds.energy().unwrap();
        (
            speeds.adjustments(),
            format!("{:.3} {:.3}", busy.joules(), all.joules()),
        )
    };
    let run = |set: &TaskSet| {
        let options = Options::until(Duration::from_secs(10));
        let fixed = settings(StaticEdf::charge(us(50), 5));
        let conserving = settings(CcEdf::charge(us(50), 5));
        let edf = simulate(set, &Edf, &options, &mut Vec::new()).unwrap();
        let fixed = simulate(
            set,
            &StaticEdf { settings: fixed },
            &options,
            &mut Vec::new(),
        );
        let conserving = CcEdf {
            settings: conserving,
        };
        let conserving = simulate(set, &conserving, &options, &mut Vec::new());
        [edf, fixed.unwrap(), conserving.unwrap()].map(figures)
    };
    let expected = [(0, "5.776 6.385"), (1, "4.809 5.288"), (830, "4.564 4.979")];
    assert_eq!(run(&set), expected.map(|(n, text)| (n, text.to_owned())));
}
