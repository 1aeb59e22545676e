//! The published experiments, done again.

use flyball_measure::bench::{
    Bench, BenchError, RunResult, Simulator, Stage, SupervisedTrial, Trial,
};
use flyball_model::{Arrival, Length, OnMiss, Share, Step, Task, TaskSet};
use flyball_policy::supervisor::Observation;
use flyball_report::reproduction::{Experiment, Machine, Reproduction, Verdict};
use flyball_reproduce::{self, Extent, miosix, reproduce};
use flyball_study::{Registry, StudyError};
use flyball_trace::Duration;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The experiments of these names; none: all.
fn miosix(names: &[&str], data: Option<&Path>) -> Reproduction {
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    reproduce(
        &miosix::WORK,
        names,
        &mut simulator,
        None,
        Extent {
            data,
            ..Extent::default()
        },
    )
    .unwrap()
}

/// Without the authors' data, once for all tests.
fn simulated() -> &'static Reproduction {
    static DONE: OnceLock<Reproduction> = OnceLock::new();
    DONE.get_or_init(|| miosix(&[], None))
}

/// The authors' measurements, if they have been put beside the project.
fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if folder.join("ipi_blocking_traces.csv").exists() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there", folder.display());
    None
}

fn experiment<'a>(done: &'a Reproduction, name: &str) -> &'a Experiment {
    let found = done
        .experiments
        .iter()
        .find(|experiment| experiment.name == name);
    found.unwrap_or_else(|| panic!("no experiment {name}"))
}

/// What must be so of every reproduction.
#[test]
fn claims_have_reasons_and_names_are_unique() {
    for work in flyball_reproduce::ALL {
        let plans: BTreeSet<_> = work.plans.iter().map(|plan| plan.name).collect();
        assert_eq!(plans.len(), work.plans.len());
    }
    let done = simulated();
    let mut files = BTreeSet::new();
    let mut texts = BTreeSet::new();
    for (experiment, claim) in done.claims() {
        assert!(texts.insert((&experiment.name, &claim.text)), "{claim:?}");
        for text in [&claim.text, &claim.place, &claim.published, &claim.ours] {
            assert!(!text.trim().is_empty(), "{claim:?}");
        }
        let compared = !matches!(claim.verdict, Verdict::NotComparable(_));
        assert_eq!(compared, !claim.criterion.is_empty(), "{claim:?}");
        if let Some(reason) = claim.verdict.reason() {
            assert!(reason.trim().len() > 10, "{claim:?}");
        }
    }
    for figure in done
        .experiments
        .iter()
        .flat_map(|experiment| &experiment.figures)
    {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        assert!(figure.name.chars().all(is_plain) && files.insert(&figure.name));
        let series = figure.panels.iter().flat_map(|panel| &panel.series);
        assert!(
            series
                .flat_map(|series| series.points.iter().flatten())
                .all(|n| n.is_finite())
        );
    }
}

/// The verdicts as they are; a change here is a change of what is said in public.
#[test]
fn the_verdicts_on_i_plus_pi() {
    let done = simulated();
    let verdicts = |name: &str| {
        let claims = &experiment(done, name).claims;
        let count = |word| {
            claims
                .iter()
                .filter(|claim| claim.verdict.name() == word)
                .count()
        };
        ["holds", "differs", "not comparable"].map(count)
    };
    assert_eq!(verdicts("set-point"), [8, 0, 0]);
    assert_eq!(verdicts("blocking"), [11, 0, 0]);
    assert_eq!(verdicts("shares"), [6, 0, 0]);
    assert_eq!(verdicts("parallel"), [3, 2, 8]);
    assert_eq!(verdicts("hartstone"), [4, 2, 0]);
    assert_eq!(verdicts("hartstone-kernel"), [3, 0, 0]);
    assert_eq!(verdicts("overload"), [2, 3, 0]);
    assert_eq!(verdicts("beyond"), [5, 1, 0]);
    assert_eq!(verdicts("series"), [0, 0, 5]);
    let quick = [
        "set-point",
        "blocking",
        "shares",
        "parallel",
        "hartstone-kernel",
    ];
    for again in &miosix(&quick, None).experiments {
        assert_eq!(again, experiment(done, &again.name), "the same each time");
    }
}

