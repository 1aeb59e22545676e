//! Task sets by hand, and what arithmetic says of EDF.

use super::sweep::{Conditions, Parts, Score, bursts, scores};
use super::workload::{KILO_WHET, task_set, tasks};
use super::*;
use flyball_measure::costs::Kernel;
use flyball_model::{OnMiss, Task};
use flyball_trace::Duration;
use proptest::prelude::*;

mod series;

const MS: Setup = Setup {
    rules: Rules::Thesis,
    periods: Periods::Milliseconds,
    on_miss: OnMiss::Latest,
    importance: Importance::Authors,
};

/// Periods and loads in nanoseconds, without the main thread.
fn numbers(tasks: &[Task]) -> Vec<(u64, u64)> {
    let numbers = tasks.iter().skip(1).map(|task| {
        let period = task.arrival.period().unwrap();
        assert_eq!(task.deadline, Some(period));
        (period.as_nanos(), task.wcet.as_nanos())
    });
    numbers.collect()
}

fn us(numbers: &[(u64, u64)]) -> Vec<(u64, u64)> {
    numbers
        .iter()
        .map(|&(a, b)| (a * 1_000, b * 1_000))
        .collect()
}

#[test]
fn the_baseline_takes_two_fifths() {
    let baseline = us(&[
        (500_000, 40_000),
        (250_000, 20_000),
        (125_000, 10_000),
        (62_500, 5_000),
        (31_250, 2_500),
    ]);
    for test in Test::ALL {
        assert_eq!(numbers(&tasks(test, 0, Setup::default())), baseline);
    }
    let whole: Vec<u64> = numbers(&tasks(Test::Tasks, 0, MS))
        .iter()
        .map(|(period, _)| period / 1_000_000)
        .collect();
    assert_eq!(whole, [500, 250, 125, 62, 31]);
}

#[test]
fn iterations_are_as_by_hand() {
    let exact = Setup::default();
    let original = Setup {
        rules: Rules::Original,
        ..exact
    };
    // 56 Hz and 80 Hz.
    assert_eq!(numbers(&tasks(Test::Frequency, 3, exact))[4].0, 17_857_143);
    assert_eq!(
        numbers(&tasks(Test::Frequency, 3, original))[4].0,
        12_500_000
    );
    assert_eq!(numbers(&tasks(Test::Frequency, 3, MS))[4].0, 17_000_000);
    // Times 1.3.
    let periods: Vec<u64> = numbers(&tasks(Test::Frequencies, 3, exact))
        .iter()
        .map(|&(period, _)| period)
        .collect();
    assert_eq!(
        periods,
        [384_615_385, 192_307_692, 96_153_846, 48_076_923, 24_038_462]
    );
    let loads: Vec<u64> = numbers(&tasks(Test::Workloads, 3, exact))
        .iter()
        .map(|&(_, load)| load / KILO_WHET.as_nanos())
        .collect();
    assert_eq!(loads, [35, 19, 11, 7, 5]);
    let more = numbers(&tasks(Test::Tasks, 3, exact));
    assert_eq!(more.len(), 8);
    assert!(
        more[5..]
            .iter()
            .all(|&more| more == (125_000_000, 10_000_000))
    );
    assert_eq!(task_set(Test::Tasks, 3, exact).tasks.len(), 9);
}

/// In millionths of the CPU.
fn load(tasks: &[Task]) -> u64 {
    numbers(tasks)
        .iter()
        .map(|&(period, load)| load * 1_000_000 / period)
        .sum()
}

#[test]
fn overloads_are_what_they_are_said_to_be() {
    let busy = |test, overload| {
        let setup = Setup::default();
        assert!(load(&extended::tasks(test, overload, setup, false)).abs_diff(480_000) < 3_000);
        load(&extended::tasks(test, overload, setup, true)).div_ceil(1_000)
    };
    let authors = Test::ALL.map(|test| busy(test, Overload::Authors));
    assert_eq!(authors, [1_153, 1_250, 1_253, 1_200]);
    let stated = Test::ALL.map(|test| busy(test, Overload::Stated));
    assert_eq!(stated, [1_200; 4]);
    // With whole milliseconds task 5 comes every 3 ms.
    let whole = extended::tasks(Test::Frequency, Overload::Authors, MS, true);
    assert_eq!(numbers(&whole)[4].0, 3_000_000);
}

/// EDF misses its first deadline in the first iteration that asks for more than there is: 32 % +
/// 2.5 ms × (32 + 8i) Hz, 40 % × (1 + i/10), 40 % + 62 Hz × 1.25 ms × i, and 40 % + 8 % × i.
#[test]
fn edf_holds_whatever_can_be_held() {
    let edf = Contender::edf();
    let free = Conditions {
        kernel: Kernel::FREE,
        ..Conditions::default()
    };
    for rules in [Rules::Thesis, Rules::Original] {
        let setup = Setup {
            rules,
            ..Setup::default()
        };
        let conditions = Conditions { setup, ..free };
        let found = Score::in_parts(&edf, &conditions, Parts::Series).unwrap();
        for (test, found) in Test::ALL.into_iter().zip(found.iterations()) {
            let too_much = (0..40).find(|&i| load(&tasks(test, i, setup)) > 1_000_000);
            assert_eq!(Some(found), too_much, "{test:?} {rules:?}");
        }
    }
    let score = Score::of(&edf, &free).unwrap();
    assert_eq!(score.iterations(), [31, 16, 8, 8]);
    let conditions = Conditions { setup: MS, ..free };
    let score = Score::of(&edf, &conditions).unwrap();
    assert_eq!(score.iterations(), [28, 16, 8, 8]);
}

