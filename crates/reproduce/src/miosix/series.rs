//! Beyond the thesis: all five Hartstone series.

use crate::hartstone::experiment::MOST_ITERATIONS;
use crate::hartstone::series::OURS;
use crate::hartstone::sweep::{Conditions, first_misses};
use crate::hartstone::{Contender, FirstMiss, Series};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_report::reproduction::{self, Axis, Claim, Experiment, Figure, Panel, Shape, Verdict};
use flyball_trace::Duration;

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "series",
    title: "Beyond the thesis: all five Hartstone series",
    on_machine: &[],
    run,
};

/// What changes in experiments 1, 2, …
const CHANGES: [&str; 6] = [
    "frequency",
    "frequencies",
    "workloads",
    "tasks",
    "deadlines",
    "blocking",
];

/// By experiment.
type FirstMisses = Vec<Option<FirstMiss>>;

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let (names, contenders): (Vec<_>, Vec<_>) = [
        ("RR, 1 ms", Contender::rr()),
        ("EDF", Contender::edf()),
        ("rate monotonic", Contender::new("rm")),
        ("I+PI, 0.3 ms", Contender::ipi(Duration::from_micros(300))),
    ]
    .into_iter()
    .unzip();
    let (mut claims, mut panels) = (Vec::new(), Vec::new());
    for series in Series::ALL {
        setup.bench.go_on()?;
        let found = first_misses(&contenders, &series.experiments(), &Conditions::default())?;
        let found: Vec<_> = names.iter().copied().zip(found).collect();
        claims.push(claim(series, &found));
        panels.push(panel(series, &found));
    }
    let numbered = (1..).zip(CHANGES).map(|(n, what)| format!("{n}: {what}"));
    Ok(Experiment {
        about: format!(
            "The series that the thesis does not run, PN, AH, SH and SA: {OURS}. PH stands beside \
             them. Something changes in each iteration, until a deadline is missed: task 5 becomes \
             more frequent (1), all periodic tasks become more frequent (2), their jobs become \
             longer (3), tasks are added (4), deadlines come closer by a twentieth of the period \
             (5), a server takes longer for the slowest task, which blocks the others (6)."
        ),
        settings: vec![
            (
                "PN".into(),
                "2, 3, 7, 13 and 31 Hz, 8 % of the CPU each".into(),
            ),
            (
                "AH".into(),
                "PH; a sporadic task of 2.5 ms every 125 ms to 250 ms, due after 125 ms; and one \
                 in the background that computes without end"
                    .into(),
            ),
            (
                "SH".into(),
                "PH; 1.25 ms of each periodic job are the server's, a mutex with priority \
                 inheritance"
                    .into(),
            ),
            ("SA".into(), "AH and SH".into()),
        ],
        assumptions: vec![
            "All that is known here of PN, AH, SH and SA is the paper's abstract: the kinds of \
             tasks, the five series, and what may change from one iteration to the next. The \
             settings above, and the steps of experiments 5 and 6, are ours."
                .into(),
            "Arrivals of the sporadic task are random, and these are the results of one seed."
                .into(),
            "Who shares the CPU without knowing deadlines gives the task in the background its \
             part, too. EDF and rate monotonic priorities give it what is left."
                .into(),
        ],
        claims,
        figures: vec![Figure {
            name: "series".into(),
            title: "In which iteration a deadline is missed first, in all five series.".into(),
            caption: format!(
                "More iterations are better. Experiments 1 to 4 of PH are the thesis's; all else: \
                 {OURS}."
            ),
            x: Axis::categories("", numbered),
            panels,
        }],
        ..Experiment::default()
    })
}

fn claim(series: Series, found: &[(&str, FirstMisses)]) -> Claim {
    let list = |found: &FirstMisses| {
        let shown = found.iter().map(|found| match found {
            Some(first) => first.iteration.to_string(),
            None => format!("none up to {MOST_ITERATIONS}"),
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    let shown = found
        .iter()
        .map(|(name, found)| format!("{name}: {}", list(found)));
    let (published, why) = match series {
        Series::PH => (
            "orderings of tests 1 to 4, in the thesis",
            "they are compared in \"hartstone\", and experiment 5 is ours; the paper's own results \
             are not at hand",
        ),
        _ => ("not at hand", OURS),
    };
    Claim {
        text: format!(
            "{}, {}: iteration of the first miss, by experiment",
            series.name(),
            series.title()
        ),
        place: "not in the thesis; Weiderman and Kamenoff 1992".into(),
        criterion: String::new(),
        published: published.into(),
        ours: shown.collect::<Vec<_>>().join("; "),
        verdict: Verdict::NotComparable(why.into()),
    }
}

fn panel(series: Series, found: &[(&str, FirstMisses)]) -> Panel {
    let bars = |(colour, (name, found)): (u8, &(&str, FirstMisses))| {
        let points = (0..).map(f64::from).zip(found);
        let points = points.filter_map(|(x, found)| Some([x, found.as_ref()?.iteration.into()]));
        reproduction::Series::ours(*name, Shape::Bars, colour, points.collect())
    };
    Panel {
        title: format!("{}: {}", series.name(), series.title()),
        y: Axis::range("iterations", 0.0, MOST_ITERATIONS.into()),
        series: (0..).zip(found).map(bars).collect(),
    }
}
