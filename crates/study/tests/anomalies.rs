//! What several CPUs are known for, as a user sees it: which policies hold a set, which do not, and
//! why. The schedules themselves are among the golden ones of the simulator.

use flyball_model::random::Random;
use flyball_model::{Task, TaskSet};
use flyball_sim::SimError;
use flyball_study::note::{AboutPolicy, Note};
use flyball_study::reason::{Because, Evidence};
use flyball_study::results::Study;
use flyball_study::{Registry, StudyError, StudyOptions, study};
use flyball_trace::Duration;
use std::ops::ControlFlow;

fn set(cpus: u8, tasks: &[(u64, u64)]) -> TaskSet {
    let ms = Duration::from_millis;
    let mut set = TaskSet::default();
    set.platform.cpus = cpus;
    let task = |(number, &(wcet, period)): (usize, &(u64, u64))| {
        Task::periodic(format!("t{}", number + 1), ms(period), ms(wcet))
    };
    set.tasks = tasks.iter().enumerate().map(task).collect();
    set
}

fn studied(set: &TaskSet, policies: &[&str]) -> Result<Study, StudyError> {
    let options = StudyOptions {
        policies: policies.iter().map(|&name| name.to_owned()).collect(),
        keep: 0,
        ..StudyOptions::default()
    };
    let mut on = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    study(
        &Registry::standard(),
        "set.toml",
        set.clone(),
        &options,
        &mut on,
    )
}

/// The verdict, what proves it, and why theory says so, if it says anything.
fn verdict(set: &TaskSet, policy: &str) -> (Option<bool>, Option<String>, Option<Because>) {
    let verdict = studied(set, &[policy]).unwrap().policies.remove(0).verdict;
    let because = verdict.evidence.as_ref().and_then(because);
    (verdict.holds(), verdict.proof, because)
}

fn because(evidence: &Evidence) -> Option<Because> {
    Some(evidence.theory.as_ref().ok()?.because.clone())
}

fn slots(cpus: u8, rounded: bool) -> Because {
    Because::Slots {
        quantum: Duration::from_millis(1),
        cpus,
        rounded,
    }
}

/// Five tasks of 0.51 on four CPUs.
/// The policies that a note says to be left out, as no CPU has room.
fn no_room(note: &Note) -> Option<&[String]> {
    match note {
        Note::Policies(policies, AboutPolicy::LeftOut(why)) if why.contains("no CPU has room") => {
            Some(policies)
        }
        _ => None,
    }
}

#[test]
fn what_cannot_be_partitioned_is_said_with_the_task_and_a_remedy() {
    let set = set(4, &[(51, 100); 5]);
    for policy in ["edf", "p-edf"] {
        let (holds, proof, because) = verdict(&set, policy);
        assert_eq!((holds, because), (Some(false), Some(Because::NoPartition)));
        assert_eq!(proof.as_deref(), Some("all partitions"));
    }
    // Which of equals comes first is open.
    for policy in ["rm", "p-rm"] {
        let error = studied(&set, &[policy]).expect_err("there is no room");
        assert_eq!(
            error.to_string(),
            "no CPU has room for task \"t5\" (tasks were assigned first-fit)"
        );
        assert!(error.remedy().unwrap().contains("g-edf"));
    }
    // A study of all leaves them out and says so once.
    let all = studied(&set, &[]).unwrap();
    let note = all.notes.iter().find_map(no_room).unwrap().join(" ");
    assert!(note.contains("rm dm llf "), "{note}");
    assert_eq!(verdict(&set, "g-edf").0, Some(false));
    let (holds, proof, because) = verdict(&set, "pd2");
    assert_eq!(
        (holds, proof.as_deref()),
        (Some(true), Some("proportionate fairness"))
    );
    assert_eq!(because, Some(slots(4, false)));
}

/// Next to nothing and one whole CPU: late under global EDF, however many CPUs there are.
#[test]
fn dhalls_effect_for_any_number_of_cpus() {
    for cpus in [2_u8, 8, 64, 128] {
        let mut tasks = vec![(1, 100); cpus.into()];
        tasks.push((101, 101));
        let set = set(cpus, &tasks);
        for policy in ["g-edf", "g-rm"] {
            let (holds, _, because) = verdict(&set, policy);
            assert_eq!(holds, Some(false), "{policy} on {cpus}: {because:?}");
        }
        for policy in ["p-edf", "pd2"] {
            let (holds, _, because) = verdict(&set, policy);
            assert_eq!(holds, Some(true), "{policy} on {cpus}: {because:?}");
        }
    }
}

