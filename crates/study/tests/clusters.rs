//! Policies on several CPUs by name: partitioned, clustered, global.

use flyball_analysis::{Fit, Sequence};
use flyball_model::{Task, TaskSet, Value};
use flyball_study::note::{AboutPolicy, Note, Way};
use flyball_study::results::{PolicyReport, Study};
use flyball_study::{Registry, StudyError, StudyOptions, study};
use flyball_trace::{CpuId, Duration, Event, Kind};
use std::ops::{ControlFlow, Range};

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// How tasks were assigned, and to which CPUs, as the first note says.
fn assigned(study: &Study) -> (Fit, Sequence, Vec<(Range<u8>, String)>) {
    let Note::Policies(_, about) = &study.notes[0] else {
        panic!("{:?}", study.notes);
    };
    let AboutPolicy::Assigned {
        way: Way::Fit(fit, sequence),
        clusters,
        ..
    } = about
    else {
        panic!("{about:?}");
    };
    let clusters = clusters.iter();
    let clusters = clusters.map(|(cpus, tasks)| (cpus.clone(), tasks.join(" ")));
    (*fit, *sequence, clusters.collect())
}

/// Tasks of these execution times and periods on so many CPUs.
fn set(cpus: u8, tasks: &[(u64, u64)]) -> TaskSet {
    let mut set = TaskSet::default();
    set.platform.cpus = cpus;
    set.tasks = tasks
        .iter()
        .enumerate()
        .map(|(number, &(wcet, period))| {
            let mut task = Task::periodic(format!("t{number}"), ms(period), ms(wcet));
            task.priority = Some(u8::try_from(number % 200).unwrap());
            task
        })
        .collect();
    set
}

fn told(set: &mut TaskSet, policy: &str, key: &str, value: Value) {
    let settings = set.policies.entry(policy.to_owned()).or_default();
    settings.values.insert(key.to_owned(), value.into());
}

fn try_study(set: &TaskSet, options: &StudyOptions) -> Result<Study, StudyError> {
    let mut on = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    study(
        &Registry::standard(),
        "set.toml",
        set.clone(),
        options,
        &mut on,
    )
}

fn under(set: &TaskSet, policies: &[&str]) -> Study {
    let policies = policies.iter().map(|&name| name.to_owned()).collect();
    let options = StudyOptions {
        policies,
        ..StudyOptions::default()
    };
    try_study(set, &options).unwrap()
}

fn events(report: &PolicyReport) -> &[Event] {
    &report.trace.events
}

/// Where each task ran.
fn places(report: &PolicyReport, tasks: usize) -> Vec<Vec<CpuId>> {
    let mut places = vec![Vec::new(); tasks];
    for event in events(report) {
        if let Kind::Dispatch { task, .. } = event.kind {
            let here = &mut places[task.index()];
            if !here.contains(&event.cpu) {
                here.push(event.cpu);
            }
        }
    }
    places
}

#[test]
fn who_is_in_a_cluster_stays_there_and_moves_within() {
    let set = {
        let mut set = set(4, &[(6, 10), (6, 10), (6, 10), (6, 10), (9, 15), (9, 15)]);
        told(&mut set, "c-edf", "cluster", Value::Integer(2));
        set
    };
    let study = under(&set, &["c-edf"]);
    let mut moved = 0;
    for places in places(&study.policies[0], 6) {
        let cluster = places[0].0 / 2;
        assert!(places.iter().all(|cpu| cpu.0 / 2 == cluster), "{places:?}");
        moved += usize::from(places.len() > 1);
    }
    assert!(moved > 0, "nobody ever moved");
    let (fit, _, clusters) = assigned(&study);
    assert_eq!(fit, Fit::Worst);
    let Note::Policies(_, AboutPolicy::Assigned { instead_of, .. }) = &study.notes[0] else {
        panic!("{:?}", study.notes);
    };
    // No test accepts three such tasks on two CPUs, and none stopped.
    assert_eq!(*instead_of, Some((Fit::First, None)));
    let tasks = ["t0 t2 t4", "t1 t3 t5"];
    assert_eq!(clusters, [(0..2, tasks[0].into()), (2..4, tasks[1].into())]);
}

