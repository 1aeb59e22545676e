//! Ceilings that are applied lazily: the schedule is the same as where each change is a call.

use super::world::{CPU, TestObjects, at, ns};
use crate::{
    Attributes, Ceilings, Config, Core, Entry, Error, InMemory, MutexId, Protocol, Sizes, Timing,
};
use core::marker::PhantomData;
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, FixedPriority, Inline, Nothing, Policy, Priority, Ranked, RoundRobin,
};
use flyball_trace::{Duration, Event, Time};
use proptest::prelude::*;

const THREADS: usize = 4;

type Ordered<O> = Ranked<O, Bitmap<Level, Inline<THREADS>, 1>>;

/// Bit n stands for priority n.
struct Lazy<P>(PhantomData<P>);

impl<P: Policy<Params = Priority>> Config for Lazy<P> {
    type Policy = P;
    type Trace = Vec<Event>;
    type Message = ();
    type Stamp = Time;
    type Cpus = Inline<1>;
    type Threads = Inline<THREADS>;
    type Objects = InMemory;
    type Owned = Nothing;
    type Ceilings = Inline<THREADS>;
    type Queues = Nothing;
    type Messages = Nothing;
    type Jobs = Nothing;
    type Arrivals = Nothing;
    type Accounts = Nothing;
    type Counts = Nothing;
    type Budgets = Nothing;
    const LAZY_CEILINGS: bool = true;

    fn ceiling(bits: u32) -> Option<Priority> {
        let highest = bits.checked_ilog2()?;
        Some(Priority(highest.try_into().unwrap()))
    }
}

/// What the running thread does, or what happens to it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enter(u8),
    Leave(u8),
    Sleep(u64),
    Yield,
    Run(u64),
    Lock,
    Unlock,
}

struct Kernel<P: Policy<Params = Priority>> {
    core: Core<Lazy<P>>,
    now: Time,
    mutex: crate::At,
    noted: [&'static Ceilings; THREADS],
    /// Each change is followed by a call.
    calls: bool,
}

/// A preemption is told to the policy as a stop.
fn round_robin() -> Ordered<RoundRobin<FixedPriority>> {
    let order = RoundRobin {
        order: FixedPriority,
        quantum: ns(5),
    };
    Ranked::new(order, THREADS)
}

/// A preemption is not told.
fn fixed() -> Ordered<FixedPriority> {
    Ranked::new(FixedPriority, THREADS)
}

impl<P: Policy<Params = Priority>> Kernel<P> {
    fn new(policy: P, calls: bool) -> Kernel<P> {
        // All that there are, so that Miri finds none lost.
        static ALL: std::sync::Mutex<Vec<&Ceilings>> = std::sync::Mutex::new(Vec::new());
        let noted = [(); THREADS].map(|()| {
            let ceilings: &'static Ceilings = Box::leak(Box::new(Ceilings::new()));
            ALL.lock().unwrap().push(ceilings);
            ceilings
        });
        let mut kernel = Kernel {
            core: Core::new(policy, Vec::new(), Timing::Tickless, &Sizes::FIXED),
            now: Time::ZERO,
            mutex: TestObjects::mutex(&mut { InMemory }, 0, Protocol::Inherit),
            noted,
            calls,
        };
        for priority in [3, 2, 2, 1] {
            let attributes = Attributes::THREAD;
            let spawned = kernel
                .core
                .spawn(CPU, attributes, Priority(priority), at(0));
            spawned.unwrap();
        }
        // Each registers its ceilings, and sleeps.
        kernel.settle();
        for _ in 0..THREADS {
            let me = kernel.running().unwrap();
            kernel
                .core
                .register_ceilings(CPU, kernel.noted[me])
                .unwrap();
            kernel.step(Step::Sleep(1));
        }
        kernel
    }

    fn running(&self) -> Option<usize> {
        Some(self.core.running_task(CPU)?.index())
    }

    fn settle(&mut self) {
        let _ = Entry::instant(CPU, self.now).end(&mut self.core, self.now);
    }

    fn pass(&mut self, length: Duration) {
        let until = self.now + length;
        while self.core.next_timer(CPU) <= until {
            self.now = self.core.next_timer(CPU).max(self.now);
            self.core.timer(CPU, self.now);
            self.settle();
        }
        self.now = until;
    }

