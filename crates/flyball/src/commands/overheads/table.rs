//! What was measured, for people: tables on the terminal, and all numbers as CSV.

use crate::output::{self, BOLD, DIM};
use flyball_measure::overheads::measurements::{Act, Class, Quantity};
use flyball_measure::overheads::stats::{RULE, Summary};
use flyball_measure::overheads::{Measurements, Policy, Queue};
use std::fmt::Write;

/// The columns on the terminal; all others are in the files.
const COLUMNS: [(Quantity, &str); 7] = [
    (Quantity::ContextSwitch, "SWITCH"),
    (Quantity::YieldUntimed, "YIELD"),
    (Quantity::Scheduling, "SCHEDULING"),
    (Quantity::WakeUp, "WAKE-UP"),
    (Quantity::Release, "RELEASE"),
    (Quantity::Tick, "TICK"),
    (Quantity::TickAndReleases, "WITH RELEASES"),
];

/// Everything that fits on a terminal.
pub(super) fn summary(found: &Measurements, written: &[String]) -> String {
    let processor = &found.processor;
    let mut text = format!("{BOLD}{}{BOLD:#}", processor.name);
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "\n{DIM}{}{} · counter {:.0} MHz, to read it costs {:.1} ns · {} repetitions{DIM:#}",
        processor.system,
        if processor.is_virtual {
            " · virtual"
        } else {
            ""
        },
        processor.megahertz,
        processor.reading,
        output::grouped(found.repetitions as u64),
    );
    for (policy, queue) in found.kinds() {
        kind(&mut text, found, policy, queue);
    }
    let _ = writeln!(
        text,
        "\n{DIM}In nanoseconds. mean: without outliers; 99.9 %: what so many samples are not above (of a \
         yield: of means of 100 yields). An outlier is {RULE}; {} of {} samples are. Global policies have {} CPUs, whose \
         turns one thread takes; partitioned ones divide the threads among as many.{DIM:#}",
        output::grouped(
            found
                .costs
                .iter()
                .map(|cost| cost.summary.outliers as u64)
                .sum()
        ),
        output::grouped(
            found
                .costs
                .iter()
                .map(|cost| cost.summary.count as u64)
                .sum()
        ),
        found.cpus,
    );
    linux(&mut text, found);
    cache(&mut text, found);
    if !found.is_optimised {
        text += "\nThis program was compiled without optimisation: these figures say little.\n";
    }
    for file in written {
        let _ = writeln!(text, "Written: {file}");
    }
    text
}

/// One policy with one queue.
fn kind(text: &mut String, found: &Measurements, policy: Policy, queue: Queue) {
    let _ = writeln!(text, "\n{BOLD}{}, {}{BOLD:#}", policy.name(), queue.name());
    let names = ["THREADS", "NS"].into_iter();
    let names: Vec<_> = names.chain(COLUMNS.map(|(_, name)| name)).collect();
    let mut table = output::table(&names, &names).spare_all();
    for threads in found.threads() {
        let mut row = |first: String, what: &str, of: fn(&Summary) -> f64| {
            let cells = COLUMNS.map(|(quantity, _)| {
                let cost = found.cost(policy, queue, threads, quantity);
                cost.map_or("–".into(), |cost| ns(of(cost)))
            });
            table.add_row([first, what.to_owned()].into_iter().chain(cells));
        };
        row(threads.to_string(), "mean", |cost| cost.mean_without);
        row(String::new(), "99.9 %", |cost| cost.p999);
    }
    *text += &table.render();
    let threads = found.threads();
    let mean = |threads: &usize| {
        Some(
            found
                .cost(policy, queue, *threads, Quantity::Scheduling)?
                .mean_without,
        )
    };
    let ends = (threads.first(), threads.last());
    if let (Some(first), Some(last)) = ends
        && first < last
        && let (Some(few), Some(many)) = (mean(first), mean(last))
    {
        let _ = writeln!(
            text,
            "{DIM}Scheduling with {last} threads takes {:.2} times as long as with {first}.{DIM:#}",
            many / few
        );
    }
}

