//! SOOS: a kernel of servers that are scheduled in slots.
//!
//! Each task has a server with a budget and a period. A timer cuts time into slots. At the beginning
//! of each slot the kernel *reactivates* the servers that are due: they have a whole budget, up to a
//! deadline, and are put into the list of those that are ready. The one with the nearest deadline has
//! the slot. When its job ends within the slot, the second of the list runs at once. Whatever is left
//! of the slot after that goes to the background, the paper's dummy task.
//!
//! ```text
//!  all servers                     list                           this slot
//!  [A: due at 30 ms]  ---------->  [C until 40 ms] first  ----->  |CCCCC|DDDDDDD|..|  background
//!  [B: waits for a job]  at the    [D until 60 ms] second ----->        ^       ^
//!  [C] [D] [E]           slot      [E until 70 ms]                      C ends  D ends
//! ```
//!
//! The first slot begins when the first job of a server comes.
//!
//! Source: Donari, Ordinez, Santos and Orozco, *Kernel internals for real-time*, with BIDS as its
//! servers ([`Bids`]). Each improvement of the paper can be left out ([`Switches`], and the
//! queue that is the list). *Reconstructed*, since the paper does not say it:
//!
//! * A server is reactivated when a job has come and its period is over, and not by the period alone,
//!   as it is the clock of the kernel that releases jobs. Its deadline counts from that instant, not
//!   from the slot at which the kernel sees it; so nothing drifts where periods are not whole slots.
//! * A budget ends in the instant at which it is used up, and the rest of the slot is given away as
//!   at the end of a job. A hard server is reactivated when the period is over, a soft one at once,
//!   but with the deadline of that next period.
//! * A task that waits is charged with the rest of its slot, where no other server may have it.
//! * A task that goes on after a wait has what was left of its budget, if that is no more than its
//!   share, as guaranteed below, of the time from the slot up to the deadline. Otherwise its server is
//!   reactivated.
//!
//! # What is guaranteed
//!
//! Work is seen at slots only. A server that comes within a slot has waited for up to a slot *s* when
//! it is seen; and where the rest of a slot is wasted, it is as if the server had used it that
//! ended last. So with budgets Q within deadlines D, a hard server has its budget by its deadline,
//! whatever the tasks of others ask for, if the sum of Q′ ÷ (D − *s*) is at most 1, where Q′ is
//!
//! * Q rounded up to whole slots with [`Slack::None`], as a server has whole slots;
//! * Q + *s* with [`Slack::One`], as every other server that ends wastes less than a slot;
//! * Q with [`Slack::All`], where nothing is wasted.
//!
//! D − *s* is D where all arrivals and periods are whole slots, and no task waits within a job. (Servers are seen as jobs of EDF with
//! a release jitter of *s*; the test by density is sufficient.)
//!
//! Complexity: see the queue. A slot at which a server is due is O(servers), any other one O(1) with
//! [`Reactivation::Next`].

mod server;
mod switches;

pub use switches::{Reactivation, Slack, Switches};

use crate::policy::{
    Budget, Dispatch, ONLY_CPU, Parameter, Policy, Ready, Refused, Resched, Stop, Usage, Wants,
};
use crate::queue::{End, Queue};
use crate::servers::{Bids, Seat};
use crate::storage::{Storage, Table};
use core::cmp::Ordering;
use flyball_trace::{CpuId, Duration, ServerId, Slot, TaskId, Time};
use server::{Member, Server};

/// SOOS on one CPU. Its list of servers is a `Q`; `B` schedules tasks without a server, when there
/// is no server to run.
///
/// A task that waits for a mutex does not lend its server to the owner.
pub struct Soos<Q: Queue<Time>, B> {
    switches: Switches,
    /// By the numbers of their tasks.
    servers: <Q::Storage as Storage>::Table<Server>,
    /// All servers are before this row.
    end: usize,
    /// Those that are ready, by deadline.
    list: Q,
    /// No server is due before.
    next_reactivation: Time,
    /// The server that has the CPU.
    running: Slot,
    /// Whether the rest of this slot has been given to another one.
    is_shared: bool,
    /// The beginning of this slot, as the kernel noticed it.
    began: Time,
    /// When the next one begins; [`Time::NEVER`]: no job has come yet.
    next_slot: Time,
    background: B,
}

impl<Q: Queue<Time>, B: Policy> Soos<Q, B> {
    /// The policy without tasks, with room for as many as the empty `list` has room for.
    #[inline(never)] // As most here, since images of all policies are smaller by that.
    pub fn new(switches: Switches, list: Q, background: B) -> Self {
        let capacity = list.capacity();
        let slot = switches.slot.max(Duration::from_nanos(1));
        Soos {
            switches: Switches { slot, ..switches },
            servers: Table::new(capacity, Server::NONE),
            end: 0,
            list,
            next_reactivation: Time::NEVER,
            running: Slot::EMPTY,
            is_shared: false,
            began: Time::ZERO,
            next_slot: Time::NEVER,
            background,
        }
    }

    fn is_in_background(&self, task: TaskId) -> bool {
        self.servers[task.index()].member == Member::Background
    }

