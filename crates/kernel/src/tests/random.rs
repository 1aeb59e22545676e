//! Random sequences of events. After each, everything that must always hold is checked.
//!
//! Together the tests here drive the core through more than a million events: 400 cases of 1,000
//! steps on average, each under five policies, and a step is at least one call.

use super::contract::Watched;
use super::informed::Informed;
use super::world::{CPU, Edf, Fixed, ROWS, RoundRobinFixed, Table, TestObjects, World, at, ns};
use crate::{Attributes, Error, InMemory, OnMiss, Release, Timing};
use core::task::Poll;
use flyball_policy::servers::{ConstantBandwidth, Inheriting, Reservation, Seat, Servers};
use flyball_policy::{
    Counts, Deadline, EarliestDeadline, FixedPriority, Policy, Priority, RoundRobin,
};
use flyball_trace::{Duration, Event, Kind, Time};
#[cfg(not(miri))]
use proptest::prelude::*;

mod books;
mod halves;
mod patience;
mod resizing;
mod steps;

use books::{Away, Books};
use halves::{MILD, OTHERS, WHOLE, WILD, WORDS, Way};
#[cfg(not(miri))]
use steps::step;
use steps::{Step, any_step};

/// Takes `steps`; returns the trace.
fn drive<P: Policy>(
    policy: P,
    timing: Timing,
    params: impl Fn(u8, Duration) -> P::Params,
    steps: &[Step],
    way: Way,
) -> Vec<Event> {
    match (way.checks, way.words) {
        (true, false) => World::<P, true>::new(policy, timing).drive(params, steps, way),
        (false, false) => World::<P, false>::new(policy, timing).drive(params, steps, way),
        (_, true) => World::<P, true, InMemory>::new(policy, timing).drive(params, steps, way),
    }
}

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    fn drive(
        mut self,
        params: impl Fn(u8, Duration) -> P::Params,
        steps: &[Step],
        way: Way,
    ) -> Vec<Event> {
        let mut books = Books::new(&mut self.core, way);
        // Tasks of servers run in each other's places.
        self.core.policy.ranks = !P::WANTS.alarms;
        for step in steps {
            self.step(step, &params, &mut books);
            self.core.audit_all(false);
            self.settle();
            books.come_back(&mut self);
            self.core.audit_all(true);
        }
        self.balance(&books);
        let ended = std::mem::take(&mut self.core.policy.ended);
        let trace = self.core.into_trace();
        let mut completed = trace.iter().filter_map(|event| match event.kind {
            Kind::Complete { task, .. } => Some(task),
            _ => None,
        });
        for task in ended {
            assert_eq!(completed.next(), Some(task));
        }
        assert!(!P::WANTS.results || completed.next().is_none());
        trace
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind of step")]
    fn step(
        &mut self,
        step: &Step,
        params: &impl Fn(u8, Duration) -> P::Params,
        books: &mut Books<O>,
    ) {
        let halves = books.way.halves;
        let now = self.now;
        let runner = self.running().map(usize::from);
        let pick = |n: u8, of: usize| usize::from(n) % of;
        let away = |books: &mut Books<O>, why: Away| books.away[runner.unwrap()] = why;
        if !CHECKS && runner.is_none() && step.needs_thread() {
            return;
        }
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
                alert,
                params: p,
            } => {
                let release = match release % 3 {
                    0 => Release::Once,
                    1 => Release::Periodic { period: ns(gap) },
                    _ => Release::Sporadic {
                        separation: ns(gap),
                    },
                };
                let on_miss = {
                    use OnMiss::{Abort, Continue, Latest, Skip};
                    let mild = books.way.mild;
                    let all = [Continue, Skip, Abort, Latest, Skip, Abort];
                    Some(all[pick(on_miss, 6)])
                        .filter(|&rule| !mild || rule != Abort)
                        .unwrap_or(Skip)
                };
                let deadline = ns(deadline);
                let alert = (alert % 3).checked_sub(1).map(usize::from);
                let attributes = Attributes {
                    release,
                    start: now + ns(gap % 7),
                    deadline: Some(deadline),
                    on_miss,
                    alert: alert.map(|n| books.semaphores[n]),
                };
                books.count_alerts(self);
                match self.core.spawn(CPU, attributes, params(p, deadline), now) {
                    Ok(thread) => {
                        let row = thread.task().index();
                        books.welcome(&self.core, thread);
                        books.alerts[row] = alert;
                        books.once[row] = release == Release::Once;
                    }
                    Err(error) => assert_eq!(error, Error::Full),
                }
            }
            Step::Adjust(n, p) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    let params = params(p, ns(u64::from(p) + 1));
                    let adjusted = self.core.adjust(CPU, thread, params, now);
                    // A task stays in its server.
                    let is_elsewhere =
                        P::WANTS.alarms && matches!(adjusted, Err(Error::Refused(_)));
                    assert!(is_elsewhere || matches!(adjusted, Ok(()) | Err(Error::Dead)));
                }
            }
            // So that what happens does not come to an end.
            Step::WaitNext
                if runner.is_some_and(|row| books.once[row]) && !self.may_wait_in_vain(books) =>
            {
                self.exit(books);
            }
            Step::WaitNext => {
                self.ends_in(runner, |world| {
                    world.core.wait_next_with(CPU, 5, now).map(drop)
                });
            }
            Step::Exit => self.exit(books),
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
                    let joined =
                        self.core
                            .join(CPU, thread, self.until_helped(patience, books), now);
                    if joined == Ok(Poll::Pending) {
                        away(books, Away::Other);
                    }
                }
            }
            Step::Lock(n, patience) => {
                let mutex = books.mutexes[pick(n, books.mutexes.len())];
                let locked = self.lock(books.way, mutex, self.until(patience));
                if locked == Ok(Poll::Pending) {
                    away(books, Away::Other);
                }
            }
            Step::Unlock(n) => {
                let mutex = books.mutexes[pick(n, books.mutexes.len())];
                let unlocked = self.unlock(books.way, mutex);
                assert!(matches!(
                    unlocked,
                    Ok(()) | Err(Error::NotOwner | Error::NoThread)
                ));
            }
            Step::Wait(n, patience) => {
                let n = pick(n, books.semaphores.len());
                match self.wait(books.way, books.semaphores[n], self.until(patience)) {
                    Ok(Poll::Pending) => away(books, Away::Semaphore(n)),
                    Ok(Poll::Ready(())) => books.signals[n].1 += 1,
                    Err(error) => assert!(matches!(error, Error::TimedOut | Error::NoThread)),
                }
            }
            Step::Signal(n) => {
                let n = pick(n, books.semaphores.len());
                self.signal(books.semaphores[n]).unwrap();
                books.signals[n].0 += 1;
            }
            Step::WaitCondition(c, m, patience) => {
                let condition = books.conditions[pick(c, books.conditions.len())];
                let mutex = books.mutexes[pick(m, books.mutexes.len())];
                // Seldom, so that what happens does not come to an end.
                if c >= 8 && self.owns_another(mutex, books) {
                    return;
                }
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
                match self.send(halves, queue, message, self.until_helped(patience, books)) {
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
                let n = pick(n, books.queues.len());
                let queue = books.queues[n];
                let message = books.message();
                let has_room = self.core.queue_len(queue).unwrap() < books.capacities[n];
                match self.post(halves, queue, message) {
                    Ok(()) => books.on_their_way.push(message),
                    Err(error) => assert_eq!(error, Error::Full),
                }
                let posted = books.on_their_way.last() == Some(&message);
                assert_eq!(posted, has_room);
            }
            Step::Resize(n, capacity) => self.resize(pick(n, books.queues.len()), capacity, books),
            Step::Receive(n, patience) => {
                let queue = books.queues[pick(n, books.queues.len())];
                let oldest = self.core.messages_of(queue).first().copied();
                match self.receive(halves, queue, self.until(patience)) {
                    Ok(Poll::Ready(message)) => {
                        assert_eq!(Some(message), oldest);
                        books.receive(message);
                    }
                    Ok(Poll::Pending) => away(books, Away::Receiving),
                    Err(error) => assert!(matches!(error, Error::TimedOut | Error::NoThread)),
                }
            }
            Step::Release(n) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    let released = self.core.release(CPU, thread, now, now);
                    assert!(matches!(
                        released,
                        Ok(()) | Err(Error::NotSporadic | Error::Dead | Error::Full)
                    ));
                }
            }
            Step::Park(patience) => {
                let token = runner.is_some_and(|row| std::mem::take(&mut books.tokens[row]));
                match self.core.park(CPU, self.until(patience), now) {
                    Ok(Poll::Pending) => {
                        assert!(!token);
                        away(books, Away::Other);
                    }
                    Ok(Poll::Ready(())) => assert!(token),
                    Err(error) => {
                        assert!(!token && matches!(error, Error::TimedOut | Error::NoThread));
                    }
                }
            }
            Step::Rouse(n) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    self.rouse(thread, books);
                }
            }
            Step::Unpark(n) => {
                if !books.threads.is_empty() {
                    let thread = books.threads[pick(n, books.threads.len())];
                    self.unpark(thread, books);
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

    fn pass(&mut self, until: Time, books: &mut Books<O>) {
        while self.core.next_timer(CPU) <= until {
            self.go(self.core.next_timer(CPU).max(self.now), books);
            self.core.timer(CPU, self.now);
            self.core.audit_all(false);
            books.aborted(self);
            self.settle();
            books.come_back(self);
            self.core.audit_all(true);
        }
        self.go(until, books);
    }

    fn go(&mut self, to: Time, books: &mut Books<O>) {
        let passed = to.since(self.now).as_nanos();
        match self.running() {
            None => books.idle += passed,
            Some(_) => books.cycles += passed,
        }
        let cycles = u32::try_from(passed).unwrap();
        let counts = Counts {
            cycles,
            ..Counts::default()
        };
        self.core.count_events(CPU, &counts);
        self.now = to;
    }
}

/// Servers that inherit bandwidth, with a watch on both sides of that.
type Served = Inheriting<Watched<Servers<ConstantBandwidth, Fixed, Table>>, Table>;

/// In a server of its own, in one that it shares, or in the background.
fn seat(value: u8, deadline: Duration) -> Seat<Priority> {
    let period = deadline.max(ns(2));
    match value % 4 {
        0 => Seat::Background(Priority(value)),
        1 => Seat::Shared(1, Reservation::every(ns(20), ns(3))),
        _ => Seat::Own(Reservation::every(
            period,
            Duration::from_nanos(period.as_nanos() / 2),
        )),
    }
}

/// A kernel for every kind of policy, driven by the same steps; `others`: in these ways, too, all
/// of which have to have the same trace. Returns the traces.
fn drive_all(timing: Timing, quantum: u64, steps: &[Step], others: &[Way]) -> [Vec<Event>; 5] {
    let expected = drive_in(timing, quantum, steps, WHOLE);
    for &way in others {
        let found = drive_in(timing, quantum, steps, way);
        for (expected, found) in expected.iter().zip(&found) {
            let parts = expected.iter().zip(found).find(|(a, b)| a != b);
            assert_eq!(parts, None, "{way:?}");
            assert_eq!(found.len(), expected.len(), "{way:?}");
        }
    }
    expected
}

/// The same in one way.
fn drive_in(timing: Timing, quantum: u64, steps: &[Step], way: Way) -> [Vec<Event>; 5] {
    let fixed = Fixed::new(FixedPriority, ROWS);
    let fixed = drive(fixed, timing, |p, _| Priority(p % 5), steps, way);
    let order = RoundRobin {
        order: FixedPriority,
        quantum: ns(quantum),
    };
    let turns = RoundRobinFixed::new(order, ROWS);
    let turns = drive(turns, timing, |p, _| Priority(p % 3), steps, way);
    let edf = Edf::new(EarliestDeadline, ROWS);
    let edf = drive(edf, timing, |_, deadline| Deadline(deadline), steps, way);
    let informed = Informed::new(Fixed::new(FixedPriority, ROWS));
    let informed = drive(informed, timing, |p, _| Priority(p % 5), steps, way);
    // In halves the timer would have to be set in between.
    let way = Way {
        halves: false,
        checks: true,
        ..way
    };
    let background = Fixed::new(FixedPriority, ROWS);
    let servers = Servers::new(ConstantBandwidth::SOFT, background, ROWS);
    let served: Served = Inheriting::new(Watched::new(servers));
    let served = drive(served, timing, seat, steps, way);
    [fixed, turns, edf, informed, served]
}

#[cfg(not(miri))]
fn timing() -> impl Strategy<Value = Timing> {
    prop_oneof![
        2 => Just(Timing::Tickless),
        1 => (1u64..20).prop_map(|tick| Timing::Tick(ns(tick))),
    ]
}

// Making the values alone takes minutes under Miri, which has `a_walk` instead.
#[cfg(not(miri))]
proptest! {
    // 400 cases × 1,000 steps on average × 5 policies.
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_all_stays_in_order(
        timing in timing(),
        quantum in 1u64..30,
        steps in proptest::collection::vec(step(), 0..2_000),
        // The usual way alone in one of three cases, which is what takes the time.
        others in proptest::sample::select(vec![&[][..], &OTHERS[..1], &OTHERS[1..]]),
    ) {
        let _ = drive_all(timing, quantum, &steps, others);
        if others.is_empty() {
            words_do_what_numbers_do(timing, quantum, &steps);
        }
    }
}

/// Objects in memory, whose words threads change without the kernel where that is possible, do what those in
/// tables do, event by event; but free mutexes are locked and unlocked unseen.
fn words_do_what_numbers_do(timing: Timing, quantum: u64, steps: &[Step]) {
    let [numbers, words] = [MILD, WORDS].map(|way| {
        let traces = drive_in(timing, quantum, steps, way);
        traces.map(|trace| {
            let unseen =
                |event: &Event| matches!(event.kind, Kind::Lock { .. } | Kind::Unlock { .. });
            trace
                .into_iter()
                .filter(|event| !unseen(event))
                .collect::<Vec<_>>()
        })
    });
    assert_eq!(numbers, words);
    // Not for long, as mutexes of threads that have ended stay locked.
    drive_in(timing, quantum, &steps[..steps.len().min(300)], WILD);
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
    let length = if cfg!(miri) { 30 } else { 30_000 };
    // Miri takes its time.
    let others = if cfg!(miri) { &OTHERS[1..] } else { &OTHERS };
    for timing in [Timing::Tickless, Timing::Tick(ns(7))] {
        let steps: Vec<Step> = (0..length).map(|_| any_step(&mut below)).collect();
        words_do_what_numbers_do(timing, 5, &steps[..steps.len().min(3_000)]);
        for trace in drive_all(timing, 5, &steps, others) {
            // Something happens to the end.
            let end = trace.last().map_or(Time::ZERO, |event| event.time);
            let half = end.since(Time::ZERO) / ns(2);
            let late = |event: &&Event| {
                matches!(event.kind, Kind::Dispatch { .. }) && event.time > at(half)
            };
            let late = trace.iter().filter(late).count();
            assert!(cfg!(miri) || late >= 200, "{late} dispatches");
        }
    }
}

#[test]
fn nothing_happens_in_an_empty_world() {
    drive(
        Fixed::new(FixedPriority, ROWS),
        Timing::Tickless,
        |p, _| Priority(p),
        &[],
        WHOLE,
    );
    let mut world = super::world::fixed();
    world.run_until(at(5));
    assert_eq!(world.running(), None);
}