/// A set that asks for less, since one task comes less often, and is late.
#[test]
fn global_edf_is_not_sustainable_in_periods() {
    assert_eq!(
        verdict(&set(2, &[(1, 2), (1, 3), (6, 7)]), "g-edf").0,
        Some(true)
    );
    assert_eq!(
        verdict(&set(2, &[(1, 3), (1, 3), (6, 7)]), "g-edf").0,
        Some(false)
    );
}

/// It asks for all CPUs, and fairness alone gives it what it asks for.
#[test]
fn some_sets_only_fairness_holds() {
    let set = set(2, &[(2, 3), (2, 3), (4, 6)]);
    let study = studied(&set, &[]).unwrap();
    let with = |holds| {
        let policies = study
            .policies
            .iter()
            .filter(|policy| policy.verdict.holds() == holds);
        policies
            .map(|policy| policy.policy.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(with(Some(true)), ["pd2", "pf"]);
    assert!(with(None).is_empty());
    assert!(with(Some(false)).contains(&"g-edf") && with(Some(false)).contains(&"edf"));
}

/// What is not whole slots is rounded to the safe side, and said to be; what theory accepts never
/// misses.
#[test]
fn fairness_is_proved_in_whole_slots() {
    let us = Duration::from_micros;
    let mut rounded = set(2, &[(1, 10), (1, 10)]);
    rounded.tasks[0].wcet = us(1_500);
    rounded.tasks[0].behaviour = vec![flyball_model::Step::Compute(flyball_model::Length::Fixed(
        us(1_500),
    ))];
    let (holds, proof, because) = verdict(&rounded, "pd2");
    assert_eq!(
        (holds, proof.as_deref()),
        (Some(true), Some("proportionate fairness"))
    );
    assert_eq!(because, Some(slots(2, true)));
    // 1.5 ms of 2 ms are all of it in whole slots, so three of them are more than two CPUs.
    let mut full = set(2, &[(1, 2), (1, 2), (1, 2)]);
    for task in &mut full.tasks {
        task.wcet = us(1_300);
        task.behaviour = vec![flyball_model::Step::Compute(flyball_model::Length::Fixed(
            us(1_300),
        ))];
    }
    let (holds, proof, because) = verdict(&full, "pd2");
    assert_eq!(
        (holds, proof.as_deref()),
        (Some(false), Some("simulation")),
        "{because:?}"
    );
}

/// Random sets on two to four CPUs, some in whole slots and some not, with deadlines before the
/// next release and phases: where fairness is proved, no job is late under PD² and PF. (A study in
/// which proof and simulation contradict each other is an error.)
#[test]
fn what_fairness_accepts_never_misses() {
    let mut random = Random::new(96, 6);
    let mut upto = |least: u64, most: u64| {
        random
            .uniform(Duration::from_nanos(least), Duration::from_nanos(most))
            .as_nanos()
    };
    let (mut exact, mut rounded) = (0, 0);
    for number in 0..600 {
        let grain = Duration::from_micros([1_000, 500, 250][number % 3]);
        let mut set = TaskSet::default();
        set.platform.cpus = 2 + u8::try_from(number % 3).unwrap();
        for task in 0..upto(3, 9) {
            let period = [8, 12, 16, 24, 48][usize::try_from(upto(0, 4)).unwrap()];
            let period = if number % 2 == 0 {
                period
            } else {
                period + upto(0, 3)
            };
            let wcet = upto(1, period * 2 / 3);
            let mut task = Task::periodic(format!("t{task}"), grain * period, grain * wcet);
            if upto(0, 2) == 0 {
                task.deadline = Some(grain * upto(wcet, period));
            }
            task.phase = grain * upto(0, 5);
            set.tasks.push(task);
        }
        let options = StudyOptions {
            policies: vec!["pd2".into(), "pf".into()],
            until: Some(Duration::from_millis(200)),
            keep: 0,
            ..StudyOptions::default()
        };
        let mut on = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
        let study = match study(&Registry::standard(), "set.toml", set, &options, &mut on) {
            // More whole slots than there are before a deadline.
            Err(StudyError::Sim(SimError::Missing { .. })) => continue,
            study => study.unwrap(),
        };
        for policy in study.policies {
            if policy.verdict.proof.as_deref() == Some("proportionate fairness") {
                assert_eq!(
                    (policy.verdict.holds(), policy.simulated.misses),
                    (Some(true), 0)
                );
                let because = policy.verdict.evidence.as_ref().and_then(because);
                let is_rounded = matches!(because, Some(Because::Slots { rounded: true, .. }));
                *(if is_rounded { &mut rounded } else { &mut exact }) += 1;
            }
        }
    }
    assert!(
        exact >= 15 && rounded >= 300,
        "{exact} exact, {rounded} rounded"
    );
}
