//! Beyond the paper: how soon soft jobs are done, where all servers have the same budgets.

use super::sets::{number, random};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, RunResult, Trial};
use flyball_model::{Length, Step, TaskSet, Value};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_sim::Modes;
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "soft",
    title: "Soft jobs at equal guarantees",
    on_machine: &[],
    run,
};

const TASKS: usize = 15;
/// The last of the tasks, which compute for longer than they say now and then.
const SOFT: usize = 5;
const UTILISATIONS: [f64; 3] = [0.5, 0.65, 0.8];
const POLICIES: [&str; 5] = ["cbs", "grub", "iris", "bids", "soos"];
const UNTIL: Duration = Duration::from_secs(10);

/// By policy: of each utilisation the mean of the response times, and the mean of their 99th
/// percentiles, in periods.
type Found = [Vec<[f64; 2]>; POLICIES.len()];

/// A random set in which soft tasks compute for a fifth of their budgets up to 8 fifths, and others for a
/// fifth to all. Every other job of these says that it was of little importance.
fn task_set(utilisation: f64, seed: u64) -> Result<TaskSet, BenchError> {
    let mut set = random(TASKS, utilisation, seed)?;
    for (number, task) in set.tasks.iter_mut().enumerate() {
        let is_soft = number >= TASKS - SOFT;
        let most = if is_soft { 8 } else { 5 };
        let fifth = Duration::from_nanos(task.wcet.as_nanos() / 5);
        let actual = Length::Uniform {
            min: fifth,
            max: fifth * most,
        };
        let declared = Length::Fixed(task.wcet);
        task.behaviour = vec![Step::Overrun { declared, actual }];
        if !is_soft {
            task.behaviour.push(Step::Result(vec![0, 1]));
        }
    }
    Ok(set)
}

/// Of the soft tasks, in periods: their mean response time, and the 99th percentile of it.
fn responses(set: &TaskSet, result: &RunResult) -> [f64; 2] {
    let soft = result.summary.tasks.iter().zip(&set.tasks);
    let soft = soft.skip(TASKS - SOFT).filter_map(|(task, it)| {
        let period = it.arrival.period()?;
        let [mean, late] = [task.response.mean()?, task.response.percentile(99)?];
        Some([number(mean, period), number(late, period)])
    });
    let (sums, count) = soft.fold(([0.0; 2], 0.0), |([mean, late], count), [one, other]| {
        ([mean + one, late + other], count + 1.0)
    });
    sums.map(|sum| sum / f64::max(count, 1.0))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let sets: u32 = setup.size.of([2, 100, 100]);
    let mut found = Found::default();
    for utilisation in UTILISATIONS {
        let mut sums = [[0.0; 2]; POLICIES.len()];
        for seed in 1..=sets {
            let set = task_set(utilisation, seed.into())?;
            for (policy, sums) in POLICIES.into_iter().zip(&mut sums) {
                let word = |word: &str| Value::Text(word.to_owned());
                // A hard budget that is too short for a job by a little has it wait for a whole period.
                let soft = ("mode", word("soft"));
                let modes = Modes::from(set.clone())
                    .with_settings("soos", &[("slack", word("all")), soft.clone()])
                    .with_settings("bids", &[soft]);
                let result = setup.bench.run(&Trial::new(modes, policy, UNTIL))?;
                let now = responses(&set, &result);
                for (sum, now) in sums.iter_mut().zip(now) {
                    *sum += now;
                }
            }
        }
        for (found, sums) in found.iter_mut().zip(sums) {
            found.push(sums.map(|sum| sum / f64::from(sets)));
        }
    }
    Ok(Experiment {
        about: "Random sets of 15 tasks, each with a server of its own whose budget is the declared execution \
                time. Five of them are soft, and compute for 0.2 to 1.6 times that; the others for 0.2 to 1 times, \
                and every other one of their jobs says that it was of little importance, which bids and soos hear. \
                How soon are the soft jobs done?"
            .into(),
        settings: vec![
            ("sets".into(), format!("{sets} for each utilisation")),
            ("time".into(), "10 s each".into()),
            (
                "tasks".into(),
                "periods of 0.1 s to 1 s, log-uniform, in whole slots".into(),
            ),
            (
                "soos".into(),
                "slots of 10 ms, slack = \"all\", mode = \"soft\"".into(),
            ),
            ("bids".into(), "mode = \"soft\"".into()),
        ],
        assumptions: vec!["The paper has no numbers of this.".into()],
        claims: claims(&found),
        figures: vec![figure(&found)],
        ..Experiment::default()
    })
}

fn claims(found: &Found) -> Vec<Claim> {
    let shown = |policies: &[usize]| {
        let shown = policies.iter().map(|&at| {
            let each = found[at].iter().map(|[mean, late]| {
                let [mean, late] = [mean, late].map(|&it| decimal(it));
                format!("{mean} ({late})")
            });
            format!("{}: {}", POLICIES[at], each.collect::<Vec<_>>().join(", "))
        });
        format!(
            "mean (99 %) in periods: {}",
            shown.collect::<Vec<_>>().join("; ")
        )
    };
    let is_sooner = |a: usize, b: usize| {
        let pairs = found[a].iter().zip(&found[b]);
        pairs.into_iter().all(|(a, b)| a[0] < b[0])
    };
    let by_utilisation = UTILISATIONS.map(decimal).join(", ");
    let claim = |text: &str, criterion: &str, policies: &[usize], holds: bool, why: &str| Claim {
        text: text.into(),
        place: "not in the paper".into(),
        criterion: format!("with utilisations of {by_utilisation}: {criterion}"),
        published: "–".into(),
        ours: shown(policies),
        verdict: Verdict::of(holds, || why.into()),
    };
    vec![
        claim(
            "Beyond the paper: soft jobs are done sooner if budgets last longer while others have no work",
            "shorter mean response times under grub than under cbs",
            &[1, 0],
            is_sooner(1, 0),
            "They are not with all utilisations.",
        ),
        claim(
            "Beyond the paper: so they are if servers have earlier what the CPU would idle away",
            "shorter mean response times under iris than under cbs",
            &[2, 0],
            is_sooner(2, 0),
            "Its servers are hard: a job that is longer than its budget waits until the CPU would idle, or for the \
             next period.",
        ),
        claim(
            "Beyond the paper: so they are if other servers come later, as under BIDS and SOOS",
            "shorter mean response times under bids and soos than under cbs",
            &[3, 4, 0],
            is_sooner(3, 0) && is_sooner(4, 0),
            "A server comes again a period after its last budget began. That of a job longer than its budget is its \
             second one, so jobs like these come sooner than budgets, and wait for each other.",
        ),
    ]
}

fn figure(found: &Found) -> Figure {
    let panel = |title: &str, what: usize| {
        // Under the others they are later by far: see the claims.
        let series = (0..).zip(POLICIES.iter().zip(found)).take(3);
        let series = series.map(|(colour, (policy, found))| {
            let points = UTILISATIONS.iter().zip(found);
            let points = points.map(|(&utilisation, found)| [utilisation, found[what]]);
            Series::ours(*policy, Shape::Line, colour, points.collect())
        });
        Panel {
            title: String::new(),
            y: Axis::numbers(title),
            series: series.collect(),
        }
    };
    Figure {
        name: "soft".into(),
        title: "How soon soft jobs are done, where all servers have the same budgets.".into(),
        caption:
            "Means of all sets, in periods of the tasks. Under bids and soos they are later by far."
                .into(),
        x: Axis::numbers("utilisation"),
        panels: vec![
            panel("response time (mean)", 0),
            panel("response time (99 %)", 1),
        ],
    }
}