    /// A server with work is due at `at`, or when it may be reactivated.
    #[inline]
    fn wait(&mut self, task: TaskId, at: Time) {
        let server = &mut self.servers[task.index()];
        server.due = at.max(server.next);
        self.next_reactivation = self.next_reactivation.min(server.due);
    }

    /// A server with work, which is in no list, goes into the list, or waits for a budget.
    #[inline]
    fn enlist(&mut self, task: TaskId) {
        let server = &mut self.servers[task.index()];
        while server.budget().is_zero() {
            let next = server.next_period();
            let budgets = self.switches.bids.budgets;
            if budgets.is_hard_for(&server.reservation) {
                return self.wait(task, next);
            }
            server.reactivate(next);
        }
        self.list.put(task, server.deadline(), End::Tail);
    }

    /// A server of the list that has used up its budget is postponed.
    #[inline(never)]
    fn postpone(&mut self, task: TaskId) {
        if self.list.remove(task).is_some() {
            self.enlist(task);
        }
    }

    /// Reactivates the servers that are due, in the order of their numbers.
    #[inline]
    fn reactivate(&mut self, now: Time) {
        let looks = self.switches.reactivation == Reactivation::EverySlot;
        if looks || now >= self.next_reactivation {
            self.reactivate_due(now);
        }
    }

    #[inline(never)]
    fn reactivate_due(&mut self, now: Time) {
        let mut next = Time::NEVER;
        for row in 0..self.end {
            let mut due = self.servers[row].due;
            if due <= now {
                due = self.reactivate_one(row, now);
            }
            next = next.min(due);
        }
        self.next_reactivation = next;
    }

    /// Reactivates the server of this row, which is due. Returns when it is due next.
    #[inline(never)]
    fn reactivate_one(&mut self, row: usize, now: Time) -> Time {
        loop {
            let server = &mut self.servers[row];
            if server.begins_anew(&self.switches, now) {
                server.reactivate(server.due);
            }
            server.due = Time::NEVER;
            self.enlist(TaskId::from_index(row));
            let due = self.servers[row].due;
            if due > now {
                return due;
            }
        }
    }

    /// Gives the rest of the slot to the next server, when `task` has given up the CPU.
    #[inline(never)]
    fn give_up(&mut self, task: TaskId, why: Stop, now: Time) {
        let goes_on = match self.switches.slack {
            Slack::None => false,
            Slack::One => !core::mem::replace(&mut self.is_shared, true),
            Slack::All => true,
        };
        self.running = Slot::EMPTY;
        if goes_on {
            self.running = self.list.first().into();
        } else if why == Stop::Blocked {
            self.servers[task.index()].wasted += self.next_slot.since(now);
        }
    }

    /// What `resched` says of the background, if that has the CPU.
    fn in_background(&self, resched: Resched) -> Resched {
        if self.running.is_empty() {
            resched
        } else {
            Resched::None
        }
    }
}

impl<Q: Queue<Time>, B: Policy> Policy for Soos<Q, B> {
    type Params = Seat<B::Params>;
    type Settings = ();

    const WANTS: Wants = Wants::CLOCK
        .and(Wants::USAGE)
        .and(Wants::BURSTS)
        .and(Wants::ALARMS)
        .and(Wants::PREEMPTED)
        .and(Wants::RESULTS)
        .and(Wants::BUDGETS)
        .and(B::WANTS);

    fn capacity(&self) -> usize {
        self.servers.capacity()
    }

    /// Whether all servers fit is not asked.
    ///
    /// # Errors
    /// [`Refused::Invalid`] for a reservation that makes no sense, or for a server that another task
    /// has.
    #[inline(never)]
    fn admit(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<(), Refused> {
        let row = task.index();
        match self.servers.find(row) {
            None => return Err(Refused::Full),
            Some(server) if server.member != Member::No => return Err(Refused::Member),
            Some(_) => {}
        }
        let (name, reservation) = match seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(params) => {
                self.background.admit(task, params, now)?;
                self.servers[row].member = Member::Background;
                return Ok(());
            }
        };
        reservation.check()?;
        let member = Member::Server(name);
        if name.is_some() && (0..self.end).any(|row| self.servers[row].member == member) {
            return Err(Refused::Invalid(Parameter::Server));
        }
        self.end = self.end.max(row + 1);
        self.servers[row] = Server {
            member,
            reservation,
            ..Server::NONE
        };
        Ok(())
    }

    /// From now on the server of the task has another reservation. The deadline that it has in the
    /// list stays.
    ///
    /// # Errors
    /// As [`Policy::admit`], and [`Refused::Invalid`] if that is another place.
    #[inline(never)]
    fn adjust(&mut self, task: TaskId, seat: Self::Params, now: Time) -> Result<Resched, Refused> {
        let member = self.servers.find(task.index()).map(|it| it.member);
        let (name, reservation) = match (member.unwrap_or(Member::No), seat) {
            (Member::No, _) => return Err(Refused::NotAdmitted),
            (Member::Background, Seat::Background(params)) => {
                let resched = self.background.adjust(task, params, now)?;
                return Ok(self.in_background(resched));
            }
            (Member::Server(_), Seat::Own(reservation)) => (None, reservation),
            (Member::Server(_), Seat::Shared(name, reservation)) => (Some(name), reservation),
            _ => return Err(Refused::Invalid(Parameter::Server)),
        };
        reservation.check()?;
        if member != Some(Member::Server(name)) {
            return Err(Refused::Invalid(Parameter::Server));
        }
        let server = &mut self.servers[task.index()];
        server.reservation = reservation;
        if server.budget().is_zero() {
            self.postpone(task);
        }
        // Its burst is another one.
        Ok(Resched::One(ONLY_CPU))
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        if self.is_in_background(task) {
            self.background.retire(task, now);
        }
        self.servers[task.index()] = Server::NONE;
    }

