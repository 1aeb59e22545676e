//! Section 4.2: adjustments of tasks that sleep now and then.

use super::load::{Found, Load, SLICE, Sleeps, Sort, mean, seconds};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict, decimal,
};
use flyball_trace::Duration;

/// The experiment with six tasks.
pub const SIX: Plan = Plan {
    name: "sleep-six",
    title: "Six tasks that sleep (section 4.2, figure 4.2)",
    on_machine: &[],
    run: six,
};

/// The experiment with twelve.
pub const TWELVE: Plan = Plan {
    name: "sleep-twelve",
    title: "Twelve tasks that sleep (section 4.2, figure 4.3)",
    on_machine: &[],
    run: twelve,
};

/// Parts of the time that a task sleeps, in ten-thousandths. The thesis says 4 % and, once, 5 %.
pub(super) const LEVELS: [u32; 5] = [0, 50, 400, 500, 2000];
/// One and a half time slices.
pub(super) const SLEEP: Duration = Duration::from_nanos(SLICE.as_nanos() / 2 * 3);
/// A tick and a half, if a time slice were a tick.
const SHORT: Duration = Duration::from_millis(15);
const LENGTH: Duration = Duration::from_secs(200);

/// Unsorted and sorted, at each level.
struct Levels([[Found; 2]; LEVELS.len()]);

impl Levels {
    fn of(setup: &mut Setup<'_>, tasks: u32, sleep: Duration) -> Result<Levels, BenchError> {
        Levels::under(setup, tasks, sleep, false)
    }

    /// With dynamic priorities, or fixed ones.
    fn under(
        setup: &mut Setup<'_>,
        tasks: u32,
        sleep: Duration,
        is_fixed: bool,
    ) -> Result<Levels, BenchError> {
        let orders = setup.size.of([1, 10, 50]);
        let mut found = [[Found::default(); 2]; LEVELS.len()];
        for (part, found) in LEVELS.into_iter().zip(&mut found) {
            let load = Load {
                sleeps: Sleeps::part(part, tasks, sleep),
                is_fixed,
                ..Load::half(tasks)
            };
            for (sort, found) in Sort::MEASURED.into_iter().zip(found) {
                setup.bench.go_on()?;
                // Without sleep the order stays as it is, so that there is more chance in it.
                let orders = if part == 0 { orders * 8 } else { orders };
                *found = mean(setup.bench, load, sort, LENGTH, orders)?;
            }
        }
        Ok(Levels(found))
    }

    fn at(&self, part: u32) -> [Found; 2] {
        let place = LEVELS.iter().position(|&level| level == part);
        place.map_or([Found::default(); 2], |place| self.0[place])
    }

    /// Adjustments in hundredths of the switches, unsorted and sorted.
    fn parts(&self, part: u32) -> [f64; 2] {
        self.at(part).map(|found| found.part())
    }

    /// How many times as many switches there are as without sleep, unsorted.
    fn switches(&self, part: u32) -> f64 {
        self.at(part)[0].switches / self.at(0)[0].switches.max(1.0)
    }

    fn shown(&self, of: usize) -> String {
        let each = LEVELS.map(|part| {
            let shown = decimal(f64::from(part) / 100.0);
            format!("{} % at {shown} %", decimal(self.parts(part)[of]))
        });
        each.join(", ")
    }
}

/// How the numbers of switches compare.
fn switches(tasks: u32, levels: &Levels, short: &Levels) -> Vec<Claim> {
    let claim = |text: &str, part: u32, published: f64, range: [f64; 2], criterion: &str| {
        let [ours, with_short] = [levels, short].map(|levels| levels.switches(part));
        Claim {
            text: text.into(),
            place: "4.2".into(),
            criterion: criterion.into(),
            published: format!("× {}", decimal(published)),
            ours: format!(
                "× {}; if a task slept for 15 ms each time, × {}",
                decimal(ours),
                decimal(with_short)
            ),
            verdict: Verdict::of((range[0]..=range[1]).contains(&ours), || {
                // Each sleep causes two context switches.
                let sleeps = f64::from(tasks) * f64::from(part) / 10_000.0 / seconds(SLEEP);
                format!(
                    "{tasks} tasks that sleep for {SLEEP} each time sleep {} times a second together, which is {} more context \
                     switches, and there are ten a second without sleep. All that goes beyond is due to dynamic priorities. \
                     Sleeps of {SHORT} give more than the published number: one between would fit, or another length of a time slice.",
                    decimal(sleeps),
                    decimal(2.0 * sleeps)
                )
            }),
        }
    };
    vec![
        claim(
            "Sleep for 0.5 % of the time nearly doubles the context switches",
            50,
            2.0,
            [1.6, 2.2],
            "1.6 to 2.2 times",
        ),
        claim(
            "Sleep for 20 % makes ten times as many",
            2000,
            10.0,
            [7.0, 13.0],
            "7 to 13 times",
        ),
    ]
}

