//! The smallest machine: one CPU, a clock that the test moves.

use super::contract::Watched;
use crate::{
    At, Attributes, Config, Core, Entry, Error, InMemory, Numbered, ObjectStore, Protocol, Sizes,
    ThreadId, Timing, about,
};
use core::marker::PhantomData;
use core::task::Poll;
use flyball_multicore::{State, Word};
use flyball_policy::order::Level;
use flyball_policy::{
    Bitmap, Deadline, EarliestDeadline, FixedPriority, Heap, Inline, Nothing, Policy, Priority,
    Ranked, RoundRobin, Storage,
};
use flyball_trace::{CpuId, Duration, Event, Time};

pub(super) const CPU: CpuId = CpuId(0);
pub(super) const ROWS: usize = 8;

pub(super) type Table = Inline<ROWS>;
pub(super) type Fixed = Ranked<FixedPriority, Bitmap<Level, Table>>;
pub(super) type RoundRobinFixed = Ranked<RoundRobin<FixedPriority>, Bitmap<Level, Table>>;
pub(super) type Edf = Ranked<EarliestDeadline, Heap<Time, Table>>;

/// Where a test's objects are.
pub(super) trait TestObjects: ObjectStore<Place: 'static> {
    type Owned: Storage;
    fn mutex(&mut self, number: u16, protocol: Protocol) -> Self::Place;
    fn semaphore(&mut self, number: u16, initial: u32) -> Self::Place;
    fn condition(&mut self, number: u16) -> Self::Place;
    /// The word that a thread may change without the kernel.
    fn word(place: Self::Place) -> Option<&'static Word>;
}

pub(super) type Numbers = Numbered<Inline<4>, Inline<4>, Inline<2>>;

impl TestObjects for Numbers {
    type Owned = Nothing;
    fn mutex(&mut self, _: u16, protocol: Protocol) -> u16 {
        self.make_mutex(protocol).unwrap()
    }
    fn semaphore(&mut self, _: u16, initial: u32) -> u16 {
        self.make_semaphore(initial).unwrap()
    }
    fn condition(&mut self, _: u16) -> u16 {
        self.make_condition().unwrap()
    }
    fn word(_: u16) -> Option<&'static Word> {
        None
    }
}

impl TestObjects for InMemory {
    type Owned = Table;
    fn mutex(&mut self, number: u16, protocol: Protocol) -> At {
        word(State::FREE, about::mutex(protocol), number)
    }
    fn semaphore(&mut self, number: u16, initial: u32) -> At {
        word(State::count(initial), 0, number)
    }
    fn condition(&mut self, number: u16) -> At {
        word(State::FREE, 0, number)
    }
    fn word(place: At) -> Option<&'static Word> {
        Some(place.word())
    }
}

/// A word that lasts, and that the trace knows by this number.
fn word(state: State, about: u32, number: u16) -> At {
    // All that there are, so that Miri finds none lost.
    static WORDS: std::sync::Mutex<Vec<&Word>> = std::sync::Mutex::new(Vec::new());
    let about = about::with_number(about, number);
    let word = Box::leak(Box::new(Word::new(state, about)));
    WORDS.lock().unwrap().push(word);
    At::new(word)
}

/// A small kernel, of one CPU and with objects in tables unless something else is said.
pub(super) struct Small<P, const CHECKS: bool = true, const CPUS: usize = 1, O = Numbers>(
    PhantomData<(P, O)>,
);

impl<P: Policy, const CHECKS: bool, const CPUS: usize, O: TestObjects> Config
    for Small<P, CHECKS, CPUS, O>
{
    type Policy = Watched<P>;
    type Trace = Vec<Event>;
    type Message = u32;
    type Stamp = Time;
    type Cpus = Inline<CPUS>;
    type Threads = Table;
    type Objects = O;
    type Owned = O::Owned;
    type Ceilings = Table;
    type Queues = Inline<2>;
    type Messages = Inline<8>;
    type Jobs = Table;
    type Arrivals = Inline<4>;
    type Accounts = Table;
    type Counts = Table;
    type Budgets = Table;
    const OVERRUNS: bool = true;
    const CHECKS: bool = CHECKS;
}

pub(super) struct World<P: Policy, const CHECKS: bool = true, O: TestObjects = Numbers> {
    pub(super) core: Core<Small<P, CHECKS, 1, O>>,
    pub(super) now: Time,
}

pub(super) fn fixed() -> World<Fixed> {
    World::new(Fixed::new(FixedPriority, ROWS), Timing::Tickless)
}

pub(super) fn edf() -> World<Edf> {
    World::new(Edf::new(EarliestDeadline, ROWS), Timing::Tickless)
}

pub(super) fn round_robin(quantum: u64) -> World<RoundRobinFixed> {
    let order = RoundRobin {
        order: FixedPriority,
        quantum: ns(quantum),
    };
    World::new(RoundRobinFixed::new(order, ROWS), Timing::Tickless)
}

pub(super) fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

pub(super) fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    pub(super) fn new(policy: P, timing: Timing) -> Self {
        World {
            core: Core::new(Watched::new(policy), Vec::new(), timing, &Sizes::FIXED),
            now: Time::ZERO,
        }
    }

    /// Decides, and lets the chosen thread run.
    pub(super) fn settle(&mut self) {
        let next = Entry::instant(CPU, self.now).end(&mut self.core, self.now);
        if next.rest.is_needed(&self.core) {
            let _ = next.rest.take(&mut self.core, self.now);
        }
        assert!(P::WANTS.alarms || self.core.is_settled(CPU));
        assert_eq!(self.core.resched(), flyball_policy::Resched::None);
    }

    /// Lets time pass until `until`; the timer fires whenever it is due.
    pub(super) fn run_until(&mut self, until: Time) {
        while self.core.next_timer(CPU) <= until {
            self.now = self.core.next_timer(CPU).max(self.now);
            self.core.timer(CPU, self.now);
            self.settle();
        }
        self.now = until;
    }

    /// The number of the running thread.
    pub(super) fn running(&self) -> Option<u16> {
        self.core.running(CPU).map(|thread| thread.task().0)
    }

    /// Checks a call that has to wait, and settles.
    pub(super) fn waits<T: PartialEq + core::fmt::Debug>(
        &mut self,
        result: &Result<Poll<T>, Error>,
    ) {
        assert_eq!(result, &Ok(Poll::Pending));
        self.settle();
    }

    /// The trace so far, a line an event, without padding.
    pub(super) fn story(&mut self) -> Vec<String> {
        let line = |event: &Event| {
            let text = event.to_string().replace("cpu0 ", "");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        self.core.trace().iter().map(line).collect()
    }
}

impl World<Fixed> {
    /// A thread with a priority that starts at once.
    pub(super) fn thread(&mut self, priority: u8) -> ThreadId {
        self.spawn(Attributes::THREAD, priority)
    }

    pub(super) fn spawn(&mut self, attributes: Attributes, priority: u8) -> ThreadId {
        let thread = self
            .core
            .spawn(CPU, attributes, Priority(priority), self.now)
            .unwrap();
        self.settle();
        thread
    }
}

impl World<Edf> {
    pub(super) fn spawn(&mut self, attributes: Attributes) -> ThreadId {
        let deadline = Deadline(attributes.deadline.unwrap_or(Duration::MAX));
        let thread = self
            .core
            .spawn(CPU, attributes, deadline, self.now)
            .unwrap();
        self.settle();
        thread
    }
}
