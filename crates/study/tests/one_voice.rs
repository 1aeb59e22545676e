//! `study`, `analyse` and the tests of corpora and sweeps say the same of a set.

use flyball_analysis::criterion::Policy;
use flyball_analysis::{Answer, Criterion, SporadicTask, WorkLimit};
use flyball_model::random::Random;
use flyball_model::{Arrival, Format, Length, Task, TaskSet, read_str};
use flyball_study::assess::{ForPolicy, assess};
use flyball_study::results::{Schedulable, Verdict};
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::Duration;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const LIMIT: WorkLimit = WorkLimit::steps(2_000_000);

/// In tenths of a millisecond, with a small least common multiple.
const PERIODS: [u64; 8] = [40, 50, 60, 75, 80, 100, 120, 150];

fn tenths(count: u64) -> Duration {
    Duration::from_micros(100 * count)
}

/// One to three CPUs; periodic tasks, some with phases, or sporadic ones.
fn random_set(seed: u64) -> TaskSet {
    let mut random = Random::new(0x1f, seed);
    let mut draw = |from, to| {
        random
            .uniform(Duration::from_nanos(from), Duration::from_nanos(to))
            .as_nanos()
    };
    let mut set = TaskSet::default();
    set.platform.cpus = u8::try_from(draw(1, 3)).unwrap();
    let (has_phases, is_sporadic) = (draw(0, 3) == 0, draw(0, 2) == 0);
    for number in 0..draw(2, 8) {
        let period = PERIODS[usize::try_from(draw(0, 7)).unwrap()];
        let wcet = (period * draw(10, 75) / 100).max(1);
        let deadline = wcet.max(period * draw(60, 120).min(100) / 100);
        let mut task = Task::periodic("", tenths(period), tenths(wcet));
        task.name = format!("t{number}");
        task.deadline = Some(tenths(deadline));
        task.priority = Some(u8::try_from(100 - deadline / 2).unwrap());
        if is_sporadic {
            task.arrival = Arrival::Sporadic {
                separation: tenths(period),
                gap: Length::Fixed(tenths(period)),
            };
        } else if has_phases {
            task.phase = tenths(draw(0, period));
        }
        set.tasks.push(task);
    }
    set
}

/// What `study` says; `None`: the policy is left out.
fn studied(set: &TaskSet, policy: &str) -> Option<Verdict> {
    let options = StudyOptions {
        policies: vec![policy.to_owned()],
        keep: 0,
        ..StudyOptions::default()
    };
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let study = study(
        &Registry::standard(),
        "random.toml",
        set.clone(),
        &options,
        &mut watch,
    );
    Some(study.ok()?.policies.remove(0).verdict)
}

/// What the tests of corpora and sweeps say, whose priorities are their own. Clusters and slots may
/// be others there.
fn asked(set: &TaskSet, policy: Policy) -> Vec<(Criterion, Answer)> {
    let known = |task: &Task| {
        let period = task.arrival.period()?;
        SporadicTask::new(task.wcet, period, task.deadline?).ok()
    };
    let tasks: Vec<SporadicTask> = set.tasks.iter().filter_map(known).collect();
    let cpus = set.platform.cpus.into();
    let is_same = |it: &Criterion| !matches!(it, Criterion::Clustered(_) | Criterion::Fair);
    let of = policy.criteria().filter(is_same);
    of.map(|it| (it, it.ask_tasks(&tasks, cpus, LIMIT)))
        .collect()
}

/// Forty sets under eight policies.
#[test]
fn study_analyse_and_sweeps_say_the_same() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..40 {
        let set = random_set(seed);
        let cpus = set.platform.cpus.into();
        let found = assess(&Registry::standard(), &set, cpus, None, LIMIT, &|_| ())
            .expect("tests cover such sets");
        for ForPolicy {
            policy, verdict, ..
        } in &found.policies
        {
            let Some(studied) = studied(&set, policy.name()) else {
                continue;
            };
            let (one, other) = (verdict.schedulable, studied.schedulable);
            assert_eq!(one, other, "{seed}, {policy}: {verdict:?}, but {studied:?}");
            *seen.entry(one.name()).or_default() += 1;
            let everyone: Vec<usize> = (0..set.tasks.len()).collect();
            let in_phase = set.may_coincide(&everyone);
            for (criterion, answer) in asked(&set, *policy) {
                let contradicts = match answer {
                    Answer::Accepts => one == Schedulable::Not,
                    Answer::Rejects if criterion.is_exact() && in_phase => {
                        one == Schedulable::Always
                    }
                    _ => false,
                };
                assert!(
                    !contradicts,
                    "{seed}, {policy}: {criterion} {answer:?}, {verdict:?}"
                );
            }
        }
    }
    // There are some of each.
    for verdict in [Schedulable::Always, Schedulable::Not, Schedulable::Unknown] {
        assert!(
            seen.get(verdict.name()).is_some_and(|&it| it > 5),
            "{seen:?}"
        );
    }
}

