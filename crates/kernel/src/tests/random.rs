//! Random sequences of events. After each, everything that must always hold is checked.
//!
//! Together the tests here drive the core through more than a million events: 400 cases of 1,000
//! steps on average, each under three policies, and a step is at least one call.

use super::world::{CPU, Edf, Fixed, ROWS, Turns, World, at, ns};
use crate::{
    Attributes, ConditionId, Error, MutexId, OnMiss, Protocol, QueueId, Release, SemaphoreId,
    ThreadId, Timing,
};
use core::task::Poll;
use flyball_policy::{Deadline, EarliestDeadline, FixedPriority, Policy, Priority, Sliced};
use flyball_trace::{Duration, Time};
use proptest::prelude::*;

/// One thing that happens. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    Pass(u64),
    Spawn {
        release: u8,
        gap: u64,
        deadline: u64,
        on_miss: u8,
        params: u8,
    },
    Adjust(u8, u8),
    WaitNext,
    Exit,
    Yield,
    Sleep(u64),
    Join(u8, Patience),
    Lock(u8, Patience),
    Unlock(u8),
    Wait(u8, Patience),
    Signal(u8),
    WaitCondition(u8, u8, Patience),
    SignalCondition(u8),
    Broadcast(u8),
    Send(u8, Patience),
    Receive(u8, Patience),
    Post(u8),
    Release(u8),
    /// The kernel itself takes time.
    Overhead(u64),
}

/// How long someone is ready to wait.
#[derive(Clone, Copy, Debug)]
enum Patience {
    None,
    Some(u64),
    Endless,
}

fn patience() -> impl Strategy<Value = Patience> {
    prop_oneof![
        1 => Just(Patience::None),
        1 => (1u64..60).prop_map(Patience::Some),
        3 => Just(Patience::Endless),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        8 => (0u64..20).prop_map(Step::Pass),
        3 => (n(), 1u64..60, 1u64..90, n(), n()).prop_map(|(release, gap, deadline, on_miss, params)|
            Step::Spawn { release, gap, deadline, on_miss, params }),
        1 => (n(), n()).prop_map(|(thread, params)| Step::Adjust(thread, params)),
        4 => Just(Step::WaitNext),
        1 => Just(Step::Exit),
        1 => Just(Step::Yield),
        1 => (0u64..40).prop_map(Step::Sleep),
        1 => (n(), patience()).prop_map(|(n, p)| Step::Join(n, p)),
        5 => (n(), patience()).prop_map(|(n, p)| Step::Lock(n, p)),
        4 => n().prop_map(Step::Unlock),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Wait(n, p)),
        3 => n().prop_map(Step::Signal),
        3 => (n(), n(), patience()).prop_map(|(c, m, p)| Step::WaitCondition(c, m, p)),
        2 => n().prop_map(Step::SignalCondition),
        1 => n().prop_map(Step::Broadcast),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Send(n, p)),
        3 => (n(), patience()).prop_map(|(n, p)| Step::Receive(n, p)),
        1 => n().prop_map(Step::Post),
        2 => n().prop_map(Step::Release),
        1 => (0u64..5).prop_map(Step::Overhead),
    ]
}