/// The largest clusters are global scheduling, the smallest are partitioned.
#[test]
fn clusters_lie_between_the_two() {
    let tasks: Vec<_> = (0..9).map(|n| (1 + n % 4, 5 + 3 * (n % 3))).collect();
    for (clustered, partitioned, global) in [("c-edf", "edf", "g-edf"), ("c-rm", "rm", "g-rm")] {
        let mut set = set(4, &tasks);
        told(&mut set, clustered, "cluster", Value::Integer(9));
        let all = under(&set, &[clustered, global]);
        assert_eq!(events(&all.policies[0]), events(&all.policies[1]));
        for task in 0..9 {
            set.tasks[task].cpu = Some(u8::try_from(task % 4).unwrap());
        }
        told(&mut set, clustered, "cluster", Value::Integer(1));
        let one = under(&set, &[clustered, partitioned]);
        assert_eq!(events(&one.policies[0]), events(&one.policies[1]));
    }
}

/// A P-name is the plain name, and can be told how tasks are divided.
#[test]
fn partitioned_by_name() {
    let mut set = set(2, &[(1, 10), (2, 10), (3, 10)]);
    let study = under(&set, &["p-edf", "edf", "p-rm", "p-dm", "p-fp"]);
    assert_eq!(events(&study.policies[0]), events(&study.policies[1]));
    assert!(
        study
            .policies
            .iter()
            .all(|policy| policy.verdict.holds() == Some(true))
    );
    let all = [(0..1, "t0 t1 t2".to_owned()), (1..2, String::new())];
    assert_eq!(
        assigned(&study),
        (Fit::First, Sequence::Utilisation, all.to_vec())
    );
    told(
        &mut set,
        "p-edf",
        "partition",
        Value::Text("worst-fit".into()),
    );
    told(&mut set, "p-edf", "sequence", Value::Text("given".into()));
    let study = under(&set, &["p-edf"]);
    let spread = [(0..1, "t0 t2".to_owned()), (1..2, "t1".to_owned())];
    assert_eq!(
        assigned(&study),
        (Fit::Worst, Sequence::Given, spread.to_vec())
    );
    // What is said on the command line comes before what the set says.
    let options = StudyOptions {
        policies: vec!["p-edf".into()],
        fit: Some(Fit::First),
        ..StudyOptions::default()
    };
    let (_, _, clusters) = assigned(&try_study(&set, &options).unwrap());
    assert_eq!(clusters, all);
}

/// A study has all of them side by side, and each policy once.
#[test]
fn a_study_compares_them_all() {
    let names = |cpus, cluster| {
        let set = set(cpus, &[(1, 10), (2, 10), (3, 10)]);
        let options = StudyOptions {
            cluster,
            ..StudyOptions::default()
        };
        let study = try_study(&set, &options).unwrap();
        study
            .policies
            .into_iter()
            .map(|policy| policy.policy)
            .collect::<Vec<_>>()
    };
    let orders = ["fp", "fp-rr", "rm", "dm", "edf", "llf", "rr", "fifo"];
    let four = names(4, None);
    for order in orders {
        assert!(four.contains(&order.to_owned()), "{order}: {four:?}");
        assert!(four.contains(&format!("c-{order}")) && four.contains(&format!("g-{order}")));
        assert!(!four.contains(&format!("p-{order}")));
    }
    assert!(four.contains(&"pd2".to_owned()));
    // On two CPUs a cluster of two is all there is.
    for all in [names(2, None), names(4, Some(4)), names(4, Some(1))] {
        assert!(all.contains(&"g-edf".to_owned()) && !all.contains(&"c-edf".to_owned()));
    }
    assert!(
        names(1, None)
            .iter()
            .all(|name| !name.contains("g-") && name != "pd2")
    );
}

