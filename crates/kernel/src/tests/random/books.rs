//! Books that have to balance.

use super::super::world::{CPU, ROWS, TestObjects, World};
use super::halves::Way;
use crate::thread::{Outcome, State};
use crate::{ConditionId, Config, Core, Error, MutexId, Protocol, QueueId, SemaphoreId, ThreadId};
use flyball_policy::Policy;
use flyball_trace::{Event, Kind};

/// How many messages each queue is made for.
pub(super) const ROOM: [u16; 2] = [2, 4];

/// What the test knows besides the core: handles, and books that have to balance.
pub(super) struct Books<O: TestObjects> {
    /// How calls are made.
    pub(super) way: Way,
    pub(super) threads: Vec<ThreadId>,
    pub(super) mutexes: Vec<MutexId<O::Place>>,
    pub(super) semaphores: Vec<SemaphoreId<O::Place>>,
    pub(super) conditions: Vec<ConditionId<O::Place>>,
    pub(super) queues: Vec<QueueId>,
    /// The capacity of each queue.
    pub(super) capacities: [u16; 2],
    /// CPU time of threads whose rows have been used again.
    pub(super) buried: u64,
    pub(super) idle: u64,
    pub(super) kernel: u64,
    /// Signals given and passages made, for each semaphore.
    pub(super) signals: Vec<(u64, u64)>,
    /// The next message, and the messages that were sent and not received.
    pub(super) next_message: u32,
    pub(super) on_their_way: Vec<u32>,
    /// Why each row's thread is away, so that its outcome can be booked when it comes back.
    pub(super) away: [Away; ROWS],
    /// The semaphore that each row's misses signal.
    pub(super) alerts: [Option<usize>; ROWS],
    /// Whether each row's thread has one job only.
    pub(super) once: [bool; ROWS],
    /// Whether each row's thread does not wait when it parks next.
    pub(super) tokens: [bool; ROWS],
    /// How much of the trace has been looked through for misses.
    pub(super) read: usize,
    /// The cycles that were counted while a thread ran.
    pub(super) cycles: u64,
}

/// Why a thread is away.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Away {
    No,
    Semaphore(usize),
    Receiving,
    Sending(u32),
    Other,
}

impl<O: TestObjects> Books<O> {
    /// Nothing has happened yet in `core`; this makes the objects.
    pub(super) fn new<C: Config<Objects = O>>(core: &mut Core<C>, way: Way) -> Books<O> {
        let protocols = [Protocol::Inherit, Protocol::None, Protocol::Inherit];
        Books {
            way,
            threads: Vec::new(),
            mutexes: (0..)
                .zip(protocols)
                .map(|(n, protocol)| MutexId(core.objects.mutex(n, protocol)))
                .collect(),
            semaphores: [0, 1]
                .map(|n| SemaphoreId(core.objects.semaphore(n, u32::from(n))))
                .to_vec(),
            conditions: [0, 1]
                .map(|n| ConditionId(core.objects.condition(n)))
                .to_vec(),
            queues: ROOM.map(|room| core.queue(room).unwrap()).to_vec(),
            capacities: ROOM,
            buried: 0,
            idle: 0,
            kernel: 0,
            signals: vec![(0, 0), (1, 0)],
            next_message: 1,
            on_their_way: Vec::new(),
            away: [Away::No; ROWS],
            alerts: [None; ROWS],
            once: [false; ROWS],
            tokens: [false; ROWS],
            read: 0,
            cycles: 0,
        }
    }

    /// The running thread may have come back from a wait: books its outcome.
    pub(super) fn come_back<P: Policy, const CHECKS: bool>(
        &mut self,
        world: &mut World<P, CHECKS, O>,
    ) {
        let Some(row) = world.running().map(usize::from) else {
            return;
        };
        let away = std::mem::replace(&mut self.away[row], Away::No);
        if away == Away::No {
            return;
        }
        match (away, world.core.outcome(CPU)) {
            (Away::Semaphore(n), Ok(())) => self.signals[n].1 += 1,
            (Away::Receiving, Ok(())) => self.receive(*world.core.received(CPU).unwrap()),
            (Away::Sending(message), Err(Error::TimedOut | Error::Roused)) => {
                self.on_their_way.retain(|&other| other != message);
            }
            (_, Ok(()) | Err(Error::TimedOut | Error::Roused)) => {}
            (_, Err(error)) => panic!("{error}"),
        }
    }

    pub(super) fn receive(&mut self, message: u32) {
        let at = self.on_their_way.iter().position(|&other| other == message);
        self.on_their_way
            .remove(at.unwrap_or_else(|| panic!("message {message} came twice")));
    }

