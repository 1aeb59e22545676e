//! `sched-deadline` beside the `SCHED_DEADLINE` of SimSo 0.8.5: 500 random sets, whose jobs ask for up
//! to twice their budgets. `simso_sets.py` has written what SimSo does.
//!
//! A model in unit steps has each [`Departure`] of SimSo from Linux's rule as a switch. Without any it
//! does what the rule says, and with all of them what SimSo does: so they explain every difference.

use super::world::{Job, Work, run, units};
use flyball_policy::servers::{Alpha, Mode, Reservation, SchedDeadline, Seat};

/// What SimSo does in another way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Departure {
    /// When its job ends, a server loses its budget and its deadline; the next job gets new ones.
    Forgets,
    /// The next budget comes at the deadline, and its deadline is a period later. In Linux it comes at
    /// the end of the period.
    Early,
    /// The next budget comes whether the one before is used up or not. If the server executes then, it
    /// stops all the same when the one before would have been used up.
    Unasked,
    /// If a job ends at the instant at which a budget comes, the timer of the next budget is not stopped,
    /// and goes on beside that of the next job.
    Leaks,
    /// Of servers with one deadline the one that executes goes on, or else the first of the list is
    /// chosen. Here it is the one that has waited longest.
    Ties,
}

use Departure::{Early, Forgets, Leaks, Ties, Unasked};

const ALL: [Departure; 5] = [Forgets, Early, Unasked, Leaks, Ties];

/// A task, and the server that it has for itself.
#[derive(Clone, Copy)]
struct Task {
    phase: u64,
    period: u64,
    deadline: u64,
    budget: u64,
    length: u64,
}

impl Task {
    fn parse(word: &str) -> Task {
        let mut numbers = word.split(':').map(|it| it.parse().unwrap());
        let mut next = || numbers.next().unwrap();
        Task {
            phase: next(),
            period: next(),
            deadline: next(),
            budget: next(),
            length: next(),
        }
    }

    fn arrives_at(&self, t: u64) -> bool {
        t >= self.phase && (t - self.phase).is_multiple_of(self.period)
    }

    fn work(&self, end: u64) -> Work {
        let arrivals = (0..end).filter(|&t| self.arrives_at(t));
        Work {
            seat: Seat::Own(Reservation {
                budget: units(self.budget),
                deadline: units(self.deadline),
                period: units(self.period),
                mode: Mode::OfRule,
                alpha: Alpha::OF_RULE,
            }),
            jobs: arrivals.map(|at| Job::new(at, self.length)).collect(),
        }
    }
}

/// A letter for each unit of time.
fn drawn(schedule: impl IntoIterator<Item = Option<usize>>) -> String {
    let letters = ['a', 'b', 'c', 'd'];
    let letter = |task: Option<usize>| task.map_or('-', |task| letters[task]);
    schedule.into_iter().map(letter).collect()
}

/// A server of the model.
#[derive(Clone, Default)]
struct Server {
    /// Jobs that have arrived and not begun.
    waiting: u64,
    /// What the present job still has to compute; `None`: there is none.
    job: Option<u64>,
    budget: u64,
    /// `None`: there has been no budget, or it is forgotten.
    deadline: Option<u64>,
    /// When budgets come. Without leaks that is one instant.
    due: Vec<u64>,
    is_throttled: bool,
    /// For how long it may execute until it is throttled.
    timer: u64,
    /// How many of its budgets were to come when that timer was set.
    older: usize,
    /// The number of the event that queued it last.
    since: u64,
}

struct Model<'a> {
    tasks: &'a [Task],
    departures: &'a [Departure],
    servers: Vec<Server>,
    running: Option<usize>,
    event: u64,
}

