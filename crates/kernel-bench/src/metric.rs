//! The Thread-Metric tests.

use crate::error::BenchError;
use crate::image;
use serde::Serialize;
use std::collections::BTreeMap;

/// The tests, in the order of the suite.
pub(crate) const TESTS: [&str; 8] = [
    "basic",
    "cooperative",
    "preemptive",
    "interrupt",
    "interrupt_preemption",
    "message",
    "synchronization",
    "memory",
];

/// An instruction takes 2^5 ns, as it did for the peers.
const SHIFT: u32 = 5;
/// A test takes 3 s, which is a tenth of what it took for the peers.
const INSTRUCTIONS: u32 = 93_750_000;

/// Instructions a count, by test.
#[derive(Serialize)]
pub(crate) struct ThreadMetric {
    /// Of each test.
    instructions: u32,
    /// The kernel as lean as the peers were: nothing is checked or accounted for.
    pub(crate) lean: BTreeMap<&'static str, f64>,
    /// The kernel as it is unless an application says otherwise.
    pub(crate) defaults: BTreeMap<&'static str, f64>,
}

impl ThreadMetric {
    /// Builds and runs all tests.
    pub(crate) fn measure() -> Result<ThreadMetric, BenchError> {
        Ok(ThreadMetric {
            instructions: INSTRUCTIONS,
            lean: measure(&[])?,
            defaults: measure(&["defaults"])?,
        })
    }
}

fn measure(features: &[&str]) -> Result<BTreeMap<&'static str, f64>, BenchError> {
    image::build("flyball-thread-metric", "release", features)?;
    let one = |name: &'static str| {
        let printed = image::run("thread-metric", SHIFT, &[name])?;
        let count = printed
            .trim()
            .strip_prefix(name)
            .and_then(|n| n.trim().parse::<u32>().ok());
        match count.filter(|&count| count > 0) {
            Some(count) => Ok((name, f64::from(INSTRUCTIONS) / f64::from(count))),
            None => Err(BenchError::Figure(printed)),
        }
    };
    TESTS.into_iter().map(one).collect()
}
