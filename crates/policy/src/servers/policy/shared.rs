//! What is the same under all rules, so that an image of several has it once: tasks without a server,
//! and queues of servers.

use crate::policy::{Dispatch, Policy, Ready, Resched, Stop, Usage};
use crate::queue::{End, Queue};
use flyball_trace::{CpuId, TaskId, Time};

#[inline(never)]
pub(super) fn ready<B: Policy>(
    background: &mut B,
    here: CpuId,
    task: TaskId,
    why: Ready,
    now: Time,
) -> Resched {
    background.ready(here, task, why, now)
}

#[inline(never)]
pub(super) fn stopped<B: Policy>(
    background: &mut B,
    cpu: CpuId,
    task: TaskId,
    used: Usage,
    why: Stop,
    now: Time,
) -> Resched {
    background.stopped(cpu, task, used, why, now)
}

#[inline(never)]
pub(super) fn pick<B: Policy>(background: &mut B, cpu: CpuId, now: Time) -> Option<Dispatch> {
    background.pick(cpu, now)
}

#[inline(never)]
pub(super) fn insert(queue: &mut impl Queue<Time>, number: TaskId, key: Time) {
    queue.insert(number, key, End::Tail);
}

#[inline(never)]
pub(super) fn remove(queue: &mut impl Queue<Time>, number: TaskId) -> Option<Time> {
    queue.remove(number)
}
