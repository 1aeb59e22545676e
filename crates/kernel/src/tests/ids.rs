//! Ids of what is not there are noticed, in release builds as well: a table in place masks an index
//! there, and would take another row.

use super::world::{CPU, Table, fixed};
use crate::{
    ConditionId, Config, Core, Error, InMemory, MutexId, QueueId, SemaphoreId, Sizes, ThreadId,
    Timing,
};
use core::marker::PhantomData;
use core::task::Poll;
use flyball_policy::{
    Dispatch, Inline, Nothing, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use flyball_trace::{CpuId, NoTrace, TaskId, Time};

/// As many rows as there are semaphores in the tests' kernel: the first number that is masked to 0.
const BEYOND: u16 = 4;

#[test]
fn an_object_that_was_never_made_is_unknown() {
    let mut world = fixed();
    let semaphore = world.core.semaphore(1).unwrap();
    world.thread(1);
    let (core, now) = (&mut world.core, world.now);
    for number in [1, BEYOND, u16::MAX] {
        let wrong = SemaphoreId::from_number(number);
        assert_eq!(core.wait(CPU, wrong, Time::NEVER, now), Err(Error::Unknown));
        assert_eq!(core.signal(CPU, wrong, now), Err(Error::Unknown));
        let wrong = MutexId::from_number(number);
        assert_eq!(core.lock(CPU, wrong, Time::NEVER, now), Err(Error::Unknown));
        assert_eq!(core.unlock(CPU, wrong, now), Err(Error::Unknown));
        let wrong = QueueId::from_number(number);
        assert_eq!(
            core.send(CPU, wrong, &7, Time::NEVER, now),
            Err(Error::Unknown)
        );
        assert_eq!(
            core.receive(CPU, wrong, 0, Time::NEVER, now),
            Err(Error::Unknown)
        );
        let wrong = ConditionId::from_number(number);
        assert_eq!(core.signal_condition(CPU, wrong, now), Err(Error::Unknown));
    }
    assert_eq!(
        core.wait(CPU, semaphore, Time::NEVER, now),
        Ok(Poll::Ready(()))
    );
}

#[test]
fn a_thread_that_never_was_is_unknown() {
    let mut world = fixed();
    let thread = world.thread(1);
    let rows = u16::try_from(super::world::ROWS).unwrap();
    let beyond = ThreadId::new(TaskId(rows), thread.generation());
    let (core, now) = (&mut world.core, world.now);
    assert_eq!(core.unpark(CPU, beyond, now), Err(Error::Unknown));
    assert_eq!(core.cpu_time(beyond, now), Err(Error::Unknown));
    assert_eq!(
        core.join(CPU, beyond, Time::NEVER, now),
        Err(Error::Unknown)
    );
}

#[test]
#[should_panic(expected = "no such CPU")]
fn a_cpu_that_is_not_there_cannot_call() {
    let mut world = fixed();
    world.thread(1);
    let _ = world.core.yield_now(CpuId(1), world.now);
}

/// A policy that answers with fixed ids.
struct Wrong {
    task: TaskId,
    cpu: CpuId,
}

impl Policy for Wrong {
    type Params = ();
    type Settings = ();
    const WANTS: Wants = Wants::NOTHING;
    fn capacity(&self) -> usize {
        8
    }
    fn admit(&mut self, _: TaskId, (): (), _: Time) -> Result<(), Refused> {
        Ok(())
    }
    fn adjust(&mut self, _: TaskId, (): (), _: Time) -> Result<Resched, Refused> {
        Ok(Resched::None)
    }
    fn retire(&mut self, _: TaskId, _: Time) {}
    fn ready(&mut self, _: CpuId, _: TaskId, _: Ready, _: Time) -> Resched {
        Resched::One(self.cpu)
    }
    fn stopped(&mut self, _: CpuId, _: TaskId, _: Usage, _: Stop, _: Time) -> Resched {
        Resched::None
    }
    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        Some(Dispatch::of(self.task))
    }
}

struct Bare<const CPUS: usize>(PhantomData<Wrong>);

impl<const CPUS: usize> Config for Bare<CPUS> {
    type Policy = Wrong;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<CPUS>;
    type Threads = Table;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Table;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
}

/// A thread begins, and CPU 0 decides.
fn decide<const CPUS: usize>(task: u16, cpu: u8) {
    let policy = Wrong {
        task: TaskId(task),
        cpu: CpuId(cpu),
    };
    let mut core: Core<Bare<CPUS>> = Core::new(policy, NoTrace, Timing::Tickless, &Sizes::FIXED);
    let spawned = core.spawn(CPU, crate::Attributes::THREAD, (), Time::ZERO);
    assert!(spawned.is_ok());
    assert_eq!(core.decide(CPU, Time::ZERO).run, Some(TaskId(task)));
}

#[test]
fn a_policy_may_name_what_is_there() {
    decide::<1>(0, 0);
    decide::<2>(0, 0);
}

#[test]
#[should_panic(expected = "the policy chose a thread that is not there")]
fn a_policy_cannot_choose_a_thread_that_is_not_there() {
    // A mask makes the first thread of this.
    decide::<1>(8, 0);
}

#[test]
#[should_panic(expected = "no such CPU")]
fn a_policy_cannot_name_another_cpu_than_the_only_one() {
    decide::<1>(0, 1);
}

#[test]
#[should_panic(expected = "no such CPU")]
fn a_policy_cannot_name_a_cpu_that_is_not_there() {
    decide::<2>(0, 2);
}
