//! Servers whose tasks share mutexes, against a scheduler that goes from one unit of time to the next:
//! a task that waits is served by the one at the end of its chain, on its own server's budget.

use flyball_catalogue::{Allowance, Linux, OwnServers, ServerRule};
use flyball_model::{Length, Mutex, Protocol, Step, Task, TaskSet};
use flyball_policy::servers::ConstantBandwidth;
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind};
use proptest::prelude::*;

/// One unit of time.
const UNIT: u64 = 1_000;
const UNTIL: u64 = 120;
const MUTEXES: u16 = 3;

fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

/// What a job does, a unit of computing at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Unit,
    Lock(u16),
    Unlock(u16),
    /// Of so many units; unknown to the model.
    Suspend(u64),
}

/// A task: its budget, its period, and what its jobs do.
#[derive(Clone, Debug)]
struct Small {
    budget: u64,
    period: u64,
    phase: u64,
    ops: Vec<Op>,
}

impl Small {
    /// The budget is declared in the first step, and nothing in the others.
    fn task(&self, number: usize) -> Task {
        let fixed = |length| Length::Fixed(units(length));
        let mut declared = self.budget;
        let mut step = |op: &Op| match *op {
            Op::Unit => Step::Overrun {
                declared: fixed(std::mem::take(&mut declared)),
                actual: fixed(1),
            },
            Op::Lock(m) => Step::Lock(m),
            Op::Unlock(m) => Step::Unlock(m),
            Op::Suspend(length) => Step::Suspend(fixed(length)),
        };
        Task {
            behaviour: self.ops.iter().map(&mut step).collect(),
            phase: units(self.phase),
            ..Task::periodic(format!("t{number}"), units(self.period), units(self.budget))
        }
    }
}

fn set(tasks: &[Small], protocol: Protocol) -> TaskSet {
    let mutex = |n: u16| Mutex {
        name: format!("m{n}"),
        protocol,
    };
    TaskSet {
        tasks: (0..).zip(tasks).map(|(n, task)| task.task(n)).collect(),
        mutexes: (0..MUTEXES).map(mutex).collect(),
        ..TaskSet::default()
    }
}

fn events<R: ServerRule>(set: &TaskSet, rule: R) -> Vec<Event> {
    let scheduler = OwnServers {
        rule,
        allowance: Allowance::default(),
        quantum: units(1_000),
    };
    let mut events = Vec::new();
    simulate(set, &scheduler, &Options::until(units(UNTIL)), &mut events).unwrap();
    events
}

/// Which task runs in each unit.
fn simulated<R: ServerRule>(tasks: &[Small], rule: R) -> Vec<Option<usize>> {
    let mut ran = Vec::new();
    let mut running = None;
    for event in events(&set(tasks, Protocol::Inherit), rule) {
        let now = event.time.as_nanos();
        assert_eq!(now % UNIT, 0, "something happened between two units");
        while (ran.len() as u64) < now / UNIT {
            ran.push(running);
        }
        match event.kind {
            Kind::Dispatch { task, .. } => running = Some(task.index()),
            Kind::Idle => running = None,
            _ => {}
        }
    }
    ran.resize(usize::try_from(UNTIL).unwrap(), running);
    ran
}

/// How many deadlines of task 0 are missed.
fn misses<R: ServerRule>(set: &TaskSet, rule: R) -> usize {
    let is_miss = |event: &&Event| matches!(event.kind, Kind::Miss { task, .. } if task.0 == 0);
    events(set, rule).iter().filter(is_miss).count()
}

/// A server with one task, as textbooks have it.
struct Row {
    ops: Vec<Op>,
    q: u64,
    p: u64,
    /// What is left, and up to when; zero: it has never had a budget.
    left: u64,
    until: u64,
    throttled: Option<u64>,
    /// When it was queued last.
    since: u64,
    /// Jobs that are not complete, and where the first one is.
    jobs: u64,
    at: usize,
    waits: Option<u16>,
}

struct Model {
    is_hard: bool,
    rows: Vec<Row>,
    owners: [Option<usize>; MUTEXES as usize],
    waiters: [Vec<usize>; MUTEXES as usize],
    count: u64,
}

impl Model {
    fn queued(&mut self, i: usize) {
        self.count += 1;
        self.rows[i].since = self.count;
    }

    fn arrives(&mut self, i: usize, t: u64) {
        let row = &mut self.rows[i];
        row.throttled = None;
        if row.until <= t || row.left * row.p > (row.until - t) * row.q {
            (row.left, row.until) = (row.q, t + row.p);
        }
        self.queued(i);
        self.exhaust(i, t);
    }

    /// If nothing is left of the budget.
    fn exhaust(&mut self, i: usize, t: u64) {
        let row = &mut self.rows[i];
        if row.left > 0 {
            return;
        }
        if self.is_hard && row.until > t {
            row.throttled = Some(row.until);
            self.queued(i);
        } else {
            self.refill(i, t);
        }
    }

    fn refill(&mut self, i: usize, t: u64) {
        let row = &mut self.rows[i];
        row.throttled = None;
        row.left = row.q;
        let until = row.until + row.p;
        row.until = if until > t { until } else { t + row.p };
        self.queued(i);
    }

