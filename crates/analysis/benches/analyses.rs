//! What the analyses cost, for random sets of 10, 100 and 1000 tasks.
//!
//! Periods are log-uniform between 1 ms and 1 s in whole nanoseconds, so that they share no
//! factors; deadlines lie between 9/10 of the period and the period, but for the two bounds; the
//! utilisation is 0.9, and less for fixed priorities, so that most sets hold and the analyses have
//! to look at everything.
//!
//! `cargo bench -p flyball-analysis`

use divan::Bencher;
use flyball_analysis::{
    Answer, Level, SporadicTask, WorkLimit, edf_demand, edf_response, fixed_priority, hyperbolic,
    liu_layland, priority, sensitivity,
};
use flyball_trace::Duration;

const SIZES: [usize; 3] = [10, 100, 1000];

fn main() {
    divan::main();
}

/// `SplitMix64` (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// A set with the given utilisation, in percent.
fn set(n: usize, percent: u64, random: &mut Random) -> Vec<SporadicTask> {
    let ns = Duration::from_nanos;
    let shares: Vec<_> = (0..n).map(|_| 1 + random.below(1000)).collect();
    let sum: u64 = shares.iter().sum();
    let tasks = shares.iter().map(|share| {
        // Ten octaves, uniform within each: log-uniform as nearly as matters here.
        let octave = 1_000_000 << random.below(10);
        let period = octave + random.below(octave);
        let wcet = (period * percent / 100 * share / sum).max(1);
        let deadline = period - random.below(period / 10);
        SporadicTask::new(ns(wcet), ns(period), ns(deadline)).unwrap()
    });
    tasks.collect()
}

/// A set with deadlines at the end of the periods.
fn implicit(tasks: &[SporadicTask]) -> Vec<SporadicTask> {
    tasks
        .iter()
        .map(|task| SporadicTask::new(task.wcet(), task.period(), task.period()).unwrap())
        .collect()
}

/// Runs `analysis` on one set after the other.
fn bench<T>(
    bencher: Bencher<'_, '_>,
    n: usize,
    percent: u64,
    analysis: impl Fn(&[SporadicTask]) -> T + Sync,
) {
    let mut random = Random(n as u64);
    bencher
        .with_inputs(move || set(n, percent, &mut random))
        .bench_local_refs(|tasks| analysis(tasks));
}

#[divan::bench(args = SIZES)]
fn bound_of_liu_and_layland(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 69, |tasks| liu_layland::test(&implicit(tasks)));
}

#[divan::bench(args = SIZES)]
fn bound_hyperbolic(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 69, |tasks| hyperbolic::test(&implicit(tasks)));
}

#[divan::bench(args = SIZES)]
fn fixed_priority_responses(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 69, |tasks| {
        let levels = priority::deadline_monotonic(tasks);
        fixed_priority::response_times(tasks, &levels, WorkLimit::default())
    });
}

/// All tasks in one level: first in, first out.
#[divan::bench(args = SIZES, sample_count = 20)]
fn equal_priority_responses(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 90, |tasks| {
        let levels = vec![Level(0); n];
        fixed_priority::response_times(tasks, &levels, WorkLimit::default())
    });
}

/// As many levels as octaves of the period.
#[divan::bench(args = SIZES, sample_count = 20)]
fn ten_levels_responses(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 90, |tasks| {
        let level = |task: &SporadicTask| Level(task.period().as_nanos().leading_zeros());
        let levels: Vec<_> = tasks.iter().map(level).collect();
        fixed_priority::response_times(tasks, &levels, WorkLimit::default())
    });
}

#[divan::bench(args = SIZES)]
fn edf_by_demand(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 90, |tasks| {
        edf_demand::test(tasks, WorkLimit::default())
    });
}

#[divan::bench(args = [10, 100], sample_count = 20)]
fn edf_responses(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 90, |tasks| {
        edf_response::response_times(tasks, WorkLimit::default())
    });
}

/// Beyond the default limit.
#[divan::bench(sample_count = 3)]
fn edf_responses_of_1000(bencher: Bencher<'_, '_>) {
    bench(bencher, 1000, 90, |tasks| {
        edf_response::response_times(tasks, WorkLimit::steps(u64::MAX))
    });
}

#[divan::bench(args = [10, 100], sample_count = 20)]
fn fixed_priority_slacks(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 60, |tasks| {
        let levels = priority::deadline_monotonic(tasks);
        sensitivity::fixed_priority_slacks(tasks, &levels, WorkLimit::default())
    });
}

#[divan::bench(args = [10, 100], sample_count = 20)]
fn edf_breakdown(bencher: Bencher<'_, '_>, n: usize) {
    bench(bencher, n, 60, |tasks| {
        sensitivity::breakdown(tasks, |tasks| {
            Answer::from(&edf_demand::test(tasks, WorkLimit::steps(1_000_000)))
        })
    });
}