fn linux(text: &mut String, found: &Measurements) {
    if found.linux.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{BOLD}Linux{BOLD:#}");
    let columns = ["", "CLASS", "MEDIAN", "MEAN", "99.9 %", "WORST", "OUTLIERS"];
    let mut table = output::table(&columns, &columns[2..]).spare(&["MEAN", "MEDIAN", "OUTLIERS"]);
    let mut notes = Vec::new();
    for linux in &found.linux {
        match &linux.result {
            Ok(summary) => {
                table.add_row([
                    linux.what.title().to_owned(),
                    linux.class.name().to_owned(),
                    us(summary.median),
                    us(summary.mean_without),
                    us(summary.p999),
                    us(summary.worst),
                    summary.outliers.to_string(),
                ]);
            }
            Err(why) => notes.push(format!("{}: {why}", linux.what.title())),
        }
    }
    *text += &table.render();
    let _ = writeln!(
        text,
        "{DIM}µs; the mean without outliers. A thread with a deadline cannot be bound to a CPU, so its \
         switch is one between CPUs.{DIM:#}"
    );
    for note in notes {
        let _ = writeln!(text, "{DIM}{note}{DIM:#}");
    }
    let switch = found.linux(Act::Switch, Class::Other);
    let (kinds, threads) = (found.kinds(), found.threads());
    let most = threads
        .iter()
        .copied()
        .filter(|&threads| threads <= 125)
        .max();
    if let (Some(switch), Some(&(policy, queue)), Some(threads)) = (switch, kinds.first(), most) {
        for (quantity, name) in [
            (Quantity::Scheduling, "scheduling"),
            (Quantity::YieldUntimed, "a yield"),
        ] {
            if let Some(cost) = found.cost(policy, queue, threads, quantity) {
                let _ = writeln!(
                    text,
                    "Linux's thread switch takes {:.0} times as long as {name} under {} with {threads} \
                     threads.",
                    switch.mean_without / cost.mean_without,
                    policy.name(),
                );
            }
        }
    }
}

fn cache(text: &mut String, found: &Measurements) {
    if found.cache.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{BOLD}Cache-related delay{BOLD:#}");
    let columns = [
        "WORKING SET",
        "AFTER",
        "WARM",
        "MEDIAN",
        "MEAN",
        "WORST",
        "MISSES",
    ];
    let right = [
        columns[0], columns[2], columns[3], columns[4], columns[5], columns[6],
    ];
    let mut table = output::table(&columns, &right).spare(&["MEDIAN", "MISSES"]);
    for delay in &found.cache {
        let after = delay.interference.name().to_owned();
        let size = format!("{}K", delay.bytes >> 10);
        match &delay.result {
            Ok(delayed) => table.add_row([
                size,
                after,
                us(delayed.warm),
                us(delayed.delay.median),
                us(delayed.delay.mean_without),
                us(delayed.delay.worst),
                delayed
                    .misses
                    .map_or("–".into(), |misses| format!("{misses:.0}")),
            ]),
            Err(why) => table.add_row([size, after, why.clone()]),
        }
    }
    *text += &table.render();
    let _ = writeln!(
        text,
        "{DIM}µs; how much longer than warm a job reads its working set.{DIM:#}"
    );
    if let Some(why) = &found.no_counters {
        let _ = writeln!(text, "{DIM}Cache misses were not counted: {why}.{DIM:#}");
    }
}

fn ns(nanoseconds: f64) -> String {
    if nanoseconds < 100.0 {
        format!("{nanoseconds:.1}")
    } else {
        format!("{nanoseconds:.0}")
    }
}

fn us(nanoseconds: f64) -> String {
    format!("{:.2}", nanoseconds / 1e3)
}

/// All numbers, one row for each quantity.
pub(super) fn csv(found: &Measurements) -> String {
    let mut csv = String::from(
        "policy,queue,threads,quantity,samples,mean_ns,deviation_ns,median_ns,p999_ns,worst_ns,outliers,\
         mean_without_outliers_ns\n",
    );
    let mut row = |names: [&str; 4], summary: &Summary| {
        // No name has a comma in it.
        let _ = writeln!(
            csv,
            "{},{},{:.2},{:.2},{:.2},{:.2},{:.2},{},{:.2}",
            names.join(","),
            summary.count,
            summary.mean,
            summary.deviation,
            summary.median,
            summary.p999,
            summary.worst,
            summary.outliers,
            summary.mean_without,
        );
    };
    for cost in &found.costs {
        let threads = cost.threads.to_string();
        let names = [
            cost.policy.name(),
            cost.queue.name(),
            &threads,
            cost.quantity.name(),
        ];
        row(names, &cost.summary);
    }
    for linux in &found.linux {
        if let Ok(summary) = &linux.result {
            row(
                [linux.class.name(), "linux", "2", linux.what.name()],
                summary,
            );
        }
    }
    for delay in &found.cache {
        if let Ok(delayed) = &delay.result {
            let bytes = delay.bytes.to_string();
            let what = format!("delay_after_{}", delay.interference.name());
            row(["cache", "", &bytes, &what], &delayed.delay);
        }
    }
    csv
}
