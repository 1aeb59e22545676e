//! Calls out of line, so that an image of several rules has them once: of tasks without a server, of
//! queues of servers, and of a policy that is asked at several places.

use super::account::Account;
use super::rule::Rule;
use crate::policy::{Budget, Dispatch, Policy, Ready, Resched, Stop, Usage};
use crate::queue::{End, Queue};
use flyball_trace::{CpuId, Duration, TaskId, Time};

#[inline(never)]
pub(super) fn ready<P: Policy>(
    policy: &mut P,
    here: CpuId,
    task: TaskId,
    why: Ready,
    now: Time,
) -> Resched {
    policy.ready(here, task, why, now)
}

#[inline(never)]
pub(super) fn stopped<P: Policy>(
    policy: &mut P,
    cpu: CpuId,
    task: TaskId,
    used: Usage,
    why: Stop,
    now: Time,
) -> Resched {
    policy.stopped(cpu, task, used, why, now)
}

#[inline]
pub(super) fn pick<P: Policy>(policy: &mut P, cpu: CpuId, now: Time) -> Option<Dispatch> {
    if P::WANTS.bursts || P::WANTS.speeds {
        pick_all(policy, cpu, now)
    } else {
        // In a register, and not by way of memory.
        pick_task(policy, cpu, now).map(Dispatch::of)
    }
}

#[inline(never)]
fn pick_all<P: Policy>(policy: &mut P, cpu: CpuId, now: Time) -> Option<Dispatch> {
    policy.pick(cpu, now)
}

#[inline(never)]
fn pick_task<P: Policy>(policy: &mut P, cpu: CpuId, now: Time) -> Option<TaskId> {
    Some(policy.pick(cpu, now)?.task)
}

#[inline(never)]
pub(super) fn insert(queue: &mut impl Queue<Time>, number: TaskId, key: Time) {
    queue.insert(number, key, End::Tail);
}

#[inline(never)]
pub(super) fn remove(queue: &mut impl Queue<Time>, number: TaskId) -> Option<Time> {
    queue.remove(number)
}

/// What a server has when it has used so much since it was picked
/// ([`Policy::budget`](crate::Policy::budget)).
#[inline(never)]
pub(super) fn budget<R: Rule>(
    rule: &R,
    account: &Account<R::State>,
    used: Duration,
    now: Time,
) -> Option<Budget> {
    let mut then = *account;
    if !used.is_zero() {
        rule.charge(&mut then, used, now);
    }
    let charged = then.used.saturating_sub(account.used);
    let reclaimed = if R::RECLAIMS {
        used.saturating_sub(charged)
    } else {
        Duration::ZERO
    };
    Some(Budget {
        reclaimed,
        ..then.present()?
    })
}

/// Where a server with tasks belongs: among those with a budget, by its key, or among those that wait for one.
#[derive(PartialEq, Eq)]
pub(super) struct Place {
    pub key: Time,
    /// What it waits for, if its budget is used up.
    pub waits: Option<Time>,
}

impl Place {
    pub(super) fn of<R: Rule>(rule: &R, account: &Account<R::State>) -> Place {
        Place {
            key: rule.key(account),
            waits: account.is_exhausted().then_some(account.deadline),
        }
    }
}