fn experiment(tasks: u32, levels: &Levels, claims: Vec<Claim>, orders: u64) -> Experiment {
    Experiment {
        about: format!(
            "{tasks} tasks, half of them high, compute and sleep in turns, {LENGTH} each: without sleep, and so that each \
             sleeps for 0.5, 4, 5 and 20 % of the time. Mean of {orders} orders of tasks."
        ),
        settings: vec![
            ("policy".into(), "linux-o1, 2.6.11, 100 ticks a second".into()),
            ("unsorted, sorted".into(), "sort = \"none\", \"strict-walk\"".into()),
            ("sleep".into(), format!("{SLEEP}, one and a half time slices, on a tick of 10 ms")),
        ],
        assumptions: vec![
            "How long tasks compute between sleeps is not typed. It is in turns shorter and longer, by up to a half, than the mean \
             that gives the part of the time, as long as all tasks share the CPU."
                .into(),
        ],
        claims,
        figures: vec![figure(tasks, levels)],
        ..Experiment::default()
    }
}

fn six(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let levels = Levels::of(setup, 6, SLEEP)?;
    let short = Levels::of(setup, 6, SHORT)?;
    let mut claims = switches(6, &levels, &short);
    let rise = |of: usize, from: u32, to: u32| levels.parts(to)[of] - levels.parts(from)[of];
    let change = |text: &str, of: usize, published: &str, range: [f64; 2]| {
        let rise = rise(of, 50, 400);
        Claim {
            text: text.into(),
            place: "4.2, figure 4.2".into(),
            criterion: format!("a rise of {} to {} points", range[0], range[1]),
            published: published.into(),
            ours: format!("{} points: {}", decimal(rise), levels.shown(of)),
            verdict: Verdict::of((range[0]..=range[1]).contains(&rise), || {
                format!(
                    "The numbers of context switches differ, too: {} and {} times as many as without sleep. At 0.5 % the unsorted part \
                     is lower here than at all other levels, and than the 60 % of an order of chance.",
                    decimal(levels.switches(50)),
                    decimal(levels.switches(400))
                )
            }),
        }
    };
    claims.push(change(
        "Sorted, 4 % sleep has nearly no more adjustments than 0.5 %",
        1,
        "nearly no effect",
        [-1.0, 1.0],
    ));
    claims.push(change(
        "Unsorted it has nearly five points more",
        0,
        "nearly 5 points",
        [3.0, 6.0],
    ));
    let [none, walk] = [rise(0, 0, 2000), rise(1, 0, 2000)];
    claims.push(Claim {
        text: "The sorted scheduler is less sensitive to sleep than the standard one".into(),
        place: "4.2, figure 4.2".into(),
        criterion: "from no sleep to 20 %: both have a higher part of adjustments, the sorted one by less".into(),
        published: "less".into(),
        ours: format!("{} points unsorted, {} sorted: {}", decimal(none), decimal(walk), levels.shown(1)),
        verdict: Verdict::of(walk > 0.0 && walk < none, || {
            "Unsorted, six tasks in an order of chance have n/(2(n−1)) = 60 % without sleep, and there is nothing to add: \
             sleep mixes an order that is mixed already. In the thesis tasks that sleep come between others that change \
             nothing."
                .into()
        }),
    });
    let fewer = LEVELS
        .iter()
        .all(|&part| levels.parts(part)[1] < levels.parts(part)[0]);
    claims.push(Claim {
        text: "Sorting saves adjustments at all levels of sleep".into(),
        place: "4.2".into(),
        criterion: "a smaller part sorted than unsorted at each level".into(),
        published: "effective operation and robust savings".into(),
        ours: format!("unsorted {}; sorted {}", levels.shown(0), levels.shown(1)),
        verdict: Verdict::of(fewer, || "Not at each.".into()),
    });
    Ok(experiment(6, &levels, claims, setup.size.of([1, 10, 50])))
}

