//! A measured schedule beside its simulation, for programs.

use flyball_json::compare::{Compared, ComparedTask, Difference, Hair};
use flyball_model::Cost;
use flyball_study::compare::{Parting, SideBySide};
use flyball_trace::Duration;

/// Each policy and its schedules.
pub fn compared(policies: &[(String, SideBySide)]) -> Vec<Compared> {
    let policies = policies.iter();
    policies
        .map(|(policy, beside)| of(policy, beside))
        .collect()
}

fn of(policy: &str, beside: &SideBySide) -> Compared {
    let tasks = &beside.simulated.header.tasks;
    let cost = |cost: &Cost| cost.at(tasks.len()).as_nanos();
    let comparison = &beside.comparison;
    let rows = tasks.iter().zip(&comparison.completions);
    let rows = rows.zip(&beside.simulated_summary.tasks);
    let rows = rows.zip(&beside.measured_summary.tasks);
    Compared {
        policy: policy.to_owned(),
        same_order: comparison.is_same_order(),
        events: beside.agree(),
        difference: comparison.difference.map(|difference| Difference {
            simulated: difference.simulated.to_string().trim().to_owned(),
            simulated_ns: difference.simulated.time.as_nanos(),
            measured: difference.measured.to_string().trim().to_owned(),
            measured_ns: difference.measured.time.as_nanos(),
        }),
        reason: beside.reason.map(|reason| {
            let name = match reason {
                Parting::Costs => "costs",
                Parting::Hair => "hair",
                Parting::OneEntry => "one-entry",
                Parting::LastCall => "last-call",
                Parting::NoRoom => "no-room",
            };
            name.to_owned()
        }),
        hair: comparison.hair.map(|hair| {
            let ([first, second], [before, after]) = (hair.simulated, hair.measured);
            Hair {
                first: first.to_string().trim().to_owned(),
                second: second.to_string().trim().to_owned(),
                first_simulated_ns: first.time.as_nanos(),
                second_simulated_ns: second.time.as_nanos(),
                first_measured_ns: after.time.as_nanos(),
                second_measured_ns: before.time.as_nanos(),
            }
        }),
        largest_ns: comparison.largest().as_nanos(),
        release_ns: cost(&beside.overheads.release),
        call_ns: cost(&beside.overheads.call),
        scheduling_ns: cost(&beside.overheads.scheduling),
        context_switch_ns: cost(&beside.overheads.context_switch),
        control_ns: Some(cost(&beside.overheads.control)).filter(|&control| control > 0),
        quantum_ns: beside.quantum.map(Duration::as_nanos),
        slice_ns: beside.slice.map(Duration::as_nanos),
        tasks: rows
            .map(|(((info, sums), simulated), measured)| ComparedTask {
                name: info.name.clone(),
                jobs: sums.jobs,
                largest_ns: sums.largest.as_nanos(),
                largest_ppm: sums.largest_ppm,
                notable: sums.notable,
                simulated_response_max_ns: simulated.response.max().map(Duration::as_nanos),
                measured_response_max_ns: measured.response.max().map(Duration::as_nanos),
                simulated_misses: simulated.misses,
                measured_misses: measured.misses,
            })
            .collect(),
    }
}
