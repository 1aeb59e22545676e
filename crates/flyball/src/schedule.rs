//! How schedules are presented: a chart, numbers, JSON, a trace. It may have been
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
use flyball_study::note::Note;
use flyball_study::results::{PolicyReport, Schedulable, Study};
use flyball_trace::file::Trace;
use flyball_trace::{Duration, TaskId, Time};
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
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

    /// Writes and prints what there is to each policy of a study. The exit code is success where
    /// `accepts` one of the verdicts, and the run did not end with a `fault`.
    pub(crate) fn present(
        &self,
        study: &Study,
        fault: Option<&Fault>,
        quiet: bool,
        accepts: impl Fn(Schedulable) -> bool,
    ) -> Result<ExitCode, Failure> {
        let mut written = Vec::new();
        if let (Some(path), Some(format)) = (&self.args.trace, self.format) {
            for report in &study.policies {
                let path = match study.policies.len() {
                    0 | 1 => path.clone(),
                    _ => of_policy(path, &report.policy),
                };
                format.write_to(&path, &report.trace)?;
                written.push(path);
            }
        }
        if self.args.json {
            let document = json::study(study);
            match self.machine.map(Machine::name) {
                Some(machine) => output::print_json(&run::Run {
                    study: document,
                    machine: machine.to_owned(),
                    fault: fault.map(|fault| failed(fault, &study.set)),
                })?,
                None => output::print_json(&document)?,
            }
        } else {
            let mut text = summary(study, &self.args.chart, self.machine);
            if let Some(fault) = fault {
                let failed = task_name(&study.set, fault.task);
                text += &output::fault(failed.as_deref(), fault);
            }
            output::print(&text)?;
            for path in written {
                output::note(quiet, &format!("Trace: {}", files::shown(&path)));
            }
        }
        let verdicts = study.policies.iter().map(|it| it.verdict.schedulable);
        let holds = fault.is_none() && verdicts.into_iter().any(accepts);
        Ok(if holds {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(1)
        })
    }
}

/// The file of one policy where there are several: `out.pftrace` is `out.edf.pftrace` then.
fn of_policy(path: &Path, policy: &str) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("{policy}.{ending}"))
}

fn summary(study: &Study, chart: &ChartArgs, machine: Option<Machine>) -> String {
    let mut text = output::heading(&study.file, &study.set);
    if let Some(machine) = machine {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "on an {}", machine.title());
    }
    for report in &study.policies {
        policy(&mut text, study, report, chart);
    }
    if study.policies.len() > 1 {
        text.push('\n');
        notes(&mut text, &study.notes);
    }
    text
}

fn notes(text: &mut String, notes: &[Note]) {
    for note in notes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{DIM}{}{DIM:#}", words::note(note));
    }
}

/// One policy.
fn policy(text: &mut String, study: &Study, report: &PolicyReport, chart: &ChartArgs) {
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
    notes(text, &report.notes);
    if study.policies.len() == 1 {
        notes(text, &study.notes);
    }
    if !chart.no_chart && (chart.chart || study.set.tasks.len() <= SMALL) {
        let _ = write!(
            text,
            "\n{}",
            inspect::chart(&report.trace, &window(&report.trace, chart))
        );
    }
    let _ = write!(text, "\n{}", output::task_table(&study.set, report));
    if let Some(chains) = output::chain_table(&study.set, report) {
        let _ = write!(
            text,
            "\nFrom the release of a job to the completion of one that it released:\n{chains}"
        );
    }
    if let Some(queues) = output::queue_table(&study.set, report) {
        let _ = write!(text, "\n{queues}");
    }
    if let Some(paths) = output::path_table(&study.set, report) {
        let _ = write!(
            text,
            "\nFrom the entry of a message into the first queue until it leaves the last one:\n{paths}"
        );
    }
    if let Some(reservations) = output::reservation_table(report) {
        let _ = write!(text, "\n{reservations}");
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
    let (overruns, underruns) = (report.summary.overruns(), report.summary.underruns());
    let glitches = match study.set.endpoints[..] {
        [] => String::new(),
        _ => format!(
            "{} overruns, {} underruns, ",
            output::misses(overruns),
            output::misses(underruns)
        ),
    };
    let changes = simulated.group_changes.map(|changes| {
        let changes = output::grouped(changes);
        format!("{changes} changes of group, ")
    });
    let _ = writeln!(
        text,
        "\n{} jobs in {}: {} missed, {glitches}{} preemptions, {moved}{} context switches, {}{}",
        output::grouped(simulated.jobs),
        simulated.until,
        output::misses(simulated.misses - overruns - underruns),
        output::grouped(simulated.preemptions),
        output::grouped(simulated.context_switches),
        changes.unwrap_or_default(),
        words::busy(&report.summary),
    );
    if let Some(used) = &report.speeds {
        let _ = writeln!(text, "{}", words::speeds(used, simulated));
    }
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
