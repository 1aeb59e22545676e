//! The arguments of the command.

mod analyse;
mod generate;
mod machine;
mod new;
mod overheads;
mod parse;
mod pictures;
mod program;
mod study;
mod sweep;

pub(crate) use analyse::AnalyseArgs;
pub(crate) use generate::GenerateArgs;
pub(crate) use machine::{CompareArgs, MachineArgs};
pub(crate) use new::{NewArgs, Place};
pub(crate) use overheads::OverheadsArgs;
pub(crate) use pictures::PictureArgs;
pub(crate) use program::ShakeArgs;
pub(crate) use study::{ChargeArgs, ReportArgs, SimulateArgs, StudyArgs};
pub(crate) use sweep::{ClusterArgs, PlotArgs, SweepArgs};

use crate::failure::Failure;
use anstream::ColorChoice;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use flyball_board::Machine;
use flyball_model::{Jitter, TaskSet};
use flyball_study::{Fit, Registry};
use flyball_trace::Duration;
use parse::{duration, fit, jitter};
use std::path::PathBuf;
use std::process::ExitCode;

/// A real-time kernel and a scheduling laboratory in one.
///
/// Give it a task set, and learn which scheduler holds it, how near the edge it is, and what
/// happens under each.
#[derive(Parser, Debug)]
#[command(
    name = "flyball",
    version,
    after_help = "Exit codes: 0 holds (`study`, `simulate`: at least one policy holds it; `run`: \
                  nothing speaks against it), 1 does not hold (or \
                  is not known to, or holds for exactly the simulated times, unless \
                  `--exact-times` accepts that), 2 bad input.\n\
                  Begin with: flyball study examples/gap.toml"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,

    /// Print all columns of tables, and lines as long as they are, however narrow the terminal is
    #[arg(long, global = true)]
    pub(crate) wide: bool,

    /// Print results and errors, but no progress and no notes
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Which scheduler holds a task set? Analyses and simulates it, and writes a report. Exit code
    /// 0 if at least one of the policies holds it, whatever its jobs compute up to their worst case
    Study(StudyArgs),
    /// What do the analyses for several CPUs say, and why? Of one task set: verdicts and reasons,
    /// response times, slack, the fewest CPUs (of 1 to 128), what overheads cost. Of many
    /// (`--corpus`): verdicts
    #[command(alias = "analyze")]
    Analyse(AnalyseArgs),
    /// What happens under a policy, or under several? A chart, response times, a trace
    Simulate(SimulateArgs),
    /// What happens under one policy on a machine? Runs a task set on the kernel on an emulated
    /// board; or a program in C or C++ that is linked with the kernel
    Run(MachineArgs),
    /// Does a program in C or C++ do the same wherever its threads are preempted? Runs it again and again
    /// on an emulated board, and preempts them at random instructions. Exit code 1 if a run differs
    Shake(ShakeArgs),
    /// Does a machine do what the simulation says? Compares both schedules, event by event
    Compare(CompareArgs),
    /// Do a published work's claims hold here? Does its experiments again, and writes a report with
    /// a verdict for each claim. Without a name: which works there are
    Reproduce(ReproduceArgs),
    /// What does the kernel's own work cost on this processor, and Linux's beside it? Measures it,
    /// and writes a file that `simulate`, `study`, `analyse` and `sweep` read
    Overheads(OverheadsArgs),
    /// How many random task sets does each schedulability test accept? Makes a study, on all cores;
    /// what is finished is kept, and the same command goes on after an interruption
    Sweep(SweepArgs),
    /// Makes a study, or judges a corpus, on a cluster or on processes of this machine. Comes with the
    /// package for Python: `pip install './python[cluster]'` in a clone of Flyball; docs/cluster.md
    Cluster(ClusterArgs),
    /// Figures, tables and a page of what `sweep` has found
    Plot(PlotArgs),
    /// Make a random task set
    Generate(GenerateArgs),
    /// Which policies there are; of one by name its settings, what it reads from a task, its
    /// complexity, the machines that boot it, the tests that know it, and where it was published
    Policies(PoliciesArgs),
    /// What is in a trace?
    Inspect(InspectArgs),
    /// Make an application for the kernel, or a scheduling policy of your own: a crate that builds,
    /// runs and is tested at once
    New(NewArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write the manual: a page for the command, and one for each of its commands
    Man(FolderArgs),
    /// Build the images that boot on machines, where an installed command finds them; `./x install`
    /// does so
    Images(FolderArgs),
}