    /// A server sees its job at the next slot.
    #[inline(never)]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        if self.is_in_background(task) {
            let resched = self.background.ready(here, task, why, now);
            return self.in_background(resched);
        }
        let arrival = match why {
            // The clock said so, and the kernel has needed some time for it.
            Ready::Released { release } => release.min(now),
            Ready::Unblocked => now,
        };
        self.wait(task, arrival);
        if self.next_slot.is_never() {
            self.next_slot = arrival;
        }
        Resched::None
    }

    fn ended(&mut self, task: TaskId, result: u8, now: Time) {
        if self.is_in_background(task) {
            self.background.ended(task, result, now);
        } else {
            self.servers[task.index()].result = result;
        }
    }

    #[inline(never)]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        if self.is_in_background(task) {
            if why == Stop::Preempted && !B::WANTS.preempted {
                return Resched::None;
            }
            return self.background.stopped(cpu, task, used, why, now);
        }
        let server = &mut self.servers[task.index()];
        server.used += used.time;
        let is_out = matches!(why, Stop::Blocked | Stop::Completed);
        if is_out {
            server.due = Time::NEVER;
            server.next = Time::ZERO;
        }
        if why == Stop::Completed {
            let result = core::mem::take(&mut server.result);
            server.next = server.next_period();
            // Most jobs say nothing.
            let bids = &self.switches.bids;
            if result > 0 || bids.least > Bids::default().least {
                server.separate(bids, result);
            }
        }
        if is_out {
            self.list.remove(task);
        } else if server.budget().is_zero() {
            self.postpone(task);
            if now == self.began {
                // It was used up with the slot before, and this one has just been decided.
                self.reactivate(now);
                self.running = self.list.first().into();
                return Resched::One(cpu);
            }
        } else {
            return Resched::One(cpu);
        }
        if self.running.holds(task) {
            self.give_up(task, why, now);
        }
        Resched::One(cpu)
    }

    /// A slot begins: what has been put off is done, servers are reactivated, and the first of the
    /// list has the slot.
    #[inline(never)]
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let other = if B::WANTS.alarms {
            self.background.alarm(cpu, now)
        } else {
            Resched::None
        };
        if now < self.next_slot {
            return self.in_background(other);
        }
        let slot = self.switches.slot;
        self.began = now;
        self.next_slot += slot;
        if self.next_slot <= now {
            core::hint::cold_path();
            self.next_slot += slot * (now.since(self.next_slot) / slot + 1);
        }
        self.is_shared = false;
        self.list.settle();
        self.reactivate(now);
        let before = core::mem::replace(&mut self.running, self.list.first().into());
        if self.running == before {
            return self.in_background(other);
        }
        Resched::One(cpu)
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        let slot = Some(self.next_slot).filter(|slot| !slot.is_never());
        if !B::WANTS.alarms {
            return slot;
        }
        let other = self.background.next_alarm(cpu);
        [slot, other].into_iter().flatten().min()
    }

    #[inline(never)]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let Some(task) = self.running.get() else {
            return self.background.pick(cpu, now);
        };
        let budget = self.servers[task.index()].budget();
        Some(Dispatch::of(task).for_at_most(budget))
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        let server = self.servers.find(task.index())?;
        matches!(server.member, Member::Server(_)).then_some(ServerId::of(task))
    }

    fn budget(&self, server: ServerId, used: Duration, _: Time) -> Option<Budget> {
        let server = self.servers.find(server.index())?;
        (!server.last.is_never()).then(|| Budget {
            left: server.budget().saturating_sub(used),
            deadline: server.deadline(),
            reclaimed: Duration::ZERO,
            reserve: None,
        })
    }

    /// By the deadlines of their servers; what runs in the background is less urgent.
    fn compare(&self, a: TaskId, b: TaskId) -> Ordering {
        if self.is_in_background(a) && self.is_in_background(b) {
            return self.background.compare(a, b);
        }
        let rank = |task: TaskId| {
            let server = &self.servers[task.index()];
            (server.member == Member::Background, server.deadline())
        };
        rank(a).cmp(&rank(b))
    }

    fn inherit(&mut self, to: TaskId, from: Option<TaskId>, now: Time) -> Resched {
        let is_in = |task: TaskId| self.is_in_background(task);
        if !is_in(to) || !from.is_none_or(is_in) {
            return Resched::None;
        }
        let resched = self.background.inherit(to, from, now);
        self.in_background(resched)
    }
}
