//! The order in which a server serves its tasks, and the test of each.

use super::{NotCovered, Rule, Supply};
use crate::{
    Level, Outcome, Response, SporadicTask, WorkLimit, edf_demand, edf_response, fixed_priority,
};

/// The order in which a server serves its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inside<'a> {
    /// Earliest deadline first, with preemption.
    EarliestDeadline,
    /// Fixed priorities, a level for each task, equals first come, first served.
    FixedPriorities(&'a [Level]),
    /// First come, first served: by the releases of jobs. A task whose next job is released before the
    /// last one is done may also have that job put last only then. Where bounds are within periods, that
    /// does not happen; otherwise it makes this task later, and no other.
    InOrder,
}

impl Inside<'_> {
    /// What tasks in this order can count on.
    ///
    /// # Errors
    /// If the server's times do not fit, or the rule gives no supply in this order.
    pub fn supply(self, rule: Rule, server: &SporadicTask) -> Result<Supply, NotCovered> {
        match self {
            Inside::EarliestDeadline | Inside::FixedPriorities(_) => rule.supply(server),
            Inside::InOrder => rule.supply_in_order(server),
        }
    }

    /// Tests whether `tasks` meet all deadlines inside of a server, whatever other servers do.
    /// Sufficient; exact where the supply is as bad as its bound.
    ///
    /// # Errors
    /// As [`Inside::supply`], or if there are not as many levels as tasks.
    pub fn test(
        self,
        tasks: &[SporadicTask],
        rule: Rule,
        server: &SporadicTask,
        limit: WorkLimit,
    ) -> Result<Outcome, NotCovered> {
        let supply = self.supply(rule, server)?;
        Ok(match self {
            Inside::EarliestDeadline => edf_demand::test_on(supply, tasks, limit),
            Inside::FixedPriorities(levels) => {
                fixed_priority::test_on(supply, tasks, levels, limit)?
            }
            Inside::InOrder => fixed_priority::test_on(supply, tasks, &same(tasks), limit)?,
        })
    }

    /// A bound on each task's response time inside of a server, whatever other servers do, even where
    /// it is beyond the deadline. Exact where the supply is as bad as its bound.
    ///
    /// # Errors
    /// As [`Inside::test`].
    pub fn response_times(
        self,
        tasks: &[SporadicTask],
        rule: Rule,
        server: &SporadicTask,
        limit: WorkLimit,
    ) -> Result<Vec<Response>, NotCovered> {
        let supply = self.supply(rule, server)?;
        Ok(match self {
            Inside::EarliestDeadline => edf_response::response_times_on(supply, tasks, limit),
            Inside::FixedPriorities(levels) => {
                fixed_priority::response_times_on(supply, tasks, levels, limit)?
            }
            Inside::InOrder => {
                fixed_priority::response_times_on(supply, tasks, &same(tasks), limit)?
            }
        })
    }
}

/// First come, first served is a single level of priority.
fn same(tasks: &[SporadicTask]) -> Vec<Level> {
    vec![Level(0); tasks.len()]
}
