//! The same on two CPUs: no task runs on both, and no more is promised than both have.

use super::division::request;
use flyball_policy::proportion_period::{
    BestEffort, GlobalProportionPeriod, Part, Request, Settings,
};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Fill, Policy, Ready, Refused, Resched, Role, Stop, TaskId, Time,
    Usage,
};
use proptest::collection::vec;
use proptest::prelude::*;

const TASKS: u16 = 6;
const CPUS: [CpuId; 2] = [CpuId(0), CpuId(1)];

#[derive(Clone, Copy, Debug)]
enum Step {
    Admit(u16, Request),
    Adjust(u16, Request),
    Retire(u16),
    Ready(u16),
    /// What runs on a CPU stops there.
    Stop(usize, Stop),
    /// A task moves a message: the level of the queue is this then.
    Move(u16, usize, Role, u16),
    /// So many microseconds pass.
    Pass(u64),
}

type Running = (TaskId, Option<Duration>, Duration);

struct World {
    policy: GlobalProportionPeriod<Fifo, Boxed, Boxed>,
    settings: Settings,
    now: Time,
    requests: [Option<Request>; TASKS as usize],
    is_queued: [bool; TASKS as usize],
    notes: [u16; 4],
    running: [Option<Running>; 2],
    pending: [bool; 2],
}

impl World {
    fn new(settings: Settings) -> World {
        let capacity = 2 * usize::from(TASKS);
        World {
            policy: GlobalProportionPeriod::new(settings, Fifo, capacity, CPUS.len()),
            settings,
            now: Time::ZERO,
            requests: [None; TASKS as usize],
            is_queued: [false; TASKS as usize],
            notes: [0; 4],
            running: [None; 2],
            pending: [false; 2],
        }
    }

    fn note(&mut self, resched: Resched) {
        for cpu in CPUS.into_iter().filter(|&cpu| resched.includes(cpu)) {
            self.pending[cpu.index()] = true;
        }
    }

    fn stop(&mut self, cpu: CpuId, why: Stop) {
        if let Some((task, _, used)) = self.running[cpu.index()].take() {
            if matches!(why, Stop::Blocked | Stop::Completed) {
                self.is_queued[task.index()] = false;
            }
            let used = Usage::time(used);
            let resched = self.policy.stopped(cpu, task, used, why, self.now);
            self.note(resched);
            self.pending[cpu.index()] = true;
        }
    }

    /// The CPUs that must pick do, and the last one first.
    fn pick(&mut self) {
        while let Some(cpu) = CPUS.into_iter().rfind(|cpu| self.pending[cpu.index()]) {
            self.stop(cpu, Stop::Preempted);
            self.pending[cpu.index()] = false;
            let picked = self.policy.pick(cpu, self.now);
            if let Some(it) = picked {
                assert!(self.is_queued[it.task.index()], "what runs is ready");
                assert_ne!(it.burst, Some(Duration::ZERO));
                let other = self.running[1 - cpu.index()];
                assert!(
                    other.is_none_or(|other| other.0 != it.task),
                    "it runs twice"
                );
            }
            self.running[cpu.index()] = picked.map(|it| (it.task, it.burst, Duration::ZERO));
        }
    }

    fn pass(&mut self, length: u64) {
        let end = self.now + Duration::from_micros(length);
        while self.now < end {
            let mut next = end;
            for (_, burst, used) in self.running.iter().flatten() {
                let left = burst.map_or(Duration::MAX, |burst| burst.saturating_sub(*used));
                next = next.min(self.now + left);
            }
            for cpu in CPUS {
                let alarm = self.policy.next_alarm(cpu).unwrap_or(Time::NEVER);
                assert!(
                    cpu == CpuId(0) || alarm.is_never(),
                    "alarms are those of CPU 0"
                );
                next = next.min(alarm.max(self.now));
            }
            let passed = next.since(self.now);
            self.now = next;
            for (_, _, used) in self.running.iter_mut().flatten() {
                *used += passed;
            }
            for cpu in CPUS {
                if let Some((_, Some(burst), used)) = self.running[cpu.index()]
                    && used >= burst
                {
                    self.stop(cpu, Stop::BurstEnd);
                }
            }
            if self
                .policy
                .next_alarm(CpuId(0))
                .is_some_and(|at| at <= self.now)
            {
                let resched = self.policy.alarm(CpuId(0), self.now);
                self.note(resched);
            }
            self.pick();
        }
    }

