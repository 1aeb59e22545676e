//! What `study` and `simulate` are told.

use super::overheads::{size, statistic};
use super::parse::{length, machine};
use super::{PlatformArgs, ScheduleArgs};
use flyball_board::Machine;
use flyball_model::Statistic;
use flyball_study::results::Schedulable;
use flyball_trace::Duration;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(crate) struct StudyArgs {
    /// The task set (.toml or .csv), or a program in C or C++ that says periods and deadlines of its threads (ELF)
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
    /// The task set (.toml or .csv), or a program in C or C++ that says periods and deadlines of its threads (ELF)
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

/// What `study` and `simulate` have in common.
#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) platform: PlatformArgs,

    /// Simulate this long (2s, 500ms), instead of a hyperperiod
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub(crate) until: Option<Duration>,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

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
