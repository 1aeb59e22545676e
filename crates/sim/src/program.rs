//! What a job does, step by step.
//!
//! The steps of a task are flattened into a list of operations with jumps for repetitions, so a
//! running job is a place in that list, what is left of the present computation, and a counter for
//! each repetition around it.

use flyball_model::random::Random;
use flyball_model::{Length, Step, Task};
use flyball_trace::Duration;

/// One operation. Resources are counted as in the task set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Uses the CPU.
    Compute(Length),
    /// Sleeps.
    Suspend(Length),
    /// Offers the CPU to equals.
    Yield,
    /// Locks a mutex.
    Lock(u16),
    /// Unlocks it.
    Unlock(u16),
    /// Waits for a semaphore.
    Wait(u16),
    /// Signals it.
    Signal(u16),
    /// Sends a message.
    Send(u16),
    /// Receives a message.
    Receive(u16),
    /// Sets a counter: what follows is done that often.
    Begin {
        /// Which counter.
        counter: usize,
        /// How often.
        times: u32,
    },
    /// Goes back to `to` unless the counter has run out. No counter: goes back always.
    Again {
        /// Which counter.
        counter: Option<usize>,
        /// Where the repeated operations begin.
        to: usize,
    },
    /// The job is done.
    End,
}

/// A task's operations, and how far its present job has come.
#[derive(Clone, Debug)]
pub struct Program {
    ops: Box<[Op]>,
    /// The next operation.
    at: usize,
    counters: Box<[u32]>,
    /// What is left of the present computation.
    pub left: Duration,
    /// Where lengths that are not fixed come from, if there are any.
    random: Option<Box<Random>>,
}

impl Program {
    /// The program of `task`, the `number`-th of its set. Every task draws from a stream of random
    /// numbers of its own, so that what one task draws does not depend on the others.
    pub fn new(task: &Task, number: usize, seed: u64) -> Program {
        let mut ops = Vec::new();
        let mut counters = 0;
        flatten(&task.behaviour, &mut ops, &mut counters);
        ops.push(Op::End);
        Program {
            ops: ops.into(),
            at: 0,
            counters: vec![0; counters].into(),
            left: Duration::ZERO,
            random: (!is_fixed(&task.behaviour)).then(|| Random::new(seed, number as u64).into()),
        }
    }

    /// Goes back to the beginning, for a new job.
    pub fn restart(&mut self) {
        self.at = 0;
        self.left = Duration::ZERO;
    }

    /// Whether the job has done all that it had to do.
    pub fn is_done(&self) -> bool {
        let mut at = self.at;
        loop {
            match self.ops[at] {
                Op::End => return true,
                Op::Again {
                    counter: Some(counter),
                    ..
                } if self.counters[counter] == 1 => at += 1,
                _ => return false,
            }
        }
    }

    /// The next operation that is not a jump; the one after it comes next. A computation is drawn
    /// into [`Program::left`] already. Returns [`Op::End`], and begins again, at the end of the job.
    #[inline]
    pub fn step(&mut self) -> Call {
        loop {
            let op = &self.ops[self.at];
            self.at += 1;
            return match *op {
                Op::Begin { counter, times } => {
                    self.counters[counter] = times;
                    continue;
                }
                Op::Again { counter: None, to } => {
                    self.at = to;
                    continue;
                }
                Op::Again {
                    counter: Some(counter),
                    to,
                } => {
                    self.counters[counter] -= 1;
                    if self.counters[counter] > 0 {
                        self.at = to;
                    }
                    continue;
                }
                Op::Compute(Length::Fixed(length)) => {
                    self.left = length;
                    Call::Compute
                }
                Op::Compute(ref length) => {
                    self.left = draw(length, self.random.as_deref_mut());
                    Call::Compute
                }
                Op::Suspend(ref length) => Call::Suspend(draw(length, self.random.as_deref_mut())),
                Op::Yield => Call::Yield,
                Op::Lock(n) => Call::Lock(n),
                Op::Unlock(n) => Call::Unlock(n),
                Op::Wait(n) => Call::Wait(n),
                Op::Signal(n) => Call::Signal(n),
                Op::Send(n) => Call::Send(n),
                Op::Receive(n) => Call::Receive(n),
                Op::End => {
                    self.at = 0;
                    Call::End
                }
            };
        }
    }
}

/// What a program asks of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// To compute for [`Program::left`].
    Compute,
    /// To sleep.
    Suspend(Duration),
    /// To offer the CPU to equals.
    Yield,
    /// To lock a mutex.
    Lock(u16),
    /// To unlock it.
    Unlock(u16),
    /// To wait for a semaphore.
    Wait(u16),
    /// To signal it.
    Signal(u16),
    /// To send a message.
    Send(u16),
    /// To receive a message.
    Receive(u16),
    /// To end the job.
    End,
}

fn flatten(steps: &[Step], ops: &mut Vec<Op>, counters: &mut usize) {
    for step in steps {
        let op = match step {
            Step::Compute(length) => Op::Compute(length.clone()),
            Step::Suspend(length) => Op::Suspend(length.clone()),
            Step::Yield => Op::Yield,
            Step::Lock(n) => Op::Lock(*n),
            Step::Unlock(n) => Op::Unlock(*n),
            Step::Wait(n) => Op::Wait(*n),
            Step::Signal(n) => Op::Signal(*n),
            Step::Send(n) => Op::Send(*n),
            Step::Receive(n) => Op::Receive(*n),
            Step::Repeat { times, body } => {
                let counter = times.map(|times| {
                    ops.push(Op::Begin {
                        counter: *counters,
                        times,
                    });
                    *counters += 1;
                    *counters - 1
                });
                let to = ops.len();
                flatten(body, ops, counters);
                Op::Again { counter, to }
            }
        };
        ops.push(op);
    }
}

/// Whether every job does exactly the same.
pub fn is_fixed(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Compute(length) | Step::Suspend(length) => length.is_fixed(),
        Step::Repeat { body, .. } => is_fixed(body),
        _ => true,
    })
}

fn draw(length: &Length, random: Option<&mut Random>) -> Duration {
    match random {
        Some(random) => random.draw(length),
        None => length.longest(),
    }
}
