//! How long jobs can take under global EDF.

use super::{Set, rta, rtalc};
use crate::WorkLimit;

/// How long jobs can take from their arrival to their end, at most, under global EDF on so many
/// CPUs: in the order of the tasks. `None` if neither RTALC nor RTA accepts the set, as then
/// nothing is known of any task, or if they are not done after `limit` steps each.
///
/// The bounds are RTALC's, which are no longer than RTA's, unless that takes too long.
pub fn response_times(set: &Set, cpus: u32, limit: WorkLimit) -> Option<Vec<u64>> {
    if !set.is_eligible(cpus) {
        return None;
    }
    let outcome = rtalc::outcome(set, cpus, &mut limit.meter())
        .or_else(|_| rta::outcome(set, cpus, &mut limit.meter()))
        .ok()
        .filter(|outcome| outcome.late.is_empty())?;
    let left = set.tasks().iter().zip(outcome.slacks);
    Some(left.map(|(task, slack)| task.deadline - slack).collect())
}
