//! Section 4.3: how much sooner the sorted scheduler is done.

use super::load::{ADJUSTMENT, Found, Load, Sleeps, Sort, each, mean};
use super::sleep::{LEVELS, SLEEP};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "run-time",
    title: "How long all tasks take (section 4.3)",
    on_machine: &[],
    run,
};

/// What all tasks compute together: 300 adjustments saved without sleep, as in the thesis, take about as long.
const WORK: Duration = Duration::from_secs(200);
/// Longer than any run.
const LENGTH: Duration = Duration::from_secs(1_000);
/// What it takes to fill an instruction cache of 32 KB with lines of 32 bytes, 100 ns each.
const REFILL: Duration = Duration::from_nanos(1024 * 100);
/// How long an adjustment may take, in microseconds.
const COSTS: [u64; 6] = [100, 1_000, 2_000, 5_000, 10_000, 20_000];

/// Unsorted and sorted.
type Both = [Found; 2];

/// How many seconds sooner the sorted one is done.
fn sooner([none, walk]: &Both) -> f64 {
    none.run_time.unwrap_or(0.0) - walk.run_time.unwrap_or(0.0)
}

/// The same in hundredths of the unsorted one's time.
fn faster(both: &Both) -> f64 {
    100.0 * sooner(both) / both[0].run_time.unwrap_or(1.0)
}

fn saved([none, walk]: &Both) -> f64 {
    none.adjustments - walk.adjustments
}

fn both(
    setup: &mut Setup<'_>,
    tasks: u32,
    part: u32,
    adjustment: Duration,
) -> Result<Both, BenchError> {
    let orders = setup.size.of([1, 3, 20]);
    let load = Load {
        sleeps: Sleeps::part(part, tasks, SLEEP),
        work: Some(each(WORK, tasks)),
        adjustment,
        ..Load::half(tasks)
    };
    setup.bench.go_on()?;
    let [none, walk] = Sort::MEASURED.map(|sort| mean(setup.bench, load, sort, LENGTH, orders));
    Ok([none?, walk?])
}

/// By level of sleep.
struct Levels(Vec<Both>);

impl Levels {
    fn of(setup: &mut Setup<'_>, tasks: u32, adjustment: Duration) -> Result<Levels, BenchError> {
        let levels = LEVELS
            .into_iter()
            .map(|part| both(setup, tasks, part, adjustment));
        Ok(Levels(levels.collect::<Result<_, _>>()?))
    }

    fn first(&self) -> Both {
        self.0.first().copied().unwrap_or_default()
    }

    fn last(&self) -> Both {
        self.0.last().copied().unwrap_or_default()
    }

