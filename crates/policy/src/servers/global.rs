//! Servers on CPUs that share a queue: each executes its task on whatever CPU there is.

mod seats;

use super::account::{Account, Reservation};
use super::admission::Admission;
use super::rule::{Arrival, Rule, Supply};
use super::seat::Seat;
use super::shared;
use crate::linked::{Keys, Linked};
use crate::member::Members;
use crate::order::Order;
use crate::policy::{
    Budget, Dispatch, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::{End, Queue};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, ServerId, TaskId, Time};

/// Servers by the rule `R` on all CPUs of a cluster, the most urgent first, each with one task.
///
/// Tasks without a server run on the CPUs that no server needs, by the order `O`. Which task runs
/// where is decided by the links of [`Global`](crate::Global), of which a server takes part as long
/// as it has work and a budget. On one CPU it does what [`Servers`](super::Servers) does.
///
/// A mutex lends nothing: the task that has it goes on with its own budget.
///
/// The rule sees one server at a time, so [`Rule::RECLAIMS`] has no meaning here, and an order whose
/// keys change while tasks run ([`Order::DYNAMIC`]) does not, either; neither is compiled.
/// To admit a task is O(tasks) where it names a server; every other call is one operation of a queue of
/// tasks, or two where a budget is used up or replenished.
pub struct GlobalServers<R: Rule, O: Order, S: Storage, C: Storage> {
    rule: R,
    order: O,
    rows: S::Table<Row<R::State>>,
    background: Members<O, S>,
    linked: Linked<Key<O>, S::Sorted<Key<O>>, C>,
    /// The servers that wait for a budget, by the instant; they have the numbers of their tasks.
    throttled: S::Sorted<Time>,
    admission: Admission,
    cpus: u8,
}

/// The key of a server, or one behind all of them and that of the order.
type Key<O> = (Time, <O as Order>::Key);

#[derive(Clone, Copy)]
struct Row<T> {
    account: Account<T>,
    /// Since when the task has had no job, if it has none.
    idle_since: Time,
    member: Member,
}

/// Where a task runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    No,
    /// In a server of its own; by which name, if it names one.
    Server(Option<u16>),
    Background,
}

/// The keys of all tasks.
struct Urgency<'a, R: Rule, O: Order, S: Storage> {
    rule: &'a R,
    rows: &'a S::Table<Row<R::State>>,
    background: &'a Members<O, S>,
}

impl<'a, R: Rule, O: Order, S: Storage> Urgency<'a, R, O, S> {
    fn new(rule: &'a R, rows: &'a S::Table<Row<R::State>>, background: &'a Members<O, S>) -> Self {
        Urgency {
            rule,
            rows,
            background,
        }
    }
}

impl<R: Rule, O: Order, S: Storage> Keys<Key<O>> for Urgency<'_, R, O, S> {
    const DYNAMIC: bool = false;

    fn key(&self, task: TaskId) -> Key<O> {
        let row = &self.rows[task.index()];
        if row.member == Member::Background {
            return (Time::NEVER, self.background.key(task));
        }
        (self.rule.key(&row.account), O::Key::default())
    }

    fn running(&self, task: TaskId, _: Time) -> Key<O> {
        self.key(task)
    }
}

impl<R: Rule, O: Order, S: Storage, C: Storage> GlobalServers<R, O, S, C> {
    /// The policy without tasks, for the CPUs 0 to `cpus` - 1, at most 128, with room for task ids
    /// below `capacity` (storages whose size is part of their type have room for that many
    /// instead). No more is admitted than `admission` says.
    #[inline(never)]
    pub fn new(rule: R, order: O, admission: Admission, capacity: usize, cpus: usize) -> Self {
        const {
            assert!(!R::RECLAIMS, "the rule would have to know all CPUs");
            assert!(!O::DYNAMIC, "keys would have to be kept up to date");
        }
        let row = Row {
            account: Account::default(),
            idle_since: Time::ZERO,
            member: Member::No,
        };
        GlobalServers {
            rule,
            order,
            rows: Table::new(capacity, row),
            background: Members::new(capacity),
            linked: Linked::new(capacity, cpus),
            throttled: Queue::new(capacity),
            admission,
            // At most 128.
            cpus: u8::try_from(cpus).unwrap_or(u8::MAX),
        }
    }

    /// What the server of `task` may use; `None`: it has none.
    pub fn account(&self, task: TaskId) -> Option<&Account<R::State>> {
        let row = self.rows.find(task.index())?;
        matches!(row.member, Member::Server(_)).then_some(&row.account)
    }

