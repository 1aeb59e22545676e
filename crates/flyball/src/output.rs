//! What people read: tables and sentences on the terminal.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use flyball_analysis::{SporadicTask, Utilisation};
use flyball_board::Fault;
use flyball_model::TaskSet;
use flyball_report::reproduction;
use flyball_study::results::{Breakdown, PolicyReport, Schedulable};
use flyball_trace::Duration;
use std::fmt::Write as _;
use std::io::Write as _;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

/// Prints a result to the standard output, whole or with an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::Print)
}

/// Prints a file to the standard output as it is.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(Failure::Print)
}

/// Prints a value as JSON, a line feed behind it.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&flyball_report::json::text(value))
}

/// Tells the user something that is not the result.
pub(crate) fn note(quiet: bool, text: &str) {
    if !quiet {
        anstream::eprintln!("{DIM}{text}{DIM:#}");
    }
}

/// An empty table without lines. Columns named in `right` are aligned to the right.
pub(crate) fn table(columns: &[&str], right: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| {
        let alignment = if right.contains(column) {
            CellAlignment::Right
        } else {
            CellAlignment::Left
        };
        Cell::new(format!("{DIM}{column}{DIM:#}")).set_alignment(alignment)
    }));
    for (number, column) in columns.iter().enumerate() {
        if let Some(cells) = table.column_mut(number) {
            cells.set_padding((0, 2));
            if right.contains(column) {
                cells.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// A table as text, without blanks at the ends of its lines.
pub(crate) fn render(table: &Table) -> String {
    table
        .to_string()
        .lines()
        .fold(String::new(), |mut text, line| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
}

/// The name of a task set, and what there is to it.
pub(crate) fn heading(file: &str, set: &TaskSet) -> String {
    let name = if set.name.is_empty() { file } else { &set.name };
    let mut text = format!("{BOLD}{name}{BOLD:#}\n");
    let mut facts = vec![
        count(set.tasks.len(), "task"),
        count(usize::from(set.platform.cpus), "CPU"),
        format!("utilisation {}", utilisation(set)),
    ];
    if let Some(cycle) = set.hyperperiod() {
        facts.push(format!("hyperperiod {cycle}"));
    }
    if let Some(tick) = set.platform.tick {
        facts.push(format!("tick {tick}"));
    }
    if !set.platform.overheads.are_free() {
        facts.push("overheads".into());
    }
    let _ = writeln!(text, "{DIM}{}{DIM:#}", facts.join(" · "));
    text
}

/// The utilisation of all tasks that have a period.
pub(crate) fn utilisation(set: &TaskSet) -> Utilisation {
    let tasks: Vec<_> = set
        .tasks
        .iter()
        .filter_map(|task| {
            let period = task.arrival.period()?;
            SporadicTask::new(task.wcet, period, period).ok()
        })
        .collect();
    Utilisation::of(&tasks)
}

/// `1 task`, `2 tasks`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A verdict in a few words.
pub(crate) fn verdict(verdict: Schedulable) -> String {
    let (style, sign) = match verdict {
        Schedulable::Always => (GREEN, "✓"),
        Schedulable::ExactTimes => (YELLOW, "✓"),
        Schedulable::Not => (RED, "✗"),
        Schedulable::Unknown => (YELLOW, "?"),
    };
    format!("{style}{sign} {}{style:#}", verdict.words())
}

/// Why a schedule goes no further: `task` did what no task may.
pub(crate) fn fault(task: Option<&str>, fault: &Fault) -> String {
    let who = task.map_or("the board".into(), |task| format!("task \"{task}\""));
    format!("\n{RED}✗ {who} failed:{RED:#} {fault}\nThe schedule ends there.\n")
}

/// Whether two schedules are the same, in a word.
pub(crate) fn same(same: bool) -> String {
    if same {
        format!("{GREEN}✓ same{GREEN:#}")
    } else {
        format!("{RED}✗ differs{RED:#}")
    }
}

/// What became of a claim, in a word or two.
pub(crate) fn claim(verdict: &reproduction::Verdict) -> String {
    let (style, sign) = match verdict {
        reproduction::Verdict::Holds => (GREEN, "✓"),
        reproduction::Verdict::Differs(_) => (RED, "✗"),
        reproduction::Verdict::NotComparable(_) => (YELLOW, "≠"),
    };
    format!("{style}{sign} {}{style:#}", verdict.name())
}

/// A number with commas between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time, or a dash where there is none; rounded to four digits, since a person compares sizes.
/// (The files have every digit.)
pub(crate) fn time(length: Option<Duration>) -> String {
    rounded(length, |ns, unit| ns.saturating_add(unit / 2) / unit)
}

/// The same of a time that nothing is longer than: rounded up.
pub(crate) fn time_at_most(length: Option<Duration>) -> String {
    rounded(length, u64::div_ceil)
}

/// The same of a time that there is for sure: rounded down.
pub(crate) fn time_at_least(length: Option<Duration>) -> String {
    rounded(length, |ns, unit| ns / unit)
}

fn rounded(length: Option<Duration>, units: fn(u64, u64) -> u64) -> String {
    let Some(length) = length else {
        return "–".into();
    };
    let ns = length.as_nanos();
    let digits = ns.checked_ilog10().map_or(1, |log| log + 1);
    let unit = 10_u64.pow(digits.saturating_sub(4));
    Duration::from_nanos(units(ns, unit).saturating_mul(unit)).to_string()
}

/// By how much all execution times can grow, or have to shrink, together. What is not known is
/// said.
pub(crate) fn margin(breakdown: Option<Breakdown>) -> String {
    let Some(Breakdown {
        factor_ppm,
        at_least,
        ..
    }) = breakdown
    else {
        return "–".into();
    };
    let permille = |ppm: u64| format!("{}.{} %", ppm / 10_000, ppm / 1_000 % 10);
    if factor_ppm >= 1_000_000 {
        let more = if at_least { " or more" } else { "" };
        format!("+{}{more}", permille(factor_ppm - 1_000_000))
    } else {
        // Rounded up: shrinking by this much is enough.
        let shrink = permille((1_000_000 - factor_ppm).next_multiple_of(1_000));
        let less = if at_least { " or less" } else { "" };
        format!("−{shrink}{less}")
    }
}

/// Misses in red, so that they are seen.
pub(crate) fn misses(n: u64) -> String {
    if n == 0 {
        "0".into()
    } else {
        format!("{RED}{}{RED:#}", grouped(n))
    }
}

/// What became of each task under a policy. Jobs that were skipped or given up are shown where
/// there are any.
pub(crate) fn task_table(set: &TaskSet, report: &PolicyReport) -> String {
    let lost = report
        .tasks
        .iter()
        .any(|task| task.measured.skipped + task.measured.aborted > 0);
    let mut columns = vec!["TASK", "JOBS", "MISSED"];
    if lost {
        columns.extend(["SKIPPED", "GIVEN UP"]);
    }
    columns.extend(["FASTEST", "MEAN", "SLOWEST", "BOUND", "DEADLINE", "SLACK"]);
    let mut table = table(&columns, &columns[1..]);
    for (task, report) in set.tasks.iter().zip(&report.tasks) {
        let measured = &report.measured;
        let mut row = vec![
            task.name.clone(),
            grouped(measured.completed),
            misses(measured.misses),
        ];
        if lost {
            row.extend([measured.skipped, measured.aborted].map(grouped));
        }
        row.extend([
            time(measured.response.min()),
            time(measured.response.mean()),
            time(measured.response.max()),
            time(report.response_bound),
            time(task.deadline),
            report
                .slack
                .map_or("–".into(), |slack| format!("+{}", time(Some(slack)))),
        ]);
        table.add_row(row);
    }
    render(&table)
}

/// How long chains of jobs took that release each other; `None`: there was none.
pub(crate) fn chain_table(set: &TaskSet, report: &PolicyReport) -> Option<String> {
    let columns = ["CHAIN", "TIMES", "FASTEST", "MEAN", "SLOWEST"];
    let mut table = table(&columns, &columns[1..]);
    for chain in &report.summary.chains {
        let tasks = chain
            .tasks
            .iter()
            .filter_map(|task| set.tasks.get(task.index()));
        let names: Vec<&str> = tasks.map(|task| task.name.as_str()).collect();
        table.add_row([
            names.join(" → "),
            grouped(chain.latency.count()),
            time(chain.latency.min()),
            time(chain.latency.mean()),
            time(chain.latency.max()),
        ]);
    }
    (!report.summary.chains.is_empty()).then(|| render(&table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        let ns = |ns| time(Some(Duration::from_nanos(ns)));
        assert_eq!(ns(0), "0");
        assert_eq!(ns(1_234_567), "1.235ms");
        let bounds = [time_at_most, time_at_least];
        let both = |ns| bounds.map(|shown| shown(Some(Duration::from_nanos(ns))));
        assert_eq!(both(37_333_333), ["37.34ms", "37.33ms"]);
        assert_eq!(both(999_986_240), ["1s", "999.9ms"]);
        assert_eq!(both(4_000_000), ["4ms", "4ms"]);
        assert_eq!(ns(99_999_999), "100ms");
        assert_eq!(ns(5_000_000), "5ms");
        let of = |factor_ppm, at_least| {
            margin(Some(Breakdown {
                factor_ppm,
                utilisation_ppm: 0,
                at_least,
            }))
        };
        let factor = |factor_ppm| of(factor_ppm, false);
        assert_eq!(factor(1_176_470), "+17.6 %");
        assert_eq!(factor(1_000_000), "+0.0 %");
        assert_eq!(factor(999_999), "−0.1 %");
        assert_eq!(of(1_176_470, true), "+17.6 % or more");
        assert_eq!(of(999_999, true), "−0.1 % or less");
    }
}
