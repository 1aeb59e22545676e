//! The arguments of the command.

mod analyse;
mod generate;
mod new;
mod overheads;
mod pictures;
mod sweep;

pub(crate) use analyse::AnalyseArgs;
pub(crate) use generate::GenerateArgs;
pub(crate) use new::{NewArgs, Place};
pub(crate) use overheads::OverheadsArgs;
pub(crate) use pictures::PictureArgs;
pub(crate) use sweep::{PlotArgs, SweepArgs};

use crate::failure::Failure;
use anstream::ColorChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use flyball_board::Machine;
use flyball_model::{Jitter, Statistic, TaskSet};
use flyball_study::results::Schedulable;
use flyball_study::{Fit, Registry};
use flyball_trace::Duration;
use overheads::{size, statistic};
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
    /// board
    Run(MachineArgs),
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

#[derive(clap::Args, Debug)]
pub(crate) struct StudyArgs {
    /// The task set (.toml or .csv)
    pub(crate) file: PathBuf,

    /// Only these policies (may be given several times, or separated by commas)
    #[arg(short, long = "policy", value_name = "NAME", value_delimiter = ',')]
    pub(crate) policies: Vec<String>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Run it on the kernel on this machine, too, and put both schedules side by side; 2s at most
    #[arg(short, long, value_name = "NAME", value_parser = machine())]
    pub(crate) machine: Option<Machine>,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    /// Write each policy's schedule beside the report, too: .pftrace, for Perfetto
    #[arg(long, conflicts_with = "no_report")]
    pub(crate) traces: bool,
}

/// What comes out.
#[derive(clap::Args, Debug)]
pub(crate) struct ReportArgs {
    /// Where the report goes
    #[arg(
        short,
        long,
        value_name = "DIRECTORY",
        default_value = "flyball-report"
    )]
    pub(crate) out: PathBuf,

    /// Write no report
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_report: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct SimulateArgs {
    /// The task set (.toml or .csv)
    pub(crate) file: PathBuf,

    /// The policy; see `flyball policies` (may be given several times, or separated by commas)
    #[arg(
        short,
        long = "policy",
        value_name = "NAME",
        value_delimiter = ',',
        required = true
    )]
    pub(crate) policies: Vec<String>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Ask no tests but those that divide tasks among CPUs. They are asked with little work here;
    /// see `flyball study` for all of it
    #[arg(long)]
    pub(crate) no_tests: bool,

    #[command(flatten)]
    pub(crate) schedule: ScheduleArgs,
}

/// What only task sets have.
const SET: [&str; 7] = [
    "file",
    "policy",
    "until",
    "cpus",
    "cluster",
    "partition",
    "seed",
];

#[derive(clap::Args, Debug)]
pub(crate) struct CompareArgs {
    /// The task set (.toml or .csv)
    #[arg(required_unless_present = "app")]
    pub(crate) file: Option<PathBuf>,

    /// An application's folder, instead of a task set: run it on this computer, whose clock is
    /// virtual, and on its board with the processor of the machine (cortex-m3, riscv)
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = SET)]
    pub(crate) app: Option<PathBuf>,

    /// The machine
    #[arg(short, long, value_name = "NAME", value_parser = machine(), default_value = "cortex-m3")]
    pub(crate) machine: Machine,

    /// Only these policies (may be given several times, or separated by commas)
    #[arg(
        id = "policy",
        short,
        long = "policy",
        value_name = "NAME",
        value_delimiter = ','
    )]
    pub(crate) policies: Vec<String>,

    /// Run this long on the board's clock (1s, 50ms), instead of a hyperperiod or 2s
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub(crate) until: Option<Duration>,

    #[command(flatten)]
    pub(crate) cpus: CpuArgs,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct MachineArgs {
    /// The task set (.toml or .csv)
    #[arg(required_unless_present = "app")]
    pub(crate) file: Option<PathBuf>,

    /// An application's folder, instead of a task set: build it, run it where plain `cargo run` does
    /// or, with --machine, on its board with that processor (cortex-m3, riscv), and show its schedule
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = SET)]
    pub(crate) app: Option<PathBuf>,

    /// The machine
    #[arg(short, long, value_name = "NAME", value_parser = machine())]
    #[arg(required_unless_present = "app")]
    pub(crate) machine: Option<Machine>,

    /// The policy; see `flyball policies`
    #[arg(short, long, value_name = "NAME", required_unless_present = "app")]
    pub(crate) policy: Option<String>,

    /// Run this long on the board's clock (1s, 50ms), instead of a hyperperiod or 2s
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub(crate) until: Option<Duration>,

    #[command(flatten)]
    pub(crate) cpus: CpuArgs,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) schedule: ScheduleArgs,
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

