//! What people read: tables and sentences on the terminal.

mod queues;
mod table;
pub(crate) mod terminal;

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use flyball_board::Fault;
use flyball_model::TaskSet;
use flyball_report::{reproduction, words};
use flyball_study::SideBySide;
use flyball_study::results::{PolicyReport, Schedulable};
use flyball_trace::Duration;
use flyball_trace::metrics::TaskSummary;
pub(crate) use queues::{path_table, queue_table, reservation_table};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
pub(crate) use table::Table;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

/// Prints a result for people to the standard output, whole or with an error. Sentences are broken
/// where the terminal ends.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_as_it_is(&fitting(text))
}

/// The text with sentences broken where the terminal ends, if it goes to one.
fn fitting(text: &str) -> Cow<'_, str> {
    match terminal::width() {
        Some(width) => terminal::wrapped(text, width).into(),
        None => text.into(),
    }
}

/// What [`print`] prints, without colours.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(&fitting(text)).to_string()
}

/// Prints a text that a program may read, too.
pub(crate) fn print_as_it_is(text: &str) -> Result<(), Failure> {
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

/// Prints what a program has said on its standard error.
pub(crate) fn print_error_bytes(bytes: &[u8]) -> Result<(), Failure> {
    std::io::stderr().write_all(bytes).map_err(Failure::Print)
}

/// Prints a value as JSON, a line feed behind it.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print_as_it_is(&flyball_report::json::text(value))
}

/// Tells the user something that is not the result.
pub(crate) fn note(quiet: bool, text: &str) {
    if !quiet {
        anstream::eprintln!("{DIM}{text}{DIM:#}");
    }
}

/// An empty table. Columns named in `right` are aligned to the right.
pub(crate) fn table(columns: &[&str], right: &[&str]) -> Table {
    Table::new(columns, right)
}

/// The name of a task set, and what there is to it.
pub(crate) fn heading(file: &str, set: &TaskSet) -> String {
    let name = if set.name.is_empty() { file } else { &set.name };
    let mut text = format!("{BOLD}{name}{BOLD:#}\n");
    let mut facts = vec![count(set.tasks.len(), "task"), words::asks(set)];
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
pub(crate) fn same(beside: &SideBySide) -> String {
    if beside.comparison.is_same_order() {
        format!("{GREEN}✓ same{GREEN:#}")
    } else if beside.is_same_order() {
        format!("{GREEN}✓ same*{GREEN:#}")
    } else if beside.reason.is_some() {
        format!("{YELLOW}≈ explained{YELLOW:#}")
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

/// Misses in red, so that they are seen.
pub(crate) fn misses(n: u64) -> String {
    if n == 0 {
        "0".into()
    } else {
        format!("{RED}{}{RED:#}", grouped(n))
    }
}

/// A column of numbers of a task, with what it has.
type Column = (&'static str, fn(&TaskSummary) -> String);

/// Response times.
const RESPONSES: [Column; 6] = [
    ("MIN", |sums| time(sums.response.min())),
    ("MEAN", |sums| time(sums.response.mean())),
    ("P50", |sums| time(sums.response.percentile(50))),
    ("P95", |sums| time(sums.response.percentile(95))),
    ("P99", |sums| time(sums.response.percentile(99))),
    ("MAX", |sums| time(sums.response.max())),
];

/// What is said of percentiles.
const PERCENTILES: &str = "; PNN: what NN % of all are not above (nearest rank, never too small and less \
                           than 1 % too large)";

/// What a table of tasks can do without, the last one first.
const SPARE: [&str; 11] = [
    "BOUND",
    "JOBS",
    "CPU TIME",
    "PREEMPTED",
    "JITTER",
    "SLACK",
    "P99",
    "MEAN",
    "P95",
    "MIN",
    "P50",
];

/// A table of tasks: jobs, response times, and columns of its own behind them.
pub(crate) fn tasks<'a>(
    tasks: impl Iterator<Item = (&'a str, &'a TaskSummary, Vec<String>)>,
    own: &[&str],
) -> String {
    let tasks: Vec<_> = tasks.collect();
    // Jobs that were skipped or given up are shown where there are any.
    let is_lost = |sums: &TaskSummary| sums.skipped + sums.aborted > 0;
    let lost = tasks.iter().any(|(_, sums, _)| is_lost(sums));
    let mut columns = vec!["TASK", "JOBS", "MISSED"];
    if lost {
        columns.extend(["SKIPPED", "GIVEN UP"]);
    }
    columns.extend(RESPONSES.map(|(name, _)| name));
    columns.extend(own);
    let mut table = table(&columns, &columns[1..]).spare(&SPARE);
    for (name, sums, own) in tasks {
        let mut row = vec![
            name.to_owned(),
            grouped(sums.completed),
            misses(sums.misses),
        ];
        if lost {
            row.extend([sums.skipped, sums.aborted].map(grouped));
        }
        row.extend(RESPONSES.map(|(_, cell)| cell(sums)));
        row.extend(own);
        table.add_row(row);
    }
    let text = table.render();
    let head = text.lines().next().unwrap_or_default();
    let has_percentiles = ["P50", "P95", "P99"].iter().any(|name| head.contains(name));
    let percentiles = if has_percentiles { PERCENTILES } else { "" };
    format!("{text}{DIM}MIN to MAX: response times{percentiles}.{DIM:#}\n")
}

/// What became of each task under a policy.
pub(crate) fn task_table(set: &TaskSet, report: &PolicyReport) -> String {
    // What a task asks for that goes on without end is what it gets.
    let has_endless = set.tasks.iter().any(words::is_endless);
    let until = report.simulated.until;
    let rows = set.tasks.iter().zip(&report.tasks).map(|(task, report)| {
        let slack = report.slack.map(|slack| format!("+{}", time(Some(slack))));
        let part = words::part_ppm(report.measured.cpu_time, until);
        let mut own = vec![
            time(report.response_bound),
            time(task.deadline),
            slack.unwrap_or_else(|| "–".into()),
        ];
        if has_endless {
            let measured = (!until.is_zero()).then(|| words::tenths(part));
            own.insert(0, measured.unwrap_or_else(|| "–".into()));
        }
        (&*task.name, &report.measured, own)
    });
    let columns = ["CPU", "BOUND", "DEADLINE", "SLACK"];
    tasks(rows, &columns[usize::from(!has_endless)..])
}

/// How long chains of jobs took that release each other; `None`: there was none.
pub(crate) fn chain_table(set: &TaskSet, report: &PolicyReport) -> Option<String> {
    let columns = ["CHAIN", "JOBS", "MIN", "MEAN", "MAX"];
    let mut table = table(&columns, &columns[1..]).prose(&columns[..1]);
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
    (!report.summary.chains.is_empty()).then(|| table.render())
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
    }
}
