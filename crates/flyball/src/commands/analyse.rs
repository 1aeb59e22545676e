//! `flyball analyse`: what do the analyses for several CPUs say, and why?

mod corpus;
mod one;
mod pipeline;
pub(crate) mod program;
mod sections;
mod servers;
mod slowest;
mod text;
mod windows;

use crate::args::AnalyseArgs;
use crate::failure::Failure;
use flyball_study::Registry;
use std::process::ExitCode;
pub(crate) use text::text;

pub(crate) fn run(
    registry: &Registry,
    args: &AnalyseArgs,
    quiet: bool,
) -> Result<ExitCode, Failure> {
    match (&args.file, &args.corpus) {
        (Some(file), None) => {
            only_one(args)?;
            one::run(registry, file, args, quiet)
        }
        (None, Some(corpus)) => corpus::run(corpus, args, quiet),
        _ => Err(Failure::Usage(
            "name a task set, or a file of many with --corpus".into(),
        )),
    }
}

/// Refuses what is said about many sets where there is one.
fn only_one(args: &AnalyseArgs) -> Result<(), Failure> {
    let asked = "goes with --corpus; one task set is asked all tests";
    let what = if !args.tests.is_empty() {
        format!("--tests {asked}")
    } else if args.union {
        format!("--union {asked}")
    } else if args.out.is_some() {
        "--out goes with --corpus; what is found about one task set is printed, so keep it with \
         `--json > FILE`"
            .into()
    } else {
        return Ok(());
    };
    Err(Failure::Usage(what))
}
