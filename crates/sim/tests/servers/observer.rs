//! An observer of servers that knows the trace and the reservations, and neither policy nor rule.
//!
//! A task that waits for a mutex with inheritance lends its server's place to the owner. So the trace
//! says which servers may have been charged for an instant: that of the task that runs, and those of
//! the tasks that wait for it, directly or through others. What no server outside of a set may have
//! been charged for, the servers of that set have used together; by Hall's theorem nothing else
//! follows. And a server has had at most what it may have been charged for.

use flyball_trace::{Duration, Event, Kind, Object, Time};

/// A CPU, or a nanosecond, in parts.
const ONE: i128 = 1 << 32;

/// What a server may use, and what it is to get while it has work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    pub(crate) budget: Duration,
    /// In each interval there is at most the budget for each `most_every`, and, where one budget ends
    /// late and the next one begins early, up to two budgets at once. `None`: no bound.
    pub(crate) most_every: Option<Duration>,
    /// While there is work there is at least the budget for each `least_every`, up to `delay` late.
    pub(crate) least_every: Duration,
    pub(crate) delay: Duration,
    /// Whether that is so only from the first arrival on, and up to the first instant without work.
    pub(crate) at_first_only: bool,
}

/// Parts of a CPU, rounded up or down.
fn rate(budget: Duration, every: Duration, up: bool) -> i128 {
    let [budget, every] = [budget, every].map(|it| i128::from(it.as_nanos()));
    (budget * ONE + if up { every - 1 } else { 0 }) / every
}

fn nanos(duration: Duration) -> i128 {
    i128::from(duration.as_nanos())
}

/// How far the use of some servers together is above their rates, since when that is most: the most
/// over all intervals that end now.
struct Use {
    /// The servers, a bit for each.
    servers: u32,
    rate: i128,
    most: i128,
    level: i128,
}

/// How far a server's supply is below its rate, since when that is most.
struct Supply {
    rate: i128,
    most: i128,
    debt: i128,
    at_first_only: bool,
    has_begun: bool,
    is_over: bool,
}

#[derive(Clone, Default)]
struct Task {
    /// Its server; `None`: it runs in the background.
    server: Option<usize>,
    jobs: Vec<u32>,
    waits: Option<Object>,
}

pub(crate) struct Observer {
    tasks: Vec<Task>,
    /// Which mutexes lend servers to their owners.
    lends: Vec<bool>,
    owners: Vec<Option<usize>>,
    uses: Vec<Use>,
    supplies: Vec<Supply>,
    running: Option<usize>,
    now: Time,
    /// What was seen of servers that had too much, and too little: the first of each.
    pub(crate) too_much: Option<String>,
    pub(crate) too_little: Option<String>,
    /// Deadlines that each task has missed.
    pub(crate) misses: Vec<usize>,
}

impl Observer {
    /// `seats`: the server of each task; `lends`: whether each mutex has inheritance.
    pub(crate) fn new(promises: &[Promise], seats: &[Option<usize>], lends: &[bool]) -> Observer {
        let supply = |promise: &Promise| {
            let rate = rate(promise.budget, promise.least_every, false);
            Supply {
                rate,
                // Rates are rounded by less than a part a nanosecond.
                most: rate * nanos(promise.delay),
                debt: 0,
                at_first_only: promise.at_first_only,
                has_begun: false,
                is_over: false,
            }
        };
        let of_servers = |servers: u32| {
            let mut sum = Use {
                servers,
                rate: 0,
                most: 0,
                level: 0,
            };
            for (number, promise) in promises.iter().enumerate() {
                if servers & 1 << number != 0 {
                    let rate = rate(promise.budget, promise.most_every?, true);
                    sum.rate += rate;
                    sum.most += 2 * (ONE - rate) * nanos(promise.budget);
                }
            }
            Some(sum)
        };
        let task = |&server: &Option<usize>| Task {
            server,
            ..Task::default()
        };
        Observer {
            tasks: seats.iter().map(task).collect(),
            lends: lends.to_vec(),
            owners: vec![None; lends.len()],
            uses: (1..1 << promises.len()).filter_map(of_servers).collect(),
            supplies: promises.iter().map(supply).collect(),
            running: None,
            now: Time::ZERO,
            too_much: None,
            too_little: None,
            misses: vec![0; seats.len()],
        }
    }

