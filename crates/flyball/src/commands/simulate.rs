//! `flyball simulate FILE --policy NAME`: what happens under one policy?

use crate::args::{ChartArgs, SimulateArgs};
use crate::failure::Failure;
use crate::output::{self, BOLD, DIM};
use crate::progress::Bar;
use crate::{commands::inspect, files};
use flyball_lab::{Registry, StudyOptions, study};
use flyball_report::study::{PolicyReport, Study};
use flyball_report::{json, perfetto};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, Time};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

/// Up to how many tasks a chart is drawn without being asked for.
const SMALL: usize = 12;

pub(crate) fn run(
    registry: &Registry,
    args: &SimulateArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    args.chart.check()?;
    let format = args.trace.as_deref().map(TraceFormat::of).transpose()?;
    let set = files::read_set(&args.file)?;
    let options = StudyOptions {
        policies: vec![args.policy.clone()],
        cpus: args.run.cpus,
        until: args.run.until,
        stop_at_miss: args.run.stop_at_miss,
        seed: args.run.seed,
        keep: if args.trace.is_some() {
            usize::MAX
        } else {
            StudyOptions::default().keep
        },
    };
    let file = files::shown(&args.file);
    let mut study = {
        let mut bar = Bar::new(quiet);
        study(registry, &file, set, &options, &mut |progress| {
            bar.show(progress)
        })
        .map_err(|error| Failure::lab(&file, error))?
    };
    let Some(report) = study.policies.pop() else {
        return Err(Failure::Usage("no policy was simulated".into()));
    };
    if let (Some(path), Some(format)) = (&args.trace, format) {
        files::write_all(&[(path.clone(), format.write(&report.trace))])?;
    }
    if args.json {
        output::print_json(&json::Policy::from(&report))?;
    } else {
        output::print(&summary(&study, &report, &args.chart))?;
        if let Some(path) = &args.trace {
            output::note(quiet, &format!("Trace: {}", path.display()));
        }
    }
    Ok(if report.verdict.holds == Some(true) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn summary(study: &Study, report: &PolicyReport, chart: &ChartArgs) -> String {
    let Study {
        file, set, notes, ..
    } = study;
    let mut text = output::heading(file, set);
    let settings: Vec<_> = report
        .settings
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let settings = if settings.is_empty() {
        String::new()
    } else {
        format!(" ({})", settings.join(", "))
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{BOLD}{}{settings}{BOLD:#}: {}",
        report.title,
        output::verdict(&report.verdict)
    );
    let _ = writeln!(text, "{}", report.verdict.reason);
    for note in report.notes.iter().chain(notes) {
        let _ = writeln!(text, "{DIM}{note}{DIM:#}");
    }
    if !chart.no_chart && (chart.chart || set.tasks.len() <= SMALL) {
        let _ = write!(
            text,
            "\n{}",
            inspect::chart(&report.trace, &window(&report.trace, chart))
        );
    }
    let _ = write!(text, "\n{}", output::task_table(set, report));
    let simulated = &report.simulated;
    let _ = writeln!(
        text,
        "\n{} jobs in {}: {} missed, {} preemptions, {} context switches, {}.{} % busy",
        output::grouped(simulated.jobs),
        simulated.until,
        output::misses(simulated.misses),
        output::grouped(simulated.preemptions),
        output::grouped(simulated.context_switches),
        report.summary.utilisation_ppm() / 10_000,
        report.summary.utilisation_ppm() / 1_000 % 10,
    );
    text
}

/// The part of a trace that its chart shows: what the user wants, or enough to see each task twice.
pub(crate) fn window(trace: &Trace, chart: &ChartArgs) -> Range<Time> {
    let end = trace.end();
    let longest = trace
        .header
        .tasks
        .iter()
        .filter_map(|task| task.period)
        .max();
    let from = chart.from.map_or(Time::ZERO, |from| Time::ZERO + from);
    let length = longest.unwrap_or(Duration::MAX) * 2;
    let to = chart
        .to
        .map_or((from + length).min(end), |to| Time::ZERO + to);
    from..to.max(from + Duration::from_nanos(1))
}

/// How a schedule is written.
#[derive(Clone, Copy)]
enum TraceFormat {
    Perfetto,
    Records,
    Text,
}

impl TraceFormat {
    fn of(path: &Path) -> Result<TraceFormat, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("pftrace") => Ok(TraceFormat::Perfetto),
            Some("fbtrace") => Ok(TraceFormat::Records),
            Some("txt") => Ok(TraceFormat::Text),
            _ => Err(Failure::file(
                path,
                "the format of the trace is not known",
                Some("call it .pftrace (for Perfetto), .fbtrace (compact records) or .txt"),
            )),
        }
    }

    fn write(self, trace: &Trace) -> Vec<u8> {
        match self {
            TraceFormat::Perfetto => perfetto::to_perfetto(trace),
            TraceFormat::Records => trace.to_bytes(),
            TraceFormat::Text => inspect::lines(trace, Time::ZERO..Time::NEVER).into_bytes(),
        }
    }
}