fn twelve(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let levels = Levels::of(setup, 12, SLEEP)?;
    let short = Levels::of(setup, 12, SHORT)?;
    let six = Levels::of(setup, 6, SLEEP)?;
    let fixed = Levels::under(setup, 12, SLEEP, true)?;
    let mut claims = switches(12, &levels, &short);
    let claim =
        |text: &str, criterion: &str, published: &str, of: &[usize], holds: bool, why: &str| {
            let each = of.iter().map(|&of| {
                let name = ["unsorted", "sorted"][of];
                format!("{name}: twelve {}; six {}", levels.shown(of), six.shown(of))
            });
            Claim {
                text: text.into(),
                place: "4.2, figure 4.3".into(),
                criterion: criterion.into(),
                published: published.into(),
                ours: each.collect::<Vec<_>>().join(". "),
                verdict: Verdict::of(holds, || why.into()),
            }
        };
    let [more, fewer] = [levels.parts(0), six.parts(0)];
    claims.push(claim(
        "Without sleep both schedulers have fewer adjustments with twelve tasks than with six",
        "a smaller part, unsorted and sorted",
        "better",
        &[0, 1],
        more[0] < fewer[0] && more[1] < fewer[1],
        "They do not.",
    ));
    let at = |part: u32| [levels.parts(part)[0], six.parts(part)[0]];
    claims.push(claim(
        "At 4 to 5 % sleep the standard scheduler has more with twelve than with six",
        "a larger part at 5 %",
        "more",
        &[0],
        at(500)[0] > at(500)[1],
        "Here as many tasks in an order of chance have fewer adjustments at each level: the order is mixed whether tasks sleep \
         or not.",
    ));
    let rise = levels.parts(2000)[1] - levels.parts(400)[1];
    claims.push(claim(
        "The sorted one has no more at 20 % than at 4 %",
        "not more than one point more",
        "does not cause any more switches",
        &[1],
        rise <= 1.0,
        &format!(
            "It is the dynamic priorities. Tasks that sleep are on several levels, and only within a level they are sorted. With \
             one fixed priority for all: {}.",
            fixed.shown(1)
        ),
    ));
    let sorted_at = |part: u32| [levels.parts(part)[1], six.parts(part)[1]];
    let is_fewer = [400, 500, 2000]
        .into_iter()
        .all(|part| sorted_at(part)[0] < sorted_at(part)[1]);
    claims.push(claim(
        "The sorted scheduler uses the possibilities of more tasks: it has fewer at all levels",
        "a smaller part with twelve than with six at 4, 5 and 20 %",
        "less switches",
        &[1],
        is_fewer,
        "Not at each level.",
    ));
    Ok(experiment(12, &levels, claims, setup.size.of([1, 10, 50])))
}

fn figure(tasks: u32, levels: &Levels) -> Figure {
    let points = |of: &dyn Fn(u32) -> f64| {
        let points = LEVELS.map(|part| [f64::from(part) / 100.0, of(part)]);
        points.to_vec()
    };
    Figure {
        name: format!("sleep-{tasks}"),
        title: format!("{tasks} tasks that sleep for a part of the time."),
        caption: "The published figure is not in the text that we have.".into(),
        x: Axis::numbers("sleep (% of the time)"),
        panels: vec![
            Panel {
                title: String::new(),
                y: Axis::numbers("adjustments (% of switches)"),
                series: vec![
                    Series::ours(
                        "unsorted",
                        Shape::Line,
                        0,
                        points(&|part| levels.parts(part)[0]),
                    ),
                    Series::ours(
                        "sorted (strict-walk)",
                        Shape::Line,
                        1,
                        points(&|part| levels.parts(part)[1]),
                    ),
                ],
            },
            Panel {
                title: String::new(),
                y: Axis::numbers("context switches a second"),
                series: (0..2)
                    .map(|of| {
                        let name = ["unsorted", "sorted (strict-walk)"][of];
                        let rate = |part| {
                            let found = levels.at(part)[of];
                            found.switches / found.elapsed.max(1.0)
                        };
                        Series::ours(name, Shape::Line, [0, 1][of], points(&rate))
                    })
                    .collect(),
            },
        ],
    }
}
