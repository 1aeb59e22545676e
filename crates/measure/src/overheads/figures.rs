//! What was measured, as figures.

use super::{Measurements, number};
use flyball_model::Statistic;
use flyball_overheads::measurements::{Act, Class, Delay, Interference, Quantity};
use flyball_overheads::{Policy, Queue};
use flyball_report::reproduction::{Axis, Figure, Panel, Role, Series, Shape};

/// The quantities that have a figure each: name, title.
const FIGURES: [(Quantity, &str, &str); 6] = [
    (Quantity::ContextSwitch, "context-switch", "Context switch"),
    (Quantity::YieldUntimed, "yield", "Yield through the kernel"),
    (
        Quantity::Scheduling,
        "scheduling",
        "Scheduling: a job ends, and it is decided who runs",
    ),
    (
        Quantity::WakeUp,
        "wake-up",
        "Wake-up: a job is released, and it is decided who runs",
    ),
    (
        Quantity::Release,
        "release",
        "Release of a job by the timer",
    ),
    (
        Quantity::TickAndReleases,
        "tick",
        "Periodic tick, with what it releases",
    ),
];

/// All figures of what was measured.
pub fn all(found: &Measurements) -> Vec<Figure> {
    let costs = FIGURES.iter().map(|&(quantity, name, title)| {
        let panels = [
            ("mean without outliers", None),
            ("99.9 %", Some(Statistic::P999)),
        ];
        let panels = panels.map(|(title, statistic)| Panel {
            title: title.into(),
            y: Axis::numbers("time (ns)"),
            series: costs(found, quantity, statistic),
        });
        Figure {
            name: name.into(),
            title: title.into(),
            caption: format!(
                "{}; policies with {} CPUs.",
                found.processor.name, found.cpus
            ),
            x: threads(found),
            panels: panels.into(),
        }
    });
    costs.chain(linux(found)).chain(cache(found)).collect()
}

/// The axis of numbers of threads, which are not evenly spaced: a category each.
pub fn threads(found: &Measurements) -> Axis {
    Axis::categories("threads", found.threads().iter().map(ToString::to_string))
}

/// A series for each policy with each queue: a colour for each policy, and dashes or dots by queue,
/// as there are more of them than colours. `None`: the mean without outliers.
pub fn costs(
    found: &Measurements,
    quantity: Quantity,
    statistic: Option<Statistic>,
) -> Vec<Series> {
    let kinds = found.kinds();
    let mut policies: Vec<_> = kinds.iter().map(|(policy, _)| *policy).collect();
    policies.dedup();
    let colour = |policy| {
        policies
            .iter()
            .zip(0..)
            .find(|(other, _)| **other == policy)
    };
    let series = kinds.into_iter().map(|(policy, queue)| {
        let points = cost(found, (policy, queue), quantity, statistic);
        let name = format!("{}, {}", policy.name(), queue.name());
        // No policy has two of the first three.
        let shape = match queue {
            Queue::Heap | Queue::Bitmap | Queue::Own => Shape::Line,
            Queue::Ring => Shape::Points,
            Queue::Calendar => Shape::Dashes,
            Queue::List => Shape::Dots,
        };
        Series::ours(name, shape, colour(policy).map_or(0, |(_, n)| n), points)
    });
    series.filter(|series| !series.points.is_empty()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "there are few categories")]
fn cost(
    found: &Measurements,
    (policy, queue): (Policy, Queue),
    quantity: Quantity,
    statistic: Option<Statistic>,
) -> Vec<[f64; 2]> {
    let threads = found.threads().into_iter().enumerate();
    let point = |(place, threads)| {
        let summary = found.cost(policy, queue, threads, quantity)?;
        let y = statistic.map_or(summary.mean_without, |statistic| number(summary, statistic));
        Some([place as f64, y])
    };
    threads.filter_map(point).collect()
}

/// Linux's figures, as bars.
fn linux(found: &Measurements) -> Option<Figure> {
    let series: Vec<_> = Class::ALL
        .into_iter()
        .zip(0..)
        .map(|(class, colour)| {
            let acts = Act::ALL.into_iter().zip(0_u8..);
            let points = acts.filter_map(|(act, place)| {
                Some([f64::from(place), found.linux(act, class)?.median / 1e3])
            });
            Series::ours(class.name(), Shape::Bars, colour, points.collect())
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    (!series.is_empty()).then(|| Figure {
        name: "linux".into(),
        title: "Linux on the same machine".into(),
        caption: format!("{}; medians.", found.processor.system),
        x: Axis::categories("", Act::ALL.map(|act| act.name().replace('_', " "))),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("time (µs)"),
            series,
        }],
    })
}

/// Cache-related delays.
fn cache(found: &Measurements) -> Option<Figure> {
    let series = delays(found);
    (!series.is_empty()).then(|| Figure {
        name: "cache".into(),
        title: "Cache-related delay".into(),
        caption:
            "How much longer a job reads its working set after a preemption, or on another CPU; \
                  means without outliers."
                .into(),
        x: sizes(found),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("delay (µs)"),
            series,
        }],
    })
}

/// The axis of working sets, each a category.
pub fn sizes(found: &Measurements) -> Axis {
    let sizes = working_sets(found)
        .into_iter()
        .map(|bytes| match bytes >> 10 {
            kilobytes @ ..1024 => format!("{kilobytes}K"),
            kilobytes => format!("{}M", kilobytes >> 10),
        });
    Axis::categories("working set (bytes)", sizes)
}

/// The working sets, by rising size.
pub fn working_sets(found: &Measurements) -> Vec<usize> {
    let mut sizes: Vec<_> = found.cache.iter().map(|delay| delay.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Delays in microseconds by the place of the working set.
pub fn delays(found: &Measurements) -> Vec<Series> {
    let sizes = working_sets(found);
    let series = Interference::ALL
        .into_iter()
        .zip(0..)
        .map(|(interference, colour)| {
            let is_it = |delay: &&Delay| delay.interference == interference;
            let points = found.cache.iter().filter(is_it).filter_map(|delay| {
                let place = sizes.binary_search(&delay.bytes).ok()?;
                #[expect(clippy::cast_precision_loss, reason = "there are few")]
                let place = place as f64;
                Some([place, delay.result.as_ref().ok()?.delay.mean_without / 1e3])
            });
            Series::ours(interference.name(), Shape::Line, colour, points.collect())
        });
    series.filter(|series| !series.points.is_empty()).collect()
}

/// A published number at each of the categories from the first to the last of `places`.
pub fn published(name: &str, places: core::ops::RangeInclusive<u8>, y: f64) -> Series {
    let points = places.map(|place| [f64::from(place), y]).collect();
    Series::ours(name, Shape::Line, 0, points).with_role(Role::Published)
}
