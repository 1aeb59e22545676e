//! Figure 4.2: the Hartstone benchmark, PH series (4.3).

use super::field::{FAR_ABOVE, Field, NEAR, all, iterations};
use crate::hartstone::sweep::{Conditions, Parts, Score};
use crate::hartstone::{Periods, Setup as Rules, Test};
use crate::work::{Plan, Setup};
use flyball_measure::bench::{Bench, BenchError};
use flyball_measure::costs::Kernel;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Role, Series, Shape, Verdict,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "hartstone",
    title: "Hartstone, PH series (4.3, figure 4.2)",
    on_machine: &["rr", "edf", "ipi"],
    run,
};

pub(super) const WHERE: &str = "4.3, figure 4.2";

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let field = Field::of(setup.bench, Parts::Series)?;
    let mut notes = vec![
        "The nominal burst and its bounds are not published, so several from 0.1 ms on are tried, with \
         bursts up to five times as long and as short as it takes."
            .into(),
        "Each iteration takes a second and follows upon the last without a pause, as in the authors' \
         program, after two seconds of the baseline. A miss counts at its deadline; there it counts when \
         the job is complete, which may be an iteration later."
            .into(),
    ];
    match field.note("Iterations", iterations) {
        Some(note) => notes.push(note),
        None => notes.extend(other_conditions(setup.bench)?),
    }
    Ok(Experiment {
        about: "Five periodic tasks ask for more in each iteration, until a deadline is missed: task 5 \
                becomes more frequent (test 1), all become more frequent (2), all jobs become longer (3), \
                tasks are added (4)."
            .into(),
        settings: vec![
            ("kilo-whet".into(), "1.25 ms".into()),
            ("round robin".into(), "1 ms turns".into()),
            ("kernel".into(), field.kernel().into()),
            ("nominal bursts".into(), field.nominal()),
        ],
        assumptions: notes,
        claims: claims(&field),
        figures: vec![bars(&field), sweep(&field)],
        ..Experiment::default()
    })
}

/// What else could have been assumed, and what comes of it.
fn other_conditions(bench: &mut dyn Bench) -> Result<Vec<String>, BenchError> {
    let mut notes = Vec::new();
    for (what, conditions) in [
        (
            "periods of whole milliseconds, as on the authors' board",
            Conditions {
                setup: Rules {
                    periods: Periods::Milliseconds,
                    ..Rules::default()
                },
                ..Conditions::default()
            },
        ),
        (
            "a kernel that takes no time",
            Conditions {
                kernel: Kernel::FREE,
                ..Conditions::default()
            },
        ),
        (
            "a kernel with 16 ns an instruction",
            Conditions {
                kernel: Kernel::CORTEX_M3_62,
                ..Conditions::default()
            },
        ),
    ] {
        let with = Field::new(bench, &conditions, Parts::Series)?;
        let (bursts, _) = with.bursts(|ipi| with.is_near_edf(ipi) && with.is_above_rr(ipi));
        notes.push(format!(
            "With {what}: RR {}, EDF {}; I+PI is above RR in all tests, and near EDF in tests 2 to 4, \
             {bursts}.",
            iterations(&with.rr),
            iterations(&with.edf),
        ));
    }
    Ok(notes)
}

