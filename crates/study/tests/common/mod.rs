//! What the property tests have in common.

use flyball_model::TaskSet;
use flyball_sim::{Options, Scheduler, simulate};
use flyball_trace::{Duration, NoTrace};
use proptest::prelude::ProptestConfig;

/// So many cases, or as many times more as the variable `SOAK` says.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let soak = std::env::var("SOAK")
        .ok()
        .and_then(|soak| soak.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        cases: cases * soak,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Whether a job is late in simulation, up to `until`.
#[allow(dead_code, reason = "not every test simulates")]
pub(crate) fn misses<S: Scheduler>(set: &TaskSet, scheduler: &S, until: Duration) -> bool {
    let options = Options {
        until,
        stop_at_miss: true,
        seed: 0,
    };
    simulate(set, scheduler, &options, &mut NoTrace)
        .unwrap()
        .misses
        > 0
}
