//! Jobs released by messages and signals: what tests accept is never late and its senders never
//! wait, and nothing but a schedule says that a set misses a deadline because of them.

use crate::common;

use common::config;
use flyball_model::{Arrival, Length, Queue, Semaphore, Step, Task, TaskSet, Trigger};
use flyball_study::assess::assess;
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::{Progress, Registry, StudyOptions, study};
use flyball_trace::{Duration, Kind, Object};
use proptest::prelude::*;
use std::ops::ControlFlow;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

#[derive(Clone, Debug)]
struct Drawn {
    period: u64,
    wcet: u64,
    deadline: u64,
    is_sporadic: bool,
    is_random: bool,
    /// The task before it that releases it, if there is one; zero messages in the queue: signals.
    released_by: Option<(usize, u16, u32)>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let period = prop::sample::select(&[16_u64, 20, 24, 30, 40, 48, 60][..]);
    let by = (any::<usize>(), 0..4_u16, 1..3_u32);
    let released_by = prop::option::weighted(0.7, by);
    (period, 1..8_u64, 0..60_u64, any::<[bool; 2]>(), released_by).prop_map(
        |(period, wcet, deadline, [is_sporadic, is_random], released_by)| Drawn {
            period,
            wcet,
            // Mostly within the period.
            deadline: if deadline < 50 {
                deadline.min(period)
            } else {
                deadline
            },
            is_sporadic,
            is_random,
            released_by,
        },
    )
}

fn set(drawn: &[Drawn]) -> TaskSet {
    let mut set = TaskSet::default();
    for (number, it) in drawn.iter().enumerate() {
        let mut task = Task::periodic(format!("{number}"), us(it.period), us(it.wcet));
        task.deadline = Some(us(it.deadline.max(it.wcet)));
        task.priority = Some(100 - u8::try_from(number).unwrap());
        let separation = us(it.period);
        if it.is_random {
            let (min, max) = (us(1), us(it.wcet));
            task.behaviour = vec![Step::Compute(Length::Uniform { min, max })];
        }
        if it.is_sporadic {
            let (min, max) = (separation, separation * 2);
            let gap = Length::Uniform { min, max };
            task.arrival = Arrival::Sporadic { separation, gap };
        }
        if let Some((sender, capacity, times)) = it.released_by.filter(|_| number > 0) {
            let sender = sender % number;
            let times = if times > 1 { 1 + times / 2 } else { 1 };
            let (by, step) = if capacity > 0 {
                let queue = u16::try_from(set.queues.len()).unwrap();
                let name = format!("q{number}");
                set.queues.push(Queue {
                    name,
                    capacity,
                    gauge: None,
                });
                (Trigger::Queue(queue), Step::Send(queue))
            } else {
                let semaphore = u16::try_from(set.semaphores.len()).unwrap();
                let name = format!("s{number}");
                set.semaphores.push(Semaphore { name, initial: 0 });
                (Trigger::Semaphore(semaphore), Step::Signal(semaphore))
            };
            for _ in 0..times {
                set.tasks[sender].behaviour.push(step.clone());
            }
            task.arrival = Arrival::Event { by, separation };
        }
        set.tasks.push(task);
    }
    set
}

fn studied(set: &TaskSet, policy: &str, seed: u64) -> PolicyReport {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        until: Some(us(240 * 8)),
        seed,
        ..StudyOptions::default()
    };
    let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
    let found = study(&Registry::standard(), "", set.clone(), &options, &mut go_on);
    found.unwrap().policies.remove(0)
}

/// Whether those tasks that no other releases ask for more than the CPU.
fn is_overloaded(set: &TaskSet) -> bool {
    let alone = set.tasks.iter().filter(|task| task.trigger().is_none());
    let work = |task: &Task| us(240) / task.arrival.period().unwrap() * task.wcet.as_nanos();
    alone.map(work).sum::<u64>() > us(240).as_nanos()
}

/// Whether some job waits for room in a queue.
fn waits(report: &PolicyReport) -> bool {
    let mut events = report.trace.events.iter();
    events.any(|event| {
        matches!(
            event.kind,
            Kind::Block {
                on: Object::Queue(_),
                ..
            }
        )
    })
}

proptest! {
    #![proptest_config(config(250))]

    /// A study that saw a miss where a test accepts would be an error.
    #[test]
    fn what_is_accepted_is_never_late(
        drawn in prop::collection::vec(drawn(), 2..6),
        cpus in 1_u8..3,
        seed: u64,
    ) {
        let mut set = set(&drawn);
        set.platform.cpus = cpus;
        let alone = || set.tasks.iter().filter(|task| task.trigger().is_none()).count();
        let policies = if cpus == 1 { &["fp", "dm", "edf", "np-edf"][..] } else { &["g-edf", "g-fp", "g-dm"] };
        for policy in policies {
            let found = studied(&set, policy, seed);
            let late = found.simulated.misses > 0;
            match found.verdict.schedulable {
                Schedulable::Always => prop_assert!(!waits(&found), "{policy}"),
                // Of tasks that come by themselves a test may know it.
                Schedulable::Not => prop_assert!(late || alone() > 1 || is_overloaded(&set)),
                _ => {}
            }
        }
    }

    /// The verdicts of both commands.
    #[test]
    fn analyse_says_what_study_says(drawn in prop::collection::vec(drawn(), 2..6)) {
        let set = set(&drawn);
        let limit = flyball_analysis::WorkLimit::default();
        let Ok(found) = assess(&Registry::standard(), &set, 1, None, limit, &|_| {}) else {
            return Ok(());
        };
        for it in found.policies {
            let name = match it.policy.name() {
                "p-edf" => "edf",
                "p-fp" => "fp",
                name @ ("g-edf" | "g-fp") => name,
                _ => continue,
            };
            let studied = studied(&set, name, 0).verdict.schedulable;
            let assessed = it.verdict.schedulable;
            let both = [studied, assessed];
            prop_assert!(
                !both.contains(&Schedulable::Always) || !both.contains(&Schedulable::Not),
                "{name}: {both:?}"
            );
            if assessed == Schedulable::Always && matches!(name, "edf" | "fp") {
                prop_assert_eq!(studied, assessed, "{}", name);
            }
        }
    }
}

