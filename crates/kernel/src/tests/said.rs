//! Ceilings that threads say in memory: the same schedule as where each change is a call.

use super::world::{CPU, TestObjects, at, ns};
use crate::{
    Attributes, Ceilings, Config, Core, Entry, Error, InMemory, MutexId, Protocol, Sizes, Timing,
};
use flyball_policy::order::Level;
use flyball_policy::{Bitmap, FixedPriority, Inline, Nothing, Priority, Ranked, RoundRobin};
use flyball_trace::{Duration, Event, Time};
use proptest::prelude::*;

const THREADS: usize = 4;

/// Bit n stands for priority n. Equals take turns.
struct Says;

impl Config for Says {
    type Policy = Ranked<RoundRobin<FixedPriority>, Bitmap<Level, Inline<THREADS>, 1>>;
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
    const SAYS_CEILINGS: bool = true;

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

struct Kernel {
    core: Core<Says>,
    now: Time,
    mutex: crate::At,
    said: [&'static Ceilings; THREADS],
    /// Each change is followed by a call.
    calls: bool,
}

impl Kernel {
    fn new(calls: bool) -> Kernel {
        // All that there are, so that Miri finds none lost.
        static SAID: std::sync::Mutex<Vec<&Ceilings>> = std::sync::Mutex::new(Vec::new());
        let order = RoundRobin {
            order: FixedPriority,
            quantum: ns(5),
        };
        let policy = Ranked::new(order, THREADS);
        let said = [(); THREADS].map(|()| {
            let said: &'static Ceilings = Box::leak(Box::new(Ceilings::new()));
            SAID.lock().unwrap().push(said);
            said
        });
        let mut kernel = Kernel {
            core: Core::new(policy, Vec::new(), Timing::Tickless, &Sizes::FIXED),
            now: Time::ZERO,
            mutex: TestObjects::mutex(&mut { InMemory }, 0, Protocol::Inherit),
            said,
            calls,
        };
        for priority in [3, 2, 2, 1] {
            let attributes = Attributes::THREAD;
            let spawned = kernel
                .core
                .spawn(CPU, attributes, Priority(priority), at(0));
            spawned.unwrap();
        }
        // Each says where it is going to say so, and sleeps.
        kernel.settle();
        for _ in 0..THREADS {
            let me = kernel.running().unwrap();
            kernel.core.watch(CPU, kernel.said[me]).unwrap();
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

    fn say(&mut self, me: usize, change: impl FnOnce(u32) -> u32) {
        let bits = change(self.said[me].bits());
        let ends = bits < self.said[me].bits();
        self.said[me].set(bits);
        if self.calls || ends && self.said[me].are_told() {
            self.core.heed(CPU, self.now);
            self.settle();
        }
    }

    fn step(&mut self, step: Step) {
        let Some(me) = self.running() else {
            return self.pass(ns(1));
        };
        match step {
            Step::Enter(level) => self.say(me, |bits| bits | 1 << level),
            Step::Leave(level) => self.say(me, |bits| bits & !(1 << level)),
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 2_000 }))]

    #[test]
    fn what_is_said_counts_as_what_is_called(
        steps in proptest::collection::vec(step(), if cfg!(miri) { 20 } else { 120 })
    ) {
        let (mut says, mut calls) = (Kernel::new(false), Kernel::new(true));
        for step in steps {
            says.step(step);
            calls.step(step);
            prop_assert_eq!(says.running(), calls.running(), "{:?} at {:?}", step, says.now);
        }
        prop_assert_eq!(says.core.trace(), calls.core.trace());
    }
}

/// The policy hears of a ceiling only where it matters.
#[test]
fn most_ceilings_are_never_told() {
    let mut kernel = Kernel::new(false);
    kernel.pass(ns(7));
    let me = kernel.running().unwrap();
    kernel.step(Step::Enter(3));
    kernel.step(Step::Run(1));
    assert!(!kernel.said[me].are_told());
    kernel.step(Step::Leave(3));
    kernel.step(Step::Enter(3));
    kernel.step(Step::Sleep(3));
    assert!(kernel.said[me].are_told());
}

/// Who ends says nothing any more, and its row has no ceiling.
#[test]
fn a_new_thread_has_said_nothing() {
    let mut kernel = Kernel::new(false);
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
