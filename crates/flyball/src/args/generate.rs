//! The arguments of `flyball generate`.

use super::parse::duration;
use flyball_trace::Duration;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(crate) struct GenerateArgs {
    /// Number of tasks
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) tasks: usize,

    /// Number of CPUs, which the set's platform has; the tasks are the same on any number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=128))]
    pub(crate) cpus: u8,

    /// Utilisation of the whole set, in CPUs
    #[arg(short, long, value_name = "U", default_value_t = 0.7)]
    pub(crate) utilisation: f64,

    /// The shortest and the longest period; periods in between are log-uniform
    #[arg(long, value_name = "MIN..MAX", default_value = "10ms..1s", value_parser = range)]
    pub(crate) periods: (Duration, Duration),

    /// All periods are multiples of this; a coarse one keeps hyperperiods short
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = duration)]
    pub(crate) granularity: Duration,

    /// Deadlines before the periods: uniform from C + (T − C)·X to T, with X from 0 to 1
    #[arg(long, value_name = "X")]
    pub(crate) constrained: Option<f64>,

    /// Random phases, instead of all tasks starting together
    #[arg(long)]
    pub(crate) phases: bool,

    /// The same seed makes the same set, on every machine
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Where it goes (.toml or .csv), instead of printing TOML
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn range(text: &str) -> Result<(Duration, Duration), String> {
    let (min, max) = text
        .split_once("..")
        .ok_or("expected two times, such as 10ms..1s")?;
    Ok((duration(min)?, duration(max)?))
}
