//! `flyball run FILE --machine NAME --policy NAME`: what happens on a machine?

use crate::args::MachineArgs;
use crate::failure::Failure;
use crate::files;
use crate::on_machine::board_options;
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
    let output = Output::new(&args.schedule, Some(args.machine))?;
    let set = args.cpus.on(files::read_set(&args.file, quiet)?, registry);
    let file = files::shown(&args.file);
    let (policy, until) = (args.policy.as_str(), args.until);
    let patience = args.machine.patience();
    let measurement = Measurement::new(
        registry,
        policy,
        &file,
        set,
        until,
        patience,
        args.cpus.partition,
    )
    .map_err(|error| Failure::lab(&file, error))?;
    let options = board_options(&measurement, args.seed);
    let recording = {
        let mut spinner = Spinner::new(quiet);
        flyball_board::run(args.machine, measurement.set(), &options, &mut |phase| {
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
