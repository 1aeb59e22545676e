//! `flyball analyse`: what do the analyses for several CPUs say, and why?

mod corpus;
mod json;
mod one;

use crate::args::AnalyseArgs;
use crate::failure::Failure;
use std::process::ExitCode;

pub(crate) fn run(args: &AnalyseArgs, quiet: bool) -> Result<ExitCode, Failure> {
    match (&args.file, &args.corpus) {
        (Some(file), None) => one::run(file, args, quiet),
        (None, Some(corpus)) => corpus::run(corpus, args, quiet),
        _ => Err(Failure::Usage(
            "name a task set, or a file of many with --corpus".into(),
        )),
    }
}