    /// Something of each level.
    fn shown(&self, of: impl Fn(&Both) -> f64) -> String {
        let each = LEVELS.iter().zip(&self.0).map(|(part, both)| {
            format!(
                "{} at {} %",
                decimal(of(both)),
                decimal(f64::from(*part) / 100.0)
            )
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let six = Levels::of(setup, 6, ADJUSTMENT)?;
    let shared = Levels::of(setup, 6, ADJUSTMENT + REFILL)?;
    let twelve = Levels::of(setup, 12, ADJUSTMENT)?;
    let mut by_cost = Vec::new();
    for cost in COSTS {
        let ends = [0, 2000].map(|part| both(setup, 12, part, Duration::from_micros(cost)));
        let [none, most] = ends;
        by_cost.push((cost, [none?, most?]));
    }
    Ok(Experiment {
        about: format!(
            "Six and twelve tasks, half of them high, compute {WORK} together and sleep in turns, at the levels of section \
             4.2. When is the last one done? Mean of {} orders of tasks.",
            setup.size.of([1, 3, 20])
        ),
        settings: vec![
            ("policy".into(), "linux-o1, 2.6.11, 100 ticks a second".into()),
            ("unsorted, sorted".into(), "sort = \"none\", \"strict-walk\"".into()),
            ("adjustment".into(), format!("{ADJUSTMENT}; and 1 to 20 ms")),
            ("cache".into(), format!("{REFILL} to fill the instruction cache")),
        ],
        assumptions: vec![
            "How long the runs were is not typed. Without sleep 30 ms are saved, 300 adjustments: with ten switches a second \
             of which 14 % are saved, these are 214 s."
                .into(),
            "Shared code: the groups are the two programs, so that the instruction cache is filled when the group changes. It \
             has 32 KB in lines of 32 bytes; 100 ns each is ours."
                .into(),
        ],
        claims: claims(&six, &shared, &twelve, &by_cost),
        figures: vec![figure(&by_cost)],
        ..Experiment::default()
    })
}

/// How long an adjustment would have to take so that the sorted scheduler were faster by so much, between two
/// that were tried; `None`: longer than all.
fn needed(by_cost: &[(u64, [Both; 2])], level: usize, wanted: f64) -> Option<f64> {
    by_cost.windows(2).find_map(|pair| {
        let [[x, a], [y, b]] = [&pair[0], &pair[1]]
            .map(|(cost, found)| [super::load::float(*cost), faster(&found[level])]);
        (a < wanted && wanted <= b).then(|| x + (y - x) * (wanted - a) / (b - a))
    })
}

#[expect(clippy::too_many_lines, reason = "a list of claims")]
fn claims(
    six: &Levels,
    shared: &Levels,
    twelve: &Levels,
    by_cost: &[(u64, [Both; 2])],
) -> Vec<Claim> {
    let most = six.0.iter().map(saved).fold(0.0, f64::max);
    let all = six.0.iter().map(sooner);
    let is_second = all.clone().all(|sooner| (0.5..=1.5).contains(&sooner));
    let with_code = shared
        .0
        .iter()
        .all(|both| (0.5..=1.5).contains(&sooner(both)));
    let times_adjustment = |saved: f64| saved * super::load::seconds(ADJUSTMENT);
    let at = |wanted: u64| {
        by_cost
            .iter()
            .find(|(cost, _)| *cost == wanted)
            .map(|(_, found)| found)
    };
    let millisecond = at(1_000).copied().unwrap_or_default();
    let why_second = "What adjustments save grows with the number of switches. One second at all levels has another cause, \
                      which the thesis says, too; one switch more or less of a cache of 32 KB is not enough for it.";
    let mut claims = vec![
        Claim {
            text: "Six tasks are done about one second sooner sorted, at all levels of sleep".into(),
            place: "4.3".into(),
            criterion: "0.5 to 1.5 s at each level".into(),
            published: "roughly 1 s".into(),
            ours: format!("seconds: {}", six.shown(sooner)),
            verdict: Verdict::of(is_second, || why_second.into()),
        },
        Claim {
            text: "The thesis explains it by the instruction cache: tasks of one program share their code".into(),
            place: "4.3".into(),
            criterion: "0.5 to 1.5 s at each level if a change of program fills the cache".into(),
            published: "one explanation".into(),
            ours: format!("seconds with {REFILL} more a change: {}", shared.shown(sooner)),
            verdict: Verdict::of(with_code, || {
                "A cache that is filled at each change of program saves as much as adjustments do, in proportion, and not the same at \
                 all levels."
                    .into()
            }),
        },
        Claim {
            text: "At most 6,000 adjustments are saved in a run, which are 600 ms".into(),
            place: "4.3".into(),
            criterion: "at most 6,000".into(),
            published: "6,000; 600 ms".into(),
            ours: format!("{}, which are {} s; {}", decimal(most), decimal(times_adjustment(most)), six.shown(saved)),
            verdict: Verdict::of(most <= 6_000.0, || "There are more.".into()),
        },
        Claim::number(
            "Without sleep it is 30 ms",
            "4.3",
            [30.0, 1_000.0 * times_adjustment(saved(&six.first())), 15.0],
            "ms",
            || {
                "Unsorted, six tasks in an order of chance have adjustments at 60 % of the switches and not at 20 %: so sorting \
                 saves more than in the thesis."
                    .into()
            },
        ),
        Claim {
            text: "With twelve tasks a part of what is saved grows with the adjustments that are saved".into(),
            place: "4.3".into(),
            criterion: "sooner by more at 20 % sleep than without, and more adjustments saved".into(),
            published: "a small fraction scales".into(),
            ours: format!("seconds: {}; saved: {}", twelve.shown(sooner), twelve.shown(saved)),
            verdict: Verdict::of(
                sooner(&twelve.last()) > sooner(&twelve.first()) && saved(&twelve.last()) > saved(&twelve.first()),
                || {
                    // All compute the same, so that what adjustments do not explain is time in which all sleep.
                    let idle = |both: &Both| times_adjustment(saved(both)) - sooner(both);
                    format!(
                        "Adjustments that are saved are time that is saved, but the CPU idles for longer when sorted, as all tasks that are \
                         left sleep: seconds {}.",
                        twelve.shown(idle)
                    )
                },
            ),
        },
        Claim {
            text: "An adjustment takes 0.1 µs (chapter 2), and 0.1 ms (section 4.3)".into(),
            place: "2, 4.3".into(),
            criterion: "10,000 adjustments of 0.1 ms are 1 s, and 6,000 are 600 ms".into(),
            published: "0.1 µs; 0.1 ms".into(),
            ours: format!("10,000 of {ADJUSTMENT}: {} s; 6,000: {} s", decimal(times_adjustment(10_000.0)), decimal(times_adjustment(6_000.0))),
            verdict: Verdict::of((times_adjustment(10_000.0) - 1.0).abs() < 1e-9, || "The sums are others.".into()),
        },
    ];
    for (level, published, text, rate) in [
        (
            1,
            22.0,
            "With adjustments of 1 ms twelve tasks are 22 % faster sorted at the highest level of sleep",
            "220 saved adjustments a second, where there are ten times ten switches",
        ),
        (
            0,
            8.0,
            "Even without sleep they are 8 % faster",
            "80 saved adjustments a second, where section 1.1 has ten switches",
        ),
    ] {
        let ours = faster(&millisecond[level]);
        let needed = needed(by_cost, level, published);
        let needed = needed.map_or_else(
            || "more than 20 ms would be needed for that".to_owned(),
            |micros| {
                format!(
                    "{} ms would be needed for that, by a line between two that were tried",
                    decimal(micros / 1_000.0)
                )
            },
        );
        claims.push(Claim {
            text: text.into(),
            place: "4.3".into(),
            criterion: "within 2 points".into(),
            published: format!("{published} %"),
            ours: format!("{} %; {needed}", decimal(ours)),
            verdict: Verdict::of((ours - published).abs() <= 2.0, || {
                format!("At 1 ms each it takes {rate}. An adjustment has to have taken longer, or something else was saved.")
            }),
        });
    }
    claims
}

fn figure(by_cost: &[(u64, [Both; 2])]) -> Figure {
    let points = |level: usize| {
        let points = by_cost
            .iter()
            .map(|(cost, found)| [super::load::float(*cost) / 1_000.0, faster(&found[level])]);
        points.collect()
    };
    Figure {
        name: "run-time".into(),
        title: "How much sooner twelve tasks are done sorted, by the time of an adjustment.".into(),
        caption: "In hundredths of the time that they take unsorted.".into(),
        x: Axis::numbers("an adjustment (ms)"),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("faster (%)"),
            series: vec![
                Series::ours("no sleep", Shape::Line, 0, points(0)),
                Series::ours("sleep 20 % of the time", Shape::Line, 1, points(1)),
            ],
        }],
    }
}