/// What the test knows besides the core: handles, and books that have to balance.
struct Books {
    threads: Vec<ThreadId>,
    mutexes: Vec<MutexId>,
    semaphores: Vec<SemaphoreId>,
    conditions: Vec<ConditionId>,
    queues: Vec<QueueId>,
    /// CPU time of threads whose rows have been used again.
    buried: u64,
    idle: u64,
    kernel: u64,
    /// Signals given and passages made, for each semaphore.
    signals: Vec<(u64, u64)>,
    /// The next message, and the messages that were sent and not received.
    next_message: u32,
    on_their_way: Vec<u32>,
    /// Why each row's thread is away, so that its outcome can be booked when it comes back.
    away: [Away; ROWS],
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Away {
    No,
    Semaphore(usize),
    Receiving,
    Sending(u32),
    Other,
}

fn drive<P: Policy>(
    policy: P,
    timing: Timing,
    params: impl Fn(u8, Duration) -> P::Params,
    steps: &[Step],
) {
    let mut world = World::new(policy, timing);
    let core = &mut world.core;
    let protocols = [Protocol::Inherit, Protocol::None, Protocol::Inherit];
    let mut books = Books {
        threads: Vec::new(),
        mutexes: protocols
            .map(|protocol| core.mutex(protocol).unwrap())
            .to_vec(),
        semaphores: [0, 1]
            .map(|initial| core.semaphore(initial).unwrap())
            .to_vec(),
        conditions: [(); 2].map(|()| core.condition().unwrap()).to_vec(),
        queues: [1, 3]
            .map(|capacity| core.queue(capacity).unwrap())
            .to_vec(),
        buried: 0,
        idle: 0,
        kernel: 0,
        signals: vec![(0, 0), (1, 0)],
        next_message: 1,
        on_their_way: Vec::new(),
        away: [Away::No; ROWS],
    };
    for step in steps {
        world.step(step, &params, &mut books);
        world.core.audit(false);
        world.settle();
        books.come_back(&mut world);
        world.core.audit(true);
    }
    world.balance(&books);
}

impl Books {
    /// The running thread may have come back from a wait: books its outcome.
    fn come_back<P: Policy>(&mut self, world: &mut World<P>) {
        let Some(row) = world.running().map(usize::from) else {
            return;
        };
        let away = std::mem::replace(&mut self.away[row], Away::No);
        if away == Away::No {
            return;
        }
        match (away, world.core.outcome(CPU)) {
            (Away::Semaphore(n), Ok(_)) => self.signals[n].1 += 1,
            (Away::Receiving, Ok(message)) => self.receive(message),
            (Away::Sending(message), Err(Error::TimedOut)) => {
                self.on_their_way.retain(|&other| other != message);
            }
            (_, Ok(_) | Err(Error::TimedOut)) => {}
            (_, Err(error)) => panic!("{error}"),
        }
    }

    fn receive(&mut self, message: u32) {
        let at = self.on_their_way.iter().position(|&other| other == message);
        self.on_their_way
            .remove(at.unwrap_or_else(|| panic!("message {message} came twice")));
    }

