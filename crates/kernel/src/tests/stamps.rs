//! A counter that wraps every 256 ticks, and a timer that is set again only where it must be.
//!
//! The same machine counts CPU time by two clocks: one that never wraps, and one whose wraps fall on
//! whatever instant the test likes. And two machines run the same threads: one asks at each instant
//! when the timer has to fire next, and one believes what it was last told.

use super::contract::Watched;
use super::world::{CPU, ROWS, RoundRobinFixed, Table, ns};
use crate::{
    Attributes, Clock, Config, Core, Entry, Numbered, SemaphoreId, Sizes, Stamp, ThreadId, Timing,
};
use core::cell::Cell;
use core::marker::PhantomData;
use flyball_policy::{Duration, FixedPriority, Inline, Nothing, Priority, RoundRobin, Time};
use flyball_trace::NoTrace;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// What eight bits can tell of an instant.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Narrow(u8);

impl Stamp for Narrow {
    const OF_TIME: Option<fn(Time) -> Narrow> = None;

    fn ticks_since(self, earlier: Narrow) -> u64 {
        self.0.wrapping_sub(earlier.0).into()
    }

    fn length(ticks: u64) -> Duration {
        Duration::from_nanos(ticks)
    }
}

/// A counter that shows `offset` when the kernel starts.
#[derive(Clone, Copy)]
struct Counter {
    now: Time,
    offset: u8,
}

impl Clock<Narrow> for Counter {
    fn stamp(&mut self) -> Narrow {
        Narrow(self.now.as_nanos().to_le_bytes()[0].wrapping_add(self.offset))
    }

    fn time(&mut self, stamp: Narrow) -> Time {
        let now: Narrow = self.stamp();
        self.now - ns(now.ticks_since(stamp))
    }
}

/// As the machine's counter, but it does not wrap.
impl Clock<Time> for Counter {
    fn stamp(&mut self) -> Time {
        self.now
    }

    fn time(&mut self, stamp: Time) -> Time {
        stamp
    }
}

struct Counts<S>(PhantomData<S>);

impl<S: Stamp> Config for Counts<S> {
    type Policy = Watched<RoundRobinFixed>;
    type Trace = NoTrace;
    type Message = ();
    type Stamp = S;
    type Cpus = Inline<1>;
    type Threads = Table;
    type Objects = Numbered<Inline<1>, Inline<4>, Inline<1>>;
    type Owned = Nothing;
    type Ceilings = Nothing;
    type Queues = Inline<1>;
    type Messages = Inline<1>;
    type Jobs = Table;
    type Arrivals = Inline<1>;
    type Accounts = Table;
    type Counts = Nothing;
    type Budgets = Nothing;
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Wait(u16, u64),
    Signal(u16),
    Yield,
}

/// A step; how long it takes, and how long the thread goes on afterwards.
type Timed = (Step, u8, u8);

fn steps(costs: u8) -> impl Strategy<Value = Vec<Timed>> {
    let object = || 0..4_u16;
    let step = prop_oneof![
        (object(), 1_u64..400).prop_map(|(n, time)| Step::Wait(n, time)),
        object().prop_map(Step::Signal),
        Just(Step::Yield),
    ];
    prop::collection::vec((step, 0..costs, 0..190_u8), 1..200)
}

/// A machine whose kernel entries take time.
struct Machine<S: Stamp> {
    core: Core<Counts<S>>,
    clock: Counter,
    threads: Vec<ThreadId>,
    /// What the timer is set to.
    timer: Time,
    /// Whether the kernel is asked after each entry, instead of believing what it told.
    asks: bool,
    /// How often the timer was set.
    settings: u32,
    /// How often the kernel was entered.
    entries: u64,
}

