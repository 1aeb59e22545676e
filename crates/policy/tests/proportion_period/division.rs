//! The CPU is never promised twice, whatever tasks come and go, send and receive.

use super::world::{CPU, Step, TASKS, World};
use flyball_policy::proportion_period::{
    BestEffort, ControllerPlace, Part, Request, Sensing, Settings,
};
use flyball_policy::{Duration, Policy, Role, Stop, TaskId, Time};
use proptest::collection::vec;
use proptest::prelude::*;

/// What tasks may say: a share of less than `most` millionths, a period, both or neither.
pub(super) fn request(most: u32) -> impl Strategy<Value = Request> {
    let share = proptest::option::of((1..most).prop_map(Part::millionths));
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
        3 => (task(), request(400_000)).prop_map(|(task, request)| Step::Admit(task, request)),
        1 => (task(), request(400_000)).prop_map(|(task, request)| Step::Adjust(task, request)),
        1 => task().prop_map(Step::Retire),
        4 => task().prop_map(Step::Ready),
        8 => (1_u64..9_000, stop).prop_map(|(length, why)| Step::Run(length, why)),
        6 => (task(), 0_usize..4, role, 0_u16..=10)
            .prop_map(|(task, queue, role, level)| Step::Move(task, queue, role, level)),
        4 => (1_u64..20_000).prop_map(Step::Pass),
        2 => Just(Step::Control),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let sensing = prop_oneof![
        Just(Sensing::Exact),
        Just(Sensing::Switch),
        Just(Sensing::Sampled)
    ];
    let best_effort = prop_oneof![Just(BestEffort::OpenLoop), Just(BestEffort::LeftOver)];
    let denies = prop_oneof![Just(Duration::ZERO), Just(Duration::from_millis(3))];
    let controller = prop_oneof![Just(ControllerPlace::Kernel), Just(ControllerPlace::Thread)];
    let all = (sensing, best_effort, denies, controller, any::<bool>());
    all.prop_map(
        |(sensing, best_effort, denies, controller, renegotiates)| Settings {
            controller,
            sensing,
            best_effort,
            denies,
            renegotiates,
            ..Settings::DEFAULT
        },
    )
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
    for level in (0..50).map(|n| 9 - n % 2) {
        let at = world.policy.next_alarm(CPU).unwrap_or(Time::NEVER);
        alarms += usize::from(at <= world.now + ms(1));
        world.step(Step::Run(1_000, Stop::Preempted));
        world.step(Step::Move(0, 0, Role::Consumer, level));
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
