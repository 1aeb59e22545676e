//! Which server a task has, and what servers are promised.

use super::{Member, Rule, Servers};
use crate::policy::{ONLY_CPU, Parameter, Policy, Refused, Resched};
use crate::queue::Queue;
use crate::servers::shared::Place;
use crate::servers::{Account, Reservation, Seat};
use crate::storage::{Storage, Table};
use flyball_trace::{TaskId, Time};

impl<R: Rule, B: Policy, S: Storage> Servers<R, B, S> {
    fn numbers(&self) -> impl Iterator<Item = TaskId> + use<R, B, S> {
        (0..self.rows.capacity()).map(TaskId::from_index)
    }

    /// The server that `task` has with this seat; `None`: none. A new one has the number of the task,
    /// if that is free.
    ///
    /// # Errors
    /// [`Refused`].
    pub(super) fn seat(
        &mut self,
        task: TaskId,
        seat: &Seat<B::Params>,
    ) -> Result<Option<TaskId>, Refused> {
        let (name, reservation) = match *seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(_) => return Ok(None),
        };
        reservation.check()?;
        let is_it = |number: &TaskId| {
            let server = &self.rows[number.index()];
            name.is_some() && server.members > 0 && server.name == name
        };
        if let Some(number) = self.numbers().find(is_it) {
            if self.rows[number.index()].account.reservation != reservation {
                return Err(Refused::Invalid(Parameter::Server));
            }
            return Ok(Some(number));
        }
        let is_free = |number: &TaskId| {
            self.rows[number.index()].members == 0
                && !(R::RECLAIMS && self.throttled.key(*number).is_some())
        };
        let mut numbers = core::iter::once(task).chain(self.numbers());
        let free = numbers.find(is_free).ok_or(Refused::Full)?;
        self.admission
            .change(&Reservation::default(), &reservation)?;
        let server = &mut self.rows[free.index()];
        (server.account, server.name) = (Account::new(Reservation::default()), name);
        self.rule.reserve(&mut server.account, reservation);
        server.idle_since = Time::ZERO;
        Ok(Some(free))
    }

    /// The server of `task`, if it has one, is promised something else: `act` says so to its account. It is where it
    /// belongs afterwards.
    pub(crate) fn change(
        &mut self,
        task: TaskId,
        now: Time,
        act: impl FnOnce(&mut R, &mut Account<R::State>),
    ) -> Resched {
        let Member::In(number) = self.members[task.index()] else {
            return Resched::None;
        };
        let server = &mut self.rows[number.index()];
        debug_assert!(
            !self.admission.is_limited(),
            "what may be promised is up to the caller"
        );
        let before = Place::of(&self.rule, &server.account);
        act(&mut self.rule, &mut server.account);
        if server.tasks.is_empty() {
            return Resched::None;
        }
        let after = Place::of(&self.rule, &server.account);
        if before.key == after.key && before.waits.is_none() && after.waits.is_some() {
            self.settle(number, now);
        } else if before != after {
            self.dequeue(number);
            let supply = self
                .rule
                .supply(&mut self.rows[number.index()].account, now);
            // The caller picks again anyway.
            let _ = self.requeue(number, supply);
        }
        Resched::One(ONLY_CPU)
    }

    /// A server without members gives back what it was promised.
    pub(super) fn release(&mut self, number: TaskId) {
        let account = &mut self.rows[number.index()].account;
        let nothing = Reservation::default();
        // Nothing is admitted always.
        let _ = self.admission.change(&account.reservation, &nothing);
        self.rule.reserve(account, nothing);
    }
}
