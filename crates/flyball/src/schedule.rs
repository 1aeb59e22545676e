//! How the schedule of one policy is presented: a chart, numbers, JSON, a trace. It may have been
//! simulated, or a machine may have run it.

use crate::args::{ChartArgs, ScheduleArgs};
use crate::commands::inspect;
use crate::failure::Failure;
use crate::files;
use crate::output::{self, BOLD, DIM};
use flyball_board::{Fault, Machine};
use flyball_json::run;
use flyball_model::TaskSet;
use flyball_report::{json, perfetto, words};
use flyball_study::results::{PolicyReport, Schedulable, Study};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, TaskId, Time};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

/// Up to how many tasks a chart is drawn without being asked for.
const SMALL: usize = 12;

/// What the user wants to have of a schedule. The arguments have been checked.
pub(crate) struct Output<'a> {
    args: &'a ScheduleArgs,
    format: Option<TraceFormat>,
    machine: Option<Machine>,
}

/// A [`Fault`] for programs.
fn failed(fault: &Fault, set: &TaskSet) -> run::Fault {
    run::Fault {
        task: task_name(set, fault.task),
        time_ns: fault.time.since(Time::ZERO).as_nanos(),
        cause: fault.cause.clone(),
        message: fault.message.clone(),
        address: fault.address,
        pc: fault.pc,
        caller: fault.caller,
    }
}

/// What a task is called.
pub(crate) fn task_name(set: &TaskSet, task: Option<TaskId>) -> Option<String> {
    let task = set.tasks.get(task?.index())?;
    Some(task.name.clone())
}

impl<'a> Output<'a> {
    /// Checks the arguments, before any work is done. `machine`: what runs the task set, if it is
    /// not simulated.
    pub(crate) fn new(
        args: &'a ScheduleArgs,
        machine: Option<Machine>,
    ) -> Result<Output<'a>, Failure> {
        args.chart.check()?;
        let format = args.trace.as_deref().map(TraceFormat::of).transpose()?;
        Ok(Output {
            args,
            format,
            machine,
        })
    }

    /// Writes and prints what there is to the first policy of a study. The exit code is success
    /// where `accepts` its verdict, and the run did not end with a `fault`.
    pub(crate) fn present(
        &self,
        mut study: Study,
        fault: Option<&Fault>,
        quiet: bool,
        accepts: impl FnOnce(Schedulable) -> bool,
    ) -> Result<ExitCode, Failure> {
        let Some(report) = study.policies.pop() else {
            return Err(Failure::Usage("there was no policy".into()));
        };
        if let (Some(path), Some(format)) = (&self.args.trace, self.format) {
            format.write_to(path, &report.trace)?;
        }
        if self.args.json {
            let policy = json::policy(&report);
            match self.machine.map(Machine::name) {
                Some(machine) => output::print_json(&run::Run {
                    machine: machine.to_owned(),
                    fault: fault.map(|fault| failed(fault, &study.set)),
                    policy,
                })?,
                None => output::print_json(&policy)?,
            }
        } else {
            let mut text = summary(&study, &report, &self.args.chart, self.machine);
            if let Some(fault) = fault {
                let failed = task_name(&study.set, fault.task);
                text += &output::fault(failed.as_deref(), fault);
            }
            output::print(&text)?;
            if let Some(path) = &self.args.trace {
                output::note(quiet, &format!("Trace: {}", path.display()));
            }
        }
        let holds = fault.is_none() && accepts(report.verdict.schedulable);
        Ok(if holds {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(1)
        })
    }
}

fn summary(
    study: &Study,
    report: &PolicyReport,
    chart: &ChartArgs,
    machine: Option<Machine>,
) -> String {
    let Study {
        file, set, notes, ..
    } = study;
    let mut text = output::heading(file, set);
    if let Some(machine) = machine {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "on an {}", machine.title());
    }
    let settings: Vec<_> = report
        .settings
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    // A few stand behind the name, many in a line of their own.
    let (few, many) = match settings.len() {
        0 => (String::new(), None),
        1..=3 => (format!(" ({})", settings.join(", ")), None),
        _ => (String::new(), Some(settings.join(", "))),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n{BOLD}{}{few}{BOLD:#}: {}",
        report.title,
        output::verdict(report.verdict.schedulable)
    );
    let _ = writeln!(text, "{}", words::verdict(&report.verdict));
    if let Some(many) = many {
        let _ = writeln!(text, "{DIM}{many}{DIM:#}");
    }
    for note in report.notes.iter().chain(notes) {
        let _ = writeln!(text, "{DIM}{}{DIM:#}", words::note(note));
    }
    if !chart.no_chart && (chart.chart || set.tasks.len() <= SMALL) {
        let _ = write!(
            text,
            "\n{}",
            inspect::chart(&report.trace, &window(&report.trace, chart))
        );
    }
    let _ = write!(text, "\n{}", output::task_table(set, report));
    if let Some(chains) = output::chain_table(set, report) {
        let _ = write!(
            text,
            "\nFrom the release of a job to the completion of one that it released:\n{chains}"
        );
    }
    let simulated = &report.simulated;
    let moved = match study.cpus {
        0 | 1 => String::new(),
        _ => format!(
            "{} job and {} task migrations, ",
            output::grouped(report.summary.job_migrations()),
            output::grouped(report.summary.task_migrations())
        ),
    };
    let _ = writeln!(
        text,
        "\n{} jobs in {}: {} missed, {} preemptions, {moved}{} context switches, {}.{} % busy",
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
pub(crate) enum TraceFormat {
    Perfetto,
    Records,
    Text,
}

impl TraceFormat {
    /// The format that a file's name says.
    pub(crate) fn of(path: &Path) -> Result<TraceFormat, Failure> {
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

    /// Writes a trace to the file `path`.
    pub(crate) fn write_to(self, path: &Path, trace: &Trace) -> Result<(), Failure> {
        files::write_all(&[(path.to_owned(), self.bytes(trace))])
    }

    fn bytes(self, trace: &Trace) -> Vec<u8> {
        match self {
            TraceFormat::Perfetto => perfetto::to_perfetto(trace),
            TraceFormat::Records => trace.to_bytes(),
            TraceFormat::Text => inspect::lines(trace, Time::ZERO..Time::NEVER).into_bytes(),
        }
    }
}
