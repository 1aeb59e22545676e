//! Tokens that go round among threads which run anywhere.
#![no_std]
#![no_main]
#![allow(
    clippy::cast_possible_truncation,
    reason = "there are at most 128 of anything"
)]

mod tokens;

use flyball_policy::order::Level;
use flyball_policy::{Bitmap, Boxed, CpuId, FixedPriority, Global, Priority};

type Policy = Global<FixedPriority, Bitmap<Level, Boxed>, Boxed>;

fn policy(threads: usize, cpus: usize) -> Policy {
    Global::new(FixedPriority, threads, cpus)
}

/// What a thread tells the policy.
fn params(number: usize, _: u8) -> Priority {
    Priority((number % 7) as u8)
}

/// Whether a thread may run on a CPU.
fn may_run(_: usize, _: CpuId, _: u8) -> bool {
    true
}