/// How schedules are presented: what `simulate` and `run` have in common.
#[derive(clap::Args, Debug)]
pub(crate) struct ScheduleArgs {
    /// Write the schedule: .pftrace for Perfetto, .fbtrace as compact records, .txt to read; of
    /// several policies into files with their names (out.edf.pftrace)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) chart: ChartArgs,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The platform, instead of the file's: of all commands that run something.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct PlatformArgs {
    /// Number of CPUs, instead of the platform's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) cpus: Option<u8>,

    /// How many CPUs a cluster has under clustered policies (c-edf, …), instead of their settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) cluster: Option<u8>,

    /// How tasks are divided among CPUs where none has a `cpu`: first-fit, if nothing else is said
    #[arg(long, value_name = "HOW", value_parser = fit())]
    pub(crate) partition: Option<Fit>,

    /// How late jobs are released, of what the tasks' `jitter` allows, instead of as the file says
    #[arg(long, value_name = "WHICH", value_parser = jitter())]
    pub(crate) jitter: Option<Jitter>,
}

impl PlatformArgs {
    /// `set` on so many CPUs, in clusters of so many, and with jobs so late, if it is told.
    pub(crate) fn on(self, mut set: TaskSet, registry: &Registry) -> TaskSet {
        if let Some(cpus) = self.cpus {
            set.platform.cpus = cpus;
        }
        if let Some(cluster) = self.cluster {
            registry.set_cluster(&mut set, cluster);
        }
        if let Some(jitter) = self.jitter {
            set.platform.jitter = jitter;
        }
        set
    }
}

impl ChartArgs {
    /// Refuses an empty part of a schedule.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match (self.from, self.to) {
            (from, Some(to)) if to <= from.unwrap_or_default() => Err(Failure::Usage(format!(
                "the chart ends at {to} (--to), which is not after its beginning at {} (--from)",
                from.unwrap_or_default()
            ))),
            _ => Ok(()),
        }
    }
}

/// How charts are drawn.
#[derive(clap::Args, Debug)]
pub(crate) struct ChartArgs {
    /// Draw a chart even of many tasks
    #[arg(long, conflicts_with = "no_chart")]
    pub(crate) chart: bool,

    /// Draw no chart
    #[arg(long)]
    pub(crate) no_chart: bool,

    /// The chart begins here
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) from: Option<Duration>,

    /// The chart ends here
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) to: Option<Duration>,
}

#[derive(clap::Args, Debug)]
#[cfg_attr(feature = "png", command(mut_arg("png", |png| png.requires("name").conflicts_with("no_report"))))]
pub(crate) struct ReproduceArgs {
    /// The work; without one: which there are
    pub(crate) name: Option<String>,

    /// Run what it can on the kernel on this machine, instead of simulating it
    #[arg(short, long, value_name = "NAME", value_parser = parse::machine(), requires = "name")]
    pub(crate) machine: Option<Machine>,

    /// Do these experiments only
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "name")]
    pub(crate) only: Vec<String>,

    /// As large as the authors' own experiments, where the usual ones are shorter (epos-study);
    /// goes on after an interruption
    #[arg(long, requires = "name")]
    pub(crate) full: bool,

    /// Ask each test by itself, too, where the union of all would do (epos-study); takes longer
    #[arg(long)]
    pub(crate) each_test: bool,

    /// Do the experiments with real programs in C instead, which are fetched and built (miosix); needs
    /// Flyball's sources, and the packages that `./x sdk` names
    #[arg(long, requires = "name")]
    pub(crate) programs: bool,

    /// A folder with the authors' own measurements, to be drawn beside ours
    #[arg(long, value_name = "DIRECTORY", requires = "name")]
    pub(crate) data: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
}

#[derive(clap::Args, Debug)]
pub(crate) struct PoliciesArgs {
    /// All there is to say of this one
    pub(crate) name: Option<String>,

    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct InspectArgs {
    /// A trace that Flyball has written (.pftrace or .fbtrace)
    pub(crate) trace: PathBuf,

    /// Print every event (between --from and --to)
    #[arg(long)]
    pub(crate) events: bool,

    #[command(flatten)]
    pub(crate) chart: ChartArgs,

    /// Write it once more: .pftrace for Perfetto, .fbtrace as compact records, .txt to read
    #[arg(short, long = "trace", value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print the numbers as JSON
    #[arg(long, conflicts_with = "events")]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(clap::Args, Debug)]
pub(crate) struct FolderArgs {
    /// The folder, which is made if it is not there
    pub(crate) folder: PathBuf,
}

/// Prints what clap has to say: help and version are no errors.
pub(crate) fn refused(error: &clap::Error) -> ExitCode {
    // Nothing can be done if not even this can be printed.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}
