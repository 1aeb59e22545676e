//! Task sets at random: overload, locks, servers of several tasks, and tasks in the background.
//!
//! Task 0 is alone in server 0, and declares what it does. It shares mutex 0 with task 1 alone, and its
//! budget has room for a section of that one each time that it locks it. All others compute for up to
//! ten times as long as they declare, and lock what they like.

use flyball_model::{
    Arrival, Length, Location, Mutex, OnMiss, Protocol, Server, ServerMode, Step, Task, TaskSet,
};
use flyball_trace::Duration;
use proptest::prelude::*;
use proptest::sample::select;

/// One unit of time.
const UNIT: u64 = 1_000;
pub(crate) const MUTEXES: u16 = 4;
const MOST_SERVERS: usize = 4;

pub(crate) fn units(units: u64) -> Duration {
    Duration::from_nanos(units * UNIT)
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Op {
    Compute(u64),
    Lock(u16),
    Unlock(u16),
    Suspend(u64),
}

/// In units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserved {
    pub(crate) budget: u64,
    pub(crate) deadline: u64,
    pub(crate) period: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Chore {
    /// If there is no such server, it runs in the background.
    server: usize,
    period: u64,
    phase: u64,
    /// By how much it computes for longer than it declares.
    overrun: u64,
    on_miss: OnMiss,
    ops: Vec<Op>,
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) servers: Vec<Reserved>,
    chores: Vec<Chore>,
    /// Whether each mutex has inheritance.
    pub(crate) lends: Vec<bool>,
}

/// By what servers are admitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Admission {
    /// Budget ÷ deadline, together at most the CPU.
    Density,
    /// Response times by fixed priorities, where a budget may come as late as the next one is early.
    ResponseTimes,
}

impl Script {
    /// The same with the first servers that are admitted. Tasks of the others run in the background.
    pub(crate) fn admitted(&self, by: Admission) -> Script {
        let mut script = self.clone();
        let mut numbers = vec![None; self.servers.len()];
        script.servers.clear();
        for (number, &server) in self.servers.iter().enumerate() {
            script.servers.push(server);
            let fits = match by {
                Admission::Density => has_room(&script.servers),
                Admission::ResponseTimes => responds(&script.servers),
            };
            if fits {
                numbers[number] = Some(script.servers.len() - 1);
            } else {
                script.servers.pop();
            }
        }
        for chore in &mut script.chores {
            let number = numbers.get(chore.server).copied().flatten();
            chore.server = number.unwrap_or(usize::MAX);
        }
        script
    }

    /// The server of each task.
    pub(crate) fn seats(&self) -> Vec<Option<usize>> {
        let seat = |chore: &Chore| Some(chore.server).filter(|&it| it < self.servers.len());
        self.chores.iter().map(seat).collect()
    }

    pub(crate) fn set(&self, mode: Option<ServerMode>) -> TaskSet {
        let mutex = |(number, &lends): (usize, &bool)| Mutex {
            name: format!("m{number}"),
            protocol: if lends {
                Protocol::Inherit
            } else {
                Protocol::None
            },
        };
        let server = |(number, it): (usize, &Reserved)| Server {
            name: format!("s{number}"),
            budget: units(it.budget),
            period: units(it.period),
            deadline: units(it.deadline),
            mode,
            alpha: None,
            cpu: None,
            location: Location::default(),
        };
        let chores = self.chores.iter().zip(self.seats()).enumerate();
        TaskSet {
            tasks: chores
                .map(|(number, (chore, seat))| self.task(number, chore, seat))
                .collect(),
            mutexes: self.lends.iter().enumerate().map(mutex).collect(),
            servers: self.servers.iter().enumerate().map(server).collect(),
            ..TaskSet::default()
        }
    }

    fn task(&self, number: usize, chore: &Chore, seat: Option<usize>) -> Task {
        let fixed = |length| Length::Fixed(units(length));
        let step = |op: &Op| match *op {
            Op::Compute(length) => Step::Overrun {
                declared: fixed(length),
                actual: fixed(length * chore.overrun),
            },
            Op::Lock(mutex) => Step::Lock(mutex),
            Op::Unlock(mutex) => Step::Unlock(mutex),
            Op::Suspend(length) => Step::Suspend(fixed(length)),
        };
        let behaviour: Vec<_> = chore.ops.iter().map(step).collect();
        let deadline = match (number, seat) {
            (0, Some(server)) => self.servers[server].deadline,
            _ => chore.period,
        };
        Task {
            arrival: Arrival::Periodic {
                period: units(chore.period),
            },
            deadline: Some(units(deadline)),
            phase: units(chore.phase),
            server: seat.and_then(|seat| u16::try_from(seat).ok()),
            on_miss: chore.on_miss,
            behaviour,
            ..Task::periodic(
                format!("t{number}"),
                units(chore.period),
                computed(&chore.ops),
            )
        }
    }
}

fn computed(ops: &[Op]) -> Duration {
    let length = |op: &Op| match *op {
        Op::Compute(length) => length,
        _ => 0,
    };
    units(ops.iter().map(length).sum())
}

