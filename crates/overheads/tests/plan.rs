//! What can be measured, and what is said of samples.

use flyball_overheads::{Plan, Policy, Queue, Samples, Summary};

#[test]
fn names_are_found_again() {
    for policy in Policy::USUAL.into_iter().chain(Policy::all()) {
        assert_eq!(Policy::find(policy.name()), Some(policy));
        assert!(!policy.queues().is_empty(), "{policy:?}");
    }
    for queue in Queue::ALL {
        assert_eq!(Queue::find(queue.name()), Some(queue));
    }
    assert_eq!((Policy::find("pd2"), Queue::find("")), (None, None));
}

#[test]
fn what_cannot_be_measured_is_refused() {
    assert_eq!(Plan::default().check(), Ok(()));
    let bad = |change: fn(&mut Plan)| {
        let mut plan = Plan::default();
        change(&mut plan);
        plan.check().unwrap_err().to_string()
    };
    assert_eq!(
        bad(|plan| plan.threads.push(1025)),
        "1025 threads: from 1 to 1024 can be measured"
    );
    assert_eq!(
        bad(|plan| plan.threads = vec![0]),
        "0 threads: from 1 to 1024 can be measured"
    );
    assert_eq!(
        bad(|plan| plan.threads.clear()),
        "there is nothing to measure: no number of threads"
    );
    assert_eq!(
        bad(|plan| plan.policies.clear()),
        "there is nothing to measure: no policy"
    );
    assert_eq!(
        bad(|plan| plan.cpus = 9),
        "9 CPUs: from 1 to 8 can be measured"
    );
    assert_eq!(
        bad(|plan| plan.repetitions = 0),
        "0 repetitions: there can be from 1 to 100000000"
    );
    assert_eq!(
        bad(|plan| plan.queues = vec![Queue::Bitmap]),
        "g-edf can have none of these queues, only ring, heap, calendar and list"
    );
    assert_eq!(
        bad(|plan| plan.working_sets.push(1)),
        "a working set of 1 bytes: from 64 bytes to 1 GiB can be measured"
    );
}

#[test]
fn partitioned_policies_divide_the_threads() {
    let plan = Plan::default();
    assert_eq!(plan.share(Policy::GLOBAL_EDF, 125), 125);
    assert_eq!(plan.share(Policy::PARTITIONED_EDF, 125), 32);
    assert_eq!(plan.share(Policy::PARTITIONED_EDF, 1), 1);
}

fn of(samples: &[f64]) -> Summary {
    let mut all = Samples::default();
    for &sample in samples {
        all.push(sample);
    }
    all.summary()
}

#[test]
fn of_no_samples_nothing_is_said() {
    assert_eq!(of(&[]), Summary::default());
}

#[test]
fn quantiles_are_samples() {
    let samples: Vec<f64> = (1..=2_000).rev().map(f64::from).collect();
    let summary = of(&samples);
    assert_eq!(
        (summary.median, summary.p999, summary.worst),
        (1_000.0, 1_998.0, 2_000.0)
    );
    assert!((summary.mean - 1_000.5).abs() < 1e-9);
    assert!((summary.deviation - 577.35).abs() < 0.01, "{summary:?}");
}

/// Both halves of the rule, at its bounds.
#[test]
fn an_outlier_is_long_in_both_senses() {
    // The median is 50: ten times that is less than a microsecond above it.
    let short = of(&[50.0, 50.0, 50.0, 1_050.0, 1_051.0]);
    assert_eq!(short.outliers, 1);
    assert!((short.mean_without - 300.0).abs() < 1e-9, "{short:?}");
    // The median is 2 µs: a microsecond above it is nothing.
    let long = of(&[2_000.0, 2_000.0, 2_000.0, 20_000.0, 20_002.0]);
    assert_eq!(long.outliers, 1);
}

#[test]
fn outliers_are_told_apart_and_not_dropped() {
    let summary = of(&[100.0, 100.0, 100.0, 5_000.0]);
    assert_eq!((summary.count, summary.outliers), (4, 1));
    assert!((summary.mean - 1_325.0).abs() < 1e-9);
    assert!((summary.mean_without - 100.0).abs() < 1e-9);
    assert!((summary.worst - 5_000.0).abs() < 1e-9);
}

#[test]
fn time_does_not_run_backwards() {
    assert_eq!(of(&[-3.0]).worst.to_bits(), 0.0_f64.to_bits());
}