    fn key(&self, task: TaskId) -> Key<O> {
        Urgency::new(&self.rule, &self.rows, &self.background).key(task)
    }

    /// A server with a task, that is in no queue, is put where it belongs.
    fn enqueue(&mut self, here: CpuId, task: TaskId, supply: Supply) -> Resched {
        match supply {
            Supply::Available => {
                let keys = Urgency::new(&self.rule, &self.rows, &self.background);
                self.linked.enqueue(&keys, here, task, End::Tail)
            }
            Supply::Throttled(until) => {
                self.throttled.insert(task, until, End::Tail);
                Resched::None
            }
        }
    }

    /// Asks the rule about a server that has used up its budget, and has a task.
    fn exhaust(&mut self, task: TaskId, now: Time) -> Resched {
        let account = &mut self.rows[task.index()].account;
        if !account.is_exhausted() || !self.linked.is_queued(task) {
            return Resched::None;
        }
        let supply = self.rule.exhausted(account, now);
        let keys = Urgency::new(&self.rule, &self.rows, &self.background);
        match supply {
            Supply::Available => self.linked.rotate(&keys, task, End::Tail),
            Supply::Throttled(until) => {
                let resched = self.linked.dequeue(&keys, task);
                self.throttled.insert(task, until, End::Tail);
                resched
            }
        }
    }

    /// The task is in no queue any more.
    fn dequeue(&mut self, task: TaskId) -> Resched {
        let left = self.linked.leave(task);
        if self.throttled.remove(task).is_some() {
            return left;
        }
        let keys = Urgency::new(&self.rule, &self.rows, &self.background);
        left.and(self.linked.dequeue(&keys, task))
    }

    /// What the task is from now on, if it may be: the server's name and reservation, or what it
    /// tells the order.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    fn check(&self, seat: &Seat<O::Params>) -> Result<(Member, Reservation), Refused> {
        let (name, reservation) = match seat {
            Seat::Own(reservation) => (None, *reservation),
            Seat::Shared(name, reservation) => (Some(*name), *reservation),
            Seat::Background(params) => {
                let has_level = |key| self.linked.accepts((Time::NEVER, key));
                Members::<O, S>::check(&self.order, params, has_level)?;
                return Ok((Member::Background, Reservation::default()));
            }
        };
        reservation.check()?;
        Ok((Member::Server(name), reservation))
    }

    fn member(&self, task: TaskId) -> Option<Member> {
        self.rows.find(task.index()).map(|row| row.member)
    }
}

impl<R: Rule, O: Order, S: Storage, C: Storage> Policy for GlobalServers<R, O, S, C> {
    type Params = Seat<O::Params>;
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK
        .and(Wants::USAGE)
        .and(Wants::BURSTS)
        .and(Wants::ALARMS)
        .and(Wants::PREEMPTED)
        .and(Wants::RESULTS.when(R::RESULTS))
        .and(Wants::BUDGETS.when(R::ENFORCES));

    fn capacity(&self) -> usize {
        self.rows.capacity()
    }

    /// # Errors
    /// [`Refused::Invalid`] for a reservation that makes no sense, or a server that another task has;
    /// [`Refused::Overload`] if all servers ask for too much with this one.
    fn admit(&mut self, task: TaskId, seat: Self::Params, _: Time) -> Result<(), Refused> {
        match self.member(task) {
            None => return Err(Refused::Full),
            Some(Member::No) => {}
            Some(_) => return Err(Refused::Member),
        }
        let (member, reservation) = self.check(&seat)?;
        let mut rows = (0..self.rows.capacity()).map(|row| self.rows[row].member);
        if matches!(member, Member::Server(Some(_))) && rows.any(|other| other == member) {
            return Err(Refused::Invalid(Parameter::Server));
        }
        let nothing = Reservation::default();
        self.admission.change(&nothing, &reservation)?;
        if let Seat::Background(params) = seat {
            self.background.admit(&self.order, task, params)?;
        }
        let row = &mut self.rows[task.index()];
        *row = Row {
            account: Account::new(nothing),
            idle_since: Time::ZERO,
            member,
        };
        self.rule.reserve(&mut row.account, reservation);
        self.linked.forget(task);
        Ok(())
    }

