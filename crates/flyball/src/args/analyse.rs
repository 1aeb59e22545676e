//! The arguments of `flyball analyse`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use flyball_lab::corpus::Criterion;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub(crate) struct AnalyseArgs {
    /// The task sets: a CSV file with the columns set,m,cap,wcet_us,period_us,deadline_us (.csv or .csv.xz)
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus: PathBuf,

    /// Where the verdicts go (.csv or .csv.xz): set,test,verdict,cpu_us
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Only these tests (separated by commas), instead of the nine sufficient ones of global EDF up to 2009, and partitioned EDF
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', ignore_case = true, value_parser = criterion())]
    pub(crate) tests: Vec<Criterion>,

    /// Only whether any of those tests of global EDF accepts (or of those that --tests names); the quick ones are asked first
    #[arg(long)]
    pub(crate) union: bool,

    /// The most steps that a test of a set takes, before it is stopped (verdict T); a step is about two nanoseconds
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    pub(crate) steps: u64,
}

/// Takes the name of a test.
fn criterion() -> impl TypedValueParser<Value = Criterion> {
    let names = Criterion::all().map(Criterion::name);
    PossibleValuesParser::new(names).try_map(|name| {
        let same = |criterion: &Criterion| criterion.name().eq_ignore_ascii_case(&name);
        let unknown = || format!("there is no test \"{name}\"");
        Criterion::all().find(same).ok_or_else(unknown)
    })
}
