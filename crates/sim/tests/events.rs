//! Jobs that messages and signals release, against a machine that goes from one unit of time to the
//! next and keeps plain lists of jobs and messages.

use flyball_catalogue::{Clustered, Fp};
use flyball_model::{
    Arrival, Format, Length, OnMiss, Queue, Semaphore, Step, Task, TaskSet, Trigger, read_str,
    to_toml,
};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind};
use proptest::prelude::*;
use std::collections::VecDeque;

/// One unit of time.
const UNIT: u64 = 1_000;
const UNTIL: u64 = 120;

/// A task. What it sends goes to tasks of larger numbers, which are released by that.
#[derive(Clone, Debug)]
struct Small {
    phase: u64,
    /// Or the least separation.
    period: u64,
    deadline: u64,
    wcet: u64,
    on_miss: OnMiss,
    /// How much of the queue that releases its jobs there is; zero: signals release them.
    capacity: usize,
    /// Whose jobs each of its jobs releases as it ends.
    sends: Vec<usize>,
}

fn small() -> impl Strategy<Value = Small> {
    let on_miss = prop_oneof![
        3 => Just(OnMiss::Continue),
        1 => Just(OnMiss::Skip),
        1 => Just(OnMiss::Abort),
        1 => Just(OnMiss::Latest)
    ];
    let sends = proptest::collection::vec(0..6_usize, 0..3);
    (
        0..8_u64,
        2..14_u64,
        1..20_u64,
        1..5_u64,
        on_miss,
        0..4_usize,
        sends,
    )
        .prop_map(
            |(phase, period, deadline, wcet, on_miss, capacity, sends)| Small {
                phase,
                period,
                deadline: deadline.max(wcet),
                wcet,
                on_miss,
                capacity,
                sends,
            },
        )
}

/// Tasks that send to others with larger numbers only.
fn tasks() -> impl Strategy<Value = Vec<Small>> {
    proptest::collection::vec(small(), 2..6).prop_map(|mut tasks| {
        let count = tasks.len();
        for (number, task) in tasks.iter_mut().enumerate() {
            task.sends.retain(|&to| number < to && to < count);
        }
        tasks
    })
}

/// The more urgent, the smaller; no two are the same.
type Ranks = Vec<u8>;

fn is_released(tasks: &[Small], task: usize) -> bool {
    tasks.iter().any(|it| it.sends.contains(&task))
}

#[derive(Debug)]
struct Job {
    number: u32,
    release: u64,
    left: u64,
    /// How much of what it sends has been sent.
    sent: usize,
    late: bool,
}

/// What happened: which task ran in each unit, and (time, task, job) of what else did.
#[derive(PartialEq, Debug, Default)]
struct Schedule {
    ran: Vec<Option<usize>>,
    arrivals: Vec<(u64, usize, u32, usize)>,
    misses: Vec<(u64, usize, u32)>,
    skips: Vec<(u64, usize, u32)>,
}

struct Machine<'t> {
    tasks: &'t [Small],
    ranks: &'t Ranks,
    /// Of each task, the oldest first.
    jobs: Vec<VecDeque<Job>>,
    numbers: Vec<u32>,
    /// Arrivals that came too early, and when the next release may be.
    early: Vec<u32>,
    earliest: Vec<u64>,
    skipping: Vec<bool>,
    /// The tasks that wait for room in the queue of another one.
    blocked: Vec<Option<usize>>,
    seen: Schedule,
}

impl<'t> Machine<'t> {
    fn new(tasks: &'t [Small], ranks: &'t Ranks) -> Self {
        let count = tasks.len();
        Machine {
            tasks,
            ranks,
            jobs: (0..count).map(|_| VecDeque::new()).collect(),
            numbers: vec![0; count],
            early: vec![0; count],
            earliest: tasks.iter().map(|task| task.phase).collect(),
            skipping: vec![false; count],
            blocked: vec![None; count],
            seen: Schedule::default(),
        }
    }

    fn is_full(&self, task: usize) -> bool {
        let capacity = self.tasks[task].capacity;
        let waiting = self.jobs[task].len().saturating_sub(1) + self.early[task] as usize;
        capacity > 0 && waiting >= capacity
    }