    fn message(&mut self) -> u32 {
        self.next_message += 1;
        self.next_message - 1
    }
}

impl<P: Policy> World<P> {
    fn until(&self, patience: Patience) -> Time {
        match patience {
            Patience::None => self.now,
            Patience::Some(time) => self.now + ns(time),
            Patience::Endless => Time::NEVER,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind of step")]
    fn step(
        &mut self,
        step: &Step,
        params: &impl Fn(u8, Duration) -> P::Params,
        books: &mut Books,
    ) {
        let now = self.now;
        let runner = self.running().map(usize::from);
        let pick = |n: u8, of: usize| usize::from(n) % of;
        let away = |books: &mut Books, why: Away| books.away[runner.unwrap()] = why;
        match *step {
            Step::Pass(time) => self.pass(now + ns(time), books),
            Step::Overhead(time) => {
                self.core.enter(CPU, now);
                self.now += ns(time);
                books.kernel += time;
                self.core.timer(CPU, self.now);
            }
            Step::Spawn {
                release,
                gap,
                deadline,
                on_miss,
                params: p,
            } => {
                let release = match release % 3 {
                    0 => Release::Once,
                    1 => Release::Periodic { period: ns(gap) },
                    _ => Release::Sporadic {
                        separation: ns(gap),
                    },
                };
                let on_miss = [OnMiss::Continue, OnMiss::Skip, OnMiss::Abort][pick(on_miss, 3)];
                let deadline = ns(deadline);
                let attributes = Attributes {
                    release,
                    start: now + ns(gap % 7),
                    deadline: Some(deadline),
                    on_miss,
                };
                match self.core.spawn(CPU, attributes, params(p, deadline), now) {
                    Ok(thread) => {
                        books.away[thread.task().index()] = Away::No;
                        books.threads.push(thread);
                    }
                    Err(error) => assert_eq!(error, Error::Full),
                }
            }
            Step::Adjust(n, p) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    let params = params(p, ns(u64::from(p) + 1));
                    let adjusted = self.core.adjust(CPU, thread, params, now);
                    assert!(matches!(adjusted, Ok(()) | Err(Error::Dead)));
                }
            }
            Step::WaitNext => {
                self.ends_in(runner, |world| world.core.wait_next(CPU, now).map(drop));
            }
            Step::Exit => {
                if let Some(row) = runner {
                    books.buried += self
                        .core
                        .cpu_time(self.core.running(CPU).unwrap(), now)
                        .unwrap()
                        .as_nanos();
                    self.core.exit(CPU, now).unwrap();
                    // The row's count starts at zero again for its next thread; it is in the books.
                    self.core.threads[row].used = Duration::ZERO;
                }
            }
            Step::Yield => self.ends_in(runner, |world| world.core.yield_now(CPU, now)),
            Step::Sleep(time) => {
                let slept = self.core.sleep_until(CPU, now + ns(time), now);
                if slept == Ok(Poll::Pending) {
                    away(books, Away::Other);
                }
            }
            Step::Join(n, patience) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    let joined = self.core.join(CPU, thread, self.until(patience), now);
                    if joined == Ok(Poll::Pending) {
                        away(books, Away::Other);
                    }
                }
            }
            Step::Lock(n, patience) => {
                let mutex = books.mutexes[pick(n, books.mutexes.len())];
                let locked = self.core.lock(CPU, mutex, self.until(patience), now);
                if locked == Ok(Poll::Pending) {
                    away(books, Away::Other);
                }
            }
            Step::Unlock(n) => {
                let mutex = books.mutexes[pick(n, books.mutexes.len())];
                let unlocked = self.core.unlock(CPU, mutex, now);
                assert!(matches!(
                    unlocked,
                    Ok(()) | Err(Error::NotOwner | Error::NoThread)
                ));
            }
            Step::Wait(n, patience) => {
                let n = pick(n, books.semaphores.len());
                match self
                    .core
                    .wait(CPU, books.semaphores[n], self.until(patience), now)
                {
                    Ok(Poll::Pending) => away(books, Away::Semaphore(n)),
                    Ok(Poll::Ready(())) => books.signals[n].1 += 1,
                    Err(error) => assert!(matches!(error, Error::TimedOut | Error::NoThread)),
                }
            }
            Step::Signal(n) => {
                let n = pick(n, books.semaphores.len());
                self.core.signal(CPU, books.semaphores[n], now).unwrap();
                books.signals[n].0 += 1;
            }
            Step::WaitCondition(c, m, patience) => {
                let condition = books.conditions[pick(c, books.conditions.len())];
                let mutex = books.mutexes[pick(m, books.mutexes.len())];
                let until = self.until(patience);
                let waited = self.core.wait_condition(CPU, condition, mutex, until, now);
                if waited == Ok(Poll::Pending) {
                    away(books, Away::Other);
                }
            }
            Step::SignalCondition(n) => {
                let condition = books.conditions[pick(n, books.conditions.len())];
                self.core.signal_condition(CPU, condition, now).unwrap();
            }
            Step::Broadcast(n) => {
                let condition = books.conditions[pick(n, books.conditions.len())];
                self.core.broadcast(CPU, condition, now).unwrap();
            }
            Step::Send(n, patience) => {
                let queue = books.queues[pick(n, books.queues.len())];
                let message = books.message();
                let sent = self
                    .core
                    .send(CPU, queue, message, self.until(patience), now);
                match sent {
                    Ok(Poll::Pending) => away(books, Away::Sending(message)),
                    Ok(Poll::Ready(())) => {}
                    Err(error) => {
                        assert!(matches!(error, Error::TimedOut | Error::NoThread));
                        return;
                    }
                }
                books.on_their_way.push(message);
            }
            Step::Post(n) => {
                let queue = books.queues[pick(n, books.queues.len())];
                let message = books.message();
                match self.core.post(CPU, queue, message, now) {
                    Ok(()) => books.on_their_way.push(message),
                    Err(error) => assert_eq!(error, Error::Full),
                }
            }
            Step::Receive(n, patience) => {
                let queue = books.queues[pick(n, books.queues.len())];
                match self.core.receive(CPU, queue, self.until(patience), now) {
                    Ok(Poll::Ready(message)) => books.receive(message),
                    Ok(Poll::Pending) => away(books, Away::Receiving),
                    Err(error) => assert!(matches!(error, Error::TimedOut | Error::NoThread)),
                }
            }
            Step::Release(n) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    let released = self.core.release(CPU, thread, now);
                    assert!(matches!(
                        released,
                        Ok(()) | Err(Error::NotSporadic | Error::Dead | Error::Full)
                    ));
                }
            }
        }
        books.aborted(self);
    }

    /// A call that works exactly if a thread runs.
    fn ends_in(
        &mut self,
        runner: Option<usize>,
        call: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) {
        let result = call(self);
        let expected = if runner.is_some() {
            Ok(())
        } else {
            Err(Error::NoThread)
        };
        assert_eq!(result, expected);
    }

    fn pass(&mut self, until: Time, books: &mut Books) {
        while self.core.next_timer(CPU) <= until {
            self.go(self.core.next_timer(CPU).max(self.now), books);
            self.core.timer(CPU, self.now);
            self.core.audit(false);
            books.aborted(self);
            self.settle();
            books.come_back(self);
            self.core.audit(true);
        }
        self.go(until, books);
    }

    fn go(&mut self, to: Time, books: &mut Books) {
        if self.running().is_none() {
            books.idle += to.since(self.now).as_nanos();
        }
        self.now = to;
    }

    /// What has to hold when all is over.
    fn balance(&mut self, books: &Books) {
        let now = self.now;
        self.core.enter(CPU, now);
        let used = self.core.used_by_all() + books.buried;
        let idle = self.core.idle_time(CPU).as_nanos();
        let kernel = self.core.kernel_time(CPU).as_nanos();
        assert_eq!((idle, kernel), (books.idle, books.kernel));
        assert_eq!(
            used + idle + kernel,
            now.as_nanos(),
            "CPU time is lost or made up"
        );
        let times = self
            .core
            .trace()
            .windows(2)
            .all(|pair| pair[0].time <= pair[1].time);
        assert!(times, "the trace goes back in time");
        for (n, &(signals, passed)) in books.signals.iter().enumerate() {
            let count = u64::from(self.core.semaphores.rows[n].count);
            // Threads that were woken and have not run since are not booked yet.
            let waking = (0..ROWS).filter(|&row| {
                books.away[row] == Away::Semaphore(n)
                    && self.core.threads[row].state == crate::thread::State::Ready
                    && !self.core.threads[row].timed_out
            });
            let lost = signals - passed - count - waking.count() as u64;
            assert_eq!(
                lost, 0,
                "semaphore {n}: {signals} signals, {passed} passed, {count} left"
            );
        }
    }
}

