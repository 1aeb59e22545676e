//! Follows the states of CPUs and tasks through a trace.
//!
//! Each state remembers since when it has lasted; what ends is written down. Nothing here trusts
//! the trace: times that go backwards, ends without a beginning and tasks in two places at once
//! leave gaps, but never overlaps.

use super::budgets::ServerState;
use super::queues::QueueState;
use super::reservations::ReservationState;
use super::{AtSpeed, CpuLane, Hold, Mark, Schedule, Slice, TaskLane, Wait, What, Work};
use flyball_trace::file::Trace;
use flyball_trace::{Cause, Duration, Event, Kind, Object, ServerId, Speed, TaskId, Time};
use std::collections::{BTreeMap, VecDeque};

/// The states of all CPUs and tasks at one instant, and what came before it.
pub(super) struct Follower {
    end: Time,
    cpus: Vec<CpuState>,
    tasks: Vec<TaskState>,
    servers: Vec<ServerState>,
    queues: Vec<QueueState>,
    reservations: Vec<ReservationState>,
}

#[derive(Clone, Default)]
struct CpuState {
    running: Option<(TaskId, u32)>,
    /// Everything before this is written down.
    since: Time,
    /// The operating point that was told last, and since when.
    speed: Option<(Speed, Time)>,
    lane: CpuLane,
}

struct TaskState {
    deadline: Option<Duration>,
    state: State,
    since: Time,
    /// The job that it is at, and the released ones that follow.
    job: u32,
    jobs: VecDeque<u32>,
    /// Since when it has owned which mutex.
    held: BTreeMap<u16, Time>,
    lane: TaskLane,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has nothing to do, or that is not known.
    Away,
    Running,
    Waiting(Option<Object>),
}

impl Follower {
    /// Nothing is known yet.
    pub(super) fn new(trace: &Trace) -> Follower {
        let deadlines = trace.header.tasks.iter().map(|task| task.deadline);
        Follower {
            end: trace.end(),
            cpus: vec![CpuState::default(); usize::from(trace.header.cpus)],
            tasks: deadlines.map(TaskState::new).collect(),
            servers: vec![ServerState::default(); trace.header.servers.len()],
            queues: vec![QueueState::default(); trace.header.queues.len()],
            reservations: vec![ReservationState::default(); trace.header.tasks.len()],
        }
    }

    pub(super) fn take(&mut self, event: Event) {
        let (Event { time, cpu, kind }, end) = (event, self.end);
        let server = kind.server().map(ServerId::index);
        if let Some(server) = server.and_then(|server| self.servers.get_mut(server)) {
            server.take(&event, end);
        }
        let queue = kind.queue().map(usize::from);
        if let Some(queue) = queue.and_then(|queue| self.queues.get_mut(queue)) {
            queue.take(&event, end);
        }
        if let Some(cpu) = self.cpus.get_mut(cpu.index()) {
            cpu.take(time, kind, end);
        }
        let Some(task) = kind.task().map(TaskId::index) else {
            return;
        };
        if let Some(task) = self.tasks.get_mut(task) {
            task.take(time, kind, end);
        }
        if let Some(reservation) = self.reservations.get_mut(task) {
            reservation.take(time, kind, end);
        }
    }

    /// What still lasts ends with the trace.
    pub(super) fn finish(self, start: Time) -> Schedule {
        let end = self.end;
        let cpus = self.cpus.into_iter().map(|mut cpu| {
            cpu.count(end, end);
            cpu.leave_speed(end, end);
            cpu.lane
        });
        let tasks = self.tasks.into_iter().map(|mut task| {
            task.become_now(State::Away, end, end);
            for (mutex, since) in std::mem::take(&mut task.held) {
                task.hold(mutex, since, end);
            }
            task.lane
                .marks
                .sort_by_key(|mark| (mark.time, mark.what, mark.job));
            task.lane
        });
        let reservations = self.reservations.into_iter();
        Schedule {
            start,
            end,
            cpus: cpus.collect(),
            tasks: tasks.collect(),
            servers: self.servers.into_iter().map(|it| it.finish(end)).collect(),
            queues: self.queues.into_iter().map(|it| it.finish(end)).collect(),
            reservations: reservations.map(|it| it.finish(end)).collect(),
        }
    }
}

impl CpuState {
    fn take(&mut self, now: Time, kind: Kind, end: Time) {
        match kind {
            Kind::Dispatch { task, job } => {
                self.count(now, end);
                self.running = Some((task, job));
            }
            Kind::Idle => {
                self.count(now, end);
                self.running = None;
            }
            Kind::Preempt { task, .. }
            | Kind::Block { task, .. }
            | Kind::Complete { task, .. }
            | Kind::Abort { task, .. }
            | Kind::Exit { task }
                if self.running.is_some_and(|(running, _)| running == task) =>
            {
                self.count(now, end);
                self.running = None;
            }
            Kind::Overhead { cause, length } => self.work(cause, now, length, end),
            Kind::Speed { speed } => {
                self.leave_speed(now, end);
                self.speed = Some((speed, now));
            }
            _ => {}
        }
    }

