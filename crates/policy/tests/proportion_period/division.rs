//! The CPU is never promised twice, whatever tasks come and go, send and receive.

use flyball_policy::proportion_period::{
    BestEffort, ControllerPlace, Part, ProportionPeriod, Request, Sensing, Settings,
};
use flyball_policy::{
    Boxed, CpuId, Duration, Fifo, Fill, Policy, Ranked, Ready, Refused, Role, SortedList, Stop,
    TaskId, Time, Usage,
};
use proptest::collection::vec;
use proptest::prelude::*;

const CPU: CpuId = CpuId(0);
const TASKS: u16 = 6;

type Background = Ranked<Fifo, SortedList<(), Boxed>>;
type Pp = ProportionPeriod<Background, Boxed>;

#[derive(Clone, Copy, Debug)]
enum Step {
    Admit(u16, Request),
    Adjust(u16, Request),
    Retire(u16),
    Ready(u16),
    /// The running task goes on for so many microseconds, and then it stops.
    Run(u64, Stop),
    /// A task moves a message: the level of the queue is this then.
    Move(u16, usize, Role, u16),
    /// A thread runs the controllers.
    Control,
    /// Nothing happens for so many microseconds, but for alarms.
    Pass(u64),
}

fn request() -> impl Strategy<Value = Request> {
    let share = proptest::option::of((1_u32..400_000).prop_map(Part::millionths));
    let period = proptest::option::of((1_u64..200).prop_map(Duration::from_millis));
    (share, period, 1_u16..9).prop_map(|(share, period, importance)| Request {
        share,
        period,
        importance,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let task = || 0..TASKS;
    let stop = prop_oneof![
        Just(Stop::Blocked),
        Just(Stop::Completed),
        Just(Stop::Yielded),
        Just(Stop::Preempted),
    ];
    let role = prop_oneof![Just(Role::Producer), Just(Role::Consumer)];
    prop_oneof![
        3 => (task(), request()).prop_map(|(task, request)| Step::Admit(task, request)),
        1 => (task(), request()).prop_map(|(task, request)| Step::Adjust(task, request)),
        1 => task().prop_map(Step::Retire),
        4 => task().prop_map(Step::Ready),
        8 => (1_u64..9_000, stop).prop_map(|(length, why)| Step::Run(length, why)),
        6 => (task(), 0_usize..4, role, 0_u16..=10)
            .prop_map(|(task, queue, role, level)| Step::Move(task, queue, role, level)),
        4 => (1_u64..20_000).prop_map(Step::Pass),
        2 => Just(Step::Control),
    ]
}

/// The policy, and what a kernel knows of its tasks.
struct World {
    policy: Pp,
    settings: Settings,
    now: Time,
    requests: [Option<Request>; TASKS as usize],
    is_queued: [bool; TASKS as usize],
    tied: Vec<(u16, usize, Role)>,
    notes: [u16; 4],
    running: Option<(TaskId, Option<Duration>, Duration)>,
}

impl World {
    fn new(settings: Settings) -> World {
        // Room for all ends that there can be.
        let capacity = 2 * usize::from(TASKS);
        let background = Background::new(Fifo, capacity);
        World {
            policy: Pp::new(settings, background, capacity),
            settings,
            now: Time::ZERO,
            requests: [None; TASKS as usize],
            is_queued: [false; TASKS as usize],
            tied: Vec::new(),
            notes: [0; 4],
            running: None,
        }
    }

    fn stop(&mut self, why: Stop) {
        if let Some((task, _, used)) = self.running.take() {
            if matches!(why, Stop::Blocked | Stop::Completed) {
                self.is_queued[task.index()] = false;
            }
            let _ = self
                .policy
                .stopped(CPU, task, Usage::time(used), why, self.now);
        }
    }

    fn pick(&mut self) {
        let picked = self.policy.pick(CPU, self.now);
        self.running = picked.map(|it| (it.task, it.burst, Duration::ZERO));
        if let Some(it) = picked {
            assert!(self.is_queued[it.task.index()], "what runs is ready");
            assert_ne!(it.burst, Some(Duration::ZERO));
        }
    }

    /// Time passes, and what runs goes on, up to its bursts and to alarms.
    fn pass(&mut self, length: u64) {
        let end = self.now + Duration::from_micros(length);
        while self.now < end {
            let mut next = end;
            if let Some((_, Some(burst), used)) = self.running {
                next = next.min(self.now + burst.saturating_sub(used));
            }
            if let Some(alarm) = self.policy.next_alarm(CPU) {
                next = next.min(alarm.max(self.now));
            }
            let passed = next.since(self.now);
            self.now = next;
            if let Some((_, _, used)) = &mut self.running {
                *used += passed;
            }
            if let Some((_, Some(burst), used)) = self.running
                && used >= burst
            {
                self.stop(Stop::BurstEnd);
                self.pick();
            }
            if self.policy.next_alarm(CPU).is_some_and(|at| at <= self.now)
                && self.policy.alarm(CPU, self.now).includes(CPU)
            {
                self.stop(Stop::Preempted);
                self.pick();
            }
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Admit(task, request) => {
                let admitted = self.policy.admit(TaskId(task), request, self.now);
                match (self.requests[usize::from(task)], admitted) {
                    (Some(_), result) => assert_eq!(result, Err(Refused::Member)),
                    (None, Ok(())) => self.requests[usize::from(task)] = Some(request),
                    (None, Err(Refused::Overload { .. })) => assert!(request.share.is_some()),
                    (None, Err(other)) => panic!("{other}"),
                }
            }
            Step::Adjust(task, request) => {
                let adjusted = self.policy.adjust(TaskId(task), request, self.now);
                match (self.requests[usize::from(task)], adjusted) {
                    (None, result) => assert_eq!(result.err(), Some(Refused::NotAdmitted)),
                    (Some(_), Ok(_)) => self.requests[usize::from(task)] = Some(request),
                    (Some(_), Err(Refused::Overload { .. })) => assert!(request.share.is_some()),
                    (Some(_), Err(other)) => panic!("{other}"),
                }
            }
            Step::Retire(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.policy.retire(TaskId(task), self.now);
                    self.requests[number] = None;
                    self.tied.retain(|end| end.0 != task);
                }
            }
            Step::Ready(task) => {
                let number = usize::from(task);
                if self.requests[number].is_some() && !self.is_queued[number] {
                    self.is_queued[number] = true;
                    let _ = self
                        .policy
                        .ready(CPU, TaskId(task), Ready::Unblocked, self.now);
                }
            }
            Step::Run(length, why) => {
                self.pass(length);
                self.stop(why);
            }
            Step::Move(task, queue, role, level) => {
                if self.requests[usize::from(task)].is_some() {
                    let note = &mut self.notes[queue];
                    let fill = Fill {
                        note,
                        level,
                        capacity: 10,
                        moved: 1,
                        by: Some((TaskId(task), role)),
                    };
                    self.policy.filled(fill, self.now);
                    if !self.tied.contains(&(task, queue, role)) {
                        self.tied.push((task, queue, role));
                    }
                }
            }
            Step::Control => {
                let resched = self.policy.control(CPU, self.now);
                if self.settings.controller == ControllerPlace::Kernel {
                    assert!(!resched.includes(CPU), "the alarm runs them");
                }
            }
            Step::Pass(length) => self.pass(length),
        }
        self.stop(Stop::Preempted);
        self.pick();
    }

    /// What tasks have been promised from their next periods on.
    fn check(&self) {
        assert_eq!(
            self.policy.ends(),
            self.tied.len(),
            "no end is lost or left"
        );
        let mut sum = 0;
        for (number, request) in (0..).zip(&self.requests) {
            let reservation = self.policy.reservation(TaskId(number));
            let Some(request) = request else {
                continue;
            };
            let Some((share, period)) = reservation else {
                assert_eq!(self.settings.best_effort, BestEffort::LeftOver);
                continue;
            };
            sum += u64::from(share.next.0);
            assert!(Part::NOTHING < share.next && share.next <= share.now);
            if let Some(asked) = request.share {
                assert_eq!(share.next, asked);
            }
            if let Some(asked) = request.period {
                assert_eq!(period, asked);
            } else {
                let periods = &self.settings.periods;
                assert!(periods.shortest <= period && period <= periods.longest);
            }
        }
        assert!(sum <= u64::from(self.settings.limit.0), "{sum} is too much");
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let sensing = prop_oneof![
        Just(Sensing::Exact),
        Just(Sensing::Switch),
        Just(Sensing::Sampled)
    ];
    let best_effort = prop_oneof![Just(BestEffort::OpenLoop), Just(BestEffort::LeftOver)];
    let controller = prop_oneof![Just(ControllerPlace::Kernel), Just(ControllerPlace::Thread)];
    (sensing, best_effort, controller).prop_map(|(sensing, best_effort, controller)| Settings {
        controller,
        sensing,
        best_effort,
        ..Settings::DEFAULT
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 500 }))]

    #[test]
    fn no_cpu_time_is_promised_twice(settings in settings(), steps in vec(step(), 0..300)) {
        let mut world = World::new(settings);
        for step in steps {
            world.step(step);
            world.check();
        }
    }
}

