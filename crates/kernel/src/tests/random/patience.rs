//! How long threads wait.

use super::super::world::{CPU, ROWS, TestObjects, World, ns};
use super::books::Books;
use crate::MutexId;
use crate::thread::State;
use flyball_policy::Policy;
use flyball_trace::{Object, Time};
#[cfg(not(miri))]
use proptest::prelude::*;

/// How long a thread is ready to wait.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    None,
    Some(u64),
    Endless,
}

#[cfg(not(miri))]
pub(super) fn patience() -> impl Strategy<Value = Patience> {
    prop_oneof![
        1 => Just(Patience::None),
        1 => (1u64..60).prop_map(Patience::Some),
        3 => Just(Patience::Endless),
    ]
}

impl<P: Policy, const CHECKS: bool, O: TestObjects> World<P, CHECKS, O> {
    /// Until when the running thread is ready to wait.
    pub(super) fn until(&self, patience: Patience) -> Time {
        match patience {
            Patience::None => self.now,
            Patience::Some(time) => self.now + ns(time),
            Patience::Endless => Time::NEVER,
        }
    }

    /// The same for a wait that only another thread can end. If such waits were all for ever, soon
    /// all threads would wait for each other: few are, and no thread waits for those that do.
    pub(super) fn until_helped(&self, patience: Patience, books: &Books<O>) -> Time {
        const FEW: usize = 3;
        let waits = |row: &usize| {
            let thread = &self.core.threads[*row];
            let for_others = matches!(
                thread.state,
                State::Blocked(Object::Queue(_) | Object::Task(_))
            );
            for_others && !thread.limited
        };
        let is_endless = matches!(patience, Patience::Endless);
        if is_endless && (self.owns_any(books) || (0..ROWS).filter(waits).count() >= FEW) {
            return self.now + ns(60);
        }
        self.until(patience)
    }

    /// Whether the running thread owns another mutex than this one. To wait for a condition then
    /// may end in a ring of threads that wait for each other's mutexes, and no call could refuse
    /// that.
    pub(super) fn owns_another(&self, mutex: MutexId<O::Place>, books: &Books<O>) -> bool {
        let others = books.mutexes.iter().filter(|&&other| other != mutex);
        others.into_iter().any(|&other| self.owns(other))
    }

    /// Whether the running thread owns a mutex.
    pub(super) fn owns(&self, mutex: MutexId<O::Place>) -> bool {
        let owns = |task| self.core.owns(task, mutex.0).unwrap();
        self.core.running_task(CPU).is_some_and(owns)
    }

    /// Whether it owns any.
    pub(super) fn owns_any(&self, books: &Books<O>) -> bool {
        books.mutexes.iter().any(|&mutex| self.owns(mutex))
    }

    /// Whether the running thread, which has one job only, may wait for another one. That never
    /// comes, so there is one such thread at most, and it owns nothing.
    pub(super) fn may_wait_in_vain(&self, books: &Books<O>) -> bool {
        let in_vain = |row| books.once[row] && self.core.threads[row].state == State::Dormant;
        !self.owns_any(books) && !(0..ROWS).any(in_vain)
    }
}
