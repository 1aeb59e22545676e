//! Semi-partitioned EDF: what the splitters accept holds, and they accept more than partitioning
//! does.

use flyball_analysis::{
    Answer, Fit, Sequence, SporadicTask, WorkLimit, c_equals_d, edf_demand, edf_wm, partition,
};
use flyball_model::random::Random;
use flyball_model::{Length, Step, Task, TaskSet};
use flyball_sim::{Options, Subtask, simulate_split};
use flyball_study::note::{AboutPolicy, Note, SplitNote};
use flyball_study::results::Study;
use flyball_study::{Registry, StudyOptions, study};
use flyball_trace::{CpuId, Duration, Event, Kind, Time};
use std::ops::ControlFlow;

const LIMIT: WorkLimit = WorkLimit::steps(200_000);

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// Tasks that ask for nearly all of `cpus`, one and a half to three of them a CPU.
fn random(cpus: u8, random: &mut Random) -> TaskSet {
    let mut upto = |least: u64, most: u64| {
        random
            .uniform(Duration::from_nanos(least), Duration::from_nanos(most))
            .as_nanos()
    };
    let mut set = TaskSet::default();
    set.platform.cpus = cpus;
    let all = u64::from(cpus) * 1_000;
    let mut left = upto(all * 75 / 100, all * 98 / 100);
    while left > 0 {
        let subtask = upto(50, 850).min(left);
        left -= subtask;
        let period =
            [1_000, 2_000, 3_000, 4_000, 6_000, 12_000][usize::try_from(upto(0, 5)).unwrap()];
        let mut task = Task::periodic(
            format!("t{}", set.tasks.len()),
            us(period),
            us((period * subtask / 1_000).max(1)),
        );
        if upto(0, 3) == 0 {
            let wcet = task.wcet.as_nanos() / 1_000;
            task.deadline = Some(us(upto(wcet + (period - wcet) / 2, period)));
        }
        if upto(0, 3) == 0 {
            task.phase = us(upto(0, period));
        }
        set.tasks.push(task);
    }
    set
}

fn known(set: &TaskSet) -> Vec<SporadicTask> {
    let known = |task: &Task| {
        SporadicTask::new(
            task.wcet,
            task.arrival.period().unwrap(),
            task.deadline.unwrap(),
        )
        .unwrap()
    };
    set.tasks.iter().map(known).collect()
}

fn can_be_partitioned(tasks: &[SporadicTask], cpus: usize) -> bool {
    Fit::ALL.into_iter().any(|fit| {
        Sequence::ALL.into_iter().any(|sequence| {
            let holds = |_: usize, here: &[usize]| {
                let here: Vec<_> = here.iter().map(|&task| tasks[task]).collect();
                Answer::from(&edf_demand::test(&here, LIMIT))
            };
            partition(tasks, cpus, fit, sequence, holds).is_ok()
        })
    })
}