    /// From now on the server of the task has another reservation. In the background the task tells
    /// the order something else.
    ///
    /// # Errors
    /// [`Refused::Invalid`] also if that is another place: for that a task is retired and admitted;
    /// [`Refused::Overload`] if all servers ask for too much then.
    fn adjust(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<Resched, Refused> {
        let before = match self.member(task) {
            None | Some(Member::No) => return Err(Refused::NotAdmitted),
            Some(before) => before,
        };
        let (member, reservation) = self.check(&seat)?;
        if member != before {
            return Err(Refused::Invalid(Parameter::Server));
        }
        let old = self.key(task);
        if let Seat::Background(params) = seat {
            self.background.adjust(&self.order, task, params)?;
        } else {
            let account = &mut self.rows[task.index()].account;
            self.admission.change(&account.reservation, &reservation)?;
            self.rule.reserve(account, reservation);
        }
        let is_moved = self.key(task) != old;
        let keys = Urgency::new(&self.rule, &self.rows, &self.background);
        let mut resched = self
            .linked
            .runs_on(task)
            .map_or(Resched::None, Resched::One);
        if is_moved {
            resched = resched.and(self.linked.requeue(&keys, task));
        }
        if member != Member::Background {
            resched = resched.and(self.exhaust(task, now));
        }
        Ok(resched)
    }

    fn retire(&mut self, task: TaskId, _: Time) {
        let row = &mut self.rows[task.index()];
        match core::mem::replace(&mut row.member, Member::No) {
            Member::No => {}
            Member::Server(_) => {
                let nothing = Reservation::default();
                // Nothing is admitted always.
                let _ = self.admission.change(&row.account.reservation, &nothing);
                self.rule.reserve(&mut row.account, nothing);
            }
            Member::Background => self.background.retire(task),
        }
    }

    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        let row = &mut self.rows[task.index()];
        if row.member == Member::Background {
            self.background.ready(&self.order, task, why);
            return self.enqueue(here, task, Supply::Available);
        }
        let arrival = Arrival::of(why, row.idle_since, now);
        let supply = self.rule.arrives(&mut row.account, arrival);
        self.enqueue(here, task, supply)
    }

    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let is_gone = matches!(why, Stop::Blocked | Stop::Completed);
        let row = &mut self.rows[task.index()];
        if row.member == Member::Background {
            let slice_is_over = self.background.stopped(&self.order, task, used, why);
            if is_gone {
                return self.dequeue(task);
            }
            let keys = Urgency::new(&self.rule, &self.rows, &self.background);
            if slice_is_over {
                return self
                    .linked
                    .rotate(&keys, task, End::Tail)
                    .and(Resched::One(cpu));
            }
            return Resched::One(cpu);
        }
        self.rule.charge(&mut row.account, used.time, now);
        if is_gone {
            row.idle_since = now;
            // No rule that is compiled here waits for something then.
            let _ = self.rule.emptied(&mut row.account, now);
            return self.dequeue(task);
        }
        if why == Stop::Yielded {
            self.rule.yields(&mut row.account);
        }
        self.exhaust(task, now).and(Resched::One(cpu))
    }

    fn ended(&mut self, task: TaskId, result: u8, _: Time) {
        let row = &mut self.rows[task.index()];
        if R::RESULTS && row.member != Member::Background {
            self.rule.ended(&mut row.account, result);
        }
    }

    /// Budgets that have come are those of CPU 0's alarm.
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let mut resched = Resched::None;
        while let Some(task) = self.throttled.first()
            && let Some(due) = self.throttled.key(task)
            && due <= now
        {
            self.throttled.take(task);
            let account = &mut self.rows[task.index()].account;
            let supply = self.rule.replenish(account, due, now);
            resched = resched.and(self.enqueue(cpu, task, supply));
        }
        resched
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        let first = self.throttled.first().filter(|_| cpu == CpuId(0))?;
        self.throttled.key(first)
    }

    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let task = self.linked.pick(cpu, now)?;
        let row = &self.rows[task.index()];
        if row.member == Member::Background {
            return Some(self.background.dispatch(&self.order, task));
        }
        let dispatch = Dispatch::of(task);
        Some(match self.rule.burst(&row.account) {
            Some(burst) => dispatch.for_at_most(burst),
            None => dispatch,
        })
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        self.account(task).map(|_| ServerId::of(task))
    }

    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        let account = self.account(server.task()).filter(|_| R::ENFORCES)?;
        shared::budget(&self.rule, account, used, now)
    }

    /// By the keys of their servers; what runs in the background is less urgent.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        self.key(a).cmp(&self.key(b))
    }
}
