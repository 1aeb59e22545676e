//! Figure 7: context switches.

use super::{THREADS, absolute, cost, measure, ns, plan, settings};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_measure::overheads::figures::{costs, published, threads};
use flyball_measure::overheads::{Measurements, Plan as Measurement, Policy, Queue};
use flyball_overheads::measurements::{Act, Class, Quantity};
use flyball_overheads::stats::Summary;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict,
};

/// Figure 7.
pub(super) const PLAN: Plan = Plan {
    name: "context-switch",
    title: "Context switches (section 5.2, figure 7)",
    on_machine: &[],
    run,
};

/// The policy and the queue whose switches are measured.
const KIND: (Policy, Queue) = (Policy::PARTITIONED_EDF, Queue::Heap);

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let found = measure(
        setup,
        &Measurement {
            policies: vec![KIND.0],
            queues: vec![KIND.1],
            linux: true,
            ..plan()
        },
    )?;
    Ok(Experiment {
        about: "A thread gives the processor to the next one. In EPOS two threads did; here as many as \
                there are, in turn, by the kernel's own yield, and by the bare switch of the host machine. \
                Linux's threads hand over by a futex on one CPU."
            .into(),
        settings: settings(&found),
        claims: claims(&found),
        figures: vec![figure(&found)],
        on_host: true,
        ..Experiment::default()
    })
}

/// Linux's thread switch; zeros where it was not measured.
fn linux(found: &Measurements) -> Summary {
    let linux = found.linux(Act::Switch, Class::Other);
    linux.copied().unwrap_or_default()
}

fn claims(found: &Measurements) -> Vec<Claim> {
    let switch = cost(found, KIND, 125, Quantity::ContextSwitch);
    let through = cost(found, KIND, 125, Quantity::YieldUntimed);
    let linux = linux(found);
    let place = "5.2, figure 7";
    let ratio = linux.mean_without / through.mean_without;
    vec![
        absolute(
            "EPOS switches in 0.03 µs in the mean",
            place,
            "30 ns",
            ns(switch.mean_without),
        ),
        absolute("… and in 0.3 µs at worst", place, "300 ns", ns(switch.p999)),
        absolute(
            "LITMUS^RT switches in 1.2 µs in the mean",
            place,
            "1.20 µs",
            ns(linux.mean_without),
        ),
        Claim {
            text: "A small kernel switches many times faster than Linux".into(),
            place: place.into(),
            criterion:
                "a yield through the kernel among 125 threads takes at most a tenth of Linux's \
                        thread switch, in means without outliers"
                    .into(),
            published: "up to 76.3 times".into(),
            ours: format!("{ratio:.0} times"),
            verdict: Verdict::of(ratio >= 10.0, || {
                "The kernel is slower than that here, or Linux was not measured.".into()
            }),
        },
        Claim {
            text: "Linux's worst case is far above its mean".into(),
            place: place.into(),
            criterion: "at least five times the mean".into(),
            published: "9.4 to 29.56 µs, or 2 to 26.95 µs, with a mean of 1.2 µs".into(),
            ours: format!("{}, with a mean of {}", ns(linux.worst), ns(linux.mean)),
            verdict: Verdict::of(linux.count > 0 && linux.worst >= 5.0 * linux.mean, || {
                "It is nearer here, or Linux was not measured.".into()
            }),
        },
        Claim {
            text: "Few of Linux's samples are outliers, and were removed".into(),
            place: place.into(),
            criterion: String::new(),
            published: "2 to 8".into(),
            ours: format!("{} of {}, none removed", linux.outliers, linux.count),
            verdict: Verdict::NotComparable(
                "The paper does not say what it took for an outlier.".into(),
            ),
        },
    ]
}

fn figure(found: &Measurements) -> Figure {
    let linux = linux(found);
    let last = u8::try_from(THREADS.len() - 1).unwrap_or(0);
    let panel = |title: &str, mut series: Vec<Series>, epos, litmus: &[f64]| {
        series.push(published("EPOS, another machine", 0..=last, epos));
        for (&y, name) in litmus
            .iter()
            .zip(["LITMUS^RT, another machine", "… and its largest"])
        {
            series.push(published(name, 0..=last, y));
        }
        Panel {
            title: title.into(),
            y: Axis::numbers("time (ns)"),
            series,
        }
    };
    let renamed = |quantity, name: &str, statistic, colour| {
        let series = costs(found, quantity, statistic).into_iter().next();
        let points = series.map(|series| series.points).unwrap_or_default();
        Series::ours(name, Shape::Line, colour, points)
    };
    let ours = |statistic| {
        vec![
            renamed(
                Quantity::ContextSwitch,
                "switch of coroutines",
                statistic,
                0,
            ),
            renamed(Quantity::Yield, "yield through the kernel", statistic, 1),
        ]
    };
    let here = |y: f64| {
        let points = (0..=last).map(|place| [f64::from(place), y]).collect();
        Series::ours("Linux here, thread switch", Shape::Line, 2, points)
    };
    let (mut mean, mut worst) = (ours(None), ours(Some(flyball_model::Statistic::P999)));
    mean.push(here(linux.mean_without));
    worst.push(here(linux.p999));
    Figure {
        name: "figure-7".into(),
        title: "Context switch".into(),
        caption: "Published numbers are those of another machine. LITMUS^RT's worst cases are the \
                      least and the largest that the text names."
            .into(),
        x: threads(found),
        panels: vec![
            panel("mean", mean, 30.0, &[1_200.0]),
            panel("worst; ours: 99.9 %", worst, 300.0, &[9_400.0, 29_560.0]),
        ],
    }
}
