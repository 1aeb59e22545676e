//! Figure 9: ticks and releases.

use super::{absolute, cost, measure, ns, plan, settings};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_measure::overheads::figures::{costs, published, threads};
use flyball_measure::overheads::{Policy, Queue};
use flyball_model::Statistic;
use flyball_overheads::measurements::Quantity;
use flyball_report::reproduction::{Axis, Claim, Experiment, Figure, Panel, Verdict};

/// Figure 9.
pub(super) const PLAN: Plan = Plan {
    name: "tick-and-release",
    title: "Ticks and releases (section 5.2, figure 9)",
    on_machine: &[],
    run,
};

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let found = measure(setup, &plan())?;
    let global = (Policy::GLOBAL_EDF, Queue::List);
    let of = |kind, threads| cost(&found, kind, threads, Quantity::TickAndReleases);
    let (few, many) = (of(global, 5), of(global, 125));
    let own = of((Policy::PARTITIONED_EDF, Queue::List), 125);
    let place = "5.2, figure 9";
    let claims = vec![
        absolute(
            "EPOS needs about 0.3 µs in the mean with 125 threads",
            place,
            "300 ns, standard deviation 500 ns",
            ns(many.mean_without),
        ),
        Claim {
            text: "The worst case grows with the number of threads, as a tick releases more of them".into(),
            place: place.into(),
            criterion: "with 125 threads at least 1.5 times that with 5, in 99.9 % quantiles".into(),
            published: "it increases".into(),
            ours: format!("{} and {}", ns(few.p999), ns(many.p999)),
            verdict: Verdict::of(many.p999 >= 1.5 * few.p999, || "It does not here.".into()),
        },
        Claim {
            text: "So does the deviation: some ticks release many, others none".into(),
            place: place.into(),
            criterion: "from the median to the 99.9 % quantile it is farther with 125 threads than with 5 \
                        (what the host interrupts makes the standard deviation)"
                .into(),
            published: "it increases".into(),
            ours: format!("{} and {}", ns(few.p999 - few.median), ns(many.p999 - many.median)),
            verdict: Verdict::of(many.p999 - many.median > few.p999 - few.median, || {
                "It does not here.".into()
            }),
        },
        Claim {
            text: "It is the same for G-EDF and P-EDF".into(),
            place: place.into(),
            criterion: "with 125 threads, means within 20 %".into(),
            published: "not measured apart".into(),
            ours: format!("{} and {}", ns(many.mean_without), ns(own.mean_without)),
            verdict: Verdict::of(
                (own.mean_without / many.mean_without - 1.0).abs() <= 0.2,
                || {
                    "In EPOS one handler releases the threads of all CPUs. Here each CPU of a partitioned \
                     policy has a kernel core with a timer of its own, which releases its own threads, an \
                     eighth of all."
                        .into()
                },
            ),
        },
        Claim {
            text: "LITMUS^RT's worst case rises considerably after 75 threads".into(),
            place: place.into(),
            criterion: String::new(),
            published: "it rises".into(),
            ours: "–".into(),
            verdict: Verdict::NotComparable(
                "There is no LITMUS^RT here, and a process cannot see how long Linux's own tick takes."
                    .into(),
            ),
        },
    ];
    let panels = [
        ("mean", None),
        ("worst; ours: 99.9 %", Some(Statistic::P999)),
    ];
    let panels = panels.map(|(title, statistic)| {
        let mut series = costs(&found, Quantity::TickAndReleases, statistic);
        if statistic.is_none() {
            series.push(published("EPOS, another machine", 6..=6, 300.0));
        }
        Panel {
            title: title.into(),
            y: Axis::numbers("time (ns)"),
            series,
        }
    });
    Ok(Experiment {
        about:
            "Periodic threads with periods from 3 ms to 33 ms, and a tick of 1 ms, whose handler \
                releases what has become due since the last one."
                .into(),
        settings: settings(&found),
        assumptions: vec!["EPOS's tick is not given in the text; LITMUS^RT's is 1 ms.".into()],
        claims,
        figures: vec![Figure {
            name: "figure-9".into(),
            title: "Tick and releases".into(),
            caption: "The text names one number of EPOS, with 125 threads on another machine."
                .into(),
            x: threads(&found),
            panels: panels.into(),
        }],
        on_host: true,
        ..Experiment::default()
    })
}
