//! Section 4.1: adjustments by the part of tasks that want a high frequency.

use super::load::{Daemons, Found, Load, Sort, float, mean};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "share",
    title: "Adjustments by the part of high tasks (section 4.1, figure 4.1)",
    on_machine: &["linux-o1"],
    run,
};

/// The number that the thesis has in its other experiments, and in which both of its numbers can come out.
const TASKS: u32 = 12;
const NUMBERS: [u32; 6] = [4, 6, 8, 12, 16, 20];
const LENGTH: Duration = Duration::from_secs(20);
/// What the thesis has at 50 %: unsorted, and sorted.
const PUBLISHED: [f64; 2] = [20.0, 6.0];

/// Unsorted and sorted.
type Both = [Found; 2];

fn both(setup: &mut Setup<'_>, load: Load, orders: u64) -> Result<Both, BenchError> {
    setup.bench.go_on()?;
    let [none, walk] = Sort::MEASURED.map(|sort| mean(setup.bench, load, sort, LENGTH, orders));
    Ok([none?, walk?])
}

/// Of all orders of tasks, the mean number of adjustments of an epoch over the number of tasks, in hundredths.
fn by_chance(tasks: u32, high: u32) -> f64 {
    let [n, h] = [tasks, high].map(f64::from);
    100.0 * 2.0 * h * (n - h) / (n * (n - 1.0))
}

/// A number of tasks with daemons beside them, half of the tasks high.
struct Fit {
    tasks: u32,
    daemons: Option<Daemons>,
    found: Both,
}

impl Fit {
    fn parts(&self) -> [f64; 2] {
        [self.found[0].part(), self.found[1].part()]
    }

    /// How far it is from what was published, in points.
    fn distance(&self) -> f64 {
        let parts = self.parts().into_iter().zip(PUBLISHED);
        parts
            .map(|(ours, published)| (ours - published).abs())
            .sum()
    }

    fn shown(&self) -> String {
        let daemons = match self.daemons {
            None => "no daemons".into(),
            Some(daemons) => format!("{} daemons every {}", daemons.count, daemons.period),
        };
        let [none, walk] = self.parts().map(decimal);
        format!("{} tasks, {daemons}: {none} % and {walk} %", self.tasks)
    }
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let on_machine = setup.bench.machine().is_some();
    let orders = if on_machine {
        1
    } else {
        setup.size.of([1, 40, 100])
    };
    let highs: Vec<u32> = if on_machine {
        vec![0, 3, 6, 9, 12]
    } else {
        (0..=TASKS).collect()
    };
    let mut by_high = Vec::new();
    let mut with_daemons = Vec::new();
    // One that wakes up ten times a second: an equal number of switches.
    let daemons = Some(Daemons {
        count: 1,
        period: Duration::from_millis(200),
    });
    for high in highs {
        let load = Load {
            high,
            ..Load::half(TASKS)
        };
        by_high.push((high, both(setup, load, orders)?));
        if !on_machine {
            let load = Load { daemons, ..load };
            with_daemons.push((high, both(setup, load, orders.div_ceil(4))?));
        }
    }
    let mut fits = Vec::new();
    if !on_machine {
        for tasks in NUMBERS {
            let counts = [0, 1, 4, 16];
            let periods = [1000, 500, 200].map(Duration::from_millis);
            for count in counts {
                for period in periods.into_iter().take(if count == 0 { 1 } else { 3 }) {
                    let daemons = (count > 0).then_some(Daemons { count, period });
                    let load = Load {
                        daemons,
                        ..Load::half(tasks)
                    };
                    let found = both(
                        setup,
                        load,
                        if count == 0 {
                            orders
                        } else {
                            orders.div_ceil(8)
                        },
                    )?;
                    fits.push(Fit {
                        tasks,
                        daemons,
                        found,
                    });
                }
            }
        }
    }
    Ok(Experiment {
        about: format!(
            "{TASKS} tasks that compute without end, of which more and more are high, in orders of chance; {} each, mean \
             of {orders}. Then other numbers of tasks, half of them high, and daemons of the low domain beside them that \
             wake up together now and then.",
            LENGTH.min(setup.bench.longest())
        ),
        settings: vec![
            ("policy".into(), "linux-o1, 2.6.11, 100 ticks a second".into()),
            ("unsorted, sorted".into(), "sort = \"none\", \"strict-walk\"".into()),
            ("orders".into(), orders.to_string()),
        ],
        assumptions: vec![
            format!("How many tasks there were is not typed; {TASKS} are those of section 4.2."),
            "Orders are of chance. In a fixed one that alternates, every switch would be an adjustment.".into(),
            if on_machine {
                "On the machine, which has one operating point, changes from one group to another are counted.".into()
            } else {
                "What else ran is not known, but for sshd. Daemons here compute for 100 µs each time.".into()
            },
        ],
        claims: claims(&by_high, &with_daemons, &fits),
        figures: figures(&by_high, &with_daemons),
        ..Experiment::default()
    })
}

