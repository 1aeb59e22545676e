//! What measured overheads cost a policy's tests.

use flyball_analysis::criterion::Payer;
use flyball_analysis::overheads::Costs;
use flyball_model::Overheads;
use flyball_trace::Duration;

/// The period of a tick, where a charge has a cost of one: that of LITMUS^RT.
pub const QUANTUM: Duration = Duration::from_millis(1);

/// What the kernel's work costs of so many tasks, with a tick of this period if ticks cost
/// anything. A job ends with one call, and there are two decisions for a job, so half of the call
/// is added to each.
pub fn costs_of(measured: &Overheads, quantum: Duration, payer: Payer, tasks: usize) -> Costs {
    let global = payer == Payer::Global;
    let call = measured.call.at(tasks).as_nanos().div_ceil(2);
    Costs {
        tick: measured.tick.at(tasks),
        quantum: (!measured.tick.is_free()).then_some(quantum),
        release: measured.release.at(tasks),
        scheduling: measured.scheduling.at(tasks) + Duration::from_nanos(call),
        context_switch: measured.context_switch.at(tasks),
        ipi: if global {
            measured.ipi.at(tasks)
        } else {
            Duration::ZERO
        },
        cache: measured.cache.at(tasks),
        event_latency: Duration::ZERO,
    }
}
