//! What was measured, for programs: a versioned contract.

use flyball_measure::overheads::Found;
use flyball_measure::overheads::stats::{RULE, Summary};
use serde::Serialize;

/// Everything, in nanoseconds.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: u32,
    processor: &'a str,
    is_virtual: bool,
    system: &'a str,
    cpus: u8,
    repetitions: usize,
    is_optimised: bool,
    counter_megahertz: f64,
    counter_reading_ns: f64,
    outlier: &'a str,
    kernel: Vec<Cost<'a>>,
    linux: Vec<Linux<'a>>,
    cache: Vec<Delay<'a>>,
    no_counters: Option<&'a str>,
}

#[derive(Serialize)]
struct Cost<'a> {
    policy: &'a str,
    queue: &'a str,
    threads: usize,
    quantity: &'a str,
    #[serde(flatten)]
    numbers: Numbers,
}

#[derive(Serialize)]
struct Linux<'a> {
    what: &'a str,
    class: &'a str,
    /// Why it was not measured.
    missing: Option<&'a str>,
    #[serde(flatten)]
    numbers: Option<Numbers>,
}

#[derive(Serialize)]
struct Delay<'a> {
    working_set: usize,
    after: &'a str,
    missing: Option<&'a str>,
    warm_ns: Option<f64>,
    cache_misses: Option<f64>,
    #[serde(flatten)]
    numbers: Option<Numbers>,
}

#[derive(Serialize)]
struct Numbers {
    samples: usize,
    mean_ns: f64,
    deviation_ns: f64,
    median_ns: f64,
    p999_ns: f64,
    worst_ns: f64,
    outliers: usize,
    mean_without_outliers_ns: f64,
}

impl From<&Summary> for Numbers {
    fn from(summary: &Summary) -> Numbers {
        Numbers {
            samples: summary.count,
            mean_ns: summary.mean,
            deviation_ns: summary.deviation,
            median_ns: summary.median,
            p999_ns: summary.p999,
            worst_ns: summary.worst,
            outliers: summary.outliers,
            mean_without_outliers_ns: summary.mean_without,
        }
    }
}

impl<'a> From<&'a Found> for Document<'a> {
    fn from(found: &'a Found) -> Document<'a> {
        let kernel = found.costs.iter().map(|cost| Cost {
            policy: cost.policy.name(),
            queue: cost.queue.name(),
            threads: cost.threads,
            quantity: cost.quantity.name(),
            numbers: (&cost.summary).into(),
        });
        let linux = found.linux.iter().map(|linux| Linux {
            what: linux.what.name(),
            class: linux.class.name(),
            missing: linux.result.as_ref().err().map(String::as_str),
            numbers: linux.result.as_ref().ok().map(Numbers::from),
        });
        let cache = found.cache.iter().map(|delay| {
            let delayed = delay.result.as_ref().ok();
            Delay {
                working_set: delay.bytes,
                after: delay.interference.name(),
                missing: delay.result.as_ref().err().map(String::as_str),
                warm_ns: delayed.map(|delayed| delayed.warm),
                cache_misses: delayed.and_then(|delayed| delayed.misses),
                numbers: delayed.map(|delayed| (&delayed.delay).into()),
            }
        });
        Document {
            schema: 1,
            processor: &found.processor.name,
            is_virtual: found.processor.is_virtual,
            system: &found.processor.system,
            cpus: found.cpus,
            repetitions: found.repetitions,
            is_optimised: found.is_optimised,
            counter_megahertz: found.processor.megahertz,
            counter_reading_ns: found.processor.reading,
            outlier: RULE,
            kernel: kernel.collect(),
            linux: linux.collect(),
            cache: cache.collect(),
            no_counters: found.no_counters.as_deref(),
        }
    }
}