/// Round by round, not only at the spikes.
#[test]
fn simulated_rounds_are_those_that_were_measured() {
    let Some(data) = data() else { return };
    let done = miosix(&["blocking"], Some(&data));
    let figure = &experiment(&done, "blocking").figures[0];
    assert_eq!(figure.panels.len(), 3);
    for panel in &figure.panels {
        let points = |name: &str| {
            let series = panel.series.iter().find(|series| series.name == name);
            series.unwrap_or_else(|| panic!("no {name}")).points.clone()
        };
        let simulated = points("the policy, simulated");
        let mut compared = 0;
        for [k, measured] in points("measured by the authors") {
            // The authors' regulators still settle at first.
            let Some(ours) = simulated
                .iter()
                .find(|point| (point[0] - k).abs() < 0.5 && k >= 20.0)
            else {
                continue;
            };
            let error = (ours[1] / measured - 1.0).abs();
            assert!(
                error < 0.035,
                "{}: {measured} in round {k}, not {}",
                panel.title,
                ours[1]
            );
            compared += 1;
        }
        assert!(compared > 190, "{}: {compared}", panel.title);
    }
}

#[test]
fn data_that_are_none_are_refused() {
    let folder = std::env::temp_dir().join(format!("flyball-data-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("ipi_blocking_traces.csv");
    std::fs::write(&file, "variant,Tr_10us\nff_off,many\n").unwrap();
    let registry = Registry::standard();
    let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
    let mut simulator = Simulator::new(&registry, &mut watch);
    let refused = reproduce(
        &miosix::WORK,
        &[],
        &mut simulator,
        None,
        Extent {
            data: Some(&folder),
            ..Extent::default()
        },
    );
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(
        refused,
        Err(BenchError::Lab(StudyError::Data { .. }))
    ));
}

#[test]
fn it_ends_when_no_caller_wants_more() {
    let registry = Registry::standard();
    // The last ones simulate on all CPUs at once, and for long.
    let all: &[&str] = &[];
    for (after, only) in [
        (0, all),
        (1, all),
        (5, all),
        (1, &["beyond"]),
        (3, &["beyond"]),
        (1, &["series"]),
        (1, &["overload"]),
    ] {
        let mut told = 0;
        let mut watch = |_: flyball_study::Progress<'_>| {
            told += 1;
            if told > after {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let mut simulator = Simulator::new(&registry, &mut watch);
        let ended = reproduce(&miosix::WORK, only, &mut simulator, None, Extent::default());
        assert!(
            matches!(ended, Err(BenchError::Lab(StudyError::Interrupted))),
            "{after} {only:?}"
        );
    }
}

/// A machine that is another simulator, with some policies only.
struct Fake<'a> {
    simulator: Simulator<'a>,
    policies: &'static [&'static str],
    trials: usize,
}

impl Bench for Fake<'_> {
    fn machine(&self) -> Option<Machine> {
        let name = "fake".to_owned();
        Some(Machine {
            title: name.clone(),
            name,
        })
    }

    fn has(&self, policy: &str) -> bool {
        self.policies.contains(&policy)
    }

    fn longest(&self) -> Duration {
        Duration::from_secs(170)
    }

    fn begin(&mut self, stage: Stage) -> Result<(), BenchError> {
        self.simulator.begin(stage)
    }

    fn go_on(&mut self) -> Result<(), BenchError> {
        self.simulator.go_on()
    }

    fn run(&mut self, trial: &Trial) -> Result<RunResult, BenchError> {
        assert!(trial.until <= self.longest());
        self.trials += 1;
        self.simulator.run(trial)
    }

    fn supervise(
        &mut self,
        trial: &SupervisedTrial,
        see: &mut dyn FnMut(Observation),
    ) -> Result<(), BenchError> {
        self.trials += 1;
        self.simulator.supervise(trial, see)
    }
}