fn written(text: &str) -> TaskSet {
    read_str(&format!("schema = 1\n{text}"), Format::Toml, "t.toml").expect("it is one")
}

fn verdict(set: &TaskSet, policy: Policy) -> Verdict {
    let cpus = set.platform.cpus.into();
    let found =
        assess(&Registry::standard(), set, cpus, None, LIMIT, &|_| ()).expect("tests cover it");
    let mut all = found.policies.into_iter();
    all.find(|it| it.policy == policy)
        .expect("it is asked")
        .verdict
}

/// Three sporadic tasks on two CPUs: DA-LC and RTA-LC accept them, in studies, too.
#[test]
fn global_fixed_priorities_are_known_to_studies() {
    let task = |name: &str, wcet, period| {
        format!("[[task]]\nname = \"{name}\"\nsporadic = \"{period}ms\"\nwcet = \"{wcet}ms\"\n")
    };
    let set = written(&format!(
        "[platform]\ncpus = 2\n{}{}{}",
        task("a", 2, 10),
        task("b", 3, 15),
        task("c", 4, 20)
    ));
    for policy in ["g-dm", "g-rm", "c-dm"] {
        let verdict = studied(&set, policy).expect("it can be studied");
        assert_eq!(verdict.holds(), Some(true), "{policy}: {verdict:?}");
    }
}

/// (2, 5), (4, 7): exact response times refute them, in `analyse`, too.
#[test]
fn a_refutation_is_known_to_analyse() {
    let set = written(
        "[[task]]\nname = \"a\"\nperiod = \"5ms\"\nwcet = \"2ms\"\n\
         [[task]]\nname = \"b\"\nperiod = \"7ms\"\nwcet = \"4ms\"\n",
    );
    assert_eq!(
        studied(&set, "dm").expect("it can be studied").holds(),
        Some(false)
    );
    let fixed = verdict(&set, Policy::PartitionedFp);
    assert_eq!(
        (fixed.holds(), fixed.proof.as_deref()),
        (Some(false), Some("BB-FP"))
    );
    assert_eq!(verdict(&set, Policy::PartitionedEdf).holds(), Some(true));
}

/// Five tasks of 0.6 on four CPUs: no two fit together.
#[test]
fn no_partition_is_a_verdict() {
    let task = |n: u32| format!("[[task]]\nname = \"t{n}\"\nperiod = \"10ms\"\nwcet = \"6ms\"\n");
    let tasks: String = (0..5).map(task).collect();
    let set = written(&format!("[platform]\ncpus = 4\n{tasks}"));
    let partitioned = verdict(&set, Policy::PartitionedEdf);
    assert_eq!(
        (partitioned.holds(), partitioned.proof.as_deref()),
        (Some(false), Some("BB"))
    );
    let study = studied(&set, "p-edf").expect("it has a verdict");
    assert_eq!(
        (study.holds(), study.proof.as_deref()),
        (Some(false), Some("all partitions"))
    );
}

/// What tests take for granted and a file need not have: these sets can be late, so no test may say
/// that they hold.
#[test]
fn tests_are_asked_about_what_they_cover() {
    let task = |name: &str, times: &str| format!("[[task]]\nname = \"{name}\"\n{times}\n");
    // A job of "b" that waits for the one before it queues behind "a", and again before it.
    let equals = written(
        &[
            task("h", "period = \"100ms\"\nwcet = \"6ms\"\npriority = 2"),
            task(
                "b",
                "period = \"16ms\"\ndeadline = \"40ms\"\nwcet = \"6ms\"\npriority = 1",
            ),
            task(
                "a",
                "period = \"10ms\"\ndeadline = \"17ms\"\nwcet = \"5ms\"\npriority = 1",
            ),
        ]
        .concat(),
    );
    assert_ne!(verdict(&equals, Policy::PartitionedFp).holds(), Some(true));
    let urgent = written(
        &[
            task("a", "period = \"10ms\"\nwcet = \"2ms\"\npriority = 1"),
            task(
                "bg",
                "priority = 9\nbehaviour = [{ repeat = \"forever\", do = [{ compute = \"1ms\" }] }]",
            ),
        ]
        .concat(),
    );
    for policy in [Policy::PartitionedFp, Policy::GlobalFp, Policy::Fair] {
        assert_ne!(verdict(&urgent, policy).holds(), Some(true), "{policy}");
    }
}