    /// A new thread. Old ones are forgotten, but for a few that are dead.
    pub(super) fn welcome<C: Config>(&mut self, core: &Core<C>, thread: ThreadId) {
        let row = thread.task().index();
        self.away[row] = Away::No;
        self.tokens[row] = false;
        self.threads.push(thread);
        if self.threads.len() > 2 * ROWS {
            let dead = |&thread: &ThreadId| core.find(thread).is_err();
            let dead = self.threads.iter().position(dead);
            self.threads.remove(dead.expect("there are fewer rows"));
        }
    }

    pub(super) fn message(&mut self) -> u32 {
        self.next_message += 1;
        self.next_message - 1
    }
}

impl<O: TestObjects> Books<O> {
    /// Jobs that have been given up never come back from their waits, and their threads may be
    /// gone.
    pub(super) fn aborted<P: Policy, const CHECKS: bool>(
        &mut self,
        world: &mut World<P, CHECKS, O>,
    ) {
        self.count_alerts(world);
        for row in 0..ROWS {
            let thread = &mut world.core.threads[row];
            let gone = thread.state == State::Absent;
            assert!(
                gone || thread.token == self.tokens[row],
                "token of row {row}"
            );
            if gone {
                self.buried += std::mem::take(&mut world.core.used[row]);
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

    /// Every miss in the trace signals the semaphore that its thread named, and a job that is given
    /// up leaves no token to the next one.
    pub(super) fn count_alerts<P: Policy, const CHECKS: bool>(
        &mut self,
        world: &mut World<P, CHECKS, O>,
    ) {
        let trace = world.core.trace();
        for event in &trace[self.read..] {
            match event.kind {
                Kind::Miss { task, .. } => {
                    if let Some(n) = self.alerts[task.index()] {
                        self.signals[n].0 += 1;
                    }
                }
                Kind::Abort { task, .. } => self.tokens[task.index()] = false,
                _ => {}
            }
        }
        self.read = trace.len();
    }

    /// Counts the passages of `n` anew from what the semaphore says, after one that cannot be
    /// observed.
    fn settle_semaphore<P: Policy, const CHECKS: bool>(
        &mut self,
        world: &World<P, CHECKS, O>,
        n: usize,
    ) {
        let count = u64::from(world.core.semaphore_value(self.semaphores[n]).unwrap());
        let waking = (0..ROWS).filter(|&row| {
            self.away[row] == Away::Semaphore(n)
                && world.core.threads[row].state == State::Ready
                && world.core.threads[row].outcome == Outcome::Done
                && !world.core.threads[row].restart
        });
        self.signals[n].1 = self.signals[n].0 - count - waking.count() as u64;
    }

    /// A message may have gone down with the job that sent or received it; only those that are in a
    /// queue or with a living thread are still on their way.
    fn settle_messages<P: Policy, const CHECKS: bool>(&mut self, world: &World<P, CHECKS, O>) {
        let mut alive: Vec<u32> = world.core.threads_messages();
        alive.extend(world.core.queued_messages());
        self.on_their_way.retain(|message| alive.contains(message));
    }
}

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    /// The running thread ends, if there is any.
    pub(super) fn exit(&mut self, books: &mut Books<O>) {
        if books.way.mild && self.owns_any(books) {
            // Mutexes in memory would stay locked.
            for mutex in books.mutexes.clone() {
                let _ = self.unlock(books.way, mutex);
            }
        } else if let Some(thread) = self.core.running(CPU) {
            let used = self.core.cpu_time(thread, self.now).unwrap();
            books.buried += used.as_nanos();
            self.core.exit(CPU, self.now).unwrap();
            // The row's count starts at zero again for its next thread; it is in the books.
            self.core.used[thread.task().index()] = 0;
        }
    }

    /// What has to hold when all is over.
    pub(super) fn balance(&mut self, books: &Books<O>) {
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
        if P::WANTS.counts {
            let told = self.core.policy.cycles + self.core.cycles_to_tell();
            // A thread may have ended with its job while another one ran.
            let aborts = |event: &Event| matches!(event.kind, Kind::Abort { .. });
            let may_miss = self.core.trace().iter().any(aborts);
            assert!(told <= books.cycles && (told == books.cycles || may_miss));
        }
        let times = self
            .core
            .trace()
            .windows(2)
            .all(|pair| pair[0].time <= pair[1].time);
        assert!(times, "the trace goes back in time");
        for (n, &(signals, passed)) in books.signals.iter().enumerate() {
            let count = u64::from(self.core.semaphore_value(books.semaphores[n]).unwrap());
            // Threads that were woken and have not run since are not booked yet.
            let waking = (0..ROWS).filter(|&row| {
                books.away[row] == Away::Semaphore(n)
                    && self.core.threads[row].state == State::Ready
                    && self.core.threads[row].outcome == Outcome::Done
            });
            let lost = signals - passed - count - waking.count() as u64;
            assert_eq!(
                lost, 0,
                "semaphore {n}: {signals} signals, {passed} passed, {count} left"
            );
        }
    }
}
