//! A measured schedule beside its simulation, for programs.

use flyball_model::Cost;
use flyball_study::compare::SideBySide;
use flyball_trace::Duration;
use serde::Serialize;

/// What came of comparing both under one policy.
#[derive(Serialize, Debug)]
pub struct Compared<'a> {
    /// The policy's short name.
    pub policy: &'a str,
    /// Whether all events that were compared are the same, in the same order.
    pub same_order: bool,
    /// How many are, up to the first difference.
    pub events: usize,
    /// The first difference; `null`: there is none.
    pub difference: Option<Difference>,
    /// Two things that come in different orders, within 10 µs in both schedules, and so are the
    /// reason for the difference; `null`: there are none.
    pub hair: Option<Hair>,
    /// The largest difference between the instants at which a job was complete.
    pub largest_ns: u64,
    /// What the kernel was seen to spend on each release, ...
    pub release_ns: u64,
    /// ... on each call, ...
    pub call_ns: u64,
    /// ... on each decision, ...
    pub scheduling_ns: u64,
    /// ... and on each change to another task.
    pub context_switch_ns: u64,
    /// The policy's setting `quantum`; `null` if it has none.
    pub quantum_ns: Option<u64>,
    /// The quantum as the simulation had it: the setting, corrected by what the machine's kernel
    /// does to each time slice, which is less than a kernel entry takes; `null` if the policy
    /// has none.
    pub slice_ns: Option<u64>,
    /// One entry a task, in the order of the task set.
    pub tasks: Vec<ComparedTask<'a>>,
}

/// Where two schedules part.
#[derive(Serialize, Debug)]
pub struct Difference {
    /// What the simulation did, and when; the wording is no part of the contract.
    pub simulated: String,
    /// When.
    pub simulated_ns: u64,
    /// What the machine did; the wording is no part of the contract.
    pub measured: String,
    /// When.
    pub measured_ns: u64,
}

/// Two things that happen at nearly the same time, and in another order on the machine than in the
/// simulation.
#[derive(Serialize, Debug)]
pub struct Hair {
    /// What comes first in the simulation; the wording is no part of the contract.
    pub first: String,
    /// What comes first on the machine; the wording is no part of the contract.
    pub second: String,
    /// When the first happens in the simulation.
    pub first_simulated_ns: u64,
    /// When the second does.
    pub second_simulated_ns: u64,
    /// When the first happens on the machine.
    pub first_measured_ns: u64,
    /// When the second does.
    pub second_measured_ns: u64,
}

/// How one task fared on the machine and in the simulation.
#[derive(Serialize, Debug)]
pub struct ComparedTask<'a> {
    /// Its name.
    pub name: &'a str,
    /// Jobs that were completed in both.
    pub jobs: u64,
    /// The largest difference between their instants of completion.
    pub largest_ns: u64,
    /// The largest ratio of such a difference to the measured response time, in millionths.
    pub largest_ppm: u64,
    /// Jobs that differ by more than 20 us and more than 1 % of their response time.
    pub notable: u64,
    /// The longest response time in the simulation; `null` if no job was completed.
    pub simulated_response_max_ns: Option<u64>,
    /// The same on the machine.
    pub measured_response_max_ns: Option<u64>,
    /// Deadlines missed in the simulation.
    pub simulated_misses: u64,
    /// The same on the machine.
    pub measured_misses: u64,
}

/// Each policy and its schedules.
pub fn compared(policies: &[(String, SideBySide)]) -> Vec<Compared<'_>> {
    let policies = policies.iter();
    policies
        .map(|(policy, beside)| of(policy, beside))
        .collect()
}

fn of<'a>(policy: &'a str, beside: &'a SideBySide) -> Compared<'a> {
    let tasks = &beside.simulated.header.tasks;
    let cost = |cost: &Cost| cost.at(tasks.len()).as_nanos();
    let comparison = &beside.comparison;
    let rows = tasks.iter().zip(&comparison.completions);
    let rows = rows.zip(&beside.simulated_summary.tasks);
    let rows = rows.zip(&beside.measured_summary.tasks);
    Compared {
        policy,
        same_order: comparison.is_same_order(),
        events: comparison.agree,
        difference: comparison.difference.map(|difference| Difference {
            simulated: difference.simulated.to_string().trim().to_owned(),
            simulated_ns: difference.simulated.time.as_nanos(),
            measured: difference.measured.to_string().trim().to_owned(),
            measured_ns: difference.measured.time.as_nanos(),
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
        quantum_ns: beside.quantum.map(Duration::as_nanos),
        slice_ns: beside.slice.map(Duration::as_nanos),
        tasks: rows
            .map(|(((info, sums), simulated), measured)| ComparedTask {
                name: &info.name,
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