#[expect(clippy::too_many_lines, reason = "a list of claims")]
fn claims(by_high: &[(u32, Both)], with_daemons: &[(u32, Both)], fits: &[Fit]) -> Vec<Claim> {
    let parts = |of: usize| -> Vec<(u32, f64)> {
        by_high
            .iter()
            .map(|(high, found)| (*high, found[of].part()))
            .collect()
    };
    let [none, walk] = [parts(0), parts(1)];
    let most = |parts: &[(u32, f64)]| {
        parts.iter().fold(
            (0, 0.0),
            |most, now| if now.1 > most.1 { *now } else { most },
        )
    };
    let at_half = |parts: &[(u32, f64)]| {
        let half = parts.iter().find(|(high, _)| *high == TASKS / 2);
        half.map_or(0.0, |(_, part)| *part)
    };
    let halves = [at_half(&none), at_half(&walk)];
    let constant = walk.iter().filter(|(high, _)| (1..TASKS).contains(high));
    let (least, largest) = constant.fold((f64::MAX, 0.0_f64), |(least, most), (_, part)| {
        (least.min(*part), most.max(*part))
    });
    let why_not = "In an order of chance six of twelve tasks have n/(2(n−1)) of the switches between equals as adjustments, \
                   54.5 %, and sorted 2/n, 16.7 %. Both numbers of the thesis are 0.37 of these: they come out if 63 % of the \
                   switches it counted were between tasks of which neither changes the frequency. Low daemons come near that if \
                   many wake up together; one that interrupts a high task alone causes two adjustments.";
    let number = |text: &str, published: f64, ours: f64, tolerance: f64| {
        Claim::number(
            text,
            "4.1, figure 4.1",
            [published, ours, tolerance],
            "%",
            || why_not.into(),
        )
    };
    let mut claims = vec![
        Claim {
            text: "Unsorted, the most adjustments are at 50 % high tasks".into(),
            place: "4.1, figure 4.1".into(),
            criterion: "most with six of twelve, or with one more or less by not more than a point"
                .into(),
            published: "50 %".into(),
            ours: format!(
                "most with {} of {TASKS}: {} %",
                most(&none).0,
                decimal(most(&none).1)
            ),
            verdict: Verdict::of(
                most(&none).0.abs_diff(TASKS / 2) <= 1 && most(&none).1 - halves[0] <= 1.0,
                || "Chance: too few orders.".into(),
            ),
        },
        number(
            "Unsorted, nearly 20 % of the context switches are adjustments at 50 %",
            PUBLISHED[0],
            halves[0],
            2.0,
        ),
        number("Sorted, 6 % are", PUBLISHED[1], halves[1], 1.0),
        Claim {
            text: "That is less than a third of the standard scheduler".into(),
            place: "4.1".into(),
            criterion: "less than a third".into(),
            published: "6 % of 20 %".into(),
            ours: format!("{} % of {} %", decimal(halves[1]), decimal(halves[0])),
            verdict: Verdict::of(3.0 * halves[1] < halves[0], || "It is more.".into()),
        },
        Claim {
            text: "In theory the sorted scheduler's rate is constant".into(),
            place: "4.1".into(),
            criterion: "the same with 1 to 11 of 12 high, within a point".into(),
            published: "constant; not so in practice".into(),
            ours: format!("{} to {} %", decimal(least), decimal(largest)),
            verdict: Verdict::of(largest - least <= 1.0, || "It is not.".into()),
        },
    ];
    if with_daemons.is_empty() {
        return claims;
    }
    let sorted = |high: u32| {
        let found = with_daemons.iter().find(|(at, _)| *at == high);
        found.map_or(0.0, |(_, found)| found[1].part())
    };
    claims.push(Claim {
        text: "Tasks beside those that are measured are all low, so that their influence grows with the part of high ones".into(),
        place: "4.1".into(),
        criterion: "with a daemon, more adjustments in the sorted queue with 9 of 12 high than with 3".into(),
        published: "grows".into(),
        ours: format!("3 high: {} %, 9 high: {} %", decimal(sorted(3)), decimal(sorted(9))),
        verdict: Verdict::of(sorted(9) > sorted(3), || "It does not.".into()),
    });
    let best = fits
        .iter()
        .min_by(|a, b| a.distance().total_cmp(&b.distance()));
    if let Some(best) = best {
        let [none, walk] = best.parts();
        claims.push(Claim {
            text: "With some number of tasks, and low ones beside them, both numbers come out"
                .into(),
            place: "4.1, figure 4.1".into(),
            criterion: "within 2 and 1 points".into(),
            published: "20 % and 6 %".into(),
            ours: format!("nearest of {}: {}", fits.len(), best.shown()),
            verdict: Verdict::of(
                (none - PUBLISHED[0]).abs() <= 2.0 && (walk - PUBLISHED[1]).abs() <= 1.0,
                || why_not.into(),
            ),
        });
    }
    let few = fits.iter().filter(|fit| fit.daemons.is_none());
    let rows: Vec<_> = few.map(|fit| (fit.tasks, fit.parts())).collect();
    let off = rows
        .iter()
        .map(|(tasks, [none, _])| (none - by_chance(*tasks, tasks / 2)).abs())
        .fold(0.0, f64::max);
    let text = rows.iter().map(|(tasks, [none, walk])| {
        let expected = by_chance(*tasks, tasks / 2);
        format!(
            "{tasks} tasks: {} ({}) and {} %",
            decimal(*none),
            decimal(expected),
            decimal(*walk)
        )
    });
    claims.push(Claim {
        text: "The part decreases slightly with more tasks, towards one half".into(),
        place: "4.2".into(),
        criterion: "n/(2(n−1)) of the switches, within 6 points; in brackets".into(),
        published: "asymptote ½".into(),
        ours: text.collect::<Vec<_>>().join("; "),
        verdict: Verdict::of(off <= 6.0, || "Chance: too few orders.".into()),
    });
    claims
}