/// What is lost in an overload is lost in it: no task is late on account of it for long.
#[test]
fn the_overload_is_where_it_is() {
    for contender in [
        Contender::edf(),
        Contender::rr(),
        Contender::ipi(Duration::from_micros(300)),
        Contender::deadline_aware(),
    ] {
        let score = Score::of(&contender, &Conditions::default()).unwrap();
        for Extended([before, during, after]) in score.extended {
            assert_eq!(before.misses, 0, "{contender}");
            assert!(during.misses >= 90, "{contender}");
            assert!(after.misses <= 25, "{contender}");
            assert!(after.jobs > before.jobs, "{contender}");
        }
    }
}

/// The preset, which is beyond the thesis: EDF's iterations (one less in a test, where the kernel's
/// work takes time), fewer misses than EDF, round robin and the thesis's I+PI in each overload, and
/// no more switches than round robin.
#[test]
fn the_deadline_aware_preset_is_what_it_is_said_to_be() {
    let contenders = [
        Contender::deadline_aware(),
        Contender::edf(),
        Contender::rr(),
    ];
    let kernels = [(Kernel::FREE, 0), (Kernel::CORTEX_M3, 1)];
    for (setup, (kernel, behind)) in [Setup::default(), MS]
        .into_iter()
        .flat_map(|setup| kernels.map(|kernel| (setup, kernel)))
    {
        let conditions = Conditions {
            setup,
            kernel,
            ..Conditions::default()
        };
        let scores = scores(&contenders, &conditions, Parts::All).unwrap();
        let [aware, edf, rr] = &scores[..] else {
            panic!("three of them");
        };
        let mut pairs = aware.iterations().into_iter().zip(edf.iterations());
        assert!(
            pairs.all(|(aware, edf)| edf - aware <= behind),
            "{kernel:?}"
        );
        let thesis = super::sweep::scores(&bursts(), &conditions, Parts::Overloads).unwrap();
        for test in 0..4 {
            assert!(aware.misses()[test] < edf.misses()[test].min(rr.misses()[test]));
            for thesis in thesis.iter().filter(|thesis| {
                // Those that switch as rarely as round robin.
                thesis.extended_switches()[test] <= rr.extended_switches()[test]
            }) {
                assert!(
                    aware.misses()[test] < thesis.misses()[test],
                    "{}",
                    thesis.contender
                );
            }
            assert!(aware.extended_switches()[test] <= rr.extended_switches()[test]);
            assert!(aware.switches()[test] <= rr.switches()[test]);
        }
    }
}

#[test]
fn overheads_make_it_no_better() {
    let kernel = |kernel| Conditions {
        kernel,
        ..Conditions::default()
    };
    let free = kernel(Kernel::FREE);
    let dear = kernel(Kernel::with_instruction(Duration::from_nanos(50)));
    for contender in [Contender::edf(), Contender::rr()] {
        let free = Score::of(&contender, &free).unwrap();
        let dear = Score::of(&contender, &dear).unwrap();
        assert!(
            dear.iterations()
                .iter()
                .zip(free.iterations())
                .all(|(dear, free)| *dear <= free)
        );
        assert!(dear.iterations() != free.iterations());
    }
}

#[test]
fn scores_do_not_depend_on_who_computes_them() {
    let contenders = [Contender::rr(), Contender::edf(), Contender::rr()];
    let conditions = Conditions::default();
    let together = scores(&contenders, &conditions, Parts::All).unwrap();
    let alone = contenders.map(|contender| Score::of(&contender, &conditions).unwrap());
    assert_eq!(together, alone);
    assert!(scores(&[Contender::new("nobody")], &conditions, Parts::All).is_err());
}

proptest! {
    /// Frequencies are kept to the nanosecond, or rounded down to a millisecond.
    #[test]
    fn periods_are_next_to_what_they_should_be(millihertz in 500_u64..1_000_000) {
        let exact = Periods::Exact.period(millihertz, 1_000).as_nanos();
        // Half a nanosecond at most: |exact × f − 10¹²| ≤ f / 2.
        prop_assert!(2 * (exact * millihertz).abs_diff(1_000_000_000_000) <= millihertz);
        let whole = Periods::Milliseconds.period(millihertz, 1_000).as_nanos();
        prop_assert!(whole.is_multiple_of(1_000_000) && whole <= exact && exact < whole + 1_000_001);
    }

    /// Each iteration asks for more than the one before.
    #[test]
    fn loads_grow(test in prop::sample::select(Test::ALL.to_vec()), i in 0_u32..40, original: bool) {
        let rules = if original { Rules::Original } else { Rules::Thesis };
        let setup = Setup { rules, ..Setup::default() };
        prop_assert!(load(&tasks(test, i, setup)) < load(&tasks(test, i + 1, setup)));
    }
}
