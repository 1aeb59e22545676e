//! What a server is promised while it is used, and tasks that change their places.

use super::{GlobalServers, Member, Urgency};
use crate::order::Order;
use crate::policy::{Ready, Resched, Stop, Usage};
use crate::queue::{End, Queue};
use crate::servers::shared::Place;
use crate::servers::{Account, Arrival, Reservation, Rule, Seat, Supply};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, TaskId, Time};

impl<R: Rule, O: Order, S: Storage, C: Storage> GlobalServers<R, O, S, C> {
    /// The number of CPUs.
    pub(crate) fn cpus(&self) -> usize {
        self.cpus.into()
    }

    /// What the rule keeps of the server of `task`; `None`: it has none.
    pub(crate) fn state(&mut self, task: TaskId) -> Option<&mut R::State> {
        let row = self.rows.find_mut(task.index())?;
        matches!(row.member, Member::Server(_)).then_some(&mut row.account.state)
    }

    /// The CPU that `task` runs on, if it does, has to pick again, as it may run for another time.
    fn picks_again(&self, task: TaskId) -> Resched {
        self.linked
            .runs_on(task)
            .map_or(Resched::None, Resched::One)
    }

    /// The server of `task`, if it has one, is promised something else: `act` says so to its account. It is where it
    /// belongs afterwards. What it has used since it was picked is charged when its CPU stops it.
    pub(crate) fn change(
        &mut self,
        task: TaskId,
        now: Time,
        act: impl FnOnce(&mut R, &mut Account<R::State>),
    ) -> Resched {
        let row = &mut self.rows[task.index()];
        if !matches!(row.member, Member::Server(_)) {
            return Resched::None;
        }
        debug_assert!(
            !self.admission.is_limited(),
            "what may be promised is up to the caller"
        );
        let before = Place::of(&self.rule, &row.account);
        act(&mut self.rule, &mut row.account);
        let after = Place::of(&self.rule, &row.account);
        let runs = self.picks_again(task);
        if before == after {
            return runs;
        }
        if self.throttled.remove(task).is_some() {
            let account = &mut self.rows[task.index()].account;
            let supply = self.rule.supply(account, now);
            return runs.and(self.enqueue(CpuId(0), task, supply));
        }
        if !self.linked.is_queued(task) {
            return runs;
        }
        let mut resched = runs;
        if before.key != after.key {
            let keys = Urgency::new(&self.rule, &self.rows, &self.background);
            resched = resched.and(self.linked.requeue(&keys, task));
        }
        resched.and(self.exhaust(task, now))
    }

    /// `task`, a member, goes from the background to a server of its own, or the other way. It stays queued if it is, and
    /// on its CPU if it runs. What the seat says makes sense, and there is no limit.
    pub(crate) fn reseat(&mut self, task: TaskId, seat: Seat<O::Params>, now: Time) -> Resched {
        let waited = self.throttled.remove(task).is_some();
        let is_queued = waited || self.linked.is_queued(task);
        let row = &mut self.rows[task.index()];
        if row.member == Member::Background {
            if is_queued {
                let none = Usage::default();
                self.background
                    .stopped(&self.order, task, none, Stop::Blocked);
            }
            self.background.retire(task);
        }
        let supply = match seat {
            Seat::Background(params) => {
                row.member = Member::Background;
                // It is no member there, and there is room for all.
                let _ = self.background.admit(&self.order, task, params);
                if is_queued {
                    self.background.ready(&self.order, task, Ready::Unblocked);
                }
                Supply::Available
            }
            Seat::Own(reservation) | Seat::Shared(_, reservation) => {
                row.member = Member::Server(None);
                row.account = Account::new(Reservation::default());
                self.rule.reserve(&mut row.account, reservation);
                if is_queued {
                    let arrival = Arrival::of(Ready::Unblocked, row.idle_since, now);
                    self.rule.arrives(&mut row.account, arrival)
                } else {
                    Supply::Available
                }
            }
        };
        let runs = self.picks_again(task);
        if !is_queued {
            return runs;
        }
        let keys = Urgency::new(&self.rule, &self.rows, &self.background);
        let moved = match supply {
            Supply::Available if waited => self.linked.enqueue(&keys, CpuId(0), task, End::Tail),
            Supply::Available => self.linked.requeue(&keys, task),
            Supply::Throttled(until) => {
                let left = if waited {
                    Resched::None
                } else {
                    self.linked.dequeue(&keys, task)
                };
                self.throttled.insert(task, until, End::Tail);
                left
            }
        };
        runs.and(moved)
    }
}
