//! Servers by the keys of their rule, each of which serves its tasks first come, first served.

mod due;
mod seats;

use super::account::Account;
use super::admission::Admission;
use super::rule::{Arrival, Rule, Supply};
use super::seat::Seat;
use super::shared;
use crate::policy::{
    Budget, Dispatch, ONLY_CPU, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::links::{Links, List};
use crate::queue::{End, Queue};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, ServerId, TaskId, Time};

/// Servers by the rule `R` on one CPU; tasks without a server are scheduled by `B` when no server
/// has work and a budget.
///
/// There is room for as many servers as for tasks. To admit a task is O(servers); every other call
/// is one operation of a queue of servers, or two where a budget is used up or replenished.
///
/// [`Inheriting`](super::Inheriting) serves the owner of a mutex while others wait for it.
#[repr(C)]
pub struct Servers<R: Rule, B, S: Storage> {
    rule: R,
    /// Those with a task and a budget, by key. Servers have numbers, as tasks have.
    ready: S::Sorted<Time>,
    /// Those that wait for an instant, by that and what the rule is ahead: with a task for a
    /// budget, without one for the end of what they still count.
    throttled: S::Sorted<Time>,
    /// One for each server.
    rows: S::Table<Server<R::State>>,
    members: S::Table<Member>,
    /// The tasks of each server that are ready.
    links: Links<S>,
    admission: Admission,
    background: B,
}

/// A row without members is no server.
#[derive(Clone, Copy)]
struct Server<T> {
    account: Account<T>,
    /// Since when it has had no task, if it has none.
    idle_since: Time,
    /// Those that are ready, in the order of service.
    tasks: List,
    members: u16,
    /// By which tasks name it; `None`: it is a task's own.
    name: Option<u16>,
}

const _: () = assert!(size_of::<Server<()>>() <= 64, "a server takes 64 bytes");

/// Where a task runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    No,
    In(TaskId),
    Background,
}

impl<R: Rule, B: Policy, S: Storage> Servers<R, B, S> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    #[inline(never)] // An image of all rules is a tenth smaller by that.
    pub fn new(rule: R, background: B, capacity: usize) -> Self {
        let server = Server {
            account: Account::default(),
            idle_since: Time::ZERO,
            tasks: List::EMPTY,
            members: 0,
            name: None,
        };
        Servers {
            rule,
            ready: Queue::new(capacity),
            throttled: Queue::new(capacity),
            rows: Table::new(capacity, server),
            members: Table::new(capacity, Member::No),
            links: Links::new(capacity),
            admission: Admission::UNLIMITED,
            background,
        }
    }

    /// No more is admitted than this: see [`Policy::admit`], [`Policy::adjust`]. There are no tasks
    /// yet.
    pub fn limit(&mut self, admission: Admission) {
        self.admission = admission;
    }

    /// What the server of `task` may use; `None`: it has none.
    pub fn account(&self, task: TaskId) -> Option<&Account<R::State>> {
        match self.members.find(task.index())? {
            Member::In(server) => Some(&self.rows[server.index()].account),
            Member::No | Member::Background => None,
        }
    }

    /// What the rule keeps of the server of `task`; `None`: it has none.
    pub(crate) fn state(&mut self, task: TaskId) -> Option<&mut R::State> {
        match *self.members.find(task.index())? {
            Member::In(server) => Some(&mut self.rows[server.index()].account.state),
            Member::No | Member::Background => None,
        }
    }

    /// A server with tasks, that is in no queue, is put where it belongs.
    #[inline]
    fn enqueue(&mut self, number: TaskId, supply: Supply) -> Resched {
        if let Supply::Throttled(until) = supply {
            self.wait(number, until);
            return Resched::None;
        }
        let key = self.rule.key(&self.rows[number.index()].account);
        let is_first = self.ready.insert(number, key, End::Tail);
        if is_first {
            Resched::One(ONLY_CPU)
        } else {
            Resched::None
        }
    }

    /// The same where that is rare.
    #[inline(never)]
    fn requeue(&mut self, number: TaskId, supply: Supply) -> Resched {
        self.enqueue(number, supply)
    }

    /// Asks the rule about a server that has tasks, if its budget is used up.
    #[inline]
    fn settle(&mut self, number: TaskId, now: Time) {
        if self.rows[number.index()].account.is_exhausted() {
            self.exhaust(number, now);
        }
    }

    /// Asks the rule about a server that has used up its budget, and has tasks.
    #[inline(never)]
    fn exhaust(&mut self, number: TaskId, now: Time) {
        if self.unready(number) {
            let account = &mut self.rows[number.index()].account;
            let supply = self.rule.exhausted(account, now);
            // The caller picks again anyway.
            let _ = self.requeue(number, supply);
        }
    }

    fn dispatch(&mut self, number: TaskId) -> Option<Dispatch> {
        let server = &self.rows[number.index()];
        Some(Dispatch {
            burst: self.rule.burst(&server.account),
            ..Dispatch::of(server.tasks.first()?)
        })
    }

    /// A server is put in no queue.
    #[inline]
    fn dequeue(&mut self, number: TaskId) {
        if !self.unready(number) {
            shared::remove(&mut self.throttled, number);
        }
    }

    /// Takes a server from those with a budget. Most often it is the first. Returns whether it was
    /// one of them.
    #[inline]
    fn unready(&mut self, number: TaskId) -> bool {
        if self.ready.first() == Some(number) {
            self.ready.take(number);
            return true;
        }
        shared::remove(&mut self.ready, number).is_some()
    }
}

