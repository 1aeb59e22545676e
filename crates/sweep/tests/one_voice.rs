//! `study`, `analyse`, corpora and sweeps say the same of a set.

use flyball_analysis::criterion::Policy;
use flyball_analysis::gedf::{Set, Task as CorpusTask};
use flyball_analysis::{Answer, Criterion, WorkLimit};
use flyball_model::random::Random;
use flyball_model::{Arrival, Format, Length, OverheadFile, Study, Task, TaskSet, read_str};
use flyball_study::assess::{ForPolicy, assess};
use flyball_study::corpus::{Entry, Question, Questions, analyse};
use flyball_study::results::{Schedulable, Verdict};
use flyball_study::{Registry, StudyOptions, study};
use flyball_sweep::draw::Drawn;
use flyball_sweep::judge::Judge;
use flyball_sweep::known;
use flyball_trace::Duration;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

const LIMIT: WorkLimit = WorkLimit::steps(2_000_000);

/// In tenths of a millisecond, with a small least common multiple.
const PERIODS: [u64; 8] = [40, 50, 60, 75, 80, 100, 120, 150];

fn tenths(count: u64) -> Duration {
    Duration::from_micros(100 * count)
}

/// One to three CPUs; periodic tasks, some with phases, or sporadic ones; every third set with
/// deadlines at the ends of periods. Priorities are D-monotonic.
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
        if !seed.is_multiple_of(3) {
            task.deadline = Some(tenths(deadline));
        }
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
    let deadlines: BTreeSet<_> = set.tasks.iter().map(|task| task.deadline).collect();
    for task in &mut set.tasks {
        let shorter = deadlines.range(..task.deadline).count();
        task.priority = Some(100 - u8::try_from(shorter).unwrap());
    }
    set
}

/// The policies of a study that do with these sets what this one does, whose name is among them.
fn names_of(policy: Policy, cpus: u8) -> Vec<&'static str> {
    let mut names = vec![policy.name()];
    match policy {
        Policy::GlobalFp => names.push("g-dm"),
        Policy::PartitionedEdf if cpus == 1 => names.push("edf"),
        Policy::PartitionedFp if cpus == 1 => names.extend(["fp", "dm"]),
        _ => {}
    }
    names
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

/// The same tasks where phases and priorities are not told: execution times, periods, and
/// deadlines, in microseconds.
fn plain(set: &TaskSet) -> Vec<[u64; 3]> {
    let us = |time: Duration| time.as_nanos() / 1000;
    let times = |task: &Task| {
        let period = task.arrival.period().expect("they come again");
        [task.wcet, period, task.deadline.expect("they have one")].map(us)
    };
    set.tasks.iter().map(times).collect()
}

/// What is said of it as one of a corpus.
fn in_corpus(set: &TaskSet) -> HashMap<Criterion, Answer> {
    let tasks = plain(set).into_iter();
    let tasks = tasks.map(|[wcet, period, deadline]| CorpusTask {
        wcet,
        period,
        deadline,
    });
    let entry = Entry {
        name: "it".to_owned(),
        cpus: set.platform.cpus.into(),
        set: Set::new(tasks.collect()).expect("it is one"),
    };
    let asked = Questions::Each(Criterion::all().map(Question::Test).collect());
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let said = analyse(&[entry], &asked, None, LIMIT, &mut watch).expect("it was not stopped");
    let answers = said.into_iter().map(|it| it.answer);
    Criterion::all().zip(answers).collect()
}

/// What is said of it as one of a sweep, where deadlines are the ends of periods; `None`: the test
/// gave up.
fn in_sweep(set: &TaskSet) -> HashMap<Criterion, Option<bool>> {
    let tests: Vec<_> = Criterion::all().map(Criterion::name).collect();
    let text = format!(
        "schema = 1\ncpus = {}\ncaps = [1]\nsets = 1\ntests = {tests:?}\n\
         [[scenario]]\nperiods = [\"short\"]\nutilisations = [\"uniform-medium\"]\nslack = 0.2\n",
        set.platform.cpus
    );
    let overheads = |name: &str| OverheadFile::read("", name);
    let study =
        Study::read(&text, "s.toml", &known(&Registry::standard()), overheads).expect("it is one");
    let tasks = plain(set).into_iter();
    let drawn = tasks.map(|[wcet, period, _]| Drawn { wcet, period });
    let said = Judge::new(&study).judge(&drawn.collect::<Vec<_>>());
    Criterion::all().zip(said).collect()
}

/// Whether the test has the same rules in `analyse`, which knows the file's priorities, its slots
/// and the size of its clusters.
fn has_same_rules(test: Criterion) -> bool {
    let differ = [Policy::GlobalFp, Policy::ClusteredEdf, Policy::Fair];
    !differ.contains(&test.policy())
}

/// Forty sets under twelve policies, `SOAK` times as many if told so.
#[test]
fn study_analyse_corpora_and_sweeps_say_the_same() {
    let (mut verdicts, mut compared) = (BTreeMap::<_, u32>::new(), BTreeMap::<_, u32>::new());
    let soak = std::env::var("SOAK").ok().and_then(|it| it.parse().ok());
    let (sets, mut swept) = (40 * soak.unwrap_or(1), 0);
    for seed in 0..sets {
        let set = random_set(seed);
        let cpus = set.platform.cpus.into();
        let found = assess(&Registry::standard(), &set, cpus, None, LIMIT, &|_| ())
            .expect("tests cover such sets");
        let corpus = in_corpus(&set);
        if plain(&set)
            .iter()
            .all(|[_, period, deadline]| period == deadline)
        {
            for (test, accepts) in in_sweep(&set) {
                assert_eq!(accepts, Some(corpus[&test].accepts()), "{seed}, {test}");
                swept += 1;
            }
        }
        let everyone: Vec<usize> = (0..set.tasks.len()).collect();
        let in_phase = set.may_coincide(&everyone);
        for it in &found.policies {
            let ForPolicy {
                policy, verdict, ..
            } = it;
            let one = verdict.schedulable;
            for name in names_of(*policy, set.platform.cpus) {
                let Some(studied) = studied(&set, name) else {
                    continue;
                };
                let other = studied.schedulable;
                assert_eq!(one, other, "{seed}, {name}: {verdict:?}, but {studied:?}");
                *verdicts.entry(one.name()).or_default() += 1;
                *compared.entry(name).or_default() += 1;
            }
            for said in &it.said {
                let (test, answer) = (said.criterion, corpus[&said.criterion]);
                let (here, there) = (said.answer.accepts(), answer.accepts());
                assert!(here == there || !has_same_rules(test), "{seed}, {test}");
                // The best priorities are no worse than the file's.
                let is_fixed = test.policy() == Policy::GlobalFp;
                assert!(!here || there || !is_fixed, "{seed}, {test}");
            }
            for test in policy.criteria().filter(|it| has_same_rules(*it)) {
                let contradicts = match corpus[&test] {
                    Answer::Accepts => one == Schedulable::Not,
                    Answer::Rejects if test.is_exact() && in_phase => one == Schedulable::Always,
                    _ => false,
                };
                assert!(!contradicts, "{seed}, {test}: {verdict:?}");
            }
        }
    }
    // There are some of each.
    for verdict in [Schedulable::Always, Schedulable::Not, Schedulable::Unknown] {
        let count = verdicts.get(verdict.name());
        assert!(count.is_some_and(|&it| it > 5), "{verdicts:?}");
    }
    assert!(compared.len() >= 10 && swept > 100, "{compared:?}, {swept}");
    for (name, count) in &compared {
        assert!(*count >= 5, "{name}: {count}");
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
