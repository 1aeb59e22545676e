//! The queues of deadlines by size, as a figure.

use crate::costs::{Costs, Figure, QUEUED, QUEUES};
use flyball_report::reproduction::{self, Axis, Panel, Role, Series, Shape, svg};

/// What it takes on average, and at most, until the first task has left and come again.
pub(crate) fn queues(costs: &Costs) -> String {
    let panel = |title: &str, of: fn(Figure) -> f64| Panel {
        title: title.into(),
        y: Axis::numbers("instructions"),
        series: QUEUES
            .iter()
            .zip(0..)
            .map(|(&queue, colour)| Series {
                name: queue.into(),
                role: Role::Ours,
                shape: Shape::Line,
                colour,
                points: points(costs, queue, of),
            })
            .collect(),
    };
    svg::file(&reproduction::Figure {
        name: "queues".into(),
        title: "Queues of deadlines".into(),
        caption:
            "The first task leaves, and comes again with a deadline that is 1 to 129 ms later. \
                  Instructions of an emulated Cortex-M3, not times of any hardware."
                .into(),
        x: Axis::numbers("tasks in the queue"),
        panels: vec![
            panel("mean", |figure| figure.mean),
            panel("worst", |figure| figure.worst.into()),
        ],
    })
}

fn points(costs: &Costs, queue: &str, of: fn(Figure) -> f64) -> Vec<[f64; 2]> {
    let figures = &costs.queues[queue];
    let sum = |n: u32| Some(of(*figures["take"].get(&n)?) + of(*figures["put"].get(&n)?));
    let point = |n: u32| Some([f64::from(n), sum(n)?]);
    QUEUED.into_iter().filter_map(point).collect()
}
