//! Non-preemptive EDF: what theory says and what the simulation shows.

use flyball_model::random::Random;
use flyball_model::{Arrival, Length, Task, TaskSet};
use flyball_study::reason::{Obstacle, Seen};
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_study::theory::analyse;
use flyball_study::{Registry, StudyError, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn studied(tasks: Vec<Task>) -> Result<PolicyReport, StudyError> {
    let set = TaskSet {
        tasks,
        ..TaskSet::default()
    };
    let options = StudyOptions {
        policies: vec!["np-edf".to_owned()],
        ..StudyOptions::default()
    };
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let study = study(&Registry::standard(), "set", set, &options, &mut watch)?;
    Ok(study.policies.into_iter().next().expect("it was asked for"))
}

fn sporadic(mut task: Task) -> Task {
    let separation = task.arrival.period().expect("it has one");
    let gap = Length::Fixed(separation);
    task.arrival = Arrival::Sporadic { separation, gap };
    task
}

/// The short job misses where the long one begins before it; with these phases it never does.
fn short_and_long() -> Vec<Task> {
    vec![
        Task::periodic("short", ms(5), ms(2)),
        Task::periodic("long", ms(20), ms(5)),
    ]
}

#[test]
fn phases_may_keep_a_long_job_from_the_way() {
    let report = studied(short_and_long()).unwrap();
    assert_eq!(report.verdict.schedulable, Schedulable::ExactTimes);
    let evidence = report.verdict.evidence.unwrap();
    assert!(matches!(evidence.seen, Seen::Repeats { .. }));
    assert_eq!(evidence.theory.map(|theory| theory.holds), Ok(Some(false)));
    let report = studied(short_and_long().into_iter().map(sporadic).collect()).unwrap();
    assert_eq!(report.verdict.holds(), Some(false), "{:?}", report.verdict);
    let mut late = short_and_long();
    late[0].phase = ms(1);
    let report = studied(late).unwrap();
    assert_eq!(report.verdict.holds(), Some(false), "{:?}", report.verdict);
    assert!(report.simulated.misses > 0);
}

#[test]
fn what_theory_does_not_cover_is_said() {
    let mut tasks = short_and_long();
    tasks[1] = Task::periodic("long", ms(20), ms(3));
    let report = studied(tasks.clone()).unwrap();
    assert_eq!(report.verdict.holds(), Some(true), "{:?}", report.verdict);
    // Beside 2 ms of the short job, less than 3 ms and a nanosecond may be in the way.
    assert_eq!(report.tasks[1].slack, Some(Duration::from_nanos(1)));
    // A thread that has begun keeps the CPU for as long as it likes.
    tasks.push(Task {
        arrival: Arrival::Once,
        deadline: None,
        ..Task::periodic("background", ms(100), ms(1))
    });
    let set = TaskSet {
        tasks,
        ..TaskSet::default()
    };
    let registry = Registry::standard();
    let theory = registry.find("np-edf").expect("it is listed").theory;
    let obstacle = analyse(theory, &set).unwrap_err();
    assert_eq!(obstacle, Obstacle::Background("background".into()));
}

fn below(random: &mut Random, most: u64) -> u64 {
    random.uniform(Duration::ZERO, ms(1_000)).as_nanos() % most
}

/// Analysis and simulation never contradict each other, which a study would say; and each verdict
/// comes up.
#[test]
fn random_sets() {
    let mut random = Random::new(1991, 0);
    let mut seen = [0; 4];
    for _ in 0..400 {
        let count = 2 + below(&mut random, 3);
        let task = |number: u64, random: &mut Random| {
            let period = [4, 5, 8, 10, 20, 40][usize::try_from(below(random, 6)).unwrap()];
            let wcet = 1 + below(random, period / 2);
            let mut task = Task::periodic(format!("t{number}"), ms(period), ms(wcet));
            task.deadline = Some(ms((wcet + below(random, period)).max(1)));
            task.phase = ms(below(random, 3));
            task
        };
        let mut tasks: Vec<_> = (0..count).map(|number| task(number, &mut random)).collect();
        if below(&mut random, 2) == 0 {
            tasks = tasks.into_iter().map(sporadic).collect();
        }
        let report = studied(tasks.clone()).unwrap_or_else(|error| panic!("{tasks:?}: {error}"));
        seen[report.verdict.schedulable as usize] += 1;
    }
    let [always, exact, not, _] = seen;
    assert!(always > 30 && exact > 10 && not > 30, "{seen:?}");
}
