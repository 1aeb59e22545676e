//! Several CPUs, which the thesis leaves for the future (chapter 5): simulated, and on a machine
//! with the supervisor as a thread, with the same simulated beside it.

use crate::multicore_shares::{Scenario, SharesOverTime};
use crate::work::{Plan, Setup, Size};
use flyball_measure::bench::{BenchError, SUPERVISOR};
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "multicore",
    title: "Shares of several CPUs (chapter 5: left for the future)",
    on_machine: &["ipi", SUPERVISOR],
    run,
};

/// How much is simulated.
const SIMULATED: Extent = Extent {
    cpus: &[2, 4, 8],
    seeds: 5,
    periods: 240,
};
/// How much is done on a machine: as much as takes less than a minute of the host, and all that is
/// simulated.
const SHORT: Extent = Extent {
    cpus: &[2, 4],
    seeds: 1,
    periods: 120,
};

/// How much is done: each scenario on each of these numbers of CPUs, with so many seeds, for so
/// many periods of the supervisor.
#[derive(Clone, Copy)]
struct Extent {
    cpus: &'static [u8],
    seeds: u64,
    periods: u32,
}

/// A share is measured over so many periods of the supervisor.
const WINDOW: usize = 40;
/// In the figures it is over so many.
const DRAWN: usize = 8;
/// From the worst start, shares are right after so many periods for each CPU.
const SETTLED: usize = 3;

/// What is found on so many CPUs, with all seeds.
struct ShareErrors {
    cpus: u8,
    /// Largest errors in hundredths of a CPU: from the worst start once settled, and under churn.
    steady: f64,
    churn: f64,
    /// What the worst error would be if nothing moved.
    without_moves: f64,
    /// Moves in a period, at most and on the average, under churn.
    most: u32,
    mean: f64,
    /// The first of each.
    pictures: [SharesOverTime; 2],
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let on_machine = setup.bench.machine().is_some();
    let extent = if on_machine && setup.size != Size::Full {
        SHORT
    } else {
        SIMULATED
    };
    let mut found = Vec::with_capacity(extent.cpus.len());
    for &cpus in extent.cpus {
        found.push(ShareErrors::new(cpus, extent, &mut |scenario| {
            scenario.run(setup.bench)
        })?);
    }
    // The same, simulated, beside what a machine did.
    let mut simulated = Vec::new();
    for &cpus in extent.cpus.iter().filter(|_| on_machine) {
        let mut simulate = |scenario: &Scenario| Ok(scenario.simulate()?);
        simulated.push(ShareErrors::new(cpus, extent, &mut simulate)?);
    }
    let example = Scenario::steady(2, 0);
    let supervisor = example.supervisor;
    Ok(Experiment {
        about: format!(
            "Each CPU has a kernel and an I+PI of its own. Every {} a supervisor reads what tasks got, \
             gives them shares, and moves at most {} of them. Tasks are three for each CPU and ask for \
             5 to 60 % of one. First they compute without end and all start on CPU 0. Then there is \
             churn: a third of them wait, for milliseconds or for seconds, others come, leave, or ask \
             for something else.",
            example.period, supervisor.moves
        ),
        settings: vec![
            ("supervisor's period".into(), example.period.to_string()),
            ("length".into(), format!("{} periods", extent.periods)),
            ("window of a share".into(), format!("{WINDOW} periods")),
            ("seeds".into(), extent.seeds.to_string()),
            ("longest burst".into(), example.scheduler.longest.to_string()),
        ],
        assumptions: vec![
            "The thesis says only that this is the next step. Supervisor, scenarios and criteria are \
             ours."
                .into(),
            if on_machine {
                "The supervisor is a thread of CPU 0, in the round of the I+PI there. Tasks compute by \
                 sleeping, so caches are never cold; all else takes what it takes."
                    .into()
            } else {
                "Messages between CPUs and cold caches take no time.".into()
            },
        ],
        claims: (found.iter().enumerate())
            .flat_map(|(n, found)| found.claims(simulated.get(n)))
            .collect(),
        figures: vec![
            picture(
                &found,
                0,
                20.0,
                "multicore-start",
                "Shares converge from the worst start.",
            ),
            picture(
                &found,
                1,
                60.0,
                "multicore-churn",
                "Shares follow their set points under churn.",
            ),
        ],
        ..Experiment::default()
    })
}

