//! Reservations that a policy changes by itself, in the trace.

use super::world::{CPU, ROWS, World, at, ns};
use crate::{Attributes, Timing};
use flyball_policy::{
    Budget, CpuId, Dispatch, Policy, Ready, Refused, Resched, Reserve, Stop, TaskId, Time, Usage,
    Wants,
};
use flyball_trace::{Duration, Kind, ServerId};

/// First come, first served. Every ten nanoseconds the next reservation of a list is that of all tasks; after
/// its end they stay as they are.
struct Elastic {
    queue: Vec<TaskId>,
    list: &'static [Reserve],
    alarms: u64,
}

impl Policy for Elastic {
    type Params = ();
    type Settings = ();
    const WANTS: Wants = Wants::ALARMS.and(Wants::BUDGETS);

    fn capacity(&self) -> usize {
        ROWS
    }

    fn admit(&mut self, _: TaskId, (): (), _: Time) -> Result<(), Refused> {
        Ok(())
    }

    fn adjust(&mut self, _: TaskId, (): (), _: Time) -> Result<Resched, Refused> {
        Ok(Resched::None)
    }

    fn retire(&mut self, _: TaskId, _: Time) {}

    fn ready(&mut self, _: CpuId, task: TaskId, _: Ready, _: Time) -> Resched {
        self.queue.push(task);
        Resched::One(CPU)
    }

    fn stopped(&mut self, _: CpuId, task: TaskId, _: Usage, why: Stop, _: Time) -> Resched {
        if matches!(why, Stop::Blocked | Stop::Completed) {
            self.queue.retain(|&it| it != task);
        }
        Resched::One(CPU)
    }

    fn alarm(&mut self, _: CpuId, _: Time) -> Resched {
        self.alarms += 1;
        Resched::One(CPU)
    }

    fn control(&mut self, cpu: CpuId, now: Time) -> Resched {
        self.alarm(cpu, now)
    }

    fn next_alarm(&self, _: CpuId) -> Option<Time> {
        (self.now() + 1 < self.list.len()).then(|| at(10 * (self.alarms + 1)))
    }

    fn pick(&mut self, _: CpuId, _: Time) -> Option<Dispatch> {
        self.queue.first().copied().map(Dispatch::of)
    }

    fn server_of(&self, task: TaskId) -> Option<ServerId> {
        Some(ServerId::of(task))
    }

    fn budget(&self, server: ServerId, _: Duration, _: Time) -> Option<Budget> {
        (server == ServerId(0)).then(|| Budget {
            reserve: self.list.get(self.now()).copied(),
            ..Budget::default()
        })
    }
}

impl Elastic {
    /// The place in the list.
    fn now(&self) -> usize {
        usize::try_from(self.alarms).unwrap()
    }
}

/// The events of reservations under a list: when, the share and the period, or none where the share has been reduced.
fn told(list: &'static [Reserve]) -> Vec<(u64, Option<(u32, u64)>)> {
    let queue = Vec::new();
    let policy = Elastic {
        queue,
        list,
        alarms: 0,
    };
    let mut world = World::<Elastic>::new(policy, Timing::Tickless);
    for _ in 0..2 {
        let spawned = world.core.spawn(CPU, Attributes::THREAD, (), world.now);
        spawned.unwrap();
        world.settle();
    }
    // The first one leaves and enters the CPU time and again, which changes nothing.
    for now in (3..100).step_by(4) {
        world.run_until(at(now));
        if world.running() == Some(0) {
            let until = world.now + ns(1);
            let sleeps = world.core.sleep_until(CPU, until, world.now);
            world.waits(&sleeps);
        }
    }
    let events = world.core.trace().iter();
    let of_reservation = events.filter_map(|event| match event.kind {
        Kind::Reserve {
            task: TaskId(0),
            share,
            period,
        } => Some((event.time.as_nanos(), Some((share, period.as_nanos())))),
        Kind::Quality { task: TaskId(0) } => Some((event.time.as_nanos(), None)),
        Kind::Reserve { .. } | Kind::Quality { .. } => panic!("it has no reservation"),
        _ => None,
    });
    of_reservation.collect()
}

const fn reserve(share: u32, period: u64, is_squished: bool) -> Reserve {
    Reserve {
        share,
        period: Duration::from_nanos(period),
        is_squished,
    }
}

#[test]
fn a_reservation_is_traced_once_for_each_change() {
    const LIST: &[Reserve] = &[
        reserve(5, 100, false),
        reserve(5, 100, false),
        reserve(6, 100, false),
        reserve(6, 50, false),
        // Less than it asks for, and still so.
        reserve(4, 50, true),
        reserve(3, 50, true),
        reserve(3, 50, false),
        reserve(3, 50, true),
    ];
    assert_eq!(
        told(LIST),
        [
            (0, Some((5, 100))),
            (20, Some((6, 100))),
            (30, Some((6, 50))),
            (40, Some((4, 50))),
            (40, None),
            (50, Some((3, 50))),
            (70, None),
        ]
    );
}

#[test]
fn a_policy_that_changes_none_traces_none() {
    assert_eq!(told(&[]), []);
}

/// What a thread's call makes of reservations is traced at once, and the CPU is decided anew.
#[test]
fn a_thread_runs_the_controllers() {
    const LIST: &[Reserve] = &[reserve(1, 10, false), reserve(2, 20, true)];
    let policy = Elastic {
        queue: Vec::new(),
        list: LIST,
        alarms: 0,
    };
    let mut world = World::<Elastic>::new(policy, Timing::Tickless);
    let spawned = world.core.spawn(CPU, Attributes::THREAD, (), world.now);
    spawned.unwrap();
    world.settle();
    world.run_until(at(4));
    world.core.control(CPU, world.now);
    assert!(world.core.needs_resched(CPU));
    world.settle();
    let of_reservation = |kind: &Kind| matches!(kind, Kind::Reserve { .. } | Kind::Quality { .. });
    let events = world.core.trace().iter();
    let last: Vec<_> = events
        .filter(|event| event.time == at(4))
        .map(|event| event.kind)
        .collect();
    let task = TaskId(0);
    let changed = Kind::Reserve {
        task,
        share: 2,
        period: ns(20),
    };
    let told: Vec<Kind> = last.into_iter().filter(of_reservation).collect();
    assert_eq!(told, [changed, Kind::Quality { task }]);
}
