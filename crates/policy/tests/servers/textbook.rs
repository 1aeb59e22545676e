//! A scheduler of servers that goes from one unit of time to the next, and asks a rule as a textbook
//! has it.

use super::world::{END, Work};
use flyball_policy::servers::{Mode, Seat};
use std::collections::VecDeque;

/// Budget, deadline and period of a server, and what it says of rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    pub(crate) q: u64,
    pub(crate) d: u64,
    pub(crate) p: u64,
    pub(crate) mode: Mode,
    pub(crate) alpha: Option<u32>,
}

/// A rule. Servers have numbers, in the order in which they were added; `t` is the instant.
pub(crate) trait Textbook {
    fn add(&mut self, promise: Promise);
    /// A task comes to a server that has none; `is_job`: it has not waited.
    fn arrives(&mut self, i: usize, t: u64, is_job: bool);
    /// The server has executed in the unit before `t`.
    fn used(&mut self, i: usize, t: u64);
    /// Its task has completed, with a result.
    fn ended(&mut self, _i: usize, _result: u8) {}
    /// The last task has left.
    fn empties(&mut self, _i: usize, _t: u64) {}
    /// A task has left, and another one is next; whether that changes the order.
    fn goes_on(&mut self, _i: usize, _t: u64) -> bool {
        false
    }
    fn is_exhausted(&self, i: usize) -> bool;
    fn exhaust(&mut self, i: usize, t: u64);
    /// Up to when it has no budget.
    fn throttled(&self, i: usize) -> Option<u64>;
    fn refill(&mut self, i: usize, t: u64);
    /// The order among servers.
    fn key(&self, i: usize) -> u64;
    /// The instant has come: what happens by the clock.
    fn tick(&mut self, _t: u64) {}
    /// All has happened in this instant; `is_idle`: the server has no task.
    fn settle(&mut self, _i: usize, _t: u64, _is_idle: bool) {}
    /// The CPU has nothing to do. Whether it has now.
    fn idle(&mut self, _t: u64) -> bool {
        false
    }
}

/// The tasks of a server, and the number of the event that queued it last.
#[derive(Clone, Default)]
struct Row {
    queue: Vec<usize>,
    since: u64,
}

struct Model<'a> {
    book: &'a mut dyn Textbook,
    rows: Vec<Row>,
    event: u64,
}

impl Model<'_> {
    fn queued(&mut self, i: usize) {
        self.event += 1;
        self.rows[i].since = self.event;
    }

    fn arrives(&mut self, i: usize, task: usize, t: u64) {
        self.rows[i].queue.push(task);
        if self.rows[i].queue.len() == 1 {
            self.book.arrives(i, t, true);
            self.queued(i);
        }
    }

    fn used(&mut self, i: usize, t: u64, is_done: bool) {
        self.book.used(i, t);
        self.book.tick(t);
        if is_done {
            self.rows[i].queue.remove(0);
            if self.rows[i].queue.is_empty() {
                self.book.empties(i, t);
            } else if self.book.goes_on(i, t) {
                self.queued(i);
            }
        }
        if self.book.is_exhausted(i) && !self.rows[i].queue.is_empty() {
            self.book.exhaust(i, t);
            self.queued(i);
        }
    }

    /// By the instant, and those of one instant in the order in which they were throttled.
    fn refill(&mut self, t: u64) {
        let all = 0..self.rows.len();
        let is_due = |&i: &usize| self.book.throttled(i).is_some_and(|at| at <= t);
        let mut due: Vec<_> = all.filter(is_due).collect();
        due.sort_by_key(|&i| (self.book.throttled(i), self.rows[i].since));
        for i in due {
            if !self.rows[i].queue.is_empty() {
                self.book.refill(i, t);
                self.queued(i);
            }
        }
    }

    fn first(&self) -> Option<usize> {
        let all = 0..self.rows.len();
        let ready =
            all.filter(|&i| !self.rows[i].queue.is_empty() && self.book.throttled(i).is_none());
        let first = ready.min_by_key(|&i| (self.book.key(i), self.rows[i].since))?;
        self.rows[first].queue.first().copied()
    }
}

/// Which server each task has.
fn seats(works: &[Work], book: &mut dyn Textbook) -> (Vec<Option<usize>>, usize) {
    let mut names: Vec<Option<u16>> = Vec::new();
    let seat = |work: &Work| {
        let (name, reservation) = match work.seat {
            Seat::Own(reservation) => (None, reservation),
            Seat::Shared(name, reservation) => (Some(name), reservation),
            Seat::Background(()) => return None,
        };
        let there = names.iter().position(|it| name.is_some() && *it == name);
        Some(there.unwrap_or_else(|| {
            names.push(name);
            book.add(Promise {
                q: reservation.budget.as_nanos(),
                d: reservation.deadline.as_nanos(),
                p: reservation.period.as_nanos(),
                mode: reservation.mode,
                alpha: reservation.alpha.millionths(),
            });
            names.len() - 1
        }))
    };
    let seats = works.iter().map(seat).collect();
    (seats, names.len())
}

/// Which task runs in each unit of time.
pub(crate) fn model(book: &mut dyn Textbook, works: &[Work]) -> Vec<Option<usize>> {
    let (server_of, servers) = seats(works, book);
    let mut jobs: Vec<VecDeque<_>> = works.iter().map(|it| it.jobs.clone().into()).collect();
    let mut left = vec![0; works.len()];
    let mut result = vec![0; works.len()];
    let mut background = Vec::new();
    let mut schedule: Vec<Option<usize>> = Vec::new();
    let rows = vec![Row::default(); servers];
    let mut model = Model {
        book,
        rows,
        event: 0,
    };
    for t in 0..END {
        let ran = schedule.last().copied().flatten();
        if let Some(task) = ran
            && let Some(i) = server_of[task]
        {
            if left[task] == 0 {
                model.book.ended(i, result[task]);
            }
            model.used(i, t, left[task] == 0);
        } else {
            model.book.tick(t);
            background.retain(|&it| ran != Some(it) || left[it] > 0);
        }
        for task in 0..works.len() {
            if left[task] > 0 || jobs[task].front().is_none_or(|job| job.at > t) {
                continue;
            }
            let job = jobs[task].pop_front().unwrap();
            (left[task], result[task]) = (job.length, job.result);
            match server_of[task] {
                None => background.push(task),
                Some(i) => model.arrives(i, task, t),
            }
        }
        model.refill(t);
        for i in 0..servers {
            let is_idle = model.rows[i].queue.is_empty();
            model.book.settle(i, t, is_idle);
        }
        let mut task = model.first().or(background.first().copied());
        if task.is_none() && model.book.idle(t) {
            model.refill(t);
            task = model.first();
        }
        if let Some(task) = task {
            left[task] -= 1;
        }
        schedule.push(task);
    }
    schedule
}
