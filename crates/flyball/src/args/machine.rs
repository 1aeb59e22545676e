//! What `run` and `compare` are told.

use super::parse::{length, machine};
use super::{PlatformArgs, ScheduleArgs};
use flyball_board::Machine;
use flyball_trace::Duration;
use std::path::PathBuf;

/// What only task sets have.
const SET: [&str; 8] = [
    "file",
    "policy",
    "until",
    "cpus",
    "cluster",
    "partition",
    "jitter",
    "seed",
];

#[derive(clap::Args, Debug)]
pub(crate) struct CompareArgs {
    /// The task set (.toml or .csv), or a program in C or C++ that says periods and deadlines of its threads
    /// (ELF): it runs once, and what was measured stands beside what follows from that
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
    pub(crate) platform: PlatformArgs,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args, Debug)]
pub(crate) struct MachineArgs {
    /// The task set (.toml or .csv), or a program in C or C++ that is linked with the kernel (ELF): it knows
    /// its machine and policy itself, records what happens if it is linked for that (--trace), and has a command line (`-- WORD…`)
    #[arg(required_unless_present = "app")]
    pub(crate) file: Option<PathBuf>,

    /// The words of the program's command line
    #[arg(last = true, requires = "file", value_name = "WORD")]
    pub(crate) words: Vec<String>,

    /// An application's folder, instead of a task set: build it, run it where plain `cargo run` does
    /// or, with --machine, on its board with that processor (cortex-m3, riscv), and show its schedule
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = SET)]
    pub(crate) app: Option<PathBuf>,

    /// The machine
    #[arg(short, long, value_name = "NAME", value_parser = machine())]
    pub(crate) machine: Option<Machine>,

    /// The policy; see `flyball policies`
    #[arg(short, long, value_name = "NAME")]
    pub(crate) policy: Option<String>,

    /// Run this long on the board's clock (1s, 50ms), instead of a hyperperiod or 2s
    #[arg(long, value_name = "TIME", value_parser = length)]
    pub(crate) until: Option<Duration>,

    #[command(flatten)]
    pub(crate) platform: PlatformArgs,

    /// What random numbers come from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) schedule: ScheduleArgs,
}
