//! `flyball run FILE --machine NAME --policy NAME`: what happens on a machine? `flyball run --app
//! FOLDER`: what does an application do?

use crate::application;
use crate::args::MachineArgs;
use crate::failure::Failure;
use crate::files;
use crate::on_machine::{board_options, find};
use crate::progress::Spinner;
use crate::schedule::Output;
use flyball_board::Phase;
use flyball_measure::{Measured, Measurement};
use flyball_study::Registry;
use flyball_study::results::Schedulable;
use std::process::ExitCode;

pub(crate) fn run(
    registry: &Registry,
    args: &MachineArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    if let Some(folder) = &args.app {
        return application::run(folder, args.machine, &args.schedule, quiet);
    }
    let (Some(file), Some(machine), Some(policy)) = (&args.file, args.machine, &args.policy) else {
        let what = "expected a task set, --machine and --policy; or --app and a folder";
        return Err(Failure::Usage(what.into()));
    };
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
