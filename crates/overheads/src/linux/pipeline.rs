//! A pipeline of two Linux threads: how often does the producer find no room in the queue?
//!
//! Both threads compute the same for each message. The queue is a mutex, two condition variables and a
//! number of messages: a pipe's room is counted in pages, and this one's has to be counted in messages.
//! A thread that waits sleeps at once, and never yields: to yield costs a thread under `SCHED_DEADLINE`
//! the rest of its budget.

use super::class::Under;
use super::deadline::Refusal;
use crate::linux::Pinned;
use flyball_trace::Duration;
use std::hint::black_box;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Under which of Linux's policies both threads are, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduling {
    /// `SCHED_OTHER`, both bound to the first CPU that this process may use.
    OtherOnOneCpu,
    /// `SCHED_OTHER`, on whatever CPUs Linux puts them.
    Other,
    /// `SCHED_DEADLINE`: so much CPU time for each of them in every period. They are on one CPU if this process
    /// has only one. Otherwise they are where Linux puts them, as it binds no thread that has a deadline.
    Deadline {
        /// Linux's `runtime`: at most the period.
        budget: Duration,
        /// From 100 us to 4.19 s.
        period: Duration,
    },
}

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// How many messages the queue holds: at least one.
    pub capacity: usize,
    /// How much both threads compute for each message.
    pub work: Work,
    /// For how long the producer goes on.
    pub time: Duration,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The messages that were sent.
    pub messages: u64,
    /// How many of them found the queue full at first.
    pub stalls: u64,
}

/// A computation that takes the same number of instructions each time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    rounds: u64,
}

impl Work {
    /// A computation that takes about `length` on this processor: at least one round. Takes about eight times
    /// as long.
    pub fn of(length: Duration) -> Work {
        const PROBE: u64 = 100_000;
        let probe = Work { rounds: PROBE };
        // The shortest of some is the one that was disturbed least.
        let times = (0..8).map(|_| {
            let begin = Instant::now();
            probe.compute();
            begin.elapsed().as_nanos()
        });
        let shortest = times.min().unwrap_or(1).max(1);
        let rounds = u128::from(length.as_nanos()) * u128::from(PROBE) / shortest;
        Work {
            rounds: u64::try_from(rounds).unwrap_or(u64::MAX).max(1),
        }
    }

    fn compute(self) {
        let mut value = 1_u64;
        for round in 0..self.rounds {
            value = black_box(
                value
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(round),
            );
        }
        black_box(value);
    }
}

/// How many messages there are, and whether more may come.
#[derive(Default)]
struct Level {
    messages: usize,
    is_closed: bool,
}

struct Queue {
    capacity: usize,
    level: Mutex<Level>,
    has_room: Condvar,
    has_message: Condvar,
}

impl Queue {
    fn new(capacity: usize) -> Queue {
        Queue {
            capacity: capacity.max(1),
            level: Mutex::default(),
            has_room: Condvar::new(),
            has_message: Condvar::new(),
        }
    }

    /// A thread that panicked would leave a number that is right.
    fn level(&self) -> MutexGuard<'_, Level> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message in, and returns whether there was room at once.
    fn send(&self) -> bool {
        let level = self.level();
        let had_room = level.messages < self.capacity;
        let is_full = |level: &mut Level| level.messages == self.capacity;
        let waited = self.has_room.wait_while(level, is_full);
        let mut level = waited.unwrap_or_else(PoisonError::into_inner);
        level.messages += 1;
        drop(level);
        self.has_message.notify_one();
        had_room
    }

    /// Takes a message out, and returns whether there was one; otherwise no more come.
    fn receive(&self) -> bool {
        let is_empty = |level: &mut Level| level.messages == 0 && !level.is_closed;
        let waited = self.has_message.wait_while(self.level(), is_empty);
        let mut level = waited.unwrap_or_else(PoisonError::into_inner);
        if level.messages == 0 {
            return false;
        }
        level.messages -= 1;
        drop(level);
        self.has_room.notify_one();
        true
    }

    fn close(&self) {
        self.level().is_closed = true;
        self.has_message.notify_one();
    }
}

/// Puts the calling thread where it is to be, until what is returned is dropped.
fn under(scheduling: Scheduling) -> io::Result<(Option<Pinned>, Option<Under>)> {
    match scheduling {
        Scheduling::OtherOnOneCpu => {
            let first = super::cpus().first().copied();
            Ok((first.map(Pinned::on), None))
        }
        Scheduling::Other => Ok((None, None)),
        Scheduling::Deadline { budget, period } => {
            let [budget, period] = [budget, period].map(Duration::as_nanos);
            let under = Under::reservation(budget, period, period, false)?;
            Ok((None, Some(under)))
        }
    }
}

/// Runs the pipeline. It takes `time`, and what it takes to empty the queue. Under `SCHED_DEADLINE` it
/// takes two periods more, as Linux keeps a budget until its period is over.
///
/// # Errors
/// Why Linux does not admit one of the threads.
pub fn run(pipeline: &Pipeline, scheduling: Scheduling) -> Result<Counts, Refusal> {
    let queue = Queue::new(pipeline.capacity);
    let counts = thread::scope(|scope| {
        let (queue, work) = (&queue, pipeline.work);
        let time = std::time::Duration::from_nanos(pipeline.time.as_nanos());
        let produce = move || {
            let (begin, mut counts) = (Instant::now(), Counts::default());
            while begin.elapsed() < time {
                work.compute();
                counts.messages += 1;
                counts.stalls += u64::from(!queue.send());
            }
            queue.close();
            counts
        };
        let consume = move || {
            while queue.receive() {
                work.compute();
            }
            Counts::default()
        };
        let (admitted, answers) = channel();
        let for_consumer = admitted.clone();
        let [(begin, begun), (consumer_begin, consumer_begun)] = [channel(), channel()];
        let consumer =
            scope.spawn(move || stage(scheduling, &for_consumer, &consumer_begun, consume));
        let producer = scope.spawn(move || stage(scheduling, &admitted, &begun, produce));
        if answers.iter().take(2).all(|is_admitted| is_admitted) {
            // A thread that is gone has failed, and `join` says so.
            let _ = (consumer_begin.send(()), begin.send(()));
        }
        drop((consumer_begin, begin));
        let [producer, consumer] = [producer.join(), consumer.join()];
        let failed = || Err(Refusal::Other(0));
        let counts = producer.unwrap_or_else(|_| failed())?;
        consumer.unwrap_or_else(|_| failed())?;
        Ok(counts)
    });
    if let Scheduling::Deadline { period, .. } = scheduling {
        thread::sleep(std::time::Duration::from_nanos(period.as_nanos() * 2));
    }
    counts
}

/// A thread of the pipeline: says whether it is admitted, and begins when both are. Without a begin it does nothing.
fn stage(
    scheduling: Scheduling,
    admitted: &Sender<bool>,
    begin: &Receiver<()>,
    act: impl FnOnce() -> Counts,
) -> Result<Counts, Refusal> {
    let under = under(scheduling);
    // The caller waits for it.
    let _ = admitted.send(under.is_ok());
    let _under = under?;
    match begin.recv() {
        Ok(()) => Ok(act()),
        Err(_) => Ok(Counts::default()),
    }
}