impl<R: Rule, B: Policy, S: Storage> Policy for Servers<R, B, S> {
    type Params = Seat<B::Params>;
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK
        .and(Wants::USAGE)
        .and(Wants::BURSTS)
        .and(Wants::ALARMS)
        .and(Wants::PREEMPTED)
        .and(Wants::RESULTS.when(R::RESULTS))
        .and(Wants::BUDGETS.when(R::ENFORCES))
        .and(B::WANTS);

    fn capacity(&self) -> usize {
        self.members.capacity()
    }

    /// # Errors
    /// [`Refused::Invalid`] for a reservation that makes no sense, or differs from that of the
    /// server; [`Refused::Overload`] if all servers ask for too much with this one.
    fn admit(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<(), Refused> {
        match self.members.find(task.index()) {
            None => return Err(Refused::Full),
            Some(Member::No) => {}
            Some(_) => return Err(Refused::Member),
        }
        self.members[task.index()] = match (self.seat(task, &seat)?, seat) {
            (Some(server), _) => {
                self.rows[server.index()].members += 1;
                Member::In(server)
            }
            (None, Seat::Background(params)) => {
                self.background.admit(task, params, now)?;
                Member::Background
            }
            (None, _) => return Err(Refused::Full),
        };
        Ok(())
    }

    /// From now on the server of the task has another reservation, and so have all tasks of it. In
    /// the background the task tells the policy there something else.
    ///
    /// # Errors
    /// [`Refused::Invalid`] also if that is another place: for that a task is retired and admitted;
    /// [`Refused::Overload`] if all servers ask for too much then.
    fn adjust(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<Resched, Refused> {
        let member = self.members.find(task.index());
        let (number, name, reservation) = match (*member.unwrap_or(&Member::No), seat) {
            (Member::No, _) => return Err(Refused::NotAdmitted),
            (Member::Background, Seat::Background(params)) => {
                return self.background.adjust(task, params, now);
            }
            (Member::In(server), Seat::Own(reservation)) => (server, None, reservation),
            (Member::In(server), Seat::Shared(name, reservation)) => {
                (server, Some(name), reservation)
            }
            _ => return Err(Refused::Invalid(Parameter::Server)),
        };
        reservation.check()?;
        let server = &mut self.rows[number.index()];
        if server.name != name {
            return Err(Refused::Invalid(Parameter::Server));
        }
        let old = &server.account.reservation;
        self.admission.change(old, &reservation)?;
        self.rule.reserve(&mut server.account, reservation);
        let key = self.rule.key(&server.account);
        if self.ready.key(number).is_some_and(|queued| queued != key) {
            self.ready.take(number);
            self.ready.insert(number, key, End::Tail);
        }
        self.settle(number, now);
        Ok(Resched::One(ONLY_CPU))
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        match core::mem::replace(&mut self.members[task.index()], Member::No) {
            Member::No => {}
            Member::In(number) => {
                let server = &mut self.rows[number.index()];
                server.members -= 1;
                let counts = R::RECLAIMS && self.throttled.key(number).is_some();
                if server.members == 0 && !counts {
                    self.release(number);
                }
            }
            Member::Background => self.background.retire(task, now),
        }
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let Member::In(number) = self.members[task.index()] else {
            return shared::ready(&mut self.background, here, task, why, now);
        };
        let server = &mut self.rows[number.index()];
        let was_idle = server.tasks.is_empty();
        self.links.push_back(&mut server.tasks, task);
        if !was_idle {
            return Resched::None;
        }
        let arrival = Arrival::of(why, server.idle_since, now);
        let supply = self.rule.arrives(&mut server.account, arrival);
        if R::RECLAIMS {
            shared::remove(&mut self.throttled, number);
        }
        let resched = self.enqueue(number, supply);
        if R::RECLAIMS {
            return Resched::One(ONLY_CPU);
        }
        resched
    }

    #[inline]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let Member::In(number) = self.members[task.index()] else {
            if why == Stop::Preempted && !B::WANTS.preempted {
                return Resched::None;
            }
            return shared::stopped(&mut self.background, cpu, task, used, why, now);
        };
        let server = &mut self.rows[number.index()];
        self.rule.charge(&mut server.account, used.time, now);
        match why {
            Stop::Blocked | Stop::Completed => {
                self.links.remove(&mut server.tasks, task);
                if server.tasks.is_empty() {
                    server.idle_since = now;
                    let until = self.rule.emptied(&mut server.account, now);
                    self.dequeue(number);
                    if let Some(until) = until {
                        self.wait(number, until);
                    }
                    return Resched::One(cpu);
                }
                if self.rule.goes_on(&mut server.account, now) {
                    self.dequeue(number);
                    // The caller picks again anyway.
                    let _ = self.requeue(number, Supply::Available);
                }
            }
            Stop::Yielded => {
                self.links.rotate(&mut server.tasks, task);
                self.rule.yields(&mut server.account);
            }
            Stop::Preempted | Stop::BurstEnd => {}
        }
        self.settle(number, now);
        Resched::One(cpu)
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        match self.members[task.index()] {
            Member::In(number) if R::RESULTS => {
                self.rule
                    .ended(&mut self.rows[number.index()].account, result);
            }
            Member::Background if B::WANTS.results => self.background.ended(task, result, now),
            _ => {}
        }
    }

