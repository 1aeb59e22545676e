//! Which task is on which CPU: a few moves a period, each of which makes loads more equal.

use super::{Cpu, Member, Supervisor};
use crate::storage::{Storage, Table};
use flyball_trace::CpuId;

/// A task goes to another CPU, and perhaps one comes from there in exchange.
#[derive(Clone, Copy)]
struct Move {
    task: usize,
    to: CpuId,
    back: Option<usize>,
    /// Half of what it takes off the sum of the squares of the loads.
    gain: i64,
}

/// Moves what is worth it, and counts loads and shares for the next period.
pub(super) fn balance<S: Storage, C: Storage>(supervisor: &mut Supervisor<S, C>) {
    count(supervisor);
    let mut left = supervisor.settings.moves;
    while let Some(best) = best(supervisor, left) {
        let Some(from) = supervisor.members[best.task].as_mut().map(|member| {
            member.stays = 0;
            core::mem::replace(&mut member.cpu, best.to)
        }) else {
            break;
        };
        if let Some(member) = best.back.and_then(|task| supervisor.members[task].as_mut()) {
            member.cpu = from;
            member.stays = 0;
        }
        left -= 1 + u16::from(best.back.is_some());
        count(supervisor);
    }
}

fn count<S: Storage, C: Storage>(supervisor: &mut Supervisor<S, C>) {
    let cpus = &mut supervisor.cpus;
    for n in 0..supervisor.count {
        let cpu = &mut cpus[n];
        *cpu = Cpu {
            shares: 0,
            load: -cpu.capacity,
            ..*cpu
        };
    }
    for row in 0..supervisor.members.capacity() {
        if let Some(member) = &supervisor.members[row] {
            let cpu = &mut cpus[member.cpu.index()];
            cpu.shares += member.share;
            cpu.load += member.request();
        }
    }
}

/// The best of all that take no more than `left` moves; of equals the one of the first task. O(n²).
fn best<S: Storage, C: Storage>(supervisor: &Supervisor<S, C>, left: u16) -> Option<Move> {
    let mut best: Option<Move> = None;
    let load = |cpu: CpuId| supervisor.cpus[cpu.index()].load;
    let hysteresis = i64::from(supervisor.settings.hysteresis.bits());
    let mut offer = |task, from, to, back, moved| {
        let gap: i64 = load(from) - load(to);
        // To move more than that would hardly make loads more equal, but turn them round.
        let is_worth_it = gap >= hysteresis && moved > 0 && moved <= gap - gap / 4;
        let gain = moved * (gap - moved);
        if is_worth_it && best.is_none_or(|best| gain > best.gain) {
            best = Some(Move {
                task,
                to,
                back,
                gain,
            });
        }
    };
    let movable = |row: usize| {
        let member = supervisor.members[row].as_ref()?;
        (member.stays >= supervisor.settings.dwell).then_some(member)
    };
    let rows = 0..supervisor.members.capacity();
    if left > 0 {
        for (row, member) in rows.clone().filter_map(|row| Some((row, movable(row)?))) {
            for to in (0..=u8::MAX).map(CpuId).take(supervisor.count) {
                offer(row, member.cpu, to, None, member.request());
            }
        }
    }
    if left > 1 {
        for (row, member) in rows.clone().filter_map(|row| Some((row, movable(row)?))) {
            for (back, other) in rows.clone().filter_map(|row| Some((row, movable(row)?))) {
                let moved = Member::request(member) - other.request();
                offer(row, member.cpu, other.cpu, Some(back), moved);
            }
        }
    }
    best
}
