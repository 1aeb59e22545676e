//! What was counted, as figures.

use super::{InstructionCounts, Kind, Quantity, THINK};
use flyball_report::reproduction::{Axis, Figure, Panel, Series, Shape};

/// All figures: one for each quantity, and one of waits for the lock, if there are any.
pub fn all(found: &InstructionCounts, machine: &str) -> Vec<Figure> {
    let costs = Quantity::ALL.map(|quantity| cost(found, machine, quantity));
    let full = |figure: &Figure| figure.panels.iter().any(|panel| !panel.series.is_empty());
    costs
        .into_iter()
        .chain([waits(found)])
        .filter(full)
        .collect()
}

/// A quantity by the number of threads.
fn cost(found: &InstructionCounts, machine: &str, quantity: Quantity) -> Figure {
    let panel = |title: &str, is_worst: bool| Panel {
        title: title.into(),
        y: Axis::numbers("instructions"),
        series: series(found, |kind| {
            let rows = found.of(kind).enumerate();
            let point = |(place, row): (usize, &super::Row)| {
                let lengths = row.cost(quantity);
                let mean = lengths.mean()?;
                #[expect(clippy::cast_precision_loss, reason = "they are not that long")]
                let y = if is_worst { lengths.most as f64 } else { mean };
                #[expect(clippy::cast_precision_loss, reason = "there are few categories")]
                let x = place as f64;
                Some([x, y])
            };
            rows.filter_map(point).collect()
        }),
    };
    let threads = found.plan.threads.iter().map(ToString::to_string);
    Figure {
        name: quantity.name().replace('_', "-"),
        title: quantity.title().into(),
        caption: format!("{machine}; {} CPUs.", found.plan.cpus),
        x: Axis::categories("threads", threads),
        panels: vec![panel("mean", false), panel("worst", true)],
    }
}

/// The part of the time lost in waiting for the lock, by the number of CPUs.
pub fn waits(found: &InstructionCounts) -> Figure {
    let harts = &found.plan.harts;
    let panel = |(number, think)| Panel {
        title: format!("{think} of computing between two entries"),
        y: Axis::numbers("time lost (%)"),
        series: series(found, |kind| {
            let point = |(cpus, lost): (u8, [f64; THINK.len()])| {
                let place = harts.iter().position(|&harts| harts == cpus)?;
                #[expect(clippy::cast_precision_loss, reason = "there are few categories")]
                let x = place as f64;
                Some([x, lost[number] * 100.0])
            };
            found.waits(kind).filter_map(point).collect()
        }),
    };
    Figure {
        name: "lock".into(),
        title: "Waiting for the kernel's lock".into(),
        caption: format!(
            "Computed by mean value analysis from the instructions that were counted with the lock held, \
             with {} threads; an instruction is a nanosecond.",
            found.plan.threads_at_locks()
        ),
        x: Axis::categories("CPUs", harts.iter().map(ToString::to_string)),
        panels: THINK.into_iter().enumerate().map(panel).collect(),
    }
}

/// A series for each policy that has points.
fn series(found: &InstructionCounts, points: impl Fn(Kind) -> Vec<[f64; 2]>) -> Vec<Series> {
    let kinds = found.plan.kinds().into_iter().zip(0..);
    let series =
        kinds.map(|(kind, colour)| Series::ours(kind.name(), Shape::Line, colour, points(kind)));
    series.filter(|series| !series.points.is_empty()).collect()
}