impl Books {
    /// Jobs that have been given up never come back from their waits, and their threads may be gone.
    fn aborted<P: Policy>(&mut self, world: &mut World<P>) {
        for row in 0..ROWS {
            let thread = &mut world.core.threads[row];
            let gone = thread.state == crate::thread::State::Absent;
            if gone {
                self.buried += std::mem::take(&mut thread.used).as_nanos();
            }
            if gone || thread.restart {
                match std::mem::replace(&mut self.away[row], Away::No) {
                    // It may have been woken before it was given up: the passage was made.
                    Away::Semaphore(n) => self.settle_semaphore(world, n),
                    Away::Sending(_) | Away::Receiving => self.settle_messages(world),
                    Away::No | Away::Other => {}
                }
            }
        }
    }

    /// Counts the passages of `n` anew from what the semaphore says, after one that cannot be
    /// observed.
    fn settle_semaphore<P: Policy>(&mut self, world: &World<P>, n: usize) {
        let count = u64::from(world.core.semaphores.rows[n].count);
        let waking = (0..ROWS).filter(|&row| {
            self.away[row] == Away::Semaphore(n)
                && world.core.threads[row].state == crate::thread::State::Ready
                && !world.core.threads[row].timed_out
        });
        self.signals[n].1 = self.signals[n].0 - count - waking.count() as u64;
    }