fn has_room(servers: &[Reserved]) -> bool {
    const ALL: u64 = 1 << 40;
    let part = |it: &Reserved| (it.budget * ALL).div_ceil(it.deadline);
    servers.iter().map(part).sum::<u64>() <= ALL
}

fn responds(servers: &[Reserved]) -> bool {
    let others = |own: usize| (0..servers.len()).filter(move |&it| it != own);
    (0..servers.len()).all(|own| {
        let me = &servers[own];
        let is_first = |&it: &usize| servers[it].deadline <= me.deadline;
        let mut time = me.budget;
        while time <= me.deadline {
            let taken = others(own).filter(is_first).map(|it| {
                let it = &servers[it];
                (time + it.period - it.budget).div_ceil(it.period) * it.budget
            });
            let next = me.budget + taken.sum::<u64>();
            if next == time {
                return true;
            }
            time = next;
        }
        false
    })
}

/// Computes, with sections of these mutexes. Inner ones have higher numbers.
fn ops(mutexes: std::ops::Range<u16>) -> impl Strategy<Value = Vec<Op>> {
    let inner = proptest::option::of((mutexes.clone(), 1_u64..3));
    let section = (0_u64..3, mutexes, 1_u64..4, inner).prop_map(|(before, outer, held, inner)| {
        let mut ops = Vec::new();
        if before > 0 {
            ops.push(Op::Compute(before));
        }
        ops.extend([Op::Lock(outer), Op::Compute(held)]);
        if let Some((inner, nested)) = inner.filter(|&(inner, _)| inner > outer) {
            ops.extend([Op::Lock(inner), Op::Compute(nested), Op::Unlock(inner)]);
        }
        ops.push(Op::Unlock(outer));
        ops
    });
    (proptest::collection::vec(section, 0..3), 1_u64..3).prop_map(|(sections, after)| {
        let mut ops = sections.concat();
        ops.push(Op::Compute(after));
        ops
    })
}

/// Of any server but the first, or in the background.
fn chore() -> impl Strategy<Value = Chore> {
    let overrun = prop_oneof![1 => Just(1_u64), 1 => 2_u64..11];
    let on_miss = select(&[OnMiss::Continue, OnMiss::Skip][..]);
    let sleep = proptest::option::of((0_usize..10, 1_u64..9));
    let pace = (4_u64..40, 0_u64..10);
    (
        1..MOST_SERVERS + 2,
        pace,
        overrun,
        on_miss,
        ops(1..MUTEXES),
        sleep,
    )
        .prop_map(
            |(server, (period, phase), overrun, on_miss, mut ops, sleep)| {
                if let Some((at, length)) = sleep {
                    ops.insert(at % (ops.len() + 1), Op::Suspend(length));
                }
                Chore {
                    server,
                    period,
                    phase,
                    overrun,
                    on_miss,
                    ops,
                }
            },
        )
}

fn reserved() -> impl Strategy<Value = Reserved> {
    (1_u64..6, 0_u64..15, 0_u64..8).prop_map(|(budget, slack, rest)| Reserved {
        budget,
        deadline: budget + slack,
        period: budget + slack + rest,
    })
}

/// How long the longest section of mutex 0 takes. There is no other one inside.
fn longest_section(chore: &Chore) -> u64 {
    let sections = chore.ops.windows(2).map(|pair| match *pair {
        [Op::Lock(0), Op::Compute(length)] => length * chore.overrun,
        _ => 0,
    });
    sections.max().unwrap_or(0)
}

pub(crate) fn script() -> impl Strategy<Value = Script> {
    let own = (
        1_u64..4,
        proptest::collection::vec(1_u64..3, 0..3),
        0_u64..4,
        0_u64..8,
    );
    (
        own,
        (0_u64..4, proptest::option::of(1_u64..4)),
        proptest::collection::vec(reserved(), 0..MOST_SERVERS),
        proptest::collection::vec(chore(), 1..6),
        proptest::collection::vec(proptest::bool::weighted(0.8), usize::from(MUTEXES)),
    )
        .prop_map(
            |(
                (before, sections, room, phase),
                (slack, shared),
                mut servers,
                mut chores,
                mut lends,
            )| {
                lends[0] = true;
                if let Some(length) = shared {
                    chores[0]
                        .ops
                        .extend([Op::Lock(0), Op::Compute(length), Op::Unlock(0)]);
                }
                let mut ops = vec![Op::Compute(before)];
                for &length in &sections {
                    ops.extend([Op::Lock(0), Op::Compute(length), Op::Unlock(0)]);
                }
                let declared = before + sections.iter().sum::<u64>();
                let budget = declared + sections.len() as u64 * longest_section(&chores[0]);
                let deadline = budget * (1 + room) + slack;
                let period = deadline + slack * room;
                servers.insert(
                    0,
                    Reserved {
                        budget,
                        deadline,
                        period,
                    },
                );
                let first = Chore {
                    server: 0,
                    period,
                    phase,
                    overrun: 1,
                    on_miss: OnMiss::Continue,
                    ops,
                };
                chores.insert(0, first);
                Script {
                    servers,
                    chores,
                    lends,
                }
            },
        )
}
