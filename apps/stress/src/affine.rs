//! Tokens that go round among threads most of which may run on some CPUs only: a thread that has to
//! give way may find that the CPU which it goes to has to wait until another CPU has let it go.
#![no_std]
#![no_main]
#![allow(
    clippy::cast_possible_truncation,
    reason = "there are at most 128 of anything"
)]

mod tokens;

use flyball_policy::{Affine, Boxed, CpuId, CpuSet, FixedPriority, Pinned, Priority};

type Policy = Affine<FixedPriority, Boxed, Boxed>;

fn policy(threads: usize, cpus: usize) -> Policy {
    Affine::new(FixedPriority, threads, cpus)
}

/// The CPUs that a thread may run on, of so many: all of them, or three, or one.
fn allowed(number: usize, cpus: u8) -> CpuSet {
    let cpu = |number: usize| CpuId((number % usize::from(cpus)) as u8);
    match number % 5 {
        0 => CpuSet::ALL,
        1 => CpuSet::EMPTY.with(cpu(number)),
        _ => {
            let three = [number, number * 3 + 1, number * 5 + 2];
            three.into_iter().map(cpu).fold(CpuSet::EMPTY, CpuSet::with)
        }
    }
}

/// What a thread tells the policy.
fn params(number: usize, cpus: u8) -> Pinned<Priority> {
    Pinned {
        params: Priority((number % 7) as u8),
        cpus: allowed(number, cpus),
    }
}

/// Whether a thread may run on a CPU.
fn may_run(number: usize, cpu: CpuId, cpus: u8) -> bool {
    allowed(number, cpus).contains(cpu)
}
