//! Figure 8: scheduling.

use super::{absolute, cost, measure, ns, plan, settings};
use crate::work::{Plan, Setup};
use flyball_measure::bench::BenchError;
use flyball_measure::overheads::figures::{costs, published, threads};
use flyball_measure::overheads::{Measurements, Policy, Queue};
use flyball_model::Statistic;
use flyball_overheads::measurements::Quantity;
use flyball_report::reproduction::{Axis, Claim, Experiment, Figure, Panel, Verdict};

/// Figure 8.
pub(super) const PLAN: Plan = Plan {
    name: "scheduling",
    title: "Scheduling (section 5.2, figure 8)",
    on_machine: &[],
    run,
};

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let found = measure(setup, &plan())?;
    Ok(Experiment {
        about: "In EPOS scheduling is to put a thread to sleep, to wake one, and to choose who runs. Here \
                it is the end of a job, its successor's release, and both decisions."
            .into(),
        settings: settings(&found),
        claims: claims(&found),
        figures: vec![figure(&found)],
        on_host: true,
        ..Experiment::default()
    })
}

fn claims(found: &Measurements) -> Vec<Claim> {
    let of = |policy, queue, threads| {
        let end = cost(found, (policy, queue), threads, Quantity::Scheduling);
        let wake = cost(found, (policy, queue), threads, Quantity::WakeUp);
        [end.mean_without + wake.mean_without, end.p999 + wake.p999]
    };
    let (global, partitioned) = (Policy::GLOBAL_EDF, Policy::PARTITIONED_EDF);
    let grows =
        |policy, queue, what: usize| of(policy, queue, 125)[what] / of(policy, queue, 25)[what];
    let place = "5.2, figure 8";
    let list = grows(global, Queue::List, 1);
    let own = grows(partitioned, Queue::List, 0);
    let [by_heap, by_list] = [Queue::Heap, Queue::List].map(|queue| grows(global, queue, 0));
    let mut claims = vec![absolute(
        "EPOS needs about 0.5 µs in the mean with 100 threads",
        place,
        "500 ns, standard deviation 200 ns",
        ns(of(global, Queue::List, 100)[0]),
    )];
    claims.push(Claim {
        text: "With a sorted list the worst case under G-EDF grows with the number of threads"
            .into(),
        place: place.into(),
        criterion: "with 125 threads at least 1.2 times that with 25, in 99.9 % quantiles".into(),
        published: "it rises after 75 threads".into(),
        ours: format!("{list:.2} times"),
        verdict: Verdict::of(list >= 1.2, || {
            "What the list costs is less than what everything else does.".into()
        }),
    });
    claims.push(Claim {
        text: "Under P-EDF it hardly varies, as each CPU has its own list".into(),
        place: place.into(),
        criterion: "with 125 threads at most 1.5 times that with 25, in means".into(),
        published: "no considerable variation".into(),
        ours: format!("{own:.2} times"),
        verdict: Verdict::of(own <= 1.5, || {
            "From 4 to 16 threads in a list more is to be searched, and everything else is so cheap here \
             that it shows."
                .into()
        }),
    });
    claims.push(Claim {
        text: "A heap, left for the future, scales better than the list".into(),
        place: "5.2 and 6".into(),
        criterion: "under G-EDF it grows less from 25 to 125 threads, in means".into(),
        published: "expected".into(),
        ours: format!("{by_heap:.2} times, and the list {by_list:.2} times"),
        verdict: Verdict::of(by_heap < by_list, || {
            "A list of 125 threads is so short that to go through half of it costs no more than to sift \
             in a heap; with 1000 threads it does."
                .into()
        }),
    });
    let [by_g, by_p] = [global, partitioned].map(|policy| of(policy, Queue::List, 125)[0]);
    claims.push(Claim {
        text: "Partitioned scheduling costs less than global scheduling".into(),
        place: place.into(),
        criterion: "with 125 threads and a list, in means".into(),
        published: "P-EDF below G-EDF".into(),
        ours: format!("{} and {}", ns(by_p), ns(by_g)),
        verdict: Verdict::of(by_p < by_g, || "It does not here.".into()),
    });
    claims.push(Claim {
        text: "EPOS is up to 7 times (G-EDF) and 21.05 times (P-EDF) faster than LITMUS^RT".into(),
        place: place.into(),
        criterion: String::new(),
        published: "7 and 21.05 times".into(),
        ours: "–".into(),
        verdict: Verdict::NotComparable(
            "What Linux's scheduler takes by itself is seen by tracing inside of it only (Feather-Trace); \
             what a process can see is a whole thread switch, which is in figure 7."
                .into(),
        ),
    });
    claims
}

fn figure(found: &Measurements) -> Figure {
    let panels = [
        ("mean", None),
        ("worst; ours: 99.9 %", Some(Statistic::P999)),
    ];
    let panels = panels.map(|(title, statistic)| {
        let mut series = costs(found, Quantity::Scheduling, statistic);
        let wake = costs(found, Quantity::WakeUp, statistic);
        for (series, wake) in series.iter_mut().zip(wake) {
            for (point, other) in series.points.iter_mut().zip(wake.points) {
                point[1] += other[1];
            }
        }
        if statistic.is_none() {
            series.push(published("EPOS, another machine", 5..=5, 500.0));
        }
        Panel {
            title: title.into(),
            y: Axis::numbers("time (ns)"),
            series,
        }
    });
    Figure {
        name: "figure-8".into(),
        title: "Scheduling".into(),
        caption:
            "A job ends and another one is released, each with its decision. The text names one \
                      number of EPOS, with 100 threads on another machine."
                .into(),
        x: threads(found),
        panels: panels.into(),
    }
}
