//! `flyball inspect TRACE`: what is in a trace?

use crate::args::{ChartArgs, InspectArgs};
use crate::failure::Failure;
use crate::files::Reading;
use crate::output::{self, BOLD, DIM};
use crate::schedule::{TraceFormat, window};
use flyball_json::inspect::{Inspected, Task};
use flyball_model::printable;
use flyball_report::gantt::{self, ChartStyle, Glyphs, Paint};
use flyball_report::json::numbers;
use flyball_report::perfetto;
use flyball_trace::file::Trace;
use flyball_trace::metrics::{Metrics, Summary};
use flyball_trace::{Duration, Sink, Time};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &InspectArgs, quiet: bool) -> Result<ExitCode, Failure> {
    args.chart.check()?;
    let format = args.out.as_deref().map(TraceFormat::of).transpose()?;
    let mut trace = {
        let _reading = Reading::begin(&args.trace, quiet);
        read(&args.trace)?
    };
    let header = &mut trace.header;
    let tasks = header.tasks.iter_mut().map(|task| &mut task.name);
    for name in tasks.chain([&mut header.name, &mut header.policy]) {
        *name = printable(name).into_owned();
    }
    if let (Some(path), Some(format)) = (&args.out, format) {
        format.write_to(path, &trace)?;
    }
    if args.events {
        let window = match (args.chart.from, args.chart.to) {
            (None, None) => Time::ZERO..Time::NEVER,
            _ => window(&trace, &args.chart),
        };
        output::print(&lines(&trace, window))?;
    } else {
        show(&trace, &args.chart, args.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what is in a trace. Returns its numbers.
pub(crate) fn show(trace: &Trace, chart: &ChartArgs, json: bool) -> Result<Summary, Failure> {
    let summary = summary(trace);
    if json {
        output::print_json(&inspected(trace, &summary))?;
    } else {
        output::print(&describe(trace, &summary, chart))?;
    }
    Ok(summary)
}

/// The numbers of a trace.
pub(crate) fn summary(trace: &Trace) -> Summary {
    let mut metrics = Metrics::new(&trace.header.tasks, usize::from(trace.header.cpus));
    trace.events.iter().for_each(|&event| metrics.record(event));
    metrics.finish(trace.end())
}

/// Reads a trace of either kind; what is in the file tells which.
fn read(path: &Path) -> Result<Trace, Failure> {
    const HELP: &str = "make a trace with `flyball simulate … --trace out.pftrace`";
    let bytes = fs::read(path).map_err(|error| Failure::file(path, error, Some(HELP)))?;
    if bytes.is_empty() {
        return Err(Failure::file(path, "the file is empty", Some(HELP)));
    }
    if bytes.starts_with(b"FLYTRACE") {
        return Trace::from_bytes(&bytes).map_err(|error| Failure::file(path, error, None));
    }
    if path.extension().is_some_and(|ending| ending == "fbtrace") {
        let what = "the file does not begin as a trace of Flyball does";
        return Err(Failure::file(path, what, Some(HELP)));
    }
    perfetto::from_perfetto(&bytes).map_err(|error| Failure::file(path, error, Some(HELP)))
}

/// A chart as wide as the terminal.
pub(crate) fn chart(trace: &Trace, window: &Range<Time>) -> String {
    let width = output::terminal::columns().unwrap_or(100);
    let style = ChartStyle {
        width: width.clamp(40, 160),
        glyphs: if unicode() {
            Glyphs::Unicode
        } else {
            Glyphs::Ascii
        },
        // Where colours are not wanted the output drops them.
        paint: Paint::ansi(),
    };
    gantt::chart(trace, window.clone(), &style)
}

/// Whether the terminal's character set has more than ASCII: the first of the variables that is set
/// decides, as for every program.
fn unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    locale.is_some_and(|locale| {
        locale
            .to_ascii_uppercase()
            .replace('-', "")
            .contains("UTF8")
    })
}

/// Every event in a window, a line each, with the names of tasks and servers.
pub(crate) fn lines(trace: &Trace, window: Range<Time>) -> String {
    let mut text = String::new();
    for event in trace
        .events
        .iter()
        .filter(|event| window.contains(&event.time))
    {
        // Writing to a string cannot fail.
        let _ = match trace.header.name_of(event.kind) {
            Some(name) => writeln!(text, "{event}  {name}"),
            None => writeln!(text, "{event}"),
        };
    }
    text
}

fn describe(trace: &Trace, summary: &Summary, chart: &ChartArgs) -> String {
    let header = &trace.header;
    let mut text = format!("{BOLD}{}{BOLD:#} under {}\n", header.name, header.policy);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{DIM}{} · {} · {} events in {}{DIM:#}",
        output::count(header.tasks.len(), "task"),
        output::count(usize::from(header.cpus), "CPU"),
        output::grouped(trace.events.len() as u64),
        trace.end(),
    );
    if header.dropped > 0 {
        let _ = writeln!(
            text,
            "{} later events were not kept",
            output::grouped(header.dropped)
        );
    }
    if !chart.no_chart {
        let _ = write!(text, "\n{}", self::chart(trace, &window(trace, chart)));
    }
    let rows = header.tasks.iter().zip(&summary.tasks).map(|(info, sums)| {
        let own = vec![
            output::time(sums.response.jitter()),
            output::grouped(sums.preemptions),
            output::time(Some(sums.cpu_time)),
        ];
        (&*info.name, sums, own)
    });
    let own = ["JITTER", "PREEMPTED", "CPU TIME"];
    let _ = write!(text, "\n{}", output::tasks(rows, &own));
    let idle: Duration = summary.cpus.iter().map(|cpu| cpu.idle).sum();
    let overhead: Duration = summary.cpus.iter().map(|cpu| cpu.overhead).sum();
    let _ = writeln!(
        text,
        "\n{} jobs: {} missed, {} preemptions, {} context switches; idle {idle}, kernel {overhead}",
        output::grouped(summary.jobs()),
        output::misses(summary.misses()),
        output::grouped(summary.preemptions()),
        output::grouped(summary.context_switches()),
    );
    text
}

/// What `inspect --json` prints.
fn inspected(trace: &Trace, summary: &Summary) -> Inspected {
    let header = &trace.header;
    let tasks = header.tasks.iter().zip(&summary.tasks);
    let tasks = tasks.map(|(info, sums)| Task {
        name: info.name.clone(),
        numbers: numbers(sums),
    });
    Inspected {
        schema: flyball_json::SCHEMA,
        name: header.name.clone(),
        policy: header.policy.clone(),
        cpus: header.cpus,
        until_ns: header.end_ns,
        events: trace.events.len(),
        dropped: header.dropped,
        jobs: summary.jobs(),
        misses: summary.misses(),
        preemptions: summary.preemptions(),
        context_switches: summary.context_switches(),
        idle_ns: summary.cpus.iter().map(|cpu| cpu.idle.as_nanos()).sum(),
        overhead_ns: summary.cpus.iter().map(|cpu| cpu.overhead.as_nanos()).sum(),
        tasks: tasks.collect(),
    }
}