    /// The CPU is at the operating point that was told last up to `now`.
    fn leave_speed(&mut self, now: Time, end: Time) {
        let Some((speed, start)) = self.speed else {
            return;
        };
        let (start, end) = match self.lane.speeds.last() {
            Some(last) => (start.max(last.end), now.min(end)),
            None => (start, now.min(end)),
        };
        if start < end {
            self.lane.speeds.push(AtSpeed { speed, start, end });
        }
    }

    /// Counts the time up to `now` to the task that runs; it goes on running.
    fn count(&mut self, now: Time, end: Time) {
        let start = self.since;
        self.since = start.max(now);
        let now = now.min(end);
        let Some((task, job)) = self.running.filter(|_| start < now) else {
            return;
        };
        match self.lane.slices.last_mut() {
            Some(last) if (last.task, last.job, last.end) == (task, job, start) => last.end = now,
            _ => self.lane.slices.push(Slice {
                task,
                job,
                start,
                end: now,
            }),
        }
    }

    fn work(&mut self, cause: Cause, now: Time, length: Duration, end: Time) {
        let (start, until) = if cause == Cause::Cache {
            (now, now + length) // the job's own time goes on
        } else {
            self.count(now, end);
            let start = self.since;
            self.since = start.max(now + length);
            (start, self.since)
        };
        let until = until.min(end);
        if start < until {
            self.lane.kernel.push(Work {
                cause,
                start,
                end: until,
            });
        }
    }
}

impl TaskState {
    fn new(deadline: Option<Duration>) -> TaskState {
        TaskState {
            deadline,
            state: State::Away,
            since: Time::ZERO,
            job: 0,
            jobs: VecDeque::new(),
            held: BTreeMap::new(),
            lane: TaskLane::default(),
        }
    }

    fn take(&mut self, now: Time, kind: Kind, end: Time) {
        match kind {
            Kind::Release { job, deadline, .. } => self.release(now, job, deadline, end),
            Kind::Dispatch { job, .. } => {
                self.become_now(State::Running, now, end);
                self.job = job;
            }
            Kind::Preempt { job, .. } | Kind::Wake { job, .. } => {
                self.become_now(State::Waiting(None), now, end);
                self.job = job;
            }
            Kind::Block { job, on, .. } => {
                self.become_now(State::Waiting(Some(on)), now, end);
                self.job = job;
            }
            Kind::Complete { job, .. } => self.over(now, job, What::Complete, end),
            Kind::Abort { job, .. } => self.over(now, job, What::Abort, end),
            Kind::Miss { job, .. } => self.mark(now, job, What::Miss),
            Kind::Skip { job, .. } => {
                self.mark(now, job, What::Skip);
                // It may have been waiting.
                self.jobs.retain(|&other| other != job);
            }
            Kind::Exit { .. } => {
                self.become_now(State::Away, now, end);
                self.jobs.clear();
            }
            Kind::Lock { mutex, .. } => {
                self.held.insert(mutex, now);
            }
            Kind::Unlock { mutex, .. } => {
                if let Some(since) = self.held.remove(&mutex) {
                    self.hold(mutex, since, now.min(end));
                }
            }
            _ => {}
        }
    }

    fn release(&mut self, now: Time, job: u32, deadline: Time, end: Time) {
        let release = match self.deadline {
            // A kernel never tells of a release before it happens; a damaged trace might.
            Some(relative) if !deadline.is_never() => (deadline - relative).min(now),
            _ => now,
        };
        self.mark(release, job, What::Release);
        if !deadline.is_never() {
            self.mark(deadline, job, What::Deadline);
        }
        self.jobs.push_back(job);
        if self.state == State::Away {
            self.become_now(State::Waiting(None), release.max(self.since), end);
            self.job = job;
        }
    }

    /// A job is over, and those before it as well: jobs of a task are served in order, and their
    /// ends may have been dropped from the trace.
    fn over(&mut self, now: Time, job: u32, what: What, end: Time) {
        self.mark(now, job, what);
        while self.jobs.pop_front_if(|first| *first <= job).is_some() {}
        let next = self.jobs.front().copied();
        let state = next.map_or(State::Away, |_| State::Waiting(None));
        self.become_now(state, now, end);
        self.job = next.unwrap_or(0);
    }

    /// The state changes; the time until `now` counts to the old one.
    fn become_now(&mut self, state: State, now: Time, end: Time) {
        let until = now.min(end);
        if let State::Waiting(on) = self.state
            && self.since < until
        {
            let (job, start) = (self.job, self.since);
            self.lane.waits.push(Wait {
                job,
                on,
                start,
                end: until,
            });
        }
        self.state = state;
        self.since = self.since.max(now);
    }

    fn mark(&mut self, time: Time, job: u32, what: What) {
        self.lane.marks.push(Mark { time, job, what });
    }

    fn hold(&mut self, mutex: u16, start: Time, end: Time) {
        if start < end {
            self.lane.holds.push(Hold { mutex, start, end });
        }
    }
}