/// How many CPUs there are, and who is where: of all commands that run something.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct CpuArgs {
    /// Number of CPUs, instead of the platform's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) cpus: Option<u8>,

    /// How many CPUs a cluster has under clustered policies (c-edf, …), instead of their settings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) cluster: Option<u8>,

    /// How tasks are divided among CPUs where none has a `cpu`: first-fit, if nothing else is said
    #[arg(long, value_name = "HOW", value_parser = fit())]
    pub(crate) partition: Option<Fit>,
}

impl CpuArgs {
    /// `set` on so many CPUs, in clusters of so many, if it is told.
    pub(crate) fn on(self, mut set: TaskSet, registry: &Registry) -> TaskSet {
        if let Some(cpus) = self.cpus {
            set.platform.cpus = cpus;
        }
        if let Some(cluster) = self.cluster {
            registry.set_cluster(&mut set, cluster);
        }
        set
    }
}

/// What `study` and `simulate` have in common.
#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) cpus: CpuArgs,

    /// Simulate this long (2s, 500ms), instead of a hyperperiod
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub(crate) until: Option<Duration>,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// How late jobs are released, of what the tasks' `jitter` allows, instead of as the file says
    #[arg(long, value_name = "WHICH", value_parser = jitter())]
    pub(crate) jitter: Option<Jitter>,

    /// Stop at the first deadline that is missed
    #[arg(long)]
    pub(crate) stop_at_miss: bool,

    /// Exit code 0, too, where the set holds for exactly the simulated execution times and
    /// arrivals, and a job that computes for less might make another one late
    #[arg(long)]
    pub(crate) exact_times: bool,

    #[command(flatten)]
    pub(crate) charge: ChargeArgs,
}

impl RunArgs {
    /// Whether a verdict is a yes to what the user asked.
    pub(crate) fn accepts(&self, verdict: Schedulable) -> bool {
        match verdict {
            Schedulable::Always => true,
            Schedulable::ExactTimes => self.exact_times,
            Schedulable::Not | Schedulable::Unknown => false,
        }
    }
}

/// The kernel's work that was measured.
#[derive(clap::Args, Debug)]
pub(crate) struct ChargeArgs {
    /// Charge the overheads in this file, those of each policy, instead of the platform's; see
    /// `flyball overheads`
    #[arg(long, value_name = "FILE")]
    pub(crate) overheads: Option<PathBuf>,

    /// Which of the measured numbers is charged (p999; worst, if the file has no p999)
    #[arg(long, value_name = "WHICH", value_parser = statistic(), requires = "overheads")]
    pub(crate) charge: Option<Statistic>,

    /// Charge cache-related delays, too, for working sets of this size (128K, 1M)
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "overheads")]
    pub(crate) working_set: Option<usize>,
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
    #[arg(short, long, value_name = "NAME", value_parser = machine(), requires = "name")]
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

/// Takes the name of a machine.
fn machine() -> impl TypedValueParser<Value = Machine> {
    let names =
        Machine::ALL.map(|machine| PossibleValue::new(machine.name()).help(machine.title()));
    PossibleValuesParser::new(names).try_map(|name| {
        let unknown = || format!("there is no machine \"{name}\"");
        Machine::find(&name).ok_or_else(unknown)
    })
}

fn jitter() -> impl TypedValueParser<Value = Jitter> {
    let random = PossibleValue::new("random").help("any time, each equally likely");
    let worst = PossibleValue::new("worst")
        .help("as late as they may be until jobs of all tasks come together, and then at once");
    PossibleValuesParser::new([random, worst]).map(|word| match word.as_str() {
        "worst" => Jitter::Worst,
        _ => Jitter::Random,
    })
}

fn duration(text: &str) -> Result<Duration, String> {
    flyball_model::parse_duration(text).map_err(|error| format!("{error}; {}", error.remedy()))
}

/// A length of time that is not zero.
fn length(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("expected a time above zero".into()),
        length => Ok(length),
    }
}

/// The heuristics by name.
fn fit() -> impl TypedValueParser<Value = Fit> {
    PossibleValuesParser::new(Fit::ALL.map(Fit::name)).map(|name| {
        let fit = Fit::ALL.into_iter().find(|fit| fit.name() == name);
        // It is one of them.
        fit.unwrap_or_default()
    })
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