fn claims(field: &Field) -> Vec<Claim> {
    let claim = |text: &str, criterion: String, ours: String, holds: bool, why_not: &str| Claim {
        text: text.into(),
        place: WHERE.into(),
        criterion,
        published: "so".into(),
        ours,
        verdict: Verdict::of(holds, || why_not.into()),
    };
    let by_burst = |text: &str, criterion: &str, is_so: &dyn Fn(&Score) -> bool, why_not: &str| {
        let (bursts, any) = field.bursts(is_so);
        claim(
            text,
            format!("{criterion}, for some nominal burst"),
            bursts,
            any,
            why_not,
        )
    };
    let [rr, edf] = [&field.rr, &field.edf].map(iterations);
    let shortest = &field.ipi[0];
    let (enough, _) = field.bursts(|ipi| field.is_near_edf(ipi) && field.is_between(ipi));
    let (few, _) = field.bursts(|ipi| field.switches_less(ipi));
    let mut others = field.ipi.iter().map(|(_, score)| score).chain([&field.rr]);
    let best = others.all(|other| {
        all(other.iterations(), field.edf.iterations(), |other, edf| {
            other <= edf
        })
    });
    vec![
        claim(
            "EDF has the most iterations in all four tests",
            "nobody has more than EDF, whatever the nominal burst".into(),
            format!("EDF {edf}; RR {rr}"),
            best,
            "somebody has more",
        ),
        by_burst(
            "RR has the fewest iterations in all four tests",
            "I+PI has more than RR in each",
            &|ipi| field.is_above_rr(ipi),
            &format!(
                "no nominal burst gets further than RR in each test: RR {rr}, I+PI with {} {}",
                shortest.0,
                iterations(&shortest.1)
            ),
        ),
        by_burst(
            "RR has the most context switches in all four tests",
            "I+PI and EDF have fewer switches a second in each",
            &|ipi| field.switches_less(ipi),
            "short bursts switch more often than turns of 1 ms",
        ),
        by_burst(
            "I+PI comes near EDF in tests 2 to 4",
            &format!("within {NEAR} iterations"),
            &|ipi| field.is_near_edf(ipi),
            "it stays below",
        ),
        by_burst(
            "In test 1 I+PI is below EDF, but far above RR",
            &format!("at least {FAR_ABOVE} times RR's iterations"),
            &|ipi| field.is_between(ipi),
            "it is not",
        ),
        by_burst(
            "All of this together",
            "one nominal burst for all claims",
            &|ipi| {
                field.is_above_rr(ipi)
                    && field.switches_less(ipi)
                    && field.is_near_edf(ipi)
                    && field.is_between(ipi)
            },
            &format!(
                "with tasks and kernel as assumed, I+PI has enough iterations {enough}, and few enough \
                 switches {few}. What the authors' kernel did while tasks slept may explain it, or a nominal \
                 burst that was not the same in both parts of the figure."
            ),
        ),
    ]
}

/// The four tests beside each other, with the nominal burst that is the best compromise.
fn bars(field: &Field) -> Figure {
    let who = field.shown([300, 1_000]);
    let panel = |title: &str, of: &dyn Fn(&Score) -> [f64; 4]| Panel {
        title: String::new(),
        y: Axis::numbers(title),
        series: (0..)
            .zip(&who)
            .map(|(colour, (name, score))| {
                Series::ours(name, Shape::Bars, colour, by_test(of(score)))
            })
            .collect(),
    };
    Figure {
        name: "hartstone".into(),
        title: "Figure 4.2: in which iteration a deadline is missed first.".into(),
        caption: "More iterations and fewer switches are better.".into(),
        x: Axis::categories("", (1..=4).map(|n| format!("test {n}"))),
        panels: vec![
            panel("iterations", &|score| score.iterations().map(f64::from)),
            panel("switches a second", &|score| score.switches()),
        ],
    }
}

pub(super) fn by_test(numbers: [f64; 4]) -> Vec<[f64; 2]> {
    (0..)
        .map(f64::from)
        .zip(numbers)
        .map(|(x, y)| [x, y])
        .collect()
}

/// What the nominal burst decides.
fn sweep(field: &Field) -> Figure {
    // Bursts stand side by side: what matters happens among the short ones.
    let places = || (0..).map(f64::from);
    let panels = Test::ALL.into_iter().flat_map(|test| {
        let n = test.number() - 1;
        let line = |of: &dyn Fn(&Score) -> f64| -> Vec<[f64; 2]> {
            let points = places().zip(&field.ipi);
            points.map(|(x, (_, score))| [x, of(score)]).collect()
        };
        let panel = |what: &str, of: &dyn Fn(&Score) -> f64| {
            let level = |name, colour, score| {
                let points = places().take(field.ipi.len()).map(|x| [x, of(score)]);
                Series::ours(name, Shape::Line, colour, points.collect()).with_role(Role::Model)
            };
            Panel {
                title: format!("test {}", n + 1),
                y: Axis::numbers(what),
                series: vec![
                    Series::ours("I+PI", Shape::Line, 0, line(of)),
                    level("EDF", 1, &field.edf),
                    level("RR, 1 ms", 2, &field.rr),
                ],
            }
        };
        [
            panel("iterations", &|score| f64::from(score.iterations()[n])),
            panel("switches a second", &|score| score.switches()[n]),
        ]
    });
    let bursts = field.ipi.iter().map(|(burst, _)| burst.to_string());
    Figure {
        name: "hartstone-bursts".into(),
        title: "What the nominal burst decides.".into(),
        caption: "I+PI's iterations and switches, beside those of EDF and RR.".into(),
        x: Axis::categories("nominal burst", bursts),
        panels: panels.collect(),
    }
}
