//! The policy that hands groups on, all designs as one type, and how much memory they take.

use crate::double_sorted::{Lane, Small, TASKS, table_3_1};
use flyball_policy::order::Level;
use flyball_policy::{
    AnyDesign, Bitmap, Breadth, Costs, CpuId, Design, DoubleSorted, Encode, FixedPriority, Group,
    Grouped, Grouping, Inline, Kept, LooseLists, LooseWalk, NonPreemptive, Parameter, Policy,
    Priority, Queue, Ranked, Ready, Refused, Resched, Scope, Speed, Stop, StrictLists, StrictWalk,
    TaskId, Time, TourLists, Usage,
};

const CPU: CpuId = CpuId(0);
const NOW: Time = Time::ZERO;

type Dss = DoubleSorted<Ranked<FixedPriority, AnyDesign<Level, Small>>>;

const DESIGNS: [Design; 5] = [
    Design::StrictLists,
    Design::LooseLists(Scope {
        real_time: 100,
        levels: std::num::NonZeroU8::MIN,
    }),
    Design::StrictWalk,
    Design::LooseWalk(Breadth {
        real_time: 100,
        demotes: false,
        sorting: 0,
        adjustment: 1,
    }),
    Design::TourLists,
];

fn dss(design: Design) -> Dss {
    let queue = AnyDesign::with(TASKS.into(), design, &table_3_1(), Kept::ALL);
    DoubleSorted::new(Ranked::with_queue(FixedPriority, queue))
}

fn at(priority: u8, group: u8) -> Grouped<Priority> {
    Grouped {
        speed: None,
        params: Priority(priority),
        group: Group(group),
    }
}

/// Admits tasks of these groups, and returns in which order they run to their ends.
fn order(policy: &mut impl Policy<Params = Grouped<Priority>>, groups: &[u8]) -> Vec<u16> {
    for (task, &group) in groups.iter().enumerate() {
        let task = TaskId::from_index(task);
        policy.admit(task, at(3, group), NOW).unwrap();
        let _ = policy.ready(CPU, task, Ready::Unblocked, NOW);
    }
    let mut order = Vec::new();
    while let Some(next) = policy.pick(CPU, NOW) {
        order.push(next.task.0);
        let used = Usage::default();
        let _ = policy.stopped(CPU, next.task, used, Stop::Completed, NOW);
        policy.retire(next.task, NOW);
    }
    order
}

#[test]
fn each_design_by_its_own_order() {
    // From 104 MHz by 208 and 416 to 620, or from 620 down.
    let groups = [0, 4, 1, 0, 2, 4];
    let up = [0, 3, 2, 4, 1, 5];
    let down = [1, 5, 4, 2, 0, 3];
    for (design, expected) in DESIGNS.into_iter().zip([up, up, down, down, up]) {
        assert_eq!(order(&mut dss(design), &groups), expected, "{design:?}");
    }
}

/// A task that comes back under another group, or is told so while it waits, is in that one.
#[test]
fn groups_come_with_parameters() {
    for design in DESIGNS {
        let mut policy = dss(design);
        for task in 0..2 {
            policy.admit(TaskId(task), at(3, 0), NOW).unwrap();
            let _ = policy.ready(CPU, TaskId(task), Ready::Unblocked, NOW);
        }
        assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(0));
        let _ = policy.adjust(TaskId(1), at(3, 2), NOW).unwrap();
        assert_eq!(policy.group(TaskId(1)), Group(2));
        let resched = policy.adjust(TaskId(0), at(3, 4), NOW).unwrap();
        assert_eq!(policy.group(TaskId(0)), Group(4));
        assert_eq!(
            policy.pick(CPU, NOW).unwrap().task,
            TaskId(0),
            "{resched:?}"
        );
        let resched = policy.adjust(TaskId(1), at(4, 2), NOW).unwrap();
        assert!(resched.includes(CPU));
        assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(1));
    }
}

#[test]
fn there_are_eight_groups() {
    let mut policy = dss(Design::StrictLists);
    let refused = Err(Refused::Invalid(Parameter::Other));
    assert_eq!(policy.admit(TaskId(0), at(3, 8), NOW), refused);
    assert_eq!(policy.admit(TaskId(0), at(3, 7), NOW), Ok(()));
    assert_eq!(policy.adjust(TaskId(0), at(3, 8), NOW).map(|_| ()), refused);
    assert_eq!(policy.group(TaskId(0)), Group(7));

    let mut bytes = Vec::new();
    at(3, 7).emit(&mut |part| bytes.extend(part));
    assert_eq!(bytes, [3, 7, u8::MAX]);
    assert_eq!(Grouped::parse(&mut &bytes[..]), Some(at(3, 7)));
    let fast = Grouped {
        speed: Some(Speed(2)),
        ..at(3, 7)
    };
    assert_eq!(Grouped::parse(&mut &[3, 7, 2][..]), Some(fast));
    assert_eq!(Grouped::<Priority>::parse(&mut &[3, 8, 2][..]), None);
}