    /// A message of `by` asks for a job.
    fn arrive(&mut self, task: usize, by: usize, now: u64) {
        let number = self.numbers[task] + self.early[task] + 1;
        self.seen.arrivals.push((now, task, number, by));
        if self.early[task] == 0 && self.earliest[task] <= now {
            self.release(task, now);
        } else {
            self.early[task] += 1;
        }
    }

    fn release(&mut self, task: usize, now: u64) {
        self.earliest[task] = now + self.tasks[task].period;
        self.numbers[task] += 1;
        let (number, on_miss) = (self.numbers[task], self.tasks[task].on_miss);
        let mine = &mut self.jobs[task];
        if on_miss == OnMiss::Skip {
            let late = mine.iter().any(|job| job.late);
            self.skipping[task] =
                !mine.is_empty() && (late || self.skipping[task] && mine.len() > 1);
            if self.skipping[task] {
                self.seen.skips.push((now, task, number));
                return;
            }
        }
        if on_miss == OnMiss::Latest && mine.get(1).is_some_and(|job| job.late) {
            let lost = mine.remove(1).unwrap();
            self.seen.skips.push((now, task, lost.number));
        }
        mine.push_back(Job {
            number,
            release: now,
            left: self.tasks[task].wcet,
            sent: 0,
            late: false,
        });
    }

    /// The first job of a task is over. Senders that wait for room go on.
    fn over(&mut self, task: usize, now: u64) {
        self.jobs[task].pop_front();
        self.let_in(task, now);
    }

    fn let_in(&mut self, task: usize, now: u64) {
        while !self.is_full(task) {
            let waiting = (0..self.tasks.len()).filter(|&it| self.blocked[it] == Some(task));
            let Some(sender) = waiting.min_by_key(|&it| self.ranks[it]) else {
                break;
            };
            self.blocked[sender] = None;
            self.jobs[sender][0].sent += 1;
            self.arrive(task, sender, now);
        }
    }

    fn most_urgent(&self) -> Option<usize> {
        let ready = |&task: &usize| !self.jobs[task].is_empty() && self.blocked[task].is_none();
        let ready = (0..self.tasks.len()).filter(ready);
        ready.min_by_key(|&task| self.ranks[task])
    }

    /// A task that has computed all of its job sends what it has to, until it is done, has to wait,
    /// or another one is more urgent.
    fn act(&mut self, task: usize, now: u64) {
        loop {
            let job = &mut self.jobs[task][0];
            let Some(&to) = self.tasks[task].sends.get(job.sent) else {
                self.over(task, now);
                return;
            };
            if self.is_full(to) {
                self.blocked[task] = Some(to);
                return;
            }
            self.jobs[task][0].sent += 1;
            self.arrive(to, task, now);
            let is_done = self.jobs[task][0].sent == self.tasks[task].sends.len();
            if !is_done && self.most_urgent() != Some(task) {
                return;
            }
        }
    }

    /// Deadlines and releases of this instant.
    fn timer(&mut self, now: u64) {
        for task in 0..self.tasks.len() {
            let small = &self.tasks[task];
            while let Some(at) = self.jobs[task]
                .iter()
                .position(|job| !job.late && job.release + small.deadline <= now)
            {
                self.jobs[task][at].late = true;
                let number = self.jobs[task][at].number;
                self.seen.misses.push((now, task, number));
                if small.on_miss == OnMiss::Abort {
                    self.blocked[task] = None;
                    self.over(task, now);
                }
            }
            if now == UNTIL {
                continue;
            }
            if is_released(self.tasks, task) {
                if self.early[task] > 0 && self.earliest[task] == now {
                    self.early[task] -= 1;
                    self.release(task, now);
                    self.let_in(task, now);
                }
            } else if now >= small.phase && (now - small.phase).is_multiple_of(small.period) {
                self.release(task, now);
            }
        }
    }

    fn run(mut self) -> Schedule {
        let mut running: Option<(usize, u32)> = None;
        for now in 0..=UNTIL {
            if let Some((task, number)) = running
                && let Some(job) = self.jobs[task].front()
                && (job.number, job.left) == (number, 0)
            {
                self.act(task, now);
            }
            self.timer(now);
            if now == UNTIL {
                break;
            }
            // What has nothing left to compute is done with in no time.
            while let Some(task) = self.most_urgent()
                && self.jobs[task][0].left == 0
            {
                self.act(task, now);
            }
            let next = self.most_urgent();
            self.seen.ran.push(next);
            running = next.map(|task| {
                let job = &mut self.jobs[task][0];
                job.left -= 1;
                (task, job.number)
            });
        }
        self.seen
    }
}

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

