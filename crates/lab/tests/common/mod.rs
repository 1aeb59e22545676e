//! What the property tests have in common.

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