    /// The server that is scheduled, and the task that it serves.
    fn first(&self) -> Option<(usize, usize)> {
        let rows = self.rows.iter().enumerate();
        let ready = rows.filter(|(_, row)| row.jobs > 0 && row.throttled.is_none());
        let (place, _) = ready.min_by_key(|(_, row)| (row.until, row.since))?;
        let mut task = place;
        while let Some(mutex) = self.rows[task].waits {
            task = self.owners[usize::from(mutex)].unwrap();
        }
        Some((place, task))
    }

    /// The task goes on, in that place, up to where it computes. Returns whether it stops.
    fn act(&mut self, place: usize, task: usize, t: u64) -> bool {
        loop {
            let at = self.rows[task].at;
            let op = self.rows[task].ops.get(at).copied();
            if op == Some(Op::Unit) {
                return false;
            }
            self.rows[task].at += 1;
            match op {
                Some(Op::Lock(m)) => {
                    let owner = &mut self.owners[usize::from(m)];
                    if owner.is_some() {
                        self.rows[task].waits = Some(m);
                        self.waiters[usize::from(m)].push(task);
                        self.exhaust(place, t);
                        return true;
                    }
                    *owner = Some(task);
                }
                Some(Op::Unlock(m)) => {
                    let all = &mut self.waiters[usize::from(m)];
                    let heir = (0..all.len()).min_by_key(|&n| self.rows[all[n]].until);
                    let heir = heir.map(|n| all.remove(n));
                    self.owners[usize::from(m)] = heir;
                    if let Some(heir) = heir {
                        self.rows[heir].waits = None;
                        if self.rows[task].at < self.rows[task].ops.len() {
                            return true;
                        }
                    }
                }
                _ => {
                    if place != task {
                        self.exhaust(place, t);
                    }
                    let row = &mut self.rows[task];
                    (row.at, row.jobs) = (0, row.jobs - 1);
                    if row.jobs > 0 {
                        self.arrives(task, t);
                    }
                    return true;
                }
            }
        }
    }

    /// By the instant, and those of one instant in the order in which they were throttled.
    fn refill_due(&mut self, t: u64) {
        let all = 0..self.rows.len();
        let is_due = |&i: &usize| {
            let row = &self.rows[i];
            row.jobs > 0 && row.throttled.is_some_and(|at| at <= t)
        };
        let mut due: Vec<_> = all.filter(is_due).collect();
        due.sort_by_key(|&i| (self.rows[i].throttled, self.rows[i].since));
        for i in due {
            self.refill(i, t);
        }
    }
}

/// Which task runs in each unit, by the model.
fn expected(tasks: &[Small], is_hard: bool) -> Vec<Option<usize>> {
    let row = |task: &Small| Row {
        ops: task.ops.clone(),
        q: task.budget,
        p: task.period,
        left: 0,
        until: 0,
        throttled: None,
        since: 0,
        jobs: 0,
        at: 0,
        waits: None,
    };
    let mut model = Model {
        is_hard,
        rows: tasks.iter().map(row).collect(),
        owners: [None; MUTEXES as usize],
        waiters: [const { Vec::new() }; MUTEXES as usize],
        count: 0,
    };
    let mut ran = Vec::new();
    let mut running: Option<(usize, usize)> = None;
    for t in 0..UNTIL {
        if running.is_some_and(|(place, task)| model.act(place, task, t)) {
            // An owner that has given a mutex up has stopped, too, but it can go on.
            running = running.filter(|&(_, task)| {
                let row = &model.rows[task];
                row.waits.is_none() && row.at > 0
            });
        }
        for (i, task) in tasks.iter().enumerate() {
            if t >= task.phase && (t - task.phase).is_multiple_of(task.period) {
                model.rows[i].jobs += 1;
                if model.rows[i].jobs == 1 {
                    model.arrives(i, t);
                }
            }
        }
        model.refill_due(t);
        if let Some((place, _)) = running {
            model.exhaust(place, t);
        }
        running = model.first();
        while let Some((place, task)) = running
            && model.act(place, task, t)
        {
            running = model.first();
        }
        if let Some((place, task)) = running {
            model.rows[task].at += 1;
            model.rows[place].left -= 1;
        }
        ran.push(running.map(|(_, task)| task));
    }
    ran
}

/// Computes, with sections of these mutexes; inner ones have higher numbers.
fn ops(mutexes: std::ops::Range<u16>) -> impl Strategy<Value = Vec<Op>> {
    let section = (
        0_usize..3,
        mutexes.clone(),
        1_usize..4,
        proptest::option::of(mutexes),
        1_usize..3,
    );
    let section = section.prop_map(|(before, outer, held, inner, nested)| {
        let mut ops = vec![Op::Unit; before];
        ops.push(Op::Lock(outer));
        ops.extend(vec![Op::Unit; held]);
        if let Some(inner) = inner.filter(|&inner| inner > outer) {
            ops.push(Op::Lock(inner));
            ops.extend(vec![Op::Unit; nested]);
            ops.push(Op::Unlock(inner));
        }
        ops.push(Op::Unlock(outer));
        ops
    });
    (proptest::collection::vec(section, 0..3), 0_usize..3).prop_map(|(sections, after)| {
        let mut ops = sections.concat();
        let after = after.max(usize::from(ops.is_empty()));
        ops.extend(vec![Op::Unit; after]);
        ops
    })
}

