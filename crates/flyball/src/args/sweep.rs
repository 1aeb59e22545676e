//! The arguments of `flyball sweep`, `flyball cluster` and `flyball plot`.

use super::PictureArgs;
use flyball_sweep::Shard;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(clap::Args, Debug)]
pub(crate) struct SweepArgs {
    /// The study (.toml); docs/sweep.md has one to begin with
    pub(crate) study: PathBuf,

    /// Where results go; what is there already is not computed again
    #[arg(short, long, value_name = "DIRECTORY", default_value = "flyball-sweep")]
    pub(crate) out: PathBuf,

    /// Compute this part of the study only (1/4, 2/4, …), as on another machine
    #[arg(long, value_name = "I/N", value_parser = Shard::from_str)]
    pub(crate) shard: Option<Shard>,

    /// Number of threads, instead of one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The package for Python takes these before this command sees them.
#[derive(clap::Args, Debug)]
pub(crate) struct ClusterArgs {
    /// What the package for Python takes: `flyball cluster --help` tells it there
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(clap::Args, Debug)]
pub(crate) struct PlotArgs {
    /// Folders with results of one study, such as those of its shards
    #[arg(required = true, value_name = "RESULTS")]
    pub(crate) results: Vec<PathBuf>,

    /// Where figures (SVG), tables (CSV) and the page go
    #[arg(
        short,
        long,
        value_name = "DIRECTORY",
        default_value = "flyball-report"
    )]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
}
