//! Double-sorted scheduling beside fixed priorities with time slices, from event to event.

use flyball_catalogue::sorting::{By, Sorting};
use flyball_catalogue::{Dss, FpRr, Scheduler};
use flyball_model::{Groups, OnMiss, Task, TaskSet};
use flyball_policy::{Breadth, Costs, Design, Scope, Sorts};
use flyball_sim::{Options, simulate};
use flyball_trace::{Duration, Event, Kind, TaskId, Time};
use proptest::prelude::*;

const QUANTUM: Duration = Duration::from_millis(2);

fn dss(design: Design, costs: Option<&Costs>) -> Dss {
    Dss {
        sorting: Sorting {
            by: By::Group,
            design: Some(design),
            costs: costs.copied(),
            sorts: Sorts::ALWAYS,
        },
        quantum: QUANTUM,
    }
}

/// The same, by the programs that tasks name.
fn by_program() -> Dss {
    let mut dss = dss(Design::StrictLists, None);
    dss.sorting.by = By::Program;
    dss
}

const STRICT: [Design; 3] = [Design::StrictLists, Design::StrictWalk, Design::TourLists];

/// Loose variants in which all levels but the last one are of real-time tasks, and so stay strict.
fn loose_for_nothing() -> [Design; 2] {
    let real_time = 255;
    [
        Design::LooseLists(Scope {
            real_time,
            ..Scope::default()
        }),
        Design::LooseWalk(Breadth {
            real_time,
            demotes: true,
            ..Breadth::default()
        }),
    ]
}

/// Tasks that compute and do nothing else, often more than there is time for, by period, execution time,
/// priority and group.
fn sets() -> impl Strategy<Value = TaskSet> {
    let task = (
        prop::sample::select(vec![4_u64, 5, 8, 10, 20]),
        1..5_u64,
        (1..4_u8, 0..8_u8),
        0..6_u64,
    );
    prop::collection::vec(task, 2..9).prop_map(|tasks| {
        let ms = Duration::from_millis;
        let task = |(number, (period, wcet, (priority, group), phase))| Task {
            priority: Some(priority),
            phase: ms(phase),
            on_miss: OnMiss::Skip,
            groups: Groups {
                number: group,
                ..Groups::default()
            },
            ..Task::periodic(format!("t{number}"), ms(period), ms(wcet))
        };
        TaskSet {
            tasks: tasks.into_iter().enumerate().map(task).collect(),
            ..TaskSet::default()
        }
    })
}

fn schedule(set: &TaskSet, scheduler: &impl Scheduler) -> Vec<Event> {
    let mut events = Vec::new();
    let options = Options::until(Duration::from_millis(100));
    simulate(set, scheduler, &options, &mut events).expect("all of them have priorities");
    events
}

/// The first instant from which on a task runs while a more urgent one is ready, or the CPU idles while
/// any is.
fn out_of_order(set: &TaskSet, events: &[Event]) -> Option<Time> {
    let mut jobs = vec![0_u32; set.tasks.len()];
    let mut running: Option<TaskId> = None;
    let mut now = Time::ZERO;
    for event in events {
        if event.time > now {
            let ready = set.tasks.iter().zip(&jobs).filter(|(_, jobs)| **jobs > 0);
            let most_urgent = ready.filter_map(|(task, _)| task.priority).max();
            let runs = running.and_then(|task| set.tasks[task.index()].priority);
            if runs != most_urgent {
                return Some(now);
            }
            now = event.time;
        }
        match event.kind {
            Kind::Release { task, .. } => jobs[task.index()] += 1,
            Kind::Complete { task, .. } => {
                jobs[task.index()] -= 1;
                running = None;
            }
            Kind::Dispatch { task, .. } => running = Some(task),
            Kind::Preempt { .. } | Kind::Idle => running = None,
            _ => {}
        }
    }
    None
}