/// The largest machine: 128 CPUs, in clusters of 32, with a task or two for each.
#[test]
fn up_to_128_cpus() {
    let tasks: Vec<_> = (0..200).map(|n| (2 + n % 5, 10 + 10 * (n % 2))).collect();
    let set = set(128, &tasks);
    let options = StudyOptions {
        until: Some(ms(200)),
        cluster: Some(32),
        ..StudyOptions::default()
    };
    let study = try_study(&set, &options).unwrap();
    assert!(study.policies.len() >= 20, "{}", study.policies.len());
    for report in &study.policies {
        let last = events(report).iter().map(|event| event.cpu).max();
        assert!(report.simulated.jobs >= 2_000, "{}", report.policy);
        match &report.policy[..2] {
            // 200 tasks that come together are 128 at once.
            "g-" | "pd" | "pf" => assert_eq!(last, Some(CpuId(127)), "{}", report.policy),
            "c-" => {
                for places in places(report, 200) {
                    assert!(places.iter().all(|cpu| cpu.0 / 32 == places[0].0 / 32));
                }
            }
            _ => assert!(places(report, 200).iter().all(|places| places.len() == 1)),
        }
        let fair = ["pd2", "pf", "g-edf", "c-edf", "edf"].contains(&report.policy.as_str());
        assert!(
            !fair || report.verdict.holds() == Some(true),
            "{}: {:?}",
            report.policy,
            report.verdict
        );
    }
    let is_last = |(cpus, _): &(Range<u8>, Vec<String>)| *cpus == (96..128);
    let by_32 = |note: &Note| {
        matches!(
            note,
            Note::Policies(_, AboutPolicy::Assigned { size: 32, clusters, .. })
                if clusters.iter().any(is_last)
        )
    };
    assert!(study.notes.iter().any(by_32), "{:?}", study.notes);
}

/// The last cluster has what is left.
#[test]
fn the_last_cluster_may_be_smaller() {
    let mut set = set(3, &[(9, 10), (9, 10), (9, 10)]);
    told(&mut set, "c-edf", "cluster", Value::Integer(2));
    let study = under(&set, &["c-edf"]);
    assert_eq!(
        study.policies[0].verdict.holds(),
        Some(true),
        "{:?}",
        study.policies[0].verdict
    );
    // Of four, two would have to share the one CPU.
    set.tasks.push(Task::periodic("more", ms(10), ms(9)));
    let options = StudyOptions {
        policies: vec!["c-edf".into()],
        ..StudyOptions::default()
    };
    let error = try_study(&set, &options).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no cluster of 2 CPUs has room for task \"more\""),
        "{error}"
    );
}

/// First fit finds no room for the last of these, and worst fit does.
#[test]
fn a_fit_that_is_written_is_kept_to_even_if_it_is_the_usual_one() {
    let mut set = set(2, &[(6, 10), (5, 10), (3, 10), (2, 10), (2, 10), (2, 10)]);
    let options = StudyOptions {
        policies: vec!["p-edf".into()],
        ..StudyOptions::default()
    };
    let study = try_study(&set, &options).unwrap();
    assert_eq!(assigned(&study).0, Fit::Worst);
    told(
        &mut set,
        "p-edf",
        "partition",
        Value::Text("first-fit".into()),
    );
    let error = try_study(&set, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no CPU has room for task \"t5\" (tasks were assigned first-fit)"
    );
}

#[test]
fn a_cluster_has_cpus() {
    let mut set = set(4, &[(1, 10)]);
    told(&mut set, "c-fp", "cluster", Value::Integer(0));
    let options = StudyOptions {
        policies: vec!["c-fp".into()],
        ..StudyOptions::default()
    };
    let error = try_study(&set, &options).unwrap_err();
    let why = "cluster: expected a number from 1 to 4294967295, found 0";
    assert!(error.to_string().contains(why), "{error}");
}
