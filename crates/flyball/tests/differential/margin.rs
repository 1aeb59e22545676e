//! How much later or earlier jobs may be complete where both schedules are the same: what the simulation is
//! off by in each entry of the kernel [adds up](adds_up) for as long as the CPU has something to do.

use flyball_study::SideBySide;
use flyball_trace::{Duration, Kind, Time};
use std::collections::{HashMap, HashSet};

/// What the simulation may be off by in an entry of a kernel that does not wait for its lock: the
/// end of a time slice takes the machine 1.2 us longer than the mean of all entries, that is what is
/// simulated.
const ENTRY: Duration = Duration::from_micros(2);

/// Whether all instants of completion differ by no more than the [entries](ENTRY) since the CPU was
/// last idle add up to. (A CPU that has more to do than it can is never idle. Where a job that has begun waits
/// meanwhile, as for the next budget of its server, it has yet to do what it was late with. And where budgets
/// ran out, all entries count: a job that uses up a budget goes on with the next one, so what a budget differs
/// by stays when the CPU is idle, and grows by a bit with each job.)
pub(crate) fn adds_up(side: &SideBySide) -> bool {
    let mut ends = HashMap::new();
    for event in &side.simulated.events {
        if let Kind::Complete { task, job } = event.kind {
            ends.insert((task, job), event.time);
        }
    }
    let mut begun = HashSet::new();
    let mut ran_out = false;
    let mut entries = vec![(0, Time::ZERO); usize::from(side.measured.header.cpus)];
    side.measured.events.iter().all(|event| {
        let (since_idle, last) = &mut entries[event.cpu.index()];
        *since_idle += u64::from(*last != event.time);
        *last = event.time;
        match event.kind {
            Kind::Exhaust { .. } => ran_out = true,
            Kind::Idle if begun.is_empty() && !ran_out => *since_idle = 0,
            Kind::Dispatch { task, .. } => {
                begun.insert(task);
            }
            Kind::Abort { task, .. } => {
                begun.remove(&task);
            }
            Kind::Complete { task, job } => {
                begun.remove(&task);
                let Some(&there) = ends.get(&(task, job)) else {
                    return true;
                };
                let here = event.time;
                return here.since(there).max(there.since(here)) <= ENTRY * *since_idle;
            }
            _ => {}
        }
        true
    })
}
