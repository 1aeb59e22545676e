//! What the processor counts is told of the thread that ran.

use super::world::{Fixed, Table, at};
use crate::{Attributes, Config, Core, Entry, Error, InMemory, Sizes, ThreadId, Timing};
use flyball_policy::{
    Counts, CpuId, Dispatch, FixedPriority, Inline, Nothing, Policy, Priority, Ready, Refused,
    Resched, Stop, TaskId, Time, Usage, Wants,
};
use flyball_trace::NoTrace;
use std::marker::PhantomData;

const CPU: CpuId = CpuId(0);

/// Fixed priorities, with a list of what was counted; it wants to know if `takes`.
struct Counting {
    policy: Fixed,
    takes: bool,
    heard: Vec<(TaskId, Counts)>,
}

impl Policy for Counting {
    type Params = Priority;
    type Settings = ();
    const WANTS: Wants = Fixed::WANTS.and(Wants::COUNTS);

    fn capacity(&self) -> usize {
        self.policy.capacity()
    }

    fn admit(&mut self, task: TaskId, priority: Priority, now: Time) -> Result<(), Refused> {
        self.policy.admit(task, priority, now)
    }

    fn adjust(&mut self, task: TaskId, to: Priority, now: Time) -> Result<Resched, Refused> {
        self.policy.adjust(task, to, now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        self.policy.retire(task, now);
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.policy.ready(here, task, why, now)
    }

    fn counted(&mut self, _: CpuId, task: TaskId, counts: &Counts, _: Time) -> Resched {
        self.heard.push((task, *counts));
        Resched::None
    }

    fn takes_counts(&self) -> bool {
        self.takes
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        self.policy.stopped(cpu, task, used, why, now)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        self.policy.pick(cpu, now)
    }
}

/// A kernel that keeps counts in `S`.
struct One<S>(PhantomData<S>);

impl<S: flyball_policy::Storage> Config for One<S> {
    type Policy = Counting;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Table;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = S;
    type Budgets = Nothing;
}

fn core<S: flyball_policy::Storage>(takes: bool) -> Core<One<S>> {
    let policy = Counting {
        policy: Fixed::new(FixedPriority, 8),
        takes,
        heard: Vec::new(),
    };
    Core::new(policy, NoTrace, Timing::Tickless, &Sizes::FIXED)
}

/// So many events of each kind, and more cycles.
fn events(each: u32) -> Counts {
    Counts {
        cycles: each * 10,
        instructions: each,
        data: each,
        data_misses: each,
        code_misses: each,
    }
}

fn spawn<S: flyball_policy::Storage>(core: &mut Core<One<S>>, priority: u8) -> ThreadId {
    core.spawn(CPU, Attributes::THREAD, Priority(priority), Time::ZERO)
        .unwrap()
}

/// A kernel entry in which the machine says what it has counted.
fn enter<S: flyball_policy::Storage>(core: &mut Core<One<S>>, now: u64, each: u32) -> Entry {
    let entry = Entry::begin(core, CPU, true, at(now));
    core.count_events(CPU, &events(each));
    entry
}

#[test]
fn a_thread_is_told_of_at_its_next_stop() {
    let mut core = core::<Table>(true);
    // Nothing runs yet, so it counts for no thread.
    let entry = enter(&mut core, 0, 99);
    let low = spawn(&mut core, 1);
    let _ = entry.end(&mut core, at(0));
    let entry = enter(&mut core, 1, 3);
    let high = spawn(&mut core, 2);
    // The policy does not ask when a task is preempted.
    let _ = entry.end(&mut core, at(1));
    let entry = enter(&mut core, 2, 5);
    core.exit(CPU, at(2)).unwrap();
    let _ = entry.end(&mut core, at(2));
    assert_eq!(core.policy().heard, [(high.task(), events(5))]);
    assert_eq!(core.counts(high), Err(Error::Dead));
    // It goes on with what was counted before.
    let entry = enter(&mut core, 3, 4);
    core.yield_now(CPU, at(3)).unwrap();
    let _ = entry.end(&mut core, at(3));
    let entry = enter(&mut core, 4, 1);
    let _ = entry.end(&mut core, at(4));
    assert_eq!(core.policy().heard[1..], [(low.task(), events(7))]);
    let total = core.counts(low).unwrap();
    assert_eq!((total.cycles, total.code_misses), (80, 8));
    // Another thread in the row of the one that has ended.
    let new = core::iter::repeat_with(|| spawn(&mut core, 3)).find(|new| new.task() == high.task());
    assert_eq!(core.counts(new.unwrap()), Ok(Counts::default()));
}

#[test]
fn totals_are_kept_for_callers_alone() {
    let mut core = core::<Table>(false);
    let thread = spawn(&mut core, 1);
    let _ = enter(&mut core, 0, 0).end(&mut core, at(0));
    let entry = enter(&mut core, 1, 6);
    core.yield_now(CPU, at(1)).unwrap();
    let _ = entry.end(&mut core, at(1));
    assert_eq!(core.policy().heard, []);
    assert_eq!(core.counts(thread).unwrap().instructions, 6);
}

#[test]
fn without_rows_nothing_is_counted() {
    let mut core = core::<Nothing>(true);
    let thread = spawn(&mut core, 1);
    let _ = enter(&mut core, 0, 0).end(&mut core, at(0));
    let entry = enter(&mut core, 1, 6);
    core.yield_now(CPU, at(1)).unwrap();
    let _ = entry.end(&mut core, at(1));
    assert_eq!(core.policy().heard, []);
    assert_eq!(core.counts(thread), Ok(Counts::default()));
}

#[test]
fn a_reading_stays_at_the_largest_number() {
    let mut core = core::<Table>(true);
    let thread = spawn(&mut core, 1);
    let _ = enter(&mut core, 0, 0).end(&mut core, at(0));
    for now in 1..3 {
        core.count_events(
            CPU,
            &Counts {
                cycles: 3 << 30,
                ..events(1)
            },
        );
        let _ = enter(&mut core, now, 0).end(&mut core, at(now));
    }
    let entry = enter(&mut core, 3, 0);
    core.yield_now(CPU, at(3)).unwrap();
    let _ = entry.end(&mut core, at(3));
    let (_, heard) = core.policy().heard[0];
    assert_eq!((heard.cycles, heard.instructions), (u32::MAX, 2));
    assert!(!heard.is_exact() && events(7).is_exact());
    assert_eq!(core.counts(thread).unwrap().cycles, u64::from(u32::MAX));
}