/// Where a thread runs the controllers there is no alarm for them, and a run that comes too early after another is none.
#[test]
fn a_thread_says_when_the_controllers_run() {
    let ms = Duration::from_millis;
    let settings = Settings {
        controller: ControllerPlace::Thread,
        ..Settings::DEFAULT
    };
    let mut world = World::new(settings);
    world.step(Step::Admit(0, Request::NOTHING));
    world.step(Step::Ready(0));
    let share = |world: &World| world.policy.reservation(TaskId(0)).map(|it| it.0.next);
    world.step(Step::Move(0, 0, Role::Consumer, 9));
    let first = share(&world);
    let mut alarms = 0;
    for _ in 0..50 {
        let at = world.policy.next_alarm(CPU).unwrap_or(Time::NEVER);
        alarms += usize::from(at <= world.now + ms(1));
        world.step(Step::Run(1_000, Stop::Preempted));
        world.step(Step::Move(0, 0, Role::Consumer, 9));
    }
    assert_eq!(share(&world), first, "no controller has run");
    // At most the ends of periods of 500 and of 100 ms.
    assert!(alarms <= 2, "{alarms}");
    world.step(Step::Control);
    let second = share(&world);
    assert_ne!(second, first);
    world.step(Step::Run(4_000, Stop::Preempted));
    world.step(Step::Control);
    assert_eq!(
        share(&world),
        second,
        "that is less than half an interval later"
    );
    world.step(Step::Run(1_000, Stop::Preempted));
    world.step(Step::Control);
    assert_ne!(share(&world), second);
}
