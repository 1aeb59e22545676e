//! What becomes of the tasks of a CPU while it runs.

use super::{CPU, Node, Thread};
use crate::called::Called;
use crate::error::SimError;
use crate::modes::{Change, ChangeKind, Modes};
use crate::program::{Program, Script};
use flyball_catalogue::{Facts, Scheduler};
use flyball_kernel::Error;
use flyball_model::{Arrival, Share, Task};
use flyball_policy::Time;
use flyball_trace::Sink;
use std::collections::VecDeque;

/// The changes that are still to come on one CPU, the next one first.
pub(super) type Changes<P> = VecDeque<(Time, Vec<(usize, New<P>)>)>;

/// The tasks that are about to begin on one CPU: since when, and their numbers in the whole set.
pub(super) type Beginning<P> = VecDeque<(Time, usize, Box<Task>, P)>;

/// What becomes of the thread of a row.
pub(super) enum New<P> {
    /// The thread begins; its task is of this number in the whole set.
    Begins(usize, Box<Task>, P),
    Becomes(Box<Task>, P),
    Ends,
}

/// What a thread is about to become.
#[derive(Clone)]
pub(super) enum Next {
    Task(Box<Task>),
    /// It ends: with its job, or with the next one, which does nothing.
    End,
}

/// The changes of `modes` that concern the tasks of a CPU, which `numbers` names.
pub(super) fn of<S: Scheduler>(
    modes: &Modes,
    numbers: &[usize],
    called: Called<'_, S>,
) -> Result<Changes<S::Params>, SimError> {
    let params = |task: &Task| called.params(task, &Facts::of(modes.all(), task));
    let mut found = VecDeque::with_capacity(modes.changes.len());
    for Change { at, tasks } in &modes.changes {
        let mut kinds = Vec::new();
        for (number, new) in tasks {
            let Ok(row) = numbers.binary_search(number) else {
                continue;
            };
            let new = match new {
                ChangeKind::Start(task) => {
                    New::Begins(*number, Box::new(task.clone()), params(task)?)
                }
                ChangeKind::NewMode(task) => New::Becomes(Box::new(task.clone()), params(task)?),
                ChangeKind::Stop => New::Ends,
            };
            kinds.push((row, new));
        }
        found.push_back((Time::ZERO + *at, kinds));
    }
    Ok(found)
}

impl<S: Scheduler, T: Sink> Node<S, T> {
    /// Tasks become what they are to become up to `now`, and end. Those that begin at the last
    /// change do so later, in [`Node::begin`]. Returns how many threads have begun with a job.
    #[cold]
    pub(super) fn change(&mut self, now: Time) -> Result<u32, SimError> {
        let mut released = 0;
        while let Some((at, kinds)) = self.changes.pop_front_if(|(at, _)| *at <= now) {
            released += self.begin(now)?;
            for (row, new) in kinds {
                match new {
                    New::Begins(number, task, params) => {
                        self.beginning.push_back((at, number, task, params));
                        continue;
                    }
                    New::Becomes(task, params) => {
                        let thread = self.threads[row].handle;
                        match self.core.adjust(CPU, thread, params, now) {
                            Ok(()) => self.details[row].next = Some(Next::Task(task)),
                            // Its only job is over.
                            Err(Error::Dead) => {}
                            Err(error) => return Err(self.refused(&self.details[row].name, error)),
                        }
                    }
                    New::Ends => self.details[row].next = Some(Next::End),
                }
                if !self.core.has_job(self.threads[row].handle) {
                    self.turn(row)?;
                }
            }
        }
        Ok(released)
    }

    /// Tasks begin that are to begin: at one instant, jobs are released in the order of the tasks,
    /// so these come last. Returns how many threads have begun with a job.
    pub(super) fn begin(&mut self, now: Time) -> Result<u32, SimError> {
        let mut released = 0;
        while let Some((at, number, task, params)) = self.beginning.pop_front() {
            self.spawn(&task, number, params, at, now)?;
            let has_job = |thread: &Thread| self.core.has_job(thread.handle);
            released += u32::from(self.threads.last().is_some_and(has_job));
        }
        Ok(released)
    }

    /// The thread of a row has no job, or has just begun with one, and becomes what it is to
    /// become.
    pub(super) fn turn(&mut self, row: usize) -> Result<(), SimError> {
        let Some(next) = self.details[row].next.take() else {
            return Ok(());
        };
        let number = usize::from(self.details[row].number.0);
        let task = match next {
            Next::End => {
                self.threads[row].once = true;
                let nothing = Script::new(&[], Share::default());
                self.threads[row].program = Program::of(nothing, number, self.seed);
                return Ok(());
            }
            Next::Task(task) => task,
        };
        if let Arrival::Periodic { period } = task.arrival {
            let deadline = task.deadline.unwrap_or(period);
            let thread = self.threads[row].handle;
            match self.core.retime(thread, period, deadline) {
                Ok(()) => {}
                // It has to catch up first.
                Err(Error::Invalid) if self.core.has_job(thread) => {
                    self.details[row].next = Some(Next::Task(task));
                    return Ok(());
                }
                Err(error) => return Err(self.refused(&self.details[row].name, error)),
            }
        }
        self.threads[row].program = Program::new(&task, number, self.seed);
        Ok(())
    }

    /// What the kernel says when it does not take a task or its parameters.
    pub(super) fn refused(&self, task: &str, error: Error) -> SimError {
        match error {
            Error::Refused(refused) => SimError::NotAdmitted {
                task: task.to_owned(),
                refused: self.core.refusal(refused),
            },
            _ => SimError::Refused {
                what: task.to_owned(),
                error,
            },
        }
    }
}
