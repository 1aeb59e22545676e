//! What was measured, for programs.

use flyball_json::overheads::{Cost, Delay, Linux, Numbers, Overheads};
use flyball_measure::overheads::Measurements;
use flyball_measure::overheads::stats::{RULE, Summary};

fn numbers(summary: &Summary) -> Numbers {
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

/// What is printed.
pub(super) fn document(found: &Measurements) -> Overheads {
    let kernel = found.costs.iter().map(|cost| Cost {
        policy: cost.policy.name().to_owned(),
        queue: cost.queue.name().to_owned(),
        threads: cost.threads,
        quantity: cost.quantity.name().to_owned(),
        numbers: numbers(&cost.summary),
    });
    let linux = found.linux.iter().map(|linux| Linux {
        what: linux.what.name().to_owned(),
        class: linux.class.name().to_owned(),
        missing: linux.result.as_ref().err().cloned(),
        numbers: linux.result.as_ref().ok().map(numbers),
    });
    let cache = found.cache.iter().map(|delay| {
        let delayed = delay.result.as_ref().ok();
        Delay {
            working_set: delay.bytes,
            after: delay.interference.name().to_owned(),
            missing: delay.result.as_ref().err().cloned(),
            warm_ns: delayed.map(|delayed| delayed.warm),
            cache_misses: delayed.and_then(|delayed| delayed.misses),
            numbers: delayed.map(|delayed| numbers(&delayed.delay)),
        }
    });
    Overheads {
        schema: flyball_json::SCHEMA,
        processor: found.processor.name.clone(),
        is_virtual: found.processor.is_virtual,
        system: found.processor.system.clone(),
        cpus: found.cpus,
        repetitions: found.repetitions,
        is_optimised: found.is_optimised,
        counter_megahertz: found.processor.megahertz,
        counter_reading_ns: found.processor.reading,
        outlier: RULE.to_owned(),
        kernel: kernel.collect(),
        linux: linux.collect(),
        cache: cache.collect(),
        no_counters: found.no_counters.clone(),
    }
}
