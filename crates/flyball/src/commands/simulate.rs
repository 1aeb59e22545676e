//! `flyball simulate FILE --policy NAME`: what happens under a policy, or under several?

use crate::args::SimulateArgs;
use crate::failure::Failure;
use crate::files;
use crate::progress::{Bar, Disposable};
use crate::schedule::Output;
use flyball_study::{Effort, Registry, StudyOptions, study};
use std::process::ExitCode;

pub(crate) fn run(
    registry: &Registry,
    args: &SimulateArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    let output = Output::new(&args.schedule, None)?;
    let set = files::read_set(&args.file, quiet)?;
    let options = StudyOptions {
        policies: args.policies.clone(),
        cpus: args.run.platform.cpus,
        cluster: args.run.platform.cluster,
        fit: args.run.platform.partition,
        until: args.run.until,
        stop_at_miss: args.run.stop_at_miss,
        seed: args.run.seed,
        jitter: args.run.platform.jitter,
        keep: if args.schedule.trace.is_some() {
            usize::MAX
        } else {
            StudyOptions::default().keep
        },
        tests: (!args.no_tests).then_some(Effort::SMALL),
        overheads: files::charges(&args.run.charge, quiet)?,
        ..StudyOptions::default()
    };
    let file = files::shown(&args.file);
    let study = {
        let _may_end = Disposable::begin();
        let mut bar = Bar::new(quiet);
        study(registry, &file, set, &options, &mut |progress| {
            bar.show(progress)
        })
        .map_err(|error| Failure::lab(&file, error))?
    };
    output.present(&study, None, quiet, |verdict| args.run.accepts(verdict))
}