    /// A message may have gone down with the job that sent or received it; only those that are in a
    /// queue or with a living thread are still on their way.
    fn settle_messages<P: Policy>(&mut self, world: &World<P>) {
        let mut alive: Vec<u32> = world.core.threads_messages();
        alive.extend(world.core.queued_messages());
        self.on_their_way.retain(|message| alive.contains(message));
    }
}

/// A kernel for every kind of policy, driven by the same steps.
fn drive_all(timing: Timing, quantum: u64, steps: &[Step]) {
    let fixed = Fixed::new(FixedPriority, ROWS);
    drive(fixed, timing, |p, _| Priority(p % 5), steps);
    let order = Sliced {
        order: FixedPriority,
        quantum: ns(quantum),
    };
    let turns = Turns::new(order, ROWS);
    drive(turns, timing, |p, _| Priority(p % 3), steps);
    let edf = Edf::new(EarliestDeadline, ROWS);
    drive(edf, timing, |_, deadline| Deadline(deadline), steps);
}

fn timing() -> impl Strategy<Value = Timing> {
    prop_oneof![
        2 => Just(Timing::Tickless),
        1 => (1u64..20).prop_map(|tick| Timing::Tick(ns(tick))),
    ]
}

// Making the values alone takes minutes under Miri, which has `a_walk` instead.
#[cfg(not(miri))]
proptest! {
    // 400 cases × 1,000 steps on average × 3 policies.
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_all_stays_in_order(
        timing in timing(),
        quantum in 1u64..30,
        steps in proptest::collection::vec(step(), 0..2_000),
    ) {
        drive_all(timing, quantum, &steps);
    }
}

/// The same with steps from a few lines of arithmetic.
#[test]
fn a_walk() {
    let mut state: u64 = 1;
    let mut below = |n: u64| {
        // Knuth's multiplier; the high bits are the random ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    let length = if cfg!(miri) { 100 } else { 30_000 };
    for timing in [Timing::Tickless, Timing::Tick(ns(7))] {
        let steps: Vec<Step> = (0..length).map(|_| any_step(&mut below)).collect();
        drive_all(timing, 5, &steps);
    }
}

/// One of the steps that [`step`] makes.
fn any_step(below: &mut impl FnMut(u64) -> u64) -> Step {
    let mut small = |n| u8::try_from(below(n)).unwrap_or(0);
    let kind = small(48);
    let (a, b) = (small(256), small(256));
    let patience = match small(5) {
        0 => Patience::None,
        1 => Patience::Some(1 + below(59)),
        _ => Patience::Endless,
    };
    match kind {
        0..9 => Step::Pass(below(20)),
        9..12 => Step::Spawn {
            release: a,
            gap: 1 + below(59),
            deadline: 1 + below(89),
            on_miss: b,
            params: a ^ b,
        },
        12 => Step::Adjust(a, b),
        13..17 => Step::WaitNext,
        17 => Step::Exit,
        18 => Step::Yield,
        19 => Step::Sleep(below(40)),
        20 => Step::Join(a, patience),
        21..26 => Step::Lock(a, patience),
        26..30 => Step::Unlock(a),
        30..33 => Step::Wait(a, patience),
        33..36 => Step::Signal(a),
        36..39 => Step::WaitCondition(a, b, patience),
        39 => Step::SignalCondition(a),
        40 => Step::Broadcast(a),
        41..43 => Step::Send(a, patience),
        43..45 => Step::Receive(a, patience),
        45 => Step::Post(a),
        46 => Step::Release(a),
        _ => Step::Overhead(below(5)),
    }
}

#[test]
fn nothing_happens_in_an_empty_world() {
    drive(
        Fixed::new(FixedPriority, ROWS),
        Timing::Tickless,
        |p, _| Priority(p),
        &[],
    );
    let mut world = super::world::fixed();
    world.run_until(at(5));
    assert_eq!(world.running(), None);
}