    fn step(&mut self, step: Step) {
        let now = self.now;
        match step {
            Step::Admit(task, request) => {
                let number = usize::from(task);
                match (
                    self.requests[number],
                    self.policy.admit(TaskId(task), request, now),
                ) {
                    (Some(_), result) => assert_eq!(result, Err(Refused::Member)),
                    (None, Ok(())) => self.requests[number] = Some(request),
                    (None, Err(Refused::Overload { .. })) => assert!(request.share.is_some()),
                    (None, Err(other)) => panic!("{other}"),
                }
            }
            Step::Adjust(task, request) => match self.policy.adjust(TaskId(task), request, now) {
                Ok(resched) => {
                    self.requests[usize::from(task)] = Some(request);
                    self.note(resched);
                }
                Err(Refused::NotAdmitted) => assert!(self.requests[usize::from(task)].is_none()),
                Err(other) => assert!(matches!(other, Refused::Overload { .. }), "{other}"),
            },
            Step::Retire(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.policy.retire(TaskId(task), now);
                    self.requests[number] = None;
                }
            }
            Step::Ready(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.is_queued[number] = true;
                    let why = Ready::Unblocked;
                    let resched = self.policy.ready(CpuId(0), TaskId(task), why, now);
                    self.note(resched);
                }
            }
            Step::Stop(cpu, why) => self.stop(CPUS[cpu], why),
            Step::Move(task, queue, role, level) => {
                if self.requests[usize::from(task)].is_some() {
                    let fill = Fill {
                        note: &mut self.notes[queue],
                        level,
                        capacity: 10,
                        by: Some((TaskId(task), role)),
                    };
                    self.policy.filled(fill, now);
                }
            }
            Step::Pass(length) => self.pass(length),
        }
        self.pick();
        self.check();
    }

    /// Shares of the next periods are at most twice the limit, and each at most the limit; both CPUs work while two tasks
    /// have a budget.
    fn check(&self) {
        let limit = u64::from(self.settings.limit.0);
        let mut sum = 0;
        for (number, _) in (0..).zip(&self.requests).filter(|it| it.1.is_some()) {
            let Some((share, _)) = self.policy.reservation(TaskId(number)) else {
                assert_eq!(self.settings.best_effort, BestEffort::LeftOver);
                continue;
            };
            assert!(Part::NOTHING < share.next && share.next <= share.now);
            assert!(
                u64::from(share.next.0) <= limit,
                "{} is too much",
                share.next.0
            );
            sum += u64::from(share.next.0);
        }
        assert!(sum <= 2 * limit + u64::from(TASKS), "{sum} is too much");
    }
}

fn step() -> impl Strategy<Value = Step> {
    let task = || 0..TASKS;
    let stop = prop_oneof![
        Just(Stop::Blocked),
        Just(Stop::Completed),
        Just(Stop::Yielded)
    ];
    let role = prop_oneof![Just(Role::Producer), Just(Role::Consumer)];
    prop_oneof![
        3 => (task(), request(700_000)).prop_map(|(task, request)| Step::Admit(task, request)),
        1 => (task(), request(700_000)).prop_map(|(task, request)| Step::Adjust(task, request)),
        1 => task().prop_map(Step::Retire),
        6 => task().prop_map(Step::Ready),
        4 => (0_usize..2, stop).prop_map(|(cpu, stop)| Step::Stop(cpu, stop)),
        6 => (task(), 0_usize..4, role, 0_u16..=10)
            .prop_map(|(task, queue, role, level)| Step::Move(task, queue, role, level)),
        10 => (1_u64..20_000).prop_map(Step::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 500 }))]

    #[test]
    fn two_cpus_are_never_promised_twice(
        steps in vec(step(), 1..150),
        left_over in any::<bool>(),
        renegotiates in any::<bool>(),
    ) {
        let best_effort = if left_over { BestEffort::LeftOver } else { BestEffort::OpenLoop };
        let mut world = World::new(Settings { best_effort, renegotiates, ..Settings::DEFAULT });
        for step in steps {
            world.step(step);
        }
    }
}

/// Two that always compute each get a whole CPU's limit, however important they are; a third one takes of both.
#[test]
fn best_effort_has_no_more_than_one_cpu_each() {
    let mut world = World::new(Settings::DEFAULT);
    let asks = |importance| Request {
        importance,
        ..Request::NOTHING
    };
    for (task, importance) in [(0, 1), (1, 8)] {
        world.step(Step::Admit(task, asks(importance)));
    }
    let next = |world: &World, task| world.policy.reservation(TaskId(task)).unwrap().0.next;
    let limit = Settings::DEFAULT.limit;
    assert_eq!([0, 1].map(|task| next(&world, task)), [limit; 2]);
    world.step(Step::Admit(2, asks(1)));
    // The important one is full still, and the others divide a CPU.
    assert_eq!(next(&world, 1), limit);
    assert_eq!(
        [0, 2].map(|task| next(&world, task)),
        [Part(limit.0 / 2); 2]
    );
}

/// Twice 96 % fit, but not with a share of 90 % by the end of each period of it: the others may be in the way.
#[test]
fn the_real_time_class_is_admitted_by_a_bound_for_several_cpus() {
    let mut world = World::new(Settings::DEFAULT);
    let asks = |share, period| Request {
        share: Some(Part::millionths(share)),
        period,
        importance: 1,
    };
    let period = Some(Duration::from_millis(10));
    let now = Time::ZERO;
    // 0.5 + 0.9 is more than 2 · 0.96 − 0.9.
    world
        .policy
        .admit(TaskId(0), asks(500_000, period), now)
        .unwrap();
    let refused = world.policy.admit(TaskId(1), asks(900_000, period), now);
    assert!(
        matches!(refused, Err(Refused::Overload { .. })),
        "{refused:?}"
    );
    world
        .policy
        .admit(TaskId(1), asks(700_000, period), now)
        .unwrap();
    // Of which nothing has to be there by an instant, only the sum counts.
    world
        .policy
        .admit(TaskId(2), asks(700_000, None), now)
        .unwrap();
    let refused = world.policy.admit(TaskId(3), asks(30_000, None), now);
    assert!(
        matches!(refused, Err(Refused::Overload { .. })),
        "{refused:?}"
    );
}