    #[inline(never)]
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let resched = if B::WANTS.alarms {
            self.background.alarm(cpu, now)
        } else {
            Resched::None
        };
        resched.and(self.serve_due(now))
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        let due = self.first_due();
        if !B::WANTS.alarms {
            return due;
        }
        let other = self.background.next_alarm(cpu);
        [due, other].into_iter().flatten().min()
    }

    #[inline]
    fn has_alarms(&self) -> bool {
        self.throttled.first().is_some() || B::WANTS.alarms && self.background.has_alarms()
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let Some(number) = self.ready.first() else {
            let other = shared::pick(&mut self.background, cpu, now);
            if other.is_some() || !R::RECLAIMS || !self.reclaim_idle(now) {
                return other;
            }
            return self.dispatch(self.ready.first()?);
        };
        self.dispatch(number)
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        match self.members.find(task.index())? {
            Member::In(server) => Some(ServerId::of(*server)),
            Member::No | Member::Background => None,
        }
    }

    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        let server = self.rows.find(server.index())?;
        if server.members == 0 || !R::ENFORCES {
            return None;
        }
        shared::budget(&self.rule, &server.account, used, now)
    }

    /// By the keys of their servers; what runs in the background is less urgent.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        let key = |task| {
            self.account(task)
                .map_or(Time::NEVER, |account| self.rule.key(account))
        };
        let is_in = |task: TaskId| self.members[task.index()] == Member::Background;
        match (is_in(a), is_in(b)) {
            (true, true) => self.background.compare(a, b),
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => key(a).cmp(&key(b)),
        }
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let is_in = |task: TaskId| self.members[task.index()] == Member::Background;
        if is_in(to) && from.is_none_or(is_in) {
            self.background.inherit(to, from, now)
        } else {
            Resched::None
        }
    }
}
