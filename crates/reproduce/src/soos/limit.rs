//! Chapter 2: how many tasks a kernel can have.

use super::kernels::Kernel;
use super::sets::all_at_once;
use super::slot::{Slot, Unit};
use super::slots::slots;
use crate::work::{Plan, Setup};
use flyball_measure::bench::{BenchError, COUNTING};
use flyball_policy::soos::Slack;
use flyball_report::reproduction::{
    Axis, Claim, Experiment, Figure, Panel, Series, Shape, Verdict,
};

/// The experiment.
pub const PLAN: Plan = Plan {
    name: "limit",
    title: "How many tasks there can be (chapter 2 and section 4.1)",
    on_machine: &[COUNTING],
    run,
};

/// Tasks that the control kernel has room for.
const TASKS: u32 = 13;
/// No kernel here gets as far.
const MOST: u32 = 100;
const KERNELS: [Kernel; 4] = [
    Kernel::Control,
    Kernel::Ordered,
    Kernel::Asterix,
    Kernel::Soos,
];

/// What is counted in the worst slot, that in which all tasks are reactivated at once.
fn worst(setup: &mut Setup<'_>, kernel: Kernel, tasks: u32) -> Result<u32, BenchError> {
    let (set, until) = all_at_once(tasks);
    let slots = slots(setup, &set, kernel.settings(Slack::None), until)?;
    Ok(slots.iter().map(Slot::all).max().unwrap_or(0))
}

fn run(setup: &mut Setup<'_>) -> Result<Experiment, BenchError> {
    let unit = Unit::of(setup);
    let full = worst(setup, Kernel::Control, TASKS)?;
    let mut found = Vec::new();
    for kernel in KERNELS {
        setup.bench.go_on()?;
        let mut tasks = 0;
        while tasks < MOST && worst(setup, kernel, tasks + 1)? <= full {
            tasks += 1;
        }
        found.push((kernel, tasks));
    }
    Ok(Experiment {
        about: "A slot is taken to be full with what the control kernel looks at if all of its 13 tasks are \
                reactivated at once. With how many tasks is it full under the others?"
            .into(),
        settings: vec![("a slot".into(), format!("{full} {}", unit.name()))],
        assumptions: vec![
            "What fills a slot of the control kernel is not known: its limit is one of the program. That more tasks \
             would cost too much is what the paper says of it."
                .into(),
        ],
        claims: claims(&found),
        figures: vec![figure(&found, unit)],
        ..Experiment::default()
    })
}

fn claims(found: &[(Kernel, u32)]) -> Vec<Claim> {
    let of = |kernel| {
        let of = found.iter().find(|(other, _)| *other == kernel);
        of.map_or(0, |(_, tasks)| *tasks)
    };
    let claim = |text: &str, other, why_not: &str| Claim {
        text: text.into(),
        place: "4.1".into(),
        criterion: "more tasks in a slot that 13 tasks of the control kernel fill".into(),
        published: "\"the potential number of supported servers\" is larger".into(),
        ours: format!(
            "{}: {}; {}: {}",
            Kernel::Soos.name(),
            of(Kernel::Soos),
            Kernel::name(other),
            of(other)
        ),
        verdict: Verdict::of(of(Kernel::Soos) > of(other), || why_not.into()),
    };
    vec![
        claim(
            "With its list SOOS can have more servers than a kernel that inserts into an ordered list",
            Kernel::Ordered,
            "As many fit.",
        ),
        claim(
            "SOOS can have more servers than the control kernel",
            Kernel::Control,
            "Both are O(n) in this slot. To put a server into the list of SOOS costs more than to set a flag, \
             and the control kernel then looks at all tasks once.",
        ),
    ]
}

fn figure(found: &[(Kernel, u32)], unit: Unit) -> Figure {
    let points = (0..).map(f64::from).zip(found);
    let points = points.map(|(x, (_, tasks))| [x, f64::from(*tasks)]);
    Figure {
        name: "limit".into(),
        title: "Tasks that can be reactivated at once in a slot that 13 tasks of the control kernel fill.".into(),
        caption: unit.sentence().into(),
        x: Axis::categories("", found.iter().map(|(kernel, _)| kernel.name())),
        panels: vec![Panel {
            title: String::new(),
            y: Axis::numbers("tasks"),
            series: vec![Series::ours("tasks", Shape::Bars, 0, points.collect())],
        }],
    }
}
