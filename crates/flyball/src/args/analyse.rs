//! The arguments of `flyball analyse`.

use super::ChargeArgs;
use super::parse::length;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flyball_analysis::charged::Accounting;
use flyball_study::corpus::Question;
use flyball_trace::Duration;
use std::ffi::OsStr;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["file", "corpus"]))]
// A task set may have overheads of its own; many have none but those of a file.
#[command(group = clap::ArgGroup::new("paying").multiple(true).args(["file", "overheads"]))]
pub(crate) struct AnalyseArgs {
    /// The task set (.toml or .csv), or a program in C or C++ that says periods and deadlines of its threads
    /// (ELF): then the exit code is about the policy that it is linked with
    pub(crate) file: Option<PathBuf>,

    /// Number of CPUs, instead of the platform's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128), conflicts_with = "corpus")]
    pub(crate) cpus: Option<u8>,

    #[command(flatten)]
    pub(crate) charge: ChargeArgs,

    /// How overheads are charged: to each job what is done for it, or with what interrupts of
    /// others can take from it
    #[arg(long, value_name = "HOW", default_value = "interrupts", value_parser = accounting(), requires = "paying")]
    pub(crate) accounting: Accounting,

    /// How long messages of a pipeline may be in queues; says what capacities of queues that takes
    #[arg(long, value_name = "TIME", value_parser = length, conflicts_with = "corpus")]
    pub(crate) latency: Option<Duration>,

    /// Print the result as JSON
    #[arg(long, conflicts_with = "corpus")]
    pub(crate) json: bool,

    /// Many task sets instead: a CSV file with the columns set,m,cap,wcet_us,period_us,deadline_us
    /// (.csv or .csv.xz)
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) corpus: Option<PathBuf>,

    /// Where the verdicts on many go (.csv or .csv.xz; - prints them): set,test,verdict,cpu_us
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Only these tests (separated by commas), instead of the nine sufficient ones of global EDF up
    /// to 2009, and partitioned EDF; EXACT decides small sets under global EDF, and SIM looks for a
    /// miss by simulation
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', ignore_case = true, value_parser = question())]
    pub(crate) tests: Vec<Question>,

    /// Only whether any of the tests of global EDF accepts; the quick ones are asked first
    #[arg(long)]
    pub(crate) union: bool,

    /// Only read the corpus and check the options, as if to judge it; write nothing
    #[arg(long, requires = "corpus")]
    pub(crate) dry_run: bool,

    /// Judge nothing, but take the verdicts on all sets from this file, where those on pieces of the corpus were put
    /// together in order; `flyball cluster` does so
    #[arg(
        long,
        value_name = "FILE",
        requires = "corpus",
        conflicts_with = "dry_run"
    )]
    pub(crate) known: Option<PathBuf>,

    /// The most steps that a test of a set takes, before it is stopped (verdict T); a step is about
    /// two nanoseconds. 50 million, or with --corpus 5 billion
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
}

/// Takes the name of an accounting.
fn accounting() -> impl TypedValueParser<Value = Accounting> {
    PossibleValuesParser::new(["per-job", "interrupts"]).map(|name| match &*name {
        "per-job" => Accounting::PerJob,
        _ => Accounting::Interrupts,
    })
}

/// Takes the name of a test.
fn question() -> impl TypedValueParser<Value = Question> {
    let names = Question::all().map(Question::name);
    Trimmed(PossibleValuesParser::new(names))
        .try_map(|name| Question::find(&name).ok_or_else(|| format!("there is no test \"{name}\"")))
}

/// Takes what another parser takes, with blanks around it: `"gfb, rta"`.
#[derive(Clone, Debug)]
struct Trimmed<P>(P);

impl<P: TypedValueParser> TypedValueParser for Trimmed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        let trimmed = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
        self.0.parse_ref(command, arg, trimmed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
