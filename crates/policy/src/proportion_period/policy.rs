//! The policy: servers, and what the controllers know of each task.

use super::levels::Levels;
use super::part::Sum;
use super::promise::Offer;
use super::serving::{OnCpu, Serving};
use super::{
    BestEffort, ControllerPlace, Part, Period, Periods, Proportion, Reading, Request, Reserves,
    Settings, Share,
};
use crate::forward::forward;
use crate::policy::{
    Budget, Dispatch, Fill, ONLY_CPU, Policy, Ready, Refused, Resched, Reserve, Stop, Usage, Wants,
};
use crate::servers::{Reservation, Seat, Servers};
use crate::storage::{Storage, Table};
use flyball_trace::{CpuId, Duration, ServerId, Slot, TaskId, Time};

/// Reservations that set themselves, on one CPU; `B` schedules what is left of it
/// ([`BestEffort::LeftOver`]).
pub type ProportionPeriod<B, S> = Controlled<Servers<Reserves, B, S>, S>;

/// Reservations that set themselves, and `V` serves.
///
/// All calls are those of the servers, and O(1) besides, but for the alarm of the controllers, which is O(tasks + ends of
/// queues), a few times that in overload, and O(tasks) for each level of importance where tasks say more than there is.
#[repr(C)]
pub struct Controlled<V: Serving, S: Storage> {
    pub(super) servers: V,
    pub(super) settings: Settings,
    /// When the controllers run next; [`Time::NEVER`]: they have nothing to adapt, or no task has been ready yet.
    pub(super) next: Time,
    /// How many times they have run.
    pub(super) control_runs: u32,
    /// How many members have a share or period that the controllers may adapt at the policy's alarm; none if a thread runs
    /// them.
    adapted: u16,
    /// When a thread has run the controllers last.
    pub(super) thread_ran: Option<Time>,
    /// No task from here on is admitted.
    pub(super) last: u16,
    /// What members have said that they need, together.
    pub(super) fixed: V::Sum,
    pub(super) cpus: <V::Cpus as Storage>::Table<OnCpu>,
    pub(super) members: S::Table<Member>,
    pub(super) levels: Levels<S>,
}

/// A task and its two controllers.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Member {
    pub request: Request,
    pub is_admitted: bool,
    /// It is ready or runs.
    pub is_queued: bool,
    /// It runs where no server does.
    pub is_in_background: bool,
    /// It has sent or received.
    pub is_tied: bool,
    /// Its share has been squished.
    pub is_squished: bool,
    /// The share that it asks for, that it gets, and its period.
    pub wanted: Part,
    pub share: Part,
    pub period: Period,
    /// When the period ends that the marks are of.
    pub ends: Time,
    pub proportion: Proportion,
    pub reading: Reading,
    /// The largest swing of its queues, in 2⁻¹⁶ of their capacity.
    pub burst: u32,
    /// [`Share::missed`], as it was when it was looked at last.
    pub missed: u16,
    /// What it has of the share that it says.
    pub offer: Offer,
}

impl<B: Policy<Params: Default>, S: Storage> ProportionPeriod<B, S> {
    /// The policy without tasks, with room for task ids below `capacity` (storages whose size is
    /// part of their type have room for that many instead).
    #[inline(never)]
    pub fn new(settings: Settings, background: B, capacity: usize) -> Self {
        let rule = Reserves {
            order: settings.order,
            denies: settings.denies,
        };
        let servers = Servers::new(rule, background, capacity);
        Controlled::of(settings, servers, capacity)
    }
}

impl<V: Serving, S: Storage> Controlled<V, S> {
    /// The controllers, without tasks, above `servers`.
    #[inline]
    pub(super) fn of(settings: Settings, servers: V, capacity: usize) -> Self {
        let nothing = Member {
            request: Request::NOTHING,
            is_admitted: false,
            is_queued: false,
            is_in_background: false,
            is_tied: false,
            is_squished: false,
            wanted: Part::NOTHING,
            share: Part::NOTHING,
            period: Period::default(),
            ends: Time::ZERO,
            proportion: Proportion::default(),
            reading: Reading::default(),
            burst: 0,
            missed: 0,
            offer: Offer::default(),
        };
        let cpus = Table::new(servers.cpus(), OnCpu::default());
        Controlled {
            servers,
            settings,
            next: Time::NEVER,
            control_runs: 0,
            adapted: 0,
            thread_ran: None,
            last: 0,
            fixed: V::Sum::default(),
            cpus,
            members: Table::new(capacity, nothing),
            levels: Levels::new(settings.sensing, capacity),
        }
    }

