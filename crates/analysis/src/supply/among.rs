//! Servers among each other under fixed priorities.

use super::{NotCovered, Rule};
use crate::{Level, Response, SporadicTask, WorkLimit, fixed_priority};
use flyball_trace::Duration;

/// The worst-case response time of each server's budget under fixed priorities, from the release of
/// the budget, or from the arrival of work while there is one: D of its [`Rule`], if it is not
/// beyond the period. The deadlines of the servers given do not matter. The limit holds for all servers
/// together.
///
/// Servers are periodic tasks to each other, but for a deferrable one: it may use a budget at the
/// end of a period and the next one right after (*back to back*), as a task with release jitter
/// P − Q would. A polling and a periodic server use a budget when it is released or lose it, and a
/// sporadic server never uses more than a periodic one in any interval (Sprunt, Sha and Lehoczky
/// 1989). Jitter and blocking of a server itself count as those of a task do.
///
/// Source: Bernat and Burns, *New results on fixed priority aperiodic servers*, RTSS 1999; Davis and
/// Burns, RTSS 2005. Complexity: that of [`fixed_priority::response_times`].
///
/// # Errors
/// [`NotCovered::Deadlines`] if a server's rule is not for fixed priorities, or if the budget of a
/// deferrable one exceeds its period, or if there are not as many levels as servers.
pub fn server_responses(
    servers: &[(Rule, SporadicTask)],
    levels: &[Level],
    limit: WorkLimit,
) -> Result<Vec<Response>, NotCovered> {
    let as_task = |&(rule, server): &(Rule, SporadicTask)| {
        let jitter = server.jitter() + back_to_back(rule, &server)?;
        Ok(server.with_jitter(jitter)?)
    };
    let tasks: Vec<_> = servers
        .iter()
        .map(as_task)
        .collect::<Result<_, NotCovered>>()?;
    let mut responses = fixed_priority::response_times(&tasks, levels, limit)?;
    for (response, (rule, server)) in responses.iter_mut().zip(servers) {
        // Only others see it: the server's own response time counts from its release.
        let early = back_to_back(*rule, server)?;
        match response {
            Response::Bounded(length)
            | Response::Stopped {
                at_least: length, ..
            } => *length = length.saturating_sub(early),
            Response::Unbounded => {}
        }
    }
    Ok(responses)
}

/// How long after its release a server may begin to use a budget although nothing more urgent is in
/// the way.
fn back_to_back(rule: Rule, server: &SporadicTask) -> Result<Duration, NotCovered> {
    match rule {
        Rule::Periodic | Rule::Polling | Rule::Sporadic => Ok(Duration::ZERO),
        Rule::Deferrable => {
            let gap = server.t().checked_sub(server.c());
            gap.map(Duration::from_nanos).ok_or(NotCovered::Budget)
        }
        Rule::SoftConstantBandwidth | Rule::HardConstantBandwidth | Rule::SchedDeadline => {
            Err(NotCovered::Deadlines)
        }
    }
}