fn small(mutexes: std::ops::Range<u16>) -> impl Strategy<Value = Small> {
    (1_u64..6, 0_u64..12, 0_u64..8, ops(mutexes)).prop_map(|(budget, rest, phase, ops)| Small {
        budget,
        period: budget + rest,
        phase,
        ops,
    })
}

/// The first of these tasks whose budgets fit on the CPU.
fn fitting(tasks: Vec<Small>) -> Vec<Small> {
    const ALL: u64 = 1 << 40;
    let mut used = 0;
    let fits = |task: &Small| {
        let more = used + (task.budget * ALL).div_ceil(task.period);
        if more <= ALL {
            used = more;
        }
        more <= ALL
    };
    tasks.into_iter().filter(fits).collect()
}

/// How long the longest section of `mutex` takes.
fn longest_section(ops: &[Op], mutex: u16) -> u64 {
    let sections = ops.split(|op| *op == Op::Lock(mutex)).skip(1);
    let length = |section: &[Op]| {
        let inside = section.iter().take_while(|op| **op != Op::Unlock(mutex));
        inside.filter(|op| **op == Op::Unit).count() as u64
    };
    sections.map(length).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn waiting_tasks_are_served_by_their_owners(
        tasks in proptest::collection::vec(small(0..MUTEXES), 1..6),
    ) {
        prop_assert_eq!(simulated(&tasks, ConstantBandwidth::SOFT), expected(&tasks, false));
        prop_assert_eq!(simulated(&tasks, ConstantBandwidth::HARD), expected(&tasks, true));
    }

    /// Whatever others lock, for however long, even asleep: who shares no mutex with them is in time.
    #[test]
    fn no_lock_of_others_hurts(
        own in (1_u64..6, 0_u64..12, 0_u64..8),
        mut others in proptest::collection::vec(small(0..MUTEXES), 1..5),
        sleeps in proptest::collection::vec((0_usize..4, 0_usize..10, 1_u64..9), 0..4),
    ) {
        let (budget, rest, phase) = own;
        let ops = (0..budget).map(|_| Op::Unit).collect();
        let period = budget + rest;
        let own = Small { budget, period, phase, ops };
        for (other, at, length) in sleeps {
            let count = others.len();
            let ops = &mut others[other % count].ops;
            let at = at % (ops.len() + 1);
            ops.insert(at, Op::Suspend(length));
        }
        others.insert(0, own);
        let set = set(&fitting(others), Protocol::Inherit);
        prop_assert_eq!(misses(&set, ConstantBandwidth::SOFT), 0);
        prop_assert_eq!(misses(&set, ConstantBandwidth::HARD), 0);
        prop_assert_eq!(misses(&set, Linux::UNLIMITED), 0);
    }

    /// A task is in time if its budget has room for a section of the only task that it shares a
    /// mutex with, each time that it locks it, however little of the CPU that task has.
    #[test]
    fn only_sections_of_sharers_hurt(
        own in ops(0..1),
        sharer in small(0..1),
        others in proptest::collection::vec(small(1..MUTEXES), 0..4),
        rest in 0_u64..20,
        phase in 0_u64..8,
    ) {
        let count = |what| own.iter().filter(|op| **op == what).count() as u64;
        let budget = count(Op::Unit) + count(Op::Lock(0)) * longest_section(&sharer.ops, 0);
        let period = budget + rest;
        let mut tasks = vec![Small { budget, period, phase, ops: own }, sharer];
        tasks.extend(others);
        let set = set(&fitting(tasks), Protocol::Inherit);
        prop_assert_eq!(misses(&set, ConstantBandwidth::SOFT), 0);
        prop_assert_eq!(misses(&set, ConstantBandwidth::HARD), 0);
        prop_assert_eq!(misses(&set, Linux::UNLIMITED), 0);
    }
}

/// Without inheritance a task with little of the CPU holds up the other one for as long as it likes.
#[test]
fn a_low_bandwidth_owner_holds_up_the_other_one_unless_that_lends_its_server() {
    let section = |length: usize| {
        let mut ops = vec![Op::Unit; length + 2];
        (ops[0], ops[length + 1]) = (Op::Lock(0), Op::Unlock(0));
        ops
    };
    let fast = Small {
        budget: 5,
        period: 10,
        phase: 1,
        ops: section(1),
    };
    let slow = Small {
        budget: 1,
        period: 20,
        phase: 0,
        ops: section(4),
    };
    let tasks = [fast, slow];
    let none = set(&tasks, Protocol::None);
    assert!(misses(&none, ConstantBandwidth::HARD) > 0);
    let inherit = set(&tasks, Protocol::Inherit);
    assert_eq!(misses(&inherit, ConstantBandwidth::HARD), 0);
}