fn set(tasks: &[Small], ranks: &Ranks) -> TaskSet {
    let mut set = TaskSet {
        name: "events".into(),
        ..TaskSet::default()
    };
    for (number, small) in tasks.iter().enumerate() {
        set.queues.push(Queue {
            name: format!("q{number}"),
            capacity: u16::try_from(small.capacity.max(1)).unwrap(),
            gauge: None,
        });
        set.semaphores.push(Semaphore {
            name: format!("s{number}"),
            initial: 0,
        });
    }
    let trigger = |task: usize| {
        let number = u16::try_from(task).unwrap();
        if tasks[task].capacity > 0 {
            Trigger::Queue(number)
        } else {
            Trigger::Semaphore(number)
        }
    };
    for (number, small) in tasks.iter().enumerate() {
        let compute = Step::Compute(Length::Fixed(units(small.wcet)));
        let sends = small.sends.iter().map(|&to| match trigger(to) {
            Trigger::Queue(queue) => Step::Send(queue),
            Trigger::Semaphore(semaphore) => Step::Signal(semaphore),
        });
        let mut task = Task {
            phase: units(small.phase),
            deadline: Some(units(small.deadline)),
            priority: Some(255 - ranks[number]),
            on_miss: small.on_miss,
            behaviour: std::iter::once(compute).chain(sends).collect(),
            ..Task::periodic(format!("t{number}"), units(small.period), units(small.wcet))
        };
        if is_released(tasks, number) {
            task.arrival = Arrival::Event {
                by: trigger(number),
                separation: units(small.period),
            };
        }
        set.tasks.push(task);
    }
    set
}

fn simulated(set: &TaskSet) -> Schedule {
    let mut events: Vec<Event> = Vec::new();
    let options = Options::until(units(UNTIL));
    simulate(set, &Clustered::global(Fp), &options, &mut events).unwrap();
    let mut seen = Schedule::default();
    let mut running = None;
    for event in &events {
        let now = event.time.as_nanos() / UNIT;
        assert_eq!(event.time.as_nanos() % UNIT, 0, "between two units");
        while (seen.ran.len() as u64) < now {
            seen.ran.push(running);
        }
        match event.kind {
            Kind::Dispatch { task, .. } => running = Some(task.index()),
            Kind::Idle => running = None,
            Kind::Arrive { task, job, by } => {
                let by = by.unwrap().index();
                seen.arrivals.push((now, task.index(), job, by));
            }
            Kind::Miss { task, job } => seen.misses.push((now, task.index(), job)),
            Kind::Skip { task, job } => seen.skips.push((now, task.index(), job)),
            _ => {}
        }
    }
    while (seen.ran.len() as u64) < UNTIL {
        seen.ran.push(running);
    }
    seen
}

/// Several deadlines of one instant may be noticed in any order. What happens at the very end is
/// not compared.
fn sorted(mut schedule: Schedule) -> Schedule {
    schedule.misses.sort_unstable();
    schedule.skips.sort_unstable();
    schedule.arrivals.sort_unstable();
    schedule.arrivals.retain(|arrival| arrival.0 < UNTIL);
    schedule.misses.retain(|miss| miss.0 < UNTIL);
    schedule.skips.retain(|skip| skip.0 < UNTIL);
    schedule
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        1_500 * std::env::var("SOAK").ok().and_then(|it| it.parse().ok()).unwrap_or(1)
    ))]

    #[test]
    fn messages_and_signals_release_jobs(tasks in tasks(), ranks in Just((0..6).collect::<Ranks>()).prop_shuffle()) {
        let expected = Machine::new(&tasks, &ranks).run();
        let set = set(&tasks, &ranks);
        let read = read_str(&to_toml(&set), Format::Toml, "x");
        prop_assert_eq!(read.as_ref(), Ok(&set));
        let found = simulated(&set);
        prop_assert_eq!(sorted(found), sorted(expected));
    }
}