#[test]
fn a_machine_runs_what_it_can() {
    let registry = Registry::standard();
    for (policies, runs) in [(&["ipi"][..], true), (&["edf"], false)] {
        let mut here = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
        let mut there = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
        let mut simulator = Simulator::new(&registry, &mut here);
        let mut machine = Fake {
            simulator: Simulator::new(&registry, &mut there),
            policies,
            trials: 0,
        };
        let done = reproduce(
            &miosix::WORK,
            &[],
            &mut simulator,
            Some(&mut machine),
            Extent::default(),
        )
        .unwrap();
        assert_eq!(machine.trials > 0, runs);
        assert_eq!(experiment(&done, "shares").on_machine, runs);
        for name in ["blocking", "parallel", "hartstone", "overload"] {
            // These need round robin or EDF as well, all but the first.
            let can = runs && name == "blocking";
            assert_eq!(experiment(&done, name).on_machine, can, "{name}");
        }
        assert!(!experiment(&done, "set-point").on_machine);
        assert_eq!(
            done.machine.map(|machine| machine.name),
            Some("fake".into())
        );
        let told = done
            .notes
            .iter()
            .any(|note| note.contains("no image for ipi"));
        assert_eq!(told, !runs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The rule of 2.3.2 for pools at random, with the kernel's work for free: what was predicted,
    /// less what the first and last rounds can move.
    #[test]
    fn shares_can_be_predicted(
        asked in prop::collection::vec((5_u32..=60, 1_u16..=4), 1..=6),
    ) {
        let task = |(n, &(share, importance)): (usize, &(u32, u16))| Task {
            name: format!("task {n}"),
            arrival: Arrival::Once,
            phase: Duration::ZERO,
            jitter: Duration::ZERO,
            deadline: None,
            wcet: Duration::MAX,
            priority: None,
            share: Some(Share::from_millionths(share * 10_000)),
            reserve: None,
            nice: None,
            importance: Some(importance),
            cpu: None,
            cpus: None,
            server: None,
            groups: flyball_model::Groups::default(),
            location: flyball_model::Location::default(),
            stalls: Share::default(),
            speed: None,
            on_miss: OnMiss::Continue,
            behaviour: vec![Step::Repeat {
                times: None,
                body: vec![Step::Compute(Length::Fixed(Duration::from_secs(1)))],
            }],
            policies: std::collections::BTreeMap::new(),
        };
        let set = TaskSet {
            tasks: asked.iter().enumerate().map(task).collect(),
            ..TaskSet::default()
        };
        let is_overload = asked.iter().map(|task| task.0).sum::<u32>() > 100;
        let weights = asked.iter().map(|&(share, importance)| {
            f64::from(share) * if is_overload { f64::from(importance) } else { 1.0 }
        });
        let whole: f64 = weights.clone().sum();
        // A burst that is longer than the longest, or shorter than the shortest, cannot be.
        let round = 4.0 * f64::from(u32::try_from(asked.len()).unwrap());
        prop_assume!(weights.clone().all(|weight| {
            let burst = round * weight / whole;
            burst < 12.0 && burst > 0.4
        }));
        let registry = Registry::standard();
        let mut watch = |_: flyball_study::Progress<'_>| ControlFlow::Continue(());
        let mut simulator = Simulator::new(&registry, &mut watch);
        let until = Duration::from_secs(10);
        let ran = simulator.run(&Trial::new(set, "ipi", until)).unwrap();
        for (task, weight) in ran.summary.tasks.iter().zip(weights) {
            #[expect(clippy::cast_precision_loss, reason = "seconds in nanoseconds")]
            let share = task.cpu_time.as_nanos() as f64 / until.as_nanos() as f64;
            prop_assert!((share - weight / whole).abs() < 0.01, "{share}, not {}", weight / whole);
        }
    }
}
