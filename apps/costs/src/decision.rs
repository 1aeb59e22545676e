//! The scheduling decision alone: what the policy does, without a kernel around it.

use crate::mark::Mark;
use crate::output::{Tally, fail};
use crate::{Rank, Urgency, nth};
use flyball_app::policy::{Counts, CpuId, Policy, Ready, Stop, TaskId, Usage};
use flyball_app::{Time, shut_down};

/// More often than there are tasks, so that a round is over now and then where there are rounds.
const TIMES: u32 = 300;
const CPU: CpuId = CpuId(0);
/// What the processor has counted of a task that blocks, where the policy wants to know: it waits for memory half
/// of its time, as it did before.
const READING: Counts = Counts {
    cycles: 100_000,
    instructions: 50_000,
    data: 20_000,
    data_misses: 500,
    code_misses: 0,
};

/// With `n` tasks ready, the running one blocks and the next is picked; and a task becomes ready,
/// and the task that is first then is picked (which is this one, if the policy knows urgency).
///
/// A function of its own, which makes the policy itself: what is around it takes no registers.
#[inline(never)]
pub(crate) fn measure<P: Policy>(
    make: impl FnOnce() -> P,
    params: impl Fn(Rank) -> P::Params,
    n: usize,
    urgency: Urgency,
) {
    let mut policy = make();
    let now = Time::ZERO;
    let why = Ready::Released { release: now };
    let (middle, high) = (TaskId(nth(n)), TaskId(nth(n + 1)));
    let low = (0..n).map(|k| (TaskId(nth(k)), Rank::Low(nth(k))));
    let all = low.chain([(middle, Rank::Middle), (high, Rank::High(0))]);
    for (task, rank) in all {
        if policy.admit(task, params(rank), now).is_err() {
            fail("the policy refuses a task");
        }
        // The decision is measured, not which CPU has to make it.
        let _ = policy.ready(CPU, task, why, now);
    }
    let mut running = pick(&mut policy, now);
    let (mut blocks, mut comes) = (Tally::default(), Tally::default());
    // The tally counts: a counter of the loop's own would take a register.
    while blocks.count() < TIMES {
        let gone = running;
        let begin = Mark::now();
        if P::WANTS.counts {
            let _ = policy.counted(CPU, gone, &READING, now);
        }
        let _ = policy.stopped(CPU, gone, Usage::default(), Stop::Blocked, now);
        running = pick(&mut policy, now);
        let end = Mark::now();
        blocks.add(end.since(begin));
        // The kernel says so before it picks again.
        if P::WANTS.preempted {
            let _ = policy.stopped(CPU, running, Usage::default(), Stop::Preempted, now);
        }
        let begin = Mark::now();
        let _ = policy.ready(CPU, gone, Ready::Unblocked, now);
        running = pick(&mut policy, now);
        let end = Mark::now();
        comes.add(end.since(begin));
        if urgency != Urgency::None && running != gone {
            fail("the most urgent task is not picked");
        }
    }
    blocks.print("decision_blocks");
    comes.print("decision_ready");
    shut_down(0);
}

/// With `n` tasks ready, one of them gets other parameters, again and again. Where the policy keeps
/// priorities for them there are hardly more of these than tasks, so most are numbered anew.
#[inline(never)]
pub(crate) fn adjust<P: Policy>(
    make: impl FnOnce() -> P,
    params: impl Fn(Rank) -> P::Params,
    n: usize,
) {
    let mut policy = make();
    let now = Time::ZERO;
    for k in 0..n {
        let task = TaskId(nth(k));
        if policy.admit(task, params(Rank::Low(nth(k))), now).is_err() {
            fail("the policy refuses a task");
        }
        let _ = policy.ready(CPU, task, Ready::Released { release: now }, now);
    }
    let mut tally = Tally::default();
    let mut random = 1_u32;
    while tally.count() < TIMES {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let task = TaskId(nth((random >> 16) as usize % n.max(1)));
        let params = params(Rank::Low(nth((random >> 8) as usize % 400)));
        let begin = Mark::now();
        let adjusted = policy.adjust(task, params, now);
        let end = Mark::now();
        if adjusted.is_err() {
            fail("the policy refuses the new parameters");
        }
        tally.add(end.since(begin));
    }
    tally.print("adjust");
    shut_down(0);
}

#[inline(always)]
fn pick<P: Policy>(policy: &mut P, now: Time) -> TaskId {
    match policy.pick(CPU, now) {
        Some(dispatch) => dispatch.task,
        None => fail("nobody is picked"),
    }
}
