//! The arguments of `flyball overheads`, and of those who read what it measured.

use super::PictureArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use flyball_board::Machine;
use flyball_measure::{instructions, overheads};
use flyball_model::Statistic;
use flyball_trace::Duration;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[cfg_attr(feature = "png", command(mut_arg("png", |png| png.requires("report"))))]
pub(crate) struct OverheadsArgs {
    /// Count instructions on this emulated machine, instead of time on this processor
    #[arg(short, long, value_name = "NAME", value_parser = super::parse::machine(),
          conflicts_with_all = ["queues", "repetitions", "no_linux", "no_cache", "working_sets"])]
    pub(crate) machine: Option<Machine>,

    /// Count what a program that waits for memory and one that computes do, instead: instructions, cycles and
    /// requests to memory
    #[arg(long, conflicts_with_all = ["machine", "policies", "queues", "no_linux", "no_cache", "working_sets",
                                "out", "report"])]
    pub(crate) counters: bool,

    /// A task set with operating points: say which of them is enough for each program of --counters
    #[arg(long, value_name = "FILE", requires = "counters")]
    pub(crate) speeds: Option<PathBuf>,

    /// Run one of the programs of --counters and end, for cachegrind to count
    #[arg(long, value_name = "NAME", hide = true, value_parser = generator())]
    pub(crate) generate: Option<overheads::Generator>,

    /// Only these policies (separated by commas)
    #[arg(short, long = "policy", value_name = "NAME", value_delimiter = ',', value_parser = measured_policy())]
    pub(crate) policies: Vec<overheads::Policy>,

    /// Only these queues (separated by commas)
    #[arg(long = "queue", value_name = "NAME", value_delimiter = ',', value_parser = queue())]
    pub(crate) queues: Vec<overheads::Queue>,

    /// Numbers of threads
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = overheads::plan::THREADS)]
    pub(crate) threads: Vec<usize>,

    /// Number of CPUs that a policy has: global ones share them, partitioned ones divide the
    /// threads
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) cpus: u8,

    /// How often each quantity is measured (the paper's authors did it 5000000 times)
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200_000)]
    pub(crate) repetitions: usize,

    /// Do not measure Linux's own thread switch and wake-ups
    #[arg(long)]
    pub(crate) no_linux: bool,

    /// Do not measure cache-related delays
    #[arg(long, conflicts_with = "working_sets")]
    pub(crate) no_cache: bool,

    /// Working sets whose delays are measured (4K,128K,10M), instead of 4K to 10M
    #[arg(long = "working-set", value_name = "SIZE", value_delimiter = ',', value_parser = size)]
    pub(crate) working_sets: Vec<usize>,

    /// For how long each task set runs on the machine
    #[arg(long, value_name = "TIME", value_parser = super::parse::length, default_value = "400ms", requires = "machine")]
    pub(crate) until: Duration,

    /// Run global policies in clusters of so many CPUs, too (2, where these divide the CPUs)
    #[arg(long, value_name = "N", requires = "machine")]
    pub(crate) cluster: Option<u8>,

    /// Numbers of CPUs for which waits for the kernel's lock are computed
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = instructions::HARTS, requires = "machine")]
    pub(crate) harts: Vec<u8>,

    /// Show what each CPU of the machine counted, too, below what all did (JSON and CSV always have
    /// both)
    #[arg(long, requires = "machine")]
    pub(crate) per_cpu: bool,

    /// What the task sets on the machine are drawn from
    #[arg(long, value_name = "N", default_value_t = 0, requires = "machine")]
    pub(crate) seed: u64,

    /// Where the overheads go, as a file that `simulate`, `study` and `analyse` read with
    /// --overheads, and `sweep` in a study
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Where figures (SVG and CSV) and a table of all numbers (CSV) go
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) pictures: PictureArgs,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measured numbers by name.
pub(super) fn statistic() -> impl TypedValueParser<Value = Statistic> {
    PossibleValuesParser::new(Statistic::ALL.map(Statistic::name)).map(|name| {
        let all = Statistic::ALL.into_iter();
        // It is one of them.
        all.clone()
            .find(|statistic| statistic.name() == name)
            .unwrap_or_default()
    })
}

/// Policies that can be measured, by name.
fn measured_policy() -> impl TypedValueParser<Value = overheads::Policy> {
    PossibleValuesParser::new(overheads::Policy::all().map(overheads::Policy::name)).try_map(
        |name| {
            let unknown = || format!("there is no policy \"{name}\" to measure");
            overheads::Policy::find(&name).ok_or_else(unknown)
        },
    )
}

/// Programs by name.
fn generator() -> impl TypedValueParser<Value = overheads::Generator> {
    use overheads::Generator;
    PossibleValuesParser::new(Generator::ALL.map(Generator::name)).map(|name| {
        let mut all = Generator::ALL.into_iter();
        // It is one of them.
        all.find(|generator| generator.name() == name)
            .unwrap_or(Generator::Nothing)
    })
}

/// Queues by name.
fn queue() -> impl TypedValueParser<Value = overheads::Queue> {
    PossibleValuesParser::new(overheads::Queue::ALL.map(overheads::Queue::name)).try_map(|name| {
        let unknown = || format!("there is no queue \"{name}\"");
        overheads::Queue::find(&name).ok_or_else(unknown)
    })
}

/// A number of bytes: 4096, 128K, 10M.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 10),
        None => match text.strip_suffix(['M', 'm']) {
            Some(digits) => (digits, 20),
            None => (text, 0),
        },
    };
    let size = digits.parse::<usize>().ok();
    let size = size
        .and_then(|size| size.checked_mul(1 << shift))
        .filter(|&size| size > 0);
    size.ok_or_else(|| "expected a number of bytes, such as 4096, 128K or 10M".into())
}
