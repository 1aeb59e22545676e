//! How a body preempts another one on the same stack.
//!
//! From a body: it is called. From an interrupt: `PendSV`, the lowest of all exceptions, asks the policy. If a body is
//! more urgent than the one that was interrupted, it returns not to that, but to the more urgent one:
//!
//! ```text
//!   main stack, growing down    interrupted body ... | its frame | frame of the body |
//!                                                                  \- PendSV -/
//! ```
//!
//! The processor pops the upper frame, and the body runs as any function: what it needs of the registers r4–r11 it
//! leaves as they were, and the others are in the lower frame. It returns to `flyball_return`, which calls bodies as long
//! as there are more urgent ones than the interrupted body. Then `SVCall` drops the frame that it is entered with, and so
//! its return pops the lower one: the interrupted body goes on.
//!
//! From the last decision until the frame is dropped no interrupt is served that could release a body
//! (`BASEPRI`), so there is a frame on the stack for each level of urgency at most.

use crate::bodies::{Body, System};
use core::arch::naked_asm;
use cortex_m::peripheral::SCB;
use flyball_policy::{Policy, TaskId};

/// The priority of all interrupts that release bodies. `SVCall` has a higher one, 0, and `PendSV` the lowest.
pub const INTERRUPTS: u8 = 0x40;

/// What an image brings.
pub trait Image: 'static {
    /// The policy.
    type Policy: Policy;

    /// Its system, interrupts masked.
    fn with<R>(f: impl FnOnce(&mut System<Self::Policy>) -> R) -> R;

    /// What a body tells the policy, by a number: the smaller, the more urgent.
    fn params(urgency: u32) -> <Self::Policy as Policy>::Params;

    /// Whether the policy wants to know when a body is released by a call.
    const TIMED: bool;

    /// Bytes of RAM for a body; see [`bytes_each`](crate::bodies::bytes_each).
    const BYTES: [usize; 2];
}

/// Interrupts that release bodies are held back until `SVCall`.
#[inline(always)]
fn hold_interrupts() {
    // SAFETY: to hold interrupts back does no harm.
    unsafe { cortex_m::register::basepri::write(INTERRUPTS) };
}

/// Releases `task`, from a body or from `main`. If it is more urgent than the body that runs it has begun, and is done,
/// when this returns.
#[inline(always)]
pub fn release<I: Image>(task: TaskId) {
    let next = |system: &mut System<I::Policy>| {
        let preempts = system.release(task, I::TIMED);
        preempts.then(|| system.bodies.next())
    };
    if let Some(Some(next)) = I::with(next) {
        run::<I>(next);
    }
}

/// The same from an interrupt: if it is more urgent it begins when no interrupt is being served any more.
#[inline(always)]
pub fn release_from_interrupt<I: Image>(task: TaskId) {
    if I::with(|system| system.release(task, I::TIMED)) {
        SCB::set_pendsv();
    }
}

/// The body `task`, which calls this, is at least as urgent as one with the parameters `ceiling`, until it calls this with
/// `None`: the stack resource policy.
#[inline(always)]
pub fn ceiling<I: Image>(task: TaskId, ceiling: Option<<I::Policy as Policy>::Params>) {
    let next = |system: &mut System<I::Policy>| {
        let preempts = system.ceiling(task, ceiling);
        preempts.then(|| system.bodies.next())
    };
    if let Some(Some(next)) = I::with(next) {
        run::<I>(next);
    }
}

/// Calls bodies as long as there are more urgent ones than what was on the stack before.
#[inline(always)]
fn run<I: Image>(mut next: (TaskId, Body)) {
    loop {
        let (task, body) = next;
        body(task);
        let another = I::with(|system| {
            system.bodies.complete(task);
            system.bodies.next()
        });
        match another {
            Some(another) => next = another,
            None => return,
        }
    }
}

/// What `PendSV` lets begin, in two registers: the number of a body and the body, zero if there is none.
#[inline(always)]
pub fn first<I: Image>() -> u64 {
    match I::with(|system| system.bodies.next()) {
        Some((task, body)) => u64::from(task.0) | (body as usize as u64) << 32,
        None => 0,
    }
}

/// Goes on when that is done: calls bodies as long as there are more urgent ones than the interrupted body. In the end
/// interrupts are held back.
#[inline(always)]
pub fn rest<I: Image>() {
    let mut done = I::with(|system| system.bodies.running());
    loop {
        let next = I::with(|system| {
            system.bodies.complete(done);
            let next = system.bodies.next();
            if next.is_none() {
                hold_interrupts();
            }
            next
        });
        let Some((task, body)) = next else { return };
        body(task);
        done = task;
    }
}

/// The handler `PendSV`; see the module.
///
/// # Safety
/// The processor calls it, on the stack of the body that it interrupts.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn PendSV() {
    naked_asm!(
        "push {{r3, lr}}",
        "bl   flyball_first",
        "pop  {{r3, lr}}",
        "cbz  r1, 2f",
        // A frame: r0 the number, lr what the body returns to, pc the body, xPSR (Thumb code).
        "sub  sp, #32",
        "str  r0, [sp]",
        "ldr  r0, =flyball_return",
        "bic  r1, #1",
        "mov  r2, #0x01000000",
        "str  r0, [sp, #20]",
        "strd r1, r2, [sp, #24]",
        "2:",
        "bx   lr",
        ".ltorg",
        ".global flyball_return",
        ".type flyball_return, %function",
        ".thumb_func",
        "flyball_return:",
        "bl   flyball_rest",
        "svc  0",
    )
}

/// The handler `SVCall`: drops its own frame, of 8 words, as the stack is aligned at the call. No interrupt is held
/// back any more when it returns.
///
/// # Safety
/// Only `flyball_return` calls it.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn SVCall() {
    naked_asm!("movs r0, #0", "msr basepri, r0", "add sp, #32", "bx lr")
}
