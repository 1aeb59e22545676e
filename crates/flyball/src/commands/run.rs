//! `flyball run FILE --machine NAME --policy NAME`: what happens on a machine? `flyball run --app
//! FOLDER`: what does an application do?

use crate::application;
use crate::args::MachineArgs;
use crate::commands::inspect;
use crate::failure::Failure;
use crate::files;
use crate::on_machine::{board_options, find};
use crate::output;
use crate::progress::Spinner;
use crate::schedule::{Output, TraceFormat};
use flyball_board::Phase;
use flyball_board::program::{Live, Program, Start, Stream};
use flyball_measure::{Measured, Measurement};
use flyball_study::Registry;
use flyball_study::results::Schedulable;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn run(
    registry: &Registry,
    args: &MachineArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if let Some(folder) = &args.app {
        return application::run(folder, args.machine, &args.schedule, quiet);
    }
    if let Some(file) = &args.file
        && files::is_program(file)
    {
        return program(file, args, quiet);
    }
    // A file that is not there is the first that is wrong.
    if let Some(file) = &args.file
        && args.machine.is_none()
        && args.policy.is_none()
        && let Err(error) = std::fs::metadata(file)
        && file != Path::new("-")
    {
        let what = format!("{}: it cannot be read: {error}", files::shown(file));
        return Err(Failure::Usage(what));
    }
    let (Some(file), Some(machine), Some(policy)) = (&args.file, args.machine, &args.policy) else {
        let what =
            "expected a task set, --machine and --policy; or a program; or --app and a folder";
        return Err(Failure::Usage(what.into()));
    };
    if !args.words.is_empty() {
        let what = "a task set has no command line; only programs have";
        return Err(Failure::Usage(what.into()));
    }
    let output = Output::new(&args.schedule, Some(machine))?;
    let set = args.platform.on(files::read_set(file, quiet)?, registry);
    let file = files::shown(file);
    find(registry, machine, &file, policy)?;
    let (policy, until) = (policy.as_str(), args.until);
    let patience = machine.patience();
    let measurement = Measurement::new(
        registry,
        policy,
        &file,
        set,
        until,
        patience,
        args.platform.partition,
    )
    .map_err(|error| Failure::lab(&file, error))?;
    let options = board_options(&measurement, args.seed);
    let recording = {
        let mut spinner = Spinner::new(quiet);
        flyball_board::run(machine, measurement.set(), &options, &mut |phase| {
            spinner.show(|| match phase {
                Phase::Building => format!("building the image for {policy}"),
                Phase::Running => format!("running for {} on the board", options.until),
            })
        })
        .map_err(|error| Failure::target(&file, error))?
    };
    let measured = Measured {
        events: &recording.events,
        end: recording.end,
        dropped: recording.dropped,
    };
    output.present(
        &measurement.conclude(&measured),
        recording.fault.as_ref(),
        quiet,
        // A machine is not asked for a proof.
        |verdict| verdict != Schedulable::Not,
    )
}

/// A program that does not end by itself is ended after this long.
pub(crate) const LIMIT: Duration = Duration::from_hours(24);

/// Runs a program in C or C++, and ends as it does.
fn program(file: &Path, args: &MachineArgs, quiet: bool) -> Result<ExitCode, Failure> {
    if args.machine.is_some() || args.policy.is_some() || args.until.is_some() {
        let what = "a program has its machine and its policy already, and ends by itself";
        return Err(Failure::Usage(what.into()));
    }
    args.schedule.chart.check()?;
    let format = args.schedule.trace.as_deref().map(TraceFormat::of);
    let format = format.transpose()?;
    let shown = files::shown(file);
    let failed = |error| Failure::target(&shown, error);
    let program = Program::open(file).map_err(failed)?;
    let most = program.most_cpus();
    if args.platform.cpus.is_some_and(|cpus| cpus > most) {
        let what = format!("{shown}: --cpus is at most {most} on its machine");
        return Err(Failure::Usage(what));
    }
    let words: Vec<_> = args.words.iter().map(String::as_str).collect();
    let start = Start {
        cpus: args.platform.cpus.unwrap_or(1),
        shift: 0,
        words: &words,
        seed: None,
        limit: LIMIT,
    };
    if let Some(word) = words
        .iter()
        .find(|word| word.is_empty() || word.contains(' '))
    {
        let what = format!(
            "\"{word}\": a program gets its words as one line, so none is empty or has a space"
        );
        return Err(Failure::Usage(what));
    }
    // What it prints is shown meanwhile, in place of a sign of life.
    let is_live = !args.schedule.json;
    let mut spinner = Spinner::new(quiet || is_live);
    let mut watch = |_| spinner.show(|| "running on the board".into());
    let mut shown_so_far = Ok(());
    let mut show = |stream, bytes: &[u8]| {
        let shown = match stream {
            Stream::Output => output::print_bytes(bytes),
            Stream::Error => output::print_error_bytes(bytes),
        };
        if shown_so_far.is_ok() {
            shown_so_far = shown;
        }
    };
    let live = is_live.then_some(&mut show as &mut Live<'_>);
    // What happened is recorded if the user wants to have it.
    let ran = if format.is_some() || args.schedule.json {
        let ran = program.run_traced(&start, live, &mut watch);
        ran.map(|(outcome, trace)| (outcome, Some(trace)))
    } else {
        let ran = program.run_live(&start, live, &mut watch);
        ran.map(|outcome| (outcome, None))
    };
    drop(spinner);
    let (outcome, trace) = ran.map_err(failed)?;
    shown_so_far?;
    // Where it was that it could not go on.
    for (place, function) in program
        .functions()
        .map_err(failed)?
        .places(&outcome.printed)
    {
        output::note(false, &format!("{place:#010x}: {function}"));
    }
    if let Some(trace) = &trace {
        if let (Some(path), Some(format)) = (&args.schedule.trace, format) {
            format.write_to(path, trace)?;
            output::note(quiet, &format!("Trace: {}", files::shown(path)));
        }
        if args.schedule.json {
            inspect::show(trace, &args.schedule.chart, true)?;
        }
    }
    let code = outcome.code.and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