/// How often the CPU goes on with a task of another group than that of the one before.
fn adjustments(set: &TaskSet, events: &[Event]) -> usize {
    let dispatched = events.iter().filter_map(|event| match event.kind {
        Kind::Dispatch { task, .. } => Some(set.tasks[task.index()].groups.number),
        _ => None,
    });
    let groups: Vec<u8> = dispatched.collect();
    groups.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 256 }))]

    /// Whatever the groups are, no less urgent task runs before a more urgent one.
    #[test]
    fn strict_variants_keep_to_priorities(set in sets(), even in any::<bool>()) {
        let costs = (!even).then(|| Costs::new(&[
            [0, 7, 9, 1, 5, 2, 8, 4],
            [3, 0, 1, 6, 9, 5, 2, 7],
            [8, 2, 0, 4, 1, 9, 6, 3],
            [5, 9, 3, 0, 7, 1, 4, 8],
            [1, 4, 8, 2, 0, 6, 3, 9],
            [6, 8, 5, 9, 2, 0, 7, 1],
            [9, 1, 7, 3, 8, 4, 0, 5],
            [2, 6, 4, 8, 3, 7, 1, 0],
        ]).unwrap());
        for design in STRICT.into_iter().chain(loose_for_nothing()) {
            let events = schedule(&set, &dss(design, costs.as_ref()));
            prop_assert_eq!(out_of_order(&set, &events), None, "{:?}", design);
        }
    }

    /// With all tasks in one group nothing is left but fixed priorities with time slices.
    #[test]
    fn one_group_is_none(mut set in sets(), group in 0..8_u8) {
        for task in &mut set.tasks {
            task.groups.number = group;
        }
        let expected = schedule(&set, &FpRr { quantum: QUANTUM });
        for design in STRICT.into_iter().chain(loose_for_nothing()) {
            let events = schedule(&set, &dss(design, None));
            prop_assert_eq!(&events, &expected, "{:?}", design);
        }
    }
}

/// Figures 1.1 and 1.2 of the source: five equals that need two frequencies.
#[test]
fn sorted_and_unsorted() {
    let ms = Duration::from_millis;
    let [low, high] = [0, 1];
    let task = |(number, group)| Task {
        priority: Some(1),
        groups: Groups {
            number: group,
            ..Groups::default()
        },
        ..Task::periodic(format!("t{number}"), ms(20), ms(2))
    };
    let groups = [low, high, low, high, low];
    let mut set = TaskSet {
        tasks: groups.into_iter().enumerate().map(task).collect(),
        ..TaskSet::default()
    };
    let within_a_period = |events: &[Event]| -> Vec<Event> {
        let in_it = events
            .iter()
            .filter(|event| event.time < Time::ZERO + ms(20));
        in_it.copied().collect()
    };
    let unsorted = schedule(&set, &FpRr { quantum: QUANTUM });
    assert_eq!(adjustments(&set, &within_a_period(&unsorted)), 4);
    for design in STRICT {
        let sorted = schedule(&set, &dss(design, None));
        assert_eq!(
            adjustments(&set, &within_a_period(&sorted)),
            1,
            "{design:?}"
        );
    }
    // The same by the programs that they name, where the others are in the group behind.
    set.programs = vec!["mem".to_owned()];
    for task in &mut set.tasks {
        task.groups.program = (task.groups.number == low).then_some(0);
    }
    let sorted = schedule(&set, &dss(Design::StrictLists, None));
    assert_eq!(schedule(&set, &by_program()), sorted);
}

/// A ninth program has no group, and a task has none beyond the table of costs.
#[test]
fn groups_that_are_too_many_are_refused() {
    let ms = Duration::from_millis;
    let refused = |scheduler: &Dss, programs: u16| {
        let task = |number: u16| Task {
            priority: Some(1),
            groups: Groups {
                number: u8::try_from(number % 3).unwrap(),
                program: Some(number),
                device: None,
            },
            ..Task::periodic(format!("t{number}"), ms(20), ms(1))
        };
        let set = TaskSet {
            tasks: (0..programs).map(task).collect(),
            programs: (0..programs).map(|number| number.to_string()).collect(),
            ..TaskSet::default()
        };
        let mut events: Vec<Event> = Vec::new();
        let options = Options::until(ms(20));
        simulate(&set, scheduler, &options, &mut events)
            .err()
            .map(|error| error.to_string())
    };
    let by_program = by_program();
    assert_eq!(refused(&by_program, 8), None);
    let why = "task \"t8\" is beyond the eighth group, by its `program`";
    assert_eq!(refused(&by_program, 9).as_deref(), Some(why));
    let two = Costs::new(&[[0, 1], [1, 0]]).unwrap();
    let with_costs = dss(Design::StrictLists, Some(&two));
    assert_eq!(refused(&with_costs, 2), None);
    let why = "task \"t2\" is in a group for which `costs` has no row";
    assert_eq!(refused(&with_costs, 3).as_deref(), Some(why));
}