fn figures(by_high: &[(u32, Both)], with_daemons: &[(u32, Both)]) -> Vec<Figure> {
    let line = |found: &[(u32, Both)], of: usize| {
        let part = |high: u32| 100.0 * f64::from(high) / f64::from(TASKS);
        found
            .iter()
            .map(|(high, found)| [part(*high), found[of].part()])
            .collect::<Vec<_>>()
    };
    let chance = (0..=TASKS).map(|high| {
        [
            100.0 * f64::from(high) / float(TASKS),
            by_chance(TASKS, high),
        ]
    });
    let mut series = vec![
        Series::ours("unsorted", Shape::Line, 0, line(by_high, 0)),
        Series::ours("sorted (strict-walk)", Shape::Line, 1, line(by_high, 1)),
        Series::ours("by chance", Shape::Line, 0, chance.collect()).with_role(Role::Model),
    ];
    if !with_daemons.is_empty() {
        series.extend([
            Series::ours(
                "unsorted, with a daemon",
                Shape::Dots,
                2,
                line(with_daemons, 0),
            ),
            Series::ours(
                "sorted, with a daemon",
                Shape::Dots,
                3,
                line(with_daemons, 1),
            ),
        ]);
    }
    let published = PUBLISHED.map(|part| [50.0, part]).to_vec();
    series.push(Series::ours("published", Shape::Points, 0, published).with_role(Role::Published));
    vec![Figure {
        name: "share".into(),
        title: format!("Adjustments of {TASKS} tasks, by the part of high ones."),
        caption:
            "Means of orders of chance. A daemon of the low domain wakes up five times a second."
                .into(),
        x: Axis::range("high tasks (%)", 0.0, 100.0),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("adjustments (% of context switches)"),
            series,
        }],
    }]
}
