//! Tasks that go on without end: what their calls take.
//!
//! Such a task has no job that ends. Its script and the trace go together, from one call that the trace tells of
//! to the next: a message that it puts in or takes out, or a wait.
//!
//! ```text
//!   dispatch        fill (it receives)        fill (it sends)       block
//!   ---|------------------|--------------------------|------------------|---  time
//!    way out, a step      call, compute, …           call, a step
//! ```
//!
//! A *round* is what lies between two of them. It is longer than what the task computes by the call at its
//! beginning, which begins where the trace says so; or, if it begins with a dispatch, by a way and the step to the
//! call at its end. Calls of which the trace says nothing are in between.

use super::least_squares::Equation;
use super::{CALL, RELEASE, STEP, WAYS};
use flyball_model::{Arrival, TaskSet};
use flyball_sim::program::{Call, Program};
use flyball_trace::{Duration, Object, TaskId, Time};
use std::collections::HashMap;

/// A round that is longer by more than this, and by more than a tenth, has been in the way of something else, or its
/// length has changed with the clock.
const MOST: Duration = Duration::from_micros(100);

/// The endless tasks of a set.
pub(super) struct Rounds(HashMap<TaskId, Round>);

#[derive(Clone)]
struct Round {
    program: Program,
    /// Whether it is known what has happened since the round began.
    known: bool,
    equation: Equation,
    compute: Duration,
    /// How long it has run, and since when it does.
    ran: Duration,
    since: Option<Time>,
    /// When it was last told to make a call.
    called: Option<Time>,
    /// When the task went on after that; `None`: it waits.
    began: Option<Time>,
}

impl Rounds {
    pub(super) fn new(set: &TaskSet, seed: u64) -> Rounds {
        let endless = |task: &flyball_model::Task| {
            task.arrival == Arrival::Once && task.wcet == Duration::MAX
        };
        let tasks = set.tasks.iter().enumerate();
        let tasks = tasks.filter(|(_, task)| endless(task));
        let round = |(number, task)| {
            let round = Round {
                program: Program::new(task, number, seed),
                known: false,
                equation: Equation::default(),
                compute: Duration::ZERO,
                ran: Duration::ZERO,
                since: None,
                called: None,
                began: None,
            };
            (TaskId::from_index(number), round)
        };
        Rounds(tasks.map(round).collect())
    }

    /// A task begins to run, or goes on.
    pub(super) fn dispatch(&mut self, task: TaskId, now: Time) {
        if let Some(round) = self.0.get_mut(&task) {
            round.since = Some(now);
            round.began.get_or_insert(now);
            round.equation[WAYS] += 1;
        }
    }

    /// A task loses the CPU.
    pub(super) fn stop(&mut self, task: TaskId, now: Time) {
        if let Some(round) = self.0.get_mut(&task) {
            round.run_until(now);
            round.since = None;
        }
    }

    /// Something else than a call has taken time while a task ran.
    pub(super) fn interrupted(&mut self, task: TaskId, releases: i64, is_known: bool) {
        if let Some(round) = self.0.get_mut(&task) {
            round.equation[RELEASE] += releases;
            round.known &= is_known;
        }
    }

    /// The running task calls, and puts a message in, takes one out or waits; returns what the round that is over
    /// tells, and by how much it was longer than what the task computed.
    pub(super) fn call(
        &mut self,
        task: TaskId,
        on: Object,
        blocks: bool,
        now: Time,
    ) -> Option<(Equation, Duration)> {
        let round = self.0.get_mut(&task)?;
        // Of one call there may be two events: a message goes on to a task that waits.
        if round.called == Some(now) && !blocks {
            return None;
        }
        round.run_until(now);
        // What follows the clock began to be done some time since then.
        let mut later = round.clone();
        let found = round.find(on, round.began.unwrap_or(now));
        let is_sure = later.find(on, now) && later.compute == round.compute;
        let longer = round.ran.saturating_sub(round.compute);
        let is_sure = is_sure && (longer < MOST || longer * 10 < round.compute);
        let over = (round.known && found && is_sure).then_some((round.equation, longer));
        let mut equation = Equation::default();
        // A call that waits is over with the decision; the next round begins with a dispatch.
        if blocks {
            equation[STEP] = 1;
        } else {
            equation[CALL] = 1;
        }
        (round.equation, round.known) = (equation, found);
        (round.compute, round.ran) = (Duration::ZERO, Duration::ZERO);
        round.called = Some(now);
        round.began = (!blocks).then_some(now);
        over
    }
}

impl Round {
    fn run_until(&mut self, now: Time) {
        if let Some(since) = self.since.replace(now) {
            self.ran += now.since(since);
        }
    }

    /// Goes on in the script to the next call of this object; whether there is one.
    fn find(&mut self, on: Object, now: Time) -> bool {
        const MOST_STEPS: usize = 1_000;
        for _ in 0..MOST_STEPS {
            let found = match self.program.step(now) {
                Call::Compute(length) => {
                    self.compute += self.program.draw(length);
                    continue;
                }
                Call::Suspend(length) => {
                    self.program.draw(length);
                    Object::Clock
                }
                Call::Result(result) => {
                    self.program.note(result);
                    continue;
                }
                Call::Stalls(_) => continue,
                Call::Send(n) | Call::TrySend(n) | Call::Receive(n) | Call::TryReceive(n) => {
                    Object::Queue(n)
                }
                Call::Wait(n) => Object::Semaphore(n),
                Call::Lock(n) => Object::Mutex(n),
                Call::Unlock(_)
                | Call::Signal(_)
                | Call::Yield
                | Call::Control
                | Call::Raise(..)
                | Call::Lower(..) => {
                    self.equation[CALL] += 1;
                    continue;
                }
                Call::End => return false,
            };
            if found == on {
                return true;
            }
            self.equation[CALL] += 1;
        }
        false
    }
}
