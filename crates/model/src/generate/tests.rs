use super::*;
use crate::{Format, read_str, to_toml};
use proptest::prelude::*;

fn utilisation(task: &Task) -> f64 {
    let period = task.arrival.period().unwrap();
    #[expect(clippy::cast_precision_loss)]
    return task.wcet.as_nanos() as f64 / period.as_nanos() as f64;
}

fn sets(options: &Options, count: u64) -> impl Iterator<Item = TaskSet> {
    (0..count).map(|seed| {
        generate(&Options {
            seed,
            ..options.clone()
        })
        .unwrap()
    })
}

/// A change of this set is a change of every experiment that is repeated from its seed. The values
/// were computed a second time by a program that shares no code with this one, from the definitions
/// of `ChaCha8`, of its seeding and of the distributions.
#[test]
fn a_seed_means_the_same_set_for_ever() {
    let options = Options {
        tasks: 4,
        utilisation: 1.5,
        deadlines: Deadlines::Constrained { from: 0.5 },
        phases: Phases::Random,
        seed: 2011,
        ..Options::default()
    };
    let rows: Vec<_> = generate(&options)
        .unwrap()
        .tasks
        .iter()
        .map(|task| {
            let period = task.arrival.period().unwrap();
            format!(
                "{period} {} {} {}",
                task.wcet,
                task.deadline.unwrap(),
                task.phase
            )
        })
        .collect();
    let expected = [
        "84ms 46.414224ms 72.642101ms 37.315858ms",
        "90ms 60.762666ms 88.495551ms 81.529677ms",
        "240ms 6.911462ms 215.603791ms 48.559503ms",
        "19ms 4.626713ms 17.058249ms 3.380005ms",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn one_option_changes_what_it_names_and_nothing_else() {
    let options = Options {
        utilisation: 0.5,
        ..Options::default()
    };
    let plain = generate(&options).unwrap();
    let deadlines = Deadlines::Constrained { from: 0.0 };
    let other = Options {
        deadlines,
        phases: Phases::Random,
        cpus: 4,
        ..options
    };
    let other = generate(&other).unwrap();
    for (a, b) in plain.tasks.iter().zip(&other.tasks) {
        assert_eq!((&a.arrival, a.wcet), (&b.arrival, b.wcet));
    }
    assert!(plain.tasks.iter().all(|task| task.phase.is_zero()));
    assert!(other.tasks.iter().any(|task| !task.phase.is_zero()));
    assert!(
        other
            .tasks
            .iter()
            .any(|task| task.deadline != task.arrival.period())
    );
    assert_eq!(other.platform.cpus, 4);
}

/// No task is favoured: the mean utilisation at every position is U / n. The standard deviation of
/// one value is about U / n, so that of the mean of 4,000 is 1.6 % of it; 8 % is five times that.
#[test]
fn each_position_has_the_same_mean() {
    let options = Options {
        tasks: 6,
        utilisation: 0.9,
        ..Options::default()
    };
    let mut sums = [0.0; 6];
    for set in sets(&options, 4_000) {
        for (sum, task) in sums.iter_mut().zip(&set.tasks) {
            *sum += utilisation(task);
        }
    }
    for sum in sums {
        let mean = sum / 4_000.0;
        assert!((mean - 0.15).abs() < 0.08 * 0.15, "{mean}");
    }
}

/// Uniform on the simplex: one of three utilisations that add up to U is below x with probability
/// 1 − (1 − x/U)².
#[test]
fn three_utilisations_are_uniform_on_the_triangle() {
    let options = Options {
        tasks: 3,
        utilisation: 0.9,
        ..Options::default()
    };
    let all: Vec<_> = sets(&options, 4_000).collect();
    for position in 0..3 {
        for x in [0.1, 0.3, 0.5, 0.7] {
            let expected = 1.0 - (1.0 - x / 0.9) * (1.0 - x / 0.9);
            let below = all
                .iter()
                .filter(|set| utilisation(&set.tasks[position]) < x)
                .count();
            let share = f64_of(below) / 4_000.0;
            assert!(
                (share - expected).abs() < 0.04,
                "{position}: {share}, not {expected}"
            );
        }
    }
}

/// Two tasks with U = 1.5 and none above 1: both are uniform between 0.5 and 1.
#[test]
fn discarding_leaves_a_uniform_rest() {
    let options = Options {
        tasks: 2,
        utilisation: 1.5,
        ..Options::default()
    };
    let first: Vec<_> = sets(&options, 4_000)
        .map(|set| utilisation(&set.tasks[0]))
        .collect();
    assert!(first.iter().all(|u| (0.499..=1.0).contains(u)));
    for quarter in [0.625, 0.75, 0.875] {
        let share = f64_of(first.iter().filter(|&&u| u < quarter).count()) / 4_000.0;
        assert!(
            (share - (quarter - 0.5) * 2.0).abs() < 0.04,
            "{quarter}: {share}"
        );
    }
}

/// Chi-square over ten classes that are equally long in logarithms: below 27.9 with probability
/// 99.9 % (nine degrees of freedom).
#[test]
fn periods_are_log_uniform() {
    let options = Options {
        tasks: 100,
        utilisation: 1.0,
        granularity: Duration::from_nanos(1),
        ..Options::default()
    };
    let mut classes = [0_u32; 10];
    for task in sets(&options, 100).flat_map(|set| set.tasks) {
        #[expect(clippy::cast_precision_loss)]
        let period = task.arrival.period().unwrap().as_nanos() as f64;
        let class = (period / 1e7).log10() / 2.0 * 10.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let class = (class as usize).min(9);
        classes[class] += 1;
    }
    let chi: f64 = classes
        .iter()
        .map(|&n| (f64::from(n) - 1e3) * (f64::from(n) - 1e3) / 1e3)
        .sum();
    assert!(chi < 27.9, "{chi}: {classes:?}");
}

/// With a coarse granularity the probability of each period is ln((k + 1) / k) / ln(11 / 1).
#[test]
fn coarse_periods_keep_their_probabilities() {
    let options = Options {
        tasks: 100,
        utilisation: 1.0,
        shortest_period: Duration::from_millis(100),
        granularity: Duration::from_millis(100),
        ..Options::default()
    };
    let mut counts = [0_u32; 11];
    for task in sets(&options, 100).flat_map(|set| set.tasks) {
        let multiple = task.arrival.period().unwrap() / Duration::from_millis(100);
        counts[usize::try_from(multiple).unwrap()] += 1;
    }
    for k in 1..=10_u32 {
        let expected = f64::from(k + 1).ln() - f64::from(k).ln();
        let share = f64::from(counts[k as usize]) / 1e4;
        assert!(
            (share - expected / 11_f64.ln()).abs() < 0.02,
            "{k}: {share}"
        );
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn impossible_options_are_refused() {
    let error = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        generate(&options).unwrap_err()
    };
    assert_eq!(error(|o| o.tasks = 0), GenerateError::Tasks(0));
    assert_eq!(error(|o| o.tasks = 65_536), GenerateError::Tasks(65_536));
    assert_eq!(error(|o| o.cpus = 0), GenerateError::Cpus(0));
    assert_eq!(error(|o| o.cpus = 129), GenerateError::Cpus(129));
    assert_eq!(
        error(|o| o.utilisation = 0.0),
        GenerateError::Utilisation(0.0, 10)
    );
    assert_eq!(
        error(|o| o.utilisation = -1.0),
        GenerateError::Utilisation(-1.0, 10)
    );
    assert_eq!(
        error(|o| o.utilisation = 10.1),
        GenerateError::Utilisation(10.1, 10)
    );
    assert!(matches!(
        error(|o| o.utilisation = f64::NAN),
        GenerateError::Utilisation(..)
    ));
    assert_eq!(
        error(|o| o.shortest_period = Duration::ZERO),
        GenerateError::Periods(Duration::ZERO, ms(1_000))
    );
    assert_eq!(
        error(|o| o.longest_period = ms(9)),
        GenerateError::Periods(ms(10), ms(9))
    );
    assert_eq!(
        error(|o| o.longest_period = Duration::MAX),
        GenerateError::Periods(ms(10), Duration::MAX)
    );
    assert_eq!(
        error(|o| o.granularity = Duration::ZERO),
        GenerateError::Granularity(ms(10), ms(1_000), Duration::ZERO)
    );
    assert_eq!(
        error(|o| o.granularity = ms(1_001)),
        GenerateError::Granularity(ms(10), ms(1_000), ms(1_001))
    );
    assert_eq!(
        error(|o| o.deadlines = Deadlines::Constrained { from: 1.1 }),
        GenerateError::Deadlines(1.1)
    );
}

#[test]
fn it_gives_up_when_too_much_was_discarded() {
    let options = Options {
        tasks: 20,
        utilisation: 19.9,
        discards: 50,
        ..Options::default()
    };
    let error = generate(&options).unwrap_err();
    assert_eq!(error, GenerateError::Discarded(50));
    assert!(error.to_string().starts_with("none of 51 random sets"));
}

proptest! {
    #[test]
    fn every_set_keeps_its_promises(
        tasks in 1_usize..40, share in 0.01..0.7_f64, seed: u64,
        shortest in 1_u64..50, span in 0_u64..2_000, granularity in 1_u64..5,
        from in 0.0..=1.0_f64, constrained: bool, random: bool,
    ) {
        let us = Duration::from_micros;
        let options = Options {
            tasks,
            utilisation: share * f64_of(tasks),
            shortest_period: us(shortest * granularity),
            longest_period: us(shortest * granularity + span),
            granularity: us(granularity),
            deadlines: if constrained {
                Deadlines::Constrained { from }
            } else {
                Deadlines::Implicit
            },
            phases: if random { Phases::Random } else { Phases::Zero },
            seed,
            ..Options::default()
        };
        let set = match generate(&options) {
            Err(GenerateError::Discarded(_)) => return Ok(()),
            other => other.unwrap(),
        };
        let mut rounding = 1e-9;
        for task in &set.tasks {
            let period = task.arrival.period().unwrap();
            prop_assert!(period >= options.shortest_period && period <= options.longest_period);
            prop_assert_eq!(period % options.granularity, Duration::ZERO);
            let deadline = task.deadline.unwrap();
            prop_assert!(task.wcet <= deadline && deadline <= period);
            prop_assert!(task.phase < period);
            prop_assert!(constrained || deadline == period);
            let earliest = utilisation(task) + from * (1.0 - utilisation(task));
            #[expect(clippy::cast_precision_loss)]
            let earliest = earliest * period.as_nanos() as f64 - 1.0;
            #[expect(clippy::cast_precision_loss)]
            let deadline = deadline.as_nanos() as f64;
            prop_assert!(deadline >= earliest);
            #[expect(clippy::cast_precision_loss)]
            let one = 1.0 / period.as_nanos() as f64;
            rounding += one;
        }
        let total: f64 = set.tasks.iter().map(utilisation).sum();
        prop_assert!((total - options.utilisation).abs() <= rounding);
        prop_assert_eq!(read_str(&to_toml(&set), Format::Toml, "x.toml"), Ok(set));
    }
}