impl<S: Stamp> Machine<S>
where
    Counter: Clock<S>,
{
    /// The first two threads have the same priority, and the others one each.
    fn new(quantum: u64, offset: u8, asks: bool) -> Self {
        let order = RoundRobin {
            order: FixedPriority,
            quantum: ns(quantum),
        };
        let policy = Watched::new(RoundRobinFixed::new(order, ROWS));
        let mut clock = Counter {
            now: Time::ZERO,
            offset,
        };
        let mut core = Core::new(policy, NoTrace, Timing::Tickless, &Sizes::FIXED);
        core.start_clock(clock.stamp());
        let threads = [1, 1, 2, 3].map(|priority| {
            core.semaphore(0).unwrap();
            let thread = core.spawn(CPU, Attributes::THREAD, Priority(priority), Time::ZERO);
            thread.unwrap()
        });
        let mut machine = Machine {
            core,
            clock,
            threads: threads.to_vec(),
            timer: Time::NEVER,
            asks,
            settings: 0,
            entries: 0,
        };
        machine.enter(0, |core, now| {
            core.timer(CPU, now);
        });
        machine
    }

    fn enter(&mut self, cost: u8, f: impl FnOnce(&mut Core<Counts<S>>, Time)) {
        self.entries += 1;
        let entry = Entry::begin(&mut self.core, CPU, true, &mut self.clock);
        assert_eq!(entry.now(), self.clock.now);
        f(&mut self.core, entry.now());
        self.clock.now += ns(cost.into());
        let next = entry.end(&mut self.core, &mut self.clock);
        if next.rest.is_needed(&self.core)
            && let Some(at) = next.rest.take(&mut self.core, &mut self.clock).timer
        {
            self.timer = at;
            self.settings += 1;
        }
        let exact = self.core.timer_at(CPU, &mut self.clock);
        if self.asks {
            self.timer = exact;
        }
        assert!(self.timer <= exact, "the timer is never late");
    }

    /// Time passes.
    fn pass(&mut self, time: u8) {
        let end = self.clock.now + ns(time.into());
        while self.timer <= end {
            self.clock.now = self.timer.max(self.clock.now);
            self.timer = Time::NEVER;
            self.enter(0, |core, now| {
                core.timer(CPU, now);
            });
        }
        self.clock.now = end;
    }

    /// Does the steps; tells after each who runs, and what CPU time everybody has had.
    fn run(&mut self, steps: &[Timed]) -> Vec<(Option<ThreadId>, Vec<Duration>)> {
        let after = |&(step, cost, passes): &Timed| {
            self.enter(cost, |core, now| {
                // Nobody can wait where nobody runs.
                let _ = match step {
                    Step::Wait(n, time) => core
                        .wait(CPU, SemaphoreId::from_number(n), now + ns(time), now)
                        .map(drop),
                    Step::Signal(n) => core.signal(CPU, SemaphoreId::from_number(n), now),
                    Step::Yield => core.yield_now(CPU, now),
                };
            });
            self.pass(passes);
            self.enter(0, |_, _| ());
            let now = self.clock.now;
            let used = |&thread: &ThreadId| self.core.cpu_time(thread, now).unwrap();
            let mut times: Vec<Duration> = self.threads.iter().map(used).collect();
            times.extend([self.core.idle_time(CPU), self.core.kernel_time(CPU)]);
            let all = times.iter().fold(Duration::ZERO, |sum, &time| sum + time);
            assert_eq!(all, now.since(Time::ZERO), "somebody has each instant");
            (self.core.running(CPU), times)
        };
        steps.iter().map(after).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 2000 }))]

    #[test]
    fn the_timer_is_set_where_it_must_be(steps in steps(1), quantum in 1_u64..500) {
        let told = Machine::<Time>::new(quantum, 0, false).run(&steps);
        prop_assert_eq!(told, Machine::<Time>::new(quantum, 0, true).run(&steps));
    }
}

/// In 2,000 runs; with `SOAK` in ten million kernel entries.
#[test]
fn wraps_change_nothing() {
    let least = std::env::var("SOAK").map_or(0, |_| 10_000_000);
    let (runs, entries) = (Cell::new(0_u32), Cell::new(0_u64));
    let cases = if cfg!(miri) { 1 } else { 1_000 };
    while runs.get() < 2 * cases || entries.get() < least {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
        let strategy = (steps(60), 1_u64..500, any::<u8>());
        let checked = runner.run(&strategy, |(steps, quantum, offset)| {
            let mut narrow = Machine::<Narrow>::new(quantum, offset, false);
            let mut wide = Machine::<Time>::new(quantum, 0, false);
            prop_assert_eq!(narrow.run(&steps), wide.run(&steps));
            runs.set(runs.get() + 1);
            entries.set(entries.get() + narrow.entries);
            Ok(())
        });
        checked.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn to_yield_sets_no_timer() {
    let mut machine = Machine::<Narrow>::new(10_000, 0, false);
    machine.run(&[(Step::Yield, 3, 7); 3]);
    let before = machine.settings;
    machine.run(&vec![(Step::Yield, 3, 7); 900]);
    assert_eq!(machine.settings, before);
    machine.run(&vec![(Step::Yield, 3, 7); 200]);
    assert_eq!(machine.settings, before + 1, "it has fired");
}
