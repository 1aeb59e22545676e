//! PD² and PF: every task gets its share of every slot of time, on all CPUs.

use crate::facts::{Arrival, Facts, Missing};
use crate::profile::Profile;
use crate::scheduler::{Scheduler, Shape, Size};
use crate::settings::{Values, with_quantum};
use flyball_policy::pfair::{ByGroupDeadline, BySuccessors, Pfair, Weight};
use flyball_policy::{Duration, Storage};

/// PD² on all CPUs. Its proof by theory is one for shorter jobs, too, since PD² is optimal where
/// subtasks are left out (Srinivasan and Anderson, "Optimal rate-based scheduling on
/// multiprocessors", STOC 2002). Sustainability is not claimed: where theory has no proof,
/// execution times are cut into slots of which there are too few.
#[derive(Clone, Copy, Debug)]
pub struct Pd2 {
    /// The length of a slot.
    pub quantum: Duration,
}

/// PF on all CPUs. Of sustainability is true what is true of [`Pd2`].
#[derive(Clone, Copy, Debug)]
pub struct Pf {
    /// The length of a slot.
    pub quantum: Duration,
}

with_quantum! {
    Pd2: "how long a slot is; periods and execution times should be whole slots", 1;
    Pf: "how long a slot is; periods and execution times should be whole slots", 1;
}

/// A task's weight where slots are this long; a task without a period cannot have any. A job that
/// is released within a slot waits for the next one, so it has less time.
fn weight(task: &Facts, quantum: Duration) -> Result<Weight, Missing> {
    let period = task.period.ok_or(Missing::Period)?;
    let time = period.min(task.deadline_or_never());
    let whole = quantum * task.wcet.as_nanos().div_ceil(quantum.as_nanos().max(1));
    if whole > time {
        return Err(Missing::Other(
            "computes for more whole slots than it has time for (a shorter `quantum` may do)",
        ));
    }
    Ok(Weight {
        wcet: task.wcet,
        // A task that has no time to wait for a slot is served all the same, and may be late.
        period: time.saturating_sub(until_slot(task, quantum)).max(whole),
    })
}

/// The longest time from a release of `task` to the beginning of a slot, of which each is a
/// `quantum` long: zero for a task whose phase and period are whole slots.
pub fn until_slot(task: &Facts, quantum: Duration) -> Duration {
    let q = quantum.as_nanos();
    let grain = match (task.arrival, task.period) {
        (Arrival::Periodic, Some(period)) => gcd(q, gcd(period.as_nanos(), task.phase.as_nanos())),
        _ => 1,
    };
    Duration::from_nanos(q.saturating_sub(grain))
}

/// The greatest common divisor; of zero and a number, that number.
fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

macro_rules! fair {
    ($($type:ident: $name:literal, $ties:ident, $queue:literal, $decision:literal, $source:literal;)*) => {$(
        impl Scheduler for $type {
            const NAME: &'static str = $name;
            const SHAPE: Shape = Shape::Several;
            const MEMORYLESS: bool = true;
            const PROFILE: Profile = Profile {
                queue: "heap",
                queue_complexity: $queue,
                decision: $decision,
                source: $source,
            };

            type Params = Weight;
            type Policy<S: Storage, C: Storage> = Pfair<$ties, S, C>;

            fn cluster(&self) -> usize {
                usize::MAX
            }

            fn policy<S: Storage, C: Storage>(&self, size: Size) -> Self::Policy<S, C> {
                Pfair::new(self.quantum, size.tasks, size.cpus)
            }

            fn params(&self, task: &Facts, _: &dyn Values) -> Result<Weight, Missing> {
                weight(task, self.quantum)
            }
        }
    )*};
}

fair! {
    Pd2: "pd2", ByGroupDeadline,
        "O(log n), the first O(1)",
        "O(log n) of n tasks for each CPU, once a slot",
        "Anderson and Srinivasan, \"Mixed Pfair/ERfair scheduling of asynchronous periodic tasks\", \
         JCSS 68(1), 2004";
    Pf: "pf", BySuccessors,
        "O(q log n), as equals are compared by up to q slots of a period; the first O(1)",
        "O(q log n) of n tasks for each CPU, once a slot",
        "Baruah, Cohen, Plaxton and Varvel, \"Proportionate progress: a notion of fairness in \
         resource allocation\", Algorithmica 15(6), 1996";
}