    /// The task at the end of the chain of owners; `None`: it cannot run.
    fn end(&self, mut task: usize) -> Option<usize> {
        for _ in 0..self.tasks.len() {
            let row = &self.tasks[task];
            match row.waits {
                None => return (!row.jobs.is_empty()).then_some(task),
                Some(Object::Mutex(mutex)) if self.lends[usize::from(mutex)] => {
                    // Between two owners it has none.
                    task = self.owners[usize::from(mutex)]?;
                }
                Some(_) => return None,
            }
        }
        None
    }

    /// The servers that may be charged for what runs, a bit for each, the last for the background.
    fn charged(&self) -> u32 {
        let Some(running) = self.running else {
            return 0;
        };
        let background = self.supplies.len();
        let servers = (0..self.tasks.len()).filter(|&task| self.end(task) == Some(running));
        let bit = |task: usize| 1 << self.tasks[task].server.unwrap_or(background);
        servers.map(bit).fold(0, |all, bit: u32| all | bit)
    }

    /// Whether the server has work, with that of a task or without.
    fn has_work(&self, server: usize, without: Option<usize>) -> bool {
        let mut tasks = (0..self.tasks.len()).filter(|&task| Some(task) != without);
        tasks.any(|task| self.tasks[task].server == Some(server) && self.end(task).is_some())
    }

    /// Time has gone on.
    fn pass(&mut self, to: Time) {
        let time = nanos(to.since(self.now));
        if time == 0 {
            return;
        }
        let charged = self.charged();
        for it in &mut self.uses {
            let is_used = charged != 0 && charged & !it.servers == 0;
            let used = if is_used { ONE * time } else { 0 };
            it.level = (it.level + used - it.rate * time).max(0);
            if it.level > it.most && self.too_much.is_none() {
                self.too_much = Some(format!("servers {:b} at {to}", it.servers));
            }
        }
        for server in 0..self.supplies.len() {
            let has_work = self.has_work(server, None);
            let it = &mut self.supplies[server];
            if it.is_over || !has_work {
                continue;
            }
            let got = if charged & 1 << server == 0 {
                0
            } else {
                ONE * time
            };
            it.has_begun = true;
            it.debt += it.rate * time - got;
            if !it.at_first_only {
                it.debt = it.debt.max(0);
            }
            if it.debt > it.most && self.too_little.is_none() {
                self.too_little = Some(format!("server {server} at {to}"));
            }
        }
        self.now = to;
    }

    /// The next event of the trace.
    pub(crate) fn see(&mut self, event: &Event) {
        self.pass(event.time);
        let mut left = None;
        match event.kind {
            Kind::Release { task, job, .. } => self.tasks[task.index()].jobs.push(job),
            Kind::Complete { task, job } | Kind::Skip { task, job } => {
                self.tasks[task.index()].jobs.retain(|&it| it != job);
                // With its next job, if that has been released, it comes anew.
                left = Some(task.index());
            }
            Kind::Block { task, on, .. } => self.tasks[task.index()].waits = Some(on),
            Kind::Wake { task, .. } => self.tasks[task.index()].waits = None,
            Kind::Lock { task, mutex } => {
                self.owners[usize::from(mutex)] = Some(task.index());
            }
            Kind::Unlock { mutex, .. } => self.owners[usize::from(mutex)] = None,
            Kind::Dispatch { task, .. } => self.running = Some(task.index()),
            Kind::Idle => self.running = None,
            Kind::Miss { task, .. } => self.misses[task.index()] += 1,
            _ => {}
        }
        for server in 0..self.supplies.len() {
            if !self.has_work(server, left) {
                let it = &mut self.supplies[server];
                it.debt = 0;
                it.is_over |= it.at_first_only && it.has_begun;
            }
        }
    }
}
