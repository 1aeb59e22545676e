//! An experiment, `apps/one-stack`: threads that never wait in the middle share one stack.

use crate::costs::{Figure, READY, RELEASED, parse};
use crate::error::BenchError;
use crate::image;
use crate::peers::OneStack;
use crate::tables::{Table, mean};
use crate::{Report, c};
use flyball_board::image::SHIFT;
use serde::Serialize;
use std::collections::BTreeMap;

/// The policies that decide.
pub(crate) const POLICIES: [&str; 2] = ["fp", "edf"];

/// Figures by policy.
#[derive(Serialize)]
pub(crate) struct Experiment(pub(crate) BTreeMap<&'static str, OneStack>);

impl Experiment {
    /// Builds and runs the images.
    pub(crate) fn measure() -> Result<Experiment, BenchError> {
        image::build("flyball-one-stack", "release", &[])?;
        let policies = POLICIES.into_iter();
        policies
            .map(|policy| Ok((policy, measure(policy)?)))
            .collect::<Result<_, _>>()
            .map(Experiment)
    }
}

/// What the image for `policy` prints. The rows have the names of what an application would do with threads.
fn measure(policy: &str) -> Result<OneStack, BenchError> {
    let found = figures(policy, "calls", &READY[2].to_string())?;
    let figure = |name: &str| {
        let figure = found.get(name).copied();
        figure
            .map(rounded)
            .ok_or_else(|| BenchError::Figure(name.to_owned()))
    };
    let (runs, both) = (figure("runs")?, figure("runs_and_returns")?);
    let calls = [
        ("yield", figure("hand_over")?),
        ("signal_wakes", runs),
        ("wait_blocks", both.saturating_sub(runs)),
        ("interrupt_handler", figure("interrupt_handler")?),
        ("interrupt_wakes", figure("interrupt_runs")?),
        ("ceiling_lock", figure("ceiling_lock")?),
        ("ceiling_unlock", figure("ceiling_unlock")?),
    ];
    let each = |what: &str, name: &str| {
        let one = |n: u32| {
            let figures = figures(policy, what, &n.to_string())?;
            let figure = figures.get(name).copied();
            let figure = figure.ok_or_else(|| BenchError::Figure(name.to_owned()))?;
            Ok((n.to_string(), rounded(figure)))
        };
        RELEASED
            .into_iter()
            .map(one)
            .collect::<Result<_, BenchError>>()
    };
    let bytes = figures(policy, "bytes", "")?;
    let [body, period] = ["body", "period"].map(|name| bytes.get(name).map_or(0, |it| it.worst));
    let task = [("never_waits", body), ("sleeps", body + period)];
    let named = |(name, figure): (&str, u32)| (name.to_owned(), figure);
    Ok(OneStack {
        name: "one stack".into(),
        bytes: None,
        calls: calls.into_iter().map(named).collect(),
        first: each("first", "released_first")?,
        all: each("release", "released")?,
        tick: BTreeMap::new(),
        task: task.into_iter().map(named).collect(),
    })
}

// Figures are some thousands, and not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(figure: Figure) -> u32 {
    figure.mean.round() as u32
}

fn figures(policy: &str, what: &str, n: &str) -> Result<BTreeMap<String, Figure>, BenchError> {
    let words = [what, n];
    let words = if n.is_empty() { &words[..1] } else { &words };
    let printed = image::run(&format!("one-stack-{policy}"), SHIFT, words)?;
    let figure = |line: &str| parse(line).ok_or_else(|| BenchError::Figure(line.to_owned()));
    printed.lines().map(figure).collect()
}

/// Rows: what an application does, the names of figures that are added up, and those of RTIC's software tasks.
const ROWS: [(&str, &[&str], &[&str]); 5] = [
    ("hand over to an equal (yield)", &["yield"], &["yield"]),
    (
        "release, a more urgent one runs",
        &["signal_wakes"],
        &["spawn_runs"],
    ),
    (
        "… and returns (waits again)",
        &["signal_wakes", "wait_blocks"],
        &["spawn_returns"],
    ),
    (
        "interrupt to it",
        &["interrupt_wakes"],
        &["interrupt_spawns"],
    ),
    (
        "lock, unlock under a ceiling",
        &["ceiling_lock", "ceiling_unlock"],
        &["ceiling_lock", "ceiling_unlock"],
    ),
];

/// Beside the kernel's threads, under both policies, and RTIC's software tasks, which are the same kind of thread.
pub(crate) fn table(report: &Report) -> String {
    let Report { costs, peers, .. } = report;
    let own = POLICIES.map(|policy| &costs.policies[policy]);
    let shared = POLICIES.map(|policy| &report.one_stack.0[policy]);
    let rtic = peers.one_stack.iter().find(|peer| peer.name == "RTIC");
    let columns = ["fp", "one stack", "edf", "one stack", "RTIC"];
    let mut table = Table::new("BODIES ON ONE STACK BESIDE THREADS", columns);
    let mut row = |name: &str, own: [Option<f64>; 2], shared: [Option<f64>; 2], rtic| {
        table.row(name, [own[0], shared[0], own[1], shared[1], rtic]);
    };
    for (name, calls, spawned) in ROWS {
        let ceilings = calls.contains(&"ceiling_lock");
        let own = if ceilings {
            [report.c.sum(&c::CEILING), None]
        } else {
            own.map(|policy| policy.sum(calls, READY[2]))
        };
        let rtic = rtic.and_then(|rtic| rtic.sum(spawned));
        row(name, own, shared.map(|policy| policy.sum(calls)), rtic);
    }
    for n in RELEASED {
        let name = format!("released at once, to the first: {n}");
        let own = own.map(|policy| mean(&policy.first, n));
        let figure = |peer: &OneStack| peer.first.get(&n.to_string()).copied().map(f64::from);
        row(&name, own, shared.map(figure), rtic.and_then(figure));
    }
    for n in RELEASED {
        let name = format!("released at once, until all are done: {n}");
        let own = own.map(|policy| mean(&policy.all, n));
        let figure = |peer: &OneStack| peer.all.get(&n.to_string()).copied().map(f64::from);
        row(&name, own, shared.map(figure), rtic.and_then(figure));
    }
    let threads = POLICIES.map(|policy| report.sizes.0.get(policy));
    let threads = threads.map(|size| u32::try_from(size?.ram_per_thread).ok().map(f64::from));
    for (name, key) in [
        ("bytes of RAM, without a stack", "never_waits"),
        ("… with a period", "sleeps"),
    ] {
        let figure = |peer: &OneStack| peer.task.get(key).copied().map(f64::from);
        row(name, threads, shared.map(figure), rtic.and_then(figure));
    }
    table.0
        + "A body is called once for each release, and never waits; RTIC's are software tasks that are spawned.\n"
}

#[cfg(test)]
mod tests;