/// A design and a table of costs are what they were once an image has carried them, and no shorter piece
/// of their bytes is one.
#[test]
fn designs_and_costs_survive_being_bytes() {
    fn survives<T: Encode + PartialEq + std::fmt::Debug>(value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.emit(&mut |part| bytes.extend(part));
        let mut rest = &bytes[..];
        assert_eq!(T::parse(&mut rest).as_ref(), Some(value));
        assert!(rest.is_empty());
        for length in 0..bytes.len() {
            assert_eq!(T::parse(&mut &bytes[..length]), None);
        }
        bytes
    }
    for design in DESIGNS {
        survives(&design);
    }
    assert_eq!(Design::parse(&mut &[5_u8][..]), None);
    let no_levels = [1, 100, 0];
    assert_eq!(Design::parse(&mut &no_levels[..]), None);
    survives(&Some(table_3_1()));
    assert_eq!(survives(&None::<Costs>), [0]);
    let mut bytes = survives(&Costs::even(2, 3));
    assert_eq!(bytes, [2, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    bytes[1] = 1;
    assert_eq!(Costs::parse(&mut &bytes[..]), None, "to stay is free");
    for count in [0, 9] {
        bytes = [count].into_iter().chain([0; 4 * 81]).collect();
        assert_eq!(Costs::parse(&mut &bytes[..]), None, "{count} groups");
    }
}

/// Without preemption groups are known, too.
#[test]
fn policies_around_hand_groups_on() {
    let mut policy = DoubleSorted::new(NonPreemptive::new(Ranked::<FixedPriority, _>::with_queue(
        FixedPriority,
        StrictLists::<Level, Small>::new(TASKS.into()),
    )));
    for (task, group) in [0, 1, 0].into_iter().enumerate() {
        let task = TaskId::from_index(task);
        policy.admit(task, at(3, group), NOW).unwrap();
        let _ = policy.ready(CPU, task, Ready::Unblocked, NOW);
    }
    assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(0));
    assert_eq!(policy.regroup(TaskId(0), Group(1), NOW), Resched::None);
    assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(0));
    let used = Usage::default();
    let _ = policy.stopped(CPU, TaskId(0), used, Stop::Completed, NOW);
    assert_eq!(policy.pick(CPU, NOW).unwrap().task, TaskId(1));
}

type Tour<const WORDS: usize> = TourLists<Lane, Small, WORDS, 6>;
type Lists<const WORDS: usize, const GROUPS: usize> = StrictLists<Lane, Small, WORDS, GROUPS>;

/// A byte a task beyond what a bitmap takes, one more with promotion, and two bytes a level and domain.
#[test]
fn memory() {
    fn task<Few, Many>() -> usize {
        (size_of::<Many>() - size_of::<Few>()) / 32
    }
    let bitmap = task::<Bitmap<Lane, Inline<32>>, Bitmap<Lane, Inline<64>>>();
    let sizes = [
        task::<StrictLists<Lane, Inline<32>>, StrictLists<Lane, Inline<64>>>(),
        task::<LooseLists<Lane, Inline<32>>, LooseLists<Lane, Inline<64>>>(),
        task::<StrictWalk<Lane, Inline<32>>, StrictWalk<Lane, Inline<64>>>(),
        task::<LooseWalk<Lane, Inline<32>>, LooseWalk<Lane, Inline<64>>>(),
        task::<TourLists<Lane, Inline<32>>, TourLists<Lane, Inline<64>>>(),
    ];
    assert_eq!(sizes.map(|size| size - bitmap), [1, 1, 1, 2, 1]);

    let domain = size_of::<Lists<1, 3>>() - size_of::<Lists<1, 2>>();
    assert_eq!(domain, 2 * 32);
    // And a word of the bitmap.
    let levels = size_of::<Lists<2, 5>>() - size_of::<Lists<1, 5>>();
    assert!(levels - 2 * 5 * 32 <= 8, "{levels} bytes for 32 levels");
    // A column for the visit, and where it is.
    let tour = size_of::<Tour<2>>() - size_of::<Tour<1>>();
    assert!(tour - (2 * 5 + 3) * 32 <= 8, "{tour} bytes for 32 levels");
    let walk = size_of::<StrictWalk<Lane, Small, 2>>() - size_of::<StrictWalk<Lane, Small, 1>>();
    assert!(walk - 2 * 32 <= 8, "{walk} bytes for 32 levels");
}