/// Three tasks in a chain, whose times a person can check: nothing is in the way of the queue.
#[test]
fn a_chain_holds_by_response_times() {
    let chain = |period, wcet, deadline, sender: bool| Drawn {
        period,
        wcet,
        deadline,
        is_sporadic: false,
        is_random: false,
        released_by: sender.then_some((0, 2, 1)),
    };
    let set = set(&[chain(20, 3, 20, false), chain(20, 5, 20, true)]);
    let found = studied(&set, "fp", 0);
    assert_eq!(found.verdict.schedulable, Schedulable::Always);
    assert_eq!(found.tasks[1].response_bound, Some(us(8)));
    assert_eq!(found.summary.chains[0].latency.max(), Some(us(8)));
    // With room for one message only, nothing is known but what is simulated.
    let mut small = set.clone();
    small.queues[0].capacity = 1;
    let found = studied(&small, "fp", 0);
    assert_eq!(found.verdict.schedulable, Schedulable::Unknown);
    // Nor if the receiver's jobs may come more seldom than the messages.
    let mut seldom = set;
    let by = seldom.tasks[1].trigger().unwrap();
    seldom.tasks[1].arrival = Arrival::Event {
        by,
        separation: us(24),
    };
    assert_ne!(
        studied(&seldom, "fp", 0).verdict.schedulable,
        Schedulable::Always
    );
}

fn read(text: &str) -> TaskSet {
    flyball_model::read_str(
        &format!("schema = 1\n{text}"),
        flyball_model::Format::Toml,
        "t.toml",
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

/// A job that has two to release is preempted by the first of them. Once the simulation let it go
/// on, and a job was late that is not.
#[test]
fn the_first_that_is_released_comes_before_the_second() {
    let set = read(
        "[[semaphore]]\nname = \"a\"\n[[semaphore]]\nname = \"b\"\n\
         [[task]]\nname = \"S\"\nperiod = \"20us\"\npriority = 1\n\
         behaviour = [{ compute = \"1us\" }, { signal = \"a\" }, { signal = \"b\" }]\n\
         [[task]]\nname = \"H\"\nreleased_by = \"a\"\nsporadic = \"10us\"\ndeadline = \"6us\"\n\
         wcet = \"5us\"\npriority = 2\n\
         [[task]]\nname = \"L\"\nreleased_by = \"b\"\nsporadic = \"10us\"\nwcet = \"2us\"\npriority = 3\n",
    );
    let found = studied(&set, "fp", 0);
    assert_eq!(found.simulated.misses, 0);
    assert_ne!(found.verdict.schedulable, Schedulable::Not);
}

/// Where a deadline is missed a queue may be full, and then its sender waits: no bound is one.
#[test]
fn bounds_are_told_only_where_all_deadlines_are_met() {
    let set = read(
        "[[queue]]\nname = \"q\"\ncapacity = 2\n\
         [[task]]\nname = \"S\"\nperiod = \"10us\"\npriority = 3\n\
         behaviour = [{ compute = \"1us\" }, { send = \"q\" }]\n\
         [[task]]\nname = \"H\"\nperiod = \"10us\"\nwcet = \"6us\"\npriority = 2\n\
         [[task]]\nname = \"R\"\nreleased_by = \"q\"\nsporadic = \"10us\"\nwcet = \"5us\"\npriority = 1\n",
    );
    let found = studied(&set, "fp", 0);
    assert!(found.simulated.misses > 0 && waits(&found));
    assert!(found.tasks.iter().all(|task| task.response_bound.is_none()));
}

/// What tasks that others release may ask for at most is not what they ask for.
#[test]
fn nothing_is_overloaded_by_what_may_not_come() {
    let set = read(
        "[platform]\ncpus = 2\n[[queue]]\nname = \"q\"\ncapacity = 2\n\
         [[task]]\nname = \"adc\"\nperiod = \"100us\"\ncpus = [0]\n\
         behaviour = [{ compute = \"10us\" }, { send = \"q\" }]\n\
         [[task]]\nname = \"filter\"\nreleased_by = \"q\"\nsporadic = \"10us\"\nwcet = \"9500ns\"\ncpus = [0]\n",
    );
    let options = StudyOptions {
        policies: vec!["g-edf".to_owned()],
        ..StudyOptions::default()
    };
    let mut go_on = |_: Progress<'_>| ControlFlow::Continue(());
    let found = study(&Registry::standard(), "", set, &options, &mut go_on).unwrap();
    assert!(
        !found
            .notes
            .iter()
            .any(|note| matches!(note, flyball_study::note::Note::Overloaded { .. })),
        "{:?}",
        found.notes
    );
}