    /// What a task has said, and its class.
    fn begin(&self, request: Request, now: Time) -> Member {
        let settings = &self.settings;
        let is_best_effort = request.share.is_none();
        let otherwise = if is_best_effort {
            settings.periods.longest
        } else {
            settings.periods.start
        };
        let period = request.period.unwrap_or(otherwise);
        Member {
            request,
            is_admitted: true,
            is_queued: false,
            is_in_background: is_best_effort && settings.best_effort == BestEffort::LeftOver,
            is_tied: false,
            is_squished: false,
            wanted: request.share.unwrap_or(super::LEAST),
            share: Part::NOTHING,
            period: Period::of(period),
            ends: now + period,
            proportion: Proportion::default(),
            reading: Reading::default(),
            burst: 0,
            missed: 0,
            offer: Offer::default(),
        }
    }

    /// The controllers run while there is something to adapt, from when the first task is ready.
    fn count(&mut self, request: &Request, by: i16) {
        if self.controls_it(request) && self.settings.controller == ControllerPlace::Kernel {
            self.adapted = self.adapted.saturating_add_signed(by);
        }
        if self.adapted == 0 {
            self.next = Time::NEVER;
        }
    }

    /// Whether the controllers have something to do with a task that says this.
    fn controls_it(&self, request: &Request) -> bool {
        request.adapts() || self.settings.renegotiates
    }

    /// A task goes from the background to a server, or the other way.
    #[cold]
    #[inline(never)]
    pub(super) fn reseat(&mut self, task: TaskId, share: Option<Part>, now: Time) -> Resched {
        let member = &mut self.members[task.index()];
        member.is_in_background = share.is_none();
        let is_queued = member.is_queued;
        let seat = share.map_or_else(background, |share| own(share, member.period.length));
        self.servers.reseat(task, seat, is_queued, now)
    }

    /// What of all CPUs shares that tasks say may be together.
    pub(super) fn for_fixed(&self) -> V::Sum {
        let each = self.settings.limit.without(self.settings.spare);
        Sum::times(each, self.servers.cpus())
    }

    /// The share that a task has now and from its next period on, and its period; `None`: it has no reservation.
    pub fn reservation(&self, task: TaskId) -> Option<(Share, Duration)> {
        let account = self.servers.account(task)?;
        Some((account.state, account.reservation.period))
    }

    /// How many ends of queues are known: a task that sends to a queue, or receives from it, is one.
    pub fn ends(&self) -> usize {
        self.levels.ends()
    }
}

/// A place where no server is.
pub(super) fn background<P: Default>() -> Seat<P> {
    Seat::Background(P::default())
}

/// A server of a task's own.
fn own<P>(share: Part, period: Duration) -> Seat<P> {
    Seat::Own(Reservation::every(period, share.in_period(period)))
}

impl<V: Serving, S: Storage> Policy for Controlled<V, S> {
    type Params = Request;
    type Settings = ();

    const WANTS: Wants = V::WANTS.and(Wants::LEVELS);

    forward! { servers: capacity server_of compare inherit }

    /// With the reservation, of a task whose share or period may be adapted.
    fn budget(&self, server: ServerId, used: Duration, now: Time) -> Option<Budget> {
        let budget = self.servers.budget(server, used, now)?;
        // Each has the number of its task: none is shared.
        let task = TaskId::from_index(server.index());
        let member = &self.members[task.index()];
        let reserve = || {
            let (share, period) = self.reservation(task)?;
            Some(Reserve {
                share: share.now.0,
                period,
                is_squished: member.is_squished,
            })
        };
        let reserve = self.controls_it(&member.request).then(reserve).flatten();
        Some(Budget { reserve, ..budget })
    }

    fn has_alarms(&self) -> bool {
        self.adapted > 0 || self.servers.has_alarms()
    }

    /// # Errors
    /// [`Refused::Invalid`] for a share, a period or an importance out of range; [`Refused::Overload`] if all that say
    /// shares ask for too much with this one.
    fn admit(&mut self, task: TaskId, request: Request, now: Time) -> Result<(), Refused> {
        request.check()?;
        match self.members.find(task.index()) {
            None => return Err(Refused::Full),
            Some(member) if member.is_admitted => return Err(Refused::Member),
            Some(_) => {}
        }
        self.check(task, &request)?;
        let member = self.begin(request, now);
        let seat = if member.is_in_background {
            background()
        } else {
            own(member.wanted, member.period.length)
        };
        self.servers.admit(task, seat, now)?;
        self.members[task.index()] = member;
        self.last = self.last.max(task.0 + 1);
        self.fixed = self.said();
        self.count(&request, 1);
        // Shares get smaller by that, if they change.
        let _ = self.divide(now);
        Ok(())
    }

