//! Set points: what the CPUs have, divided in proportion to weights, with a limit for each task.

use super::{Member, ONE, Supervisor, scale};
use crate::storage::Storage;

/// What tasks are weighed by. If all that a weight counts for have as much as they can have, what
/// is left goes to the others by the next one.
#[derive(Clone, Copy)]
enum Weight {
    /// Requirement times importance.
    Importance,
    Requirement,
    Equal,
}

impl Weight {
    fn of(self, member: &Member) -> i64 {
        let requirement = i64::from(member.requirement.cpu.bits());
        match self {
            Weight::Importance => requirement * i64::from(member.requirement.importance),
            Weight::Requirement => requirement,
            Weight::Equal => 1,
        }
    }
}

/// Computes the set points. Returns the sum of those of the tasks without a limit.
pub(super) fn fill<S: Storage, C: Storage>(supervisor: &mut Supervisor<S, C>) -> i64 {
    let has: i64 = (0..supervisor.count)
        .map(|cpu| supervisor.cpus[cpu].capacity)
        .sum();
    let wanted = |member: &Member| i64::from(member.requirement.cpu.bits()).min(most(member));
    let wanted: i64 = supervisor.members().map(wanted).sum();
    supervisor.for_each(|member| {
        member.settled = false;
        member.set_point = 0;
        member.entitled = 0;
    });
    let mut rest = has;
    for weight in [Weight::Importance, Weight::Requirement, Weight::Equal] {
        if wanted > has || !matches!(weight, Weight::Importance) {
            rest = divide(supervisor, rest, weight);
        }
    }
    let unlimited = supervisor.members().filter(|member| member.limit.is_none());
    unlimited.map(|member| member.set_point).sum()
}

/// The most that a task can have.
fn most(member: &Member) -> i64 {
    member.limit.unwrap_or(ONE)
}

/// Divides `rest` among the tasks that have no set point yet and any weight; returns what they
/// leave.
///
/// Each turn settles the tasks whose part would be more than they can have. What they leave makes
/// the parts of the others larger, so a task that has been settled would be in every later turn
/// too.
fn divide<S: Storage, C: Storage>(
    supervisor: &mut Supervisor<S, C>,
    mut rest: i64,
    weight: Weight,
) -> i64 {
    loop {
        let is_open = |member: &Member| !member.settled && weight.of(member) > 0;
        let open = || supervisor.members().filter(|member| is_open(member));
        let weights: i64 = open().map(|member| weight.of(member)).sum();
        if weights == 0 {
            return rest;
        }
        let has = rest;
        let parts = |member: &Member| scale(has, weight.of(member), weights);
        let is_full = |member: &Member| parts(member) >= most(member);
        let some_are_full = open().any(is_full);
        supervisor.for_each(|member| {
            if is_open(member) && is_full(member) == some_are_full {
                let part = parts(member);
                member.settled = true;
                member.set_point = part.min(most(member));
                member.entitled = part.min(ONE);
                rest -= member.set_point;
            }
        });
        if !some_are_full {
            // Rounded down: what is left belongs to no task.
            return 0;
        }
    }
}
