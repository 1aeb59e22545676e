//! Slots, counted in simulation or on a machine.

use super::slot::{Slot, Unit};
use super::{counted, instructions};
use crate::work::Setup;
use flyball_catalogue::Soos;
use flyball_measure::bench::BenchError;
use flyball_model::TaskSet;
use flyball_trace::Duration;

/// What the policy does in each slot up to `until`, in [`Unit::of`] this set-up.
///
/// # Errors
/// [`BenchError`] if it can be neither simulated nor run.
pub(super) fn slots(
    setup: &mut Setup<'_>,
    set: &TaskSet,
    soos: Soos,
    until: Duration,
) -> Result<Vec<Slot>, BenchError> {
    match Unit::of(setup) {
        Unit::Rows => counted::slots(set, soos, until),
        Unit::Instructions => instructions::slots(setup, set, soos, until),
    }
}