impl ShareErrors {
    /// Does each scenario by `run`.
    fn new(
        cpus: u8,
        extent: Extent,
        run: &mut dyn FnMut(&Scenario) -> Result<SharesOverTime, BenchError>,
    ) -> Result<ShareErrors, BenchError> {
        let mut run = |scenario: &mut Scenario| {
            scenario.periods = extent.periods;
            run(scenario)
        };
        let largest = |out: &SharesOverTime, from: usize| {
            let ends = from + WINDOW..out.migrations.len();
            let errors = ends.map(|end| out.largest_error(end, WINDOW));
            percent(errors.max().unwrap_or(0))
        };
        let (mut steady, mut churn, mut without_moves) = (0.0_f64, 0.0_f64, 0.0_f64);
        let (mut most, mut sum, mut periods) = (0, 0, 0);
        let mut pictures = None;
        for seed in 0..extent.seeds {
            let mut crowd = Scenario::steady(cpus, seed);
            for actor in &mut crowd.actors {
                actor.cpu = 0;
            }
            let calm = run(&mut crowd)?;
            steady = steady.max(largest(&calm, SETTLED * usize::from(cpus)));
            crowd.supervisor.moves = 0;
            without_moves = without_moves.max(largest(&run(&mut crowd)?, WINDOW));
            let busy = run(&mut Scenario::churn(cpus, seed))?;
            churn = churn.max(largest(&busy, 0));
            most = most.max(busy.migrations.iter().copied().max().unwrap_or(0));
            sum += busy.migrations.iter().sum::<u32>();
            periods += u32::try_from(busy.migrations.len()).unwrap_or(u32::MAX);
            pictures.get_or_insert([calm, busy]);
        }
        Ok(ShareErrors {
            cpus,
            steady,
            churn,
            without_moves,
            most,
            mean: f64::from(sum) / f64::from(periods.max(1)),
            // There is a first seed.
            pictures: pictures
                .unwrap_or_else(|| [SharesOverTime::default(), SharesOverTime::default()]),
        })
    }

    /// What it claims, with the same simulated beside it if it was on a machine.
    fn claims(&self, simulated: Option<&ShareErrors>) -> [Claim; 3] {
        let ShareErrors { cpus, most, .. } = *self;
        let ours = |text: &dyn Fn(&ShareErrors) -> String| match simulated {
            Some(simulated) => format!("{} (simulated: {})", text(self), text(simulated)),
            None => text(self),
        };
        let claim = |text: String, criterion: String, ours: String, holds: bool, why: &str| Claim {
            text,
            place: "chapter 5".into(),
            criterion,
            published: "left for the future".into(),
            ours,
            verdict: Verdict::of(holds, || why.to_owned()),
        };
        let periods = SETTLED * usize::from(cpus);
        [
            claim(
                format!("{cpus} CPUs: every share converges to its set point"),
                format!("{periods} periods after the worst start, all within 1 % of a CPU"),
                ours(&|found| {
                    let (error, without) = (decimal(found.steady), decimal(found.without_moves));
                    format!("at most {error} %; {without} % if nothing may move")
                }),
                self.steady <= 1.0,
                "some share is wrong by more",
            ),
            claim(
                format!("{cpus} CPUs: it is stable under churn"),
                "at all times within 5 % of a CPU of the set points of the window".into(),
                ours(&|found| format!("at most {} %", decimal(found.churn))),
                self.churn <= 5.0,
                "some share is wrong by more",
            ),
            claim(
                format!("{cpus} CPUs: moves are few"),
                "two a period at most".into(),
                ours(&|found| {
                    let (most, mean) = (found.most, decimal(found.mean));
                    format!("at most {most}, {mean} on the average, under churn")
                }),
                most <= 2,
                "there are more",
            ),
        ]
    }
}

/// Millionths in hundredths.
#[expect(clippy::cast_precision_loss, reason = "some millions")]
fn percent(millionths: i64) -> f64 {
    millionths as f64 / 10_000.0
}

/// Six tasks on each number of CPUs.
fn picture(found: &[ShareErrors], which: usize, until: f64, name: &str, title: &str) -> Figure {
    Figure {
        name: name.into(),
        title: title.into(),
        caption: format!(
            "Six of the tasks on each number of CPUs: what each got over {DRAWN} periods, and thin its \
             set point."
        ),
        x: Axis::range("time (s)", 0.0, until),
        panels: (found.iter())
            .map(|found| panel(found.cpus, &found.pictures[which]))
            .collect(),
    }
}

fn panel(cpus: u8, out: &SharesOverTime) -> Panel {
    let period = Scenario::steady(cpus, 0).period;
    let mut series = Vec::new();
    for (number, task) in (0..6).zip(&out.tasks) {
        let (mut got, mut wanted) = (Vec::new(), Vec::new());
        for (end, samples) in (DRAWN..).zip(task.windows(DRAWN)) {
            let Some(samples) = samples.iter().copied().collect::<Option<Vec<_>>>() else {
                continue;
            };
            let count = i64::try_from(samples.len()).unwrap_or(1);
            let mean = |sum: i64| percent(sum / count);
            let time = seconds(period * end as u64);
            got.push([time, mean(samples.iter().map(|sample| sample.got).sum())]);
            let set_points = samples.iter().map(|sample| sample.set_point);
            wanted.push([time, mean(set_points.sum())]);
        }
        let name = format!("task {}", number + 1);
        series.push(Series::ours("set points", Shape::Line, 0, wanted).with_role(Role::Target));
        series.push(Series::ours(name, Shape::Line, number, got));
    }
    Panel {
        title: format!("{cpus} CPUs"),
        y: Axis::range("share of a CPU (%)", 0.0, 100.0),
        series,
    }
}

fn seconds(time: Duration) -> f64 {
    super::sets::number(time, Duration::from_secs(1))
}