/// 1500 random sets on two to four CPUs: what is accepted never misses, and a good deal of what
/// cannot be partitioned is accepted.
#[test]
fn what_is_accepted_never_misses() {
    let mut source = Random::new(2009, 2012);
    let (mut partitioned, mut accepted, mut more, mut moved) = (0, [0; 2], [0; 2], 0);
    for number in 0..1_500 {
        let cpus = 2 + u8::try_from(number % 3).unwrap();
        let set = random(cpus, &mut source);
        let tasks = known(&set);
        let plain = can_be_partitioned(&tasks, cpus.into());
        partitioned += u32::from(plain);
        let splits = [
            edf_wm::split(&tasks, cpus.into(), LIMIT, |_| true),
            c_equals_d::split(&tasks, cpus.into(), LIMIT, |_| true),
        ];
        for (which, split) in splits.into_iter().enumerate() {
            let Ok(shares) = split else { continue };
            accepted[which] += 1;
            more[which] += u32::from(!plain);
            let subtasks: Vec<Vec<Subtask>> = shares
                .iter()
                .map(|shares| {
                    let subtask = |share: &flyball_analysis::Share| Subtask {
                        cpu: CpuId(u8::try_from(share.cpu).unwrap()),
                        wcet: share.wcet,
                        from: share.from,
                        until: share.until,
                    };
                    shares.iter().map(subtask).collect()
                })
                .collect();
            let mut events: Vec<Event> = Vec::new();
            let options = Options::until(us(36_000));
            let outcome = simulate_split(&set, &subtasks, &options, &mut events, |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(outcome.misses, 0, "{number}, {which}: {set:?} {shares:?}");
            moved += follow(&set, &subtasks, &events);
        }
    }
    println!(
        "partitioned {partitioned}, accepted {accepted:?}, of which not partitioned {more:?}, {moved} migrations"
    );
    assert!(more[0] >= 100 && more[1] >= 150, "{more:?}");
    assert!(accepted[0] > partitioned && accepted[1] > partitioned && moved > 5_000);
}

/// Each job runs only on the CPUs of its subtasks, in their order and within their windows, and no
/// longer than each has for it. Returns the number of migrations.
fn follow(set: &TaskSet, subtasks: &[Vec<Subtask>], events: &[Event]) -> u32 {
    let mut moved = 0;
    for (number, subtasks) in subtasks
        .iter()
        .enumerate()
        .filter(|(_, subtasks)| subtasks.len() > 1)
    {
        let (task, period) = (
            &set.tasks[number],
            set.tasks[number].arrival.period().unwrap(),
        );
        let mut last = None;
        let mut since = None;
        let mut had = vec![Duration::ZERO; subtasks.len()];
        for event in events {
            if event.kind.task().map(flyball_trace::TaskId::index) != Some(number) {
                continue;
            }
            match event.kind {
                Kind::Dispatch { job, .. } => {
                    let release = Time::ZERO + task.phase + period * u64::from(job - 1);
                    let subtask = subtasks
                        .iter()
                        .position(|subtask| subtask.cpu == event.cpu)
                        .unwrap();
                    assert!(event.time >= release + subtasks[subtask].from, "too early");
                    match last {
                        Some((before, at)) if before == job => {
                            assert!(at <= subtask);
                            moved += u32::from(at < subtask);
                        }
                        _ => had.fill(Duration::ZERO),
                    }
                    last = Some((job, subtask));
                    since = Some((event.time, subtask, release));
                }
                Kind::Preempt { .. } | Kind::Complete { .. } => {
                    let (from, subtask, release) = since.take().unwrap();
                    had[subtask] += event.time.since(from);
                    assert!(
                        had[subtask] <= subtasks[subtask].wcet,
                        "more than its subtask"
                    );
                    assert!(event.time <= release + subtasks[subtask].until, "too late");
                }
                _ => {}
            }
        }
    }
    moved
}

fn study_with(set: &TaskSet, options: &StudyOptions) -> Study {
    let mut on = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    study(
        &Registry::standard(),
        "set.toml",
        set.clone(),
        options,
        &mut on,
    )
    .unwrap()
}

fn studied(set: &TaskSet, policies: &[&str]) -> Study {
    let options = StudyOptions {
        policies: policies.iter().map(|&name| name.to_owned()).collect(),
        ..StudyOptions::default()
    };
    study_with(set, &options)
}

/// Five tasks of 0.51 on four CPUs, by name: verdict, proof, and what was split how.
#[test]
fn by_name() {
    let mut set = TaskSet::default();
    set.platform.cpus = 4;
    for number in 1..=5 {
        set.tasks.push(Task::periodic(
            format!("t{number}"),
            us(100_000),
            us(51_000),
        ));
    }
    let study = studied(&set, &["edf-wm", "c=d", "edf-cd"]);
    for report in &study.policies {
        assert_eq!(report.verdict.holds(), Some(true), "{:?}", report.verdict);
        assert_eq!(
            report.verdict.proof.as_deref(),
            Some("processor demand of all shares")
        );
        assert_eq!(report.simulated.misses, 0);
        assert_eq!(report.summary.job_migrations(), 1, "{}", report.policy);
    }
    let names: Vec<_> = study.policies.iter().map(|it| &it.policy).collect();
    assert_eq!(names, ["edf-wm", "c=d"], "another name is no other policy");
    for (policies, windows) in [(&["edf-wm"], [50, 50]), (&["c=d"], [49, 51])] {
        let [first, second] = windows.map(|window| us(window * 1_000));
        let split = SplitNote {
            task: "t5".into(),
            subtasks: vec![(us(49_000), first, 0), (us(2_000), second, 1)],
        };
        let policies = policies.iter().map(ToString::to_string).collect();
        let note = Note::Policies(policies, AboutPolicy::Split(vec![split]));
        assert!(study.notes.contains(&note), "{:?}", study.notes);
    }
}

/// The kernels' own work takes time, for which jobs leave some.
#[test]
fn with_overheads_jobs_still_go_their_way() {
    let mut set = TaskSet::default();
    set.platform.cpus = 2;
    for number in 1..=3 {
        let mut task = Task::periodic(format!("t{number}"), us(30_000), us(19_000));
        task.behaviour = vec![Step::Compute(Length::Fixed(us(18_000)))];
        set.tasks.push(task);
    }
    let cost = flyball_model::Cost::fixed(us(20));
    set.platform.overheads.context_switch = cost.clone();
    set.platform.overheads.scheduling = cost;
    for policy in ["edf-wm", "c=d"] {
        let options = StudyOptions {
            policies: vec![policy.to_owned()],
            until: Some(us(3_000_000)),
            ..StudyOptions::default()
        };
        let report = study_with(&set, &options).policies.remove(0);
        assert_eq!(
            report.verdict.holds(),
            None,
            "overheads are not in the test"
        );
        assert!(report.summary.job_migrations() >= 99, "{policy}");
        for task in &report.tasks {
            assert_eq!(
                (task.measured.completed, task.measured.misses),
                (100, 0),
                "{policy}"
            );
        }
    }
}
