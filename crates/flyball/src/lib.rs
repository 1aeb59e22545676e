//! The `flyball` command as a library, so that a user's own policies get the same command.
//!
//! ```no_run
//! use flyball::{Entry, Registry};
//! # use flyball::catalogue::Edf as MyScheduler;
//!
//! fn main() -> std::process::ExitCode {
//!     let mine = Entry::new::<MyScheduler>("My own policy", "does it my way");
//!     flyball::main_with(&Registry::standard().with(mine))
//! }
//! ```
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | the task set holds under the policy (`study`: under at least one of them); or the command was no question |
//! | 1 | it does not hold, or is not known to; or it holds for exactly the simulated times (0 with `--exact-times`) |
//! | 2 | bad input: arguments, a file, a place to write to; or a machine that cannot run it |
//! | 3 | a fault in Flyball itself: analysis and simulation contradict each other |
//! | 130 | interrupted |

mod application;
mod args;
mod bench;
mod commands;
mod failure;
mod on_machine;

mod files;
mod output;
mod pictures;
pub mod printed;
mod progress;
mod schedule;

pub use failure::Failure;
pub use flyball_analysis as analysis;
pub use flyball_board as board;
pub use flyball_catalogue as catalogue;
pub use flyball_json as json;
pub use flyball_measure as measure;
pub use flyball_model as model;
pub use flyball_policy as policy;
pub use flyball_report as report;
pub use flyball_reproduce as reproduce;
pub use flyball_sim as sim;
pub use flyball_study as study;
pub use flyball_study::{Entry, Registry, Theory, Values};
pub use flyball_sweep as sweep;
pub use flyball_trace as trace;
pub use on_machine::{Watch, board_options, compare};

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

/// The whole command: reads the arguments of the program, does what they say, and prints what came
/// out. The result is the exit code.
pub fn main_with(registry: &Registry) -> ExitCode {
    main_of(registry, std::env::args_os())
}

/// The whole command with these arguments, the first of which is the command's name: for a program that has its own
/// `main`, or a library of another language.
pub fn main_of(registry: &Registry, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return args::refused(&error),
    };
    args.color.write_global();
    output::terminal::fit(args.wide);
    progress::catch_interrupts();
    match run(registry, args) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(registry: &Registry, args: Args) -> Result<ExitCode, Failure> {
    let quiet = args.quiet;
    match args.command {
        Command::Study(args) => commands::study::run(registry, &args, quiet),
        Command::Analyse(args) => commands::analyse::run(registry, &args, quiet),
        Command::Simulate(args) => commands::simulate::run(registry, &args, quiet),
        Command::Shake(args) => commands::shake::run(&args, quiet),
        Command::Compare(args) => commands::compare::run(registry, &args, quiet),
        Command::Run(args) => commands::run::run(registry, &args, quiet),
        Command::Plot(args) => commands::plot::run(&args, quiet),
        Command::Sweep(args) => commands::sweep::run(registry, &args, quiet),
        // The package for Python takes it before it gets here.
        Command::Cluster(_) => Err(Failure::Cluster),
        Command::Generate(args) => commands::generate::run(&args, quiet),
        Command::Overheads(args) => commands::overheads::run(&args, quiet),
        Command::Policies(args) => commands::policies::run(registry, &args),
        Command::Inspect(args) => commands::inspect::run(&args, quiet),
        Command::Reproduce(args) => commands::reproduce::run(registry, &args, quiet),
        Command::New(args) => commands::new::run(&args, quiet),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args, quiet),
        Command::Images(args) => commands::images::run(&args, quiet),
    }
}