    fn change(&mut self, me: usize, change: impl FnOnce(u32) -> u32) {
        let bits = change(self.noted[me].bits());
        let ends = bits < self.noted[me].bits();
        self.noted[me].set(bits);
        if self.calls || ends && self.noted[me].are_applied() {
            self.core.apply_ceilings(CPU, self.now);
            self.settle();
        }
    }

    fn step(&mut self, step: Step) {
        let Some(me) = self.running() else {
            return self.pass(ns(1));
        };
        match step {
            Step::Enter(level) => self.change(me, |bits| bits | 1 << level),
            Step::Leave(level) => self.change(me, |bits| bits & !(1 << level)),
            Step::Run(length) => self.pass(ns(length)),
            Step::Sleep(length) => {
                let until = self.now + ns(length);
                assert!(
                    self.core
                        .sleep_until(CPU, until, self.now)
                        .unwrap()
                        .is_pending()
                );
            }
            Step::Yield => self.core.yield_now(CPU, self.now).unwrap(),
            Step::Lock => {
                let mutex = MutexId::at(self.mutex);
                let locked = self.core.lock(CPU, mutex, Time::NEVER, self.now);
                assert!(locked.is_ok() || locked == Err(Error::Deadlock));
            }
            Step::Unlock => {
                let mutex = MutexId::at(self.mutex);
                let unlocked = self.core.unlock(CPU, mutex, self.now);
                assert!(unlocked.is_ok() || unlocked == Err(Error::NotOwner));
            }
        }
        self.settle();
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..4_u8).prop_map(Step::Enter),
        3 => (0..4_u8).prop_map(Step::Leave),
        2 => (1..9_u64).prop_map(Step::Sleep),
        1 => Just(Step::Yield),
        3 => (1..7_u64).prop_map(Step::Run),
        1 => Just(Step::Lock),
        1 => Just(Step::Unlock),
    ]
}

/// Does the same steps where ceilings are applied lazily, and where each change is a call.
fn compare<P: Policy<Params = Priority>>(
    policy: impl Fn() -> P,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let (mut lazy, mut calls) = (Kernel::new(policy(), false), Kernel::new(policy(), true));
    for &step in steps {
        lazy.step(step);
        calls.step(step);
        prop_assert_eq!(
            lazy.running(),
            calls.running(),
            "{:?} at {:?}",
            step,
            lazy.now
        );
    }
    prop_assert_eq!(lazy.core.trace(), calls.core.trace());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 2_000 }))]

    #[test]
    fn lazy_and_eager_ceilings_give_the_same_schedule(
        steps in proptest::collection::vec(step(), if cfg!(miri) { 20 } else { 120 })
    ) {
        compare(round_robin, &steps)?;
        compare(fixed, &steps)?;
    }
}

/// The policy is told of a ceiling when its thread stops, and not before.
#[test]
fn a_ceiling_is_applied_only_where_it_matters() {
    let mut kernel = Kernel::new(round_robin(), false);
    kernel.pass(ns(7));
    let me = kernel.running().unwrap();
    kernel.step(Step::Enter(3));
    kernel.step(Step::Run(1));
    assert!(!kernel.noted[me].are_applied());
    kernel.step(Step::Leave(3));
    kernel.step(Step::Enter(3));
    kernel.step(Step::Sleep(3));
    assert!(kernel.noted[me].are_applied());
}

/// A new thread in the row of one that ended with a ceiling has none.
#[test]
fn a_new_thread_has_no_ceiling() {
    let mut kernel = Kernel::new(round_robin(), false);
    kernel.pass(ns(7));
    let me = kernel.running().unwrap();
    kernel.step(Step::Enter(3));
    kernel.core.exit(CPU, kernel.now).unwrap();
    kernel.settle();
    let spawned = kernel
        .core
        .spawn(CPU, Attributes::THREAD, Priority(0), kernel.now);
    assert_eq!(spawned.unwrap().task().index(), me);
    kernel.settle();
    assert_eq!(
        kernel.running(),
        Some(1),
        "by its own priority it is the last"
    );
}
