//! `flyball completions SHELL`

use crate::args::{Args, CompletionsArgs};
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use std::process::ExitCode;

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "flyball", &mut script);
    output::print_as_it_is(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