    /// # Errors
    /// As for [`Policy::admit`].
    fn adjust(&mut self, task: TaskId, request: Request, now: Time) -> Result<Resched, Refused> {
        request.check()?;
        let member = self.members.find(task.index()).copied();
        let member = member.filter(|member| member.is_admitted);
        let old = member.ok_or(Refused::NotAdmitted)?;
        self.check(task, &request)?;
        let mut begun = self.begin(request, now);
        if old.is_tied {
            // What has been learned stays.
            begun.wanted = request.share.unwrap_or(old.wanted);
            let Periods {
                shortest, longest, ..
            } = self.settings.periods;
            begun.period = old.period;
            let length = old.period.length.clamp(shortest, longest);
            begun.period.length = request.period.unwrap_or(length);
        }
        let is_in_background = begun.is_in_background && !old.is_tied;
        self.members[task.index()] = Member {
            is_tied: old.is_tied,
            is_queued: old.is_queued,
            is_in_background,
            proportion: old.proportion,
            ..begun
        };
        self.fixed = self.said();
        self.count(&old.request, -1);
        self.count(&request, 1);
        let mut resched = Resched::None;
        if old.is_in_background != is_in_background {
            let share = (!is_in_background).then_some(begun.wanted);
            resched = self.reseat(task, share, now);
        }
        Ok(resched.and(self.divide(now)))
    }

    fn control(&mut self, _cpu: CpuId, now: Time) -> Resched {
        self.control_by_thread(now)
    }

    fn retire(&mut self, task: TaskId, now: Time) {
        let member = &mut self.members[task.index()];
        member.is_admitted = false;
        let request = member.request;
        while self.last > 0 && !self.members[usize::from(self.last) - 1].is_admitted {
            self.last -= 1;
        }
        self.servers.retire(task, now);
        self.levels.forget(task);
        self.fixed = self.said();
        self.count(&request, -1);
    }

    #[inline]
    fn ready(&mut self, here: CpuId, task: TaskId, why: Ready, now: Time) -> Resched {
        self.members[task.index()].is_queued = true;
        if self.adapted > 0 && self.next.is_never() {
            self.next = now + self.settings.interval;
        }
        self.servers.ready(here, task, why, now)
    }

    #[inline]
    fn stopped(&mut self, cpu: CpuId, task: TaskId, used: Usage, why: Stop, now: Time) -> Resched {
        let member = &mut self.members[task.index()];
        if matches!(why, Stop::Blocked | Stop::Completed) {
            member.is_queued = false;
        }
        let on = &mut self.cpus[cpu.index()];
        if on.running.holds(task) {
            member.reading.add(used.time.saturating_sub(on.counted));
            on.running = Slot::EMPTY;
        }
        self.levels.switches();
        self.servers.stopped(cpu, task, used, why, now)
    }

    #[inline]
    fn filled(&mut self, mut fill: Fill<'_>, now: Time) {
        if let Some(task) = self.levels.filled(&mut fill) {
            let member = &mut self.members[task.index()];
            if !core::mem::replace(&mut member.is_tied, true) {
                self.tie(task, now);
            }
        }
    }

    #[inline]
    fn refilled(&mut self, fill: Fill<'_>) -> bool {
        self.levels.refilled(&fill)
    }

    fn next_alarm(&self, cpu: CpuId) -> Option<Time> {
        let servers = self.servers.next_alarm(cpu).unwrap_or(Time::NEVER);
        if V::SEVERAL && cpu != ONLY_CPU {
            return Some(servers).filter(|next| !next.is_never());
        }
        Some(servers.min(self.next)).filter(|next| !next.is_never())
    }

    #[inline(never)]
    fn alarm(&mut self, cpu: CpuId, now: Time) -> Resched {
        let resched = self.servers.alarm(cpu, now);
        if now < self.next {
            return resched;
        }
        // Intervals that the kernel could not see are left out.
        let late = now.since(self.next);
        let interval = self.settings.interval;
        self.next += interval * (late / interval + 1);
        resched.and(self.run_controllers(interval, now))
    }

    fn control_runs(&self) -> u32 {
        self.control_runs
    }

    #[inline]
    fn pick(&mut self, cpu: CpuId, now: Time) -> Option<Dispatch> {
        let dispatch = self.servers.pick(cpu, now);
        let on = &mut self.cpus[cpu.index()];
        on.running = dispatch.map_or(Slot::EMPTY, |dispatch| Slot::of(dispatch.task));
        (on.since, on.counted) = (now, Duration::ZERO);
        dispatch
    }
}