impl Model<'_> {
    fn has(&self, departure: Departure) -> bool {
        self.departures.contains(&departure)
    }

    fn queued(&mut self, i: usize) {
        self.event += 1;
        self.servers[i].since = self.event;
    }

    /// A whole budget, whose period began at `begin`.
    fn set(&mut self, i: usize, begin: u64, deadline: u64) {
        let Task {
            budget,
            deadline: d,
            period,
            ..
        } = self.tasks[i];
        let next = begin + if self.has(Early) { d } else { period };
        let (leaks, keeps_timer) = (self.has(Leaks), self.has(Unasked));
        let server = &mut self.servers[i];
        if !leaks {
            server.due.clear();
        }
        server.due.push(next);
        server.is_throttled = false;
        (server.budget, server.deadline) = (budget, Some(deadline));
        if !keeps_timer || self.running != Some(i) {
            server.timer = budget;
        }
    }

    fn refill(&mut self, i: usize, t: u64) {
        let Task {
            deadline, period, ..
        } = self.tasks[i];
        let due = self.servers[i].due.remove(0);
        let until = due + if self.has(Early) { period } else { deadline };
        if until > t {
            self.set(i, due, until);
        } else {
            self.set(i, t, t + deadline);
        }
        self.queued(i);
    }

    /// Whether a budget comes now.
    fn is_due(&self, i: usize, t: u64) -> bool {
        let server = &self.servers[i];
        let wants = server.job.is_some() && (server.is_throttled || self.has(Unasked));
        wants && server.due.first().is_some_and(|&due| due <= t)
    }

    /// Budgets that come now, at most so many.
    fn refill_due(&mut self, i: usize, t: u64, most: usize) {
        for _ in 0..self.servers[i].due.len().min(most) {
            if self.is_due(i, t) {
                self.refill(i, t);
            }
        }
    }

    fn exhaust(&mut self, i: usize, t: u64) {
        if self.has(Unasked) || t < self.servers[i].due[0] {
            self.servers[i].is_throttled = true;
            self.running = self.running.filter(|&it| it != i);
        } else {
            self.refill(i, t);
        }
        self.queued(i);
    }

    /// A job comes to a server that has none.
    fn wake(&mut self, i: usize, t: u64) {
        let Task {
            budget,
            deadline,
            period,
            ..
        } = self.tasks[i];
        let server = &mut self.servers[i];
        server.is_throttled = false;
        let is_new = match server.deadline {
            None => true,
            Some(until) if deadline == period => {
                until <= t || server.budget * deadline > (until - t) * budget
            }
            Some(until) if until < t => {
                server.budget = 0;
                t >= until + period - deadline
            }
            Some(until) => {
                server.budget = server.budget.min(budget * (until - t) / deadline);
                false
            }
        };
        if is_new {
            self.set(i, t, t + deadline);
        } else if server.budget == 0 {
            self.exhaust(i, t);
        }
        self.queued(i);
    }

    fn complete(&mut self, i: usize, t: u64) {
        if self.has(Forgets) {
            if self.has(Leaks) && self.is_due(i, t) {
                self.refill_due(i, t, usize::MAX);
            } else {
                self.servers[i].due.pop();
            }
            self.servers[i].deadline = None;
        }
        self.servers[i].job = None;
        self.running = None;
    }

    fn first(&self) -> Option<usize> {
        let key = |&i: &usize| {
            let server = &self.servers[i];
            let tie = match self.has(Ties) {
                true if self.running == Some(i) => 0,
                true => 1 + i as u64,
                false => server.since,
            };
            (server.deadline, tie)
        };
        let is_ready = |&i: &usize| self.servers[i].job.is_some() && !self.servers[i].is_throttled;
        let all = 0..self.tasks.len();
        all.filter(is_ready).min_by_key(key)
    }

    /// What executes from `t` on.
    fn step(&mut self, t: u64) -> Option<usize> {
        let all = 0..self.tasks.len();
        if let Some(i) = self.running {
            if self.servers[i].job == Some(0) {
                self.complete(i, t);
            } else {
                self.refill_due(i, t, self.servers[i].older);
                if self.servers[i].timer == 0 {
                    self.exhaust(i, t);
                }
            }
        }
        for i in all.clone() {
            let (task, forgets) = (self.tasks[i], self.has(Forgets));
            let server = &mut self.servers[i];
            server.waiting += u64::from(task.arrives_at(t));
            if server.job.is_some() {
                continue;
            }
            if forgets {
                server.due.retain(|&due| due > t);
            }
            if server.waiting > 0 {
                server.waiting -= 1;
                server.job = Some(task.length);
                self.wake(i, t);
            }
        }
        let mut due: Vec<_> = all.filter(|&i| self.is_due(i, t)).collect();
        due.sort_by_key(|&i| (self.servers[i].due[0], self.servers[i].since));
        for i in due {
            self.refill_due(i, t, usize::MAX);
        }
        let first = self.first();
        if let Some(i) = first.filter(|_| first != self.running) {
            let server = &mut self.servers[i];
            (server.timer, server.older) = (server.budget, server.due.len());
        }
        first
    }
}

/// What the model executes in each of the first `end` units of time.
fn model(tasks: &[Task], departures: &[Departure], end: usize) -> String {
    let mut model = Model {
        tasks,
        departures,
        servers: vec![Server::default(); tasks.len()],
        running: None,
        event: 0,
    };
    let unit = |t| {
        model.running = model.step(t);
        if let Some(i) = model.running {
            let server = &mut model.servers[i];
            server.job = server.job.map(|left| left - 1);
            // The timer of a budget before may be longer than what is left of this one.
            server.budget = server.budget.saturating_sub(1);
            server.timer -= 1;
        }
        model.running
    };
    drawn((0..end as u64).map(unit))
}

#[test]
fn every_difference_from_simso_is_explained() {
    let (mut equal, mut with_two) = (0, 0);
    let mut needed = [0; ALL.len()];
    for line in include_str!("simso_sets.txt").lines() {
        let (tasks, simso) = line.rsplit_once(' ').unwrap();
        let tasks: Vec<_> = tasks.split(' ').map(Task::parse).collect();
        let model = |departures: &[Departure]| model(&tasks, departures, simso.len());
        let works = tasks.iter().map(|it| it.work(simso.len() as u64));
        let ours = drawn(run(SchedDeadline, &works.collect::<Vec<_>>()).schedule);
        assert_eq!(model(&ALL), simso, "{line}");
        assert_eq!(model(&[]), ours, "{line}");
        equal += usize::from(ours == simso);
        with_two += usize::from(model(&[Forgets, Early]) == simso);
        for (number, left_out) in ALL.into_iter().enumerate() {
            let others = ALL.into_iter().filter(|&it| it != left_out);
            needed[number] += usize::from(model(&others.collect::<Vec<_>>()) != simso);
        }
    }
    // These numbers are in the documentation.
    assert_eq!(
        (equal, with_two, needed),
        (113, 357, [393, 241, 108, 54, 97])
    );
}
